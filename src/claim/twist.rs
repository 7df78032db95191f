//! What no problem can say: a softmax the other way, weights rounded on the way, a matrix turned after the fact.

use super::reason::Reason;
use crate::attention::{
    Inputs, Matrix, Normalise, Part, Problem, Shapes, Trace, applied, carried, project, solve, visible, weigh,
};

/// The step as it comes out when these reasons, other than changes of the problem, are at work. `None` where the
/// problem has no such step, it overflows, or the reasons cannot touch it.
pub(super) fn step(problem: &Problem, part: Part, head: usize, reasons: &[Reason]) -> Option<Matrix> {
    let trace = solve(problem).ok()?;
    let twists = reasons.iter().filter(|reason| changes_the_weights(reason));
    let mut step = trace.get(part, head)?.value.clone();
    if twists.clone().next().is_some() {
        let heads = 0..problem.heads.query;
        let mut weights: Vec<Matrix> = heads.clone().map(|head| weights_of(&trace, head)).collect::<Option<_>>()?;
        for twist in twists {
            for head in heads.clone() {
                weights[head] = match twist {
                    Reason::SoftmaxDownTheColumns => down_the_columns(problem, &trace, head)?,
                    Reason::WeightsRounded { decimals } => weights[head].map(|weight| rounded(weight, *decimals)),
                    Reason::WeightsRoundedToOne { decimals } => rounded_to_one(&weights[head], *decimals),
                    _ => continue,
                };
            }
        }
        step = after_the_weights(problem, &trace, &weights, part, head)?;
    }
    Some(if reasons.contains(&Reason::Transposed) { step.transpose() } else { step })
}

/// About what one solution costs: the multiplications, and as much as eight of them for whatever is done once a pair.
pub(super) fn work(problem: &Problem) -> usize {
    let Shapes { n, m, d_k, d_v, heads, .. } = problem.shapes();
    let hidden = problem.family.score.hidden_width().unwrap_or(0);
    let pairs = n * m * (d_k + d_v + hidden + 8) * heads.query;
    let projections = match &problem.inputs {
        Inputs::Direct { .. } => 0,
        Inputs::Projected(given) => n * given.w_q.len() + m * (given.w_k.len() + given.w_v.len()),
    };
    pairs + projections + problem.w_o.as_ref().map_or(0, |w_o| n * w_o.len())
}

fn changes_the_weights(reason: &Reason) -> bool {
    matches!(reason, Reason::SoftmaxDownTheColumns | Reason::WeightsRounded { .. } | Reason::WeightsRoundedToOne { .. })
}

/// Whether the reason changes something without changing the problem.
pub(super) fn is_twist(reason: &Reason) -> bool {
    changes_the_weights(reason) || *reason == Reason::Transposed
}

fn weights_of(trace: &Trace, head: usize) -> Option<Matrix> {
    trace.get(Part::Weights, head).map(|step| step.value.clone())
}

/// Each column normalised, where each row should be. A sink belongs to a row, so it takes no part; dropout comes after.
fn down_the_columns(problem: &Problem, trace: &Trace, head: usize) -> Option<Matrix> {
    if problem.family.normalise != Normalise::Softmax {
        return None;
    }
    let scores = &trace.get(Part::before_mask(problem), head)?.value;
    let (into_softmax, rules) = (applied(problem), visible(problem));
    let mut weights = scores.clone();
    for key in 0..scores.ncols() {
        let of_key: Vec<f64> = scores.column(key).iter().copied().collect();
        let takes_part: Vec<bool> = into_softmax.column(key).iter().copied().collect();
        let allowed: Vec<bool> = rules.column(key).iter().copied().collect();
        let column = weigh(&of_key, &takes_part, &allowed, problem.mask_applied);
        weights.column_mut(key).copy_from_slice(&column);
    }
    Some(match trace.get(Part::Kept, head) {
        Some(kept) => weights.component_mul(&kept.value),
        None => weights,
    })
}

fn rounded(weight: f64, decimals: i32) -> f64 {
    let units = 10_f64.powi(decimals);
    (weight * units).round() / units
}

/// Cut off to units of the last digit; what is missing to the row's sum goes to the largest remainders.
fn rounded_to_one(weights: &Matrix, decimals: i32) -> Matrix {
    let units = 10_f64.powi(decimals);
    let mut rounded = weights.map(|weight| (weight * units).floor());
    for row in 0..weights.nrows() {
        let missing = (weights.row(row).sum() * units).round() - rounded.row(row).sum();
        let mut keys: Vec<usize> = (0..weights.ncols()).collect();
        let remainder = |key: &usize| weights[(row, *key)] * units - (weights[(row, *key)] * units).floor();
        keys.sort_by(|a, b| remainder(b).total_cmp(&remainder(a)));
        for &key in keys.iter().take(missing.max(0.0) as usize) {
            rounded[(row, key)] += 1.0;
        }
    }
    rounded / units
}

/// A V, heads side by side, W_o: the steps after other weights.
fn after_the_weights(problem: &Problem, trace: &Trace, weights: &[Matrix], part: Part, head: usize) -> Option<Matrix> {
    if part == Part::Weights {
        return weights.get(head).cloned();
    }
    let onto_v = carried(problem);
    let context = |head: usize| -> Option<Matrix> {
        let v = &trace.get(Part::V, head)?.value;
        let weights = weights.get(head)?;
        Some(Matrix::from_fn(weights.nrows(), v.ncols(), |row, column| {
            let keys = (0..v.nrows()).filter(|&key| onto_v[(row, key)]);
            keys.fold(0.0, |sum, key| sum + weights[(row, key)] * v[(key, column)])
        }))
    };
    if part == Part::Context {
        return context(head);
    }
    if !matches!(part, Part::Concat | Part::Output) {
        return None;
    }
    let contexts: Vec<Matrix> = (0..weights.len()).map(context).collect::<Option<_>>()?;
    let d_v = problem.shapes().d_v;
    let concat = Matrix::from_fn(contexts[0].nrows(), contexts.len() * d_v, |row, column| {
        contexts[column / d_v][(row, column % d_v)]
    });
    match (&problem.w_o, part) {
        (Some(w_o), Part::Output) => Some(project(&concat, w_o, problem.b_o.as_ref())),
        _ => Some(concat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_rounded_plainly_or_so_that_the_row_sums_to_one() {
        let weights = Matrix::from_row_slice(1, 3, &[0.063379, 0.46831, 0.46831]);
        assert_eq!(weights.map(|weight| rounded(weight, 1)).as_slice(), [0.1, 0.5, 0.5]);
        assert_eq!(rounded_to_one(&weights, 1).as_slice(), [0.0, 0.5, 0.5]);
        assert_eq!(rounded_to_one(&Matrix::zeros(1, 2), 1).as_slice(), [0.0, 0.0]);
    }
}
