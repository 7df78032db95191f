//! A block of numbers over the cells of a matrix, which grows where it must.

use super::notice::Notice;
use super::reshape::{self, Dimension, Side};
use crate::attention::{MOST_TOKENS, MOST_WIDTH, Part, Place, Problem, matrix, whole_matrix_mut};
use crate::exchange::{Block, BlockKind, Content};
use nalgebra::DMatrix;

use super::action::MaskMeaning;

/// How a block was read, and where it went.
#[derive(Clone, Debug, PartialEq)]
pub struct Pasted {
    pub kind: BlockKind,
    pub decimal_comma: bool,
    pub rows: usize,
    pub columns: usize,
    /// The cell under the block's first number.
    pub place: Place,
    /// The shape that the matrix has now, where it had to grow.
    pub grown_to: Option<(usize, usize)>,
    /// The first numbers as they were read.
    pub first: Vec<f64>,
}

/// The problem with the block over the cells from `place` on.
///
/// # Errors
/// A notice, where that matrix is computed, or cannot grow that far.
pub(super) fn paste(
    problem: &Problem,
    trace: &crate::attention::Trace,
    place: Place,
    block: &Block,
) -> Result<(Problem, Pasted), Notice> {
    let mut changed = problem.clone();
    if !place.part.is_input(problem) {
        return Err(Notice::NotEditable(place.part));
    }
    let old = matrix(problem, trace, place.part, place.head).ok_or(Notice::NotEditable(place.part))?;
    let (rows, columns) = block.values.shape();
    grow(&mut changed, place, old.shape(), (place.row + rows, place.column + columns))?;
    for row in 0..rows {
        for column in 0..columns {
            let cell = Place { row: place.row + row, column: place.column + column, ..place };
            changed.set_input(cell, block.values[(row, column)]);
        }
    }
    let needed = (old.nrows().max(place.row + rows), old.ncols().max(place.column + columns));
    let grown_to = (needed != old.shape()).then_some(needed);
    Ok((changed, Pasted { grown_to, ..Pasted::of(block, place) }))
}

/// The problem with a pasted mask as `allow`. What was drawn with rules is gone, the block says it all.
///
/// # Errors
/// A notice, where the block has another shape than the mask; or, for 0/1 and True/False without `meaning`, the question which is which.
pub(super) fn paste_mask(
    problem: &Problem,
    block: &Block,
    meaning: Option<MaskMeaning>,
) -> Result<(Problem, Pasted), Notice> {
    let shapes = problem.shapes();
    if block.values.shape() != (shapes.n, shapes.m) {
        return Err(Notice::MaskShape { found: block.values.shape(), expected: (shapes.n, shapes.m) });
    }
    let visible: fn(f64) -> bool = match (block.content, meaning) {
        // All 0 is M as well as 0/1; nothing is hidden is the harmless reading, but only the user knows.
        (Content::ZeroMinusInfinity, _) => |value| value == 0.0,
        (Content::ZeroOne | Content::TrueFalse, Some(MaskMeaning::OneIsVisible)) => |value| value != 0.0,
        (Content::ZeroOne | Content::TrueFalse, Some(MaskMeaning::OneIsHidden)) => |value| value == 0.0,
        (Content::ZeroOne | Content::TrueFalse, None) => return Err(Notice::MaskMeaning(Box::new(block.clone()))),
        (Content::Numbers, _) => return Err(Notice::NotAMask),
    };
    let mut changed = problem.clone();
    changed.mask = crate::attention::Mask {
        allow: Some(DMatrix::from_fn(shapes.n, shapes.m, |row, column| visible(block.values[(row, column)]))),
        ..Default::default()
    };
    let place = Place { part: Part::Mask, head: 0, row: 0, column: 0 };
    Ok((changed, Pasted::of(block, place)))
}

impl Pasted {
    fn of(block: &Block, place: Place) -> Self {
        let (rows, columns) = block.values.shape();
        Self {
            kind: block.kind,
            decimal_comma: block.decimal_comma,
            rows,
            columns,
            place,
            grown_to: None,
            first: block.values.row(0).iter().take(3).copied().collect(),
        }
    }
}

fn grow(problem: &mut Problem, place: Place, from: (usize, usize), to: (usize, usize)) -> Result<(), Notice> {
    use Part::*;
    let refuse = |found, most| Err(Notice::NoSuchSize { found, least: 1, most });
    // The limits are asked here too, so that no paste allocates without bound before it is validated.
    if to.1 > from.1 {
        let dimension = match place.part {
            X | XGiven | Table => Dimension::DModel,
            XKv | XKvGiven => Dimension::DKv,
            Q | K | WQ | WK | BQ | BK => Dimension::DK,
            V | WV | BV => Dimension::DV,
            WO | BO => Dimension::DOut,
            ScoreWQ | ScoreWK | ScoreV => Dimension::DA,
            ScoreW if problem.family.score.hidden_width().is_some() => Dimension::DA,
            _ => return refuse(to.1, from.1),
        };
        if to.1 > MOST_WIDTH {
            return refuse(to.1, MOST_WIDTH);
        }
        reshape::resize(problem, dimension, to.1);
    }
    if to.0 > from.0 {
        match place.part {
            X | XGiven | Q | XKv | XKvGiven | K | V if to.0 > MOST_TOKENS => return refuse(to.0, MOST_TOKENS),
            WQ | WK | WV if to.0 > MOST_WIDTH => return refuse(to.0, MOST_WIDTH),
            X | XGiven | Q => (from.0..to.0).for_each(|_| reshape::add_token(problem, Side::Query)),
            XKv | XKvGiven | K | V => (from.0..to.0).for_each(|_| reshape::add_token(problem, Side::Key)),
            WQ => reshape::resize(problem, Dimension::DModel, to.0),
            Table if to.0 > MOST_TOKENS => return refuse(to.0, MOST_TOKENS),
            // A table may be longer than the text.
            Table => {
                if let Some(table) = whole_matrix_mut(problem, Table) {
                    *table = table.clone().resize_vertically(to.0, 0.0);
                }
            }
            WK | WV if problem.shapes().d_kv == problem.shapes().d_model && !problem.is_cross() => {
                reshape::resize(problem, Dimension::DModel, to.0);
            }
            WK | WV => reshape::resize(problem, Dimension::DKv, to.0),
            _ => return refuse(to.0, from.0),
        }
    }
    Ok(())
}
