//! What every engine is asked for: the same sequences under the same rules.

use attnlab::long::Rule;
use attnlab::long::generate::{Generated, Kind, generate};

pub const CAUSAL: Rule = Rule { causal: true, left: None, right: None, real: None };
pub const WINDOW: Rule = Rule { causal: false, left: Some(70), right: Some(3), real: None };

/// Everything; causal; windows; padding, after which a causal window sees nothing.
pub fn rules(n: usize) -> [Rule; 6] {
    [
        Rule::default(),
        CAUSAL,
        WINDOW,
        Rule { causal: true, left: Some(0), ..Rule::default() },
        Rule { causal: true, left: Some(n / 4), real: Some(n / 2), ..Rule::default() },
        Rule { real: Some(0), ..Rule::default() },
    ]
}

pub fn random(n: usize, d: usize) -> Generated {
    generate(Kind::Random, n, d, (n * 1000 + d) as u64)
}

/// The scale 1/√d.
pub fn usual(d: usize) -> f32 {
    1.0 / (d as f32).sqrt()
}
