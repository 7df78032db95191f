//! Problem → Trace: softmax(Q Kᵀ / √d_k + M) V, step by step, in the order of the paper.
//!
//! Vaswani et al. 2017, "Attention Is All You Need", section 3.2. Every named step is recorded as it is
//! computed. This file knows neither where a problem came from nor who looks at the trace; where a cell came
//! from is in `explain`, and whether a row is in order is in `check`.

use nalgebra::DMatrix;

use super::error::{ErrorKind, Errors, ProblemError};
use super::family::{Normalise, feature};
use super::mask;
use super::matrix::{columns_of_head, multiply, project};
use super::normalise::{Normaliser, exponentials_with_sink, softmax_with_sink, weigh_by};
use super::place::Part;
use super::position::Position;
use super::problem::{Inputs, MaskApplied, Matrix, Problem, Scale};
use super::shapes::{Shapes, labels};
use super::trace::{Note, Step, Trace};

impl Scale {
    /// A score after the scale, for heads that are `d_k` wide.
    pub fn apply(self, score: f64, d_k: usize) -> f64 {
        match self {
            Scale::InverseSqrt => score / (d_k as f64).sqrt(),
            Scale::None => score,
            Scale::Factor(factor) => score * factor,
        }
    }
}

/// Computes every step of a problem that `validate` accepts.
///
/// # Errors
/// When a step overflows: the first step whose numbers are no longer finite is named, once a head.
///
/// ```
/// # use attnlab::attention::{solve, Part, Problem};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[0.5]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#).unwrap();
/// let trace = solve(&problem).unwrap();
/// let output = trace.get(Part::Output, 0).unwrap();
/// assert!((output.value[(0, 0)] - 0.9677).abs() < 1e-4);
/// ```
pub fn solve(problem: &Problem) -> Result<Trace, Vec<ProblemError>> {
    let Shapes { n, m, d_k, d_v, heads, .. } = problem.shapes();
    let each_head = 0..heads.query;
    let mut trace = Recorder::new(problem);

    // Q = X W_q + b_q, K = X_kv W_k + b_k, V = X_kv W_v + b_v, unless they are given.
    let (whole_q, whole_k, whole_v) = queries_keys_values(problem, &mut trace)?;

    // Every head takes its own columns; k and v repeat over a group of query heads.
    let of_group = |whole: &Matrix, head, d| columns_of_head(whole, heads.key_value_of(head), d);
    let q: Vec<Matrix> = each_head.clone().map(|h| columns_of_head(&whole_q, h, d_k)).collect(); // h × (n, d_k)
    let k: Vec<Matrix> = each_head.clone().map(|h| of_group(&whole_k, h, d_k)).collect(); // h × (m, d_k)
    let v: Vec<Matrix> = each_head.clone().map(|h| of_group(&whole_v, h, d_v)).collect(); // h × (m, d_v)
    trace.record_given_or_projected(Part::Q, &q)?;
    trace.record_given_or_projected(Part::K, &k)?;
    trace.record_given_or_projected(Part::V, &v)?;

    // RoPE turns q and k by their positions; linear attention takes φ of them.
    let (q, k) = rotated(problem, q, k, &mut trace)?; // h × (n, d_k), h × (m, d_k)
    let (q, k) = features(problem, q, k, &mut trace)?;

    // S = Q Kᵀ, or another score; its scale, softcap, and what is added.
    let scores = scores(problem, &q, &k, &mut trace)?; // h × (n, m)
    let scaled = scaled_and_biased(problem, scores, &mut trace)?; // h × (n, m), the last step before the mask

    // The mask: what the rules say, what was applied, and what is let through to v in the end.
    let rules = mask::visible(problem); // (n, m)
    let into_softmax = mask::applied(problem); // (n, m)
    let onto_v = mask::carried(problem); // (n, m)
    trace.record_once(Part::Mask, rules.map(|pair| if pair { 1.0 } else { 0.0 }))?;
    if mask::is_before_softmax(problem.mask_applied) {
        let masked: Vec<Matrix> = scaled.iter().map(|scaled| show_hidden(problem, scaled, &into_softmax)).collect();
        trace.record_masked(&masked);
    }
    for row in 0..n {
        if onto_v.row(row).iter().all(|&pair| !pair) {
            trace.note(Note::EmptyRow { row });
        }
    }

    // Softmax: the exponentials for the eye, the weights exactly.
    if problem.family.normalise == Normalise::Softmax {
        show_softmax(problem, &scaled, &into_softmax, &mut trace)?;
    }
    let kept = problem.family.dropout.kept(heads.query, n, m); // h × (n, m)
    if let Some(kept) = &kept {
        trace.record_heads(Part::Kept, kept)?;
    }
    let mut weights: Vec<Matrix> = each_head
        .clone()
        .map(|h| {
            let mut weights = Matrix::zeros(n, m);
            for row in 0..n {
                let how = problem.mask_applied;
                let (scaled, part, rules) = (row_of(&scaled[h], row), row_of(&into_softmax, row), row_of(&rules, row));
                let of_row = weigh_by(Normaliser::of(problem, h), &scaled, &part, &rules, how);
                weights.row_mut(row).copy_from_slice(&of_row);
            }
            weights
        })
        .collect(); // h × (n, m)
    note_underflow(problem, &weights, &onto_v, &mut trace);
    note_zero_sums(problem, &scaled, &into_softmax, &mut trace);
    for (weights, kept) in weights.iter_mut().zip(kept.iter().flatten()) {
        weights.component_mul_assign(kept);
    }
    trace.record_heads(Part::Weights, &weights)?;

    // The weight on pairs that the rules hide.
    let leak: Vec<Matrix> = weights
        .iter()
        .map(|weights| {
            Matrix::from_fn(n, 1, |row, _| sum_where(m, |key| !rules[(row, key)], |key| weights[(row, key)]))
        })
        .collect(); // h × (n, 1)
    trace.record_heads(Part::Leak, &leak)?;

    // A V: a hidden pair is left out of the sum, so that nothing in its row of v can reach the output.
    let context: Vec<Matrix> =
        each_head.map(|h| Matrix::from_fn(n, d_v, |row, c| attend(&weights[h], &onto_v, &v[h], row, c))).collect();
    trace.record_heads(Part::Context, &context)?;

    // Concat(head_1, …, head_h) W_o + b_o.
    let concat = Matrix::from_fn(n, heads.query * d_v, |row, c| context[c / d_v][(row, c % d_v)]); // (n, h·d_v)
    trace.record_once(Part::Concat, concat.clone())?;
    let output = match &problem.w_o {
        Some(w_o) => project(&concat, w_o, problem.b_o.as_ref()), // (n, d_out)
        None => concat,
    };
    trace.record_once(Part::Output, output)?;
    Ok(trace.trace)
}

/// Whole matrices, all heads side by side: n×(h_q·d_k), m×(h_kv·d_k), m×(h_kv·d_v).
fn queries_keys_values(
    problem: &Problem,
    trace: &mut Recorder<'_>,
) -> Result<(Matrix, Matrix, Matrix), Vec<ProblemError>> {
    match &problem.inputs {
        Inputs::Direct { q, k, v } => Ok((q.clone(), k.clone(), v.clone())),
        Inputs::Projected(given) => {
            // X + P: the encoding is added to queries and keys alike, from position 0.
            let encoding = |x: &Matrix| problem.family.position.encoding(x.nrows(), x.ncols());
            if let Some(encoding) = encoding(&given.x) {
                trace.record_once(Part::Position, encoding)?; // (n, d_model)
            }
            let encoded = |x: &Matrix| encoding(x).map_or_else(|| x.clone(), |encoding| x + encoding);
            let (x, x_kv) = (encoded(&given.x), given.x_kv.as_ref().map(encoded));
            trace.record_once(Part::X, x.clone())?;
            if let Some(x_kv) = &x_kv {
                trace.record_once(Part::XKv, x_kv.clone())?;
            }
            let x_kv = x_kv.as_ref().unwrap_or(&x);
            Ok((
                project(&x, &given.w_q, given.b_q.as_ref()),
                project(x_kv, &given.w_k, given.b_k.as_ref()),
                project(x_kv, &given.w_v, given.b_v.as_ref()),
            ))
        }
    }
}

/// q and k after RoPE, where there is one.
fn rotated(problem: &Problem, q: Vec<Matrix>, k: Vec<Matrix>, trace: &mut Recorder<'_>) -> Result<Pair, Failed> {
    let Some(rope) = problem.family.position.rope() else { return Ok((q, k)) };
    let q: Vec<Matrix> = q.iter().map(|q| rope.rotate(q, |row| problem.query_position(row))).collect();
    let k: Vec<Matrix> = k.iter().map(|k| rope.rotate(k, |row| row as f64)).collect();
    trace.record_heads(Part::QRotated, &q)?;
    trace.record_heads(Part::KRotated, &k)?;
    Ok((q, k))
}

/// φ(q) and φ(k), with `linear` (Katharopoulos et al. 2020, equation 7).
fn features(problem: &Problem, q: Vec<Matrix>, k: Vec<Matrix>, trace: &mut Recorder<'_>) -> Result<Pair, Failed> {
    if problem.family.normalise != Normalise::Linear {
        return Ok((q, k));
    }
    if problem.scale != Scale::None {
        trace.note(Note::ScaleIgnored);
    }
    let of = |matrices: &[Matrix]| matrices.iter().map(|matrix| matrix.map(feature)).collect::<Vec<_>>();
    let (q, k) = (of(&q), of(&k));
    trace.record_heads(Part::QFeatures, &q)?;
    trace.record_heads(Part::KFeatures, &k)?;
    Ok((q, k))
}

/// q · kᵀ, or what the score function makes of q and k.
fn scores(problem: &Problem, q: &[Matrix], k: &[Matrix], trace: &mut Recorder<'_>) -> Result<Vec<Matrix>, Failed> {
    let score = &problem.family.score;
    let transformed: Vec<Matrix> = k.iter().filter_map(|k| score.transformed(k)).collect(); // h × (m, d_k)
    trace.record_heads(Part::KTransformed, &transformed)?;
    let hidden: Vec<Matrix> = q.iter().zip(k).filter_map(|(q, k)| score.hidden(q, k)).collect(); // h × (n, m·d_a)
    trace.record_heads(Part::Hidden, &hidden)?;
    let of_head = |h: usize| match hidden.get(h).and_then(|hidden| score.of_hidden(hidden)) {
        Some(scores) => scores,
        None => multiply(&q[h], &transformed.get(h).unwrap_or(&k[h]).transpose()),
    };
    let scores: Vec<Matrix> = (0..q.len()).map(of_head).collect();
    trace.record_heads(Part::Scores, &scores)?;
    Ok(scores)
}

/// Scale → softcap → ALiBi and bias; with `linear` nothing of it.
fn scaled_and_biased(problem: &Problem, scores: Vec<Matrix>, trace: &mut Recorder<'_>) -> Result<Vec<Matrix>, Failed> {
    if problem.family.normalise == Normalise::Linear {
        return Ok(scores);
    }
    let d_k = problem.shapes().d_k;
    let mut scaled: Vec<Matrix> = scores.iter().map(|scores| scores.map(|s| problem.scale.apply(s, d_k))).collect();
    trace.record_heads(Part::Scaled, &scaled)?;
    if let Some(cap) = problem.family.softcap {
        scaled = scaled.iter().map(|scaled| scaled.map(|score| capped(score, cap))).collect();
        trace.record_heads(Part::Capped, &scaled)?;
    }
    if problem.family.adds_bias() {
        for (head, scaled) in scaled.iter_mut().enumerate() {
            *scaled = Matrix::from_fn(scaled.nrows(), scaled.ncols(), |row, key| {
                biased(problem, head, row, key, scaled[(row, key)])
            });
        }
        trace.record_heads(Part::Biased, &scaled)?;
    }
    Ok(scaled)
}

/// c · tanh(s / c).
pub(super) fn capped(score: f64, cap: f64) -> f64 {
    cap * (score / cap).tanh()
}

/// A score after ALiBi and bias: s − slope·|i' − j| + b.
pub(super) fn biased(problem: &Problem, head: usize, row: usize, key: usize, score: f64) -> f64 {
    let mut score = score;
    if let Position::Alibi { slopes } = &problem.family.position {
        score -= slopes[head] * (problem.query_position(row) - key as f64).abs();
    }
    if let Some(bias) = problem.family.bias.as_ref().and_then(|bias| bias.value(head, row, key)) {
        score += bias;
    }
    score
}

/// The exponentials, their sum, and what the sink took, for the eye.
fn show_softmax(
    problem: &Problem,
    scaled: &[Matrix],
    takes_part: &DMatrix<bool>,
    trace: &mut Recorder<'_>,
) -> Result<(), Failed> {
    let (n, m) = takes_part.shape();
    let (mut exps, mut sums, mut sinks) = (Vec::new(), Vec::new(), Vec::new());
    for (head, scaled) in scaled.iter().enumerate() {
        let sink = problem.family.sink.as_ref().map(|sink| sink[head]);
        let (mut exp, mut sum, mut taken) = (Matrix::zeros(n, m), Matrix::zeros(n, 1), Matrix::zeros(n, 1));
        for row in 0..n {
            let (scores, part) = (row_of(scaled, row), row_of(takes_part, row));
            let (of_row, of_sink, is_shifted) = exponentials_with_sink(&scores, &part, sink);
            exp.row_mut(row).copy_from_slice(&of_row);
            sum[(row, 0)] = of_row.iter().fold(0.0, |sum, exp| sum + exp) + of_sink;
            taken[(row, 0)] = softmax_with_sink(&scores, &part, sink).1;
            if is_shifted {
                trace.note(Note::ExpShifted { head, row });
            }
        }
        exps.push(exp);
        sums.push(sum);
        sinks.push(taken);
    }
    trace.record_heads(Part::Exp, &exps)?;
    trace.record_heads(Part::RowSum, &sums)?;
    if problem.family.sink.is_some() {
        trace.record_heads(Part::SinkWeight, &sinks)?;
    }
    Ok(())
}

fn note_zero_sums(problem: &Problem, scaled: &[Matrix], takes_part: &DMatrix<bool>, trace: &mut Recorder<'_>) {
    if problem.family.normalise == Normalise::Softmax {
        return;
    }
    for (head, scaled) in scaled.iter().enumerate() {
        for row in 0..scaled.nrows() {
            let sees = takes_part.row(row).iter().any(|&pair| pair);
            let sum = sum_where(scaled.ncols(), |key| takes_part[(row, key)], |key| scaled[(row, key)]);
            if sees && sum == 0.0 {
                trace.note(Note::ZeroSum { head, row });
            }
        }
    }
}

type Pair = (Vec<Matrix>, Vec<Matrix>);
type Failed = Vec<ProblemError>;

fn attend(weights: &Matrix, onto_v: &DMatrix<bool>, v: &Matrix, row: usize, column: usize) -> f64 {
    sum_where(v.nrows(), |key| onto_v[(row, key)], |key| weights[(row, key)] * v[(key, column)])
}

fn sum_where(m: usize, takes_part: impl Fn(usize) -> bool, term: impl Fn(usize) -> f64) -> f64 {
    // From +0, so that a row without terms is 0 and not −0.
    (0..m).filter(|&key| takes_part(key)).fold(0.0, |sum, key| sum + term(key))
}

/// What is hidden is −∞ before exp, and 0 before a plain sum.
fn show_hidden(problem: &Problem, scaled: &Matrix, takes_part: &DMatrix<bool>) -> Matrix {
    let hidden = if problem.family.normalise == Normalise::Softmax { f64::NEG_INFINITY } else { 0.0 };
    scaled.zip_map(takes_part, |score, part| if part { score } else { hidden })
}

fn note_underflow(problem: &Problem, weights: &[Matrix], onto_v: &DMatrix<bool>, trace: &mut Recorder<'_>) {
    if problem.mask_applied != MaskApplied::AfterSoftmaxRenormalised {
        return;
    }
    for (head, weights) in weights.iter().enumerate() {
        for row in 0..weights.nrows() {
            let sees_something = onto_v.row(row).iter().any(|&pair| pair);
            if sees_something && weights.row(row).iter().all(|&weight| weight == 0.0) {
                trace.note(Note::Underflowed { head, row });
            }
        }
    }
}

/// One row of a matrix as a list.
pub(super) fn row_of<T: nalgebra::Scalar + Copy>(matrix: &DMatrix<T>, row: usize) -> Vec<T> {
    matrix.row(row).iter().copied().collect()
}

/// Writes steps into the trace, with their labels, and stops at the first one that is no longer finite.
struct Recorder<'a> {
    problem: &'a Problem,
    trace: Trace,
}

impl<'a> Recorder<'a> {
    fn new(problem: &'a Problem) -> Self {
        Recorder { problem, trace: Trace::default() }
    }

    fn note(&mut self, note: Note) {
        self.trace.notes.push(note);
    }

    fn record_once(&mut self, part: Part, value: Matrix) -> Result<(), Vec<ProblemError>> {
        let mut errors = Errors::default();
        require_finite(part, None, &value, &mut errors);
        self.push(part, None, value);
        errors.into_result()
    }

    fn record_heads(&mut self, part: Part, heads: &[Matrix]) -> Result<(), Vec<ProblemError>> {
        let mut errors = Errors::default();
        for (head, value) in heads.iter().enumerate() {
            require_finite(part, Some(head), value, &mut errors);
            self.push(part, Some(head), value.clone());
        }
        errors.into_result()
    }

    /// Given numbers are the caller's: a NaN in a row of v that nothing sees must not stop the computation.
    fn record_given_or_projected(&mut self, part: Part, heads: &[Matrix]) -> Result<(), Vec<ProblemError>> {
        if !part.is_input(self.problem) {
            return self.record_heads(part, heads);
        }
        for (head, value) in heads.iter().enumerate() {
            self.push(part, Some(head), value.clone());
        }
        Ok(())
    }

    /// The one step that shows minus infinity.
    fn record_masked(&mut self, heads: &[Matrix]) {
        for (head, value) in heads.iter().enumerate() {
            self.push(Part::Masked, Some(head), value.clone());
        }
    }

    fn push(&mut self, part: Part, head: Option<usize>, value: Matrix) {
        let (rows, columns) = labels(self.problem, part);
        let depth = if part == Part::Hidden { self.problem.family.score.hidden_width() } else { None };
        self.trace.steps.push(Step { part, head, rows, columns, value, depth });
    }
}

fn require_finite(part: Part, head: Option<usize>, value: &Matrix, errors: &mut Errors) {
    if value.iter().all(|number| number.is_finite()) {
        return;
    }
    let step = head.map_or(part.key().to_owned(), |head| format!("{}/{head}", part.key()));
    errors.push(step.clone(), ErrorKind::Overflow { found: step });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Problem {
        Problem::from_json(text).unwrap()
    }

    #[test]
    fn the_steps_stand_in_the_order_of_the_format() {
        let trace = solve(&problem(
            r#"{"format":"attnlab/1","inputs":{"x":[[1]],"x_kv":[[1],[2]],"w_q":[[1]],"w_k":[[1]],"w_v":[[1]]}}"#,
        ))
        .unwrap();
        let keys: Vec<&str> = trace.steps.iter().map(|step| step.part.key()).collect();
        let expected = "x x_kv q k v scores scaled mask masked exp row_sum weights leak context concat output";
        assert_eq!(keys.join(" "), expected);
    }

    #[test]
    fn a_step_that_overflows_is_named_for_each_head() {
        let text = r#"{"format":"attnlab/1","heads":{"query":2},
            "inputs":{"q":[[1e200,1e200]],"k":[[1e200,1e200]],"v":[[1,1]]}}"#;
        let errors = solve(&problem(text)).unwrap_err();
        let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(shown[0], "scores/0: the step scores/0 overflows: its numbers are no longer finite");
        assert_eq!(errors.len(), 2);
    }

    #[test]
    fn a_hidden_row_of_v_never_reaches_the_output() {
        for poison in [f64::NAN, f64::INFINITY] {
            let mut problem = problem(
                r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},
                    "inputs":{"q":[[1],[1]],"k":[[1],[1]],"v":[[3],[5]]}}"#,
            );
            let Inputs::Direct { v, .. } = &mut problem.inputs else { unreachable!("the text gives v") };
            v[(1, 0)] = poison;
            // Row 1 sees its own v, so the whole fails; row 0 alone must not notice.
            assert_eq!(solve(&problem).unwrap_err()[0].place, "context/0");
            problem.mask.allow = Some(DMatrix::from_row_slice(2, 2, &[true, false, true, false]));
            for how in [MaskApplied::BeforeSoftmax, MaskApplied::AfterSoftmax, MaskApplied::AfterSoftmaxRenormalised] {
                problem.mask_applied = how;
                let trace = solve(&problem).unwrap();
                assert!(trace.get(Part::Output, 0).unwrap().value.iter().all(|number| number.is_finite()));
            }
        }
    }

    #[test]
    fn grouped_heads_share_keys_in_order() {
        let text = r#"{"format":"attnlab/1","heads":{"query":4,"key_value":2},"scale":"none",
            "inputs":{"q":[[1,1,1,1]],"k":[[10,20]],"v":[[1,2]]}}"#;
        let trace = solve(&problem(text)).unwrap();
        let keys: Vec<f64> = (0..4).map(|head| trace.get(Part::K, head).unwrap().value[(0, 0)]).collect();
        assert_eq!(keys, [10.0, 10.0, 20.0, 20.0]);
        assert_eq!(trace.get(Part::Concat, 0).unwrap().value.as_slice(), [1.0, 1.0, 2.0, 2.0]);
    }

    #[test]
    fn biases_are_added_to_every_row() {
        let text = r#"{"format":"attnlab/1","scale":"none","inputs":{"x":[[1],[2]],"w_q":[[3]],"w_k":[[5]],"w_v":[[7]],
            "b_q":[10],"b_k":[20],"b_v":[30],"w_o":[[2]],"b_o":[-1]},"mask":{"allow":[[1,0],[0,1]]}}"#;
        let trace = solve(&problem(text)).unwrap();
        let of = |part| trace.get(part, 0).unwrap().value.as_slice().to_vec();
        assert_eq!((of(Part::Q), of(Part::K), of(Part::V)), (vec![13.0, 16.0], vec![25.0, 30.0], vec![37.0, 44.0]));
        // Each query sees itself alone: the context is its own v, and 2v − 1 goes out.
        assert_eq!((of(Part::Context), of(Part::Output)), (vec![37.0, 44.0], vec![73.0, 87.0]));
    }
}
