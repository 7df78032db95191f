//! Published worked examples, built in: a problem, the numbers its source printed, and whether a trace agrees.
//!
//! Each is one file in `assets/examples` and one line in the list in `registry`. What the source printed
//! and what is ours are told apart; `compare` says of every number whether it is reproduced. Nothing here knows
//! how that is shown.

mod compare;
mod read;
mod registry;

pub use compare::{Comparison, Digits, compare};
pub use read::{Example, ExpectKey, Expectation};
pub use registry::all;
