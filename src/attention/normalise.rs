//! Softmax over one row, and what a mask does to it before or after.
//!
//! Softmax is computed with the row's largest score subtracted, which changes no weight and never overflows
//! (Vaswani et al. 2017, equation 1). The exponentials that the learner sees are those of the scores
//! themselves, as articles print them; they are in `exponentials` and no weight is made of them.

use super::family::Normalise;
use super::problem::{MaskApplied, Problem};

/// Above this score the exponential of a row is shown with the row's maximum subtracted: e⁷⁰⁰ is about 10³⁰⁴,
/// and a row of 512 of them still has a finite sum.
pub const LARGEST_SHOWN_EXPONENT: f64 = 700.0;

/// One row of weights: m numbers. `into_softmax` are the pairs that take part in the sum, `rules` what the
/// rules say; a row with nothing visible is zeros.
pub fn weigh(scaled: &[f64], into_softmax: &[bool], rules: &[bool], how: MaskApplied) -> Vec<f64> {
    weigh_by(Normaliser::Softmax { sink: None }, scaled, into_softmax, rules, how)
}

/// How one row becomes weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Normaliser {
    /// exp, and a sink's logit that joins the sum.
    Softmax { sink: Option<f64> },
    /// The row over its sum: `sum`, and `linear` over φ(q)·φ(k).
    Sum,
}

impl Normaliser {
    /// Of one query head.
    pub(super) fn of(problem: &Problem, head: usize) -> Self {
        match problem.family.normalise {
            Normalise::Softmax => {
                let sink = problem.family.sink.as_ref().and_then(|sink| sink.get(head).copied());
                Normaliser::Softmax { sink }
            }
            Normalise::Linear | Normalise::Sum => Normaliser::Sum,
        }
    }
}

/// `weigh`, with a sink or by the sum.
pub(super) fn weigh_by(
    by: Normaliser,
    scaled: &[f64],
    into_softmax: &[bool],
    rules: &[bool],
    how: MaskApplied,
) -> Vec<f64> {
    let mut weights = match by {
        Normaliser::Softmax { sink } => softmax_with_sink(scaled, into_softmax, sink).0,
        Normaliser::Sum => over_sum(scaled, into_softmax),
    };
    match how {
        MaskApplied::BeforeSoftmax | MaskApplied::Inverted | MaskApplied::Reversed | MaskApplied::Never => {}
        MaskApplied::AfterSoftmax => zero_hidden(&mut weights, rules),
        MaskApplied::AfterSoftmaxRenormalised => {
            zero_hidden(&mut weights, rules);
            let rest: f64 = weights.iter().sum();
            if rest != 0.0 {
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
    softmax_with_sink(scores, takes_part, None).0
}

/// The same with one logit more in the sum: the weights, and what the sink took of them.
pub(super) fn softmax_with_sink(scores: &[f64], takes_part: &[bool], sink: Option<f64>) -> (Vec<f64>, f64) {
    let max = sink.into_iter().fold(largest(scores, takes_part), f64::max);
    let shifted: Vec<f64> =
        scores.iter().zip(takes_part).map(|(score, &part)| if part { (score - max).exp() } else { 0.0 }).collect();
    let of_sink = sink.map_or(0.0, |sink| (sink - max).exp());
    let sum: f64 = shifted.iter().sum::<f64>() + of_sink;
    if sum > 0.0 { (shifted.iter().map(|exp| exp / sum).collect(), of_sink / sum) } else { (shifted, 0.0) }
}

/// s / Σ s over the pairs that take part; 0 for the others, and for all when the sum is 0.
pub(super) fn over_sum(scores: &[f64], takes_part: &[bool]) -> Vec<f64> {
    let taken = || scores.iter().zip(takes_part).map(|(&score, &part)| if part { score } else { 0.0 });
    let sum = taken().fold(0.0, |sum, score| sum + score);
    taken().map(|score| if sum == 0.0 { 0.0 } else { score / sum }).collect()
}

/// exp of each score that takes part, 0 for the others; `true` when the row's maximum had to be subtracted.
pub fn exponentials(scores: &[f64], takes_part: &[bool]) -> (Vec<f64>, bool) {
    let (exp, _, is_shifted) = exponentials_with_sink(scores, takes_part, None);
    (exp, is_shifted)
}

/// The same, with the exponential of a sink (0 without one). A sink counts as an entry of the row.
pub(super) fn exponentials_with_sink(scores: &[f64], takes_part: &[bool], sink: Option<f64>) -> (Vec<f64>, f64, bool) {
    let max = sink.into_iter().fold(largest(scores, takes_part), f64::max);
    let is_shifted = max > LARGEST_SHOWN_EXPONENT;
    let shift = if is_shifted { max } else { 0.0 };
    let exp = |(score, &part): (&f64, &bool)| if part { (score - shift).exp() } else { 0.0 };
    let of_sink = sink.map_or(0.0, |sink| (sink - shift).exp());
    (scores.iter().zip(takes_part).map(exp).collect(), of_sink, is_shifted)
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
