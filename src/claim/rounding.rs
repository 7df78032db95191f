//! What the printing of the given numbers leaves open.
//!
//! A number that was printed as 0.2961 was somewhere within half a unit of its last digit. To first order a cell may
//! then differ by Σ |∂cell/∂input| · half a unit, and a claim within that contradicts nothing.

use super::compare::{Claim, Matches, Verdict, unit};
use super::twist;
use crate::attention::{Part, Place, Problem, whole_bias, whole_bias_mut, whole_matrix, whole_matrix_mut};

/// Inputs of fewer digits are taken as exact: 0.5 and 2 are chosen, 0.2961 was printed.
const FEWEST_DIGITS: i32 = 3;
/// An input of more digits is exact for every purpose here.
const MOST_DIGITS: i32 = 12;

/// One departing number, and how far the rounding of the inputs may have moved it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    pub place: Place,
    /// How far the computed number is from the nearest one that would have been printed so.
    pub beyond: f64,
    /// What half a unit of every given number may move it, to first order.
    pub allowed: f64,
}

/// One allowance for each departing cell (or cut-off one: it too is not the rounded number), when each explains its
/// cell. Derivatives are central differences. `None` when one does not, when no input was rounded, or when inputs ×
/// work of a solution is more than `most_work`.
pub(super) fn allowances(
    claim: &Claim,
    problem: &Problem,
    verdict: &Verdict,
    most_work: usize,
) -> Option<Vec<Allowance>> {
    let departing: Vec<(Place, f64)> = verdict
        .cells
        .iter()
        .filter(|cell| cell.matches != Matches::Rounded)
        .map(|cell| (cell.place, (cell.claimed - cell.found).abs() - unit(cell.decimals) / 2.0))
        .collect();
    let rounded: Vec<Input> = inputs(problem);
    if departing.is_empty() || rounded.is_empty() || rounded.len().saturating_mul(twist::work(problem)) > most_work {
        return None;
    }
    let mut allowed = vec![0.0; departing.len()];
    for input in rounded {
        // The difference over the whole uncertainty is the derivative times it.
        let moved = |by: f64| twist::step(&input.moved(problem, by)?, claim.part, claim.head, &[]);
        let (up, down) = (moved(input.half_unit)?, moved(-input.half_unit)?);
        for (allowed, (place, _)) in allowed.iter_mut().zip(&departing) {
            *allowed += (up[(place.row, place.column)] - down[(place.row, place.column)]).abs() / 2.0;
        }
    }
    let cells: Vec<Allowance> = departing
        .into_iter()
        .zip(allowed)
        .map(|((place, beyond), allowed)| Allowance { place, beyond, allowed })
        .collect();
    cells.iter().all(|cell| cell.beyond <= cell.allowed).then_some(cells)
}

/// One rounded number of the problem.
struct Input {
    part: Part,
    row: usize,
    column: usize,
    half_unit: f64,
}

impl Input {
    fn moved(&self, problem: &Problem, by: f64) -> Option<Problem> {
        let mut moved = problem.clone();
        match whole_matrix_mut(&mut moved, self.part) {
            Some(whole) => *whole.get_mut((self.row, self.column))? += by,
            None => *whole_bias_mut(&mut moved, self.part)?.get_mut(self.column)? += by,
        }
        Some(moved)
    }
}

/// The numbers of the matrices that were printed with rounded digits. A matrix is printed with the same digits
/// throughout, so its most exact number tells them: 0.074 beside 0.2961 was 0.0740.
fn inputs(problem: &Problem) -> Vec<Input> {
    let parts = Part::ALL.into_iter().filter(|part| part.is_input(problem));
    let mut inputs = Vec::new();
    for part in parts {
        let numbers: Vec<((usize, usize), f64)> = match (whole_matrix(problem, part), whole_bias(problem, part)) {
            (Some(whole), _) => {
                let places = (0..whole.nrows()).flat_map(|row| (0..whole.ncols()).map(move |column| (row, column)));
                places.map(|place| (place, whole[place])).collect()
            }
            (None, Some(bias)) => bias.iter().enumerate().map(|(column, &value)| ((0, column), value)).collect(),
            (None, None) => continue,
        };
        let digits = numbers.iter().map(|&(_, value)| decimals(value)).max().unwrap_or(0);
        if (FEWEST_DIGITS..=MOST_DIGITS).contains(&digits) {
            let half_unit = unit(digits) / 2.0;
            inputs.extend(numbers.into_iter().map(|((row, column), _)| Input { part, row, column, half_unit }));
        }
    }
    inputs
}

/// Digits after the point of the shortest text that reads back as the number.
fn decimals(value: f64) -> i32 {
    let text = format!("{value}");
    text.split_once('.').map_or(0, |(_, digits)| digits.len() as i32)
}
