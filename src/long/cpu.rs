//! The processor: FlashAttention in blocks of 64 rows × 64 keys.
//!
//! Dao 2023, "FlashAttention-2": rows outside, keys inside, divided by the sum once at the end. Milakov and Gimelshein
//! 2018, "Online normalizer calculation for softmax": the running maximum and sum.

use std::ops::Range;

use super::exp::exp;
use super::kernel::{BLOCK, COLUMNS, ROWS, Sums, pack_keys, pack_queries, pack_values, product};
use super::{Asked, Attended, Engine, LongError, Tile, pooled};

/// The engine that is there everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

impl Engine for Cpu {
    fn attend(&self, asked: &Asked) -> Result<Attended, LongError> {
        Packed::new(asked).attend(0..asked.sequence().n())
    }

    fn tile(&self, asked: &Asked, attended: &Attended, tile: &Tile) -> Result<Vec<f32>, LongError> {
        pooled::tile(asked, attended, tile)
    }
}

/// k and v packed for the kernel, so that a pass can be made in jobs of some rows each.
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
    /// Of each block of keys.
    keys: Vec<Vec<[f32; COLUMNS]>>,
    values: Vec<Vec<[f32; COLUMNS]>>,
}

impl<'a> Packed<'a> {
    pub fn new(asked: &Asked<'a>) -> Self {
        let sequence = asked.sequence();
        let firsts = || (0..sequence.n()).step_by(BLOCK);
        Packed {
            asked: *asked,
            keys: firsts().map(|first| pack_keys(sequence, first)).collect(),
            values: firsts().map(|first| pack_values(sequence, first)).collect(),
        }
    }

    /// These rows only: `rows.len()`×d outputs and as many maxima and sums. Fastest where `rows` are whole blocks of 64.
    ///
    /// # Errors
    /// An empty range, or one that ends after the sequence.
    pub fn attend(&self, rows: Range<usize>) -> Result<Attended, LongError> {
        let (n, d) = (self.asked.sequence().n(), self.asked.sequence().d());
        let Range { start, end } = rows;
        if start >= end || end > n {
            return Err(LongError::Range { place: "rows", start, end, n });
        }
        let mut attended = Attended {
            output: Vec::with_capacity((end - start) * d),
            maximum: Vec::with_capacity(end - start),
            sum: Vec::with_capacity(end - start),
        };
        for first in (start..end).step_by(BLOCK) {
            self.block_of_rows(first..end.min(first + BLOCK)).append_to(&mut attended, d);
        }
        Ok(attended)
    }

    /// All keys that at most 64 rows see.
    fn block_of_rows(&self, rows: Range<usize>) -> Running {
        let (sequence, rule) = (self.asked.sequence(), self.asked.rule());
        let n = sequence.n();
        let queries = pack_queries(sequence, rows.start, self.asked.scale());
        let visible: Vec<Range<usize>> = rows.map(|row| rule.visible(row, n)).collect();
        let mut running = Running::new(visible.len(), sequence.d());
        // Both ends never fall from row to row: the first row begins, the last one ends. Blocks outside are skipped.
        let (begin, end) = (visible[0].start, visible[visible.len() - 1].end);
        for block in begin / BLOCK..end.div_ceil(BLOCK) {
            running.add(&queries, &self.keys[block], &self.values[block], block * BLOCK, &visible);
        }
        running
    }
}

/// A block of rows while blocks of keys pass by.
struct Running {
    rows: usize,
    d: usize,
    maximum: [f32; BLOCK],
    sum: [f32; BLOCK],
    /// Not yet divided by the sum: 16 groups of rows, each ⌈d/8⌉ panels.
    output: Vec<Sums>,
    /// e^(scaled − maximum) of a group of rows, key by key: the left side of the second product.
    shares: [[f32; ROWS]; BLOCK],
}

impl Running {
    fn new(rows: usize, d: usize) -> Self {
        Running {
            rows,
            d,
            maximum: [f32::NEG_INFINITY; BLOCK],
            sum: [0.0; BLOCK],
            output: vec![[[0.0; COLUMNS]; ROWS]; BLOCK / ROWS * d.div_ceil(COLUMNS)],
            shares: [[0.0; ROWS]; BLOCK],
        }
    }

    /// One block of keys, from key `first`, group of rows by group of rows.
    fn add(
        &mut self,
        queries: &[[f32; ROWS]],
        keys: &[[f32; COLUMNS]],
        values: &[[f32; COLUMNS]],
        first: usize,
        visible: &[Range<usize>],
    ) {
        let d = self.d;
        let panels = d.div_ceil(COLUMNS);
        for group in 0..self.rows.div_ceil(ROWS) {
            let queries = &queries[group * d..][..d];
            let mut scores = [[0.0; BLOCK]; ROWS];
            for (panel, keys) in keys.chunks_exact(d).enumerate() {
                for (scores, sums) in scores.iter_mut().zip(product(queries, keys)) {
                    scores[panel * COLUMNS..][..COLUMNS].copy_from_slice(&sums);
                }
            }
            let mut rescale = [1.0; ROWS];
            for (lane, scores) in scores.iter_mut().enumerate() {
                let row = group * ROWS + lane;
                hide(scores, first, visible.get(row));
                rescale[lane] = self.exponentials(row, lane, scores);
            }
            let output = &mut self.output[group * panels..][..panels];
            for (output, values) in output.iter_mut().zip(values.chunks_exact(BLOCK)) {
                let sums = product(&self.shares, values);
                for ((output, sums), &rescale) in output.iter_mut().zip(&sums).zip(&rescale) {
                    for (output, &sum) in output.iter_mut().zip(sums) {
                        // Summed block by block, so that rounding does not grow with n but with n/64.
                        *output = *output * rescale + sum;
                    }
                }
            }
        }
    }

    /// Brings a row under its new maximum, and its shares of this block into `shares`. Returns e^(old − new maximum).
    #[inline(always)]
    fn exponentials(&mut self, row: usize, lane: usize, scores: &mut [f32; BLOCK]) -> f32 {
        let mut largest = [f32::NEG_INFINITY; COLUMNS];
        for chunk in scores.chunks_exact(COLUMNS) {
            for (largest, &score) in largest.iter_mut().zip(chunk) {
                *largest = if score > *largest { score } else { *largest };
            }
        }
        let new = largest.iter().fold(self.maximum[row], |most, &x| if x > most { x } else { most });
        // While a row has seen nothing its maximum is −∞, and −∞ − (−∞) would not be a number.
        let from = if new == f32::NEG_INFINITY { 0.0 } else { new };
        let rescale = exp(self.maximum[row] - from);
        let mut sums = [0.0; COLUMNS];
        for chunk in scores.chunks_exact_mut(COLUMNS) {
            for (sum, score) in sums.iter_mut().zip(chunk) {
                *score = exp(*score - from);
                *sum += *score;
            }
        }
        for (shares, &score) in self.shares.iter_mut().zip(scores.iter()) {
            shares[lane] = score;
        }
        self.maximum[row] = new;
        self.sum[row] = self.sum[row] * rescale + sums.iter().sum::<f32>();
        rescale
    }

    /// Divided, row by row. Where the sum is 0 nothing was seen, and the output is 0.
    fn append_to(&self, attended: &mut Attended, d: usize) {
        let panels = d.div_ceil(COLUMNS);
        for row in 0..self.rows {
            let divisor = if self.sum[row] > 0.0 { self.sum[row] } else { 1.0 };
            let panels = &self.output[row / ROWS * panels..][..panels];
            let numbers = panels.iter().flat_map(|sums| &sums[row % ROWS]).take(d);
            attended.output.extend(numbers.map(|number| number / divisor));
        }
        attended.maximum.extend_from_slice(&self.maximum[..self.rows]);
        attended.sum.extend_from_slice(&self.sum[..self.rows]);
    }
}

/// −∞ for the keys that the row does not see, those after the last included. A row after the last sees none.
#[inline(always)]
fn hide(scores: &mut [f32; BLOCK], first: usize, visible: Option<&Range<usize>>) {
    let Some(visible) = visible else { return scores.fill(f32::NEG_INFINITY) };
    if visible.start <= first && visible.end >= first + BLOCK {
        return;
    }
    for (key, score) in scores.iter_mut().enumerate() {
        if !visible.contains(&(first + key)) {
            *score = f32::NEG_INFINITY;
        }
    }
}
