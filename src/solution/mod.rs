//! A problem as a teacher writes it on the board, and as a sheet to be filled in.
//!
//! `worked` goes through every step with its arithmetic; `worksheet` leaves chosen numbers blank (`blanks`) and writes the
//! answers to a key, `other_numbers` draws a problem of the same difficulty. All three write with `board` (one step, one
//! line of arithmetic), which names matrices and numbers by `names`, writes mathematics by `tex`, and puts it on a page
//! by `markup`. What is not the plain formula stands in a file beside each (`board_variant`,
//! `board_position`, `names_variant`, `worked_variant`). Nothing here computes attention: numbers come from the trace, their arithmetic from `explain`.

mod blanks;
mod board;
mod board_position;
mod board_variant;
mod markup;
mod names;
mod names_variant;
mod other_numbers;
mod tex;
mod worked;
mod worked_variant;
mod worksheet;

pub use blanks::Blanks;
pub use markup::Markup;
pub use other_numbers::other_numbers;
pub use worked::{SolutionOptions, solution};
pub use worksheet::{Worksheet, WorksheetError, WorksheetOptions, worksheet};
