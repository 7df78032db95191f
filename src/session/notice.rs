//! What the last action has to say.

use super::link::LinkError;
use super::paste::Pasted;
use crate::attention::{Normalise, Part, Place, ProblemError};
use crate::exchange::{Block, BlockError, FileError, NumberError, TakeError};
use crate::long::LongError;
use std::ops::Range;

/// What the last action has to say.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// What was saved could not be read; this is the default session instead.
    NotRestored(String),
    /// The link could not be opened.
    NotLinked(LinkError),
    /// This state came by a link; the user's own is still saved.
    Linked,
    /// A state was kept under this name.
    Kept(String),
    /// A file was written there.
    HandedOver(String),
    /// A file could not be written.
    NotHandedOver(String),
    /// A file could not be read.
    NotAFile { name: String, error: FileError },
    /// A tensor could not be taken.
    NotTaken(TakeError),
    /// Rows could not become a long sequence.
    NotGiven(LongError),
    /// A part of a long sequence is the problem now: its queries and its keys.
    PartTaken { rows: Range<usize>, keys: Range<usize> },
    /// Nothing was changed, for these reasons.
    Refused(Vec<ProblemError>),
    /// The text could not be read as a matrix.
    NotABlock(BlockError),
    /// A block was read and pasted: how it was read, and where it went.
    Pasted(Pasted),
    /// How a block was read, and the shape that its matrix would grow to: it waits for an answer, and nothing is changed.
    Waiting { block: Box<Block>, pasted: Box<Pasted> },
    /// A mask of 0/1 or True/False was pasted and must be told which is which.
    MaskMeaning(Box<Block>),
    /// The text typed into a cell is not a number.
    NotANumber { place: Place, error: NumberError },
    /// The text typed for a setting (its name in the texts) is not a number.
    NotASetting { name: &'static str, error: NumberError },
    /// The width (found) cannot be divided among the heads (expected).
    NotDivisible { matrix: &'static str, width: usize, heads: usize },
    /// That matrix is computed from others.
    NotEditable(Part),
    /// A pasted mask of another shape.
    MaskShape { found: (usize, usize), expected: (usize, usize) },
    /// A pasted mask that is neither 0 and −∞ nor 0/1 nor True/False.
    NotAMask,
    /// What this normaliser does not take was set aside: keys of the problem file.
    SetAside { variant: Normalise, parts: Vec<&'static str> },
    /// What had been set aside is there again.
    CameBack(Vec<&'static str>),
    /// A size beyond its limits.
    NoSuchSize { found: usize, least: usize, most: usize },
}
