//! The one product that all work goes through: 4 rows × 8 columns of sums that stay in registers.
//!
//! Packed so that a step reads 4 and 8 numbers that lie side by side; plain loops over arrays of fixed length, which the
//! compiler turns into vector instructions. (5×8 and 6×8 need more registers than WebAssembly engines have.)

use super::Sequence;

/// Query rows, and keys, in a block.
pub const BLOCK: usize = 64;
/// Rows of a register tile.
pub const ROWS: usize = 4;
/// Columns of a register tile.
pub const COLUMNS: usize = 8;

/// The sums of one register tile.
pub type Sums = [[f32; COLUMNS]; ROWS];

/// Σ over x of `rows[x][r]` · `columns[x][c]`, in the order of x.
#[inline]
pub fn product(rows: &[[f32; ROWS]], columns: &[[f32; COLUMNS]]) -> Sums {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for (row, column) in rows.iter().zip(columns) {
        for (sums, &left) in sums.iter_mut().zip(row) {
            for (sum, &right) in sums.iter_mut().zip(column) {
                *sum += left * right;
            }
        }
    }
    sums
}

/// One number of `product`, with the same rounding: (q·scale)·k.
pub fn dot(q: &[f32], k: &[f32], scale: f32) -> f32 {
    q.iter().zip(k).fold(0.0, |sum, (&q, &k)| sum + (q * scale) * k)
}

/// A block of queries from row `first`, times `scale`: 16 groups of d × 4 rows. Rows after the last are 0.
pub fn pack_queries(sequence: &Sequence, first: usize, scale: f32) -> Vec<[f32; ROWS]> {
    let (n, d) = (sequence.n(), sequence.d());
    let mut packed = vec![[0.0; ROWS]; BLOCK / ROWS * d];
    for row in first..n.min(first + BLOCK) {
        let (group, lane) = ((row - first) / ROWS, (row - first) % ROWS);
        for (to, &from) in packed[group * d..][..d].iter_mut().zip(sequence.q(row)) {
            to[lane] = from * scale;
        }
    }
    packed
}

/// A block of keys from key `first`: 8 panels of d × 8 keys. Keys after the last are 0.
pub fn pack_keys(sequence: &Sequence, first: usize) -> Vec<[f32; COLUMNS]> {
    let (n, d) = (sequence.n(), sequence.d());
    let mut packed = vec![[0.0; COLUMNS]; BLOCK / COLUMNS * d];
    for key in first..n.min(first + BLOCK) {
        let (panel, lane) = ((key - first) / COLUMNS, (key - first) % COLUMNS);
        for (to, &from) in packed[panel * d..][..d].iter_mut().zip(sequence.k(key)) {
            to[lane] = from;
        }
    }
    packed
}

/// A block of values from key `first`: ⌈d/8⌉ panels of 64 keys × 8 columns. What lies outside is 0.
pub fn pack_values(sequence: &Sequence, first: usize) -> Vec<[f32; COLUMNS]> {
    let (n, d) = (sequence.n(), sequence.d());
    let mut packed = vec![[0.0; COLUMNS]; d.div_ceil(COLUMNS) * BLOCK];
    for key in first..n.min(first + BLOCK) {
        for (panel, from) in sequence.v(key).chunks(COLUMNS).enumerate() {
            packed[panel * BLOCK + key - first][..from.len()].copy_from_slice(from);
        }
    }
    packed
}
