//! What an engine gives: the output with two numbers a row, and pictures of any part of n×n that never exists as a whole.

use std::ops::Range;

use super::{Asked, LongError, kernel};

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
        let scaled = kernel::dot(sequence.q(row), sequence.k(key), asked.scale());
        Some(if is_seen { self.of_scaled(row, scaled) } else { 0.0 })
    }

    /// The weight of a visible pair of this row from its scaled score. At most 1, though a score that another engine rounded
    /// otherwise stands above the maximum.
    #[inline(always)]
    pub(super) fn of_scaled(&self, row: usize, scaled: f32) -> f32 {
        super::exp::exp((scaled - self.maximum[row]).min(0.0)) / self.sum[row]
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

/// What a tile shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// q·k, hidden pairs too.
    Scores,
    /// q·k·scale, hidden pairs too.
    Scaled,
    /// What multiplies v; 0 where hidden.
    Weights,
}

/// How the cells below a pixel become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// A row of weights sums to 1, so the mean of a sharp row fades as the pixels grow, and its maximum does not.
    Max,
    Mean,
    Sum,
}

/// A rectangle of n×n, and into how many pixels it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// The cells below pixel `pixel` of `pixels`: whole numbers, so that every cell is counted once.
///
/// ```
/// # use attnlab::long::cells;
/// assert_eq!([cells(&(10..17), 0, 3), cells(&(10..17), 1, 3), cells(&(10..17), 2, 3)], [10..12, 12..14, 14..17]);
/// ```
pub fn cells(range: &Range<usize>, pixel: usize, pixels: usize) -> Range<usize> {
    let edge = |at: usize| range.start + (at as u128 * range.len() as u128 / pixels as u128) as usize;
    edge(pixel)..edge(pixel + 1)
}
