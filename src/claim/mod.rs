//! "Does it match?": numbers that an article or a program claims, against a trace; and why they depart.
//!
//! `compare` holds each number to the precision it was printed with. `reason` lists the usual reasons; `changed` and
//! `changed_family` make the changed problem of each, and `twist` computes what no problem can say; `factor` looks for another scale; `rounding`
//! tells what the printing of the inputs leaves open; `explain` tries them all.

mod changed;
mod changed_family;
mod compare;
mod explain;
mod factor;
mod reason;
mod rounding;
mod twist;

pub use compare::{CellMatch, Claim, Matches, ShapeMismatch, Verdict, compare};
pub use explain::{Explanation, Extent, reasons};
pub use reason::Reason;
pub use rounding::Allowance;
