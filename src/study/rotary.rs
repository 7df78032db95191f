//! Rotary positions (RoPE): what a score makes of a distance, which angles training never met, and that a shift of all
//! positions changes nothing.
//!
//! Su et al. 2021, "RoFormer"; position interpolation: Chen et al. 2023; NTK-aware scaling: bloc97 2023.

use crate::attention::{Matrix, Part, Position, Problem, ProblemError, Rope, Scaling, Trace, largest_distance, solve};
use std::f64::consts::TAU;

/// How two angles may differ and still be the same: under NTK scaling the last pair's are equal but for rounding.
const SAME_ANGLE: f64 = 1e-9;

/// The angle by which pair i of a vector of width `d` is turned at this position.
///
/// ```
/// # use attnlab::{attention::Rope, study::rotary::angle};
/// assert_eq!(angle(&Rope::default(), 0, 8, 3.0), 3.0);
/// ```
pub fn angle(rope: &Rope, pair: usize, d: usize, position: f64) -> f64 {
    rope.scaled_position(position) * rope.theta(pair, d)
}

/// A pair (a, b) turned by an angle: (a cos − b sin, a sin + b cos).
pub fn turned([a, b]: [f64; 2], angle: f64) -> [f64; 2] {
    let (sin, cos) = angle.sin_cos();
    [a * cos - b * sin, a * sin + b * cos]
}

/// q · k at this distance where every pair of both holds the same content: Σ cos(distance · θ_i), divided by the number
/// of pairs.
///
/// ```
/// # use attnlab::{attention::Rope, study::rotary::score};
/// assert_eq!(score(&Rope::default(), 64, 0), 1.0);
/// assert!(score(&Rope::default(), 64, 100) < 0.6);
/// ```
pub fn score(rope: &Rope, d: usize, distance: usize) -> f64 {
    let pairs = (d / 2).max(1);
    let far = rope.scaled_position(distance as f64) - rope.scaled_position(0.0);
    (0..pairs).map(|pair| (far * rope.theta(pair, d)).cos()).sum::<f64>() / pairs as f64
}

/// The angles of one pair: up to the trained length as it was trained, and up to the length that is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairAngles {
    pub pair: usize,
    /// Radians that the pair turns over the trained length, without scaling.
    pub trained: f64,
    /// Radians that it turns over the asked length, scaled.
    pub asked: f64,
}

impl PairAngles {
    /// Whether it meets angles that training never met: it made no full turn then, and goes further now.
    pub fn is_new(&self) -> bool {
        self.trained < TAU && self.asked > self.trained * (1.0 + SAME_ANGLE)
    }

    /// How many times as far it goes.
    pub fn times(&self) -> f64 {
        self.asked / self.trained
    }
}

/// Every pair of a vector of width `d`, trained without scaling on one length and asked for another one.
///
/// ```
/// # use attnlab::attention::{Rope, Scaling};
/// # use attnlab::study::rotary::pair_angles;
/// let new = |scaling| {
///     let rope = Rope { scaling, ..Rope::default() };
///     pair_angles(&rope, 64, 512, 1024).into_iter().filter(|pair| pair.is_new()).count()
/// };
/// assert_eq!(new(Scaling::None), 16);
/// assert_eq!(new(Scaling::Linear { factor: 2.0 }), 0);
/// assert_eq!(new(Scaling::Ntk { factor: 2.0 }), 15);
/// ```
pub fn pair_angles(rope: &Rope, d: usize, trained: usize, asked: usize) -> Vec<PairAngles> {
    let plain = Rope { scaling: Scaling::None, ..*rope };
    let over = |rope: &Rope, pair: usize, length: usize| {
        (rope.scaled_position(length as f64) - rope.scaled_position(0.0)) * rope.theta(pair, d)
    };
    let of = |pair| PairAngles { pair, trained: over(&plain, pair, trained), asked: over(rope, pair, asked) };
    (0..d / 2).map(of).collect()
}

/// The same problem with every position shifted; `None` without RoPE.
pub fn shifted(problem: &Problem, by: f64) -> Option<Problem> {
    let mut problem = problem.clone();
    let Position::Rope(rope) = &mut problem.family.position else { return None };
    rope.offset += by;
    Some(problem)
}

/// The scores of one head before and after a shift of all positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Shifted {
    /// n×m each.
    pub before: Matrix,
    pub after: Matrix,
    /// The largest |Δ| over all heads.
    pub difference: f64,
    /// The largest |score|, against which rounding is measured.
    pub size: f64,
}

/// Shifts every position of a problem with RoPE and computes its scores again; `None` without RoPE or such a head.
///
/// # Errors
/// A step that overflows.
///
/// ```
/// # use attnlab::study::rotary::{example, shift_positions};
/// let shifted = shift_positions(&example(), 0, 100.0).unwrap().unwrap();
/// assert!(shifted.difference <= 1e-12);
/// ```
pub fn shift_positions(problem: &Problem, head: usize, by: f64) -> Option<Result<Shifted, Vec<ProblemError>>> {
    let moved = shifted(problem, by)?;
    if head >= problem.heads.query {
        return None;
    }
    Some(solve(problem).and_then(|before| Ok((before, solve(&moved)?))).map(|(before, after)| {
        let scores = |trace: &Trace, head| match trace.get(Part::Scores, head) {
            Some(step) => step.value.clone(),
            None => Matrix::zeros(0, 0),
        };
        let heads = 0..problem.heads.query;
        let differences = heads.map(|head| {
            let (before, after) = (scores(&before, head), scores(&after, head));
            (largest_distance(&before, &after), before.amax())
        });
        let (difference, size) = differences.fold((0.0f64, 0.0f64), |(most, size), (difference, amax)| {
            // A NaN is kept, so that it cannot pass for nothing.
            (if difference > most || difference.is_nan() { difference } else { most }, size.max(amax))
        });
        Shifted { before: scores(&before, head), after: scores(&after, head), difference, size }
    }))
}

/// A small problem with RoPE, made by hand: three tokens, four columns.
///
/// # Panics
/// If the text below cannot be read, which a test rules out.
pub fn example() -> Problem {
    Problem::from_json(
        r#"{"format":"attnlab/1","position":{"kind":"rope"},
            "inputs":{"q":[[1,0,0.5,0.5],[0,1,1,0],[1,1,0,-1]],"k":[[1,0,0.5,0.5],[0,1,1,0],[1,1,0,-1]],
                      "v":[[1,0],[0,1],[1,1]]}}"#,
    )
    .expect("the example is read in the tests")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::{Inputs, Layout};

    #[test]
    fn the_pairs_of_the_topic_are_named_and_ntk_goes_at_most_1_4_times_as_far() {
        let new = |scaling| -> Vec<PairAngles> {
            let rope = Rope { scaling, ..Rope::default() };
            pair_angles(&rope, 64, 512, 1024).into_iter().filter(PairAngles::is_new).collect()
        };
        let names = |pairs: &[PairAngles]| pairs.iter().map(|pair| pair.pair).collect::<Vec<_>>();
        assert_eq!(names(&new(Scaling::None)), (16..32).collect::<Vec<_>>());
        assert!(new(Scaling::None).iter().all(|pair| (pair.times() - 2.0).abs() <= 1e-12));
        assert!(new(Scaling::Linear { factor: 2.0 }).is_empty());
        let ntk = new(Scaling::Ntk { factor: 2.0 });
        assert_eq!(names(&ntk), (16..31).collect::<Vec<_>>());
        let most = ntk.iter().map(PairAngles::times).fold(0.0, f64::max);
        assert!((most - 2f64.powf(15.0 / 31.0)).abs() <= 1e-12, "{most}");
    }

    #[test]
    fn linear_scaling_by_the_factor_asked_is_the_trained_curve_drawn_out() {
        let linear = Rope { scaling: Scaling::Linear { factor: 2.0 }, ..Rope::default() };
        for distance in 0..512 {
            let difference = score(&linear, 64, 2 * distance) - score(&Rope::default(), 64, distance);
            assert!(difference.abs() <= 1e-12, "{distance}: {difference}");
        }
    }

    #[test]
    fn a_shift_changes_no_score_and_a_turned_query_alone_does() {
        for layout in [Layout::Interleaved, Layout::HalfSplit] {
            let mut problem = example();
            problem.family.position = Position::Rope(Rope { layout, ..Rope::default() });
            for by in [1.0, 7.5, 1000.0] {
                let found = shift_positions(&problem, 0, by).unwrap().unwrap();
                assert!(found.difference <= 1e-12 * found.size.max(1.0), "{by}: {}", found.difference);
            }
            // The control: where only the queries move, so do the scores.
            let before = solve(&problem).unwrap();
            let mut longer = problem.clone();
            let Inputs::Direct { k, v, .. } = &mut longer.inputs else { unreachable!() };
            (*k, *v) = (k.clone().insert_row(0, 0.0), v.clone().insert_row(0, 0.0));
            let after = solve(&longer).unwrap();
            let scores = |trace: &Trace| trace.get(Part::Scores, 0).unwrap().value.clone();
            assert!(largest_distance(&scores(&before), &scores(&after).columns(0, 3).into_owned()) > 0.01);
        }
        assert!(shift_positions(&Problem { family: Default::default(), ..example() }, 0, 1.0).is_none());
    }

    #[test]
    fn a_pair_is_turned_by_its_angle() {
        let [a, b] = turned([1.0, 0.0], TAU / 4.0);
        assert!(a.abs() <= 1e-15 && (b - 1.0).abs() <= 1e-15);
        assert!((angle(&Rope::default(), 1, 4, 100.0) - 1.0).abs() <= 1e-12);
    }
}
