//! The settings of "Forgetting the start".

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Forgetting {
    /// How far the score of the first key lies above the others.
    pub gap: f64,
    /// The width of the window that it is compared with.
    pub window: usize,
    /// The length up to which positions were trained.
    pub trained: usize,
}

impl Default for Forgetting {
    fn default() -> Self {
        Self { gap: 5.0, window: 256, trained: 4_096 }
    }
}
