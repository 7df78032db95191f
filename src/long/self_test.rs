//! Whether an engine computes rightly on the machine that it is on: a small tile against f64, before it is trusted.

use super::generate::{Kind, generate};
use super::{Asked, Attended, Engine, LongError, Of, Pool, Rule, Tile};

/// More than two blocks of 64, and not whole ones.
const N: usize = 150;
/// Not a multiple of 8.
const D: usize = 12;
/// Scores here are within ±30.
const ALLOWED: f64 = 1e-5;

/// Compares an engine with plain f64 on 150 tokens of width 12, seen causally, through a window and past padding: outputs
/// (over the largest), maxima, sums (over each sum), and a pooled tile of weights. Returns the largest difference.
///
/// # Errors
/// `Wrong` where a difference is not within 10⁻⁵, NaN included; a length that is wrong; what the engine itself reports.
///
/// ```
/// # use attnlab::long::{Cpu, self_test};
/// assert!(self_test(&Cpu).unwrap() < 1e-5);
/// ```
pub fn self_test(engine: &impl Engine) -> Result<f64, LongError> {
    let generated = generate(Kind::Random, N, D, 1);
    let rules = [
        Rule::default(),
        Rule { causal: true, ..Rule::default() },
        // Rows from 115 on see nothing.
        Rule { left: Some(35), right: Some(20), real: Some(80), ..Rule::default() },
    ];
    let mut largest = 0.0_f64;
    for rule in rules {
        let asked = Asked::new(generated.sequence()?, rule)?;
        let plain = Plain::new(&asked);
        let attended = engine.attend(&asked)?;
        attended.check(&asked)?;
        let pixels = engine.tile(&asked, &attended, &TILE)?;
        if pixels.len() != TILE.height * TILE.width {
            return Err(LongError::Length {
                place: "the tile",
                found: pixels.len(),
                expected: TILE.height * TILE.width,
            });
        }
        for (place, found) in plain.differences(&attended, &pixels) {
            #[allow(clippy::neg_cmp_op_on_partial_ord)] // NaN is wrong too.
            if !(found <= ALLOWED) {
                return Err(LongError::Wrong { place, found, allowed: ALLOWED });
            }
            largest = largest.max(found);
        }
    }
    Ok(largest)
}

/// Across the edges of blocks, four cells a pixel.
const TILE: Tile = Tile { rows: 50..90, keys: 40..80, height: 20, width: 20, pool: Pool::Max, of: Of::Weights };

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

    fn differences(&self, attended: &Attended, pixels: &[f32]) -> [(&'static str, f64); 4] {
        let n = self.sum.len();
        let largest = self.output.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let pixel = |at: usize| {
            let (row, key) = (TILE.rows.start + at / TILE.width * 2, TILE.keys.start + at % TILE.width * 2);
            let cells = [(row, key), (row, key + 1), (row + 1, key), (row + 1, key + 1)];
            cells.into_iter().map(|(row, key)| self.weights[row * n + key]).fold(0.0, f64::max)
        };
        let expected: Vec<f64> = (0..pixels.len()).map(pixel).collect();
        [
            ("the output", difference(&attended.output, &self.output, |_| largest)),
            ("a maximum", difference(&attended.maximum, &self.maximum, |_| 1.0)),
            ("a sum", difference(&attended.sum, &self.sum, |sum| sum.max(1.0))),
            ("the tile", difference(pixels, &expected, |_| 1.0)),
        ]
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
