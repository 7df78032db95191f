//! What an engine gives: the output with two numbers a row, and pictures of any part of n×n that never exists as a whole.

use std::ops::Range;

use attnlab_kernel::{Partial, dot, weight};

use super::{Asked, LongError, Of, Pool};

/// Something that computes attention over a long sequence: the processor here, a graphics processor elsewhere.
pub trait Engine {
    /// The output, and each row's maximum and sum. A row that sees nothing has output 0, maximum −∞ and sum 0.
    ///
    /// # Errors
    /// Only where the engine itself fails: what is asked was checked when it was made.
    fn attend(&self, asked: &Asked) -> Result<Attended, LongError>;

    /// The pixels of a tile, height·width numbers by rows. Weights come from `attended`, which must be of the same `asked`.
    ///
    /// # Errors
    /// A range outside the sequence, more pixels than rows or keys, an `attended` of another length.
    fn tile(&self, asked: &Asked, attended: &Attended, tile: &Tile) -> Result<Vec<f32>, LongError>;
}

/// What remains of a pass over a sequence: O(n·d) numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Attended {
    /// n×d, by rows.
    pub output: Vec<f32>,
    /// Of each row, the largest scaled score that it sees.
    pub maximum: Vec<f32>,
    /// Of each row, Σ e^(scaled − maximum). Two numbers and not their logarithm: at scores of 10⁴ that would lose 2·10⁻⁴.
    pub sum: Vec<f32>,
}

impl Attended {
    /// The weight of one pair, computed again: the number that a tile of the processor shows for it. 0 where it is hidden;
    /// `None` outside the sequence.
    ///
    /// ```
    /// # use attnlab::long::{Asked, Cpu, Engine, Rule, Sequence};
    /// let sequence = Sequence::new(2, 1, &[1.0, 1.0], &[0.0, 0.0], &[1.0, 2.0])?;
    /// let asked = Asked::new(sequence, Rule::default())?;
    /// let attended = Cpu.attend(&asked)?;
    /// assert_eq!((attended.weight(&asked, 1, 0), attended.weight(&asked, 1, 2)), (Some(0.5), None));
    /// # Ok::<(), attnlab::long::LongError>(())
    /// ```
    pub fn weight(&self, asked: &Asked, row: usize, key: usize) -> Option<f32> {
        let sequence = asked.sequence();
        let n = sequence.n();
        if row >= n || key >= n || self.check(asked).is_err() {
            return None;
        }
        let is_seen = asked.rule().sees(row, key, n);
        let scaled = dot(sequence.q(row), sequence.k(key), asked.scale());
        Some(if is_seen { weight(scaled, self.maximum[row], self.sum[row]) } else { 0.0 })
    }

    /// That the lengths are those of the sequence.
    pub(super) fn check(&self, asked: &Asked) -> Result<(), LongError> {
        let (n, d) = (asked.sequence().n(), asked.sequence().d());
        let lengths = [
            ("the output", self.output.len(), n * d),
            ("the maxima", self.maximum.len(), n),
            ("the sums", self.sum.len(), n),
        ];
        match lengths.into_iter().find(|(_, found, expected)| found != expected) {
            Some((place, found, expected)) => Err(LongError::Length { place, found, expected }),
            None => Ok(()),
        }
    }
}

/// Divided parts are the whole.
impl From<Partial> for Attended {
    fn from(Partial { output, maximum, sum }: Partial) -> Self {
        Attended { output, maximum, sum }
    }
}

/// A rectangle of n×n, and into how many pixels it goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    pub rows: Range<usize>,
    pub keys: Range<usize>,
    /// Pixels down, at most one a row.
    pub height: usize,
    /// Pixels across, at most one a key.
    pub width: usize,
    pub pool: Pool,
    pub of: Of,
}

impl Tile {
    /// # Errors
    /// An empty range or one that ends after n; no pixels or more than cells.
    pub fn check(&self, n: usize) -> Result<(), LongError> {
        for (place, range, pixels) in [("rows", &self.rows, self.height), ("keys", &self.keys, self.width)] {
            let (start, end) = (range.start, range.end);
            if start >= end || end > n {
                return Err(LongError::Range { place, start, end, n });
            }
            if pixels == 0 || pixels > end - start {
                return Err(LongError::Pixels { place, found: pixels, cells: end - start });
            }
        }
        Ok(())
    }
}
