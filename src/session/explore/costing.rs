//! The settings of "Cost".

use crate::attention::cost::{Model, PRESETS, Precision};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Costing {
    pub n: usize,
    pub d_model: usize,
    pub heads: usize,
    pub key_value_heads: usize,
    pub layers: usize,
    pub batch: usize,
    pub precision: Precision,
    /// Keys that a token sees in the windowed rows.
    pub window: usize,
}

impl Default for Costing {
    /// GPT-2 small.
    fn default() -> Self {
        Self::of(PRESETS[2].1)
    }
}

impl Costing {
    pub fn of(model: Model) -> Self {
        let Model { n, d_model, heads, key_value_heads, layers, batch, precision, window, .. } = model;
        Self { n, d_model, heads, key_value_heads, layers, batch, precision, window: window.unwrap_or(256) }
    }

    pub fn model(self) -> Model {
        let heads = self.heads.max(1);
        Model {
            n: self.n,
            d_model: self.d_model,
            heads,
            key_value_heads: self.key_value_heads.clamp(1, heads),
            d_head: (self.d_model / heads).max(1),
            layers: self.layers,
            batch: self.batch,
            precision: self.precision,
            window: Some(self.window),
        }
    }
}
