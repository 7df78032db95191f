//! Blocks as Markdown tables: a row a line, cells between bars, perhaps a heading above a rule of dashes.

use super::block::{BlockError, BlockKind, MOST_CELLS, Placed, Rows, cell_error, too_many};
use super::cell::{Comma, read_cell};
use super::number::cut;

/// A table has a bar at its beginning, or bars and a rule.
pub(super) fn begins(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    first.trim_start().starts_with('|') || (first.contains('|') && lines.next().is_some_and(is_rule))
}

pub(super) fn read(text: &str) -> Result<Rows, BlockError> {
    let mut rows: Vec<Vec<Placed>> = Vec::new();
    let mut count = 0;
    let mut decimal_comma = false;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !is_rule(line));
    for (is_first, (index, line)) in lines.enumerate().map(|(at, line)| (at == 0, line)) {
        let texts: Vec<&str> = cells(line).take(MOST_CELLS + 1 - count).collect();
        count += texts.len();
        if count > MOST_CELLS {
            return Err(too_many());
        }
        // A heading names the columns; one number in it makes it a row, so that its words are refused by name.
        if is_first && texts.iter().all(|text| read_cell(text, Comma::Decimal).is_err() && !is_dots(text)) {
            continue;
        }
        let mut row = Vec::with_capacity(texts.len());
        for (at, text) in texts.into_iter().enumerate() {
            let (line, column) = (index + 1, at + 1);
            if is_dots(text) {
                return Err(BlockError::Elided { line, column, found: text.to_owned() });
            }
            decimal_comma |= text.contains(',');
            let cell = read_cell(text, Comma::Decimal).map_err(|error| cell_error(error, line, column))?;
            row.push(Placed { cell, line, column, text: cut(text) });
        }
        rows.push(row);
    }
    Ok(Rows { kind: BlockKind::Markdown, rows, decimal_comma })
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    line.strip_suffix('|').unwrap_or(line).split('|').map(str::trim)
}

/// `|---|:-:|`: a bar, and nothing but dashes, which colons may align.
fn is_rule(line: &str) -> bool {
    let is_dashes = |cell: &str| {
        let dashes = cell.strip_prefix(':').unwrap_or(cell);
        let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
        !dashes.is_empty() && dashes.chars().all(|c| c == '-')
    };
    line.contains('|') && cells(line).all(is_dashes)
}

fn is_dots(text: &str) -> bool {
    matches!(text, "..." | "…")
}
