//! The problem as a NumPy script, in the order of the formula.

use super::library::Library;
use super::literal;
use super::mask::{self, MaskMeaning};
use super::normalise::{dropped, over_sum, rest_can_vanish, with_sink};
use super::{position, score};
use crate::attention::{Inputs, MaskApplied, Matrix, Normalise, Part, Position, Problem, Scale, has_rule, solve};

/// A script that computes this problem with NumPy, prints its weights and its output, and compares the output with
/// ours to 10⁻¹² (which is left out when a step overflows: there is nothing to compare with).
///
/// softmax(Q Kᵀ · scale + M) V, Vaswani et al. 2017, equation 1; heads as in section 3.2.2; and what the problem changes
/// in it. With one head `weights` is
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
    let parts = [
        format!("{}import numpy as np\n", literal::heading(problem)),
        position::definitions(problem, Library::NumPy),
        score::definitions(problem, Library::NumPy),
        inputs(problem),
        score::numbers(problem, Library::NumPy),
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
            text += &position::added(problem, "x", "len(x)", "x.shape[1]");
            if given.x_kv.is_some() {
                text += &position::added(problem, "x_kv", "len(x_kv)", "x_kv.shape[1]");
            }
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
    let counts_positions = matches!(problem.family.position, Position::Rope(_) | Position::Alibi { .. });
    if heads.query > 1 || mask::is_used(problem) || counts_positions {
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

/// The scores, and what is done to them before the mask.
fn scores(problem: &Problem) -> String {
    let transposed = if problem.heads.query == 1 { "k.T" } else { "k.transpose(0, 2, 1)" };
    let mut text = position::rotated(problem, Library::NumPy, "m");
    text += score::features(problem);
    text += &score::scores(problem, Library::NumPy, transposed, "");
    if problem.family.normalise == Normalise::Linear {
        return text;
    }
    text += &match problem.scale {
        Scale::InverseSqrt => "scaled = scores / np.sqrt(q.shape[-1])\n".to_owned(),
        Scale::None => "scaled = scores  # no scale\n".to_owned(),
        Scale::Factor(factor) => format!("scaled = scores * {}\n", literal::number(factor)),
    };
    text += &score::capped(problem, Library::NumPy, "scaled", "capped");
    let before = if problem.family.softcap.is_some() { "capped" } else { "scaled" };
    text + &score::biased(problem, Library::NumPy, Some(before), "biased", "m")
}

/// The mask, the softmax (or the sum), and what is done after it.
fn weights(problem: &Problem) -> String {
    let is_used = mask::is_used(problem);
    let mut text = String::new();
    if is_used {
        text += &mask::lines(problem, Library::NumPy, MaskMeaning::Visible);
    } else if problem.mask_applied == MaskApplied::Never && has_rule(&problem.mask) {
        text += "# The mask is not applied: a mistake.\n";
    }
    // The steps have the names that they have in the trace.
    let before_mask = Part::before_mask(problem).key();
    let hidden = if problem.family.normalise == Normalise::Softmax { "-np.inf" } else { "0.0" };
    let into_weights = match problem.mask_applied {
        MaskApplied::BeforeSoftmax | MaskApplied::Reversed if is_used => {
            text += &format!("masked = np.where(visible, {before_mask}, {hidden})\n");
            "masked"
        }
        MaskApplied::Inverted => {
            text +=
                &format!("masked = np.where(visible, {hidden}, {before_mask})  # keep and drop swapped: a mistake\n");
            "masked"
        }
        _ => before_mask,
    };
    text.push('\n');
    let is_after = matches!(problem.mask_applied, MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised);
    text += &normalised(problem, into_weights, is_after);
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
        let divided_by = if rest_can_vanish(problem) { "np.where(rest != 0, rest, 1.0)" } else { "rest" };
        text += &format!("weights = weights / {divided_by}\n");
    }
    text + dropped(problem)
}

/// From the last scores, of this name, to weights whose rows sum to 1.
fn normalised(problem: &Problem, scores: &str, is_after: bool) -> String {
    let (numpy, largest) = (Library::NumPy, format!("{scores}.max(axis=-1, keepdims=True)"));
    if problem.family.normalise != Normalise::Softmax {
        return over_sum(problem, numpy, scores);
    }
    if problem.family.sink.is_some() {
        return with_sink(numpy, scores);
    }
    if mask::has_empty_row(problem) && !is_after {
        return format!(
            "largest = {largest}\n\
             sees = np.isfinite(largest)  # a row that sees nothing has weights of zero\n\
             exp = np.exp({scores} - np.where(sees, largest, 0.0))\n\
             weights = exp / np.where(sees, exp.sum(axis=-1, keepdims=True), 1.0)\n"
        );
    }
    format!("exp = np.exp({scores} - {largest})\nweights = exp / exp.sum(axis=-1, keepdims=True)\n")
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
