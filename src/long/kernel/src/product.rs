//! The one product that all work goes through: 8 rows × 4 columns of sums that stay in registers.
//!
//! The rows lie in the lanes of vectors, so that a softmax over the columns is the same instructions for 8 rows at a time and
//! never looks across a vector. (More than 8 vectors of sums need more registers than WebAssembly engines have.)

use super::COLUMNS;
use super::lanes::Lanes;

/// Of each column, the sums of 8 rows.
pub type Sums = [Lanes; COLUMNS];

/// Σ over x of `rows[x]` · `columns[x][c]`, in the order of x.
#[inline(always)]
pub fn product(rows: &[Lanes], columns: &[[f32; COLUMNS]]) -> Sums {
    let mut sums = [Lanes::splat(0.0); COLUMNS];
    for (&row, column) in rows.iter().zip(columns) {
        for (sum, &right) in sums.iter_mut().zip(column) {
            *sum = row.multiply_add(Lanes::splat(right), *sum);
        }
    }
    sums
}

/// One number of `product`, with the same rounding (but for relaxed SIMD's): (q·scale)·k.
pub fn dot(q: &[f32], k: &[f32], scale: f32) -> f32 {
    q.iter().zip(k).fold(0.0, |sum, (&q, &k)| sum + (q * scale) * k)
}
