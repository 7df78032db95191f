//! What is studied around a problem: how a figure moves with a length, a width, a decay. Formulas and draws, no drawing.
//!
//! One study a file: `laboratory` (why scores are scaled), `path` (why not an RNN), `forgetting` (one key against many),
//! `reach` (what is known after several layers), `diagnosis` (uniform, saturated, sinks), `paging` (a cache in pages),
//! `encoding` with `rotary` (what an encoding says of distance), `order` (do outputs move with their tokens), `running_state`
//! (linear attention with sums in place of the matrix), `reshape` (from the width to the heads), `budget` (what a memory
//! budget holds in training).

pub mod budget;
pub mod diagnosis;
pub mod encoding;
pub mod forgetting;
pub mod laboratory;
pub mod order;
pub mod paging;
pub mod path;
pub mod reach;
pub mod reshape;
pub mod rotary;
pub mod running_state;
