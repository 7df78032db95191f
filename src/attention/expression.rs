//! Arithmetic as data, with the numbers filled in: what an explanation shows, and what a test evaluates.

use super::place::Place;

/// One piece of arithmetic. Sums run from left to right, as `solve` runs them.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// The number is an input: nothing was computed.
    Given(f64),
    /// Another cell, and its value.
    Cell(Place, f64),
    Number(f64),
    /// A number with a name: `d_k`, `scale`, `max` (the row's largest score), `row_sum`.
    Named(&'static str, f64),
    Sum(Vec<Expr>),
    Product(Vec<Expr>),
    Quotient(Box<Expr>, Box<Expr>),
    Difference(Box<Expr>, Box<Expr>),
    Exp(Box<Expr>),
    Sqrt(Box<Expr>),
    Tanh(Box<Expr>),
    Sin(Box<Expr>),
    Cos(Box<Expr>),
    /// Base and exponent.
    Power(Box<Expr>, Box<Expr>),
    Max(Vec<Expr>),
    /// Shown as −∞: the pair takes no part in what follows.
    Hidden,
}

impl Expr {
    /// The value, at full precision.
    ///
    /// ```
    /// # use attnlab::attention::Expr;
    /// let half = Expr::Quotient(Box::new(Expr::Number(1.0)), Box::new(Expr::Named("d_k", 2.0)));
    /// assert_eq!(half.evaluate(), 0.5);
    /// ```
    pub fn evaluate(&self) -> f64 {
        match self {
            Expr::Given(value) | Expr::Cell(_, value) | Expr::Number(value) | Expr::Named(_, value) => *value,
            Expr::Sum(terms) => terms.iter().fold(0.0, |sum, term| sum + term.evaluate()),
            Expr::Product(factors) => factors.iter().map(Expr::evaluate).product(),
            Expr::Quotient(above, below) => above.evaluate() / below.evaluate(),
            Expr::Difference(from, what) => from.evaluate() - what.evaluate(),
            Expr::Exp(power) => power.evaluate().exp(),
            Expr::Sqrt(of) => of.evaluate().sqrt(),
            Expr::Tanh(of) => of.evaluate().tanh(),
            Expr::Sin(of) => of.evaluate().sin(),
            Expr::Cos(of) => of.evaluate().cos(),
            Expr::Power(base, exponent) => base.evaluate().powf(exponent.evaluate()),
            Expr::Max(of) => of.iter().fold(f64::NEG_INFINITY, |max, item| max.max(item.evaluate())),
            Expr::Hidden => f64::NEG_INFINITY,
        }
    }

    /// Every cell in it, from left to right, each once.
    pub fn cells(&self) -> Vec<Place> {
        let mut cells = Vec::new();
        self.visit(&mut |place| cells.push(place));
        without_duplicates(cells)
    }

    fn visit(&self, see: &mut impl FnMut(Place)) {
        match self {
            Expr::Cell(place, _) => see(*place),
            Expr::Given(_) | Expr::Number(_) | Expr::Named(..) | Expr::Hidden => {}
            Expr::Sum(items) | Expr::Product(items) | Expr::Max(items) => {
                for item in items {
                    item.visit(see);
                }
            }
            Expr::Quotient(first, second) | Expr::Difference(first, second) | Expr::Power(first, second) => {
                first.visit(see);
                second.visit(see);
            }
            Expr::Exp(of) | Expr::Sqrt(of) | Expr::Tanh(of) | Expr::Sin(of) | Expr::Cos(of) => of.visit(see),
        }
    }
}

/// The same places in the same order, each once.
pub(super) fn without_duplicates(places: impl IntoIterator<Item = Place>) -> Vec<Place> {
    let mut seen = std::collections::HashSet::new();
    places.into_iter().filter(|place| seen.insert(*place)).collect()
}
