//! The steps that only variants have, as on the board: positions, rotation, feature map, hidden layer, softcap, what is
//! added to the scores, and weights that are no softmax.

use super::tex;
use super::worked::Worked;
use crate::attention::{Layout, Normalise, Part, Place, Position, Rope, Scaling, Score};

impl Worked<'_> {
    /// P, and X = X₀ + P.
    pub(super) fn encode(&mut self) {
        if !self.problem().is_encoded() {
            return;
        }
        let heading = self.board.t("solution-position");
        self.board.page.heading(&heading);
        match self.problem().family.position {
            Position::Sinusoidal { base } => {
                let width = self.problem().shapes().d_model.unwrap_or(0);
                let base = tex::given(self.board.format, base);
                let angle = format!("$p / {base}^{{2i/{width}}}$");
                self.board.say("solution-position-sinusoidal", &[("angle", angle)]);
                self.work_rows(Part::Position, 0, Some(2));
            }
            _ => self.board.say("solution-position-learned", &[]),
        }
        self.board.matrix(Part::Position, 0);
        self.board.say("solution-position-added", &[]);
        for part in [Part::X, Part::XKv] {
            if self.board.trace.get(part, 0).is_some() {
                self.work_rows(part, 0, Some(2));
                self.board.matrix(part, 0);
            }
        }
    }

    /// RoPE.
    pub(super) fn rotate(&mut self, head: usize) {
        let Position::Rope(rope) = self.problem().family.position else { return };
        self.board.step_heading("solution-rotate");
        let d = self.problem().shapes().d_k;
        let (pairs, theta) = match rope.layout {
            Layout::Interleaved => ("$(2i, 2i + 1)$".to_owned(), self.theta(&rope, d)),
            Layout::HalfSplit => (format!("$(i, i + {})$", d / 2), self.theta(&rope, d)),
        };
        self.board.say("solution-rotate-how", &[("pairs", pairs), ("theta", theta)]);
        match rope.scaling {
            Scaling::None => {}
            Scaling::Linear { factor } => {
                let factor = format!("${}$", tex::given(self.board.format, factor));
                self.board.say("solution-rotate-linear", &[("factor", factor)]);
            }
            Scaling::Ntk { factor } => {
                let (base, factor) = (tex::given(self.board.format, rope.base), tex::given(self.board.format, factor));
                let scaled = self.board.number(rope.scaled_base(d));
                let base = format!("${base} \\times {factor}^{{{d}/{}}} = {scaled}$", d - 2);
                self.board.say("solution-rotate-ntk", &[("base", base)]);
            }
        }
        self.say_positions(rope.offset);
        for part in [Part::QRotated, Part::KRotated] {
            self.work_rows(part, head, Some(2));
            self.board.matrix(part, head);
        }
    }

    fn theta(&self, rope: &Rope, d: usize) -> String {
        let base = self.board.number(rope.scaled_base(d));
        // A power of ten would be raised whole.
        let base = if base.contains(' ') { format!("({base})") } else { base };
        format!("$\\theta_i = {base}^{{-2i/{d}}}$")
    }

    fn say_positions(&mut self, offset: f64) {
        let position = |position: f64| format!("${}$", tex::given(self.board.format, position));
        let values = [("query", position(offset + self.problem().query_position(0))), ("key", position(offset))];
        self.board.say("solution-positions", &values);
    }

    /// φ(q) and φ(k).
    pub(super) fn features(&mut self, head: usize) {
        if self.problem().family.normalise != Normalise::Linear {
            return;
        }
        self.board.step_heading("solution-features");
        self.board.say("solution-features-how", &[]);
        for part in [Part::QFeatures, Part::KFeatures] {
            self.work_rows(part, head, Some(1));
            self.board.matrix(part, head);
        }
    }

    /// What the score function makes of q and k before a score comes out; how it does so.
    pub(super) fn score_function(&mut self, head: usize) {
        match self.problem().family.score {
            Score::Dot => self.board.say("solution-scores-how", &[]),
            Score::General { .. } => {
                self.board.say("solution-scores-general", &[]);
                self.work_rows(Part::KTransformed, head, Some(1));
                self.board.matrix(Part::KTransformed, head);
                self.board.say("solution-scores-how", &[]);
            }
            Score::Concat { .. } | Score::Additive { .. } => {
                self.board.say("solution-scores-hidden", &[]);
                self.work_rows(Part::Hidden, head, Some(1));
                self.board.matrix(Part::Hidden, head);
                self.board.say("solution-scores-of-hidden", &[]);
            }
        }
    }

    /// Softcap, then the penalty on distance and the bias.
    pub(super) fn change_scores(&mut self, head: usize) {
        let family = &self.problem().family;
        let is_alibi = matches!(family.position, Position::Alibi { .. });
        let (has_cap, has_bias) = (family.softcap.is_some(), family.bias.is_some());
        if has_cap {
            self.board.step_heading("solution-cap");
            self.board.say("solution-cap-how", &[]);
            self.work_rows(Part::Capped, head, None);
            self.board.matrix(Part::Capped, head);
        }
        if is_alibi || has_bias {
            self.board.step_heading("solution-bias");
            if is_alibi {
                self.board.say("solution-alibi-how", &[]);
                self.say_positions(0.0);
            }
            if has_bias {
                self.board.say("solution-bias-how", &[]);
            }
            self.work_rows(Part::Biased, head, None);
            self.board.matrix(Part::Biased, head);
        }
    }

    /// Each number over the sum of its row.
    pub(super) fn over_sum(&mut self, head: usize) {
        self.board.step_heading("solution-sum");
        self.board.say("solution-sum-how", &[]);
        self.say_after_softmax();
        let places = self.places(Part::Weights, head, None);
        self.say_if_partly(&places, Part::Weights, head);
        self.board.work(places);
        self.board.matrix(Part::Weights, head);
        self.leak(head);
    }

    /// What the sink of a head takes.
    pub(super) fn sink(&mut self, head: usize, rows: impl Iterator<Item = usize>) {
        if self.problem().family.sink.is_none() {
            return;
        }
        self.board.say("solution-sink-takes", &[]);
        self.board.work(rows.map(|row| Place { part: Part::SinkWeight, head, row, column: 0 }));
        self.board.matrix(Part::SinkWeight, head);
    }
}
