//! Attention of some rows over some of the keys: what a Worker or a thread does at a time.

use alloc::vec::Vec;
use core::ops::Range;

use super::pack::{pack_columns, pack_rows, pack_values};
use super::running::Running;
use super::{BLOCK, COLUMNS, KEYS, Partial, Rule};

/// Some of the keys and values, packed. A Worker holds one of these, never all of k and v.
///
/// ```
/// use attnlab_kernel::{Queries, Rule, Slice};
/// // Two keys of width 1, the third and the fourth of a sequence of four.
/// let slice = Slice::new(2, 1, &[0.0, 0.0], &[1.0, 3.0]);
/// let queries = Queries { n: 4, first: 3, q: &[1.0], scale: 1.0, rule: Rule::default() };
/// let partial = slice.attend(&queries);
/// assert_eq!((partial.output, partial.maximum, partial.sum), (vec![4.0], vec![0.0], vec![2.0])); // 1·1 + 1·3, undivided
/// ```
pub struct Slice {
    d: usize,
    first: usize,
    len: usize,
    /// A block after the other, as `pack` says.
    keys: Vec<[f32; COLUMNS]>,
    values: Vec<[f32; COLUMNS]>,
}

/// Some rows of q, and what their sequence asks.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    /// Tokens of the whole sequence.
    pub n: usize,
    /// The first row.
    pub first: usize,
    /// These rows of q, each of width d.
    pub q: &'a [f32],
    pub scale: f32,
    pub rule: Rule,
}

impl Slice {
    /// Packs keys `first`… of a sequence: k and v hold as many rows of width d as the slice has keys.
    pub fn new(first: usize, d: usize, k: &[f32], v: &[f32]) -> Self {
        assert!(d > 0 && k.len() == v.len() && k.len().is_multiple_of(d), "k and v are rows of width d");
        Slice { d, first, len: k.len() / d, keys: pack_columns(k, d, 1.0), values: pack_values(v, d) }
    }

    /// The keys of the sequence that are here.
    pub fn keys(&self) -> Range<usize> {
        self.first..self.first + self.len
    }

    /// The width of q, k and v.
    pub fn d(&self) -> usize {
        self.d
    }

    /// Attention of these rows over the keys that are here: Dao 2023, "FlashAttention-2", rows outside, keys inside, not
    /// yet divided by the sum. Fastest where the rows are whole blocks of 64.
    pub fn attend(&self, queries: &Queries) -> Partial {
        assert!(queries.q.len().is_multiple_of(self.d), "q is rows of width d");
        let mut partial = Partial::with_capacity(queries.q.len() / self.d, self.d);
        for (block, q) in queries.q.chunks(BLOCK * self.d).enumerate() {
            self.block_of_rows(queries, queries.first + block * BLOCK, q).append_to(&mut partial);
        }
        partial
    }

    /// At most 64 rows.
    fn block_of_rows(&self, queries: &Queries, first: usize, q: &[f32]) -> Running {
        let (d, own) = (self.d, self.keys());
        let packed = pack_rows(q, d, queries.scale);
        let rows = first..first + q.len() / d;
        let visible: Vec<_> = rows
            .map(|row| queries.rule.visible(row, queries.n))
            .map(|seen| seen.start.max(own.start)..seen.end.min(own.end))
            .collect();
        // Both ends never fall from row to row: the first row begins, the last one ends. Blocks outside are skipped.
        let (begin, end) = (visible[0].start, visible[visible.len() - 1].end);
        let mut running = Running::new(visible, d);
        let (keys, values) = (KEYS / COLUMNS * d, d.div_ceil(COLUMNS) * KEYS);
        for block in (begin - own.start) / KEYS..end.saturating_sub(own.start).div_ceil(KEYS) {
            let (keys, values) = (&self.keys[block * keys..][..keys], &self.values[block * values..][..values]);
            running.add(&packed, keys, values, own.start + block * KEYS);
        }
        running
    }
}
