//! How positions enter, in words and with their numbers: for the step of the solution, and for a worksheet.

use super::board::Board;
use super::tex;
use crate::attention::{Layout, Position, Rope, Scaling};

impl Board<'_> {
    /// All that somebody must know to work positions out.
    pub fn say_how_positions_enter(&mut self) {
        self.say_encoding();
        self.say_rotation();
        self.say_penalty();
    }

    /// How P is made.
    pub fn say_encoding(&mut self) {
        match &self.problem.family.position {
            Position::Sinusoidal { base } => {
                let width = self.problem.shapes().d_model.unwrap_or(0);
                let angle = format!("$p / {}^{{2i/{width}}}$", self.as_base(*base));
                self.say("solution-position-sinusoidal", &[("angle", angle)]);
            }
            Position::Learned { .. } => self.say("solution-position-learned", &[]),
            Position::None | Position::Rope(_) | Position::Alibi { .. } => {}
        }
    }

    /// RoPE.
    pub fn say_rotation(&mut self) {
        let Position::Rope(rope) = self.problem.family.position else { return };
        let d = self.problem.shapes().d_k;
        let pairs = match rope.layout {
            Layout::Interleaved => "$(2i, 2i + 1)$".to_owned(),
            Layout::HalfSplit => format!("$(i, i + {})$", d / 2),
        };
        let theta = format!("$\\theta_i = {}^{{-2i/{d}}}$", self.as_base(rope.scaled_base(d)));
        self.say("solution-rotate-how", &[("pairs", pairs), ("theta", theta)]);
        self.say_scaling(&rope, d);
        self.say_positions(rope.offset);
    }

    fn say_scaling(&mut self, rope: &Rope, d: usize) {
        let given = |value| tex::given(self.format, value);
        match rope.scaling {
            Scaling::None => {}
            Scaling::Linear { factor } => {
                let factor = format!("${}$", given(factor));
                self.say("solution-rotate-linear", &[("factor", factor)]);
            }
            Scaling::Ntk { factor } => {
                let power = format!("{}^{{{d}/{}}}", given(factor), d - 2);
                let base = format!("${} \\times {power} = {}$", given(rope.base), self.number(rope.scaled_base(d)));
                self.say("solution-rotate-ntk", &[("base", base)]);
            }
        }
    }

    /// ALiBi.
    pub fn say_penalty(&mut self) {
        if matches!(self.problem.family.position, Position::Alibi { .. }) {
            self.say("solution-alibi-how", &[]);
            self.say_positions(0.0);
        }
    }

    /// Where queries and keys stand.
    fn say_positions(&mut self, offset: f64) {
        let position = |position: f64| format!("${}$", tex::given(self.format, position));
        let query = position(offset + self.problem.query_position(0));
        let key = position(offset);
        self.say("solution-positions", &[("query", query), ("key", key)]);
    }

    /// A base of powers: a number with a power of ten in it is raised whole.
    fn as_base(&self, base: f64) -> String {
        let text = self.number(base);
        if text.contains(' ') { format!("({text})") } else { text }
    }
}
