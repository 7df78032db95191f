//! From scores to weights where that is no plain softmax, and dropout, in lines of NumPy or PyTorch.

use super::library::Library;
use super::literal::number;
use super::mask;
use crate::attention::{Normalise, Note, Part, Problem, Trace, solve};

/// A softmax with one logit more in its sum.
pub(super) fn with_sink(library: Library, scores: &str) -> String {
    let (np, largest, sum) = (library.module(), library.row_max(scores), library.row_sum("exp"));
    format!(
        "largest = {np}.maximum({largest}, sink)\n\
         exp = {np}.exp({scores} - largest)\n\
         weights = exp / ({sum} + {np}.exp(sink - largest))  # the sink takes its share\n"
    )
}

/// Each row over its sum.
pub(super) fn over_sum(problem: &Problem, library: Library, scores: &str) -> String {
    let (np, sum) = (library.module(), library.row_sum(scores));
    let weights = if sum_can_vanish(problem) {
        format!(
            "# A row whose sum is 0 has weights of zero.\n\
             weights = {np}.where(total == 0, 0.0, {scores} / {np}.where(total == 0, 1.0, total))\n"
        )
    } else {
        format!("weights = {scores} / total\n")
    };
    format!("total = {sum}\n{weights}")
}

/// Whether some row has nothing that it could be divided by.
fn sum_can_vanish(problem: &Problem) -> bool {
    let has_note = |trace: &Trace| trace.notes.iter().any(|note| matches!(note, Note::ZeroSum { .. }));
    mask::has_empty_row(problem) || solve(problem).map_or(true, |trace| has_note(&trace))
}

/// Whether some row has nothing left to renormalise. (Weights of both signs may cancel.)
pub(super) fn rest_can_vanish(problem: &Problem) -> bool {
    if problem.family.normalise == Normalise::Sum {
        return true;
    }
    let Ok(trace) = solve(problem) else { return true };
    let mut heads = (0..problem.heads.query).filter_map(|head| trace.get(Part::Weights, head));
    heads.any(|step| step.value.row_iter().any(|row| row.iter().all(|&weight| weight == 0.0)))
}

/// What dropout keeps of each weight, every draw written out.
pub(super) fn kept(problem: &Problem, library: Library) -> String {
    let dropout = problem.family.dropout;
    let shapes = problem.shapes();
    let Some(kept) = dropout.kept(shapes.heads.query, shapes.n, shapes.m) else { return String::new() };
    let draws: Vec<_> = kept.iter().map(|kept| kept.map(|factor| if factor > 0.0 { 1.0 } else { 0.0 })).collect();
    let draws = if let [only] = draws.as_slice() { library.matrix(only) } else { library.matrices(&draws) };
    format!(
        "# Dropout: 0 is dropped, 1 is kept, as SplitMix64 draws it from seed {}; what is kept grows by 1 / (1 - p).\n\
         kept = {draws} / (1.0 - {})\n",
        dropout.seed,
        number(dropout.p)
    )
}

pub(super) fn dropped(problem: &Problem) -> &'static str {
    if problem.family.dropout.p > 0.0 { "weights = weights * kept  # dropout\n" } else { "" }
}
