//! Attention the textbook way, with all n×n scores at once: to be compared with, and to find out where it ends.

use alloc::vec;
use alloc::vec::Vec;

use super::exp::exp;
use super::product::dot;

/// softmax(q·kᵀ·scale)·v, n×d; `None` where there is no memory for n×n numbers.
///
/// ```
/// assert_eq!(attnlab_kernel::naive(2, 1, &[0.0, 0.0], &[1.0, 2.0], &[1.0, 3.0], 1.0), Some(vec![2.0, 2.0]));
/// ```
pub fn naive(n: usize, d: usize, q: &[f32], k: &[f32], v: &[f32], scale: f32) -> Option<Vec<f32>> {
    let mut weights: Vec<f32> = Vec::new();
    weights.try_reserve_exact(n.checked_mul(n)?).ok()?;
    for q in q.chunks_exact(d) {
        weights.extend(k.chunks_exact(d).map(|k| dot(q, k, scale)));
    }
    for row in weights.chunks_exact_mut(n) {
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        row.iter_mut().for_each(|weight| *weight = exp(*weight - most));
        let sum: f32 = row.iter().sum();
        row.iter_mut().for_each(|weight| *weight /= sum);
    }
    let mut output = vec![0.0; n * d];
    for (output, row) in output.chunks_exact_mut(d).zip(weights.chunks_exact(n)) {
        for (v, weight) in v.chunks_exact(d).zip(row) {
            output.iter_mut().zip(v).for_each(|(output, v)| *output += weight * v);
        }
    }
    Some(output)
}

/// The same on numbers of its own between −1 and 1. Returns the sum of the output: whoever wants only the time must let it be
/// computed all the same.
pub fn naive_trial(n: usize, d: usize) -> Option<f32> {
    let mut state = 1_u32;
    let mut numbers = || -> Vec<f32> {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..n * d).map(|_| next()).collect()
    };
    let (q, k, v) = (numbers(), numbers(), numbers());
    naive(n, d, &q, &k, &v, 1.0 / d as f32).map(|output| output.iter().sum())
}
