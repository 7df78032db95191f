//! The settings of "KV cache".

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Caching {
    /// Which token is new, counted from 0.
    pub step: usize,
    /// The prefixes whose work is counted.
    pub first: usize,
    pub last: usize,
    /// Tokens in a block of the paged cache.
    pub block_size: usize,
    /// Tokens that two sequences share before they part.
    pub shared: usize,
    /// Room that a cache in one piece takes for a sequence.
    pub longest: usize,
}

impl Default for Caching {
    fn default() -> Self {
        Self { step: 0, first: 4, last: 6, block_size: 2, shared: 1, longest: 16 }
    }
}
