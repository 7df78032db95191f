//! How cells of n×n become pixels.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::BLOCK;
use super::lanes::Lanes;

/// What a tile shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Of {
    /// q·k, hidden pairs too.
    Scores,
    /// q·k·scale, hidden pairs too.
    Scaled,
    /// What multiplies v; 0 where hidden.
    Weights,
}

/// How the cells below a pixel become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Numbers of a row for the keys of a block.
pub type Row = [Lanes; BLOCK / Lanes::COUNT];

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

    /// A block of cells: of each row the numbers of these keys, in lanes. Rows and keys count from the first that is made.
    pub fn add(&mut self, rows: Range<usize>, keys: Range<usize>, block: &[Row; BLOCK]) {
        let (first, width) = (rows.start, self.keys.cells_of.len());
        for (y, rows) in runs(&self.rows, rows) {
            let rows = &block[rows.start - first..rows.end - first];
            let pixels = &mut self.numbers[y * width..][..width];
            let mut add = |row: &Row| add_row(pixels, &self.keys, self.pool, &keys, row);
            match self.pool {
                // All rows of a pixel at once, and only then along the keys.
                Pool::Max => add(&rows.iter().fold([Lanes::splat(f32::NEG_INFINITY); _], larger)),
                // Each by itself: in 32 bits a sum over the rows would round too often.
                Pool::Mean | Pool::Sum => rows.iter().for_each(add),
            }
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

/// Numbers of keys that lie side by side, into a row of pixels.
#[inline(always)]
fn add_row(pixels: &mut [f64], side: &Edges, pool: Pool, keys: &Range<usize>, row: &Row) {
    let mut numbers = [0.0; BLOCK];
    for (numbers, lanes) in numbers.chunks_exact_mut(Lanes::COUNT).zip(row) {
        numbers.copy_from_slice(&lanes.numbers());
    }
    for (x, run) in runs(side, keys.clone()) {
        let run = numbers[run.start - keys.start..run.end - keys.start].iter().map(|&number| f64::from(number));
        match pool {
            Pool::Max => pixels[x] = run.fold(pixels[x], f64::max),
            Pool::Mean | Pool::Sum => pixels[x] += run.sum::<f64>(),
        }
    }
}

fn larger(mut most: Row, row: &Row) -> Row {
    for (most, &number) in most.iter_mut().zip(row) {
        *most = number.larger(*most);
    }
    most
}

/// Cells that lie side by side, cut where the pixel changes.
fn runs(side: &Edges, cells: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + use<'_> {
    let mut from = cells.start;
    core::iter::from_fn(move || {
        let start = (from < cells.end).then_some(from)?;
        let pixel = side.pixel_of[start];
        from = side.cells_of[pixel].end.min(cells.end);
        Some((pixel, start..from))
    })
}
