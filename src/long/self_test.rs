//! Whether an engine computes rightly on the machine that it is on: a small tile against f64, before it is trusted.

use std::ops::Range;

use attnlab_kernel::cells;

use super::generate::{Generated, Kind, generate};
use super::{Asked, Attended, Engine, LongError, Of, Pool, Rule, Tile};

/// More than two blocks of 64, and not whole ones.
const N: usize = 150;
/// Not a multiple of 8.
const D: usize = 12;
/// Scores here are within ±30.
const ALLOWED: f64 = 1e-5;

/// Across the edges of blocks: pixels of four cells, of a hundred, of a thousand.
const TILES: [Tile; 3] = [square(50..90, 40..80, 20), square(20..140, 5..125, 12), square(10..143, 3..137, 4)];

const fn square(rows: Range<usize>, keys: Range<usize>, pixels: usize) -> Tile {
    Tile { rows, keys, height: pixels, width: pixels, pool: Pool::Max, of: Of::Weights }
}

/// Compares an engine with plain f64 on 150 tokens of width 12, seen causally, through a window and past padding: outputs
/// (over the largest), maxima, sums (over each sum), and pooled tiles of weights. Returns the largest difference.
///
/// # Errors
/// `Wrong` where a difference is not within 10⁻⁵, NaN included; a length that is wrong; what the engine itself reports.
///
/// ```
/// # use attnlab::long::{Cpu, self_test};
/// assert!(self_test(&Cpu).unwrap() < 1e-5);
/// ```
pub fn self_test(engine: &impl Engine) -> Result<f64, LongError> {
    let mut largest = 0.0_f64;
    for case in Case::all(D) {
        let asked = case.asked()?;
        let attended = engine.attend(&asked)?;
        let tiles: Result<Vec<_>, _> = case.tiles().iter().map(|tile| engine.tile(&asked, &attended, tile)).collect();
        largest = largest.max(case.check(&attended, &tiles?)?);
    }
    Ok(largest)
}

/// What an engine is tested with that cannot be waited for: the same as `self_test`, step by step.
pub struct Case {
    generated: Generated,
    rule: Rule,
}

impl Case {
    /// For rows of d numbers.
    pub fn all(d: usize) -> Vec<Self> {
        let rules = [
            Rule::default(),
            Rule { causal: true, ..Rule::default() },
            // Rows from 115 on see nothing.
            Rule { left: Some(35), right: Some(20), real: Some(80), ..Rule::default() },
        ];
        rules.into_iter().map(|rule| Case { generated: generate(Kind::Random, N, d, 1), rule }).collect()
    }

    /// # Errors
    /// None for the widths that sequences may have.
    pub fn asked(&self) -> Result<Asked<'_>, LongError> {
        Asked::new(self.generated.sequence()?, self.rule)
    }

    /// What is to be drawn of it.
    pub fn tiles(&self) -> &'static [Tile] {
        &TILES
    }

    /// Holds what an engine gave against f64. Returns the largest difference.
    ///
    /// # Errors
    /// Those of `self_test`.
    pub fn check(&self, attended: &Attended, tiles: &[Vec<f32>]) -> Result<f64, LongError> {
        let asked = self.asked()?;
        attended.check(&asked)?;
        for (tile, pixels) in TILES.iter().zip(tiles) {
            let (found, expected) = (pixels.len(), tile.height * tile.width);
            if found != expected {
                return Err(LongError::Length { place: "the tile", found, expected });
            }
        }
        let mut largest = 0.0_f64;
        for (place, found) in Plain::new(&asked).differences(attended, tiles) {
            #[allow(clippy::neg_cmp_op_on_partial_ord)] // NaN is wrong too.
            if !(found <= ALLOWED) {
                return Err(LongError::Wrong { place, found, allowed: ALLOWED });
            }
            largest = largest.max(found);
        }
        Ok(largest)
    }
}

/// The same in f64, the textbook way.
struct Plain {
    output: Vec<f64>,
    maximum: Vec<f64>,
    sum: Vec<f64>,
    /// n×n, which is small here.
    weights: Vec<f64>,
}

impl Plain {
    fn new(asked: &Asked) -> Self {
        let (sequence, rule, scale) = (asked.sequence(), asked.rule(), f64::from(asked.scale()));
        let (n, d) = (sequence.n(), sequence.d());
        let mut plain = Plain { output: vec![0.0; n * d], maximum: vec![], sum: vec![], weights: vec![0.0; n * n] };
        for row in 0..n {
            let visible = (0..n).filter(|&key| rule.sees(row, key, n));
            let scaled = |key| {
                let products = sequence.q(row).iter().zip(sequence.k(key)).map(|(&q, &k)| f64::from(q) * f64::from(k));
                products.sum::<f64>() * scale
            };
            let maximum = visible.clone().map(scaled).fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = visible.clone().map(|key| (scaled(key) - maximum).exp()).sum();
            for key in visible {
                let weight = (scaled(key) - maximum).exp() / sum;
                plain.weights[row * n + key] = weight;
                for (output, &v) in plain.output[row * d..].iter_mut().zip(sequence.v(key)) {
                    *output += weight * f64::from(v);
                }
            }
            plain.maximum.push(maximum);
            plain.sum.push(sum);
        }
        plain
    }

    fn differences(&self, attended: &Attended, tiles: &[Vec<f32>]) -> Vec<(&'static str, f64)> {
        let largest = self.output.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let mut found = vec![
            ("the output", difference(&attended.output, &self.output, |_| largest)),
            ("a maximum", difference(&attended.maximum, &self.maximum, |_| 1.0)),
            ("a sum", difference(&attended.sum, &self.sum, |sum| sum.max(1.0))),
        ];
        found.extend(TILES.iter().zip(tiles).map(|(tile, pixels)| {
            let expected: Vec<f64> = (0..pixels.len()).map(|at| self.pixel(tile, at)).collect();
            ("the tile", difference(pixels, &expected, |_| 1.0))
        }));
        found
    }

    /// The largest weight below a pixel.
    fn pixel(&self, tile: &Tile, at: usize) -> f64 {
        let n = self.sum.len();
        let (rows, keys) =
            (cells(&tile.rows, at / tile.width, tile.height), cells(&tile.keys, at % tile.width, tile.width));
        rows.flat_map(|row| &self.weights[row * n..][keys.clone()]).fold(0.0, |most, &weight| most.max(weight))
    }
}

/// The largest distance over `unit`; NaN where one number is NaN, 0 where both are the same infinity.
fn difference(found: &[f32], expected: &[f64], unit: impl Fn(f64) -> f64) -> f64 {
    let of = |(&found, &expected): (&f32, &f64)| {
        let found = f64::from(found);
        if found == expected { 0.0 } else { (found - expected).abs() / unit(expected) }
    };
    found.iter().zip(expected).map(of).fold(0.0, |most, x| if x <= most { most } else { x })
}
