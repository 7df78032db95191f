//! From a number to its arithmetic: what it was computed from, written out with the numbers filled in.
//!
//! It is written beside `solve`, not recorded by it, and in the words of a reader: a weight is exp(s) / Σ exp(s) unless
//! the shifted form is asked for. A test in `tests/laws` evaluates the explanation of every cell and compares. How an
//! explanation is worded is the page's affair.

use super::expression::{Expr, without_duplicates};
use super::family::Normalise;
use super::input::value;
use super::mask::{self, MaskRule};
use super::normalise::{LARGEST_SHOWN_EXPONENT, Normaliser, largest, weigh_by};
use super::place::{Part, Place};
use super::position::Position;
use super::problem::{Inputs, MaskApplied, Problem, Scale};
use super::score::Score;
use super::solve::row_of;
use super::trace::Trace;

/// How a weight is written: both forms give the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SoftmaxForm {
    /// exp of the score itself, as articles do.
    #[default]
    Plain,
    /// The row's maximum subtracted first, as programs do.
    Shifted,
}

/// Where one number came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub place: Place,
    pub value: f64,
    pub expression: Expr,
    /// Every cell that decides the number, each once: those of the expression, and the cells of the mask that
    /// hide something.
    pub sources: Vec<Place>,
    /// For a cell of the mask: the rules that hide the pair; none where it is visible.
    pub rules: Vec<MaskRule>,
}

/// The arithmetic of any cell of any part; of an input, that it is given. `None` outside of the problem.
///
/// A weight is exp(s) / Σ exp(s) in the plain form. Where exp of the row would overflow or vanish (its largest
/// score is beyond ±700), the shifted form is given instead.
///
/// ```
/// # use attnlab::attention::{explain, solve, Part, Place, Problem, SoftmaxForm};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[0.5]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#).unwrap();
/// let trace = solve(&problem).unwrap();
/// let place = Place { part: Part::Weights, head: 0, row: 0, column: 1 };
/// let explanation = explain(&problem, &trace, place, SoftmaxForm::Plain).unwrap();
/// assert!((explanation.expression.evaluate() - explanation.value).abs() < 1e-12);
/// assert_eq!(explanation.sources.len(), 3); // the row's scores
/// ```
pub fn explain(problem: &Problem, trace: &Trace, place: Place, form: SoftmaxForm) -> Option<Explanation> {
    let value = value(problem, trace, place)?;
    let writer = Writer { problem, trace, place, form };
    let (expression, more_sources) = writer.write(value);
    let sources = without_duplicates(expression.cells().into_iter().chain(more_sources));
    let rules = if place.part == Part::Mask { mask::hidden_by(problem, place.row, place.column) } else { Vec::new() };
    Some(Explanation { place, value, expression, sources, rules })
}

/// Every cell that a number depends on, however far back, each once: its sources, their sources, down to the
/// inputs.
pub fn ancestry(problem: &Problem, trace: &Trace, place: Place) -> Vec<Place> {
    let sources_of = |place| {
        explain(problem, trace, place, SoftmaxForm::Plain).map_or_else(Vec::new, |explanation| explanation.sources)
    };
    let mut found = sources_of(place);
    let mut seen: std::collections::HashSet<Place> = found.iter().copied().collect();
    let mut next = 0;
    while next < found.len() {
        found.extend(sources_of(found[next]).into_iter().filter(|source| seen.insert(*source)));
        next += 1;
    }
    found
}

pub(super) struct Writer<'a> {
    pub(super) problem: &'a Problem,
    trace: &'a Trace,
    pub(super) place: Place,
    form: SoftmaxForm,
}

/// An expression, and sources that are not written in it.
type Written = (Expr, Vec<Place>);

impl Writer<'_> {
    fn write(&self, value: f64) -> Written {
        let Place { part, head, row, column } = self.place;
        let expression = match part {
            _ if part.is_input(self.problem) => Expr::Given(value),
            Part::Q => self.projection(Part::X, Part::WQ, Part::BQ),
            Part::K => self.projection(self.keys_from(), Part::WK, Part::BK),
            Part::V => self.projection(self.keys_from(), Part::WV, Part::BV),
            Part::Scores => {
                let (q, mut k) = Part::compared(self.problem);
                if let Some((_, _, v)) = self.problem.family.score.hidden_layer() {
                    let term = |a: usize| {
                        product(self.cell(Part::ScoreV, 0, a), self.cell(Part::Hidden, row, column * v.len() + a))
                    };
                    return (Expr::Sum((0..v.len()).map(term).collect()), Vec::new());
                }
                if matches!(self.problem.family.score, Score::General { .. }) {
                    k = Part::KTransformed;
                }
                let width = self.problem.shapes().d_k;
                let term = |c| product(self.cell(q, row, c), self.cell(k, column, c));
                Expr::Sum((0..width).map(term).collect())
            }
            Part::QRotated | Part::KRotated => self.rotated(),
            Part::QFeatures | Part::KFeatures => self.feature(),
            Part::KTransformed => self.transformed(),
            Part::Hidden => self.hidden(),
            Part::Capped => {
                let cap = Expr::Named("c", self.problem.family.softcap.unwrap_or(f64::NAN));
                let inner = quotient(self.cell(Part::Scaled, row, column), cap.clone());
                product(cap, Expr::Tanh(Box::new(inner)))
            }
            Part::Biased => self.biased(),
            Part::SinkWeight => return self.sink_weight(),
            Part::Kept => {
                let p = self.problem.family.dropout.p;
                if value == 0.0 {
                    Expr::Number(0.0)
                } else {
                    quotient(
                        Expr::Number(1.0),
                        Expr::Difference(Box::new(Expr::Number(1.0)), Box::new(Expr::Named("p", p))),
                    )
                }
            }
            Part::Scaled => self.scaled(),
            Part::Mask => Expr::Number(value),
            Part::Masked => return self.masked(),
            Part::Exp => return self.exp(),
            Part::RowSum => {
                let takes_part = mask::applied_row(self.problem, row);
                if let Some(sink) = Row::of(self).shown_sink() {
                    let cells = (0..takes_part.len()).filter(|&key| takes_part[key]);
                    let terms = cells.map(|key| self.cell(Part::Exp, row, key)).chain([sink]).collect();
                    // Where the row's maximum is subtracted from the sink, every score decides it.
                    return (Expr::Sum(terms), self.score_places(&takes_part));
                }
                return self.sum_or_zero(&takes_part, |key| self.cell(Part::Exp, row, key));
            }
            Part::Weights => return self.weight(),
            Part::Leak => {
                let hidden: Vec<bool> = self.rules().iter().map(|visible| !visible).collect();
                let (expression, _) = self.sum_or_zero(&hidden, |key| self.cell(Part::Weights, row, key));
                return (expression, self.mask_cells(&hidden));
            }
            Part::Context => {
                let carried = mask::carried_row(self.problem, row);
                let term = |key| product(self.cell(Part::Weights, row, key), self.cell(Part::V, key, column));
                return self.sum_or_zero(&carried, term);
            }
            Part::Concat => {
                let d_v = self.problem.shapes().d_v;
                self.cell_at(Place { part: Part::Context, head: column / d_v, row, column: column % d_v })
            }
            Part::Output => {
                if self.problem.w_o.is_some() {
                    self.projection(Part::Concat, Part::WO, Part::BO)
                } else {
                    self.cell(Part::Concat, row, column)
                }
            }
            Part::Position => self.encoding(),
            Part::X => Expr::Sum(vec![self.cell(Part::XGiven, row, column), self.cell(Part::Position, row, column)]),
            Part::XKv => {
                if matches!(self.problem.family.position, Position::Learned { .. }) {
                    let given = self.cell(Part::XKvGiven, row, column);
                    return (Expr::Sum(vec![given, self.cell(Part::Table, row, column)]), Vec::new());
                }
                let shapes = self.problem.shapes();
                let encoding = self.problem.family.position.encoding(shapes.m, shapes.d_kv.unwrap_or(0));
                let added = encoding.map_or(f64::NAN, |encoding| encoding[(row, column)]);
                Expr::Sum(vec![self.cell(Part::XKvGiven, row, column), Expr::Named("position", added)])
            }
            Part::XGiven
            | Part::XKvGiven
            | Part::WQ
            | Part::BQ
            | Part::WK
            | Part::BK
            | Part::WV
            | Part::BV
            | Part::WO
            | Part::BO
            | Part::Table
            | Part::ScoreW
            | Part::ScoreWQ
            | Part::ScoreWK
            | Part::ScoreV
            | Part::Slopes
            | Part::Bias
            | Part::Sink => unreachable!("{part:?} of head {head} is an input wherever it is present"),
        };
        (expression, Vec::new())
    }

    /// Σ x·w + b.
    fn projection(&self, x: Part, w: Part, b: Part) -> Expr {
        let Place { row, column, .. } = self.place;
        let shapes = self.problem.shapes();
        let width = match x {
            Part::Concat => shapes.heads.query * shapes.d_v,
            Part::X if w == Part::WQ => shapes.d_model.unwrap_or(0),
            _ => shapes.d_kv.unwrap_or(0),
        };
        let mut terms: Vec<Expr> = (0..width).map(|c| product(self.cell(x, row, c), self.cell(w, c, column))).collect();
        if b.is_input(self.problem) {
            terms.push(self.cell(b, 0, column));
        }
        Expr::Sum(terms)
    }

    fn keys_from(&self) -> Part {
        match &self.problem.inputs {
            Inputs::Projected(given) if given.x_kv.is_some() => Part::XKv,
            _ => Part::X,
        }
    }

    fn scaled(&self) -> Expr {
        let score = self.cell(Part::Scores, self.place.row, self.place.column);
        match self.problem.scale {
            Scale::InverseSqrt => {
                let d_k = Expr::Named("d_k", self.problem.shapes().d_k as f64);
                quotient(score, Expr::Sqrt(Box::new(d_k)))
            }
            Scale::None => score,
            Scale::Factor(factor) => product(score, Expr::Named("scale", factor)),
        }
    }

    fn masked(&self) -> Written {
        let Place { row, column, .. } = self.place;
        let takes_part = mask::applied_row(self.problem, row)[column];
        let expression = if takes_part {
            self.cell(Part::before_mask(self.problem), row, column)
        } else if self.problem.family.normalise == Normalise::Softmax {
            Expr::Hidden
        } else {
            Expr::Number(0.0)
        };
        (expression, vec![self.mask_cell(column)])
    }

    /// As the step shows it: the row's maximum is subtracted only where an entry exceeds 700.
    fn exp(&self) -> Written {
        let row = Row::of(self);
        let key = self.place.column;
        if !row.takes_part[key] {
            return self.hidden_zero();
        }
        let score = self.score(key);
        let power = if row.max > LARGEST_SHOWN_EXPONENT {
            let sink = row.sink.map(|_| self.cell(Part::Sink, 0, self.place.head));
            let all = row.keys().map(|key| self.score(key)).chain(sink).collect();
            Expr::Difference(Box::new(score), Box::new(Expr::Max(all)))
        } else {
            score
        };
        (Expr::Exp(Box::new(power)), Vec::new())
    }

    /// What multiplies v: after dropout, the weight times what was kept of it.
    fn weight(&self) -> Written {
        let (expression, sources) = self.weight_before_dropout();
        if self.problem.family.dropout.p == 0.0 {
            return (expression, sources);
        }
        let kept = self.cell(Part::Kept, self.place.row, self.place.column);
        (product(expression, kept), sources)
    }

    fn weight_before_dropout(&self) -> Written {
        let how = self.problem.mask_applied;
        let row = Row::of(self);
        let rules = self.rules();
        let key = self.place.column;
        let is_zeroed = !mask::is_before_softmax(how) && how != MaskApplied::Never && !rules[key];
        if !row.takes_part[key] || is_zeroed {
            return self.hidden_zero();
        }
        let is_detour = how == MaskApplied::AfterSoftmaxRenormalised;
        if self.problem.family.normalise != Normalise::Softmax {
            return self.weight_of_sum(&row, is_detour.then_some(&rules));
        }
        let is_plain = self.form == SoftmaxForm::Plain && row.has_plain_form(is_detour.then_some(&rules));
        let exp = |key| {
            let score = self.score(key);
            let shifted = |score| Expr::Difference(Box::new(score), Box::new(Expr::Named("max", row.max)));
            Expr::Exp(Box::new(if is_plain { score } else { shifted(score) }))
        };
        let sum = Expr::Sum(row.keys().map(exp).chain(row.sink_term(is_plain)).collect());
        let weights =
            weigh_by(Normaliser::of(self.problem, self.place.head), &row.scaled, &row.takes_part, &rules, how);
        let is_renormalised =
            how == MaskApplied::AfterSoftmaxRenormalised && weights.iter().any(|&weight| weight > 0.0);
        if !is_renormalised {
            return (quotient(exp(key), sum), Vec::new());
        }
        let row_sum = sum.evaluate();
        let before = |key| quotient(exp(key), Expr::Named("row_sum", row_sum));
        let rest = row.keys().filter(|&key| rules[key]).map(before).collect();
        let all_scores = row.keys().map(|key| self.score_place(key)).collect();
        (quotient(before(key), Expr::Sum(rest)), all_scores)
    }

    /// s / Σ s; renormalised over what is visible where that is the detour.
    fn weight_of_sum(&self, row: &Row, renormalised_over: Option<&Vec<bool>>) -> Written {
        let all_scores = self.score_places(&row.takes_part);
        let sum = Expr::Sum(row.keys().map(|key| self.score(key)).collect());
        let total = sum.evaluate();
        if total == 0.0 {
            return (Expr::Number(0.0), all_scores);
        }
        let key = self.place.column;
        let Some(visible) = renormalised_over else { return (quotient(self.score(key), sum), all_scores) };
        let before = |key| quotient(self.score(key), Expr::Named("row_sum", total));
        let rest = Expr::Sum(row.keys().filter(|&key| visible[key]).map(before).collect());
        if rest.evaluate() == 0.0 {
            return (before(key), all_scores);
        }
        (quotient(before(key), rest), all_scores)
    }

    /// exp(sink) / Σ exp.
    fn sink_weight(&self) -> Written {
        let row = Row::of(self);
        let is_plain = self.form == SoftmaxForm::Plain && row.has_plain_form(None);
        let exp = |key| {
            let score = self.score(key);
            let shifted = |score| Expr::Difference(Box::new(score), Box::new(Expr::Named("max", row.max)));
            Expr::Exp(Box::new(if is_plain { score } else { shifted(score) }))
        };
        let Some(sink) = row.sink_term(is_plain) else { return (Expr::Number(0.0), Vec::new()) };
        let sum = Expr::Sum(row.keys().map(exp).chain([sink.clone()]).collect());
        (quotient(sink, sum), self.mask_cells(&row.takes_part.iter().map(|part| !part).collect::<Vec<_>>()))
    }

    fn score_places(&self, takes_part: &[bool]) -> Vec<Place> {
        (0..takes_part.len()).filter(|&key| takes_part[key]).map(|key| self.score_place(key)).collect()
    }

    /// A sum over the pairs that take part; where none does, zero, and the mask is why.
    fn sum_or_zero(&self, takes_part: &[bool], term: impl Fn(usize) -> Expr) -> Written {
        let terms: Vec<Expr> = (0..takes_part.len()).filter(|&key| takes_part[key]).map(term).collect();
        if terms.is_empty() {
            return (Expr::Number(0.0), self.mask_cells(&vec![true; takes_part.len()]));
        }
        (Expr::Sum(terms), Vec::new())
    }

    fn hidden_zero(&self) -> Written {
        (Expr::Number(0.0), vec![self.mask_cell(self.place.column)])
    }

    fn mask_cell(&self, key: usize) -> Place {
        Place { part: Part::Mask, head: 0, row: self.place.row, column: key }
    }

    fn mask_cells(&self, which: &[bool]) -> Vec<Place> {
        (0..which.len()).filter(|&key| which[key]).map(|key| self.mask_cell(key)).collect()
    }

    fn rules(&self) -> Vec<bool> {
        mask::visible_row(self.problem, self.place.row)
    }

    /// What goes into the softmax: the masked score where the mask comes before it, else the last one before it.
    fn score(&self, key: usize) -> Expr {
        self.cell_at(self.score_place(key))
    }

    fn score_place(&self, key: usize) -> Place {
        let is_masked = mask::is_before_softmax(self.problem.mask_applied);
        let part = if is_masked { Part::Masked } else { Part::before_mask(self.problem) };
        Place { part, column: key, ..self.place }
    }

    /// A cell of the same head.
    pub(super) fn cell(&self, part: Part, row: usize, column: usize) -> Expr {
        let head = if part.is_per_head() { self.place.head } else { 0 };
        self.cell_at(Place { part, head, row, column })
    }

    fn cell_at(&self, place: Place) -> Expr {
        // A place that is not there would be a mistake in this file; NaN makes every comparison fail.
        Expr::Cell(place, value(self.problem, self.trace, place).unwrap_or(f64::NAN))
    }
}

/// One row on its way into the softmax.
struct Row {
    scaled: Vec<f64>,
    takes_part: Vec<bool>,
    sink: Option<f64>,
    sink_place: Place,
    /// Of the scores that take part and the sink.
    max: f64,
}

impl Row {
    fn of(writer: &Writer<'_>) -> Self {
        let Place { head, row, .. } = writer.place;
        let takes_part = mask::applied_row(writer.problem, row);
        let before = Part::before_mask(writer.problem);
        let sink = writer.problem.family.sink.as_ref().and_then(|sink| sink.get(head).copied());
        let scaled = writer.trace.get(before, head).map(|step| row_of(&step.value, row)).unwrap_or_default();
        let max = sink.into_iter().fold(largest(&scaled, &takes_part), f64::max);
        let sink_place = Place { part: Part::Sink, head: 0, row: 0, column: head };
        Row { scaled, takes_part, sink, sink_place, max }
    }

    /// exp(sink), as the sum of a weight has it.
    fn sink_term(&self, is_plain: bool) -> Option<Expr> {
        let sink = Expr::Cell(self.sink_place, self.sink?);
        let shifted = |sink| Expr::Difference(Box::new(sink), Box::new(Expr::Named("max", self.max)));
        Some(Expr::Exp(Box::new(if is_plain { sink } else { shifted(sink) })))
    }

    /// exp(sink), as the step `row_sum` has it.
    fn shown_sink(&self) -> Option<Expr> {
        self.sink_term(self.max <= LARGEST_SHOWN_EXPONENT)
    }

    /// Whether exp of the scores themselves gives the weights: it must neither overflow nor vanish. On the
    /// detour the visible part of the row is divided by once more, so it must not vanish either.
    fn has_plain_form(&self, renormalised_over: Option<&Vec<bool>>) -> bool {
        let is_within = |number: f64| number.abs() <= LARGEST_SHOWN_EXPONENT;
        let visible_max = renormalised_over.map_or(self.max, |visible| largest(&self.scaled, visible));
        is_within(self.max) && is_within(visible_max) && is_within(self.max - visible_max)
    }

    fn keys(&self) -> impl Iterator<Item = usize> {
        (0..self.takes_part.len()).filter(|&key| self.takes_part[key])
    }
}

pub(super) fn product(first: Expr, second: Expr) -> Expr {
    Expr::Product(vec![first, second])
}

pub(super) fn quotient(above: Expr, below: Expr) -> Expr {
    Expr::Quotient(Box::new(above), Box::new(below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::solve;

    const DIRECT: &str = r#""inputs":{"q":[[1],[2]],"k":[[3],[4]],"v":[[5],[6]]}"#;

    /// The sources of a cell of row 0, as `part[row][column]`.
    fn sources(more: &str, part: Part, column: usize) -> Vec<String> {
        let problem = Problem::from_json(&format!(r#"{{"format":"attnlab/1",{DIRECT}{more}}}"#)).unwrap();
        let place = Place { part, head: 0, row: 0, column };
        let explanation = explain(&problem, &solve(&problem).unwrap(), place, SoftmaxForm::Plain).unwrap();
        let name = |Place { part, row, column, .. }: &Place| format!("{}[{row}][{column}]", part.key());
        explanation.sources.iter().map(name).collect()
    }

    #[test]
    fn sources_are_what_decides_a_cell() {
        let (causal, off) = (r#","mask":{"causal":"upper_left"}"#, r#","mask_applied":"never""#);
        let never = format!("{causal}{off}");
        let detour = format!(r#"{causal},"mask_applied":"after_softmax_renormalised""#);
        let cases: [(&str, Part, usize, &[&str]); 12] = [
            (causal, Part::Q, 0, &[]),
            (causal, Part::Scores, 1, &["q[0][0]", "k[1][0]"]),
            (causal, Part::Scaled, 1, &["scores[0][1]"]),
            (causal, Part::Masked, 0, &["scaled[0][0]", "mask[0][0]"]),
            (causal, Part::Masked, 1, &["mask[0][1]"]),
            (causal, Part::Weights, 0, &["masked[0][0]"]),
            (causal, Part::Weights, 1, &["mask[0][1]"]),
            (&never, Part::Weights, 1, &["scaled[0][1]", "scaled[0][0]"]),
            (&detour, Part::Weights, 0, &["scaled[0][0]", "scaled[0][1]"]),
            (&never, Part::Leak, 0, &["weights[0][1]", "mask[0][1]"]),
            (causal, Part::Context, 0, &["weights[0][0]", "v[0][0]"]),
            (causal, Part::Output, 0, &["concat[0][0]"]),
        ];
        for (more, part, column, expected) in cases {
            assert_eq!(sources(more, part, column), expected, "{part:?} {more}");
        }
    }

    #[test]
    fn a_cell_of_the_mask_names_the_rules_that_hide_it() {
        let mask = r#""mask":{"causal":"upper_left","key_padding":[true,false]}"#;
        let problem = Problem::from_json(&format!(r#"{{"format":"attnlab/1",{DIRECT},{mask}}}"#)).unwrap();
        let trace = solve(&problem).unwrap();
        let rules = |row, column| {
            let place = Place { part: Part::Mask, head: 0, row, column };
            explain(&problem, &trace, place, SoftmaxForm::Plain).unwrap().rules
        };
        assert_eq!(rules(0, 1), [MaskRule::Causal, MaskRule::KeyPadding]);
        assert_eq!((rules(1, 1), rules(1, 0)), (vec![MaskRule::KeyPadding], vec![]));
    }

    #[test]
    fn the_detour_over_a_faint_row_is_explained_in_the_shifted_form() {
        // What is visible has a score of −755: exp of it is zero, exp of its distance to −26 is not.
        let text = r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},"mask_applied":"after_softmax_renormalised",
            "inputs":{"q":[[-277]],"k":[[2.7257],[0.093]],"v":[[1],[2]]}}"#;
        let problem = Problem::from_json(text).unwrap();
        let place = Place { part: Part::Weights, head: 0, row: 0, column: 0 };
        let explanation = explain(&problem, &solve(&problem).unwrap(), place, SoftmaxForm::Plain).unwrap();
        assert_eq!((explanation.value, explanation.expression.evaluate()), (1.0, 1.0));
    }
}
