//! What is drawn: which matrices, in which order, on which lines.

use super::block::Block;
use super::{FigureError, FigureOptions, mask_operator};
use crate::attention::{Inputs, Part, Problem, Trace, matrix};
use crate::writing::Texts;

/// Above so many columns of all heads together each head is a thumbnail, without numbers and tokens.
const MOST_LABELLED: usize = 48;

/// What a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One matrix. The head does not matter for what is there once.
    Step { part: Part, head: usize },
    /// The weights of every head, side by side.
    Heads,
    /// Every matrix from the input to the output, with the operators between them, as the page has them.
    Pipeline { head: usize },
}

/// Blocks that stand in one line, as long as it is wide enough, under a heading.
pub(super) struct Line {
    pub heading: Option<String>,
    pub blocks: Vec<Block>,
}

/// The matrices of a subject in reading order.
pub(super) fn lines(
    problem: &Problem,
    trace: &Trace,
    subject: &Subject,
    options: &FigureOptions,
) -> Result<Vec<Line>, FigureError> {
    let texts = Texts::new(options.language);
    let heads = problem.heads.query;
    let of = |part: Part, head: usize, operator: &'static str| {
        let values = matrix(problem, trace, part, head)?;
        Some(Block::new(problem, part, values, operator, &texts, options))
    };
    if let Subject::Step { head, .. } | Subject::Pipeline { head } = *subject
        && head >= heads
    {
        return Err(FigureError::NoSuchHead { head, heads });
    }
    let head_title = |head: usize| {
        let shared = problem.heads.key_value_of(head);
        texts.tf("head-title", &[("head", head.to_string()), ("shared", shared.to_string())])
    };
    match *subject {
        Subject::Step { part, head } => {
            let block = of(part, head, "").ok_or(FigureError::NoSuchStep { step: part.key() })?;
            let heading = (heads > 1 && part.is_per_head()).then(|| head_title(head));
            Ok(vec![Line { heading, blocks: vec![block] }])
        }
        Subject::Heads => {
            let step = Part::Weights;
            let many = heads > 2 && heads * problem.shapes().m > MOST_LABELLED;
            let is_shared = problem.heads.key_value < heads;
            let short_title = |head: usize| match is_shared {
                true => format!("{} {head} · K, V {}", texts.t("head"), problem.heads.key_value_of(head)),
                false => format!("{} {head}", texts.t("head")),
            };
            // About as many across as down, so far as their titles have room.
            let across = ((heads as f64 * 1.5).sqrt().ceil() as usize).min(if is_shared { 5 } else { 8 });
            let blocks = (0..heads).map(|head| {
                let block = of(step, head, "")?;
                Some(if many { block.thumbnail(short_title(head), across) } else { block.named(head_title(head)) })
            });
            let blocks = blocks.collect::<Option<_>>().ok_or(FigureError::NoSuchStep { step: step.key() })?;
            Ok(vec![Line { heading: None, blocks }])
        }
        Subject::Pipeline { head } => {
            let lines = order(problem).into_iter().map(|line| {
                let blocks = line.into_iter().filter_map(|(operator, part)| of(part, head, operator)).collect();
                Line { heading: None, blocks }
            });
            let mut lines: Vec<Line> = lines.collect();
            // The line that differs from head to head says which one it is.
            let own = lines.iter_mut().find(|line| line.blocks.iter().any(|block| block.part == Part::Scores));
            if let Some(own) = own.filter(|_| heads > 1) {
                own.heading = Some(head_title(head));
            }
            Ok(lines)
        }
    }
}

/// The order of the page (`lines` in `ui/panels/workbench.rs`), each part with the operator before it.
fn order(problem: &Problem) -> Vec<Vec<(&'static str, Part)>> {
    use Part::*;
    let mut lines = Vec::new();
    if let Inputs::Projected(_) = &problem.inputs {
        if problem.is_encoded() {
            lines.push(vec![("", XGiven), ("", XKvGiven), ("", Table), ("+", Position)]);
        }
        let before = if problem.is_encoded() { "=" } else { "" };
        lines.push(vec![(before, X), ("×", WQ), ("+", BQ), ("", XKv), ("", WK), ("+", BK), ("", WV), ("+", BV)]);
    }
    lines.push(vec![
        ("", Q),
        ("×", K),
        ("→", QRotated),
        ("", KRotated),
        ("→", QFeatures),
        ("", KFeatures),
        ("", ScoreW),
        ("→", KTransformed),
        ("", ScoreWQ),
        ("", ScoreWK),
        ("→", Hidden),
        ("×", ScoreV),
        ("=", Scores),
        ("→", Scaled),
        ("→", Capped),
        ("", Slopes),
        ("+", Bias),
        ("→", Biased),
        (mask_operator(problem), Mask),
        ("=", Masked),
        ("", Sink),
        ("→", Kept),
        ("→", Weights),
        ("×", V),
        ("=", Context),
    ]);
    if problem.joins_heads() {
        lines.push(vec![("→", Concat), ("×", WO), ("+", BO), ("=", Output)]);
    }
    lines
}
