//! The arithmetic of the steps that only variants have: rotation, encoding, feature map, other scores, bias.

use super::explain::{Writer, product, quotient};
use super::expression::Expr;
use super::place::{Part, Place};
use super::position::{Position, Scaling};
use super::score::Score;

impl Writer<'_> {
    /// One of a pair, turned by pθ: a cos pθ − b sin pθ, a sin pθ + b cos pθ.
    pub(super) fn rotated(&self) -> Expr {
        let Place { part, row, column, .. } = self.place;
        let Some(rope) = self.problem.family.position.rope() else { return Expr::Number(f64::NAN) };
        let d = self.problem.shapes().d_k;
        let (from, position) = match part {
            Part::QRotated => (Part::Q, self.problem.query_position(row)),
            _ => (Part::K, row as f64),
        };
        let (pair, is_second) = rope.pair_of(column, d);
        let (a, b) = rope.pair(pair, d);
        let exponent = Expr::Number(-(2.0 * pair as f64) / d as f64);
        let theta = Expr::Power(Box::new(Expr::Named("base", rope.scaled_base(d))), Box::new(exponent));
        let position = match rope.scaling {
            Scaling::Linear { factor } => {
                quotient(Expr::Named("position", rope.offset + position), Expr::Named("factor", factor))
            }
            Scaling::None | Scaling::Ntk { .. } => Expr::Named("position", rope.offset + position),
        };
        let angle = Box::new(product(position, theta));
        let (a, b) = (self.cell(from, row, a), self.cell(from, row, b));
        let (sin, cos) = (Expr::Sin(angle.clone()), Expr::Cos(angle));
        if is_second {
            Expr::Sum(vec![product(a, sin), product(b, cos)])
        } else {
            Expr::Difference(Box::new(product(a, cos)), Box::new(product(b, sin)))
        }
    }

    /// sin(pos / base^(2i/d)) or its cosine; a row of the table.
    pub(super) fn encoding(&self) -> Expr {
        let Place { row, column, .. } = self.place;
        match &self.problem.family.position {
            Position::Sinusoidal { base } => {
                let width = self.problem.shapes().d_model.unwrap_or(0);
                let exponent = Expr::Number(Position::exponent(column, width));
                let below = Expr::Power(Box::new(Expr::Named("base", *base)), Box::new(exponent));
                let angle = Box::new(quotient(Expr::Named("position", row as f64), below));
                if column.is_multiple_of(2) { Expr::Sin(angle) } else { Expr::Cos(angle) }
            }
            Position::Learned { .. } => self.cell(Part::Table, row, column),
            Position::None | Position::Rope(_) | Position::Alibi { .. } => Expr::Number(f64::NAN),
        }
    }

    /// φ(x): x + 1 above zero, eˣ below.
    pub(super) fn feature(&self) -> Expr {
        let Place { part, row, column, .. } = self.place;
        let is_rotated = self.problem.family.position.rope().is_some();
        let from = match (part, is_rotated) {
            (Part::QFeatures, true) => Part::QRotated,
            (Part::QFeatures, false) => Part::Q,
            (_, true) => Part::KRotated,
            (_, false) => Part::K,
        };
        let cell = self.cell(from, row, column);
        if cell.evaluate() > 0.0 { Expr::Sum(vec![cell, Expr::Number(1.0)]) } else { Expr::Exp(Box::new(cell)) }
    }

    /// k · Wᵀ.
    pub(super) fn transformed(&self) -> Expr {
        let Place { row, column, .. } = self.place;
        let (_, k) = Part::compared(self.problem);
        let term = |c| product(self.cell(k, row, c), self.cell(Part::ScoreW, column, c));
        Expr::Sum((0..self.problem.shapes().d_k).map(term).collect())
    }

    /// tanh(q·W_q + k·W_k).
    pub(super) fn hidden(&self) -> Expr {
        let Place { row, column, .. } = self.place;
        let Some(d_a) = self.problem.family.score.hidden_width() else { return Expr::Number(f64::NAN) };
        let (key, a) = (column / d_a, column % d_a);
        let (q, k) = Part::compared(self.problem);
        let d_k = self.problem.shapes().d_k;
        // Concat holds both in one matrix, q's rows first.
        let (w_q, w_k, first) = match self.problem.family.score {
            Score::Concat { .. } => (Part::ScoreW, Part::ScoreW, d_k),
            _ => (Part::ScoreWQ, Part::ScoreWK, 0),
        };
        let of_q = (0..d_k).map(|c| product(self.cell(q, row, c), self.cell(w_q, c, a)));
        let of_k = (0..d_k).map(|c| product(self.cell(k, key, c), self.cell(w_k, first + c, a)));
        Expr::Tanh(Box::new(Expr::Sum(vec![Expr::Sum(of_q.collect()), Expr::Sum(of_k.collect())])))
    }

    /// s − slope·|i' − j| + b.
    pub(super) fn biased(&self) -> Expr {
        let Place { head, row, column, .. } = self.place;
        let family = &self.problem.family;
        let before = if family.softcap.is_some() { Part::Capped } else { Part::Scaled };
        let mut expression = self.cell(before, row, column);
        if let Position::Alibi { .. } = &family.position {
            let distance = (self.problem.query_position(row) - column as f64).abs();
            let penalty = product(self.cell(Part::Slopes, 0, head), Expr::Named("distance", distance));
            expression = Expr::Difference(Box::new(expression), Box::new(penalty));
        }
        if family.bias.is_some() {
            expression = Expr::Sum(vec![expression, self.cell(Part::Bias, row, column)]);
        }
        expression
    }
}
