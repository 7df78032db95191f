//! What comes in and goes out: one number typed into a cell, a block pasted over many, a file of tensors.
//!
//! Spreadsheets, NumPy, PyTorch and JSON each write a matrix in their own way; here they become one. Start at
//! `number`, then `block` (`nested`, `lines`, `markdown` and `latex` read the families of notation); `file` reads
//! files into `tensor`s, `take` makes a problem of these. `write` is the way out.

mod block;
mod cell;
mod file;
mod latex;
mod lines;
mod markdown;
mod nested;
mod number;
mod take;
mod tensor;
mod write;

pub use block::{Block, BlockError, BlockKind, Content, MOST_CELLS, read_block};
pub use file::{FileContent, FileError, MOST_AXES, MOST_ELEMENTS, MOST_FILE_BYTES, MOST_TENSORS, read_file};
pub use number::{NumberError, read_number, read_whole};
pub use take::{
    Pick, Role, Rows, TakeError, guess, guess_all, rows_of_attention, shape_after, shape_before, to_matrix, to_problem,
    to_rows,
};
pub use tensor::{Element, Tensor};
pub use write::{MatrixFormat, trace_npz, write_matrix};
