//! Tensors become a problem: which of them is what (`role`, `guess`), and which of its axes are what (`pick`).
//!
//! A window shows the picks and changes them; `problem` makes the problem of them.

mod error;
mod guess;
mod pick;
mod problem;
mod role;
mod rows;

pub use error::TakeError;
pub use guess::{guess, guess_all};
pub use pick::{Pick, shape_after, shape_before, to_matrix};
pub use problem::to_problem;
pub use role::Role;
pub use rows::{Rows, rows_of_attention, to_rows};
