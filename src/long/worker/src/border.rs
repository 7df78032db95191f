//! What JavaScript calls. A whole number comes as one; what may be missing is `undefined` there.

use attnlab_kernel::probe::{OPERATIONS, multiply_adds};
use attnlab_kernel::{Of, Part, Partial, Pool, Queries, Rule, Side, Slice};
use wasm_bindgen::prelude::wasm_bindgen;

/// Which keys a query sees, as `Rule` says.
#[wasm_bindgen]
#[derive(Clone, Copy)]
pub struct Sees(Rule);

#[wasm_bindgen]
impl Sees {
    #[wasm_bindgen(constructor)]
    pub fn new(causal: bool, left: Option<usize>, right: Option<usize>, real: Option<usize>) -> Sees {
        Sees(Rule { causal, left, right, real })
    }
}

/// Some of the keys and values, packed: all that a Worker holds between jobs.
#[wasm_bindgen]
pub struct Keys(Slice);

#[wasm_bindgen]
impl Keys {
    /// Keys `first`…: k and v hold as many rows of width d.
    #[wasm_bindgen(constructor)]
    pub fn new(first: usize, d: usize, k: &[f32], v: &[f32]) -> Keys {
        Keys(Slice::new(first, d, k, v))
    }

    /// Rows `first`… of q over these keys: the outputs (rows×d, not divided), then the maxima, then the sums.
    pub fn attend(&self, n: usize, first: usize, q: &[f32], scale: f32, sees: Sees) -> Vec<f32> {
        let Partial { mut output, maximum, sum } = self.0.attend(&Queries { n, first, q, scale, rule: sees.0 });
        output.extend(maximum);
        output.extend(sum);
        output
    }
}

/// One side of a tile: cells `start`..`end` go into `pixels`, of which `from`..`to` are made.
#[wasm_bindgen]
pub struct Edge(Side);

#[wasm_bindgen]
impl Edge {
    #[wasm_bindgen(constructor)]
    pub fn new(start: usize, end: usize, pixels: usize, from: usize, to: usize) -> Edge {
        Edge(Side { range: start..end, pixels, made: from..to })
    }
}

/// Pixels of a tile, by rows. q, k, maximum and sum are those of the rows and keys below them. `pool` is max, mean or sum,
/// `of` is scores, scaled or weights.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments)] // One message, taken apart.
pub fn tile(
    n: usize,
    d: usize,
    rows: Edge,
    keys: Edge,
    q: &[f32],
    k: &[f32],
    maximum: &[f32],
    sum: &[f32],
    scale: f32,
    sees: Sees,
    pool: &str,
    of: &str,
) -> Result<Vec<f32>, String> {
    let pool = match pool {
        "max" => Pool::Max,
        "mean" => Pool::Mean,
        "sum" => Pool::Sum,
        other => return Err(format!("there is no pool {other}")),
    };
    let of = match of {
        "scores" => Of::Scores,
        "scaled" => Of::Scaled,
        "weights" => Of::Weights,
        other => return Err(format!("a tile is never of {other}")),
    };
    let (rows, keys, rule) = (rows.0, keys.0, sees.0);
    Ok(attnlab_kernel::tile(&Part { n, d, rows, keys, q, k, maximum, sum, scale, rule, pool, of }))
}

/// Attention the naive way on numbers of its own: a sum of its output, or `undefined` where there is no memory.
#[wasm_bindgen]
pub fn naive(n: usize, d: usize) -> Option<f32> {
    attnlab_kernel::naive_trial(n, d)
}

/// Multiplies and adds as often as that; `factor` below 1. Returns the operations, or NaN if they came to nothing.
#[wasm_bindgen]
pub fn probe(times: usize, factor: f32) -> f64 {
    if multiply_adds(times, factor) > 0.0 { (times * OPERATIONS) as f64 } else { f64::NAN }
}
