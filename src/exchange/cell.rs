//! One cell of a block: a number, True or False, or a minus infinity.

use super::number::{NumberError, read_number, read_plain};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    Number(f64),
    Flag(bool),
    /// Allowed only where everything else is 0: then the block is the M of the formula.
    MinusInfinity,
}

/// Whether a comma inside a cell is a decimal comma.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comma {
    Decimal,
    Separates,
}

pub(super) fn read_cell(text: &str, comma: Comma) -> Result<Cell, NumberError> {
    let bare = text.trim().trim_matches('"');
    match bare {
        "True" | "true" | "TRUE" => return Ok(Cell::Flag(true)),
        "False" | "false" | "FALSE" => return Ok(Cell::Flag(false)),
        _ => {}
    }
    let ascii = bare.replace('\u{2212}', "-");
    let is_minus_infinity = ascii.strip_prefix('-').is_some_and(|rest| {
        let name = rest.trim_start_matches("np.").trim_start_matches("torch.").trim_start_matches("math.");
        ["inf", "Inf", "INF", "Infinity", "INFINITY", "\\infty", "∞"].contains(&name)
    });
    if is_minus_infinity {
        return Ok(Cell::MinusInfinity);
    }
    let number = if comma == Comma::Decimal { read_number(bare) } else { read_plain(bare) };
    number.map(Cell::Number)
}
