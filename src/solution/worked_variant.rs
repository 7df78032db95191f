//! The steps that only variants have, as on the board: positions, rotation, feature map, hidden layer, softcap, what is
//! added to the scores, and weights that are no softmax.

use super::worked::Worked;
use crate::attention::{Normalise, Part, Place, Position, Score};

impl Worked<'_> {
    /// P, and X = X₀ + P.
    pub(super) fn encode(&mut self) {
        if !self.problem().is_encoded() {
            return;
        }
        let heading = self.board.t("solution-position");
        self.board.page.heading(&heading);
        self.board.say_encoding();
        if matches!(self.problem().family.position, Position::Sinusoidal { .. }) {
            self.work_rows(Part::Position, 0, Some(2));
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
        if !matches!(self.problem().family.position, Position::Rope(_)) {
            return;
        }
        self.board.step_heading("solution-rotate");
        self.board.say_rotation();
        for part in [Part::QRotated, Part::KRotated] {
            self.work_rows(part, head, Some(2));
            self.board.matrix(part, head);
        }
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
            self.board.say_penalty();
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
