//! What is asked: checked numbers of 32 bits, a rule and a scale.

use std::ops::Range;

use attnlab_kernel::{Queries, Slice};

use super::{LongError, MOST_WIDTH, Rule};

/// One head: q, k and v, each n×d by rows, borrowed. Heads are asked for one by one.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    n: usize,
    d: usize,
    q: &'a [f32],
    k: &'a [f32],
    v: &'a [f32],
}

impl<'a> Sequence<'a> {
    /// # Errors
    /// No token; a width d outside 1..=256; a length that is not n·d; a number that is not finite.
    pub fn new(n: usize, d: usize, q: &'a [f32], k: &'a [f32], v: &'a [f32]) -> Result<Self, LongError> {
        if n == 0 {
            return Err(LongError::Empty);
        }
        if d == 0 || d > MOST_WIDTH {
            return Err(LongError::Width { found: d });
        }
        for (place, numbers) in [("q", q), ("k", k), ("v", v)] {
            let (found, expected) = (numbers.len(), n.saturating_mul(d));
            if found != expected {
                return Err(LongError::Length { place, found, expected });
            }
            if let Some(at) = numbers.iter().position(|x| !x.is_finite()) {
                return Err(LongError::NotFinite { place, row: at / d, column: at % d, found: numbers[at].into() });
            }
        }
        Ok(Sequence { n, d, q, k, v })
    }

    /// Tokens.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The width of q, k and v.
    pub fn d(&self) -> usize {
        self.d
    }

    /// Row `row` of q: d numbers.
    pub fn q(&self, row: usize) -> &'a [f32] {
        &self.q[row * self.d..][..self.d]
    }

    /// Row `row` of k: d numbers.
    pub fn k(&self, row: usize) -> &'a [f32] {
        &self.k[row * self.d..][..self.d]
    }

    /// Row `row` of v: d numbers.
    pub fn v(&self, row: usize) -> &'a [f32] {
        &self.v[row * self.d..][..self.d]
    }

    /// Some rows of q, one after the other: what a Worker is sent.
    pub fn rows_of_q(&self, rows: Range<usize>) -> &'a [f32] {
        &self.q[rows.start * self.d..rows.end * self.d]
    }

    /// Some rows of k, one after the other.
    pub fn rows_of_k(&self, rows: Range<usize>) -> &'a [f32] {
        &self.k[rows.start * self.d..rows.end * self.d]
    }

    /// Some rows of v, one after the other.
    pub fn rows_of_v(&self, rows: Range<usize>) -> &'a [f32] {
        &self.v[rows.start * self.d..rows.end * self.d]
    }
}

/// softmax(Q Kᵀ · scale, where the rule lets a row see) V: what an engine is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    sequence: Sequence<'a>,
    rule: Rule,
    scale: f32,
}

impl<'a> Asked<'a> {
    /// With the scale 1/√d.
    ///
    /// # Errors
    /// Those of `with_scale`.
    ///
    /// ```
    /// # use attnlab::long::{Asked, Cpu, Engine, Rule, Sequence};
    /// let sequence = Sequence::new(3, 1, &[0.5, 0.5, 0.5], &[1.0, 2.0, 0.5], &[0.5, 1.0, 1.5])?;
    /// let attended = Cpu.attend(&Asked::new(sequence, Rule::default())?)?;
    /// assert!((attended.output[0] - 0.9677).abs() < 1e-4); // the three tokens of the workbench
    /// # Ok::<(), attnlab::long::LongError>(())
    /// ```
    pub fn new(sequence: Sequence<'a>, rule: Rule) -> Result<Self, LongError> {
        Self::with_scale(sequence, rule, (1.0 / (sequence.d as f64).sqrt()) as f32)
    }

    /// With the number that every score is multiplied by.
    ///
    /// # Errors
    /// A scale that is not finite; numbers so large that a score or an output could leave the range of 32 bits.
    pub fn with_scale(sequence: Sequence<'a>, rule: Rule, scale: f32) -> Result<Self, LongError> {
        if !scale.is_finite() {
            return Err(LongError::Scale { found: scale });
        }
        // |q·k| ≤ ‖q‖·‖k‖, and so is every part of the sum; 16 leaves room for rounding and for differences.
        let allowed = f64::from(f32::MAX) / 16.0;
        let scores = longest(sequence.q, sequence.d)
            * longest(sequence.k, sequence.d).max(1.0)
            * f64::from(scale).abs().max(1.0);
        let largest = sequence.v.iter().fold(0.0_f64, |most, &x| most.max(f64::from(x).abs()));
        for (place, found) in [("a score", scores), ("a sum of values", largest * sequence.n as f64)] {
            if found > allowed {
                return Err(LongError::Overflow { place, found });
            }
        }
        Ok(Asked { sequence, rule, scale })
    }

    pub fn sequence(&self) -> &Sequence<'a> {
        &self.sequence
    }

    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Every score is multiplied by this.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Keys and values of the sequence, packed for the kernel.
    pub fn slice(&self, keys: Range<usize>) -> Slice {
        let Sequence { d, .. } = self.sequence;
        Slice::new(keys.start, d, self.sequence.rows_of_k(keys.clone()), self.sequence.rows_of_v(keys))
    }

    /// Rows of the sequence, as a slice attends to them.
    pub fn queries(&self, rows: Range<usize>) -> Queries<'a> {
        let (n, first, q) = (self.sequence.n, rows.start, self.sequence.rows_of_q(rows));
        Queries { n, first, q, scale: self.scale, rule: self.rule }
    }
}

/// The length of the longest row.
fn longest(rows: &[f32], d: usize) -> f64 {
    let squared = |row: &[f32]| row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
    rows.chunks_exact(d).map(squared).fold(0.0, f64::max).sqrt()
}
