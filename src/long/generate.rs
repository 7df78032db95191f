//! Long sequences with something to find in them, each from a seed.

use std::rc::Rc;

use super::{Given, LongError, Sequence};
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
    /// Rows that are given, again and again. Two stamps mean two sets of rows.
    Given { stamp: u64 },
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
    let mut generator =
        Generator::new(kind, n, d, seed).expect("the machine has room for what a test or an example asks");
    generator.advance(usize::MAX);
    generator.finish()
}

/// The same, some rows at a time: a page must not wait for millions of numbers.
///
/// ```
/// # use attnlab::long::generate::{Generator, Kind, generate};
/// let mut generator = Generator::new(Kind::Rope, 100, 8, 1)?;
/// while !generator.advance(7) {}
/// assert_eq!(generator.finish(), generate(Kind::Rope, 100, 8, 1));
/// # Ok::<(), attnlab::long::LongError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    kind: Kind,
    random: SplitMix64,
    generated: Generated,
    /// Rows done, of four rounds: q, k and v at random, then what there is to find.
    done: usize,
    plan: Plan,
}

/// What a kind draws before its rows.
#[derive(Clone, Debug)]
enum Plan {
    Nothing,
    Needle { at: usize, direction: Vec<f32> },
    Local { frequencies: Vec<f64>, reach: usize, sinks: usize },
    Induction { period: usize },
    Documents { document: Vec<f32>, length: usize },
    Rope { content: Vec<f64>, angles: Vec<f64> },
    Given(Rc<Given>),
}

impl Generator {
    /// # Errors
    /// There is no memory for three times n·d numbers.
    pub fn new(kind: Kind, n: usize, d: usize, seed: u64) -> Result<Self, LongError> {
        let reserved = || {
            let mut numbers = Vec::new();
            n.checked_mul(d).and_then(|count| numbers.try_reserve_exact(count).ok()).map(|()| numbers)
        };
        let bytes = (n as u64).saturating_mul(d as u64).saturating_mul(12);
        // A fourth, given back at once: the output needs as much, and must not be what fails.
        let (Some(q), Some(k), Some(v), Some(_)) = (reserved(), reserved(), reserved(), reserved()) else {
            return Err(LongError::Memory { bytes });
        };
        let generated = Generated { n, d, q, k, v };
        Ok(Generator { kind, random: SplitMix64(seed), generated, done: 0, plan: Plan::Nothing })
    }

    /// n rows of what is given.
    ///
    /// # Errors
    /// Those of `new`.
    pub fn of_given(given: Rc<Given>, n: usize) -> Result<Self, LongError> {
        let plan = Plan::Given(given.clone());
        Ok(Generator { plan, ..Self::new(Kind::Random, n, given.d(), 0)? })
    }

    /// Rows done and rows of all rounds.
    pub fn progress(&self) -> (usize, usize) {
        (self.done, self.generated.n.saturating_mul(4))
    }

    /// Makes at most so many rows, and says whether all are made.
    pub fn advance(&mut self, rows: usize) -> bool {
        let n = self.generated.n;
        for _ in 0..rows.min(4 * n - self.done) {
            let (round, row) = (self.done / n, self.done % n);
            if let Plan::Given(given) = &self.plan {
                if round < 3 {
                    let Generated { q, k, v, .. } = &mut self.generated;
                    [q, k, v][round].extend_from_slice(given.row(row)[round]);
                }
            } else if round < 3 {
                let random = &mut self.random;
                let Generated { d, q, k, v, .. } = &mut self.generated;
                [q, k, v][round].extend((0..*d).map(|_| random.normal() as f32));
            } else if self.generated.d > 0 {
                if row == 0 {
                    self.plan = Plan::new(self.kind, n, self.generated.d, &mut self.random);
                }
                self.plan.row(&mut self.generated, row, &mut self.random);
            }
            self.done += 1;
        }
        self.done == 4 * n
    }

    /// What was made.
    pub fn finish(self) -> Generated {
        self.generated
    }
}

impl Generated {
    /// The factor of q·k, over unit vectors, that lets one key of n stand out with a weight of about 1 − e⁻⁶.
    fn strength(&self) -> f32 {
        (((self.n as f64).ln() + 6.0) * (self.d as f64).sqrt()) as f32
    }
}

impl Plan {
    fn new(kind: Kind, n: usize, d: usize, random: &mut SplitMix64) -> Self {
        match kind {
            // Its rows come by `of_given`.
            Kind::Random | Kind::Given { .. } => Plan::Nothing,
            Kind::Needle { at } => Plan::Needle { at: at.min(n - 1), direction: unit(d, random) },
            Kind::Local { reach, sinks } => {
                let reach = reach.max(1);
                let frequencies = (0..(d - 1) / 2).map(|_| random.normal() / reach as f64).collect();
                Plan::Local { frequencies, reach, sinks }
            }
            Kind::Induction { period } => Plan::Induction { period: period.max(1) },
            Kind::Documents { length } => Plan::Documents { document: Vec::new(), length: length.max(1) },
            Kind::Rope => Plan::Rope {
                content: (0..d).map(|_| random.normal()).collect(),
                angles: (0..d / 2).map(|pair| 10_000_f64.powf(-2.0 * pair as f64 / d as f64)).collect(),
            },
        }
    }

    /// Puts what there is to find into one row of q, k and v.
    fn row(&mut self, generated: &mut Generated, row: usize, random: &mut SplitMix64) {
        let strength = generated.strength();
        let Generated { n, d, q, k, v } = generated;
        let (n, d) = (*n, *d);
        if let Plan::Induction { period } = self {
            // v is the text itself: drawn once, then as it was a period before.
            match row.checked_sub(*period) {
                Some(before) => v.copy_within(before * d..(before + 1) * d, row * d),
                None => v[row * d..][..d].copy_from_slice(&unit(d, random)),
            }
            // A key tells what stood before it; the first one has nothing to tell.
            match row.checked_sub(1) {
                Some(before) => k[row * d..][..d].copy_from_slice(&v[before * d..][..d]),
                None => k[..d].fill(0.0),
            }
        }
        let [q, k, v] = [q, k, v].map(|numbers| &mut numbers[row * d..][..d]);
        match self {
            Plan::Nothing | Plan::Given(_) => {}
            Plan::Needle { at, direction } => {
                if row == *at {
                    k.copy_from_slice(direction);
                } else {
                    // No other key points that way at all.
                    let along: f32 = k.iter().zip(direction.iter()).map(|(x, u)| x * u).sum();
                    k.iter_mut().zip(direction.iter()).for_each(|(x, u)| *x -= along * u);
                }
                if row + 1 == n {
                    q.iter_mut().zip(direction.iter()).for_each(|(x, u)| *x = strength * u);
                }
            }
            // The position as cosines and sines of random frequencies: their products are large only at a small distance
            // (Rahimi and Recht 2007). The last column is the sinks'.
            Plan::Local { frequencies, reach, sinks } => {
                // About `reach` keys are near: a sink alone weighs as much as they do together.
                let towards_sinks = ((*reach as f64).ln() * (d as f64).sqrt()) as f32;
                let size = 1.0 / (frequencies.len().max(1) as f64).sqrt();
                k.fill(0.0);
                for (pair, frequency) in frequencies.iter().enumerate() {
                    let (sin, cos) = (row as f64 * frequency).sin_cos();
                    k[2 * pair] = (cos * size) as f32;
                    k[2 * pair + 1] = (sin * size) as f32;
                }
                q.iter_mut().zip(k.iter()).for_each(|(q, &k)| *q = strength * k);
                q[d - 1] = strength + towards_sinks;
                k[d - 1] = if row < *sinks { 1.0 } else { 0.0 };
            }
            Plan::Induction { .. } => {
                q.iter_mut().zip(v.iter()).for_each(|(q, x)| *q = strength * x);
            }
            Plan::Documents { document, length } => {
                if row.is_multiple_of(*length) {
                    *document = unit(d, random);
                }
                k.copy_from_slice(document);
                q.iter_mut().zip(k.iter()).for_each(|(q, &k)| *q = strength * k);
            }
            // Angles in 64 bits: at position 65,536 those of 32 bits are off by 4·10⁻³. A last column without a partner stays.
            Plan::Rope { content, angles } => {
                if let Some(last) = content.get(2 * angles.len()) {
                    q[d - 1] = *last as f32;
                }
                for (pair, angle) in angles.iter().enumerate() {
                    let (a, b) = (content[2 * pair], content[2 * pair + 1]);
                    let (sin, cos) = (row as f64 * angle).sin_cos();
                    q[2 * pair] = (a * cos - b * sin) as f32;
                    q[2 * pair + 1] = (a * sin + b * cos) as f32;
                }
                k.copy_from_slice(q);
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
