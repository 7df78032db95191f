//! Attention over long sequences: 65,536 tokens where a matrix of n×n would not fit into memory.
//!
//! In 32 bits, O(n·d) memory, and never n×n: an `Engine` gives the output with each row's maximum and sum, from which the
//! weights of any part are computed again and pooled into pixels. What is shown in numbers is computed in f64 by
//! `attention`; here the f32 engines are held to that by `self_test` and by the tests.
//!
//! `sequence` and the kernel's `Rule` say what is asked, `engine` what is given. The arithmetic is the crate `kernel`, which
//! the page's Workers load by themselves (`worker` is the border there). `cpu` and `pooled` run it on the `threads` of this
//! machine. For everyone else `pass` cuts attention into jobs, which can stop and go on, and `piece` cuts tiles; `desk` gives
//! both, as `work`, to whatever `Hands` there are. `gpu` is the engine of a graphics processor, where one is wanted. `generate` makes sequences with something to find in them, or from rows that are `given`.

mod cpu;
pub mod desk;
mod engine;
mod error;
pub mod generate;
mod given;
#[cfg(feature = "gpu")]
pub mod gpu;
mod pass;
mod piece;
mod pooled;
mod self_test;
mod sequence;
mod threads;
mod work;

pub use attnlab_kernel::{BLOCK, Of, Part, Partial, Pool, Queries, Rule, Side, Slice, cells, probe};
pub use cpu::{Cpu, Packed};
pub use desk::{Desk, Setting, Standing};
pub use engine::{Attended, Engine, Tile};
pub use error::LongError;
pub use given::Given;
pub use pass::{Job, Pass, Progress};
pub use piece::Piece;
pub use self_test::{Case, self_test};
pub use sequence::{Asked, Sequence};
pub use work::{Build, Done, Hand, Hands, Keys, Sizes, Work};

/// The largest width d of a row of q, k and v.
pub const MOST_WIDTH: usize = 256;
