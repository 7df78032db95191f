//! The way out: a matrix in the notations of other programs, a trace as NumPy's archive.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use super::file::npy;
use crate::attention::{Matrix, Trace};

/// A notation for one matrix. Markdown and LaTeX are for the eye: with `digits` numbers are rounded to so many after
/// the point; the others keep every bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFormat {
    Csv,
    Json,
    Npy,
    Markdown { digits: Option<usize> },
    Latex { digits: Option<usize> },
}

impl MatrixFormat {
    /// Every format, unrounded.
    pub const ALL: [MatrixFormat; 5] = [
        MatrixFormat::Csv,
        MatrixFormat::Json,
        MatrixFormat::Npy,
        MatrixFormat::Markdown { digits: None },
        MatrixFormat::Latex { digits: None },
    ];

    /// The name under which translations are found, as `format-<key>`.
    pub fn key(self) -> &'static str {
        match self {
            MatrixFormat::Csv => "csv",
            MatrixFormat::Json => "json",
            MatrixFormat::Npy => "npy",
            MatrixFormat::Markdown { .. } => "markdown",
            MatrixFormat::Latex { .. } => "latex",
        }
    }

    /// Of a file's name, without the point.
    pub fn extension(self) -> &'static str {
        match self {
            MatrixFormat::Markdown { .. } => "md",
            MatrixFormat::Latex { .. } => "tex",
            other => other.key(),
        }
    }

    /// The media type for a download.
    pub fn mime(self) -> &'static str {
        match self {
            MatrixFormat::Csv => "text/csv",
            MatrixFormat::Json => "application/json",
            MatrixFormat::Npy => "application/octet-stream",
            MatrixFormat::Markdown { .. } => "text/markdown",
            MatrixFormat::Latex { .. } => "application/x-tex",
        }
    }
}

/// A matrix in one notation. Minus infinity is `-inf` in CSV, `"-inf"` in JSON, itself in `.npy` (f64, rows first),
/// `−∞` in Markdown and `-\infty` in LaTeX.
///
/// ```
/// # use attnlab::attention::Matrix;
/// # use attnlab::exchange::{write_matrix, MatrixFormat};
/// let matrix = Matrix::from_row_slice(1, 2, &[0.5, f64::NEG_INFINITY]);
/// assert_eq!(write_matrix(&matrix, MatrixFormat::Csv), b"0.5,-inf\n");
/// let latex = write_matrix(&matrix, MatrixFormat::Latex { digits: Some(2) });
/// assert_eq!(latex, b"\\begin{bmatrix}\n0.50 & -\\infty\n\\end{bmatrix}\n");
/// ```
pub fn write_matrix(matrix: &Matrix, format: MatrixFormat) -> Vec<u8> {
    let rows = |separator: &str, text: &dyn Fn(f64) -> String| -> Vec<String> {
        let row =
            |row: nalgebra::RowDVector<f64>| row.iter().map(|&value| text(value)).collect::<Vec<_>>().join(separator);
        matrix.row_iter().map(|view| row(view.into_owned())).collect()
    };
    match format {
        MatrixFormat::Csv => (rows(",", &plain).join("\n") + "\n").into_bytes(),
        MatrixFormat::Json => format!("[[{}]]\n", rows(", ", &json).join("],\n [")).into_bytes(),
        MatrixFormat::Npy => npy(matrix),
        MatrixFormat::Markdown { digits } => {
            let mut text = String::new();
            // A table needs a heading; empty cells name nothing.
            let _ = writeln!(text, "|{}\n|{}", "  |".repeat(matrix.ncols()), " ---: |".repeat(matrix.ncols()));
            for row in rows(" | ", &|value| rounded(value, digits, "−∞")) {
                let _ = writeln!(text, "| {row} |");
            }
            text.into_bytes()
        }
        MatrixFormat::Latex { digits } => {
            let body = rows(" & ", &|value| power_of_ten(&rounded(value, digits, "-\\infty"))).join(" \\\\\n");
            format!("\\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}\n").into_bytes()
        }
    }
}

/// Every step of a trace as one array of an `.npz` archive, `scores_0` for head 0 and `mask` for what is there once.
pub fn trace_npz(trace: &Trace) -> Vec<u8> {
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for step in &trace.steps {
        let head = step.head.map_or_else(String::new, |head| format!("_{head}"));
        archive.start_file(format!("{}{head}.npy", step.part.key()), options).expect("steps have names of their own");
        archive.write_all(&npy(&step.value)).expect("memory can be written to");
    }
    archive.finish().expect("memory can be written to").into_inner()
}

fn npy(matrix: &Matrix) -> Vec<u8> {
    // nalgebra runs through columns: the transpose's columns are the rows.
    npy::write(matrix.nrows(), matrix.ncols(), matrix.transpose().iter().copied())
}

/// The shortest text that reads back as the same number.
fn plain(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let is_plain = value == 0.0 || value.is_infinite() || (1e-5..1e16).contains(&value.abs());
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

fn json(value: f64) -> String {
    if value.is_finite() { plain(value) } else { format!("\"{}\"", plain(value)) }
}

fn rounded(value: f64, digits: Option<usize>, minus_infinity: &str) -> String {
    /// More digits than an f64 has say nothing.
    const MOST: usize = 17;
    match digits {
        _ if value == f64::NEG_INFINITY => minus_infinity.to_owned(),
        Some(digits) if value.is_finite() => format!("{value:.*}", digits.min(MOST)),
        _ => plain(value),
    }
}

/// `1e-7` as LaTeX sets it.
fn power_of_ten(number: &str) -> String {
    match number.split_once('e') {
        Some((digits, exponent)) => format!("{digits} \\times 10^{{{exponent}}}"),
        None => number.to_owned(),
    }
}
