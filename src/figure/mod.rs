//! Figures for print: one step, all heads, or the whole row of matrices, as SVG of a physical size; natively as PNG.
//!
//! In reading order: `subject` (what is drawn), `block` (one matrix, ready to be drawn), `symbol` and `palette` (its
//! formula, its colours: those of the page), `width` (how wide a text will be), `layout` (how large, and where),
//! `canvas` (plotters' SVG, and the text that we place ourselves), `draw`, `raster` (PNG).

mod block;
mod canvas;
mod draw;
mod error;
mod layout;
mod palette;
#[cfg(not(target_arch = "wasm32"))]
mod raster;
mod subject;
mod symbol;
mod width;

pub use block::{axes, hidden};
pub use error::FigureError;
pub use palette::Meaning;
#[cfg(not(target_arch = "wasm32"))]
pub use raster::png;
pub use subject::Subject;
pub use symbol::{mask_entry, mask_operator, symbol, symbol_of};

use crate::attention::{Problem, Trace};
use crate::writing::{Language, NumberFormat, Rounding};

/// How a figure looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureOptions {
    pub language: Language,
    /// On the dark page rather than on white.
    pub dark: bool,
    /// At most so many digits; a matrix that needs fewer shows fewer, as on the page.
    pub format: NumberFormat,
    /// The width in print, from 20 to 2000 mm. The height follows from what is drawn.
    pub width_mm: f64,
    /// Numbers in the cells, where they stay legible.
    pub numbers: bool,
}

impl Default for FigureOptions {
    /// English, on white, four digits, as wide as the text of an A4 page.
    fn default() -> Self {
        Self {
            language: Language::English,
            dark: false,
            format: NumberFormat { digits: 4, rounding: Rounding::Round },
            width_mm: 160.0,
            numbers: true,
        }
    }
}

/// The figure as an SVG document of its own: real text, sizes in millimetres.
///
/// A matrix that is too large for legible numbers is drawn as an image-like grid of cells; where even those would be
/// finer than print shows, each drawn cell stands for a few and has the colour of the largest of them.
///
/// ```
/// use attnlab::attention::{Part, Problem, solve};
/// use attnlab::figure::{FigureOptions, Subject, svg};
///
/// let problem = Problem::from_json(
///     r#"{"format":"attnlab/1","tokens":["我"],"inputs":{"q":[[2]],"k":[[3]],"v":[[5]]}}"#).unwrap();
/// let trace = solve(&problem).unwrap();
/// let scores = Subject::Step { part: Part::Scores, head: 0 };
/// let drawn = svg(&problem, &trace, &scores, &FigureOptions::default()).unwrap();
/// assert!(drawn.starts_with("<svg width=\"160mm\"") && drawn.contains(">6</text>") && drawn.contains(">我</text>"));
/// ```
///
/// # Errors
/// When the problem has no such head or step, or the width is none that can be printed.
pub fn svg(
    problem: &Problem,
    trace: &Trace,
    subject: &Subject,
    options: &FigureOptions,
) -> Result<String, FigureError> {
    if !(20.0..=2000.0).contains(&options.width_mm) {
        return Err(FigureError::Width { width: options.width_mm });
    }
    let lines = subject::lines(problem, trace, subject, options)?;
    let layout = layout::fit(&lines, options);
    draw::figure(&lines, &layout, options)
}
