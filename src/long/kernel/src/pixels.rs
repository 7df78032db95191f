//! How cells of n×n become pixels.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

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

/// The cells below pixel `pixel` of `pixels`: whole numbers, so that every cell is counted once.
///
/// ```
/// # use attnlab_kernel::cells;
/// assert_eq!([cells(&(10..17), 0, 3), cells(&(10..17), 1, 3), cells(&(10..17), 2, 3)], [10..12, 12..14, 14..17]);
/// ```
pub fn cells(range: &Range<usize>, pixel: usize, pixels: usize) -> Range<usize> {
    let edge = |at: usize| range.start + (at as u128 * range.len() as u128 / pixels as u128) as usize;
    edge(pixel)..edge(pixel + 1)
}

/// One side of a tile: a run of rows or keys, the pixels that it goes into, and which of these pixels are made here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    pub range: Range<usize>,
    /// At most as many as the range has cells.
    pub pixels: usize,
    /// At least one pixel.
    pub made: Range<usize>,
}

impl Side {
    /// The rows or keys below the pixels that are made: what a Worker must be given.
    ///
    /// ```
    /// # use attnlab_kernel::Side;
    /// assert_eq!(Side { range: 10..17, pixels: 3, made: 1..3 }.cells(), 12..17);
    /// ```
    pub fn cells(&self) -> Range<usize> {
        assert!(!self.made.is_empty() && self.made.end <= self.pixels, "pixels of the tile are made");
        self.cells_of(self.made.start).start..self.cells_of(self.made.end - 1).end
    }

    fn cells_of(&self, pixel: usize) -> Range<usize> {
        cells(&self.range, pixel, self.pixels)
    }
}

/// The pixels of a tile while cells come in, in any order.
pub struct Pixels {
    pool: Pool,
    /// In 64 bits: a pixel may stand for a thousand million cells.
    numbers: Vec<f64>,
    rows: Edges,
    keys: Edges,
}

/// Along one side: the pixel of each cell, and the cells of each pixel, both counted from the first that is made.
struct Edges {
    pixel_of: Vec<usize>,
    cells_of: Vec<Range<usize>>,
}

impl Edges {
    fn new(side: &Side) -> Self {
        let first = side.cells().start;
        let from_first = |cells: Range<usize>| cells.start - first..cells.end - first;
        let cells_of: Vec<_> = side.made.clone().map(|pixel| from_first(side.cells_of(pixel))).collect();
        let pixel_of = |(pixel, cells): (usize, &Range<usize>)| core::iter::repeat_n(pixel, cells.len());
        Edges { pixel_of: cells_of.iter().enumerate().flat_map(pixel_of).collect(), cells_of }
    }
}

impl Pixels {
    pub fn new(rows: &Side, keys: &Side, pool: Pool, of: Of) -> Self {
        let start = if pool == Pool::Max && of != Of::Weights { f64::NEG_INFINITY } else { 0.0 };
        let numbers = vec![start; rows.made.len() * keys.made.len()];
        Pixels { pool, numbers, rows: Edges::new(rows), keys: Edges::new(keys) }
    }

    /// Cells of one row that lie side by side, from key `first`; both count from the first that is made.
    pub fn add(&mut self, row: usize, first: usize, numbers: &[f32]) {
        let width = self.keys.cells_of.len();
        let pixels = &mut self.numbers[self.rows.pixel_of[row] * width..][..width];
        let last = first + numbers.len();
        let mut from = first;
        while from < last {
            let x = self.keys.pixel_of[from];
            let to = self.keys.cells_of[x].end.min(last);
            let run = &numbers[from - first..to - first];
            match self.pool {
                Pool::Max => pixels[x] = pixels[x].max(f64::from(largest(run))),
                Pool::Mean | Pool::Sum => pixels[x] += run.iter().map(|&number| f64::from(number)).sum::<f64>(),
            }
            from = to;
        }
    }

    /// By rows.
    pub fn finish(self) -> Vec<f32> {
        let width = self.keys.cells_of.len();
        let (down, across) = (&self.rows.cells_of, &self.keys.cells_of);
        let divided = |(at, number): (usize, f64)| match self.pool {
            Pool::Mean => (number / (down[at / width].len() * across[at % width].len()) as f64) as f32,
            Pool::Max | Pool::Sum => number as f32,
        };
        self.numbers.into_iter().enumerate().map(divided).collect()
    }
}

/// In 8 lanes, since one maximum after the other would wait for itself.
#[inline(always)]
fn largest(run: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; 8];
    let chunks = run.chunks_exact(8);
    for (lane, &number) in lanes.iter_mut().zip(chunks.remainder()) {
        *lane = number;
    }
    for chunk in chunks {
        for (lane, &number) in lanes.iter_mut().zip(chunk) {
            *lane = if number > *lane { number } else { *lane };
        }
    }
    lanes.iter().fold(f32::NEG_INFINITY, |most, &number| if number > most { number } else { most })
}
