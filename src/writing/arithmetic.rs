//! The arithmetic of one cell, written out line by line until one number is left.

use crate::attention::{Expr, Place};

/// One piece of a written line: plain text, or a number that came from a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(String),
    Cell(Place, String),
}

/// The lines from the full expression to the number: in each the innermost operations have been done.
pub fn lines(expression: &Expr, number: &dyn Fn(f64) -> String) -> Vec<Vec<Piece>> {
    let mut lines = Vec::new();
    for stage in stages(expression) {
        let mut line = Vec::new();
        write(&stage, 0, number, &mut line);
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The same as expressions: the whole one first, the number last.
///
/// ```
/// # use attnlab::{attention::Expr, writing::arithmetic::stages};
/// let half = Expr::Quotient(Box::new(Expr::Number(1.0)), Box::new(Expr::Number(2.0)));
/// assert_eq!(stages(&half), [half, Expr::Number(0.5)]);
/// ```
pub fn stages(expression: &Expr) -> Vec<Expr> {
    let mut stages = vec![expression.clone()];
    while let Some(last) = stages.last().filter(|last| !is_leaf(last)) {
        stages.push(reduce(last));
    }
    stages
}

/// The line as text.
pub fn spoken(line: &[Piece]) -> String {
    line.iter()
        .map(|piece| match piece {
            Piece::Text(text) | Piece::Cell(_, text) => text.as_str(),
        })
        .collect()
}

fn is_leaf(expression: &Expr) -> bool {
    matches!(expression, Expr::Given(_) | Expr::Cell(..) | Expr::Number(_) | Expr::Named(..) | Expr::Hidden)
}

/// Does every operation whose operands are numbers already.
fn reduce(expression: &Expr) -> Expr {
    let many = |parts: &[Expr]| parts.iter().map(reduce).collect::<Vec<_>>();
    let one = |part: &Expr| Box::new(reduce(part));
    let ready = match expression {
        Expr::Sum(parts) | Expr::Product(parts) | Expr::Max(parts) => parts.iter().all(is_leaf),
        Expr::Quotient(a, b) | Expr::Difference(a, b) | Expr::Power(a, b) => is_leaf(a) && is_leaf(b),
        Expr::Exp(a) | Expr::Sqrt(a) | Expr::Tanh(a) | Expr::Sin(a) | Expr::Cos(a) => is_leaf(a),
        leaf => return leaf.clone(),
    };
    if ready {
        return Expr::Number(expression.evaluate());
    }
    match expression {
        Expr::Sum(parts) => Expr::Sum(many(parts)),
        Expr::Product(parts) => Expr::Product(many(parts)),
        Expr::Max(parts) => Expr::Max(many(parts)),
        Expr::Quotient(a, b) => Expr::Quotient(one(a), one(b)),
        Expr::Difference(a, b) => Expr::Difference(one(a), one(b)),
        Expr::Exp(a) => Expr::Exp(one(a)),
        Expr::Sqrt(a) => Expr::Sqrt(one(a)),
        Expr::Tanh(a) => Expr::Tanh(one(a)),
        Expr::Sin(a) => Expr::Sin(one(a)),
        Expr::Cos(a) => Expr::Cos(one(a)),
        Expr::Power(a, b) => Expr::Power(one(a), one(b)),
        leaf => leaf.clone(),
    }
}

/// How tightly an operation binds: a looser one inside a tighter one needs brackets.
fn binding(expression: &Expr) -> u8 {
    match expression {
        Expr::Sum(parts) if parts.len() > 1 => 1,
        Expr::Difference(..) => 1,
        Expr::Product(parts) if parts.len() > 1 => 2,
        Expr::Quotient(..) => 2,
        Expr::Power(..) => 3,
        _ => 4,
    }
}

fn write(expression: &Expr, outer: u8, number: &dyn Fn(f64) -> String, line: &mut Vec<Piece>) {
    let inner = binding(expression);
    let brackets = inner < outer;
    let text = |line: &mut Vec<Piece>, text: &str| match line.last_mut() {
        Some(Piece::Text(last)) => last.push_str(text),
        _ => line.push(Piece::Text(text.to_owned())),
    };
    // A negative operand is bracketed, as on the board.
    let signed = |line: &mut Vec<Piece>, value: f64, piece: Piece| {
        let brackets = value < 0.0 && value.is_finite() && outer > 0;
        if brackets {
            text(line, "(");
        }
        match piece {
            Piece::Text(plain) => text(line, &plain),
            cell => line.push(cell),
        }
        if brackets {
            text(line, ")");
        }
    };
    if brackets {
        text(line, "(");
    }
    let joined = |line: &mut Vec<Piece>, parts: &[Expr], between: &str| {
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                text(line, between);
            }
            write(part, inner.max(u8::from(i > 0)), number, line);
        }
    };
    match expression {
        Expr::Cell(place, value) => signed(line, *value, Piece::Cell(*place, number(*value))),
        Expr::Given(value) | Expr::Number(value) => signed(line, *value, Piece::Text(number(*value))),
        Expr::Named(name, value) => text(line, &format!("{} [{name}]", number(*value))),
        Expr::Hidden => text(line, "−∞"),
        Expr::Sum(parts) if parts.is_empty() => text(line, "0"),
        Expr::Sum(parts) => joined(line, parts, " + "),
        Expr::Product(parts) => joined(line, parts, " × "),
        Expr::Max(parts) => {
            text(line, "max(");
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    text(line, ", ");
                }
                write(part, 0, number, line);
            }
            text(line, ")");
        }
        Expr::Quotient(a, b) => {
            write(a, 2, number, line);
            text(line, " / ");
            write(b, 3, number, line);
        }
        Expr::Difference(a, b) => {
            write(a, 1, number, line);
            text(line, " − ");
            write(b, 2, number, line);
        }
        Expr::Exp(a) | Expr::Tanh(a) | Expr::Sin(a) | Expr::Cos(a) => {
            text(
                line,
                match expression {
                    Expr::Tanh(_) => "tanh(",
                    Expr::Sin(_) => "sin(",
                    Expr::Cos(_) => "cos(",
                    _ => "exp(",
                },
            );
            write(a, 0, number, line);
            text(line, ")");
        }
        Expr::Power(a, b) => {
            write(a, 4, number, line);
            text(line, "^");
            write(b, 4, number, line);
        }
        Expr::Sqrt(a) => {
            text(line, "√");
            write(a, 4, number, line);
        }
    }
    if brackets {
        text(line, ")");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::{NumberFormat, Rounding};

    fn written(expression: &Expr) -> Vec<String> {
        let format = NumberFormat { digits: 4, rounding: Rounding::Round };
        lines(expression, &|value| format.natural(value)).iter().map(|line| spoken(line)).collect()
    }

    fn number(value: f64) -> Expr {
        Expr::Number(value)
    }

    #[test]
    fn a_weight_is_worked_as_in_the_article() {
        let exp = |value| Expr::Exp(Box::new(number(value)));
        let sum = Expr::Sum(vec![exp(0.5), exp(1.0), exp(0.25)]);
        assert_eq!(
            written(&Expr::Quotient(Box::new(exp(0.5)), Box::new(sum))),
            [
                "exp(0.5) / (exp(0.5) + exp(1) + exp(0.25))",
                "1.6487 / (1.6487 + 2.7183 + 1.2840)",
                "1.6487 / 5.6510",
                "0.2918",
            ]
        );
    }

    #[test]
    fn an_output_is_a_sum_of_products() {
        let product = |a, b| Expr::Product(vec![number(a), number(b)]);
        assert_eq!(
            written(&Expr::Sum(vec![product(0.25, 2.0), product(0.5, -1.0)])),
            ["0.25 × 2 + 0.5 × (−1)", "0.5 + (−0.5)", "0"]
        );
    }
}
