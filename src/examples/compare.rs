//! Every expected number beside the computed one: reproduced, or where it departs.

use super::read::{Example, Expectation};
use crate::attention::{Place, Trace};

/// One expected number and what was found in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub place: Place,
    pub expected: f64,
    /// NaN when the trace has no such number.
    pub found: f64,
    /// Within the example's tolerance.
    pub agrees: bool,
    /// How the printed digits compare, which is stricter than the tolerance.
    pub digits: Digits,
    pub printed_by_source: bool,
}

/// The expected digits against the found number, at the precision of the printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// The found number, rounded, is what was printed.
    Rounded,
    /// It is what was printed when its digits are cut off instead.
    Truncated,
    /// Another last digit: the source computed with rounded numbers, or erred.
    Depart,
}

/// Compares every expectation of an example with a trace. A step of another shape departs everywhere.
///
/// ```
/// # use attnlab::{attention::solve, examples::{all, compare}};
/// let by_hand = &all()[0];
/// let trace = solve(&by_hand.problem).unwrap();
/// assert!(compare(by_hand, &trace).iter().all(|comparison| comparison.agrees));
/// ```
pub fn compare(example: &Example, trace: &Trace) -> Vec<Comparison> {
    example.expect.iter().flat_map(|expectation| compare_one(example, expectation, trace)).collect()
}

fn compare_one(example: &Example, expectation: &Expectation, trace: &Trace) -> Vec<Comparison> {
    let Expectation { part, head, row: only_row, values, printed_by_source } = expectation;
    let step = trace.get(*part, *head);
    let found_shape = step.map_or((0, 0), |step| step.value.shape());
    let shape_fits = found_shape.1 == values.ncols() && (only_row.is_some() || found_shape.0 == values.nrows());
    let mut comparisons = Vec::with_capacity(values.len());
    for row in 0..values.nrows() {
        for column in 0..values.ncols() {
            let place = Place { part: *part, head: *head, row: only_row.unwrap_or(row), column };
            let found = step.and_then(|step| step.value.get((place.row, column)).copied()).unwrap_or(f64::NAN);
            let expected = values[(row, column)];
            comparisons.push(Comparison {
                place,
                expected,
                found,
                agrees: shape_fits && is_within(expected, found, example.tolerance),
                digits: digits(expected, found, example.decimals),
                printed_by_source: *printed_by_source,
            });
        }
    }
    comparisons
}

/// NaN is within nothing.
fn is_within(expected: f64, found: f64, tolerance: f64) -> bool {
    (expected - found).abs() <= tolerance
}

fn digits(expected: f64, found: f64, decimals: usize) -> Digits {
    // A source that prints more digits of one number (1e-6 beside 0.5) is held to them.
    let shown = format!("{expected}");
    let own = shown.split_once('.').map_or(0, |(_, digits)| digits.len());
    let unit = 10_f64.powi(-(own.max(decimals).min(15) as i32));
    // A thousandth of a unit for the roundings of f64 itself: 0.00005 is not exactly half of 0.0001.
    let slack = unit * 1e-3;
    if is_within(expected, found, unit / 2.0 + slack) {
        Digits::Rounded
    } else if found.abs() >= expected.abs() - slack && found.abs() < expected.abs() + unit && found * expected >= 0.0 {
        Digits::Truncated
    } else {
        Digits::Depart
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_digits_are_rounded_cut_off_or_other() {
        let cases = [
            (0.4810, 0.481_023, Digits::Rounded),
            (0.4810, 0.481_06, Digits::Truncated),
            (-0.4810, -0.481_06, Digits::Truncated),
            (0.4810, 0.480_94, Digits::Depart),
            (0.4810, 0.4812, Digits::Depart),
            (0.4810, f64::NAN, Digits::Depart),
            (2.0, 1.999_97, Digits::Rounded),
            (6.0337e-6, 6.033_72e-6, Digits::Rounded),
            (6.0337e-6, 6.034e-6, Digits::Depart),
        ];
        for (printed, found, expected) in cases {
            assert_eq!(digits(printed, found, 4), expected, "{printed} {found}");
        }
    }
}
