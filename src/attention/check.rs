//! Whether each row of each head is in order: three checks that can fail, on unrounded numbers.
//!
//! The third one does what it says: it replaces what the rules hide and computes the row again. So it finds the
//! mistake that the leak cannot show: zeroed after the softmax, the future still acts through the sum.

use super::family::Normalise;
use super::mask;
use super::normalise::{Normaliser, largest, weigh_by};
use super::place::Part;
use super::problem::{MaskApplied, Matrix, Problem};
use super::score::Score;
use super::solve::{biased, capped, row_of};
use super::trace::Trace;

/// How far a sum may be from what it should be. 512 roundings of numbers up to 1 add up to less than
/// 512 · 1.2 · 10⁻¹⁶ ≈ 6 · 10⁻¹⁴; whatever is wrong with a mask is far larger.
pub const TOLERANCE: f64 = 1e-12;

/// One query row of one head.
#[derive(Clone, Debug, PartialEq)]
pub struct RowCheck {
    /// The sum of the row's weights.
    pub sum: f64,
    /// To 1; with a sink to 1 less its share; judged before dropout, which changes every sum.
    pub sums_to_one: Outcome,
    /// The weight on pairs that the rules hide.
    pub leak: f64,
    pub no_leak: Outcome,
    /// The largest change of the head's output row (its context) when the k and v of hidden tokens are changed.
    pub moved: f64,
    pub unmoved: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed,
    /// The row lets nothing through, or has nothing to divide by: there is no sum to judge.
    NothingVisible,
}

impl Outcome {
    /// NaN fails: it is not within any tolerance.
    fn of(difference: f64, tolerance: f64) -> Outcome {
        if difference <= tolerance { Outcome::Passed } else { Outcome::Failed }
    }
}

/// One list a head, one check a query row.
pub type Checks = Vec<Vec<RowCheck>>;

/// Checks every row of every head of a solved problem.
///
/// ```
/// # use attnlab::attention::{checks, solve, Outcome, Problem};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},
///     "mask_applied":"never","inputs":{"q":[[1],[1]],"k":[[1],[1]],"v":[[3],[5]]}}"#).unwrap();
/// let checks = checks(&problem, &solve(&problem).unwrap());
/// assert_eq!((checks[0][0].leak, checks[0][0].no_leak), (0.5, Outcome::Failed));
/// assert_eq!(checks[0][1].no_leak, Outcome::Passed);
/// ```
pub fn checks(problem: &Problem, trace: &Trace) -> Checks {
    let shapes = problem.shapes();
    let masks =
        Masks { rules: mask::visible(problem), into_softmax: mask::applied(problem), onto_v: mask::carried(problem) };
    (0..shapes.heads.query)
        .filter_map(|head| Head::of(problem, trace, head))
        .map(|head| (0..shapes.n).map(|row| check_row(problem, &masks, &head, row)).collect())
        .collect()
}

struct Masks {
    rules: nalgebra::DMatrix<bool>,
    into_softmax: nalgebra::DMatrix<bool>,
    onto_v: nalgebra::DMatrix<bool>,
}

/// The matrices of one head, as they were solved.
struct Head<'a> {
    head: usize,
    /// As the score takes them: after rotation and feature map.
    q: &'a Matrix,
    k: &'a Matrix,
    v: &'a Matrix,
    /// The last step before the mask.
    scaled: &'a Matrix,
    weights: &'a Matrix,
    /// The weight that the sink took.
    sink: Option<&'a Matrix>,
    /// What dropout made of each weight: 0 or 1/(1−p).
    kept: Option<&'a Matrix>,
    context: &'a Matrix,
}

impl<'a> Head<'a> {
    fn of(problem: &Problem, trace: &'a Trace, head: usize) -> Option<Self> {
        let (q, k) = Part::compared(problem);
        let step = |part| trace.get(part, head).map(|step| &step.value);
        Some(Head {
            head,
            q: step(q)?,
            k: step(k)?,
            v: step(Part::V)?,
            scaled: step(Part::before_mask(problem))?,
            weights: step(Part::Weights)?,
            sink: step(Part::SinkWeight),
            kept: step(Part::Kept),
            context: step(Part::Context)?,
        })
    }
}

fn check_row(problem: &Problem, masks: &Masks, head: &Head<'_>, row: usize) -> RowCheck {
    let weights = row_of(head.weights, row);
    let rules = row_of(&masks.rules, row);
    let sum: f64 = weights.iter().fold(0.0, |sum, weight| sum + weight);
    let leak = weights.iter().zip(&rules).filter(|&(_, &visible)| !visible).fold(0.0, |sum, (weight, _)| sum + weight);
    let lets_something_through = masks.onto_v.row(row).iter().any(|&pair| pair);
    let moved = moved_by_the_hidden(problem, masks, head, row);
    // A sink takes its share; on the detour after the softmax that share is lost.
    let is_detour = problem.mask_applied == MaskApplied::AfterSoftmaxRenormalised;
    let share = head.sink.filter(|_| !is_detour).map_or(0.0, |sink| sink[(row, 0)]);
    // Dropout changes every sum: what is judged are the weights before it.
    let before_dropout = weigh_by(
        Normaliser::of(problem, head.head),
        &row_of(head.scaled, row),
        &row_of(&masks.into_softmax, row),
        &rules,
        problem.mask_applied,
    );
    let judged: f64 = before_dropout.iter().fold(0.0, |sum, weight| sum + weight);
    let largest_weight = before_dropout.iter().fold(1.0_f64, |most, weight| most.max(weight.abs()));
    let is_zero_sum =
        problem.family.normalise != Normalise::Softmax && before_dropout.iter().all(|&weight| weight == 0.0);
    // The detour after the softmax divides by another sum each time, so its roundings grow with v.
    let size = largest_weight
        * head.v.iter().filter(|value| value.is_finite()).fold(1.0_f64, |size, value| size.max(value.abs()));
    RowCheck {
        sum,
        sums_to_one: if lets_something_through && !is_zero_sum {
            Outcome::of((judged - (1.0 - share)).abs(), TOLERANCE * largest_weight)
        } else {
            Outcome::NothingVisible
        },
        leak,
        no_leak: Outcome::of(leak.abs(), TOLERANCE),
        moved,
        unmoved: Outcome::of(moved, TOLERANCE * size),
    }
}

/// Gives every token that the rules hide from this row another k and another v, and computes the row again.
fn moved_by_the_hidden(problem: &Problem, masks: &Masks, head: &Head<'_>, row: usize) -> f64 {
    let (m, d_v) = (head.k.nrows(), head.v.ncols());
    let rules = row_of(&masks.rules, row);
    if rules.iter().all(|&visible| visible) {
        return 0.0;
    }
    let before = row_of(head.scaled, row);
    let q = Matrix::from_row_slice(1, head.q.ncols(), &row_of(head.q, row));
    let family = &problem.family;
    let scale = |k: &[f64]| {
        let score = family.score.scores(&q, &Matrix::from_row_slice(1, k.len(), k))[(0, 0)];
        match family.normalise {
            Normalise::Linear => score,
            _ => problem.scale.apply(score, head.k.ncols()),
        }
    };
    let cap_and_bias = |score: f64, key: usize| match family.normalise {
        Normalise::Linear => score,
        _ => biased(problem, head.head, row, key, family.softcap.map_or(score, |cap| capped(score, cap))),
    };
    // Only a dot product can be made as loud as one likes, and only exp listens to that.
    let is_plain = family.score == Score::Dot && family.normalise == Normalise::Softmax;
    let loudest = if is_plain { loudest_key(&row_of(head.q, row), largest(&before, &rules), scale) } else { None };
    let of_loudest = loudest.map(|key| scale(&key));
    let mut scaled = before.clone();
    for key in (0..m).filter(|&key| !rules[key]) {
        let of_another = || scale(&head.k.row(key).iter().map(|k| k + 1.0).collect::<Vec<_>>());
        scaled[key] = cap_and_bias(of_loudest.unwrap_or_else(of_another), key);
    }
    let another_v = |key: usize, column: usize| {
        let v = head.v[(key, column)];
        if rules[key] {
            v
        } else if v.is_finite() {
            v + v.abs().max(1.0)
        } else {
            1.0
        }
    };
    let by = Normaliser::of(problem, head.head);
    let mut weights = weigh_by(by, &scaled, &row_of(&masks.into_softmax, row), &rules, problem.mask_applied);
    if let Some(kept) = head.kept {
        weights.iter_mut().enumerate().for_each(|(key, weight)| *weight *= kept[(row, key)]);
    }
    (0..d_v)
        .map(|column| {
            let keys = (0..m).filter(|&key| masks.onto_v[(row, key)]);
            let again = keys.fold(0.0, |sum, key| sum + weights[key] * another_v(key, column));
            (again - head.context[(row, column)]).abs()
        })
        .fold(0.0, |most: f64, change| if change.is_nan() { change } else { most.max(change) })
}

/// A key that fits the query better, by 1, than every visible key does: what is replaced by it cannot hide
/// behind a weight too small to be noticed. `None` when no key can (q or the scale is zero).
fn loudest_key(q: &[f64], largest_visible: f64, scale: impl Fn(&[f64]) -> f64) -> Option<Vec<f64>> {
    let target = if largest_visible.is_finite() { largest_visible + 1.0 } else { 1.0 };
    let times = target / scale(q);
    let key: Vec<f64> = q.iter().map(|q| q * times).collect();
    (times.is_finite() && scale(&key).is_finite()).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::solve;

    /// 我 爱 你, causal, the mask applied as named: the check of row 爱.
    fn row_one(how: MaskApplied) -> RowCheck {
        let text = r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},
            "inputs":{"q":[[1],[0.5],[2]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#;
        let mut problem = Problem::from_json(text).unwrap();
        problem.mask_applied = how;
        let trace = solve(&problem).unwrap();
        checks(&problem, &trace)[0][1].clone()
    }

    #[test]
    fn each_mistake_fails_the_checks_that_can_see_it() {
        use Outcome::{Failed, Passed};
        let cases = [
            (MaskApplied::BeforeSoftmax, [Passed, Passed, Passed]),
            (MaskApplied::AfterSoftmaxRenormalised, [Passed, Passed, Passed]),
            (MaskApplied::Never, [Passed, Failed, Failed]),
            (MaskApplied::AfterSoftmax, [Failed, Passed, Failed]),
            (MaskApplied::Inverted, [Passed, Failed, Failed]),
            (MaskApplied::Reversed, [Passed, Failed, Failed]),
        ];
        for (how, expected) in cases {
            let check = row_one(how);
            assert_eq!([check.sums_to_one, check.no_leak, check.unmoved], expected, "{how:?}: {check:?}");
        }
        assert_eq!(row_one(MaskApplied::BeforeSoftmax).moved, 0.0);
    }

    #[test]
    fn a_row_without_anything_visible_says_so() {
        let text = r#"{"format":"attnlab/1","mask":{"key_padding":[false]},"inputs":{"q":[[1]],"k":[[1]],"v":[[3]]}}"#;
        let problem = Problem::from_json(text).unwrap();
        let check = checks(&problem, &solve(&problem).unwrap())[0][0].clone();
        assert_eq!(check.sums_to_one, Outcome::NothingVisible);
        assert_eq!((check.sum, check.leak, check.moved), (0.0, 0.0, 0.0));
    }

    #[test]
    fn nan_is_no_pass() {
        assert_eq!(Outcome::of(f64::NAN, TOLERANCE), Outcome::Failed);
    }
}
