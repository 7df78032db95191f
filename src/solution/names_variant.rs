//! The names of what is not the plain formula: the scores of other functions, and the steps that only variants have.

use super::names::own;
use crate::attention::{Bias, Normalise, Part, Position, Problem, Score};

fn is_rotated(problem: &Problem) -> bool {
    matches!(problem.family.position, Position::Rope(_))
}

/// Queries or keys as they meet: `Q`, rotated `Q_{r}`, after the feature map `\varphi(Q)`.
fn compared(problem: &Problem, symbol: &str, head: Option<usize>) -> String {
    let vector = own(symbol, if is_rotated(problem) { "r" } else { "" }, head);
    if problem.family.normalise == Normalise::Linear { format!("\\varphi({vector})") } else { vector }
}

/// The matrix of the scores. (Those of a hidden layer are no product of matrices.)
pub(super) fn scores(problem: &Problem, head: Option<usize>) -> String {
    let (q, k) = (compared(problem, "Q", head), compared(problem, "K", head));
    match problem.family.score {
        Score::Dot => format!("{q} {k}^T"),
        Score::General { .. } => format!("{q} W {k}^T"),
        Score::Concat { .. } | Score::Additive { .. } => own("R", "", head),
    }
}

/// One score.
pub(super) fn score(problem: &Problem, query: &str, key: &str) -> String {
    let rotated = is_rotated(problem);
    let vector = |symbol: &str, token: &str| {
        let vector = if rotated { format!("{symbol}_{{r,{token}}}") } else { format!("{symbol}_{{{token}}}") };
        if problem.family.normalise == Normalise::Linear { format!("\\varphi({vector})") } else { vector }
    };
    match problem.family.score {
        Score::Dot => format!("{} \\cdot {}", vector("q", query), vector("k", key)),
        Score::General { .. } => format!("{} W {}^T", vector("q", query), vector("k", key)),
        Score::Concat { .. } | Score::Additive { .. } => format!("R_{{{query},{key}}}"),
    }
}

/// One number of a rotated vector or of a feature map.
pub(super) fn entry(problem: &Problem, part: Part, token: &str, column: usize) -> String {
    let letter = if matches!(part, Part::QRotated | Part::QFeatures) { "q" } else { "k" };
    let rotated = if is_rotated(problem) { "r," } else { "" };
    let number = format!("{letter}_{{{rotated}{token},{column}}}");
    if matches!(part, Part::QFeatures | Part::KFeatures) { format!("\\varphi({number})") } else { number }
}

/// A matrix that only variants have.
pub(super) fn symbol(problem: &Problem, part: Part, head: Option<usize>) -> String {
    match part {
        Part::QRotated => own("Q", "r", head),
        Part::KRotated => own("K", "r", head),
        Part::QFeatures => compared(problem, "Q", head),
        Part::KFeatures => compared(problem, "K", head),
        Part::KTransformed => format!("{} W^T", compared(problem, "K", head)),
        Part::Hidden => own("H", "", head),
        Part::Capped => own("S", "c", head),
        Part::Biased => biased(problem, head),
        Part::SinkWeight => own("Z", "", head),
        Part::Kept => own("D", "", head),
        Part::Table => "T".to_owned(),
        Part::ScoreW => "W".to_owned(),
        Part::ScoreWQ => "W_1".to_owned(),
        Part::ScoreWK => "W_2".to_owned(),
        Part::ScoreV => "v".to_owned(),
        Part::Slopes => own("\\lambda", "", head),
        Part::Bias => problem.family.bias.as_ref().map_or_else(|| "B".to_owned(), |bias| self::bias(bias, head)),
        Part::Sink => own("z", "", head),
        other => unreachable!("{other:?} has a name of its own"),
    }
}

/// `S - \lambda \Delta + B`: what is subtracted for the distance, and what is added.
fn biased(problem: &Problem, head: Option<usize>) -> String {
    let mut symbol = own("S", if problem.family.softcap.is_some() { "c" } else { "" }, head);
    if matches!(problem.family.position, Position::Alibi { .. }) {
        symbol += &format!(" - {} \\Delta", own("\\lambda", "", head));
    }
    if let Some(bias) = &problem.family.bias {
        symbol += &format!(" + {}", self::bias(bias, head));
    }
    symbol
}

/// The bias that a head adds.
pub(super) fn bias(bias: &Bias, head: Option<usize>) -> String {
    if bias.heads().is_none() { "B".to_owned() } else { own("B", "", head) }
}

/// Before a softmax the mask is added; without one hidden pairs are 0, as if multiplied by it.
pub(super) fn masked(problem: &Problem, before: &str, mask: &str) -> String {
    if problem.family.normalise == Normalise::Softmax {
        return format!("{before} + {mask}");
    }
    if before.contains(' ') { format!("({before}) \\odot {mask}") } else { format!("{before} \\odot {mask}") }
}
