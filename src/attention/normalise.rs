//! Softmax over one row, and what a mask does to it before or after.
//!
//! Softmax is computed with the row's largest score subtracted, which changes no weight and never overflows
//! (Vaswani et al. 2017, equation 1). The exponentials that the learner sees are those of the scores
//! themselves, as articles print them; they are in `exponentials` and no weight is made of them.

use super::problem::MaskApplied;

/// Above this score the exponential of a row is shown with the row's maximum subtracted: e⁷⁰⁰ is about 10³⁰⁴,
/// and a row of 512 of them still has a finite sum.
pub const LARGEST_SHOWN_EXPONENT: f64 = 700.0;

/// One row of weights: m numbers. `into_softmax` are the pairs that take part in the sum, `rules` what the
/// rules say; a row with nothing visible is zeros.
pub fn weigh(scaled: &[f64], into_softmax: &[bool], rules: &[bool], how: MaskApplied) -> Vec<f64> {
    let mut weights = softmax(scaled, into_softmax);
    match how {
        MaskApplied::BeforeSoftmax | MaskApplied::Inverted | MaskApplied::Reversed | MaskApplied::Never => {}
        MaskApplied::AfterSoftmax => zero_hidden(&mut weights, rules),
        MaskApplied::AfterSoftmaxRenormalised => {
            zero_hidden(&mut weights, rules);
            let rest: f64 = weights.iter().sum();
            if rest > 0.0 {
                weights.iter_mut().for_each(|weight| *weight /= rest);
            }
        }
    }
    weights
}

/// exp(s − max) / Σ exp(s − max) over the pairs that take part; 0 for the others, and for all when none does.
///
/// ```
/// # use attnlab::attention::softmax;
/// assert_eq!(softmax(&[1000.0, 1000.0, 0.0], &[true, true, false]), [0.5, 0.5, 0.0]);
/// ```
pub fn softmax(scores: &[f64], takes_part: &[bool]) -> Vec<f64> {
    let max = largest(scores, takes_part);
    let shifted: Vec<f64> =
        scores.iter().zip(takes_part).map(|(score, &part)| if part { (score - max).exp() } else { 0.0 }).collect();
    let sum: f64 = shifted.iter().sum();
    if sum > 0.0 { shifted.iter().map(|exp| exp / sum).collect() } else { shifted }
}

/// exp of each score that takes part, 0 for the others; `true` when the row's maximum had to be subtracted.
pub fn exponentials(scores: &[f64], takes_part: &[bool]) -> (Vec<f64>, bool) {
    let max = largest(scores, takes_part);
    let is_shifted = max > LARGEST_SHOWN_EXPONENT;
    let shift = if is_shifted { max } else { 0.0 };
    let exp = |(score, &part): (&f64, &bool)| if part { (score - shift).exp() } else { 0.0 };
    (scores.iter().zip(takes_part).map(exp).collect(), is_shifted)
}

/// The largest score that takes part; minus infinity when none does.
pub fn largest(scores: &[f64], takes_part: &[bool]) -> f64 {
    scores.iter().zip(takes_part).filter(|&(_, &part)| part).fold(f64::NEG_INFINITY, |max, (&score, _)| max.max(score))
}

fn zero_hidden(weights: &mut [f64], rules: &[bool]) {
    for (weight, &is_visible) in weights.iter_mut().zip(rules) {
        if !is_visible {
            *weight = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_visible_is_zeros_and_never_nan() {
        assert_eq!(softmax(&[1.0, 2.0], &[false, false]), [0.0, 0.0]);
        assert_eq!(exponentials(&[1.0, 2.0], &[false, false]), (vec![0.0, 0.0], false));
    }

    #[test]
    fn far_scores_give_the_weights_of_the_shifted_scores_and_small_ones_are_kept() {
        let far = softmax(&[1000.0, 999.0, -1000.0], &[true; 3]);
        let near = softmax(&[0.0, -1.0, -2000.0], &[true; 3]);
        for (far, near) in far.iter().zip(&near) {
            assert!((far - near).abs() <= 1e-12);
        }
        let small = softmax(&[0.0, -690.0], &[true; 2])[1];
        assert!(small > 1e-300 && small < 1e-299, "{small:e}");
    }

    #[test]
    fn exponentials_are_those_of_the_scores_until_they_would_overflow() {
        assert_eq!(exponentials(&[0.5, 1.0], &[true; 2]), (vec![0.5_f64.exp(), 1.0_f64.exp()], false));
        assert_eq!(exponentials(&[701.0, 700.0], &[true; 2]), (vec![1.0, (-1.0_f64).exp()], true));
        // A hidden score does not matter.
        assert!(!exponentials(&[5000.0, 0.0], &[false, true]).1);
    }
}
