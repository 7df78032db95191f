//! What comes in as text: one number typed into a cell, or a block pasted over many.
//!
//! Spreadsheets, NumPy, PyTorch and JSON each write a matrix in their own way; here they become one. Nothing here
//! knows what the numbers are for. Start at `number`, then `block`; `nested` and `lines` read the two families
//! of notation.

mod block;
mod cell;
mod latex;
mod lines;
mod markdown;
mod nested;
mod number;

pub use block::{Block, BlockError, BlockKind, Content, MOST_CELLS, read_block};
pub use number::{NumberError, read_number};
