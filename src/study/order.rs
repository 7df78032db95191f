//! Order: the same tokens in another order, and whether each output moves with its token.
//!
//! Without positions, and without a mask that depends on them, attention is permutation-equivariant: the outputs are
//! the same, each with its token. (Not invariant: they move.)

use crate::attention::{
    Dropout, Family, Inputs, Mask, MaskApplied, Matrix, Part, Position, Problem, ProblemError, TOLERANCE,
    largest_distance, solve,
};

/// The problem with its tokens in another order: place i holds the token that stood at `order[i]`. The rows of x (or of
/// q, k and v) and the labels move; what belongs to places stays: mask, bias, a table of positions. `None` where queries
/// and keys are not the same tokens, or where `order` does not name every place once.
///
/// ```
/// # use attnlab::{attention::{Inputs, Problem}, study::order::reordered};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1","tokens":["a","b"],
///     "inputs":{"q":[[1],[2]],"k":[[3],[4]],"v":[[5],[6]]}}"#).unwrap();
/// let other = reordered(&problem, &[1, 0]).unwrap();
/// assert_eq!(other.query_labels(), ["b", "a"]);
/// let Inputs::Direct { v, .. } = &other.inputs else { unreachable!() };
/// assert_eq!(v.as_slice(), [6.0, 5.0]);
/// assert_eq!(reordered(&problem, &[0, 0]), None);
/// ```
pub fn reordered(problem: &Problem, order: &[usize]) -> Option<Problem> {
    if !can_be_reordered(problem) || !names_every_place(order, problem.shapes().n) {
        return None;
    }
    let mut other = problem.clone();
    let rows = |matrix: &mut Matrix| *matrix = matrix.select_rows(order);
    match &mut other.inputs {
        Inputs::Direct { q, k, v } => [q, k, v].into_iter().for_each(rows),
        Inputs::Projected(given) => rows(&mut given.x),
    }
    let labels = problem.query_labels();
    other.tokens = Some(order.iter().map(|&token| labels[token].clone()).collect());
    Some(other)
}

/// Whether queries and keys are the same tokens.
pub fn can_be_reordered(problem: &Problem) -> bool {
    let shapes = problem.shapes();
    !problem.is_cross() && shapes.n == shapes.m
}

fn names_every_place(order: &[usize], n: usize) -> bool {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..n)
}

/// What ties a number to a place, so that outputs may change with the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    Position,
    Mask,
    Bias,
    Dropout,
}

impl Tie {
    pub const ALL: [Self; 4] = [Self::Position, Self::Mask, Self::Bias, Self::Dropout];

    /// The name in texts, as `tie-<key>`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Mask => "mask",
            Self::Bias => "bias",
            Self::Dropout => "dropout",
        }
    }
}

/// The problem with this tie and none of the others.
fn alone(problem: &Problem, tie: Tie) -> Problem {
    let keep = |of: Tie| of == tie;
    let family = problem.family.clone();
    let family = Family {
        position: if keep(Tie::Position) { family.position } else { Position::None },
        bias: if keep(Tie::Bias) { family.bias } else { None },
        dropout: if keep(Tie::Dropout) { family.dropout } else { Dropout::default() },
        ..family
    };
    let (mask, mask_applied) = if keep(Tie::Mask) {
        (problem.mask.clone(), problem.mask_applied)
    } else {
        (Mask::default(), MaskApplied::default())
    };
    Problem { family, mask, mask_applied, ..problem.clone() }
}

/// Two orders of the same tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// n×d_out: a row each in the order of before, and in that of after.
    pub before: Matrix,
    pub after: Matrix,
    /// For each place of the new order, how far its output lies from what the same token got before.
    pub differences: Vec<f64>,
    /// The largest of them.
    pub difference: f64,
    /// Whether every output moved with its token (to `TOLERANCE` of the largest output).
    pub moves_along: bool,
    /// What alone would break it for this order.
    pub ties: Vec<Tie>,
}

/// Computes a problem in both orders. `None` where it cannot be reordered so.
///
/// # Errors
/// A step that overflows in either order.
///
/// ```
/// # use attnlab::{attention::Problem, study::order::{compare, Tie}};
/// let read = |more: &str| Problem::from_json(&format!(r#"{{"format":"attnlab/1",{more}
///     "inputs":{{"q":[[1],[2],[0.5]],"k":[[1],[2],[-1]],"v":[[1],[3],[9]]}}}}"#)).unwrap();
/// assert!(compare(&read(""), &[2, 1, 0]).unwrap().unwrap().moves_along);
/// let causal = compare(&read(r#""mask":{"causal":"upper_left"},"#), &[2, 1, 0]).unwrap().unwrap();
/// assert_eq!((causal.moves_along, causal.ties), (false, vec![Tie::Mask]));
/// ```
pub fn compare(problem: &Problem, order: &[usize]) -> Option<Result<Compared, Vec<ProblemError>>> {
    let other = reordered(problem, order)?;
    Some(outputs(problem).and_then(|before| Ok((before, outputs(&other)?))).map(|(before, after)| {
        let moved = before.select_rows(order);
        let differences: Vec<f64> = (0..order.len())
            .map(|place| largest_distance(&moved.rows(place, 1).into_owned(), &after.rows(place, 1).into_owned()))
            .collect();
        let difference = largest_distance(&moved, &after);
        let moves_along = is_same(&moved, &after);
        let breaks = |tie: &Tie| breaks_alone(&alone(problem, *tie), order);
        let ties = if moves_along { Vec::new() } else { Tie::ALL.into_iter().filter(breaks).collect() };
        Compared { before, after, differences, difference, moves_along, ties }
    }))
}

fn outputs(problem: &Problem) -> Result<Matrix, Vec<ProblemError>> {
    let trace = solve(problem)?;
    Ok(trace.get(Part::Output, 0).map_or_else(|| Matrix::zeros(0, 0), |step| step.value.clone()))
}

fn is_same(moved: &Matrix, after: &Matrix) -> bool {
    largest_distance(moved, after) <= TOLERANCE * moved.amax().max(1.0)
}

fn breaks_alone(problem: &Problem, order: &[usize]) -> bool {
    let Some(other) = reordered(problem, order) else { return false };
    match (outputs(problem), outputs(&other)) {
        (Ok(before), Ok(after)) => !is_same(&before.select_rows(order), &after),
        _ => false,
    }
}
