//! Programs that compute the same numbers: the problem of the page as something to run elsewhere.
//!
//! Each writes only what its problem uses, in the order of the formula, and ends by comparing its output with ours
//! in full. `literal` writes numbers in Python so that every bit is kept, `mask` the rules as expressions, `position`,
//! `score` and `normalise` what may be changed in the formula, and `library` says where NumPy and PyTorch differ; `tests/code.rs` runs
//! what is written.

mod library;
mod literal;
mod mask;
mod normalise;
mod numpy;
mod position;
mod pytorch;
mod pytorch_attention;
mod rust;
mod score;

pub use mask::MaskMeaning;
pub use numpy::numpy;
pub use pytorch::{PyTorchOptions, pytorch};
pub use rust::rust;
