//! The KV cache, stepped: token by token, one new row of q, k and v, and the old rows of k and v kept.
//!
//! Under a causal rule the k and v of a token never change once it is there (Shazeer 2019, section 2.4), so a decoder
//! keeps them and computes one row a token. Each step here is a problem of its own, solved as such: one query against the keys
//! that are cached by then. The full computation stands beside it only to be compared.
//!
//! `step` makes that problem, `work` counts what the cache saves and what it needs, `json` writes it down.

mod json;
mod step;
mod work;

use super::error::{ErrorKind, Errors, ProblemError};
use super::family::Dropout;
use super::mask::with_mask_right;
use super::matrix::{columns_of_head, largest_distance};
use super::place::Part;
use super::position::Position;
use super::problem::{Causal, Inputs, MaskApplied, Matrix, Problem};
use super::solve::{row_of, solve};
use super::trace::Note;

pub use work::{DecodeWork, cache_bytes_per_token, decode_work};

/// The steps of decoding, and the cache at the end of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Decode {
    /// Keys that were cached before the first step: m − n.
    pub cached_before: usize,
    /// One a query row, in order.
    pub steps: Vec<DecodeStep>,
    /// The whole cache at the end, m×(h_kv·d_k); after a step it was its first `keys` rows. With RoPE it holds rotated rows.
    pub k: Matrix,
    /// m×(h_kv·d_v).
    pub v: Matrix,
    /// What was decided, and what should be known.
    pub notes: Vec<DecodeNote>,
    /// The notes of the full computation, such as rows that see nothing.
    pub of_full: Vec<Note>,
    /// All steps together, one head.
    pub work: DecodeWork,
    /// Bytes of one token in fp32 and in fp16, in this one layer.
    pub bytes_per_token: [u64; 2],
}

/// One new token.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodeStep {
    pub token: String,
    /// t, the keys in the cache by now, its own among them.
    pub keys: usize,
    /// d_k numbers a query head, as they are compared: rotated where there is RoPE.
    pub q: Vec<Vec<f64>>,
    /// d_k numbers a key/value head, as they are cached: rotated where there is RoPE.
    pub k: Vec<Vec<f64>>,
    /// d_v numbers a key/value head.
    pub v: Vec<Vec<f64>>,
    /// t numbers a query head.
    pub weights: Vec<Vec<f64>>,
    /// d_out numbers.
    pub output: Vec<f64>,
    /// The largest distance of `output` from this token's row of the full computation. (By the causal rule that row is the
    /// last row of the full computation that ends with this token.)
    pub difference: f64,
}

/// What a reader of the steps should know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeNote {
    #[error(
        "the problem has no causal rule, and decoding needs one: lower_right is set, here and in the full computation"
    )]
    CausalSet,
    #[error(
        "the cache holds no future, so no wrong mask can let it in: mask_applied is before_softmax, here and in the full computation"
    )]
    MaskRight,
    #[error("nothing is dropped while decoding: dropout is off, here and in the full computation")]
    DropoutOff,
    #[error("k is rotated once, by its own position, and cached rotated; q is shown rotated too")]
    RotatedOnce,
    #[error("{keys} keys were cached before the first step: the problem has more keys than queries")]
    CachedBefore { keys: usize },
}

impl DecodeNote {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 5] = ["causal-set", "mask-right", "dropout-off", "rotated-once", "cached-before"];

    /// The name under which translations are found, as `decode-note-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            DecodeNote::CausalSet => "causal-set",
            DecodeNote::MaskRight => "mask-right",
            DecodeNote::DropoutOff => "dropout-off",
            DecodeNote::RotatedOnce => "rotated-once",
            DecodeNote::CachedBefore { .. } => "cached-before",
        }
    }

    /// What a translation fills in.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            DecodeNote::CachedBefore { keys } => vec![("keys", keys.to_string())],
            _ => Vec::new(),
        }
    }
}

/// Decodes a problem of self-attention token by token, with a cache.
///
/// The m − n keys that have no query were cached before. Learned and sinusoidal encodings, RoPE, ALiBi and windows
/// take each token at its own position. The rules of the mask hold as they stand; where there is no causal rule one is
/// set, and the mistakes of `mask_applied` and dropout are left out, each with a note.
///
/// # Errors
/// Cross attention (`memory`, `inputs.x_kv`); fewer keys than queries (`inputs.k`); a step that overflows.
///
/// ```
/// # use attnlab::attention::{decode, Problem};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},
///     "inputs":{"q":[[1],[0.5],[2]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#).unwrap();
/// let decode = decode(&problem).unwrap();
/// let second = &decode.steps[1];
/// assert_eq!((second.keys, second.k[0][0]), (2, 2.0));
/// assert!((second.output[0] - 0.8112).abs() < 1e-4);
/// assert!(second.difference <= 1e-12);
/// ```
pub fn decode(problem: &Problem) -> Result<Decode, Vec<ProblemError>> {
    refuse(problem)?;
    let shapes = problem.shapes();
    let cached_before = shapes.m - shapes.n;
    let (problem, notes) = as_decoded(problem, cached_before);
    let full = solve(&problem)?;
    let expected = &full.get(Part::Output, 0).expect("solve records the output").value;
    let labels = problem.query_labels();

    let mut cache = step::Cache::prefilled(&problem, cached_before);
    let mut steps = Vec::with_capacity(shapes.n);
    for (row, token) in labels.into_iter().enumerate() {
        // One new row of q, k and v; the cache grows by those of k and v; the query sees what is in it.
        let new = step::new_rows(&problem, row);
        cache.push(&new.k, &new.v);
        let trace = solve(&step::problem(&problem, row, &new.q, &cache))?;
        let of_head = |part, head| &trace.get(part, head).expect("solve records every head").value;
        let output = of_head(Part::Output, 0);
        let difference = largest_distance(output, &expected.rows(row, 1).into_owned());
        let by_head = |whole: &Matrix, heads: usize| -> Vec<Vec<f64>> {
            let d = whole.ncols() / heads;
            (0..heads).map(|head| row_of(&columns_of_head(whole, head, d), 0)).collect()
        };
        steps.push(DecodeStep {
            token,
            keys: cached_before + row + 1,
            q: by_head(&new.q, shapes.heads.query),
            k: by_head(&new.k, shapes.heads.key_value),
            v: by_head(&new.v, shapes.heads.key_value),
            weights: (0..shapes.heads.query).map(|head| row_of(of_head(Part::Weights, head), 0)).collect(),
            output: row_of(output, 0),
            difference,
        });
    }
    let bytes = |of_number| {
        let [heads, d_k, d_v] = [shapes.heads.key_value, shapes.d_k, shapes.d_v].map(|count| count as u64);
        cache_bytes_per_token(heads, d_k, d_v, of_number, 1)
    };
    Ok(Decode {
        cached_before,
        steps,
        k: cache.k,
        v: cache.v,
        notes,
        of_full: full.notes,
        work: decode_work(cached_before as u64 + 1, shapes.m as u64),
        bytes_per_token: [bytes(4), bytes(2)],
    })
}

fn refuse(problem: &Problem) -> Result<(), Vec<ProblemError>> {
    let mut errors = Errors::default();
    let shapes = problem.shapes();
    let place = if problem.memory.is_some() { "memory" } else { "inputs.x_kv" };
    if problem.is_cross() {
        errors.push(place, ErrorKind::NotSelfAttention { found: place.to_owned() });
    } else if shapes.m < shapes.n {
        errors.push("inputs.k", ErrorKind::KeysMissing { found: shapes.m, expected: shapes.n });
    }
    errors.into_result()
}

/// The problem as a decoder has it, and what was changed for that.
fn as_decoded(problem: &Problem, cached_before: usize) -> (Problem, Vec<DecodeNote>) {
    let mut decoded = with_mask_right(problem);
    let mut notes = Vec::new();
    if decoded.mask.causal == Causal::None {
        decoded.mask.causal = Causal::LowerRight;
        notes.push(DecodeNote::CausalSet);
    }
    if problem.mask_applied != MaskApplied::BeforeSoftmax {
        notes.push(DecodeNote::MaskRight);
    }
    if decoded.family.dropout.p != 0.0 {
        decoded.family.dropout = Dropout::default();
        notes.push(DecodeNote::DropoutOff);
    }
    if matches!(decoded.family.position, Position::Rope(_)) {
        notes.push(DecodeNote::RotatedOnce);
    }
    if cached_before > 0 {
        notes.push(DecodeNote::CachedBefore { keys: cached_before });
        debug_assert!(matches!(decoded.inputs, Inputs::Direct { .. }), "x makes as many keys as queries");
    }
    (decoded, notes)
}
