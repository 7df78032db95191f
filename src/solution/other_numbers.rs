//! Other numbers of the same difficulty: the same grid and range in every given matrix, all else as it was.

use crate::attention::{Matrix, Part, Problem, SplitMix64, whole_bias_mut, whole_matrix_mut};

/// The problem with other numbers, which the seed decides: shapes, mask, scale, slopes, cap, sinks and labels stay, and
/// every given matrix keeps its grid (whole numbers stay whole, halves stay halves) and the range of its numbers. No row
/// of several numbers is all equal, and not all rows of a matrix are the same. A matrix of one number only keeps it.
///
/// ```
/// # use attnlab::{attention::Problem, solution::other_numbers};
/// let text = r#"{"format":"attnlab/1","inputs":{"q":[[0.5,2]],"k":[[1,-2],[2,0]],"v":[[0.5],[1]]}}"#;
/// let problem = Problem::from_json(text).unwrap();
/// assert_eq!(other_numbers(&problem, 1), other_numbers(&problem, 1));
/// assert_ne!(other_numbers(&problem, 1), other_numbers(&problem, 2));
/// ```
pub fn other_numbers(problem: &Problem, seed: u64) -> Problem {
    // A small problem may be drawn as it was; then the draws go on.
    const MOST_DRAWS: usize = 100;
    let mut random = SplitMix64(seed);
    let mut other = problem.clone();
    for _ in 0..MOST_DRAWS {
        for part in Part::ALL.into_iter().filter(|part| is_drawn(problem, *part)) {
            if let (Part::Bias, Some(bias)) = (part, &mut other.family.bias) {
                // Each head's on its own grid.
                *bias = bias.map(|matrix| drawn_like(&matrix, &mut random));
            } else if let Some(whole) = whole_matrix_mut(&mut other, part) {
                *whole = drawn_like(whole, &mut random);
            } else if let Some(bias) = whole_bias_mut(&mut other, part) {
                draw_list(bias, &mut random);
            }
        }
        if other.family.dropout.p > 0.0 {
            other.family.dropout.seed = (random.next() % 1000) as usize;
        }
        if other != *problem {
            break;
        }
    }
    other
}

/// Slopes and sinks stay as they are, like the cap.
fn is_drawn(problem: &Problem, part: Part) -> bool {
    part.is_input(problem) && !matches!(part, Part::Slopes | Part::Sink)
}

fn draw_list(list: &mut [f64], random: &mut SplitMix64) {
    let drawn = drawn_like(&Matrix::from_row_slice(1, list.len(), list), random);
    list.copy_from_slice(drawn.as_slice());
}

fn drawn_like(given: &Matrix, random: &mut SplitMix64) -> Matrix {
    let least = given.iter().copied().fold(f64::INFINITY, f64::min);
    let most = given.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Nothing can be drawn between a number and itself. (Nor where one of them is not finite.)
    if !(most - least).is_finite() || most <= least {
        return given.clone();
    }
    let grid = grid_of(given);
    loop {
        let mut drawn = Matrix::zeros(given.nrows(), given.ncols());
        for row in 0..given.nrows() {
            loop {
                // In the order in which a matrix is read.
                for column in 0..given.ncols() {
                    drawn[(row, column)] = grid.draw(least, most, random);
                }
                let first = drawn[(row, 0)];
                if given.ncols() == 1 || drawn.row(row).iter().any(|&number| number != first) {
                    break;
                }
            }
        }
        if given.nrows() == 1 || drawn.row_iter().any(|row| row != drawn.row(0)) {
            return drawn;
        }
    }
}

/// Steps that numbers in exercises have, the widest first, each as the number of steps in 1: a draw is then the very
/// number that a person would write (3 / 10, where 3 · 0.1 is not 0.3).
const STEPS_IN_ONE: [f64; 16] =
    [1.0, 2.0, 4.0, 5.0, 10.0, 20.0, 40.0, 50.0, 100.0, 200.0, 500.0, 1e3, 1e4, 1e5, 1e6, 1e8];

/// What all numbers are multiples of. `None` where they share no such step: then only the range is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grid {
    steps_in_one: Option<f64>,
}

fn grid_of(given: &Matrix) -> Grid {
    let is_on = |&steps_in_one: &f64| {
        given.iter().all(|&value| {
            let steps = (value * steps_in_one).round();
            steps.abs() < 1e15 && steps / steps_in_one == value
        })
    };
    Grid { steps_in_one: STEPS_IN_ONE.into_iter().find(is_on) }
}

impl Grid {
    /// A number between the two, both of which can be drawn.
    fn draw(self, least: f64, most: f64, random: &mut SplitMix64) -> f64 {
        let Some(steps_in_one) = self.steps_in_one else { return least + (most - least) * random.uniform() };
        let first = (least * steps_in_one).round();
        let count = (most * steps_in_one).round() - first + 1.0;
        (first + (random.uniform() * count).floor().min(count - 1.0)) / steps_in_one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_the_widest_that_fits() {
        let of = |numbers: &[f64]| grid_of(&Matrix::from_row_slice(1, numbers.len(), numbers)).steps_in_one;
        assert_eq!(of(&[1.0, -3.0]), Some(1.0));
        assert_eq!(of(&[0.5, 2.0]), Some(2.0));
        assert_eq!(of(&[0.3, 0.1]), Some(10.0));
        assert_eq!(of(&[0.43, 0.15]), Some(100.0));
        assert_eq!(of(&[1.0 / 3.0]), None);
    }
}
