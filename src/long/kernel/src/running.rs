//! A block of rows while blocks of keys pass by: the running maximum, sum and output.
//!
//! Milakov and Gimelshein 2018, "Online normalizer calculation for softmax"; Dao 2023, "FlashAttention-2".

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::exp::Exp;
use super::lanes::Lanes;
use super::product::{Sums, product};
use super::{BLOCK, COLUMNS, KEYS, Partial};

/// At most 64 rows, in groups of the 8 that lie in lanes.
pub struct Running {
    d: usize,
    /// Of each row, the keys that it sees.
    visible: Vec<Range<usize>>,
    maximum: [Lanes; BLOCK / Lanes::COUNT],
    sum: [Lanes; BLOCK / Lanes::COUNT],
    /// Not divided by the sum: of each group ⌈d/4⌉ panels.
    output: Vec<Sums>,
}

impl Running {
    pub fn new(visible: Vec<Range<usize>>, d: usize) -> Self {
        let nothing = Lanes::splat(0.0);
        let groups = visible.len().div_ceil(Lanes::COUNT);
        Running {
            d,
            visible,
            maximum: [Lanes::splat(f32::NEG_INFINITY); BLOCK / Lanes::COUNT],
            sum: [nothing; BLOCK / Lanes::COUNT],
            output: vec![[nothing; COLUMNS]; groups * d.div_ceil(COLUMNS)],
        }
    }

    /// One block of keys, from key `first`, group of rows by group of rows.
    pub fn add(&mut self, queries: &[Lanes], keys: &[[f32; COLUMNS]], values: &[[f32; COLUMNS]], first: usize) {
        let panels = self.d.div_ceil(COLUMNS);
        // Of 8 rows, key by key: first their scores, then e^(score − maximum).
        let mut shares = [Lanes::splat(0.0); KEYS];
        for (group, queries) in queries.chunks_exact(self.d).enumerate() {
            let mut maximum = self.maximum[group];
            for (scores, keys) in shares.chunks_exact_mut(COLUMNS).zip(keys.chunks_exact(self.d)) {
                let found = product(queries, keys);
                let [a, b, c, d] = found;
                maximum = maximum.larger(a.larger(b).larger(c.larger(d))); // each comparison waits for few others
                scores.copy_from_slice(&found);
            }
            let rows = &self.visible[group * Lanes::COUNT..self.visible.len().min((group + 1) * Lanes::COUNT)];
            if !sees_all(rows, first) {
                hide(&mut shares, first, rows);
                maximum = shares.iter().fold(self.maximum[group], |most, &score| most.larger(score));
            }
            let rescale = self.exponentials(group, maximum, &mut shares);
            let output = &mut self.output[group * panels..][..panels];
            for (output, values) in output.iter_mut().zip(values.chunks_exact(KEYS)) {
                for (output, sum) in output.iter_mut().zip(product(&shares, values)) {
                    // Summed block by block, so that rounding does not grow with n but with n/128.
                    *output = output.multiply_add(rescale, sum);
                }
            }
        }
    }

    /// Brings 8 rows under their new maxima, and their scores to e^(score − maximum). Returns e^(old − new maximum).
    #[inline(always)]
    fn exponentials(&mut self, group: usize, new: Lanes, scores: &mut [Lanes; KEYS]) -> Lanes {
        let old = self.maximum[group];
        // While a row has seen nothing its maximum is −∞, and −∞ − (−∞) would not be a number.
        let from = new.larger(Lanes::splat(f32::MIN));
        let exp = Exp::new();
        let rescale = exp.of(old - from);
        let mut sum = Lanes::splat(0.0);
        for [a, b] in scores.as_chunks_mut::<2>().0 {
            (*a, *b) = (exp.of(*a - from), exp.of(*b - from));
            sum = sum + (*a + *b);
        }
        self.maximum[group] = new;
        self.sum[group] = self.sum[group].multiply_add(rescale, sum);
        rescale
    }

    /// Row by row, not divided.
    pub fn append_to(&self, partial: &mut Partial) {
        let panels = self.d.div_ceil(COLUMNS);
        let mut rows = [const { Vec::new() }; Lanes::COUNT];
        for (group, seen) in self.visible.chunks(Lanes::COUNT).enumerate() {
            rows.iter_mut().for_each(Vec::clear);
            for column in self.output[group * panels..][..panels].iter().flatten().take(self.d) {
                for (row, number) in rows.iter_mut().zip(column.numbers()) {
                    row.push(number);
                }
            }
            rows.iter().take(seen.len()).for_each(|row| partial.output.extend_from_slice(row));
            partial.maximum.extend_from_slice(&self.maximum[group].numbers()[..seen.len()]);
            partial.sum.extend_from_slice(&self.sum[group].numbers()[..seen.len()]);
        }
    }
}

/// Whether every row sees all keys of a block. Both ends of what a row sees never fall from row to row.
fn sees_all(visible: &[Range<usize>], first: usize) -> bool {
    visible[visible.len() - 1].start <= first && visible[0].end >= first + KEYS
}

/// −∞ for the keys that a row does not see, those after the last included.
fn hide(scores: &mut [Lanes; KEYS], first: usize, visible: &[Range<usize>]) {
    for (key, score) in scores.iter_mut().enumerate() {
        let hidden = |row: &Range<usize>| if row.contains(&(first + key)) { 0.0 } else { f32::NEG_INFINITY };
        // A lane after the last row is no row, and never looked at.
        let hidden = core::array::from_fn(|lane| visible.get(lane).map_or(0.0, hidden));
        *score = *score + Lanes::new(hidden);
    }
}
