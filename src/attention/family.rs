//! The family around the plain formula: what a problem may change in it, each member at its default.

use super::position::Position;
use super::problem::Matrix;
use super::random::SplitMix64;
use super::score::Score;

/// What is not the plain formula. The default is softmax(Q Kᵀ · scale + M) V and nothing else.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Family {
    pub score: Score,
    /// c · tanh(s / c) on the scaled scores (Gemma 2).
    pub softcap: Option<f64>,
    pub position: Position,
    /// Added to the scores after scale and softcap (T5, or made by hand).
    pub bias: Option<Bias>,
    /// One logit a query head that joins the softmax's sum and takes weight to nowhere (gpt-oss).
    pub sink: Option<Vec<f64>>,
    pub normalise: Normalise,
    pub dropout: Dropout,
}

impl Family {
    /// Whether this is the plain formula.
    pub fn is_plain(&self) -> bool {
        self.keys().is_empty()
    }

    /// The keys of what is not plain, in the order of the problem file.
    pub fn keys(&self) -> Vec<&'static str> {
        let plain = Family { dropout: Dropout { p: 0.0, ..self.dropout }, ..Family::default() };
        self.differing(&plain)
    }

    /// The keys in which two differ, in the order of the problem file.
    pub fn differing(&self, other: &Family) -> Vec<&'static str> {
        let differ = [
            ("score", self.score != other.score),
            ("softcap", self.softcap != other.softcap),
            ("position", self.position != other.position),
            ("bias", self.bias != other.bias),
            ("sink", self.sink != other.sink),
            ("normalise", self.normalise != other.normalise),
            ("dropout", self.dropout != other.dropout),
        ];
        differ.into_iter().filter(|(_, differ)| *differ).map(|(key, _)| key).collect()
    }

    /// Whether something is added to the scores before the mask.
    pub(super) fn adds_bias(&self) -> bool {
        self.bias.is_some() || matches!(self.position, Position::Alibi { .. })
    }
}

/// Numbers that are added to the scores: the same for every head, or one matrix a query head.
#[derive(Clone, Debug, PartialEq)]
pub enum Bias {
    /// n×m.
    All(Matrix),
    /// h_q of n×m.
    Heads(Vec<Matrix>),
}

impl Bias {
    /// The matrix that this query head adds.
    pub fn of_head(&self, head: usize) -> Option<&Matrix> {
        match self {
            Bias::All(matrix) => Some(matrix),
            Bias::Heads(matrices) => matrices.get(head),
        }
    }

    /// Every matrix of it, to be changed.
    pub fn matrices_mut(&mut self) -> Vec<&mut Matrix> {
        match self {
            Bias::All(matrix) => vec![matrix],
            Bias::Heads(matrices) => matrices.iter_mut().collect(),
        }
    }
}

/// How scores become weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Normalise {
    #[default]
    Softmax,
    /// w ∝ φ(q)·φ(k), φ = elu + 1 (Katharopoulos et al. 2020).
    Linear,
    /// Scaled / Σ scaled.
    Sum,
}

impl Normalise {
    pub const ALL: [Self; 3] = [Self::Softmax, Self::Linear, Self::Sum];

    /// The name in the problem file.
    pub fn key(self) -> &'static str {
        match self {
            Self::Softmax => "softmax",
            Self::Linear => "linear",
            Self::Sum => "sum",
        }
    }
}

/// φ(x) = elu(x) + 1: x + 1 above zero, eˣ below.
pub(super) fn feature(x: f64) -> f64 {
    if x > 0.0 { x + 1.0 } else { x.exp() }
}

/// Weights that are thrown away at random, and the survivors made larger (Srivastava et al. 2014).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dropout {
    /// 0 ≤ p < 1.
    pub p: f64,
    pub seed: usize,
}

impl Dropout {
    /// 1/(1−p) where the weight is kept, else 0: one draw a weight in the order head, row, column. `None` without
    /// dropout.
    pub(crate) fn kept(self, heads: usize, n: usize, m: usize) -> Option<Vec<Matrix>> {
        let Dropout { p, seed } = self;
        if p == 0.0 {
            return None;
        }
        let mut random = SplitMix64(seed as u64);
        let mut draw = || {
            let is_kept = (random.next() >> 11) as f64 * 2f64.powi(-53) >= p;
            if is_kept { 1.0 / (1.0 - p) } else { 0.0 }
        };
        let mut of_head = || Matrix::from_row_iterator(n, m, (0..n * m).map(|_| draw()));
        Some((0..heads).map(|_| of_head()).collect())
    }
}
