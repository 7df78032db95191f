//! The settings of "Why not an RNN".

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PathLength {
    pub n: usize,
    /// What one state update keeps of a signal.
    pub kept: f64,
    /// What an LSTM's gate keeps of it.
    pub gate: f64,
}

impl Default for PathLength {
    fn default() -> Self {
        Self { n: 500, kept: 0.9, gate: 0.99 }
    }
}
