//! What is asked: the data of one attention problem.
//!
//! A `Problem` is data only, as in the problem file. Reading it from JSON is `parse`, its shapes and limits
//! are checked in `validate`, and `solve` computes it.

use nalgebra::DMatrix;

use super::family::Family;

/// A matrix of the small side: f64, one token a row.
pub type Matrix = DMatrix<f64>;

/// Everything the pipeline needs: `softmax(Q Kᵀ · scale + M) V`, and what is around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub title: Option<String>,
    /// Labels of the n queries; in self-attention with more keys than queries also of all m keys.
    pub tokens: Option<Vec<String>>,
    /// Labels of the m keys of another sequence: this (or `x_kv`) makes it cross attention.
    pub memory: Option<Vec<String>>,
    pub inputs: Inputs,
    /// The output projection, (h_q·d_v) × d_out.
    pub w_o: Option<Matrix>,
    /// Its bias, d_out numbers.
    pub b_o: Option<Vec<f64>>,
    pub heads: Heads,
    pub scale: Scale,
    /// What is changed in the plain formula.
    pub family: Family,
    pub mask: Mask,
    pub mask_applied: MaskApplied,
}

/// The two forms in which the numbers may be given.
#[derive(Clone, Debug, PartialEq)]
pub enum Inputs {
    /// q is n×(h_q·d_k), k is m×(h_kv·d_k), v is m×(h_kv·d_v).
    Direct {
        q: Matrix,
        k: Matrix,
        v: Matrix,
    },
    Projected(Projected),
}

/// Tokens as vectors, and the projections that make q, k and v of them: Q = X · W_q + b_q.
#[derive(Clone, Debug, PartialEq)]
pub struct Projected {
    /// n × d_model.
    pub x: Matrix,
    /// m × d_kv; absent: x itself (self-attention).
    pub x_kv: Option<Matrix>,
    /// d_model × (h_q·d_k).
    pub w_q: Matrix,
    /// d_kv × (h_kv·d_k).
    pub w_k: Matrix,
    /// d_kv × (h_kv·d_v).
    pub w_v: Matrix,
    pub b_q: Option<Vec<f64>>,
    pub b_k: Option<Vec<f64>>,
    pub b_v: Option<Vec<f64>>,
}

/// Query head h uses key/value head h div (query / key_value): 0,0,1,1 and never 0,1,0,1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    pub query: usize,
    pub key_value: usize,
}

/// What the scores are multiplied by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scale {
    /// 1/√d_k (Vaswani et al. 2017, section 3.2.1).
    #[default]
    InverseSqrt,
    None,
    Factor(f64),
}

/// Which pairs are visible: a pair is, only if every rule allows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mask {
    pub causal: Causal,
    pub window: Option<Window>,
    /// Positions that see and are seen by all, within `window`'s rule only.
    pub global: Vec<usize>,
    /// One flag a key: true is a real token.
    pub key_padding: Option<Vec<bool>>,
    /// Hand-painted, n×m: true is visible.
    pub allow: Option<DMatrix<bool>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Causal {
    #[default]
    None,
    /// j ≤ i.
    UpperLeft,
    /// j ≤ i + (m − n).
    LowerRight,
}

/// Visible iff i' − left ≤ j ≤ i' + right; a missing side is unbounded. The token itself is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub left: Option<usize>,
    pub right: Option<usize>,
}

/// When and how the rules are applied: as they should be, or one of the classic mistakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MaskApplied {
    #[default]
    BeforeSoftmax,
    /// The rules stand, nothing is hidden: the leak can be counted.
    Never,
    /// Zeroed after the softmax, not renormalised.
    AfterSoftmax,
    /// The detour that gives the same numbers.
    AfterSoftmaxRenormalised,
    /// Keep and drop swapped.
    Inverted,
    /// The causal triangle the wrong way round; the other rules stay.
    Reversed,
}

impl MaskApplied {
    pub const ALL: [Self; 6] = [
        Self::BeforeSoftmax,
        Self::Never,
        Self::AfterSoftmax,
        Self::Reversed,
        Self::Inverted,
        Self::AfterSoftmaxRenormalised,
    ];

    /// The name in the problem file.
    pub fn key(self) -> &'static str {
        match self {
            Self::BeforeSoftmax => "before_softmax",
            Self::Never => "never",
            Self::AfterSoftmax => "after_softmax",
            Self::AfterSoftmaxRenormalised => "after_softmax_renormalised",
            Self::Inverted => "inverted",
            Self::Reversed => "reversed",
        }
    }
}
