//! What solution, sheet and key share: a page, and the problem's numbers and sentences to write on it.

use nalgebra::DMatrix;

use super::markup::{Line, Markup, Page};
use super::names::Names;
use super::tex;
use crate::attention::{
    Expr, MaskApplied, Matrix, Normalise, Part, Place, Problem, Scale, SoftmaxForm, Trace, applied, explain, has_rule,
    labels, matrix, value, whole_bias, whole_matrix,
};
use crate::writing::{Language, NumberFormat, Texts};

/// One page about one problem.
pub(super) struct Board<'a> {
    pub problem: &'a Problem,
    pub trace: &'a Trace,
    pub names: Names<'a>,
    pub page: Page,
    pub format: NumberFormat,
    texts: Texts,
    /// Which pairs go into the softmax.
    applied: DMatrix<bool>,
}

impl<'a> Board<'a> {
    pub fn new(
        problem: &'a Problem,
        trace: &'a Trace,
        language: Language,
        format: NumberFormat,
        markup: Markup,
    ) -> Self {
        let (names, texts) = (Names::new(problem), Texts::new(language));
        Board { problem, trace, names, page: Page::new(markup), format, texts, applied: applied(problem) }
    }

    /// A text of the language. It may hold mathematics in `$…$`, so it goes on the page as it is.
    pub fn t(&self, key: &str) -> String {
        self.texts.t(key)
    }

    pub fn tf(&self, key: &str, values: &[(&str, String)]) -> String {
        self.texts.tf(key, values)
    }

    /// A text that was not written for this page, or by somebody else.
    pub fn plain(&self, text: &str) -> String {
        self.page.markup.escape(text)
    }

    /// One after the other, as the language separates them.
    pub fn listed(&self, items: impl Iterator<Item = String>) -> String {
        items.collect::<Vec<_>>().join(&self.t("solution-between"))
    }

    pub fn number(&self, value: f64) -> String {
        tex::number(self.format, value)
    }

    pub fn say(&mut self, key: &str, values: &[(&str, String)]) {
        let text = self.tf(key, values);
        self.page.paragraph(&text);
    }

    pub fn title(&mut self, key: &str) {
        let kind = self.t(key);
        let name = match &self.problem.title {
            Some(title) => self.plain(title),
            None => self.plain(&self.problem.tokens.clone().unwrap_or_default().join(" ")),
        };
        let title =
            if name.trim().is_empty() { kind } else { self.tf("solution-title-of", &[("kind", kind), ("name", name)]) };
        self.page.title(&title);
    }

    /// The heading of a step, which stands below that of its head where there are several.
    pub fn step_heading(&mut self, key: &str) {
        let heading = self.t(key);
        if self.problem.heads.query > 1 { self.page.heading_below(&heading) } else { self.page.heading(&heading) }
    }

    /// Everything that was given, whole, with all its digits.
    pub fn given(&mut self) {
        let heading = self.t("solution-given");
        self.page.heading(&heading);
        let join = |labels: &[String]| self.listed(labels.iter().map(|label| self.plain(label)));
        let (queries, keys) = labels(self.problem, Part::Scores);
        let (queries, keys) = (join(&queries), join(&keys));
        if self.problem.tokens.is_none() && self.problem.memory.is_none() {
            self.say("solution-numbered", &[]);
        } else if queries == keys {
            self.say("solution-tokens", &[("tokens", queries)]);
        } else {
            self.say("solution-queries-and-keys", &[("queries", queries), ("keys", keys)]);
        }
        for part in Part::ALL.into_iter().filter(|part| part.is_input(self.problem) && !part.is_of_variant()) {
            let whole = match whole_matrix(self.problem, part) {
                Some(whole) => whole.clone(),
                None => whole_bias(self.problem, part)
                    .map_or(Matrix::zeros(1, 0), |bias| Matrix::from_row_slice(1, bias.len(), bias)),
            };
            let symbol = match part {
                Part::Q => "Q".to_owned(),
                Part::K => "K".to_owned(),
                Part::V => "V".to_owned(),
                part => self.names.matrix(part, 0),
            };
            self.given_matrix(&symbol, &whole);
        }
        self.given_for_variants();
        let shapes = self.problem.shapes();
        if shapes.heads.query > 1 {
            let values = [
                ("query", shapes.heads.query.to_string()),
                ("shared", shapes.heads.key_value.to_string()),
                ("dk", shapes.d_k.to_string()),
                ("dv", shapes.d_v.to_string()),
            ];
            self.say("solution-heads", &values);
        }
    }

    /// A given matrix with all its digits.
    pub fn given_matrix(&mut self, symbol: &str, whole: &Matrix) {
        let text = tex::matrix(whole, |row, column| tex::given(self.format, whole[(row, column)]));
        let (rows, columns) = whole.shape();
        self.page.math(&format!("{symbol} = {text} \\quad ({rows} \\times {columns})"));
    }

    pub fn formula(&mut self) {
        let heading = self.t("solution-formula");
        self.page.heading(&heading);
        let result = if self.problem.joins_heads() { "\\text{head}" } else { "Y" };
        if self.problem.family.is_plain() {
            self.plain_formula(result);
        } else {
            self.formula_of_variant(result);
        }
        self.joining_formula();
    }

    fn plain_formula(&mut self, result: &str) {
        let scaled = match self.problem.scale {
            Scale::InverseSqrt => "\\frac{Q K^T}{\\sqrt{d_k}}".to_owned(),
            Scale::None => "Q K^T".to_owned(),
            Scale::Factor(factor) => format!("{} \\times Q K^T", tex::given(self.format, factor)),
        };
        let mask = if has_rule(&self.problem.mask) { " + M" } else { "" };
        self.page.math(&format!("{result} = \\operatorname{{softmax}}\\left({scaled}{mask}\\right) V"));
    }

    fn joining_formula(&mut self) {
        if self.problem.joins_heads() {
            let concat = match self.problem.heads.query {
                1 => "\\text{head}".to_owned(),
                heads => {
                    let all: Vec<String> = (0..heads).map(|head| format!("\\text{{head}}_{{{head}}}")).collect();
                    format!("[{}]", all.join(", "))
                }
            };
            let end = match (&self.problem.w_o, &self.problem.b_o) {
                (None, _) => String::new(),
                (Some(_), None) => "\\, W_O".to_owned(),
                (Some(_), Some(_)) => "\\, W_O + b_O".to_owned(),
            };
            self.page.math(&format!("Y = {concat}{end}"));
        }
    }

    /// A matrix under its name, a cell written by `cell`, or as computed where that gives nothing.
    pub fn matrix_with(&mut self, part: Part, head: usize, cell: impl Fn(Place) -> Option<String>) {
        let Some(values) = matrix(self.problem, self.trace, part, head) else { return };
        let text = tex::matrix(&values, |row, column| {
            cell(Place { part, head, row, column }).unwrap_or_else(|| self.number(values[(row, column)]))
        });
        self.page.math(&format!("{} = {text}", self.names.matrix(part, head)));
    }

    pub fn matrix(&mut self, part: Part, head: usize) {
        self.matrix_with(part, head, |_| None);
    }

    /// A matrix of 0 and −∞; where it multiplies, of 1 and 0.
    pub fn mask(&mut self, symbol: &str, visible: &DMatrix<bool>) {
        let (seen, hidden) = if self.is_softmax() { (0.0, f64::NEG_INFINITY) } else { (1.0, 0.0) };
        let values = visible.map(|pair| if pair { seen } else { hidden });
        let text = tex::matrix(&values, |row, column| self.number(values[(row, column)]));
        self.page.math(&format!("{symbol} = {text}"));
    }

    /// The arithmetic of these numbers, a line each.
    pub fn work(&mut self, places: impl IntoIterator<Item = Place>) {
        let lines: Vec<Line> = places.into_iter().map(|place| self.line(place)).collect();
        self.page.lines(&lines);
    }

    /// One number: its name, and its arithmetic down to what it is.
    fn line(&self, place: Place) -> Line {
        let left = self.names.number(place);
        // Powers that vanish in the digits shown must not be divided by one another.
        let vanishes = place.part == Part::Weights && self.row_sum_vanishes(place);
        let form = if vanishes { SoftmaxForm::Shifted } else { SoftmaxForm::Plain };
        let expression = match place.part {
            Part::Masked => self.masked(place),
            _ => explain(self.problem, self.trace, self.worked_at(place), form)
                .map_or(Expr::Number(f64::NAN), |explanation| explanation.expression),
        };
        let mut right = tex::chain(self.format, &expression);
        match place.part {
            // What it is divided by may be too small for its digits: then only the number itself is said.
            Part::Weights if self.is_faint(&expression, if vanishes { 1.0 } else { self.row_sum(place) }) => {
                right.drain(..right.len() - 1).for_each(drop)
            }
            // The powers of e and their sum were worked out before.
            Part::Weights if !vanishes && self.is_softmax() => {
                let is_detour = self.problem.mask_applied == MaskApplied::AfterSoftmaxRenormalised;
                let steps = 2 + usize::from(is_detour) + usize::from(self.problem.family.dropout.p > 0.0);
                right.drain(..right.len().saturating_sub(steps));
            }
            Part::Exp if !self.applied[(place.row, place.column)] => right.insert(0, "e^{-\\infty}".to_owned()),
            _ => {}
        }
        Line { left, right }
    }

    pub fn is_softmax(&self) -> bool {
        self.problem.family.normalise == Normalise::Softmax
    }

    /// Whether the sum of a row's powers is so small that hardly a digit of it is shown.
    pub fn row_sum_vanishes(&self, place: Place) -> bool {
        self.row_sum(place) < self.least_divisor() && self.applied.row(place.row).iter().any(|&pair| pair)
    }

    fn row_sum(&self, place: Place) -> f64 {
        value(self.problem, self.trace, Place { part: Part::RowSum, column: 0, ..place }).unwrap_or(f64::INFINITY)
    }

    /// Whether a weight is divided by hardly anything: what the mask's detour leaves of a row, the powers (of this sum)
    /// of which that is made, or a sum in which terms of both signs cancel, is too small for the digits that are shown.
    fn is_faint(&self, weight: &Expr, row_sum: f64) -> bool {
        let is_detour = self.problem.mask_applied == MaskApplied::AfterSoftmaxRenormalised;
        let weight = match weight {
            // Times what dropout keeps of it.
            Expr::Product(factors) => factors.first().unwrap_or(weight),
            weight => weight,
        };
        let Expr::Quotient(above, below) = weight else { return false };
        if self.is_softmax() {
            return is_detour && below.evaluate() * row_sum.min(1.0) < self.least_divisor();
        }
        let is_small = |divisor: f64| divisor.abs() < self.least_divisor();
        let is_of_faint = matches!(&**above, Expr::Quotient(_, sum) if is_small(sum.evaluate()));
        is_small(below.evaluate()) || is_of_faint
    }

    /// Of a smaller divisor, only a digit or two would be shown.
    fn least_divisor(&self) -> f64 {
        10f64.powi(2 - self.format.digits as i32).min(0.1)
    }

    /// Where a number was really computed: what heads put side by side, and without w_o the output, is their context.
    fn worked_at(&self, place: Place) -> Place {
        let d_v = self.problem.shapes().d_v.max(1);
        let is_copy = place.part == Part::Concat || (place.part == Part::Output && self.problem.w_o.is_none());
        if !is_copy {
            return place;
        }
        Place { part: Part::Context, head: place.column / d_v, column: place.column % d_v, ..place }
    }

    /// What the explanation calls only visible or hidden, as an addition; where the mask multiplies, as a product.
    fn masked(&self, place: Place) -> Expr {
        let before = Place { part: Part::before_mask(self.problem), ..place };
        let score = Expr::Number(value(self.problem, self.trace, before).unwrap_or(f64::NAN));
        let is_applied = self.applied[(place.row, place.column)];
        if !self.is_softmax() {
            return Expr::Product(vec![score, Expr::Number(f64::from(u8::from(is_applied)))]);
        }
        Expr::Sum(vec![score, if is_applied { Expr::Number(0.0) } else { Expr::Hidden }])
    }

    /// The scale as a sentence.
    pub fn say_scale(&mut self) {
        let d_k = self.problem.shapes().d_k;
        if self.problem.family.normalise == Normalise::Linear {
            return self.say("solution-scale-linear", &[]);
        }
        match self.problem.scale {
            Scale::InverseSqrt => {
                let root = format!("$\\sqrt{{d_k}} = \\sqrt{{{d_k}}} = {}$", self.number((d_k as f64).sqrt()));
                self.say("solution-scale-root", &[("root", root)]);
            }
            Scale::None => self.say("solution-scale-none", &[]),
            Scale::Factor(factor) => {
                self.say("solution-scale-factor", &[("factor", format!("${}$", tex::given(self.format, factor)))]);
            }
        }
    }

    /// Whether the scale leaves every score as it is.
    pub fn scale_is_one(&self) -> bool {
        self.problem.scale.apply(1.0, self.problem.shapes().d_k) == 1.0
    }

    pub fn say_head(&mut self, head: usize) {
        let heads = self.problem.heads;
        if heads.query == 1 {
            return;
        }
        let heading = self.tf("solution-head", &[("head", head.to_string())]);
        self.page.heading(&heading);
        let shared = heads.key_value_of(head).to_string();
        self.say("solution-head-own", &[("head", head.to_string()), ("shared", shared)]);
    }
}
