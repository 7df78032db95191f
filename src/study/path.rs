//! Why not an RNN: how far apart two positions are, and what of a signal survives the way.

/// State updates on the way from position `from` to position `to` through a recurrent state, one a position.
///
/// ```
/// # use attnlab::study::path;
/// assert_eq!(path::recurrent_steps(0, 499), 499);
/// assert_eq!(path::ATTENTION_STEPS, 1);
/// ```
pub fn recurrent_steps(from: usize, to: usize) -> usize {
    to.abs_diff(from)
}

/// Attention looks at any position directly.
pub const ATTENTION_STEPS: usize = 1;

/// What is left of a signal after so many updates that each keep `kept` of it: keptˢᵗᵉᵖˢ.
///
/// An LSTM's forget gate near 1 keeps more a step; the steps stay as many.
pub fn surviving(kept: f64, steps: usize) -> f64 {
    kept.powf(steps as f64)
}

/// The number of updates after which half of the signal is left: ln ½ / ln kept.
pub fn half_life(kept: f64) -> f64 {
    0.5f64.ln() / kept.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_halves_after_its_half_life() {
        for kept in [0.5_f64, 0.9, 0.99] {
            let left = kept.powf(half_life(kept));
            assert!((left - 0.5).abs() <= 1e-12, "{kept}: {left}");
        }
        assert!(surviving(0.9, 499) < 1e-22 && surviving(1.0, 499) == 1.0);
    }
}
