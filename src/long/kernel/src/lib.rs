//! The inner loops of attention over long sequences: everything that takes time, and nothing else.
//!
//! A crate of its own so that it is compiled for speed where the rest is not (see the profiles in the root's `Cargo.toml`),
//! and so that the page's Workers load it without the app. It knows slices of numbers: no file, no thread, no clock, no
//! window. Lengths are its callers' to check; a wrong one panics.
//!
//! `rule` says which keys a query sees. `lanes` are the vectors of the machine, `product` is the one product of all work,
//! from what `pack` lays out for it, and `exp` the one exponential. `slice` makes attention over some of the keys, block by
//! block (`running`); `partial` brings such parts together. `pool` makes pictures of n×n: `weight` is what a cell is
//! there, and `pixels` how cells become one number. `probe` says how fast the machine could be, and `naive` how far
//! the textbook gets.

#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod exp;
mod lanes;
mod naive;
mod pack;
mod partial;
mod pixels;
mod pool;
pub mod probe;
mod product;
mod rule;
mod running;
mod slice;
mod weight;

pub use exp::exp;
pub use naive::{naive, naive_trial};
pub use partial::Partial;
pub use pixels::{Of, Pool, Side, cells};
pub use pool::{Part, tile};
pub use product::dot;
pub use rule::Rule;
pub use slice::{Queries, Slice};
pub use weight::weight;

/// Query rows in a block; and, of a tile, keys.
pub const BLOCK: usize = 64;
/// Keys in a block of a slice: the more, the less often a row comes under a new maximum; its scores must stay at hand.
const KEYS: usize = 128;
/// Columns of a register tile; its rows are the eight that lie in lanes.
const COLUMNS: usize = 4;
