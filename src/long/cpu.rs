//! The processor: the kernel's blocks on as many threads as the machine has.

use std::ops::Range;

use attnlab_kernel::{Partial, Slice};

use super::threads::{self, each};
use super::{Asked, Attended, Engine, LongError, Tile, pooled};

/// Rows that a thread takes at a time: whole blocks, and enough of them that taking costs nothing.
const ROWS_AT_A_TIME: usize = 256;

/// The engine that is there everywhere: on every thread of the machine, and where there are none (a page) on one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

impl Engine for Cpu {
    fn attend(&self, asked: &Asked) -> Result<Attended, LongError> {
        Ok(Packed::new(asked).attend_all(threads::available()))
    }

    fn tile(&self, asked: &Asked, attended: &Attended, tile: &Tile) -> Result<Vec<f32>, LongError> {
        pooled::tile(asked, attended, tile, threads::available())
    }
}

/// All of k and v packed for the kernel, so that a pass can be made in jobs of some rows each.
///
/// ```
/// # use attnlab::long::{Asked, Cpu, Engine, Packed, Rule, Sequence};
/// let numbers: Vec<f32> = (0..100).map(|i| (i as f32).sin()).collect();
/// let asked = Asked::new(Sequence::new(100, 1, &numbers, &numbers, &numbers)?, Rule::default())?;
/// let packed = Packed::new(&asked);
/// let (head, rest) = (packed.attend(0..64)?, packed.attend(64..100)?);
/// assert_eq!([head.output, rest.output].concat(), Cpu.attend(&asked)?.output);
/// # Ok::<(), attnlab::long::LongError>(())
/// ```
pub struct Packed<'a> {
    asked: Asked<'a>,
    slice: Slice,
}

impl<'a> Packed<'a> {
    pub fn new(asked: &Asked<'a>) -> Self {
        Packed { asked: *asked, slice: asked.slice(0..asked.sequence().n()) }
    }

    /// These rows only: `rows.len()`×d outputs and as many maxima and sums. Fastest where `rows` are whole blocks of 64.
    ///
    /// # Errors
    /// An empty range, or one that ends after the sequence.
    pub fn attend(&self, rows: Range<usize>) -> Result<Attended, LongError> {
        let n = self.asked.sequence().n();
        let Range { start, end } = rows;
        if start >= end || end > n {
            return Err(LongError::Range { place: "rows", start, end, n });
        }
        Ok(self.divided(rows).into())
    }

    /// All rows. However many threads there are, the numbers are the same to the last bit: a row is one thread's.
    pub fn attend_all(&self, threads: usize) -> Attended {
        let (n, d) = (self.asked.sequence().n(), self.asked.sequence().d());
        let mut all = Partial::empty(n, d);
        let outputs = all.output.chunks_mut(ROWS_AT_A_TIME * d);
        let numbers = outputs.zip(all.maximum.chunks_mut(ROWS_AT_A_TIME)).zip(all.sum.chunks_mut(ROWS_AT_A_TIME));
        each(threads, numbers.enumerate(), |(index, ((output, maximum), sum))| {
            let first = index * ROWS_AT_A_TIME;
            let part = self.divided(first..first + sum.len());
            output.copy_from_slice(&part.output);
            maximum.copy_from_slice(&part.maximum);
            sum.copy_from_slice(&part.sum);
        });
        all.into()
    }

    fn divided(&self, rows: Range<usize>) -> Partial {
        let mut partial = self.slice.attend(&self.asked.queries(rows));
        partial.divide();
        partial
    }
}
