//! The problem as a NumPy script, in the order of the formula.

use super::literal;
use super::mask::{self, Library, MaskMeaning};
use crate::attention::{Inputs, MaskApplied, Matrix, Part, Problem, Scale, has_rule, solve};

/// A script that computes this problem with NumPy, prints its weights and its output, and compares the output with
/// ours to 10⁻¹² (which is left out when a step overflows: there is nothing to compare with).
///
/// softmax(Q Kᵀ · scale + M) V, Vaswani et al. 2017, equation 1; heads as in section 3.2.2. With one head `weights` is
/// n×m, with more it is h×n×m. Every number is written with all its digits.
///
/// ```
/// # use attnlab::{attention::Problem, code::numpy};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[0.5]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#).unwrap();
/// let program = numpy(&problem);
/// assert!(program.contains("scores = q @ k.T"));
/// assert!(!program.contains("visible"), "no mask, no line about one");
/// ```
pub fn numpy(problem: &Problem) -> String {
    if let Some(refusal) = literal::not_written_yet(problem) {
        return refusal;
    }
    let parts = [
        format!("{}import numpy as np\n", literal::heading(problem)),
        inputs(problem),
        heads(problem),
        scores(problem),
        weights(problem),
        output(problem),
        ending(problem),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn array(name: &str, values: &Matrix) -> String {
    format!("{name} = np.array({})\n", literal::matrix(values))
}

fn list(name: &str, values: Option<&Vec<f64>>) -> String {
    values.map_or_else(String::new, |values| format!("{name} = np.array({})\n", literal::list(values)))
}

/// The given numbers; q, k and v projected from x where they are not given.
fn inputs(problem: &Problem) -> String {
    match &problem.inputs {
        Inputs::Direct { q, k, v } => [("q", q), ("k", k), ("v", v)].map(|(name, values)| array(name, values)).concat(),
        Inputs::Projected(given) => {
            let mut text = array("x", &given.x);
            let keys_from = if given.x_kv.is_some() { "x_kv" } else { "x" };
            text += &given.x_kv.as_ref().map_or_else(String::new, |x_kv| array("x_kv", x_kv));
            let projections = [
                ("q", "x", &given.w_q, &given.b_q),
                ("k", keys_from, &given.w_k, &given.b_k),
                ("v", keys_from, &given.w_v, &given.b_v),
            ];
            for (name, _, w, b) in projections {
                text += &array(&format!("w_{name}"), w);
                text += &list(&format!("b_{name}"), b.as_ref());
            }
            text.push('\n');
            for (name, from, _, b) in projections {
                let bias = if b.is_some() { format!(" + b_{name}") } else { String::new() };
                text += &format!("{name} = {from} @ w_{name}{bias}\n");
            }
            text
        }
    }
}

/// Every head takes its own columns; keys and values repeat over a group of query heads: 0, 0, 1, 1.
fn heads(problem: &Problem) -> String {
    let heads = problem.heads;
    let mut text = String::new();
    if heads.query > 1 || mask::is_used(problem) {
        text += "n, m = len(q), len(k)\n";
    }
    if heads.query == 1 {
        return text;
    }
    text += &format!("heads = {}\n", heads.query);
    text += "q = q.reshape(n, heads, -1).transpose(1, 0, 2)  # heads, n, d_k\n";
    if heads.key_value == heads.query {
        text += "k = k.reshape(m, heads, -1).transpose(1, 0, 2)  # heads, m, d_k\n";
        text += "v = v.reshape(m, heads, -1).transpose(1, 0, 2)  # heads, m, d_v\n";
        return text;
    }
    text += &format!("key_value_heads = {}\n", heads.key_value);
    text += "group = heads // key_value_heads  # query heads that share one key/value head\n";
    for name in ["k", "v"] {
        text += &format!("{name} = {name}.reshape(m, key_value_heads, -1).transpose(1, 0, 2).repeat(group, axis=0)\n");
    }
    text
}

fn scores(problem: &Problem) -> String {
    let transposed = if problem.heads.query == 1 { "k.T" } else { "k.transpose(0, 2, 1)" };
    let scaled = match problem.scale {
        Scale::InverseSqrt => "scaled = scores / np.sqrt(q.shape[-1])\n".to_owned(),
        Scale::None => "scaled = scores  # no scale\n".to_owned(),
        Scale::Factor(factor) => format!("scaled = scores * {}\n", literal::number(factor)),
    };
    format!("scores = q @ {transposed}\n{scaled}")
}

/// The mask, the softmax, and what is done after it.
fn weights(problem: &Problem) -> String {
    let is_used = mask::is_used(problem);
    let mut text = String::new();
    if is_used {
        text += &mask::lines(problem, Library::NumPy, MaskMeaning::Visible);
    } else if problem.mask_applied == MaskApplied::Never && has_rule(&problem.mask) {
        text += "# The mask is not applied: a mistake.\n";
    }
    let into_softmax = match problem.mask_applied {
        MaskApplied::BeforeSoftmax | MaskApplied::Reversed if is_used => {
            text += "masked = np.where(visible, scaled, -np.inf)\n";
            "masked"
        }
        MaskApplied::Inverted => {
            text += "masked = np.where(visible, -np.inf, scaled)  # keep and drop swapped: a mistake\n";
            "masked"
        }
        _ => "scaled",
    };
    text.push('\n');
    let is_after = matches!(problem.mask_applied, MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised);
    let has_empty_row = mask::has_empty_row(problem);
    if has_empty_row && !is_after {
        text += &format!("largest = {into_softmax}.max(axis=-1, keepdims=True)\n");
        text += "sees = np.isfinite(largest)  # a row that sees nothing has weights of zero\n";
        text += &format!("exp = np.exp({into_softmax} - np.where(sees, largest, 0.0))\n");
        text += "weights = exp / np.where(sees, exp.sum(axis=-1, keepdims=True), 1.0)\n";
    } else {
        text += &format!("exp = np.exp({into_softmax} - {into_softmax}.max(axis=-1, keepdims=True))\n");
        text += "weights = exp / exp.sum(axis=-1, keepdims=True)\n";
    }
    if is_after && is_used {
        let comment = if problem.mask_applied == MaskApplied::AfterSoftmax {
            "  # hidden after the softmax, and not renormalised: a mistake"
        } else {
            ""
        };
        text += &format!("weights = np.where(visible, weights, 0.0){comment}\n");
    }
    if problem.mask_applied == MaskApplied::AfterSoftmaxRenormalised && is_used {
        text += "rest = weights.sum(axis=-1, keepdims=True)\n";
        let divided_by = if rest_can_vanish(problem) { "np.where(rest > 0, rest, 1.0)" } else { "rest" };
        text += &format!("weights = weights / {divided_by}\n");
    }
    text
}

/// Whether some row has nothing left to renormalise.
pub(super) fn rest_can_vanish(problem: &Problem) -> bool {
    let Ok(trace) = solve(problem) else { return true };
    let mut heads = (0..problem.heads.query).filter_map(|head| trace.get(Part::Weights, head));
    heads.any(|step| step.value.row_iter().any(|row| row.iter().all(|&weight| weight == 0.0)))
}

fn output(problem: &Problem) -> String {
    if !problem.joins_heads() {
        return "output = weights @ v\n".to_owned();
    }
    let mut text = "context = weights @ v\n".to_owned();
    text += if problem.heads.query == 1 {
        "concat = context\n"
    } else {
        "concat = context.transpose(1, 0, 2).reshape(n, -1)  # heads side by side\n"
    };
    match &problem.w_o {
        None => text += "output = concat\n",
        Some(w_o) => {
            text += &array("w_o", w_o);
            text += &list("b_o", problem.b_o.as_ref());
            text += if problem.b_o.is_some() { "output = concat @ w_o + b_o\n" } else { "output = concat @ w_o\n" };
        }
    }
    text
}

fn ending(problem: &Problem) -> String {
    let mut text = "print(\"weights =\", weights.tolist())\nprint(\"output =\", output.tolist())\n".to_owned();
    let trace = solve(problem).ok();
    if let Some(expected) = trace.as_ref().and_then(|trace| trace.get(Part::Output, 0)) {
        text += "\n# As Attention Lab computed it:\n";
        text += &array("expected", &expected.value);
        text += "assert np.allclose(output, expected, rtol=1e-12, atol=1e-12)\n";
    }
    text
}
