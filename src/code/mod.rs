//! Programs that compute the same numbers: the problem of the page as something to run elsewhere.
//!
//! Each writes only what its problem uses, in the order of the formula, and ends by comparing its output with ours
//! in full. `literal` writes numbers in Python so that every bit is kept, `mask` the rules as expressions;
//! `tests/code.rs` runs what is written.

mod literal;
mod mask;
mod numpy;
mod pytorch;
mod rust;

pub use mask::MaskMeaning;
pub use numpy::numpy;
pub use pytorch::{PyTorchOptions, pytorch};
pub use rust::rust;
