//! What attention costs: parameters, multiply-adds and bytes of a model of a given shape.
//!
//! A multiply-add is one multiplication and one addition. Only attention is counted (not the feed-forward layers),
//! but for the activations, whose formula is of the whole layer.

use super::cache::cache_bytes_per_token;
use super::problem::Problem;

/// The shape of a model, and of what it is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Tokens.
    pub n: usize,
    pub d_model: usize,
    pub heads: usize,
    pub key_value_heads: usize,
    /// The width of one head.
    pub d_head: usize,
    pub layers: usize,
    pub batch: usize,
    pub precision: Precision,
    /// So many keys does a token see at most, itself among them; `None` is all.
    pub window: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    Fp32,
    #[default]
    Fp16,
    Bf16,
}

impl Precision {
    pub const ALL: [Self; 3] = [Self::Fp32, Self::Fp16, Self::Bf16];

    pub fn key(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Self::Fp32 => 4,
            Self::Fp16 | Self::Bf16 => 2,
        }
    }
}

/// How the pairs are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every query meets every key.
    Dense,
    /// Every query meets the keys of its window.
    Windowed,
    /// The running sum of φ(k)ᵀ v in place of the pairs (Katharopoulos et al. 2020).
    Linear,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Dense, Self::Windowed, Self::Linear];

    pub fn key(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Windowed => "windowed",
            Self::Linear => "linear",
        }
    }
}

impl Model {
    /// The problem as a model of one layer and one sequence.
    pub fn of(problem: &Problem) -> Self {
        let shapes = problem.shapes();
        Self {
            n: shapes.n,
            d_model: shapes.d_model.unwrap_or(shapes.heads.query * shapes.d_k),
            heads: shapes.heads.query,
            key_value_heads: shapes.heads.key_value,
            d_head: shapes.d_k,
            layers: 1,
            batch: 1,
            precision: Precision::Fp32,
            window: None,
        }
    }

    /// W_q, W_k, W_v and W_o of all layers, without biases: the number of heads does not enter where heads × d_head
    /// stays, fewer key/value heads make W_k and W_v smaller.
    ///
    /// ```
    /// # use attnlab::attention::cost::{Model, Precision};
    /// let model = |heads, d_head| Model { n: 1, d_model: 512, heads, key_value_heads: heads, d_head,
    ///     layers: 1, batch: 1, precision: Precision::Fp32, window: None };
    /// assert_eq!(model(8, 64).parameters(), 4 * 512 * 512);
    /// assert_eq!(model(1, 512).parameters(), model(16, 32).parameters());
    /// ```
    pub fn parameters(&self) -> u128 {
        let (query, shared) = (self.heads * self.d_head, self.key_value_heads * self.d_head);
        wide(self.layers) * wide(self.d_model) * (2 * wide(query) + 2 * wide(shared))
    }

    /// Those of W_k and W_v alone.
    pub fn key_value_parameters(&self) -> u128 {
        2 * wide(self.layers) * wide(self.d_model) * wide(self.key_value_heads * self.d_head)
    }

    /// Multiply-adds of the four projections: each parameter once a token.
    pub fn projection_multiply_adds(&self) -> u128 {
        wide(self.batch) * wide(self.n) * self.parameters()
    }

    /// Multiply-adds of scores and weighted sum: d_head for a score and d_head for its value, for every pair and head;
    /// linear attention makes and reads a state of d_head × (d_head + 1) for every token and head.
    pub fn attention_multiply_adds(&self, kind: Kind) -> u128 {
        let a_head = match kind {
            Kind::Dense | Kind::Windowed => 2 * wide(self.d_head) * self.pairs(kind),
            Kind::Linear => 2 * wide(self.n) * wide(self.d_head) * (wide(self.d_head) + 1),
        };
        wide(self.batch) * wide(self.layers) * wide(self.heads) * a_head
    }

    /// Pairs of one head of one sequence: n², or n·w in a window of w keys (its edges, where there are fewer, counted
    /// as full, as they are in n²).
    pub fn pairs(&self, kind: Kind) -> u128 {
        let n = wide(self.n);
        match (kind, self.window) {
            (Kind::Windowed, Some(window)) => n * wide(window).min(n),
            _ => n * n,
        }
    }

    /// Bytes of one layer's scores of all heads, where they are stored.
    ///
    /// ```
    /// # use attnlab::attention::{Problem, cost::{Kind, Model}};
    /// let model = |n| Model { n, d_model: 512, heads: 8, key_value_heads: 8, d_head: 64, layers: 1, batch: 1,
    ///     precision: Default::default(), window: None };
    /// assert_eq!(model(2048).score_bytes(Kind::Dense), 4 * model(1024).score_bytes(Kind::Dense));
    /// ```
    pub fn score_bytes(&self, kind: Kind) -> u128 {
        let numbers = match kind {
            Kind::Dense | Kind::Windowed => self.pairs(kind),
            Kind::Linear => wide(self.d_head) * (wide(self.d_head) + 1),
        };
        wide(self.batch) * wide(self.heads) * numbers * wide(self.precision.bytes())
    }

    /// Bytes of the KV cache that one token takes, all layers together: 2 · layers · key/value heads · d_head · bytes.
    pub fn cache_bytes_a_token(&self) -> u128 {
        let [heads, width, bytes, layers] =
            [self.key_value_heads, self.d_head, self.precision.bytes(), self.layers].map(|size| size as u64);
        u128::from(cache_bytes_per_token(heads, width, width, bytes, layers))
    }

    /// Bytes of the KV cache of every token of every sequence; with a window no more than its keys are kept.
    pub fn cache_bytes(&self) -> u128 {
        let kept = self.window.map_or(self.n, |window| window.min(self.n));
        wide(self.batch) * wide(kept) * self.cache_bytes_a_token()
    }

    /// Bytes of activations that training keeps in one layer: s·b·h·(34 + 5·a·s/h) at half precision, twice at fp32
    /// (Korthikanti et al. 2022, "Reducing Activation Recomputation", equation 1).
    pub fn activation_bytes_a_layer(&self) -> u128 {
        self.activation_bytes_seeing(self.n)
    }

    /// The same where a token sees so many keys: 5·a·s·keys in place of 5·a·s².
    fn activation_bytes_seeing(&self, keys: usize) -> u128 {
        let (s, b, h, a) = (wide(self.n), wide(self.batch), wide(self.d_model), wide(self.heads));
        let half = 34 * s * b * h + 5 * a * s * wide(keys) * b;
        half * wide(self.precision.bytes()) / 2
    }

    /// The same of all layers.
    pub fn activation_bytes(&self) -> u128 {
        wide(self.layers) * self.activation_bytes_a_layer()
    }

    /// Of all layers, where a token sees at most the window's keys.
    pub fn windowed_activation_bytes(&self) -> u128 {
        let keys = self.window.map_or(self.n, |window| window.min(self.n));
        wide(self.layers) * self.activation_bytes_seeing(keys)
    }

    /// With checkpoints only each layer's input is kept (2·s·b·h at half precision), and one layer is computed again.
    pub fn checkpointed_bytes(&self) -> u128 {
        let input = wide(self.n) * wide(self.batch) * wide(self.d_model) * wide(self.precision.bytes());
        wide(self.layers) * input + self.activation_bytes_a_layer()
    }
}

/// Shapes of models that are published.
pub const PRESETS: [(&str, Model); 7] = [
    ("Transformer base", preset(512, 512, 8, 8, 6)),
    ("BERT-base", preset(512, 768, 12, 12, 12)),
    ("GPT-2 small", preset(1_024, 768, 12, 12, 12)),
    ("BERT-large", preset(512, 1_024, 16, 16, 24)),
    ("Llama-2-7B", preset(4_096, 4_096, 32, 32, 32)),
    ("Llama-3-8B", preset(8_192, 4_096, 32, 8, 32)),
    ("Mistral-7B", Model { window: Some(4_096), ..preset(8_192, 4_096, 32, 8, 32) }),
];

const fn preset(n: usize, d_model: usize, heads: usize, key_value_heads: usize, layers: usize) -> Model {
    let d_head = d_model / heads;
    Model { n, d_model, heads, key_value_heads, d_head, layers, batch: 1, precision: Precision::Fp16, window: None }
}

/// Sizes are multiplied in 128 bits: no slider can make them overflow.
fn wide(size: usize) -> u128 {
    size as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Model {
        PRESETS.into_iter().find(|(preset, _)| *preset == name).unwrap().1
    }

    #[test]
    fn attention_costs_as_much_as_the_projections_at_twice_the_width() {
        let model = Model { n: 2 * 768, ..named("GPT-2 small") };
        assert_eq!(model.attention_multiply_adds(Kind::Dense), model.projection_multiply_adds());
    }

    #[test]
    fn the_cache_of_a_token_is_as_published() {
        assert_eq!(named("Llama-2-7B").cache_bytes_a_token(), 524_288);
        assert_eq!(named("Llama-3-8B").cache_bytes_a_token(), 131_072);
    }

    #[test]
    fn fewer_key_value_heads_are_as_in_the_topic() {
        // d_model 8, 4 heads of 2: K and V weights 128, 64, 32; a cache of 3 tokens 48, 24, 12 numbers.
        let model = |key_value_heads| Model {
            n: 3,
            d_model: 8,
            heads: 4,
            key_value_heads,
            d_head: 2,
            layers: 1,
            precision: Precision::Fp16,
            batch: 1,
            window: None,
        };
        assert_eq!([4, 2, 1].map(|shared| model(shared).key_value_parameters()), [128, 64, 32]);
        assert_eq!([4, 2, 1].map(|shared| model(shared).cache_bytes() / 2), [48, 24, 12]);
    }

    #[test]
    fn a_budget_holds_four_times_the_length_with_half_precision_and_checkpoints() {
        let before = Model { n: 1_024, precision: Precision::Fp32, ..named("GPT-2 small") };
        let after = Model { n: 4_096, ..named("GPT-2 small") };
        let gigabytes = |bytes: u128| (bytes as f64 / 1e7).round() / 100.0;
        assert_eq!(gigabytes(before.activation_bytes()), 2.15);
        assert_eq!(gigabytes(after.checkpointed_bytes()), 1.19);
        // In the memory that 6 layers took before it does not fit.
        assert!(Model { layers: 6, ..before }.activation_bytes() < after.checkpointed_bytes());
    }

    #[test]
    fn a_window_costs_n_times_w_and_never_more_than_all_pairs() {
        let model = |window| Model { n: 1_000, window: Some(window), ..named("BERT-base") };
        assert_eq!(model(10).pairs(Kind::Windowed), 10_000);
        for window in [1_000, 5_000] {
            let model = model(window);
            assert_eq!(model.attention_multiply_adds(Kind::Windowed), model.attention_multiply_adds(Kind::Dense));
        }
    }

    #[test]
    fn linear_attention_grows_with_the_length_only() {
        let model = |n| Model { n, ..named("BERT-base") };
        let cost = |n| model(n).attention_multiply_adds(Kind::Linear);
        assert_eq!(cost(2_000), 2 * cost(1_000));
    }

    #[test]
    fn the_largest_sliders_do_not_overflow() {
        let most = 10_000_000;
        let model = Model {
            n: most,
            d_model: 65_536,
            heads: 1_024,
            key_value_heads: 1_024,
            d_head: 1_024,
            layers: 1_000,
            batch: 4_096,
            precision: Precision::Fp32,
            window: Some(most),
        };
        assert!(model.attention_multiply_adds(Kind::Dense) > 0 && model.activation_bytes() > 0);
        assert!(model.attention_multiply_adds(Kind::Windowed) > 0 && model.checkpointed_bytes() > 0);
    }
}
