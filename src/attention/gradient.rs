//! Exact gradients: how an output, or a loss on it, moves with every number on the way.
//!
//! Backwards through the arithmetic that `explain` writes out, from the output to the inputs, step by step (reverse-mode
//! differentiation). What is differentiated is so what is shown, for every member of the family.

use super::explain::{SoftmaxForm, explain};
use super::expression::Expr;
use super::input::{input_index, matrix};
use super::place::{Part, Place};
use super::problem::{Matrix, Problem};
use super::trace::Trace;
use std::collections::{BTreeMap, HashMap};

/// What is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One number of the output.
    Cell { row: usize, column: usize },
    /// −ln softmax(output row)\[column\]: the row as logits, and the column that is right.
    CrossEntropy { row: usize, column: usize },
}

/// The derivative of the target by every number on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// The target itself.
    pub value: f64,
    by_place: HashMap<Place, f64>,
    /// Inputs that heads share are one number: all of its uses together, by part, row and column of the whole.
    by_input: HashMap<(Part, usize, usize), f64>,
}

impl Gradient {
    /// The derivative by one number; 0 where the target does not depend on it.
    pub fn at(&self, problem: &Problem, place: Place) -> f64 {
        match input_index(problem, place) {
            Some(index) => self.by_input.get(&index).copied(),
            None => self.by_place.get(&place).copied(),
        }
        .unwrap_or(0.0)
    }

    /// The derivatives by a whole matrix as one head sees it, of the same shape; `None` where it is absent.
    pub fn matrix(&self, problem: &Problem, trace: &Trace, part: Part, head: usize) -> Option<Matrix> {
        let values = matrix(problem, trace, part, head)?;
        let head = if part.is_per_head() { head } else { 0 };
        let at = |row, column| self.at(problem, Place { part, head, row, column });
        Some(Matrix::from_fn(values.nrows(), values.ncols(), at))
    }
}

/// The gradient of one output number or of a loss on its row. `None` where the row or the column is not there.
///
/// ```
/// # use attnlab::attention::{Part, Place, Problem, solve};
/// # use attnlab::attention::gradient::{Target, gradient};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1","inputs":{"q":[[0.5]],"k":[[1],[2]],"v":[[3],[5]]}}"#).unwrap();
/// let trace = solve(&problem).unwrap();
/// let gradient = gradient(&problem, &trace, Target::Cell { row: 0, column: 0 }).unwrap();
/// // The output is Σ w·v, so it moves with v as the weight says.
/// let weights = &trace.get(Part::Weights, 0).unwrap().value;
/// let place = Place { part: Part::V, head: 0, row: 1, column: 0 };
/// assert!((gradient.at(&problem, place) - weights[(0, 1)]).abs() <= 1e-15);
/// ```
pub fn gradient(problem: &Problem, trace: &Trace, target: Target) -> Option<Gradient> {
    let output = &trace.get(Part::Output, 0)?.value;
    let (Target::Cell { row, column } | Target::CrossEntropy { row, column }) = target;
    let given = output.get((row, column)).copied()?;
    let seed = |column| Place { part: Part::Output, head: 0, row, column };
    let mut backwards = Backwards { problem, pending: BTreeMap::new() };
    let value = match target {
        Target::Cell { .. } => {
            backwards.add(seed(column), 1.0);
            given
        }
        Target::CrossEntropy { .. } => {
            let logits: Vec<f64> = output.row(row).iter().copied().collect();
            let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logits.iter().map(|logit| (logit - most).exp()).sum();
            for (at, logit) in logits.iter().enumerate() {
                // The derivative of −ln softmax is the weight, less 1 at the right column.
                let weight = (logit - most).exp() / sum;
                backwards.add(seed(at), if at == column { weight - 1.0 } else { weight });
            }
            most + sum.ln() - given
        }
    };
    let (mut by_place, mut by_input) = (HashMap::new(), HashMap::new());
    // Every step is made from earlier parts only, so the last part is always complete.
    while let Some(((_, place), derivative)) = backwards.pending.pop_last() {
        if let Some(index) = input_index(problem, place) {
            *by_input.entry(index).or_insert(0.0) += derivative;
            continue;
        }
        by_place.insert(place, derivative);
        let expression = explain(problem, trace, place, SoftmaxForm::Shifted)?.expression;
        backwards.through(&expression, derivative);
    }
    Some(Gradient { value, by_place, by_input })
}

struct Backwards<'a> {
    problem: &'a Problem,
    /// Places that still have to be gone through, by part and then by place.
    pending: BTreeMap<(Part, Place), f64>,
}

impl Backwards<'_> {
    fn add(&mut self, place: Place, derivative: f64) {
        let place = if place.part.is_per_head() { place } else { Place { head: 0, ..place } };
        debug_assert!(place.head < self.problem.heads.query);
        *self.pending.entry((place.part, place)).or_insert(0.0) += derivative;
    }

    /// The chain rule: the derivative of the whole by this piece is `outer`.
    fn through(&mut self, piece: &Expr, outer: f64) {
        match piece {
            Expr::Cell(place, _) => self.add(*place, outer),
            Expr::Given(_) | Expr::Number(_) | Expr::Named(..) | Expr::Hidden => {}
            Expr::Sum(terms) => terms.iter().for_each(|term| self.through(term, outer)),
            Expr::Product(factors) => {
                for (at, factor) in factors.iter().enumerate() {
                    let others = factors.iter().enumerate().filter(|(other, _)| *other != at);
                    self.through(factor, outer * others.map(|(_, factor)| factor.evaluate()).product::<f64>());
                }
            }
            Expr::Quotient(above, below) => {
                let divisor = below.evaluate();
                self.through(above, outer / divisor);
                self.through(below, -outer * above.evaluate() / divisor / divisor);
            }
            Expr::Difference(from, what) => {
                self.through(from, outer);
                self.through(what, -outer);
            }
            Expr::Exp(power) => self.through(power, outer * power.evaluate().exp()),
            Expr::Sqrt(of) => self.through(of, outer * 0.5 / of.evaluate().sqrt()),
            Expr::Tanh(of) => self.through(of, outer * (1.0 - of.evaluate().tanh().powi(2))),
            Expr::Sin(of) => self.through(of, outer * of.evaluate().cos()),
            Expr::Cos(of) => self.through(of, -outer * of.evaluate().sin()),
            Expr::Power(base, exponent) => {
                let (base_value, exponent_value) = (base.evaluate(), exponent.evaluate());
                self.through(base, outer * exponent_value * base_value.powf(exponent_value - 1.0));
                self.through(exponent, outer * base_value.powf(exponent_value) * base_value.ln());
            }
            Expr::Max(all) => {
                let most = all.iter().map(Expr::evaluate).fold(f64::NEG_INFINITY, f64::max);
                if let Some(largest) = all.iter().find(|one| one.evaluate() == most) {
                    self.through(largest, outer);
                }
            }
        }
    }
}
