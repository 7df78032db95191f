//! Numbers, arithmetic and matrices in the notation of LaTeX, which Markdown's mathematics shares.

use crate::attention::{Expr, Matrix};
use crate::writing::NumberFormat;
use crate::writing::arithmetic::stages;

/// A sum of more terms, or a side of a matrix that is longer, is shown with dots.
const MOST_TERMS: usize = 12;
pub(super) const MOST_ROWS: usize = 16;

/// A number; exact ones without zeros at their end. One too small for its digits is written as a power of ten.
pub(super) fn number(format: NumberFormat, value: f64) -> String {
    let natural = format.natural(value);
    let vanishes = value != 0.0 && natural.contains('.') && natural.chars().all(|c| matches!(c, '0' | '.'));
    let text = if vanishes { format!("{value:.*e}", format.digits.min(4)) } else { natural };
    let text = text.replace('−', "-").replace('∞', "\\infty");
    match text.split_once('e') {
        Some((digits, power)) => format!("{digits} \\cdot 10^{{{power}}}"),
        None => text,
    }
}

/// A given number with all its digits, so that nobody has to work with another.
pub(super) fn given(format: NumberFormat, value: f64) -> String {
    let is_plain = value == 0.0 || (1e-9..1e7).contains(&value.abs());
    if is_plain { format!("{}", if value == 0.0 { 0.0 } else { value }) } else { number(format, value) }
}

/// What an expression equals, step by step; a step that looks like the one before is left out.
pub(super) fn chain(format: NumberFormat, expression: &Expr) -> Vec<String> {
    let mut chain: Vec<String> = stages(expression).iter().map(|stage| written(format, stage, 0)).collect();
    chain.dedup();
    chain
}

/// How tightly it binds: a looser one inside a tighter one needs brackets. (Fractions and roots enclose.)
fn binding(expression: &Expr) -> u8 {
    match expression {
        Expr::Sum(parts) | Expr::Product(parts) if parts.len() == 1 => binding(&parts[0]),
        Expr::Sum(_) | Expr::Difference(..) => 1,
        Expr::Product(_) => 2,
        Expr::Power(..) => 3,
        _ => 4,
    }
}

fn written(format: NumberFormat, expression: &Expr, outer: u8) -> String {
    // One term alone is no sum, and needs no brackets.
    if let Expr::Sum(parts) | Expr::Product(parts) = expression
        && let [only] = parts.as_slice()
    {
        return written(format, only, outer);
    }
    let inner = binding(expression);
    let of = |part: &Expr, outer| written(format, part, outer);
    let many = |parts: &[Expr], sign: &str| {
        // The first number of a line may be negative without brackets.
        let outer_of = |index, part| if index == 0 && outer == 0 && binding(part) == 4 { 0 } else { inner };
        let mut texts: Vec<String> =
            parts.iter().enumerate().map(|(index, part)| of(part, outer_of(index, part))).collect();
        shorten(&mut texts);
        texts.join(sign)
    };
    let of_all = |parts: &[Expr]| {
        let mut texts: Vec<String> = parts.iter().map(|part| of(part, 0)).collect();
        shorten(&mut texts);
        texts.join(", ")
    };
    let text = match expression {
        Expr::Given(value) | Expr::Cell(_, value) | Expr::Number(value) | Expr::Named(_, value) => {
            // A negative operand is bracketed, as on the board; and a power of ten that is raised itself.
            let text = number(format, *value);
            let is_raised = outer > 2 && text.contains(' ');
            return if is_raised || (outer > 0 && text.starts_with('-')) { format!("({text})") } else { text };
        }
        Expr::Hidden => return if outer > 0 { "(-\\infty)" } else { "-\\infty" }.to_owned(),
        Expr::Sum(parts) if parts.is_empty() => return "0".to_owned(),
        Expr::Sum(parts) => many(parts, " + "),
        Expr::Product(parts) => many(parts, " \\times "),
        Expr::Max(parts) => format!("\\max({})", of_all(parts)),
        Expr::Quotient(above, below) => format!("\\frac{{{}}}{{{}}}", of(above, 0), of(below, 0)),
        Expr::Difference(from, what) => format!("{} - {}", of(from, outer.min(1)), of(what, 2)),
        Expr::Exp(power) => format!("e^{{{}}}", of(power, 0)),
        Expr::Tanh(of_what) => format!("\\tanh({})", of(of_what, 0)),
        Expr::Sin(angle) => format!("\\sin({})", of(angle, 0)),
        Expr::Cos(angle) => format!("\\cos({})", of(angle, 0)),
        Expr::Power(base, exponent) => format!("{}^{{{}}}", of(base, 4), of(exponent, 0)),
        Expr::Sqrt(root) => format!("\\sqrt{{{}}}", of(root, 0)),
    };
    if inner < outer { format!("({text})") } else { text }
}

fn shorten(texts: &mut Vec<String>) {
    if texts.len() > MOST_TERMS {
        texts.splice(3..texts.len() - 1, ["\\cdots".to_owned()]);
    }
}

/// A matrix in square brackets; a large one with dots in place of its middle.
pub(super) fn matrix(values: &Matrix, cell: impl Fn(usize, usize) -> String) -> String {
    let (rows, columns) = (shown(values.nrows()), shown(values.ncols()));
    let row = |row: Option<usize>| {
        let cells = columns.iter().map(|column| match (row, column) {
            (Some(row), Some(column)) => cell(row, *column),
            (Some(_), None) => "\\cdots".to_owned(),
            (None, Some(_)) => "\\vdots".to_owned(),
            (None, None) => "\\ddots".to_owned(),
        });
        cells.collect::<Vec<_>>().join(" & ")
    };
    let rows = rows.iter().map(|&index| row(index)).collect::<Vec<_>>().join(" \\\\\n");
    format!("\\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}")
}

/// Which rows or columns are shown; `None` stands for those that are not.
fn shown(count: usize) -> Vec<Option<usize>> {
    if count <= MOST_ROWS {
        return (0..count).map(Some).collect();
    }
    (0..MOST_ROWS - 2).map(Some).chain([None, Some(count - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing::Rounding;

    const FOUR: NumberFormat = NumberFormat { digits: 4, rounding: Rounding::Round };

    #[test]
    fn arithmetic_is_written_as_on_the_board() {
        let number = Expr::Number;
        let sum = Expr::Sum(vec![
            Expr::Product(vec![number(0.5), number(-1.0)]),
            Expr::Product(vec![number(0.25), number(2.0)]),
        ]);
        assert_eq!(chain(FOUR, &sum), ["0.5 \\times (-1) + 0.25 \\times 2", "-0.5 + 0.5", "0"]);
        let root = Expr::Quotient(Box::new(number(2.0)), Box::new(Expr::Sqrt(Box::new(number(2.0)))));
        assert_eq!(chain(FOUR, &root), ["\\frac{2}{\\sqrt{2}}", "\\frac{2}{1.4142}", "1.4142"]);
    }

    #[test]
    fn numbers_keep_what_they_are() {
        let written = [0.25, 0.25f64.exp(), 1e-9, -1.5e9, f64::NEG_INFINITY, 0.0].map(|value| number(FOUR, value));
        let expected = ["0.25", "1.2840", "1.0000 \\cdot 10^{-9}", "-1.5000 \\cdot 10^{9}", "-\\infty", "0"];
        assert_eq!(written, expected);
        assert_eq!((given(FOUR, 0.123456), given(FOUR, -0.0)), ("0.123456".to_owned(), "0".to_owned()));
    }

    #[test]
    fn a_large_matrix_has_dots() {
        let text = matrix(&Matrix::zeros(40, 2), |_, _| "0".to_owned());
        assert_eq!((text.matches("\\vdots").count(), text.lines().count()), (2, MOST_ROWS + 2));
    }
}
