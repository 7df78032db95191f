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

/// Numbers that are added to the scores: the same for every head, or each query head its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Bias {
    /// n×m; or n×(h_q·m), where head h owns columns h·m … (h + 1)·m.
    pub(super) values: Matrix,
    /// How many heads have their own; `None` is one for all.
    pub(super) heads: Option<usize>,
}

impl Bias {
    /// The same n×m for every head.
    pub fn all(values: Matrix) -> Self {
        Self { values, heads: None }
    }

    /// One n×m a query head; `None` where there are none, or where their shapes differ.
    ///
    /// ```
    /// # use attnlab::attention::{Bias, Matrix};
    /// let bias = Bias::per_head(&[Matrix::zeros(2, 3), Matrix::identity(2, 3)]).unwrap();
    /// assert_eq!(bias.of_head(1), Some(Matrix::identity(2, 3)));
    /// assert_eq!(bias.of_head(2), None);
    /// assert_eq!(Bias::per_head(&[Matrix::zeros(2, 3), Matrix::zeros(2, 2)]), None);
    /// ```
    pub fn per_head(heads: &[Matrix]) -> Option<Self> {
        let (n, m) = heads.first()?.shape();
        let fits = heads.iter().all(|matrix| matrix.shape() == (n, m));
        let values = |row: usize, column: usize| heads[column / m][(row, column % m)];
        fits.then(|| Self { values: Matrix::from_fn(n, heads.len() * m, values), heads: Some(heads.len()) })
    }

    /// How many heads have their own; `None` is one for all.
    pub fn heads(&self) -> Option<usize> {
        self.heads
    }

    /// n×m.
    pub fn shape(&self) -> (usize, usize) {
        (self.values.nrows(), self.values.ncols() / self.heads.unwrap_or(1))
    }

    /// The matrix that this query head adds.
    pub fn of_head(&self, head: usize) -> Option<Matrix> {
        let m = self.shape().1;
        match self.heads {
            None => Some(self.values.clone()),
            Some(heads) => (head < heads).then(|| self.values.columns(head * m, m).into_owned()),
        }
    }

    /// What this query head adds to one pair.
    pub fn value(&self, head: usize, row: usize, column: usize) -> Option<f64> {
        let first = if self.heads.is_some() { head * self.shape().1 } else { 0 };
        self.values.get((row, first + column)).copied()
    }

    /// Each matrix of it once: one, or one a head.
    pub fn matrices(&self) -> Vec<Matrix> {
        (0..self.heads.unwrap_or(1)).filter_map(|head| self.of_head(head)).collect()
    }

    /// The same with every matrix changed; all to the same shape.
    #[must_use]
    pub fn map(&self, change: impl FnMut(Matrix) -> Matrix) -> Self {
        let changed: Vec<Matrix> = self.matrices().into_iter().map(change).collect();
        match self.heads {
            None => Self::all(changed.into_iter().next().expect("one matrix for all heads")),
            Some(_) => Self::per_head(&changed).expect("every matrix is changed to the same shape"),
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
