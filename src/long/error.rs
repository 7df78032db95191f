//! What can be wrong with a long sequence or with what is asked of it.

use std::ops::Range;

/// What was found, and what was expected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LongError {
    #[error("a sequence needs at least one token")]
    Empty,
    #[error("the width is {found}, expected 1 to {}", super::MOST_WIDTH)]
    Width { found: usize },
    /// `place` is `q`, `k`, `v`, or a part of what an engine gave back.
    #[error("{place} has {found} numbers, expected {expected}")]
    Length { place: &'static str, found: usize, expected: usize },
    #[error("v has {value} rows and k has {key}: expected equally many")]
    Rows { key: usize, value: usize },
    #[error("{place}[{row}][{column}] is {found:e}, expected a finite number of 32 bits")]
    NotFinite { place: &'static str, row: usize, column: usize, found: f64 },
    #[error("the scale is {found}, expected a finite number")]
    Scale { found: f32 },
    /// `found` bounds what a score, or a sum of values, can come to.
    #[error("{place} may reach {found:e}, which is too near the largest number of 32 bits, {:e}", f32::MAX)]
    Overflow { place: &'static str, found: f64 },
    /// A range of rows or keys that is empty or ends after the sequence.
    #[error("{place} {start}..{end}: expected a range that is not empty within 0..{n}")]
    Range { place: &'static str, start: usize, end: usize, n: usize },
    /// A pixel must stand for at least one row and one key.
    #[error("{found} pixels for {cells} {place}, expected 1 to {cells}")]
    Pixels { place: &'static str, found: usize, cells: usize },
    /// `self_test`: an engine and plain f64 do not agree.
    #[error("{place} is off by {found:e}, at most {allowed:e} is allowed: this engine computes wrongly here")]
    Wrong { place: &'static str, found: f64, allowed: f64 },
    /// A pass is cut at the kernel's blocks.
    #[error("a job of {found} {place}: expected a multiple of {}, more than 0", super::BLOCK)]
    JobSize { place: &'static str, found: usize },
    /// It was done already, is wholly hidden, or belongs to another pass.
    #[error("rows {}..{} × keys {}..{} are not a job that is still to be done", rows.start, rows.end, keys.start, keys.end)]
    NotAJob { rows: Range<usize>, keys: Range<usize> },
    /// The machine gives no more memory.
    #[error("q, k and v take {bytes} bytes: there is not that much memory here")]
    Memory { bytes: u64 },
    /// A graphics processor holds a sequence as a whole.
    #[error("the sequence has {found} tokens, and the buffers of this graphics processor hold {most}")]
    TooLong { found: usize, most: usize },
    /// Of what is given: heads of k and v are shared by as many heads of q each.
    #[error(
        "q has {query} heads, k has {key} and v {value}: those of k and v must be equally many, and divide those of q"
    )]
    Heads { query: usize, key: usize, value: usize },
    #[error("{found} heads are too many")]
    ManyHeads { found: usize },
    #[error("a row of q has {query} numbers, and one of k {key}: expected equally many")]
    Widths { query: usize, key: usize },
    /// What a Worker or a thread reported.
    #[error("a part of the work failed: {why}")]
    Failed { why: String },
    #[error("{missing} jobs are still to be done")]
    Unfinished { missing: usize },
}
