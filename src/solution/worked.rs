//! The worked solution: every step in its order, with its arithmetic.

use super::board::Board;
use super::markup::Markup;
use crate::attention::{
    Inputs, MaskApplied, MaskRule, Normalise, Part, Place, Problem, Trace, applied, has_rule, hidden_by,
    is_before_softmax, labels, matrix, visible,
};
use crate::writing::{Language, NumberFormat, Rounding};

/// How a solution is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolutionOptions {
    pub language: Language,
    pub format: NumberFormat,
    pub markup: Markup,
    /// A matrix of at most so many numbers is worked out in full; of a larger one, as many first rows as fit.
    pub most_worked: usize,
}

impl Default for SolutionOptions {
    fn default() -> Self {
        let format = NumberFormat { digits: 4, rounding: Rounding::Round };
        SolutionOptions { language: Language::English, format, markup: Markup::Markdown, most_worked: 16 }
    }
}

/// The whole solution of a problem, as a teacher writes it on the board. `trace` is what `solve` made of the problem.
///
/// ```
/// # use attnlab::{attention::{solve, Problem}, solution::{solution, SolutionOptions}};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[0.5]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#).unwrap();
/// let text = solution(&problem, &solve(&problem).unwrap(), &SolutionOptions::default());
/// assert!(text.contains("e^{0.5} = 1.6487"));
/// assert!(text.contains(r"\frac{1.6487}{5.6510} = 0.2918"));
/// ```
pub fn solution(problem: &Problem, trace: &Trace, options: &SolutionOptions) -> String {
    let board = Board::new(problem, trace, options.language, options.format, options.markup);
    let mut worked = Worked { board, most: options.most_worked.max(1) };
    worked.board.title("solution-title");
    worked.board.given();
    worked.board.formula();
    worked.encode();
    for head in 0..problem.heads.query {
        worked.board.say_head(head);
        worked.project(head);
        worked.rotate(head);
        worked.features(head);
        worked.scores(head);
        worked.scale(head);
        worked.change_scores(head);
        worked.mask(head);
        if worked.board.is_softmax() {
            worked.softmax(head);
        } else {
            worked.over_sum(head);
        }
        worked.weigh(head);
    }
    worked.join();
    worked.notes();
    worked.board.page.finish()
}

pub(super) struct Worked<'a> {
    pub board: Board<'a>,
    most: usize,
}

impl Worked<'_> {
    pub fn problem(&self) -> &Problem {
        self.board.problem
    }

    fn project(&mut self, head: usize) {
        let is_given = Part::Q.is_input(self.problem());
        if is_given && self.problem().heads.query == 1 {
            return;
        }
        self.board.step_heading("solution-project");
        if is_given {
            for part in [Part::Q, Part::K, Part::V] {
                self.board.matrix(part, head);
            }
            return;
        }
        self.board.say("solution-project-how", &[]);
        let has_own = matches!(&self.problem().inputs, Inputs::Projected(given) if given.x_kv.is_some());
        let keys_from = if has_own { Part::XKv } else { Part::X };
        let projections = [
            (Part::Q, Part::X, Part::WQ, Part::BQ),
            (Part::K, keys_from, Part::WK, Part::BK),
            (Part::V, keys_from, Part::WV, Part::BV),
        ];
        for (part, x, w, b) in projections {
            let names = &self.board.names;
            let bias = if b.is_input(self.problem()) { format!(" + {}", names.matrix(b, head)) } else { String::new() };
            let formula = format!("{} {}{bias}", names.matrix(x, head), names.matrix(w, head));
            // Of a head of several, only its own columns are taken.
            if self.problem().heads.query == 1 {
                let left = names.matrix(part, head);
                self.board.page.math(&format!("{left} = {formula}"));
            } else {
                self.board.say("solution-own-columns", &[("formula", format!("${formula}$"))]);
                for weights in [w, b] {
                    self.own_columns(weights, head);
                }
            }
            self.work_rows(part, head, Some(1));
            self.board.matrix(part, head);
        }
    }

    /// The columns of a projection that belong to this head.
    fn own_columns(&mut self, part: Part, head: usize) {
        let Some(values) = matrix(self.board.problem, self.board.trace, part, head) else { return };
        let text = super::tex::matrix(&values, |row, column| self.board.number(values[(row, column)]));
        let symbol = self.board.names.matrix(part, head);
        self.board.page.math(&format!("{symbol}^{{({head})}} = {text}"));
    }

    fn scores(&mut self, head: usize) {
        self.board.step_heading("solution-scores");
        self.score_function(head);
        self.work_rows(Part::Scores, head, None);
        self.board.matrix(Part::Scores, head);
    }

    fn scale(&mut self, head: usize) {
        self.board.step_heading("solution-scale");
        self.board.say_scale();
        if self.problem().family.normalise == Normalise::Linear {
            return;
        }
        if self.board.scale_is_one() {
            let (scaled, scores) =
                (self.board.names.matrix(Part::Scaled, head), self.board.names.matrix(Part::Scores, head));
            self.board.say("solution-scale-one", &[("equation", format!("${scaled} = {scores}$"))]);
            return;
        }
        self.work_rows(Part::Scaled, head, None);
        self.board.matrix(Part::Scaled, head);
    }

    fn mask(&mut self, head: usize) {
        self.board.step_heading("solution-mask");
        let how = self.problem().mask_applied;
        if !has_rule(&self.problem().mask) && how != MaskApplied::Inverted {
            self.board.say("solution-mask-none", &[]);
            return;
        }
        // M is the same for every head.
        if head == 0 {
            self.board.say_mask_how();
            self.board.mask("M", &visible(self.board.problem));
            self.hidden_pairs();
        }
        if how != MaskApplied::BeforeSoftmax {
            let help = self.board.t(&format!("applied-{}-help", how.key().replace('_', "-")));
            let help = self.board.plain(&help);
            self.board.page.paragraph(&help);
        }
        if is_before_softmax(how) {
            if how != MaskApplied::BeforeSoftmax && head == 0 {
                self.board.say("solution-mask-as-applied", &[]);
                let symbol = self.board.names.applied_mask();
                self.board.mask(symbol, &applied(self.board.problem));
            }
            self.board.matrix(Part::Masked, head);
        }
    }

    /// Which rule hides which pairs, in words.
    fn hidden_pairs(&mut self) {
        const MOST_NAMED: usize = 12;
        let (queries, keys) = labels(self.problem(), Part::Scores);
        for rule in MaskRule::ALL {
            let mut named = Vec::new();
            let mut count = 0;
            for (row, query) in queries.iter().enumerate() {
                for (column, key) in keys.iter().enumerate() {
                    if hidden_by(self.problem(), row, column).contains(&rule) {
                        count += 1;
                        if count <= MOST_NAMED {
                            named.push(format!("{} $\\to$ {}", self.board.plain(query), self.board.plain(key)));
                        }
                    }
                }
            }
            if count == 0 {
                continue;
            }
            let words = self.board.t(&format!("hidden-by-{}", rule.key().replace('_', "-")));
            let words = self.board.plain(&words);
            if count <= MOST_NAMED {
                self.board
                    .say("solution-mask-pairs", &[("rule", words), ("pairs", self.board.listed(named.into_iter()))]);
            } else {
                self.board.say("solution-mask-count", &[("rule", words), ("count", count.to_string())]);
            }
        }
    }

    /// A row at a time: powers, their sum, the quotients.
    fn softmax(&mut self, head: usize) {
        self.board.step_heading("solution-softmax");
        self.board.say("solution-softmax-how", &[]);
        if self.problem().family.sink.is_some() {
            self.board.say("solution-sink-how", &[]);
        }
        self.say_after_softmax();
        let places = self.places(Part::Weights, head, None);
        let rows: std::collections::BTreeSet<usize> = places.iter().map(|place| place.row).collect();
        for &row in &rows {
            let of_row = places.iter().copied().filter(|place| place.row == row);
            let of = |part| of_row.clone().map(move |place| Place { part, ..place });
            let row_name = self.row_name(Part::Weights, row);
            self.board.say("solution-row", &[("row", row_name)]);
            let sum = Place { part: Part::RowSum, head, row, column: 0 };
            if self.board.row_sum_vanishes(sum) {
                self.board.say("solution-softmax-shifted", &[]);
            }
            self.board.work(of(Part::Exp).chain([sum]).chain(of(Part::Weights)));
        }
        self.say_if_partly(&places, Part::Weights, head);
        self.board.matrix(Part::Exp, head);
        self.board.matrix(Part::RowSum, head);
        self.sink(head, rows.into_iter());
        self.board.matrix(Part::Weights, head);
        self.leak(head);
    }

    /// What is done to the weights after they were divided.
    pub fn say_after_softmax(&mut self) {
        match self.problem().mask_applied {
            MaskApplied::AfterSoftmax => self.board.say("solution-softmax-zeroed", &[]),
            MaskApplied::AfterSoftmaxRenormalised => self.board.say("solution-softmax-renormalised", &[]),
            _ => {}
        }
        if self.problem().family.dropout.p > 0.0 {
            self.board.say("solution-dropout-how", &[]);
        }
    }

    pub fn leak(&mut self, head: usize) {
        let Some(leak) = self.board.trace.get(Part::Leak, head) else { return };
        if leak.value.iter().all(|&leak| leak == 0.0) {
            return;
        }
        self.board.say("solution-leak", &[]);
        self.work_rows(Part::Leak, head, None);
        self.board.matrix(Part::Leak, head);
    }

    fn weigh(&mut self, head: usize) {
        self.board.step_heading("solution-weigh");
        self.board.say("solution-weigh-how", &[]);
        self.work_rows(Part::Context, head, None);
        self.board.matrix(Part::Context, head);
    }

    fn join(&mut self) {
        if !self.problem().joins_heads() {
            return;
        }
        let heading = self.board.t("solution-join");
        self.board.page.heading(&heading);
        if self.problem().heads.query > 1 {
            self.board.say("solution-join-how", &[]);
        }
        self.board.matrix(Part::Concat, 0);
        if self.problem().w_o.is_some() {
            self.board.say("solution-join-output", &[]);
            self.work_rows(Part::Output, 0, None);
        }
        self.board.matrix(Part::Output, 0);
    }

    fn notes(&mut self) {
        const MOST: usize = 20;
        if self.board.trace.notes.is_empty() {
            return;
        }
        let heading = self.board.t("solution-notes");
        self.board.page.heading(&heading);
        for note in self.board.trace.notes.iter().take(MOST) {
            let text = self.board.tf(&format!("note-{}", note.key()), &note.args());
            let text = self.board.plain(&text);
            self.board.page.paragraph(&text);
        }
        if let Some(more) = self.board.trace.notes.len().checked_sub(MOST).filter(|&more| more > 0) {
            self.board.say("solution-notes-more", &[("more", more.to_string())]);
        }
    }

    /// The arithmetic of the first rows, and a word about the others.
    pub fn work_rows(&mut self, part: Part, head: usize, most_rows: Option<usize>) {
        let places = self.places(part, head, most_rows);
        self.say_if_partly(&places, part, head);
        self.board.work(places);
    }

    /// Which numbers are worked out: all of them, or those of as many first rows as fit.
    pub fn places(&self, part: Part, head: usize, most_rows: Option<usize>) -> Vec<Place> {
        let (rows, columns) = self.shape(part, head);
        let columns = columns.min(self.most);
        let rows = rows.min((self.most / columns.max(1)).max(1)).min(most_rows.unwrap_or(rows));
        let of_row = |row| (0..columns).map(move |column| Place { part, head, row, column });
        (0..rows).flat_map(of_row).collect()
    }

    pub fn say_if_partly(&mut self, places: &[Place], part: Part, head: usize) {
        let (rows, columns) = self.shape(part, head);
        let Some(last) = places.last().filter(|_| places.len() < rows * columns) else { return };
        let rows = self.board.listed((0..=last.row).map(|row| self.row_name(part, row)));
        let is_cut = last.column + 1 < columns;
        self.board.say(if is_cut { "solution-partly-cut" } else { "solution-partly" }, &[("rows", rows)]);
    }

    fn shape(&self, part: Part, head: usize) -> (usize, usize) {
        matrix(self.board.problem, self.board.trace, part, head).map_or((0, 0), |values| values.shape())
    }

    fn row_name(&self, part: Part, row: usize) -> String {
        self.board.plain(labels(self.problem(), part).0.get(row).map_or("", String::as_str))
    }
}
