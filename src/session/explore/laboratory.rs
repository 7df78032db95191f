//! The settings of "Why divide by √d_k".

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Laboratory {
    pub d_k: usize,
    pub keys: usize,
    pub seed: u64,
}

impl Default for Laboratory {
    fn default() -> Self {
        Self { d_k: 128, keys: 16, seed: 1 }
    }
}
