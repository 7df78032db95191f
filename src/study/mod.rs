//! What is studied around a problem: how a figure moves with a length, a width, a decay. Formulas and draws, no drawing.
//!
//! One study a file: `forgetting` (one key against many), `paging` (two sequences in one paged cache).

pub mod forgetting;
pub mod paging;
