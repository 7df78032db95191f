//! The settings of "Linear attention".

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summing {
    /// Which query reads the state.
    pub query: usize,
    /// Which column of v its arithmetic is written out for.
    pub column: usize,
    /// Whether a query sees the keys up to its own place only; as the problem has it until it is chosen.
    pub causal: Option<bool>,
}
