//! Long sequences with something to find in them, each from a seed.

use super::{LongError, Sequence};
use crate::attention::SplitMix64;

/// What there is to find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Normal numbers: scaled scores of variance 1, nothing to find.
    Random,
    /// The last query looks for the key at `at` and gives it nearly all its weight; all other numbers are random.
    Needle { at: usize },
    /// Each query looks at keys within about `reach` of it, and at the first `sinks` keys (Xiao et al. 2023,
    /// "Efficient streaming language models with attention sinks"). Needs d ≥ 3 for the former.
    Local { reach: usize, sinks: usize },
    /// A text of `period` tokens, again and again; each token looks for what came after it before (Olsson et al. 2022,
    /// induction heads): query i finds key i + 1 − period, and every such key of another repetition.
    Induction { period: usize },
    /// Documents of `length` tokens side by side, each looking at itself: blocks on the diagonal.
    Documents { length: usize },
    /// The same content everywhere, turned by RoPE with base 10,000, interleaved: only the distance makes a difference.
    Rope,
}

/// Numbers of a sequence, n×d each.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    pub n: usize,
    pub d: usize,
    pub q: Vec<f32>,
    pub k: Vec<f32>,
    pub v: Vec<f32>,
}

impl Generated {
    /// # Errors
    /// No token, or a width outside 1..=256.
    pub fn sequence(&self) -> Result<Sequence<'_>, LongError> {
        Sequence::new(self.n, self.d, &self.q, &self.k, &self.v)
    }
}

/// n tokens of width d. The same seed gives the same numbers; lengths in `kind` that are 0 count as 1.
///
/// ```
/// # use attnlab::long::generate::{Kind, generate};
/// # use attnlab::long::{Asked, Cpu, Engine, Rule};
/// let haystack = generate(Kind::Needle { at: 300 }, 1000, 16, 7);
/// let asked = Asked::new(haystack.sequence()?, Rule { causal: true, ..Rule::default() })?;
/// assert!(Cpu.attend(&asked)?.weight(&asked, 999, 300).unwrap() > 0.9);
/// # Ok::<(), attnlab::long::LongError>(())
/// ```
pub fn generate(kind: Kind, n: usize, d: usize, seed: u64) -> Generated {
    let mut random = SplitMix64(seed);
    let mut rows = |count: usize| (0..count * d).map(|_| random.normal() as f32).collect::<Vec<f32>>();
    let (q, k, v) = (rows(n), rows(n), rows(n));
    let mut generated = Generated { n, d, q, k, v };
    if n == 0 || d == 0 {
        return generated;
    }
    match kind {
        Kind::Random => {}
        Kind::Needle { at } => generated.needle(at.min(n - 1), &unit(d, &mut random)),
        Kind::Local { reach, sinks } => generated.local(reach.max(1), sinks, &mut random),
        Kind::Induction { period } => generated.induction(period.max(1), &mut random),
        Kind::Documents { length } => generated.documents(length.max(1), &mut random),
        Kind::Rope => generated.rope(&mut random),
    }
    generated
}

impl Generated {
    /// The factor of q·k, over unit vectors, that lets one key of n stand out with a weight of about 1 − e⁻⁶.
    fn strength(&self) -> f32 {
        (((self.n as f64).ln() + 6.0) * (self.d as f64).sqrt()) as f32
    }

    fn needle(&mut self, at: usize, direction: &[f32]) {
        // No other key points that way at all.
        for key in self.k.chunks_exact_mut(self.d) {
            let along: f32 = key.iter().zip(direction).map(|(x, u)| x * u).sum();
            key.iter_mut().zip(direction).for_each(|(x, u)| *x -= along * u);
        }
        self.k[at * self.d..][..self.d].copy_from_slice(direction);
        let strength = self.strength();
        let last = (self.n - 1) * self.d;
        self.q[last..].iter_mut().zip(direction).for_each(|(x, u)| *x = strength * u);
    }

    /// The position as cosines and sines of random frequencies: their products are large only at a small distance
    /// (Rahimi and Recht 2007). The last column is the sinks'.
    fn local(&mut self, reach: usize, sinks: usize, random: &mut SplitMix64) {
        let pairs = (self.d - 1) / 2;
        let frequencies: Vec<f64> = (0..pairs).map(|_| random.normal() / reach as f64).collect();
        let strength = self.strength();
        // About `reach` keys are near: a sink alone weighs as much as they do together.
        let towards_sinks = ((reach as f64).ln() * (self.d as f64).sqrt()) as f32;
        let size = 1.0 / (pairs.max(1) as f64).sqrt();
        for row in 0..self.n {
            let (q, k) = (&mut self.q[row * self.d..][..self.d], &mut self.k[row * self.d..][..self.d]);
            k.fill(0.0);
            for (pair, frequency) in frequencies.iter().enumerate() {
                let (sin, cos) = (row as f64 * frequency).sin_cos();
                k[2 * pair] = (cos * size) as f32;
                k[2 * pair + 1] = (sin * size) as f32;
            }
            q.iter_mut().zip(k.iter()).for_each(|(q, &k)| *q = strength * k);
            q[self.d - 1] = strength + towards_sinks;
            k[self.d - 1] = if row < sinks { 1.0 } else { 0.0 };
        }
    }

    fn induction(&mut self, period: usize, random: &mut SplitMix64) {
        let tokens: Vec<Vec<f32>> = (0..period.min(self.n)).map(|_| unit(self.d, random)).collect();
        let token = |at: usize| &tokens[at % period % tokens.len()];
        let strength = self.strength();
        for row in 0..self.n {
            // A key tells what stood before it; the first one has nothing to tell.
            let before = row.checked_sub(1).map(token);
            for column in 0..self.d {
                let at = row * self.d + column;
                self.q[at] = strength * token(row)[column];
                self.k[at] = before.map_or(0.0, |before| before[column]);
                self.v[at] = token(row)[column];
            }
        }
    }

    fn documents(&mut self, length: usize, random: &mut SplitMix64) {
        let strength = self.strength();
        let mut document = Vec::new();
        for row in 0..self.n {
            if row % length == 0 {
                document = unit(self.d, random);
            }
            let k = &mut self.k[row * self.d..][..self.d];
            k.copy_from_slice(&document);
            self.q[row * self.d..][..self.d].iter_mut().zip(k).for_each(|(q, k)| *q = strength * *k);
        }
    }

    /// Angles in 64 bits: at position 65,536 those of 32 bits are off by 4·10⁻³. A last column without a partner stays.
    fn rope(&mut self, random: &mut SplitMix64) {
        let d = self.d;
        let content: Vec<f64> = (0..d).map(|_| random.normal()).collect();
        for row in 0..self.n {
            for column in 0..d {
                let (pair, is_second) = (column / 2, column % 2 == 1);
                let turned = if 2 * pair + 1 == d {
                    content[column]
                } else {
                    let (a, b) = (content[2 * pair], content[2 * pair + 1]);
                    let (sin, cos) = (row as f64 * 10_000_f64.powf(-2.0 * pair as f64 / d as f64)).sin_cos();
                    if is_second { a * sin + b * cos } else { a * cos - b * sin }
                };
                self.q[row * d + column] = turned as f32;
                self.k[row * d + column] = turned as f32;
            }
        }
    }
}

/// A random direction: d numbers of length 1.
fn unit(d: usize, random: &mut SplitMix64) -> Vec<f32> {
    let direction: Vec<f64> = (0..d).map(|_| random.normal()).collect();
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    direction.into_iter().map(|x| (x / length) as f32).collect()
}
