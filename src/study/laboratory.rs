//! Why scores are divided by √d_k: dot products of random vectors, and what a softmax makes of them.
//!
//! Components are independent with mean 0 and variance 1, so a dot product has variance d_k (Vaswani et al. 2017,
//! section 3.2.1, footnote 4).

use crate::attention::SplitMix64;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draws {
    pub d_k: usize,
    /// Keys that one query meets.
    pub keys: usize,
    /// Queries, each with keys of its own.
    pub queries: usize,
    pub seed: u64,
}

/// What came of it: once as drawn, once divided by √d_k.
#[derive(Clone, Debug, PartialEq)]
pub struct Laboratory {
    /// Every dot product: `queries` × `keys` of them.
    pub scores: Vec<f64>,
    pub plain: Softened,
    pub scaled: Softened,
}

/// The softmax over the keys of each query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softened {
    /// The standard deviation of the scores that went in.
    pub deviation: f64,
    /// The largest weight of a row, on average.
    pub largest_weight: f64,
    /// −Σ w ln w of a row, on average; at most ln of the number of keys.
    pub entropy: f64,
    /// How much gradient reaches the scores: the Frobenius norm of the softmax's Jacobian, diag(w) − w wᵀ; the median.
    pub gradient: f64,
}

/// Draws, multiplies, and softens. Everything follows from the seed.
///
/// ```
/// # use attnlab::study::laboratory::{Draws, laboratory};
/// let found = laboratory(Draws { d_k: 128, keys: 16, queries: 400, seed: 1 });
/// assert!((found.plain.deviation - 11.3).abs() <= 0.3);
/// assert!(found.plain.gradient <= 0.06 && found.scaled.gradient >= 0.25);
/// ```
pub fn laboratory(draws: Draws) -> Laboratory {
    let Draws { d_k, keys, queries, seed } = draws;
    let mut random = SplitMix64(seed);
    let mut scores = Vec::with_capacity(queries * keys);
    for _ in 0..queries {
        let query: Vec<f64> = (0..d_k).map(|_| random.normal()).collect();
        scores.extend((0..keys).map(|_| query.iter().map(|component| component * random.normal()).sum::<f64>()));
    }
    let plain = soften(&scores, keys, 1.0);
    let scaled = soften(&scores, keys, 1.0 / (d_k as f64).sqrt());
    Laboratory { scores, plain, scaled }
}

fn soften(scores: &[f64], keys: usize, scale: f64) -> Softened {
    let rows: Vec<Vec<f64>> = scores.chunks(keys).map(|row| softmax(row, scale)).collect();
    let mean = |of: fn(&[f64]) -> f64| rows.iter().map(|row| of(row)).sum::<f64>() / rows.len() as f64;
    let mut gradients: Vec<f64> = rows.iter().map(|row| jacobian_norm(row)).collect();
    gradients.sort_by(f64::total_cmp);
    Softened {
        deviation: scale * deviation(scores),
        largest_weight: mean(|row| row.iter().copied().fold(0.0, f64::max)),
        entropy: mean(entropy),
        gradient: gradients[gradients.len() / 2],
    }
}

fn softmax(row: &[f64], scale: f64) -> Vec<f64> {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exp: Vec<f64> = row.iter().map(|score| ((score - most) * scale).exp()).collect();
    let sum: f64 = exp.iter().sum();
    exp.into_iter().map(|exp| exp / sum).collect()
}

/// −Σ w ln w, in nats.
pub fn entropy(weights: &[f64]) -> f64 {
    -weights.iter().filter(|weight| **weight > 0.0).map(|weight| weight * weight.ln()).sum::<f64>()
}

/// ‖diag(w) − w wᵀ‖: its square is Σ w² − 2 Σ w³ + (Σ w²)².
fn jacobian_norm(weights: &[f64]) -> f64 {
    let power = |exponent: i32| weights.iter().map(|weight| weight.powi(exponent)).sum::<f64>();
    let squares = power(2);
    (squares - 2.0 * power(3) + squares * squares).max(0.0).sqrt()
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// How many of the values fall into each of `bins` equal parts of −most … most; what lies beyond is in the outer ones.
pub fn histogram(values: &[f64], most: f64, bins: usize) -> Vec<usize> {
    let mut counts = vec![0; bins];
    for value in values {
        let share = (value / most + 1.0) / 2.0;
        counts[((share * bins as f64).max(0.0) as usize).min(bins - 1)] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_128_the_figures_of_the_topic_come_out() {
        let found = laboratory(Draws { d_k: 128, keys: 16, queries: 2_000, seed: 3 });
        // About 0.03 without the scale and 0.30 with it; the largest weight on average 0.89 and 0.25.
        assert!((found.plain.gradient - 0.033).abs() <= 0.011, "{:?}", found.plain);
        assert!((found.scaled.gradient - 0.30).abs() <= 0.02, "{:?}", found.scaled);
        assert!((found.plain.largest_weight - 0.89).abs() <= 0.015, "{:?}", found.plain);
        assert!((found.scaled.largest_weight - 0.25).abs() <= 0.015, "{:?}", found.scaled);
        assert!((found.plain.deviation - 128f64.sqrt()).abs() <= 0.2);
        assert!((found.scaled.deviation - 1.0).abs() <= 0.02);
    }

    #[test]
    fn the_norm_is_that_of_the_jacobian_written_out() {
        let weights = [0.1, 0.2, 0.7];
        let mut squares = 0.0;
        for (i, a) in weights.iter().enumerate() {
            for (j, b) in weights.iter().enumerate() {
                let entry = if i == j { a - a * b } else { -a * b };
                squares += entry * entry;
            }
        }
        assert!((jacobian_norm(&weights) - squares.sqrt()).abs() <= 1e-15);
    }

    #[test]
    fn uniform_weights_have_the_largest_entropy() {
        assert!((entropy(&[0.25; 4]) - 4f64.ln()).abs() <= 1e-15);
        assert_eq!(entropy(&[1.0, 0.0]), 0.0);
    }

    #[test]
    fn every_value_is_counted_once() {
        let counts = histogram(&[-9.0, -0.9, 0.0, 0.1, 0.99, 9.0], 1.0, 4);
        assert_eq!(counts, [2, 0, 2, 2]);
    }
}
