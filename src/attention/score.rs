//! How a query and a key are compared: the dot product, and the scores that came before it.

use super::matrix::{multiply, project};
use super::problem::Matrix;

/// The function of one query and one key that makes a score.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Score {
    /// q · kᵀ (Vaswani et al. 2017; Luong et al. 2015, "dot").
    #[default]
    Dot,
    /// q · W · kᵀ, W d_k×d_k (Luong et al. 2015, "general").
    General { w: Matrix },
    /// v · tanh(\[q;k\] · W), W 2d_k×d_a, q's rows first (Luong et al. 2015, "concat").
    Concat { w: Matrix, v: Vec<f64> },
    /// v · tanh(q·W_q + k·W_k), both d_k×d_a (Bahdanau et al. 2015).
    Additive { w_q: Matrix, w_k: Matrix, v: Vec<f64> },
}

impl Score {
    /// The kinds, as the problem file names them.
    pub const KINDS: [&'static str; 4] = ["dot", "general", "concat", "additive"];

    /// The name in the problem file.
    pub fn key(&self) -> &'static str {
        match self {
            Score::Dot => "dot",
            Score::General { .. } => "general",
            Score::Concat { .. } => "concat",
            Score::Additive { .. } => "additive",
        }
    }

    /// W_q, W_k and v of a score with a hidden layer. Concat is additive with its two halves: \[q;k\]·W = q·W₁ + k·W₂.
    pub(super) fn hidden_layer(&self) -> Option<(Matrix, Matrix, &[f64])> {
        match self {
            Score::Dot | Score::General { .. } => None,
            Score::Concat { w, v } => {
                let half = w.nrows() / 2;
                Some((w.rows(0, half).into_owned(), w.rows(half, half).into_owned(), v))
            }
            Score::Additive { w_q, w_k, v } => Some((w_q.clone(), w_k.clone(), v)),
        }
    }

    /// d_a, the width of the hidden layer.
    pub fn hidden_width(&self) -> Option<usize> {
        match self {
            Score::Dot | Score::General { .. } => None,
            Score::Concat { v, .. } | Score::Additive { v, .. } => Some(v.len()),
        }
    }

    /// k · Wᵀ, so that q · (k · Wᵀ)ᵀ = q · W · kᵀ: (m, d_k), with `general` only.
    pub(super) fn transformed(&self, k: &Matrix) -> Option<Matrix> {
        let Score::General { w } = self else { return None };
        Some(multiply(k, &w.transpose()))
    }

    /// tanh(q·W_q + k·W_k): n rows; key j owns columns j·d_a … (j + 1)·d_a.
    pub(super) fn hidden(&self, q: &Matrix, k: &Matrix) -> Option<Matrix> {
        let (w_q, w_k, v) = self.hidden_layer()?;
        let (of_q, of_k) = (project(q, &w_q, None), project(k, &w_k, None)); // (n, d_a), (m, d_a)
        let d_a = v.len();
        Some(Matrix::from_fn(q.nrows(), k.nrows() * d_a, |row, at| {
            (of_q[(row, at % d_a)] + of_k[(at / d_a, at % d_a)]).tanh()
        }))
    }

    /// v · hidden: (n, m).
    pub(super) fn of_hidden(&self, hidden: &Matrix) -> Option<Matrix> {
        let (_, _, v) = self.hidden_layer()?;
        let d_a = v.len();
        let score = |row, key| (0..d_a).fold(0.0, |sum, a| sum + v[a] * hidden[(row, key * d_a + a)]);
        Some(Matrix::from_fn(hidden.nrows(), hidden.ncols() / d_a, score))
    }

    /// The scores of whole matrices, without the steps between: (n, m).
    pub(super) fn scores(&self, q: &Matrix, k: &Matrix) -> Matrix {
        if let Some(hidden) = self.hidden(q, k) {
            return self.of_hidden(&hidden).expect("a score that has a hidden layer");
        }
        let k = self.transformed(k).unwrap_or_else(|| k.clone());
        multiply(q, &k.transpose())
    }
}
