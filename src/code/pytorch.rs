//! The problem as PyTorch code: plain tensors for given q, k and v, a module where tokens are projected.

use super::library::Library;
use super::literal;
use super::mask::{self, MaskMeaning};
use super::pytorch_attention::Attention;
use super::{position, score};
use crate::attention::{Inputs, MaskApplied, Matrix, Part, Position, Problem, Projected, Shapes, has_rule, solve};

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
/// computes what it can express; what it cannot (a mask applied after the softmax, rows that see nothing, which older
/// versions answer with NaN, a softcap, a sink, …) is written out step by step.
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
        let counts_positions = matches!(self.problem.family.position, Position::Rope(_) | Position::Alibi { .. });
        let uses_sizes = heads.query > 1 || mask::is_used(self.problem) || counts_positions;
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
            self.definitions(),
            [tensor("q", q), tensor("k", k), tensor("v", v), sizes.to_owned()].concat(),
            score::numbers(self.problem, Library::PyTorch),
            split,
            self.mask(),
            self.attention(if self.problem.joins_heads() { "context" } else { "output" }, "m"),
            joined,
            self.ending(),
        ]
    }

    fn imports(&self) -> String {
        let mut text = "import torch\n".to_owned();
        if Attention::of(self.problem, self.meaning, "m").is_expressible() {
            text += "import torch.nn.functional as F\n";
        }
        if matches!(self.problem.inputs, Inputs::Projected(_)) {
            text += "from torch import nn\n";
        }
        text
    }

    /// The functions that the program needs.
    fn definitions(&self) -> String {
        position::definitions(self.problem, Library::PyTorch) + &score::definitions(self.problem, Library::PyTorch)
    }

    /// From q, k, v (… , tokens, width) and the mask to the context, under this name; `keys` is the name of m.
    fn attention(&self, name: &str, keys: &str) -> String {
        Attention::of(self.problem, self.meaning, keys).lines(name)
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

    fn module(&self, given: &Projected) -> Vec<String> {
        let mut text = vec![format!("{}{}", literal::heading(self.problem), self.imports())];
        // What the module takes from outside of itself.
        text.push(self.definitions());
        text.push(score::numbers(self.problem, Library::PyTorch));
        text.push(format!("\n{}\n", self.class(given)));
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
        // The encoding is added to queries and keys alike.
        let mut forward = position::added(self.problem, "x", "x.shape[1]", "x.shape[2]");
        if given.x_kv.is_some() {
            forward += &position::added(self.problem, "x_kv", "x_kv.shape[1]", "x_kv.shape[2]");
        }
        forward += "batch, n, _ = x.shape\n";
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
        forward += &self.attention("context", keys);
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
