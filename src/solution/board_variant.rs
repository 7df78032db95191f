//! What is not the plain formula, on the board: the numbers that it brings with it, and its formula.

use super::board::Board;
use super::names::own;
use super::names_variant;
use super::tex;
use crate::attention::{Matrix, Normalise, Part, Position, Scale, Score, has_rule};

impl Board<'_> {
    /// The numbers that only variants have, whole, with all their digits.
    pub fn given_for_variants(&mut self) {
        let family = &self.problem.family;
        let row = |values: &Vec<f64>| Matrix::from_row_slice(1, values.len(), values);
        match &family.score {
            Score::Dot => {}
            Score::General { w } => self.given_matrix("W", w),
            Score::Concat { w, v } => {
                self.given_matrix("W", w);
                self.given_matrix("v", &row(v));
            }
            Score::Additive { w_q, w_k, v } => {
                self.given_matrix("W_1", w_q);
                self.given_matrix("W_2", w_k);
                self.given_matrix("v", &row(v));
            }
        }
        match &family.position {
            Position::Learned { table } => {
                // The rows of later positions are not used.
                let shapes = self.problem.shapes();
                self.given_matrix("T", &table.rows(0, shapes.n.max(shapes.m)).into_owned());
            }
            Position::Alibi { slopes } => self.one_a_head("\\lambda", slopes),
            Position::None | Position::Sinusoidal { .. } | Position::Rope(_) => {}
        }
        match &family.bias {
            None => {}
            Some(bias) => {
                let heads = bias.matrices();
                for (head, bias) in heads.iter().enumerate() {
                    self.given_matrix(&own("B", "", (heads.len() > 1).then_some(head)), bias);
                }
            }
        }
        if let Some(sink) = &family.sink {
            self.one_a_head("z", sink);
        }
        if family.dropout.p > 0.0 {
            let p = format!("${}$", tex::given(self.format, family.dropout.p));
            let factor = format!("$1/(1 - p) = {}$", self.number(1.0 / (1.0 - family.dropout.p)));
            self.say("solution-dropout", &[("p", p), ("factor", factor), ("seed", family.dropout.seed.to_string())]);
            for head in 0..self.problem.heads.query {
                self.matrix(Part::Kept, head);
            }
        }
    }

    /// What stands in the mask, which is added or multiplies.
    pub fn say_mask_how(&mut self) {
        self.say(if self.is_softmax() { "solution-mask-how" } else { "solution-mask-factor" }, &[]);
    }

    /// One number a head, side by side.
    fn one_a_head(&mut self, symbol: &str, values: &[f64]) {
        let of = |(head, &value): (usize, &f64)| {
            format!("{} = {}", own(symbol, "", (values.len() > 1).then_some(head)), tex::given(self.format, value))
        };
        let text = values.iter().enumerate().map(of).collect::<Vec<_>>().join(", \\quad ");
        self.page.math(&text);
    }

    /// The formula, step by step, of one head.
    pub fn formula_of_variant(&mut self, result: &str) {
        let family = &self.problem.family;
        let mut lines = Vec::new();
        if self.problem.is_encoded() {
            lines.push("X = X_0 + P".to_owned());
        }
        let scores = self.names.of_any_head(Part::Scores);
        if let Some(layer) = self.hidden_layer() {
            lines.push(format!("R_{{ij}} = v \\cdot \\tanh({layer})"));
        }
        if family.normalise == Normalise::Linear {
            lines.push("\\varphi(x) = \\begin{cases} x + 1 & x > 0 \\\\ e^{x} & x \\le 0 \\end{cases}".to_owned());
        } else {
            lines.push(match self.problem.scale {
                Scale::InverseSqrt => format!("S = \\frac{{{scores}}}{{\\sqrt{{d_k}}}}"),
                Scale::None => format!("S = {scores}"),
                Scale::Factor(factor) => format!("S = {} \\times {scores}", tex::given(self.format, factor)),
            });
        }
        if let Some(cap) = family.softcap {
            let cap = tex::given(self.format, cap);
            lines.push(format!("S_{{c}} = {cap} \\times \\tanh\\left(\\frac{{S}}{{{cap}}}\\right)"));
        }
        if matches!(family.position, Position::Alibi { .. }) {
            lines.push("\\Delta_{ij} = |i - j|".to_owned());
        }
        lines.push(self.weights_formula());
        lines.push(format!("{result} = A V"));
        for line in lines {
            self.page.math(&line);
        }
    }

    /// What stands in the tanh of a score with a hidden layer.
    fn hidden_layer(&self) -> Option<&'static str> {
        let is_rotated = matches!(self.problem.family.position, Position::Rope(_));
        match (&self.problem.family.score, is_rotated) {
            (Score::Dot | Score::General { .. }, _) => None,
            (Score::Concat { .. }, false) => Some("[q_i; k_j] W"),
            (Score::Concat { .. }, true) => Some("[q_{r,i}; k_{r,j}] W"),
            (Score::Additive { .. }, false) => Some("q_i W_1 + k_j W_2"),
            (Score::Additive { .. }, true) => Some("q_{r,i} W_1 + k_{r,j} W_2"),
        }
    }

    fn weights_formula(&self) -> String {
        let family = &self.problem.family;
        let before = self.names.of_any_head(Part::before_mask(self.problem));
        let scores =
            if has_rule(&self.problem.mask) { names_variant::masked(self.problem, &before, "M") } else { before };
        let is_dropped = family.dropout.p > 0.0;
        if self.is_softmax() && family.sink.is_none() {
            let kept = if is_dropped { "D \\odot " } else { "" };
            return format!("A = {kept}\\operatorname{{softmax}}\\left({scores}\\right)");
        }
        let kept = if is_dropped { "D_{ij} \\times " } else { "" };
        let quotient = if self.is_softmax() {
            "\\frac{e^{N_{ij}}}{\\sum_j e^{N_{ij}} + e^{z}}"
        } else {
            "\\frac{N_{ij}}{\\sum_j N_{ij}}"
        };
        format!("A_{{ij}} = {kept}{quotient}, \\quad N = {scores}")
    }
}
