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
    /// What training may keep of activations, in megabytes (10⁶ bytes).
    pub budget: usize,
}

impl Default for Costing {
    /// GPT-2 small.
    fn default() -> Self {
        Self::of(PRESETS[2].1)
    }
}

impl Costing {
    pub const MOST_TOKENS: usize = 1_000_000;
    pub const MOST_WIDTH: usize = 16_384;
    pub const MOST_HEADS: usize = 128;
    pub const MOST_LAYERS: usize = 128;
    pub const MOST_BATCH: usize = 256;
    pub const MOST_BUDGET: usize = 1_000_000;

    pub fn of(model: Model) -> Self {
        let Model { n, d_model, heads, key_value_heads, layers, batch, precision, window, .. } = model;
        let window = window.unwrap_or(256);
        Self { n, d_model, heads, key_value_heads, layers, batch, precision, window, budget: 2_000 }
    }

    /// Within what the sliders can set: a saved session may hold anything.
    #[must_use]
    pub fn within_limits(self) -> Self {
        let heads = self.heads.clamp(1, Self::MOST_HEADS);
        Self {
            n: self.n.clamp(1, Self::MOST_TOKENS),
            d_model: self.d_model.clamp(1, Self::MOST_WIDTH),
            heads,
            key_value_heads: self.key_value_heads.clamp(1, heads),
            layers: self.layers.clamp(1, Self::MOST_LAYERS),
            batch: self.batch.clamp(1, Self::MOST_BATCH),
            window: self.window.clamp(1, Self::MOST_TOKENS),
            budget: self.budget.clamp(1, Self::MOST_BUDGET),
            ..self
        }
    }

    pub fn model(self) -> Model {
        let Self { n, d_model, heads, key_value_heads, layers, batch, precision, window, .. } = self.within_limits();
        let d_head = (d_model / heads).max(1);
        Model { n, d_model, heads, key_value_heads, d_head, layers, batch, precision, window: Some(window) }
    }
}
