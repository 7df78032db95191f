//! Every claimed number beside the computed one, at the precision that it was printed with.

use crate::attention::{Matrix, Part, Place, Trace};
use crate::exchange::Block;
use nalgebra::DMatrix;

/// Numbers that are claimed of one step, or of one row of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    pub part: Part,
    /// A query head; 0 for what is there once.
    pub head: usize,
    /// `None`: the whole matrix. Else `values` is that row alone.
    pub row: Option<usize>,
    pub values: Matrix,
    /// To how many digits after the point each was printed; of the shape of `values`.
    pub decimals: DMatrix<i32>,
}

impl Claim {
    /// A pasted block as a claim.
    ///
    /// ```
    /// # use attnlab::{attention::Part, claim::Claim, exchange::read_block};
    /// let claim = Claim::of(&read_block("0.2918 0.4810 0.2272").unwrap(), Part::Weights, 0, Some(1));
    /// assert_eq!((claim.values.shape(), claim.decimals[(0, 1)]), ((1, 3), 4));
    /// ```
    pub fn of(block: &Block, part: Part, head: usize, row: Option<usize>) -> Claim {
        Claim { part, head, row, values: block.values.clone(), decimals: block.decimals.clone() }
    }
}

/// How a claimed number compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matches {
    /// The computed number, rounded, is what was printed.
    Rounded,
    /// It is what was printed when its digits are cut off instead.
    Truncated,
    Departs,
}

impl Matches {
    pub const ALL: [Self; 3] = [Self::Rounded, Self::Truncated, Self::Departs];

    /// The name under which its text is found, as `match-<key>`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Rounded => "rounded",
            Self::Truncated => "truncated",
            Self::Departs => "departs",
        }
    }
}

/// One claimed number and what was computed in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct CellMatch {
    pub place: Place,
    pub claimed: f64,
    pub found: f64,
    pub decimals: i32,
    pub matches: Matches,
}

/// All cells of a claim, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub cells: Vec<CellMatch>,
}

impl Verdict {
    pub fn count(&self, matches: Matches) -> usize {
        self.cells.iter().filter(|cell| cell.matches == matches).count()
    }

    /// Whether every number is the computed one, rounded.
    pub fn agrees(&self) -> bool {
        self.count(Matches::Rounded) == self.cells.len()
    }

    /// Whether every number is the computed one with its further digits cut off. (Where rounding up and cutting off
    /// differ, the number must be the one that was cut off.)
    pub fn agrees_cut_off(&self) -> bool {
        self.cells.iter().all(|cell| is_cut_off(cell.claimed, cell.found, cell.decimals))
    }

    pub fn departing(&self) -> impl Iterator<Item = &CellMatch> {
        self.cells.iter().filter(|cell| cell.matches == Matches::Departs)
    }
}

/// A claim that no number of the trace can be held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeMismatch {
    /// Rows and columns.
    #[error("the shape is {}×{}, expected {}×{}", found.0, found.1, expected.0, expected.1)]
    Shape { found: (usize, usize), expected: (usize, usize) },
    /// The trace has no such step, head or row.
    #[error("there is no such step")]
    NoStep,
}

impl ShapeMismatch {
    pub const KEYS: [&'static str; 2] = ["shape", "no-step"];

    /// The name under which its text is found, as `claim-<key>`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Shape { .. } => "shape",
            Self::NoStep => "no-step",
        }
    }

    /// What a translation fills in: `found` and `expected` where there are such.
    pub fn args(self) -> Vec<(&'static str, String)> {
        let written = |(rows, columns): (usize, usize)| format!("{rows}×{columns}");
        match self {
            Self::Shape { found, expected } => vec![("found", written(found)), ("expected", written(expected))],
            Self::NoStep => Vec::new(),
        }
    }
}

/// Compares every claimed number with the trace, each at the precision of its own printing.
///
/// # Errors
/// When the trace has no such step or row, or it has another shape.
///
/// ```
/// # use attnlab::{attention::{Part, Problem, solve}, claim::{Claim, Matches, compare}, exchange::read_block};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[0.5]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#).unwrap();
/// let claim = Claim::of(&read_block("0.2917 0.48 0.2270").unwrap(), Part::Weights, 0, None);
/// let verdict = compare(&claim, &solve(&problem).unwrap()).unwrap();
/// let matches: Vec<Matches> = verdict.cells.iter().map(|cell| cell.matches).collect();
/// assert_eq!(matches, [Matches::Truncated, Matches::Rounded, Matches::Departs]);
/// ```
pub fn compare(claim: &Claim, trace: &Trace) -> Result<Verdict, ShapeMismatch> {
    let step = trace.get(claim.part, claim.head).ok_or(ShapeMismatch::NoStep)?;
    compare_with(claim, &step.value)
}

/// The same with the numbers of the step, however they were computed.
pub(super) fn compare_with(claim: &Claim, step: &Matrix) -> Result<Verdict, ShapeMismatch> {
    let found = claim.values.shape();
    let expected = match claim.row {
        Some(row) if row >= step.nrows() => return Err(ShapeMismatch::NoStep),
        Some(_) => (1, step.ncols()),
        None => step.shape(),
    };
    if found != expected || claim.decimals.shape() != found {
        return Err(ShapeMismatch::Shape { found, expected });
    }
    let mut cells = Vec::with_capacity(claim.values.len());
    for row in 0..found.0 {
        for column in 0..found.1 {
            let place = Place { part: claim.part, head: claim.head, row: claim.row.unwrap_or(row), column };
            let (claimed, decimals) = (claim.values[(row, column)], claim.decimals[(row, column)]);
            let found = step[(place.row, column)];
            cells.push(CellMatch { place, claimed, found, decimals, matches: matches(claimed, found, decimals) });
        }
    }
    Ok(Verdict { cells })
}

fn matches(claimed: f64, found: f64, decimals: i32) -> Matches {
    // Minus infinity, where something is hidden, is near nothing but itself.
    if !found.is_finite() {
        return if claimed == found { Matches::Rounded } else { Matches::Departs };
    }
    if (claimed - found).abs() <= unit(decimals) / 2.0 + slack(found, decimals) {
        Matches::Rounded
    } else if is_cut_off(claimed, found, decimals) {
        Matches::Truncated
    } else {
        Matches::Departs
    }
}

/// Cut off towards zero: the found number lies beyond the claimed one, by less than a unit.
fn is_cut_off(claimed: f64, found: f64, decimals: i32) -> bool {
    if !found.is_finite() {
        return claimed == found;
    }
    let slack = slack(found, decimals);
    let beyond = found.abs() - claimed.abs();
    found * claimed >= 0.0 && beyond >= -slack && beyond <= unit(decimals) + slack
}

/// One unit of the last printed digit.
pub(super) fn unit(decimals: i32) -> f64 {
    10_f64.powi(decimals.saturating_neg())
}

/// A thousandth of a unit, and what the roundings of f64 add up to: 0.00005 is not exactly half of 0.0001.
fn slack(found: f64, decimals: i32) -> f64 {
    unit(decimals) * 1e-3 + 1e-12 * found.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_held_to_its_own_digits() {
        let cases = [
            (0.4810, 0.481_023, 4, Matches::Rounded),
            (0.4810, 0.481_06, 4, Matches::Truncated),
            (-0.4810, -0.481_06, 4, Matches::Truncated),
            (0.4810, 0.480_94, 4, Matches::Departs),
            (0.4812, 0.481_06, 4, Matches::Departs),
            (0.0, -0.000_09, 4, Matches::Truncated),
            (5000.0, 5499.0, -3, Matches::Rounded),
            (5000.0, 5999.0, -3, Matches::Truncated),
            (1.0 / 3.0, 1.0 / 3.0, 17, Matches::Rounded),
            (0.333, 1.0 / 3.0, 17, Matches::Departs),
            (f64::NEG_INFINITY, f64::NEG_INFINITY, 17, Matches::Rounded),
            (0.0, f64::NEG_INFINITY, 0, Matches::Departs),
            (0.0, f64::NAN, 0, Matches::Departs),
            (f64::NAN, 0.0, 0, Matches::Departs),
        ];
        for (claimed, found, decimals, expected) in cases {
            assert_eq!(matches(claimed, found, decimals), expected, "{claimed} {found} {decimals}");
        }
    }
}
