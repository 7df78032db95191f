//! From a scaled score to a weight, by what is kept of its row: the maximum and the sum.

use core::ops::Range;

use super::exp::Exp;
use super::lanes::Lanes;

/// The weight of a visible pair from its scaled score and its row's maximum and sum. At most 1, though a score that another
/// engine rounded otherwise stands above the maximum.
///
/// ```
/// assert_eq!(attnlab_kernel::weight(3.0, 3.0, 4.0), 0.25);
/// ```
pub fn weight(scaled: f32, maximum: f32, sum: f32) -> f32 {
    weight_of_lanes(&Exp::new(), Lanes::splat(scaled), Lanes::splat(maximum), share(sum)).numbers()[0]
}

/// Scaled scores of a row become its weights in place, 0 for keys outside `visible`, which counts from the first score.
#[inline(always)]
pub fn weights(exp: &Exp, scores: &mut [Lanes], maximum: f32, sum: f32, visible: Range<usize>) {
    if visible.is_empty() {
        // Perhaps the row sees nothing at all: then its maximum is −∞ and its sum 0, which are nothing to compute with.
        return scores.fill(Lanes::splat(0.0));
    }
    if visible.start > 0 || visible.end < scores.len() * Lanes::COUNT {
        hide(scores, visible);
    }
    let (maximum, share) = (Lanes::splat(maximum), share(sum));
    for score in scores {
        *score = weight_of_lanes(exp, *score, maximum, share);
    }
}

/// −∞ for keys outside `visible`: their exponential is 0.
fn hide(scores: &mut [Lanes], visible: Range<usize>) {
    for (group, score) in scores.iter_mut().enumerate() {
        let is_visible = |lane| visible.contains(&(group * Lanes::COUNT + lane));
        let hidden = core::array::from_fn(|lane| if is_visible(lane) { 0.0 } else { f32::NEG_INFINITY });
        *score = *score + Lanes::new(hidden);
    }
}

/// A row divides once, since dividing is slow.
#[inline(always)]
fn share(sum: f32) -> Lanes {
    Lanes::splat(1.0 / sum)
}

#[inline(always)]
fn weight_of_lanes(exp: &Exp, scaled: Lanes, maximum: Lanes, share: Lanes) -> Lanes {
    exp.of((scaled - maximum).smaller(Lanes::splat(0.0))) * share
}
