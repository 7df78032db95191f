//! Another scale factor: the one that brings the computed numbers closest to the claimed ones.

use super::changed::changed;
use super::compare::Claim;
use super::reason::Reason;
use super::twist;
use crate::attention::{Matrix, Normalise, Part, Problem, Scale};

/// Factors between 10⁻³ and 10³ are looked at, this many for each power of ten, before the best is refined.
const STEPS_A_DECADE: i32 = 16;

/// The factor that fits best, by least squares: straight for the scaled scores, which are linear in it, and by golden
/// section between its neighbours for what comes after softcap, bias or softmax. `None` when the claim is of a step before the
/// scale, or has too few numbers that could contradict a factor.
pub(super) fn fitted(claim: &Claim, problem: &Problem) -> Option<f64> {
    // Linear attention has no scale.
    if problem.family.normalise == Normalise::Linear {
        return None;
    }
    // The weights of a row sum to 1, so one of them says nothing.
    let free = match claim.part {
        Part::Weights => claim.values.len() - claim.values.nrows(),
        part if part >= Part::Scaled && part != Part::Mask => claim.values.len(),
        _ => return None,
    };
    if free < 2 {
        return None;
    }
    let masks_the_scaled = claim.part == Part::Masked && Part::before_mask(problem) == Part::Scaled;
    if claim.part == Part::Scaled || masks_the_scaled {
        return slope(claim, problem);
    }
    let misfit = |exponent: f64| misfit(claim, problem, 10_f64.powf(exponent));
    let at = |index: i32| f64::from(index) / f64::from(STEPS_A_DECADE);
    let best = (-3 * STEPS_A_DECADE..=3 * STEPS_A_DECADE).min_by(|&a, &b| misfit(at(a)).total_cmp(&misfit(at(b))))?;
    let exponent = golden_section(at(best - 1), at(best + 1), misfit);
    Some(10_f64.powf(exponent))
}

/// Σ claimed · score / Σ score².
fn slope(claim: &Claim, problem: &Problem) -> Option<f64> {
    let scores = step_at(claim, &Problem { scale: Scale::None, ..problem.clone() })?;
    let cells = || claim.values.iter().zip(&scores).filter(|(claimed, score)| claimed.is_finite() && score.is_finite());
    let (product, square) =
        cells().fold((0.0, 0.0), |(p, s), (claimed, score)| (p + claimed * score, s + score * score));
    (square > 0.0).then(|| product / square)
}

/// The claimed row of the step, or all of it.
fn step_at(claim: &Claim, problem: &Problem) -> Option<Matrix> {
    let step = twist::step(problem, claim.part, claim.head, &[])?;
    let step = match claim.row {
        Some(row) if row < step.nrows() => step.rows(row, 1).into_owned(),
        Some(_) => return None,
        None => step,
    };
    (step.shape() == claim.values.shape()).then_some(step)
}

/// The sum of squared differences, of numbers that are not hidden; infinite where the step overflows.
fn misfit(claim: &Claim, problem: &Problem, factor: f64) -> f64 {
    // Where the factor is the problem's own there is no change.
    let other = changed(problem, &Reason::OtherScale(factor));
    let step = step_at(claim, other.as_ref().unwrap_or(problem));
    step.map_or(f64::INFINITY, |step| {
        let differences = step.iter().zip(&claim.values).map(|(found, claimed)| found - claimed);
        differences.filter(|difference| difference.is_finite()).map(|difference| difference.powi(2)).sum()
    })
}

/// Where a function with one valley is lowest between two places (Kiefer 1953), to a billionth.
fn golden_section(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let ratio = (5_f64.sqrt() - 1.0) / 2.0;
    while high - low > 1e-9 {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        if f(left) <= f(right) {
            high = right;
        } else {
            low = left;
        }
    }
    (low + high) / 2.0
}

/// The factor with the fewest digits that still matches.
pub(super) fn simplest(factor: f64, matches: impl Fn(f64) -> bool) -> Option<f64> {
    let rounded = |digits: usize| format!("{factor:.digits$e}").parse().unwrap_or(factor);
    (0..16).map(rounded).chain([factor]).find(|&factor| factor != 0.0 && matches(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_place_is_found_and_the_simplest_number_near_it() {
        let lowest = golden_section(-1.0, 3.0, |x| (x - 0.3).powi(2));
        assert!((lowest - 0.3).abs() <= 1e-7);
        assert_eq!(simplest(0.299_87, |factor| (factor - 0.3).abs() < 1e-3), Some(0.3));
        assert_eq!(simplest(0.299_87, |_| false), None);
    }
}
