//! What is studied around a problem: how a figure moves with a length, a width, a decay. Formulas and draws, no drawing.
//!
//! One study a file: `laboratory` (why scores are scaled), `path` (why not an RNN), `forgetting` (one key against many),
//! `reach` (what is known after several layers), `diagnosis` (uniform, saturated, sinks), `paging` (a cache in pages), `reshape` (from the
//! width to the heads).

pub mod diagnosis;
pub mod forgetting;
pub mod laboratory;
pub mod paging;
pub mod path;
pub mod reach;
pub mod reshape;
