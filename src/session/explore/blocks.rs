//! The settings of "FlashAttention".

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Blocks {
    /// Query rows in a block.
    pub rows: usize,
    /// Keys in a block.
    pub keys: usize,
    /// Which block is shown, counted from 0 over all blocks of a head.
    pub at: usize,
    /// The row of it whose arithmetic is written out.
    pub row: usize,
    /// n, d and the rows of a block in the table of numbers moved.
    pub length: usize,
    pub width: usize,
    pub height: usize,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { rows: 2, keys: 2, at: 0, row: 0, length: 1_024, width: 64, height: 64 }
    }
}
