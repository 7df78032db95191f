//! Which numbers of a sheet are blank, and which of its steps it shows.
//!
//! What follows the first blank step is on the sheet only where it is blank itself, so no later number gives an answer
//! away; and where two steps hold the same numbers, a blank in one is a blank in the other.

use std::collections::BTreeSet;

use super::worksheet::{WorksheetError, WorksheetOptions};
use crate::attention::{MaskApplied, Matrix, Part, Place, Position, Problem, SplitMix64, Trace, has_rule, matrix};

/// Which numbers are left blank.
#[derive(Clone, Debug, PartialEq)]
pub enum Blanks {
    /// Of these steps (those that the problem has, `masked` only where there is a mask) this share of the numbers: 1 is all of them.
    Parts { parts: Vec<Part>, share: f64 },
    /// These numbers.
    Cells(Vec<Place>),
}

impl Default for Blanks {
    fn default() -> Self {
        let before = [Part::Scores, Part::Scaled, Part::Capped, Part::Biased];
        let parts = before.into_iter().chain([Part::Masked, Part::Weights, Part::Output]).collect();
        Blanks::Parts { parts, share: 1.0 }
    }
}

/// Nobody could work it out: inputs, the rules, and what dropout drew.
pub(super) fn is_given(problem: &Problem, part: Part) -> bool {
    part.is_input(problem) || matches!(part, Part::Mask | Part::Kept)
}

/// Whether a computed step is on the sheet: it is blank, or stands before everything blank.
pub(super) fn is_shown(problem: &Problem, blanks: &BTreeSet<Place>, part: Part) -> bool {
    let is_blank = |part| blanks.iter().any(|place| place.part == part);
    let is_before = blanks.first().is_some_and(|first| part < first.part);
    // Without w_o, context and concat are the output.
    let is_the_output = matches!(part, Part::Context | Part::Concat) && problem.w_o.is_none();
    let adds_nothing = part == Part::Masked && !uses_mask(problem);
    is_blank(part) || (is_before && !is_the_output && !adds_nothing)
}

/// Whether anything is added to the scores.
fn uses_mask(problem: &Problem) -> bool {
    has_rule(&problem.mask) || problem.mask_applied == MaskApplied::Inverted
}

/// Which numbers are blank, in the order of the computation.
pub(super) fn blanks(
    problem: &Problem,
    trace: &Trace,
    options: &WorksheetOptions,
) -> Result<BTreeSet<Place>, WorksheetError> {
    let given = |part: Part| is_given(problem, part);
    let mut blanks = BTreeSet::new();
    match &options.blanks {
        Blanks::Cells(places) => {
            for &place in places {
                let shape = matrix(problem, trace, place.part, place.head).map_or((0, 0), |values| values.shape());
                if given(place.part) {
                    return Err(WorksheetError::Given(place.part));
                }
                let is_once = !place.part.is_per_head() && place.head > 0;
                if is_once || place.row >= shape.0 || place.column >= shape.1 {
                    return Err(WorksheetError::NoSuchCell(place));
                }
                blanks.insert(place);
            }
        }
        Blanks::Parts { parts, share } => {
            if !(*share > 0.0 && *share <= 1.0) {
                return Err(WorksheetError::Share(*share));
            }
            if let Some(&part) = parts.iter().find(|&&part| given(part)) {
                return Err(WorksheetError::Given(part));
            }
            for &part in parts.iter().filter(|part| **part != Part::Masked || uses_mask(problem)) {
                let heads = if part.is_per_head() { problem.heads.query } else { 1 };
                for head in 0..heads {
                    let Some(values) = trace.get(part, head).map(|step| &step.value) else { continue };
                    blanks.extend(chosen(part, head, values, *share, options.seed.unwrap_or(0)));
                }
            }
        }
    }
    same_numbers(problem, &mut blanks);
    if blanks.is_empty() { Err(WorksheetError::NothingBlank) } else { Ok(blanks) }
}

/// A share of the numbers of a step, at least one. Steps of one shape are blank at the same cells.
fn chosen(part: Part, head: usize, values: &Matrix, share: f64, seed: u64) -> Vec<Place> {
    let (rows, columns) = values.shape();
    let of_row = |row| (0..columns).map(move |column| Place { part, head, row, column });
    let mut places: Vec<Place> = (0..rows).flat_map(of_row).collect();
    let count = ((places.len() as f64 * share).round() as usize).clamp(1, places.len().max(1));
    let mut random = SplitMix64(seed);
    // Fisher and Yates: the first `count` are a fair draw.
    for index in 0..count.min(places.len()) {
        let rest = (places.len() - index) as u64;
        places.swap(index, index + (random.next() % rest) as usize);
    }
    places.truncate(count);
    places
}

/// What is blank in one step must be blank in the other steps on the sheet that give it away.
fn same_numbers(problem: &Problem, blanks: &mut BTreeSet<Place>) {
    let chosen = blanks.clone();
    loop {
        let twins = blanks.iter().flat_map(|&place| twins(problem, place));
        let is_new = |twin: &Place| is_shown(problem, &chosen, twin.part) && !blanks.contains(twin);
        let more: Vec<Place> = twins.filter(is_new).collect();
        if more.is_empty() {
            return;
        }
        blanks.extend(more);
    }
}

/// The places that hold the same number, or one at the same pair of tokens that leads straight back to it.
fn twins(problem: &Problem, place: Place) -> Vec<Place> {
    const OF_PAIRS: [Part; 7] =
        [Part::Scores, Part::Scaled, Part::Capped, Part::Biased, Part::Masked, Part::Exp, Part::Weights];
    let Place { part, head, row, column } = place;
    let mut twins = before_the_scores(problem, place);
    if let Some(at) = OF_PAIRS.iter().position(|&of_pairs| of_pairs == part) {
        twins.extend(OF_PAIRS[at + 1..].iter().map(|&part| Place { part, ..place }));
    }
    // A scale of 1 changes nothing.
    if part == Part::Scaled && problem.scale.apply(1.0, problem.shapes().d_k) == 1.0 {
        twins.push(Place { part: Part::Scores, ..place });
    }
    // Concat is the contexts side by side, and without w_o the output, too.
    let d_v = problem.shapes().d_v;
    let joined = match part {
        Part::Context => Some(head * d_v + column),
        Part::Concat => Some(column),
        Part::Output if problem.w_o.is_none() => Some(column),
        _ => None,
    };
    if let Some(column) = joined {
        twins.push(Place { part: Part::Context, head: column / d_v, row, column: column % d_v });
        twins.push(Place { part: Part::Concat, head: 0, row, column });
        if problem.w_o.is_none() {
            twins.push(Place { part: Part::Output, head: 0, row, column });
        }
    }
    twins
}

/// What an encoding is added to, what is rotated, and what a feature map is taken of lead straight back to them.
fn before_the_scores(problem: &Problem, place: Place) -> Vec<Place> {
    let at = |part| Place { part, ..place };
    // One of a rotated pair tells the other: the whole row goes.
    let row_of = |part| (0..problem.shapes().d_k).map(move |column| Place { part, column, ..place });
    let is_rotated = matches!(problem.family.position, Position::Rope(_));
    match place.part {
        Part::Position => vec![at(Part::X), at(Part::XKv)],
        Part::Q if is_rotated => row_of(Part::QRotated).chain(row_of(Part::QFeatures)).collect(),
        Part::K if is_rotated => row_of(Part::KRotated).chain(row_of(Part::KFeatures)).collect(),
        Part::Q | Part::QRotated => vec![at(Part::QFeatures)],
        Part::K | Part::KRotated => vec![at(Part::KFeatures)],
        _ => Vec::new(),
    }
}
