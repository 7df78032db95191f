//! One matrix, ready to be drawn: its numbers, names and colours, as the page has them.

use super::palette::{Meaning, Palette, Rgb};
use super::{FigureOptions, mask_entry, symbol_of};
use crate::attention::{self, Matrix, Part, Problem};
use crate::writing::{NumberFormat, Texts};
use nalgebra::DMatrix;

/// How cells are coloured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Colours {
    /// From 0 to 1.
    Weights,
    /// Zero fixed; where nothing is negative, only the upper half is in use.
    Signed { most: f64, negative: bool },
    /// No colour.
    Plain,
}

impl Colours {
    fn of(part: Part, values: &Matrix) -> Self {
        match part {
            Part::Weights => Self::Weights,
            Part::Mask => Self::Plain,
            _ => {
                let finite = values.iter().filter(|value| value.is_finite());
                let most = finite.clone().fold(0.0f64, |most, value| most.max(value.abs()));
                let negative = finite.clone().any(|value| *value < 0.0);
                Self::Signed { most: if most > 0.0 { most } else { 1.0 }, negative }
            }
        }
    }

    /// The colour of a value.
    pub(super) fn ground(self, value: f64, palette: Palette) -> Rgb {
        match self {
            Self::Weights => palette.weight(value),
            Self::Signed { most, .. } => palette.signed(value, most),
            Self::Plain => palette.raised(),
        }
    }

    /// The values at the ends of the scale; none where there is no colour.
    pub(super) fn ends(self) -> Option<(f64, f64)> {
        match self {
            Self::Weights => Some((0.0, 1.0)),
            Self::Signed { most, negative } => Some((if negative { -most } else { 0.0 }, most)),
            Self::Plain => None,
        }
    }
}

/// A word on an axis, in the colour of its meaning.
pub(super) struct Axis {
    pub text: String,
    pub meaning: Meaning,
}

/// One matrix as it is drawn (K as Kᵀ).
pub(super) struct Block {
    pub part: Part,
    pub operator: &'static str,
    pub symbol: &'static str,
    /// What the mask has for a hidden and for a visible pair.
    pub mask_entries: [&'static str; 2],
    pub name: String,
    pub values: Matrix,
    /// Tokens; features carry no names, which would only be read as data.
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    pub row_axis: Option<Axis>,
    pub column_axis: Option<Axis>,
    pub colours: Colours,
    pub hidden: Option<DMatrix<bool>>,
    pub shape: String,
    /// As a thumbnail: so many stand side by side.
    pub thumbnail: Option<usize>,
    format: NumberFormat,
}

impl Block {
    pub(super) fn new(
        problem: &Problem,
        part: Part,
        values: Matrix,
        operator: &'static str,
        texts: &Texts,
        options: &FigureOptions,
    ) -> Self {
        let (mut rows, mut columns) = attention::labels(problem, part);
        let (row_axis, column_axis) = axes(part);
        let values = if part == Part::K {
            (rows, columns) = (columns, rows);
            values.transpose()
        } else {
            values
        };
        if row_axis.is_none()
            && !matches!(part, Part::Table | Part::X | Part::XKv | Part::XGiven | Part::XKvGiven | Part::Position)
        {
            rows.clear();
        }
        if column_axis.is_none() {
            columns.clear();
        }
        let axis = |meaning: Option<Meaning>| {
            meaning.map(|meaning| {
                let text = if meaning == Meaning::Query { texts.t("axis-query") } else { texts.t("axis-key") };
                Axis { text, meaning }
            })
        };
        // With one head and no W_O the context is the output.
        let named = if part == Part::Context && !problem.joins_heads() { Part::Output } else { part };
        Self {
            part,
            operator,
            symbol: symbol_of(problem, part),
            mask_entries: [false, true].map(|is_visible| mask_entry(problem, is_visible)),
            name: texts.t(&format!("part-{}", named.key().replace('_', "-"))),
            row_axis: axis(row_axis),
            column_axis: axis(column_axis),
            colours: Colours::of(part, &values),
            hidden: hidden(problem, part),
            thumbnail: None,
            shape: format!("{}×{}", values.nrows(), values.ncols()),
            // As on the page: a few hundred numbers show how many digits a matrix needs.
            format: options.format.just_enough(values.iter().copied().filter(|value| value.is_finite()).take(512)),
            values,
            rows,
            columns,
        }
    }

    /// The same matrix under another name.
    pub(super) fn named(self, name: String) -> Self {
        Self { name, ..self }
    }

    /// The same matrix, small: no numbers, no tokens.
    pub(super) fn thumbnail(self, name: String, across: usize) -> Self {
        Self { name, symbol: "", rows: Vec::new(), columns: Vec::new(), thumbnail: Some(across), ..self }
    }

    pub(super) fn size(&self) -> (usize, usize) {
        self.values.shape()
    }

    /// What stands in a cell.
    pub(super) fn number(&self, row: usize, column: usize) -> String {
        match (self.part, self.values[(row, column)]) {
            // The mask holds flags; what is added are these.
            (Part::Mask, value) => self.mask_entries[usize::from(value == 1.0)].to_owned(),
            (_, value) => self.format.fixed(value),
        }
    }

    /// Whether no weight stands there because the pair is hidden.
    pub(super) fn is_hidden(&self, row: usize, column: usize) -> bool {
        self.is_hidden_pair(row, column) && !self.leaks(row, column)
    }

    /// A weight on a hidden pair leaks: it keeps its colour and gets a frame.
    pub(super) fn leaks(&self, row: usize, column: usize) -> bool {
        self.part == Part::Weights && self.is_hidden_pair(row, column) && self.values[(row, column)] != 0.0
    }

    fn is_hidden_pair(&self, row: usize, column: usize) -> bool {
        self.hidden.as_ref().is_some_and(|hidden| hidden[(row, column)])
    }

    /// The colour of a cell, without hatch and frame.
    pub(super) fn ground(&self, row: usize, column: usize, palette: Palette) -> Rgb {
        if self.is_hidden(row, column) {
            palette.hidden()
        } else {
            self.colours.ground(self.values[(row, column)], palette)
        }
    }

    /// The numbers at the ends of the legend. They are for orientation: two digits say enough.
    pub(super) fn legend(&self) -> Option<[String; 2]> {
        let (low, high) = self.colours.ends()?;
        let format = NumberFormat { digits: self.format.digits.min(2), ..self.format };
        Some([format.short(low), format.short(high)])
    }
}

/// Which pairs are hidden: by the rules, or by what was really applied.
pub fn hidden(problem: &Problem, part: Part) -> Option<DMatrix<bool>> {
    match part {
        Part::Mask | Part::Weights => Some(attention::visible(problem).map(|visible| !visible)),
        Part::Masked | Part::Exp => Some(attention::applied(problem).map(|visible| !visible)),
        _ => None,
    }
}

/// What rows and columns stand for. K is drawn as Kᵀ: its tokens are the columns.
pub fn axes(part: Part) -> (Option<Meaning>, Option<Meaning>) {
    use Part::*;
    match part {
        Q | QRotated | QFeatures | Hidden | Context | Concat | Output | RowSum | SinkWeight | Leak => {
            (Some(Meaning::Query), None)
        }
        K => (None, Some(Meaning::Key)),
        V | KRotated | KFeatures | KTransformed => (Some(Meaning::Key), None),
        Scores | Scaled | Capped | Bias | Biased | Mask | Masked | Exp | Kept | Weights => {
            (Some(Meaning::Query), Some(Meaning::Key))
        }
        _ => (None, None),
    }
}
