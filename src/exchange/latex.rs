//! Blocks as LaTeX matrices: `\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}` and its relatives.
//!
//! What stands around the matrix may only frame or name it (`$$`, `\left[`, `Q =`): a factor or a `^T` would make
//! other numbers of it and is refused.

use super::block::{BlockError, BlockKind, MOST_CELLS, Placed, Rows, cell_error, too_many};
use super::cell::{Comma, read_cell};
use super::number::cut;

/// Environments that hold a matrix; a star after the name is allowed.
const MATRICES: [&str; 8] = ["matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "array"];
/// Environments around one.
const FRAMES: [&str; 5] = ["equation", "displaymath", "align", "gather", "math"];
/// What may stand before a matrix, and after it.
const OPENING: [&str; 11] =
    ["$", "\\[", "\\(", "\\left\\{", "\\left[", "\\left(", "\\left|", "\\left.", "\\displaystyle", "[", "("];
const CLOSING: [&str; 14] =
    ["$", "\\]", "\\)", "\\right\\}", "\\right]", "\\right)", "\\right|", "\\right.", "]", ")", ".", ",", ";", "\\,"];
const DOTS: [&str; 7] = ["\\cdots", "\\ldots", "\\dots", "\\vdots", "\\ddots", "...", "…"];
/// Spaces of several widths, and lines between rows: nothing of them is a number.
const SPACES: [&str; 7] = ["\\hline", "\\quad", "\\,", "\\;", "\\:", "\\!", "~"];

/// As in `\\[2pt]`.
const LONGEST_GAP: usize = 16;
/// As in `equation` around `aligned` around `bmatrix`.
const MOST_FRAMES: usize = 4;

pub(super) fn begins(text: &str) -> bool {
    text.contains("\\begin{")
}

pub(super) fn read(text: &str) -> Result<Rows, BlockError> {
    let text = without_comments(text);
    let (body_at, end) = matrix(&text)?;
    let mut rows = vec![Vec::new()];
    let mut line = line_at(&text, body_at);
    let mut count = 0;
    let mut rest = &text[body_at..];
    loop {
        let stop = rest.match_indices(['&', '\\']).find(|&(at, _)| delimiter(&rest[at..], end).is_some());
        let Some((at, _)) = stop else { return Err(unexpected(line, "the end of the text")) };
        let (cell, from_stop) = rest.split_at(at);
        let (kind, width) = delimiter(from_stop, end).unwrap_or((Delimiter::End, end.len()));
        let row = rows.last_mut().expect("there is always a last row");
        count += 1;
        if count > MOST_CELLS {
            return Err(too_many());
        }
        // The number stands after the line break that may precede it.
        let leading = &cell[..cell.len() - cell.trim_start().len()];
        let cell_line = line + leading.matches('\n').count();
        let is_empty_row = row.is_empty() && kind != Delimiter::Cell && clean(cell).is_empty();
        if !is_empty_row {
            row.push(placed(cell, cell_line, row.len() + 1)?);
        }
        line += cell.matches('\n').count() + from_stop[..width].matches('\n').count();
        rest = &from_stop[width..];
        match kind {
            Delimiter::Cell => {}
            // `\\` behind the last row begins no other.
            Delimiter::Row if is_empty_row => {}
            Delimiter::Row => rows.push(Vec::new()),
            Delimiter::End => break,
        }
    }
    if rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    after(rest, line)?;
    Ok(Rows { kind: BlockKind::Latex, rows, decimal_comma: false })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Delimiter {
    Cell,
    Row,
    End,
}

/// The delimiter that a text begins with, and its length: `\\` takes `*` and `[2pt]` with it.
fn delimiter(text: &str, end: &str) -> Option<(Delimiter, usize)> {
    if text.starts_with('&') {
        return Some((Delimiter::Cell, 1));
    }
    if text.starts_with(end) {
        return Some((Delimiter::End, end.len()));
    }
    let after = text.strip_prefix("\\\\")?;
    let after = after.strip_prefix('*').unwrap_or(after);
    // A length is short; looking further at every row would take forever in a text without `]`.
    let gap = after.strip_prefix('[').and_then(|gap| gap.bytes().take(LONGEST_GAP).position(|byte| byte == b']'));
    let gap = gap.map_or(0, |close| close + 2);
    Some((Delimiter::Row, text.len() - after.len() + gap))
}

/// Where the cells of the matrix begin, and the text that ends them.
fn matrix(text: &str) -> Result<(usize, &str), BlockError> {
    let mut from = 0;
    for _ in 0..MOST_FRAMES {
        let begin = text[from..].find("\\begin{").map(|at| from + at);
        let Some(begin) = begin else { return Err(unexpected(line_at(text, from), "the end of the text")) };
        before(&text[from..begin], line_at(text, from))?;
        let line = line_at(text, begin);
        let name_at = begin + "\\begin{".len();
        let Some(length) = text[name_at..].find('}') else { return Err(unexpected(line, &text[begin..])) };
        let name = &text[name_at..name_at + length];
        from = name_at + length + 1;
        let bare = name.strip_suffix('*').unwrap_or(name);
        if MATRICES.contains(&bare) {
            // How columns are aligned: `{c|c}` of an array, `[r]` of a starred matrix.
            for (open, close) in [('[', ']'), ('{', '}')] {
                let arguments = text[from..].trim_start().strip_prefix(open).filter(|_| open == '[' || bare == "array");
                if let Some(close) = arguments.and_then(|rest| rest.find(close)) {
                    from += text[from..].find(open).unwrap_or(0) + close + 2;
                }
            }
            let end = text[from..].find(&format!("\\end{{{name}}}")).map(|at| from + at);
            let Some(end) = end else {
                // Too many cells are too many, whether or not they end.
                let cells = text[from..].matches(['&', '\n']).take(MOST_CELLS + 1).count();
                return Err(if cells > MOST_CELLS { too_many() } else { unexpected(line, "the end of the text") });
            };
            return Ok((from, &text[end..end + "\\end{}".len() + name.len()]));
        }
        if !FRAMES.contains(&bare) {
            return Err(unexpected(line, &text[begin..from]));
        }
    }
    Err(unexpected(line_at(text, from), &text[..from]))
}

/// Only a name with `=` and opening brackets.
fn before(text: &str, line: usize) -> Result<(), BlockError> {
    let frame = text.rsplit_once('=').map_or(text, |(_, frame)| frame);
    framed(frame, &OPENING, line)
}

/// Only closing brackets, punctuation and the ends of frames.
fn after(text: &str, line: usize) -> Result<(), BlockError> {
    let mut rest = text.trim();
    for frame in FRAMES.iter().flat_map(|name| [format!("\\end{{{name}}}"), format!("\\end{{{name}*}}")]) {
        // A frame may end before or after the mark that closes a formula.
        rest = rest.strip_suffix(frame.as_str()).unwrap_or(rest).trim_end();
    }
    framed(rest, &CLOSING, line)
}

fn framed(text: &str, allowed: &[&str], line: usize) -> Result<(), BlockError> {
    let mut rest = text.trim();
    while let Some(inner) = allowed.iter().find_map(|mark| rest.strip_prefix(mark)) {
        rest = inner.trim_start();
    }
    if rest.is_empty() { Ok(()) } else { Err(unexpected(line, rest)) }
}

fn placed(text: &str, line: usize, column: usize) -> Result<Placed, BlockError> {
    let text = clean(text);
    if DOTS.contains(&text.as_str()) {
        return Err(BlockError::Elided { line, column, found: text });
    }
    let cell = read_cell(&text, Comma::Separates).map_err(|error| cell_error(error, line, column))?;
    Ok(Placed { cell, line, column, text: cut(&text) })
}

/// A cell as plain text: `\frac{1}{3}` is 1/3, `2 \cdot 10^{-3}` is 2e-3, braces and spaces say nothing.
fn clean(text: &str) -> String {
    let mut plain = text.trim().replace('$', "");
    for space in SPACES {
        plain = plain.replace(space, " ");
    }
    for (product, exponent) in [("\\cdot", "e"), ("\\times", "e")] {
        if let Some((number, power)) = plain.split_once(product)
            && let Some(power) = power.trim().strip_prefix("10^")
        {
            plain = format!("{}{exponent}{}", number.trim(), power.trim());
        }
    }
    for command in ["\\frac", "\\dfrac", "\\tfrac"] {
        if let Some((sign, fraction)) = plain.split_once(command) {
            plain = format!("{sign}{}", fraction.replacen('}', "/", 1));
        }
    }
    for command in ["\\text", "\\mathrm", "\\mathbf"] {
        plain = plain.replace(command, "");
    }
    plain.replace(['{', '}'], "").trim().to_owned()
}

/// From a `%` that is not escaped to the end of its line.
fn without_comments(text: &str) -> String {
    let keep = |line: &str| {
        let comment = line.match_indices('%').find(|&(at, _)| !line[..at].ends_with('\\'));
        comment.map_or(line.len(), |(at, _)| at)
    };
    text.split('\n').map(|line| &line[..keep(line)]).collect::<Vec<_>>().join("\n")
}

fn line_at(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

fn unexpected(line: usize, found: &str) -> BlockError {
    BlockError::Unexpected { line, column: 1, found: cut(found.trim()) }
}
