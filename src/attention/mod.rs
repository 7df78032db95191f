//! The mathematics of attention, in f64. It knows no window, no file, no clock.
//!
//! In reading order: `problem` (what is asked) and `place` (the name of one number), `shapes`; `parse`,
//! `validate` and `write` with `error` (the problem file); `mask`, `normalise` and `matrix` (one concept
//! each), and what may be changed in the formula: `family` with `score` and `position`;
//! `solve` (the pipeline) and `trace` (what it records); `input` (from a name to its number); `explain` with
//! `expression` (from a number to its arithmetic); `check` (whether a row is in order);
//! `gradient` (how the output moves with every number), `cost` (parameters, operations, bytes);
//! `random` (draws that a seed gives again). Two other ways to the same numbers stand beside `solve`: `flash`
//! (block by block), and `cache` (token by token) with `pages` (how such a cache lies in memory).

mod cache;
mod check;
pub mod cost;
mod error;
mod explain;
mod explain_family;
mod expression;
mod family;
mod flash;
pub mod gradient;
mod input;
mod json;
mod mask;
mod matrix;
mod non_finite;
mod normalise;
mod pages;
mod parse;
mod parse_family;
mod place;
mod position;
mod problem;
mod random;
mod score;
mod shapes;
mod solve;
mod trace;
mod validate;
mod validate_family;
mod write;
mod write_family;

pub use cache::{Decode, DecodeNote, DecodeStep, DecodeWork, cache_bytes_per_token, decode, decode_work};
pub use check::{Checks, Outcome, RowCheck, TOLERANCE, checks};
pub use error::{ErrorKind, ProblemError};
pub use explain::{Explanation, SoftmaxForm, ancestry, explain};
pub use expression::Expr;
pub use family::{Bias, Dropout, Family, Normalise};
pub use flash::{
    Block, Flash, FlashHead, MOST_BLOCK_NUMBERS, NumbersMoved, RowArithmetic, SinkArithmetic, SinkStep, flash,
    flash_beside, numbers_moved,
};
pub use input::{input_index, matrix, value, whole_bias, whole_bias_mut, whole_matrix, whole_matrix_mut};
pub use mask::{MaskRule, applied, carried, has_rule, hidden_by, is_before_softmax, visible, with_mask_right};
pub use matrix::{columns_of_head, from_rows, largest_distance, multiply, project, to_rows};
pub(crate) use non_finite::{marked, unmarked};
pub use normalise::{exponentials, softmax, weigh};
pub use pages::{BlockTable, Fragmentation, PagedCache, PagesError, PhysicalBlock, Written};
pub use parse::{FORMAT, MOST_BYTES};
pub use place::{Part, Place};
pub use position::{Layout, Position, Rope, Scaling};
pub use problem::{Causal, Heads, Inputs, Mask, MaskApplied, Matrix, Problem, Projected, Scale, Window};
pub use random::SplitMix64;
pub use score::Score;
pub use shapes::{Shapes, labels};
pub use solve::solve;
pub use trace::{Note, Step, Trace};
pub use validate::{MOST_HEADS, MOST_PAIRS, MOST_TOKENS, MOST_WIDTH};
