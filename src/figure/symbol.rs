//! The symbol of a matrix, as runs of text that are slanted, raised or lowered.
//!
//! The markup is that of the page: `Q K^T`, `W_Q`, `X_{kv}`; text in quotes stays upright.

use crate::attention::{Normalise, Part, Problem, Score};

/// The symbol of a matrix in that markup, on paper and on the page.
///
/// ```
/// # use attnlab::{attention::Part, figure::symbol};
/// assert_eq!(symbol(Part::Scores), "Q K^T");
/// ```
pub fn symbol(part: Part) -> &'static str {
    use Part::*;
    match part {
        XGiven => "X_0",
        XKvGiven => "X_{kv,0}",
        Table => "T",
        Position => "P",
        X => "X",
        XKv => "X_{kv}",
        WQ => "W_Q",
        BQ => "b_Q",
        Q => "Q",
        WK => "W_K",
        BK => "b_K",
        K => "K^T",
        WV => "W_V",
        BV => "b_V",
        V => "V",
        QRotated => "Q_r",
        KRotated => "K_r",
        QFeatures => "φ(Q)",
        KFeatures => "φ(K)",
        KTransformed => "K W^T",
        ScoreW => "W",
        ScoreWQ => "W_q",
        ScoreWK => "W_k",
        ScoreV => "v",
        Hidden => "H",
        Scores => "Q K^T",
        Scaled => "S",
        Capped => "S_c",
        Slopes => "\"slopes\"",
        Bias => "B",
        Biased => "S + B",
        Mask => "M",
        Masked => "S + M",
        Exp => "\"exp\"",
        RowSum => "Σ",
        Sink => "\"sink\"",
        SinkWeight => "A_{\"sink\"}",
        Kept => "D",
        Weights => "A",
        Leak => "\"leak\"",
        Context => "A V",
        Concat => "C",
        WO => "W_O",
        BO => "b_O",
        Output => "Y",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Base,
    Raised,
    Lowered,
}

/// A piece of a symbol. Variables are plain letters in an italic face, not the mathematical letters of Unicode: those
/// are missing from most fonts that a figure will meet, and cannot be searched for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub text: String,
    pub italic: bool,
    pub level: Level,
}

/// How wide a symbol will be, in parts of its size: italic serif letters are narrower than the text of labels.
pub(super) fn width(runs: &[Run]) -> f64 {
    let letter = |c: char| match c {
        ' ' => 0.33,
        '+' => 0.85,
        'M' | 'W' => 0.95,
        'a'..='z' => 0.5,
        _ => 0.7,
    };
    let width =
        |run: &Run| run.text.chars().map(letter).sum::<f64>() * if run.level == Level::Base { 1.0 } else { SMALLER };
    runs.iter().map(width).sum()
}

/// The size of what is raised or lowered.
pub(super) const SMALLER: f64 = 0.68;

/// The markup as runs.
pub(super) fn runs(markup: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let (mut level, mut upright, mut group) = (Level::Base, false, false);
    for c in markup.chars() {
        match c {
            '"' => upright = !upright,
            '^' => level = Level::Raised,
            '_' => level = Level::Lowered,
            '{' => group = true,
            '}' => (group, level) = (false, Level::Base),
            c => {
                let is_transpose = c == 'T' && level == Level::Raised;
                let italic = c.is_ascii_alphabetic() && !upright && !is_transpose;
                match runs.last_mut() {
                    Some(last) if last.level == level && (last.italic == italic || c == ' ') => last.text.push(c),
                    _ => runs.push(Run { text: c.to_string(), italic, level }),
                }
                if !group {
                    level = Level::Base;
                }
            }
        }
    }
    runs
}

/// The symbol in this problem: scores are Q Kᵀ, and what other score functions give is E, as Bahdanau et al. 2015 call it.
pub fn symbol_of(problem: &Problem, part: Part) -> &'static str {
    let is_linear = problem.family.normalise == Normalise::Linear;
    let is_dot = problem.family.score == Score::Dot && !is_linear;
    match part {
        Part::Scores if !is_dot => "E",
        Part::Masked if is_linear => "E × M",
        Part::Masked if problem.family.normalise == Normalise::Sum => "S × M",
        part => symbol(part),
    }
}

/// How the mask meets the scores: it is added before a softmax; without one hidden pairs are 0, as if multiplied by it.
pub fn mask_operator(problem: &Problem) -> &'static str {
    if problem.family.normalise == Normalise::Softmax { "+" } else { "×" }
}

/// What stands in the mask for a pair: 0 and −∞ where it is added, 1 and 0 where it multiplies.
pub fn mask_entry(problem: &Problem, is_visible: bool) -> &'static str {
    match (problem.family.normalise, is_visible) {
        (Normalise::Softmax, true) => "0",
        (Normalise::Softmax, false) => "−∞",
        (_, true) => "1",
        (_, false) => "0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_slanted_and_a_transpose_is_raised_and_upright() {
        let run = |text: &str, italic, level| Run { text: text.to_owned(), italic, level };
        assert_eq!(runs("Q K^T"), [run("Q K", true, Level::Base), run("T", false, Level::Raised)]);
        assert_eq!(runs("X_{kv}"), [run("X", true, Level::Base), run("kv", true, Level::Lowered)]);
        assert_eq!(runs("\"exp\""), [run("exp", false, Level::Base)]);
    }
}
