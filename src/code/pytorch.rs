//! The problem as PyTorch code: plain tensors for given q, k and v, a module where tokens are projected.

use super::literal;
use super::mask::{self, Library, MaskMeaning};
use super::numpy::rest_can_vanish;
use crate::attention::{Inputs, MaskApplied, Matrix, Part, Problem, Projected, Scale, Shapes, has_rule, solve};

/// What may be chosen in the PyTorch code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PyTorchOptions {
    /// What True says in the mask.
    pub mask: MaskMeaning,
}

/// A program that computes this problem with PyTorch in float64, prints its output, and compares the output with ours
/// to 10⁻¹² (which is left out when a step overflows).
///
/// Given q, k and v are plain tensors; tokens and projections become a multi-head attention module with `nn.Linear`,
/// whose weights are loaded transposed, as Linear keeps them. `F.scaled_dot_product_attention` (PyTorch 2.1 and newer)
/// computes what it can express; a mask applied after the softmax and rows that see nothing (which older versions
/// answer with NaN) are written out step by step.
///
/// ```
/// # use attnlab::{attention::Problem, code::{pytorch, MaskMeaning, PyTorchOptions}};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},
///     "inputs":{"q":[[1],[2]],"k":[[1],[2]],"v":[[1],[2]]}}"#).unwrap();
/// let sdpa = pytorch(&problem, &PyTorchOptions::default());
/// assert!(sdpa.contains("attn_mask=visible"));
/// let fill = pytorch(&problem, &PyTorchOptions { mask: MaskMeaning::Hidden });
/// assert!(fill.contains("attn_mask=~hidden"));
/// ```
pub fn pytorch(problem: &Problem, options: &PyTorchOptions) -> String {
    if let Some(refusal) = literal::not_written_yet(problem) {
        return refusal;
    }
    let program = Program { problem, meaning: options.mask, shapes: problem.shapes() };
    let parts = match &problem.inputs {
        Inputs::Direct { q, k, v } => program.plain(q, k, v),
        Inputs::Projected(given) => program.module(given),
    };
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn tensor(name: &str, values: &Matrix) -> String {
    format!("{name} = torch.tensor({}, dtype=torch.float64)\n", literal::matrix(values))
}

fn indented(text: &str, by: usize) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{}{line}\n", " ".repeat(by)) };
    text.lines().map(line).collect()
}

struct Program<'a> {
    problem: &'a Problem,
    meaning: MaskMeaning,
    shapes: Shapes,
}

impl Program<'_> {
    fn plain(&self, q: &Matrix, k: &Matrix, v: &Matrix) -> Vec<String> {
        let heads = self.shapes.heads;
        let uses_sizes = heads.query > 1 || mask::is_used(self.problem);
        let sizes = if uses_sizes { "n, m = len(q), len(k)\n" } else { "" };
        let mut split = String::new();
        if heads.query > 1 {
            split += "# Every head takes its own columns: heads, tokens, width of a head.\n";
            let own = [("q", "n", heads.query), ("k", "m", heads.key_value), ("v", "m", heads.key_value)];
            for (name, tokens, count) in own {
                split += &format!("{name} = {name}.reshape({tokens}, {count}, -1).transpose(0, 1)\n");
            }
            split += &self.repeated(0);
        }
        let join = match (self.problem.joins_heads(), heads.query) {
            (false, _) => "",
            (true, 1) => "concat = context\n",
            (true, _) => "concat = context.transpose(0, 1).reshape(n, -1)  # heads side by side\n",
        };
        let mut joined = join.to_owned();
        if let Some(w_o) = &self.problem.w_o {
            joined += &tensor("w_o", w_o);
            let bias = self.problem.b_o.as_ref();
            joined += &bias.map_or_else(String::new, |b_o| {
                format!("b_o = torch.tensor({}, dtype=torch.float64)\n", literal::list(b_o))
            });
            joined += if bias.is_some() { "output = concat @ w_o + b_o\n" } else { "output = concat @ w_o\n" };
        } else if self.problem.joins_heads() {
            joined += "output = concat\n";
        }
        vec![
            format!("{}{}", literal::heading(self.problem), self.imports()),
            [tensor("q", q), tensor("k", k), tensor("v", v), sizes.to_owned()].concat(),
            split,
            self.mask(),
            self.attention(if self.problem.joins_heads() { "context" } else { "output" }),
            joined,
            self.ending(),
        ]
    }

    fn imports(&self) -> String {
        let mut text = "import torch\n".to_owned();
        if self.is_expressible() {
            text += "import torch.nn.functional as F\n";
        }
        if matches!(self.problem.inputs, Inputs::Projected(_)) {
            text += "from torch import nn\n";
        }
        text
    }

    /// Keys and values repeat over a group of query heads: 0, 0, 1, 1.
    fn repeated(&self, dim: usize) -> String {
        let heads = self.shapes.heads;
        if heads.query == heads.key_value {
            return String::new();
        }
        let group = heads.query / heads.key_value;
        let mut text = format!("# {group} query heads share one key/value head: 0, 0, 1, 1 and never 0, 1, 0, 1.\n");
        for name in ["k", "v"] {
            text += &format!("{name} = {name}.repeat_interleave({group}, dim={dim})\n");
        }
        text
    }

    fn mask(&self) -> String {
        if mask::is_used(self.problem) {
            return mask::lines(self.problem, Library::PyTorch, self.meaning);
        }
        if self.problem.mask_applied == MaskApplied::Never && has_rule(&self.problem.mask) {
            return "# The mask is not applied: a mistake.\n".to_owned();
        }
        String::new()
    }

    /// Whether `scaled_dot_product_attention` gives these numbers.
    fn is_expressible(&self) -> bool {
        let is_after =
            matches!(self.problem.mask_applied, MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised)
                && mask::is_used(self.problem);
        !is_after && !mask::has_empty_row(self.problem)
    }

    /// From q, k, v (… , tokens, width) and the mask to the context, under this name.
    fn attention(&self, name: &str) -> String {
        if self.is_expressible() { self.in_one_call(name) } else { self.written_out(name) }
    }

    fn in_one_call(&self, name: &str) -> String {
        let mut arguments = String::new();
        if mask::is_used(self.problem) {
            // The function takes True as visible.
            let is_turned = (self.meaning == MaskMeaning::Hidden) != self.is_inverted();
            arguments += &format!(", attn_mask={}{}", if is_turned { "~" } else { "" }, self.meaning.name());
        }
        match self.problem.scale {
            Scale::InverseSqrt => {}
            Scale::None => arguments += ", scale=1.0",
            Scale::Factor(factor) => arguments += &format!(", scale={}", literal::number(factor)),
        }
        let comment = if self.is_inverted() { "  # keep and drop swapped: a mistake" } else { "" };
        format!("{name} = F.scaled_dot_product_attention(q, k, v{arguments}){comment}\n")
    }

    fn is_inverted(&self) -> bool {
        self.problem.mask_applied == MaskApplied::Inverted
    }

    fn written_out(&self, name: &str) -> String {
        let scale = match self.problem.scale {
            Scale::InverseSqrt => " / q.shape[-1] ** 0.5".to_owned(),
            Scale::None => String::new(),
            Scale::Factor(factor) => format!(" * {}", literal::number(factor)),
        };
        let mut text = format!("scores = q @ k.transpose(-2, -1){scale}\n");
        let (is_used, how) = (mask::is_used(self.problem), self.problem.mask_applied);
        let hidden = if self.meaning == MaskMeaning::Hidden { "hidden" } else { "~visible" };
        let visible = if self.meaning == MaskMeaning::Hidden { "~hidden" } else { "visible" };
        let is_after = matches!(how, MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised);
        if is_used && !is_after {
            let (which, comment) =
                if self.is_inverted() { (visible, "  # keep and drop swapped: a mistake") } else { (hidden, "") };
            text += &format!("scores = scores.masked_fill({which}, float(\"-inf\")){comment}\n");
        }
        text += "weights = torch.softmax(scores, dim=-1)\n";
        if is_used && !is_after {
            text += "weights = torch.nan_to_num(weights)  # a row that sees nothing has weights of zero\n";
        }
        if is_used && is_after {
            let comment = if how == MaskApplied::AfterSoftmax {
                "  # hidden after the softmax, and not renormalised: a mistake"
            } else {
                ""
            };
            text += &format!("weights = weights.masked_fill({hidden}, 0.0){comment}\n");
            if how == MaskApplied::AfterSoftmaxRenormalised {
                text += "rest = weights.sum(dim=-1, keepdim=True)\n";
                let filled = if rest_can_vanish(self.problem) { ".masked_fill(rest == 0, 1.0)" } else { "" };
                text += &format!("weights = weights / rest{filled}\n");
            }
        }
        text + &format!("{name} = weights @ v\n")
    }

    fn module(&self, given: &Projected) -> Vec<String> {
        let mut text =
            vec![format!("{}{}", literal::heading(self.problem), self.imports()), format!("\n{}\n", self.class(given))];
        let mut data = tensor("x", &given.x);
        data += &given.x_kv.as_ref().map_or_else(String::new, |x_kv| tensor("x_kv", x_kv));
        let keys_from = if given.x_kv.is_some() { "x_kv" } else { "x" };
        if mask::is_used(self.problem) {
            data += &format!("n, m = len(x), len({keys_from})\n");
        }
        text.push(data);
        text.push(self.mask());
        text.push(self.loaded(given));
        let mut arguments = vec!["x[None]"];
        arguments.extend(given.x_kv.as_ref().map(|_| "x_kv[None]"));
        arguments.extend(mask::is_used(self.problem).then(|| self.meaning.name()));
        let call = format!("output = attention({})[0]  # a batch of one\n", arguments.join(", "));
        text.push(format!("with torch.no_grad():\n{}", indented(&call, 4)));
        text.push(self.ending());
        text
    }

    fn class_name(&self, given: &Projected) -> &'static str {
        if given.x_kv.is_some() { "MultiHeadCrossAttention" } else { "MultiHeadSelfAttention" }
    }

    fn class(&self, given: &Projected) -> String {
        let heads = self.shapes.heads;
        let linears = self.linears(given);
        let mut init = "super().__init__()\n".to_owned();
        init += &format!("self.heads = {}\n", heads.query);
        if heads.key_value != heads.query {
            init += &format!("self.key_value_heads = {}\n", heads.key_value);
        }
        for (name, w, b) in &linears {
            let bias = if b.is_some() { "" } else { ", bias=False" };
            init += &format!("self.{name} = nn.Linear({}, {}{bias})\n", w.nrows(), w.ncols());
        }
        let key_value_heads = if heads.key_value == heads.query { "self.heads" } else { "self.key_value_heads" };
        let (keys_from, parameters) = if given.x_kv.is_some() { ("x_kv", "x, x_kv") } else { ("x", "x") };
        let mask = if mask::is_used(self.problem) { format!(", {}", self.meaning.name()) } else { String::new() };
        let mut forward = "batch, n, _ = x.shape\n".to_owned();
        let keys = if given.x_kv.is_some() {
            forward += "m = x_kv.shape[1]\n";
            "m"
        } else {
            "n"
        };
        forward += "# batch, heads, tokens, width of a head\n";
        forward += "q = self.w_q(x).reshape(batch, n, self.heads, -1).transpose(1, 2)\n";
        for name in ["k", "v"] {
            forward += &format!(
                "{name} = self.w_{name}({keys_from}).reshape(batch, {keys}, {key_value_heads}, -1).transpose(1, 2)\n"
            );
        }
        forward += &self.repeated(1);
        forward += &self.attention("context");
        forward += "concat = context.transpose(1, 2).reshape(batch, n, -1)  # heads side by side\n";
        forward += if self.problem.w_o.is_some() { "return self.w_o(concat)\n" } else { "return concat\n" };
        format!(
            "class {}(nn.Module):\n    def __init__(self):\n{}\n    def forward(self, {parameters}{mask}):\n{}",
            self.class_name(given),
            indented(&init, 8),
            indented(&forward, 8)
        )
    }

    fn linears<'b>(&'b self, given: &'b Projected) -> Vec<(&'static str, &'b Matrix, Option<&'b Vec<f64>>)> {
        let mut linears = vec![
            ("w_q", &given.w_q, given.b_q.as_ref()),
            ("w_k", &given.w_k, given.b_k.as_ref()),
            ("w_v", &given.w_v, given.b_v.as_ref()),
        ];
        linears.extend(self.problem.w_o.as_ref().map(|w_o| ("w_o", w_o, self.problem.b_o.as_ref())));
        linears
    }

    fn loaded(&self, given: &Projected) -> String {
        let mut text = format!("attention = {}().double()\n", self.class_name(given));
        text += "with torch.no_grad():  # Linear computes x @ weight.T + bias, so it keeps W transposed\n";
        for (name, w, b) in self.linears(given) {
            let weight = literal::matrix(w);
            let mut lines = format!("{name} = torch.tensor({weight}, dtype=torch.float64)\n");
            lines += &format!("attention.{name}.weight.copy_({name}.T)\n");
            if let Some(b) = b {
                let bias = literal::list(b);
                lines += &format!("attention.{name}.bias.copy_(torch.tensor({bias}, dtype=torch.float64))\n");
            }
            text += &indented(&lines, 4);
        }
        text
    }

    fn ending(&self) -> String {
        let mut text = "print(\"output =\", output.tolist())\n".to_owned();
        let trace = solve(self.problem).ok();
        if let Some(expected) = trace.as_ref().and_then(|trace| trace.get(Part::Output, 0)) {
            text += "\n# As Attention Lab computed it:\n";
            text += &tensor("expected", &expected.value);
            text += "assert torch.allclose(output, expected, rtol=1e-12, atol=1e-12)\n";
        }
        text
    }
}
