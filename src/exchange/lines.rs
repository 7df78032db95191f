//! Blocks without brackets: a row a line, cells split by tabs, semicolons, commas or spaces.

use super::block::{BlockError, BlockKind, MOST_CELLS, Placed, Rows, cell_error, too_many};
use super::cell::{Comma, read_cell};
use super::number::cut;

pub(super) fn read(text: &str) -> Result<Rows, BlockError> {
    let (kind, comma) = notation(text);
    let mut rows = Vec::new();
    let mut count = 0;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = split(line, kind, MOST_CELLS + 1 - count);
        count += cells.len();
        if count > MOST_CELLS {
            return Err(too_many());
        }
        rows.push((index + 1, cells));
    }
    // Some programs end every row with the separator.
    if rows.iter().all(|(_, cells)| cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty())) {
        for (_, cells) in &mut rows {
            cells.pop();
        }
    }
    let has_comma = rows.iter().any(|(_, cells)| cells.iter().any(|cell| cell.contains(',')));
    let rows = rows.into_iter().map(|(line, cells)| read_row(line, &cells, comma)).collect::<Result<_, _>>()?;
    Ok(Rows { kind, rows, decimal_comma: comma == Comma::Decimal && has_comma })
}

/// The separator is the strongest one in the text: a tab, a semicolon, a comma, a space.
fn notation(text: &str) -> (BlockKind, Comma) {
    let trimmed = text.trim();
    let has_inner_space = trimmed.contains(char::is_whitespace);
    // A tab at the edge of a block is an empty cell, which must not be trimmed away.
    if text.trim_matches(['\n', '\r']).contains('\t') {
        (BlockKind::Spreadsheet, Comma::Decimal)
    } else if trimmed.contains(';') {
        (BlockKind::Semicolon, Comma::Decimal)
    } else if (!has_inner_space && is_one(trimmed)) || is_fraction(trimmed) {
        (BlockKind::Single, Comma::Decimal)
    } else if trimmed.contains(',') {
        (BlockKind::Csv, Comma::Separates)
    } else {
        (BlockKind::Whitespace, Comma::Separates)
    }
}

/// `0,5` is one number, `2.5,3` and `0,-inf` are two.
fn is_one(text: &str) -> bool {
    !text.contains(',') || super::read_number(text).is_ok()
}

/// `1 / 3` is one number.
fn is_fraction(text: &str) -> bool {
    text.contains('/') && !text.contains('\n') && super::read_number(text).is_ok()
}

fn split(line: &str, kind: BlockKind, most: usize) -> Vec<&str> {
    match kind {
        BlockKind::Spreadsheet => line.split('\t').take(most).collect(),
        BlockKind::Semicolon => line.split(';').take(most).collect(),
        BlockKind::Csv => line.split(',').take(most).collect(),
        BlockKind::Single => vec![line],
        _ => line.split_whitespace().take(most).collect(),
    }
}

fn read_row(line: usize, cells: &[&str], comma: Comma) -> Result<Vec<Placed>, BlockError> {
    let read = |(index, text): (usize, &&str)| {
        let column = index + 1;
        if matches!(text.trim(), "..." | "…") {
            return Err(BlockError::Elided { line, column, found: text.trim().to_owned() });
        }
        let cell = read_cell(text, comma).map_err(|error| cell_error(error, line, column))?;
        Ok(Placed { cell, line, column, text: cut(text.trim()) })
    };
    cells.iter().enumerate().map(read).collect()
}
