//! What is drawn on: plotters' SVG backend, and beside it the text.
//!
//! Rectangles, lines and frames go through plotters. Two things do not. **Text**: plotters escapes it, but knows
//! neither a list of font families, nor a raised T within a symbol, nor a full name behind a shortened one; and on
//! wasm every other way of its own measures text by the page. **Fine grids**: one element a cell would make 30 MB of a
//! 512×512 matrix; a path for each colour, in units of cells, makes 2 MB at most. Both are appended to plotters'
//! document before it is closed.

use super::FigureError;
use super::layout::{Layout, POINTS};
use super::palette::Rgb;
use super::symbol::{Level, Run, SMALLER};
use plotters::prelude::{DrawingBackend, RGBColor, SVGBackend, ShapeStyle};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Units of the document in a millimetre: plotters draws at whole numbers, and these are fine enough for print.
const UNITS: f64 = 100.0;

const SANS: &str = "'IBM Plex Sans','Noto Sans CJK SC','Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif";
const SERIF: &str = "'STIX Two Text','Times New Roman','Liberation Serif','DejaVu Serif',serif";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set. `full` is what a shortened text stands for.
#[derive(Clone, Copy)]
pub(super) struct Type<'a> {
    pub size: f64,
    pub anchor: Anchor,
    pub colour: Rgb,
    pub full: Option<&'a str>,
}

/// From one point to another.
pub(super) type Segment = ((f64, f64), (f64, f64));

pub(super) struct Canvas<'a> {
    backend: SVGBackend<'a>,
    /// Units of the document in a point of the layout.
    unit: f64,
    /// Paths of our own, over what plotters draws; and the text, over all.
    paths: String,
    text: String,
}

/// Draws into a document of the layout's size, and closes it.
pub(super) fn document(
    layout: &Layout,
    width_mm: f64,
    language: &str,
    title: &str,
    draw: impl FnOnce(&mut Canvas) -> Result<(), FigureError>,
) -> Result<String, FigureError> {
    let height_mm = layout.height / layout.width * width_mm;
    let units = |mm: f64| (mm * UNITS).round() as u32;
    let (width, height) = (units(width_mm), units(height_mm));
    let mut svg = String::new();
    let (paths, text) = {
        let backend = SVGBackend::with_string(&mut svg, (width, height));
        let unit = layout.scale / POINTS * UNITS;
        let mut canvas = Canvas { backend, unit, paths: String::new(), text: String::new() };
        draw(&mut canvas)?;
        canvas.backend.present().map_err(drawing)?;
        (canvas.paths, canvas.text)
    };
    // plotters knows pixels only: its first tag gets a size in millimetres, its last is moved behind the text.
    let body = svg.split_once('>').and_then(|(_, body)| body.trim_end().strip_suffix("</svg>"));
    let body = body.ok_or_else(|| FigureError::Drawing { why: "plotters wrote no SVG".to_owned() })?;
    Ok(format!(
        "<svg width=\"{}mm\" height=\"{}mm\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\" \
         xml:lang=\"{language}\" role=\"img\">\n<title>{}</title>{body}{paths}<g font-family=\"{SANS}\">\n{text}</g>\n</svg>\n",
        millimetres(width),
        millimetres(height),
        escaped(title),
    ))
}

fn millimetres(units: u32) -> f64 {
    f64::from(units) / UNITS
}

fn drawing(error: impl std::fmt::Display) -> FigureError {
    FigureError::Drawing { why: error.to_string() }
}

impl Canvas<'_> {
    fn units(&self, length: f64) -> i32 {
        (length * self.unit).round() as i32
    }

    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        (self.units(x), self.units(y))
    }

    /// A filled rectangle.
    pub(super) fn rect(&mut self, from: (f64, f64), to: (f64, f64), colour: Rgb) -> Result<(), FigureError> {
        let (from, to) = (self.at(from), self.at(to));
        self.backend.draw_rect(from, to, &style(colour, 1), true).map_err(drawing)
    }

    /// A line.
    pub(super) fn line(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        colour: Rgb,
        width: f64,
    ) -> Result<(), FigureError> {
        let (from, to) = (self.at(from), self.at(to));
        let width = self.units(width).max(1) as u32;
        self.backend.draw_line(from, to, &style(colour, width)).map_err(drawing)
    }

    /// The edge of a rectangle, its line inside. (plotters' own has no width.)
    pub(super) fn frame(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        colour: Rgb,
        width: f64,
    ) -> Result<(), FigureError> {
        let half = width / 2.0;
        let (left, top) = self.at((from.0 + half, from.1 + half));
        let (right, bottom) = self.at((to.0 - half, to.1 - half));
        let width = self.units(width).max(1) as u32;
        // The corner is passed twice, so that it is closed.
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)];
        self.backend.draw_path(corners, &style(colour, width)).map_err(drawing)
    }

    /// A fine grid: equal cells that follow one another are one stroke, and all strokes of a colour one path.
    pub(super) fn grid(
        &mut self,
        from: (f64, f64),
        cell: (f64, f64),
        (rows, columns): (usize, usize),
        colour: impl Fn(usize, usize) -> Rgb,
    ) {
        let mut strokes: BTreeMap<Rgb, String> = BTreeMap::new();
        for row in 0..rows {
            let mut start = 0;
            while start < columns {
                let ground = colour(row, start);
                let mut end = start + 1;
                while end < columns && colour(row, end) == ground {
                    end += 1;
                }
                let stroke = strokes.entry(ground).or_default();
                let _ = write!(stroke, "M{start} {row}h{}", end - start);
                start = end;
            }
        }
        let (width, height) = (cell.0 * self.unit, cell.1 * self.unit);
        let (left, top) = (from.0 * self.unit, from.1 * self.unit + height / 2.0);
        let _ = writeln!(
            self.paths,
            "<g transform=\"translate({left:.2} {top:.2}) scale({width:.4} {height:.4})\" fill=\"none\" stroke-width=\"1\" \
             shape-rendering=\"crispEdges\">"
        );
        for (colour, path) in strokes {
            let _ = writeln!(self.paths, "<path stroke=\"{}\" d=\"{path}\"/>", hex(colour));
        }
        self.paths.push_str("</g>\n");
    }

    /// Many lines of one colour over a fine grid.
    pub(super) fn lines(&mut self, lines: &[Segment], colour: Rgb, width: f64) {
        if lines.is_empty() {
            return;
        }
        let width = self.units(width).max(1);
        let _ = write!(self.paths, "<path fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" d=\"", hex(colour));
        for (from, to) in lines {
            let (from, to) = (self.at(*from), self.at(*to));
            let _ = write!(self.paths, "M{} {}L{} {}", from.0, from.1, to.0, to.1);
        }
        self.paths.push_str("\"/>\n");
    }

    /// A line of text; `at` is on its baseline.
    pub(super) fn text(&mut self, at: (f64, f64), text: &str, set: Type) {
        self.open_text(at, set);
        self.text.push_str(&escaped(text));
        self.text.push_str("</text>\n");
    }

    /// A symbol. It is a text of its own: a renderer that lacks a letter of the name may change the face of all of a text.
    pub(super) fn symbol(&mut self, at: (f64, f64), runs: &[Run], set: Type) {
        self.open_text(at, set);
        // A baseline that was moved stays moved until it is moved back.
        let mut moved = 0;
        for run in runs {
            let (share, shift) = match run.level {
                Level::Base => (1.0, 0.0),
                Level::Raised => (SMALLER, -0.36),
                Level::Lowered => (SMALLER, 0.22),
            };
            let to = self.units(set.size * shift);
            let slant = if run.italic { " font-style=\"italic\"" } else { "" };
            let _ = write!(
                self.text,
                "<tspan dy=\"{}\" font-family=\"{SERIF}\" font-size=\"{}\"{slant}>{}</tspan>",
                to - moved,
                self.units(set.size * share),
                escaped(&run.text),
            );
            moved = to;
        }
        self.text.push_str("</text>\n");
    }

    fn open_text(&mut self, at: (f64, f64), set: Type) {
        let (x, y) = self.at(at);
        let anchor = match set.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (size, fill) = (self.units(set.size), hex(set.colour));
        let _ = write!(self.text, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\"{anchor}>");
        if let Some(full) = set.full {
            let _ = write!(self.text, "<title>{}</title>", escaped(full));
        }
    }
}

fn style(Rgb(colour): Rgb, width: u32) -> ShapeStyle {
    let [r, g, b] = Rgb(colour).channels();
    ShapeStyle { color: RGBColor(r, g, b).into(), filled: true, stroke_width: width }
}

fn hex(Rgb(colour): Rgb) -> String {
    format!("#{colour:06X}")
}

/// Text as XML can hold it: markup escaped; a control character, which XML forbids even escaped, as its picture (␀).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\u{0}'..='\u{1f}' => escaped.extend(char::from_u32(0x2400 + c as u32)),
            '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_become_text() {
        assert_eq!(escaped("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&apos;");
        assert_eq!(escaped("a\n\u{0}\u{ffff}"), "a␊␀\u{fffd}");
    }
}
