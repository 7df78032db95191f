//! The settings of "Windows and patterns".

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reaching {
    pub layers: usize,
}

impl Default for Reaching {
    fn default() -> Self {
        Self { layers: 3 }
    }
}
