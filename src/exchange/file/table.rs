//! Text that is a table: anything `read_block` knows, or lines with quoted cells and a heading of words.

use super::FileError;
use crate::exchange::block::{BlockError, BlockKind, MOST_CELLS, cell_error, read_block, too_many};
use crate::exchange::cell::{Cell, Comma, read_cell};
use crate::exchange::tensor::{Element, Tensor};

/// `is_csv` decides what a lone `1,5` is: two cells there, one number elsewhere.
pub(super) fn read(name: &str, text: &str, is_csv: bool) -> Result<Tensor, FileError> {
    let refused = match read_block(text) {
        Ok(block) if is_csv && block.kind == BlockKind::Single && block.decimal_comma => {
            return Ok(read_quoted(name, text)?);
        }
        Ok(block) => {
            let shape = vec![block.values.nrows(), block.values.ncols()];
            return Ok(tensor(name, shape, block.values.transpose().iter().copied().collect()));
        }
        Err(error) => error,
    };
    // Its error is about the text as it stands, so it is the one to show unless there is a heading or a quote.
    let has_more = text.contains('"') || text.lines().next().is_some_and(|line| line.contains(char::is_alphabetic));
    if !matches!(refused, BlockError::NotANumber { .. }) || !has_more {
        return Err(refused.into());
    }
    read_quoted(name, text).map_err(|error| if error == BlockError::Empty { refused } else { error }.into())
}

fn read_quoted(name: &str, text: &str) -> Result<Tensor, BlockError> {
    let first_line = text.lines().next().unwrap_or_default();
    let delimiter = ['\t', ';', ','].into_iter().find(|&c| first_line.contains(c)).unwrap_or(',');
    let comma = if delimiter == ',' { Comma::Separates } else { Comma::Decimal };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter as u8)
        .from_reader(text.as_bytes());
    let (mut values, mut rows, mut width) = (Vec::new(), 0, 0);
    let mut is_first = true;
    for record in reader.records() {
        let record = record.map_err(|error| BlockError::Unexpected {
            line: error.position().map_or(1, |position| position.line() as usize),
            column: 1,
            found: crate::exchange::number::cut(&error.to_string()),
        })?;
        let line = record.position().map_or(1, |position| position.line() as usize);
        let is_heading = is_first && record.iter().all(|cell| read_cell(cell, comma).is_err());
        is_first = false;
        if is_heading {
            continue;
        }
        if rows == 0 {
            width = record.len();
        }
        rows += 1;
        if record.len() != width {
            return Err(BlockError::Ragged { row: rows, found: record.len(), expected: width });
        }
        if values.len() + width > MOST_CELLS {
            return Err(too_many());
        }
        for (index, cell) in record.iter().enumerate() {
            values.push(match read_cell(cell, comma).map_err(|error| cell_error(error, line, index + 1))? {
                Cell::Number(value) => value,
                Cell::Flag(flag) => f64::from(u8::from(flag)),
                Cell::MinusInfinity => f64::NEG_INFINITY,
            });
        }
    }
    if values.is_empty() { Err(BlockError::Empty) } else { Ok(tensor(name, vec![rows, width], values)) }
}

fn tensor(name: &str, shape: Vec<usize>, values: Vec<f64>) -> Tensor {
    Tensor { name: name.to_owned(), shape, element: Element::F64, values }
}
