//! A problem as a teacher writes it on the board, and as a sheet to be filled in.
//!
//! `worked` goes through every step with its arithmetic; `worksheet` leaves chosen numbers blank and writes the answers
//! to a key, `other_numbers` draws a problem of the same difficulty. All three write with `board` (one step, one line of
//! arithmetic), which names matrices and numbers by `names`, writes mathematics by `tex`, and puts it on a page by
//! `markup`. Nothing here computes attention: numbers come from the trace, their arithmetic from `explain`.

mod board;
mod markup;
mod names;
mod other_numbers;
mod tex;
mod worked;
mod worksheet;

pub use markup::Markup;
pub use other_numbers::other_numbers;
pub use worked::{SolutionOptions, solution};
pub use worksheet::{Blanks, Worksheet, WorksheetError, WorksheetOptions, worksheet};
