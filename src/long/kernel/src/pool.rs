//! Tiles: a part of n×n as pixels, computed again block by block from q and k and thrown away.

use alloc::vec::Vec;
use core::ops::Range;

use super::exp::Exp;
use super::lanes::Lanes;
use super::pack::{pack_columns, pack_rows};
use super::pixels::{Of, Pixels, Pool, Row, Side};
use super::product::product;
use super::weight::weights;
use super::{BLOCK, COLUMNS, Rule};

/// Pixels of a tile, and what they are made from. All slices begin at the first row or key below these pixels, so that a
/// Worker needs no more than these.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Tokens of the whole sequence.
    pub n: usize,
    /// The width of q and k.
    pub d: usize,
    pub rows: Side,
    pub keys: Side,
    /// `rows.cells()`×d.
    pub q: &'a [f32],
    /// `keys.cells()`×d.
    pub k: &'a [f32],
    /// Of each row, over all its keys; for weights only.
    pub maximum: &'a [f32],
    /// Of each row, over all its keys; for weights only.
    pub sum: &'a [f32],
    pub scale: f32,
    pub rule: Rule,
    pub pool: Pool,
    pub of: Of,
}

/// `rows.made`×`keys.made` pixels by rows; beside them one block of scores.
///
/// ```
/// use attnlab_kernel::{Of, Part, Pool, Rule, Side, tile};
/// // Of a sequence of 4, rows 2 and 3 under one pixel, and keys 0 and 1 each under its own.
/// let (rows, keys) = (Side { range: 2..4, pixels: 1, made: 0..1 }, Side { range: 0..2, pixels: 2, made: 0..2 });
/// let (pool, of, rule) = (Pool::Max, Of::Scores, Rule::default());
/// let (q, k) = (&[1.0, 2.0], &[3.0, 5.0]);
/// let part = Part { n: 4, d: 1, rows, keys, q, k, maximum: &[], sum: &[], scale: 1.0, rule, pool, of };
/// assert_eq!(tile(&part), [6.0, 10.0]);
/// ```
pub fn tile(part: &Part) -> Vec<f32> {
    let (rows, keys, d) = (part.rows.cells(), part.keys.cells(), part.d);
    assert!(part.q.len() == rows.len() * d && part.k.len() == keys.len() * d, "q and k are the rows and keys below");
    let is_weights = part.of == Of::Weights;
    let has_rows = part.maximum.len() == rows.len() && part.sum.len() == rows.len();
    assert!(!is_weights || has_rows, "each row has a maximum and a sum");
    let queries = pack_columns(part.q, d, if part.of == Of::Scores { 1.0 } else { part.scale });
    let mut pixels = Pixels::new(&part.rows, &part.keys, part.pool, part.of);
    let exp = Exp::new();
    let mut block: [Row; BLOCK] = [[Lanes::splat(0.0); _]; BLOCK];
    for (key, keys_here) in blocks(&keys) {
        let packed_keys = pack_rows(&part.k[key * d..][..keys_here.len() * d], d, 1.0);
        for (row, rows_here) in blocks(&rows) {
            // Hidden weights are 0, as the pixels are at the start.
            if is_weights && is_hidden(part, &rows_here, &keys_here) {
                continue;
            }
            let rows_here = row..row + rows_here.len();
            scores(&queries[row / COLUMNS * d..], &packed_keys, d, &mut block[..rows_here.len()]);
            if is_weights {
                for (row, scores) in rows_here.clone().zip(&mut block) {
                    let visible = part.rule.visible(rows.start + row, part.n);
                    let from_here = |key: usize| key.saturating_sub(keys_here.start);
                    let visible = from_here(visible.start)..from_here(visible.end.max(visible.start));
                    weights(&exp, scores, part.maximum[row], part.sum[row], visible);
                }
            }
            pixels.add(rows_here, key..key + keys_here.len(), &block);
        }
    }
    pixels.finish()
}

/// Blocks of 64 from the first cell on, each with its distance from there.
fn blocks(cells: &Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
    let (start, end) = (cells.start, cells.end);
    (start..end).step_by(BLOCK).map(move |first| (first - start, first..end.min(first + BLOCK)))
}

/// Whether no pair of this block is visible.
fn is_hidden(part: &Part, rows: &Range<usize>, keys: &Range<usize>) -> bool {
    let (begin, end) = (part.rule.visible(rows.start, part.n).start, part.rule.visible(rows.end - 1, part.n).end);
    keys.end <= begin || end <= keys.start
}

/// Of each row the scores of 64 keys, which lie in lanes here: from the same product as the output's, so the same numbers.
fn scores(queries: &[[f32; COLUMNS]], keys: &[Lanes], d: usize, block: &mut [Row]) {
    for (rows, queries) in block.chunks_mut(COLUMNS).zip(queries.chunks_exact(d)) {
        for (group, keys) in keys.chunks_exact(d).enumerate() {
            for (row, scores) in rows.iter_mut().zip(product(keys, queries)) {
                row[group] = scores;
            }
        }
    }
}
