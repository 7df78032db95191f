//! Attention over long sequences: 65,536 tokens where a matrix of n×n would not fit into memory.
//!
//! In 32 bits, O(n·d) memory, and never n×n: an `Engine` gives the output with each row's maximum and sum, from which the
//! weights of any part are computed again and pooled into pixels. What is shown in numbers is computed in f64 by
//! `attention`; here the f32 engines are held to that by `self_test` and by the tests.
//!
//! `sequence` and `rule` say what is asked, `engine` what is given; `cpu` does it in blocks, through the one product in
//! `kernel` and the one `exp`; `pooled` makes tiles; `generate` makes sequences with something to find in them.

mod cpu;
mod engine;
mod error;
mod exp;
pub mod generate;
mod kernel;
mod pooled;
mod rule;
mod self_test;
mod sequence;

pub use cpu::{Cpu, Packed};
pub use engine::{Attended, Engine, Of, Pool, Tile, cells};
pub use error::LongError;
pub use rule::Rule;
pub use self_test::self_test;
pub use sequence::{Asked, Sequence};

/// The largest width d of a row of q, k and v.
pub const MOST_WIDTH: usize = 256;
