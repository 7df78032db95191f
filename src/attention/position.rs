//! Where a token stands, and what that changes: encodings that are added, rotated queries and keys, or a penalty on
//! distance.

use super::problem::{Inputs, Matrix, Problem};

/// How order enters.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Position {
    #[default]
    None,
    /// Added to x before the projections: sin and cos of pos/base^(2i/d) (Vaswani et al. 2017, section 3.5).
    Sinusoidal { base: f64 },
    /// Added to x before the projections: row pos of a table that was learned, and that ends.
    Learned { table: Matrix },
    /// Rotates q and k of every head (Su et al. 2021, "RoFormer", section 3.2.2).
    Rope(Rope),
    /// Adds −slope·|i' − j|, one slope a query head (Press et al. 2021, "Train short, test long").
    Alibi { slopes: Vec<f64> },
}

/// Rotary position embedding: pair i of a vector at position p is turned by the angle p·θ_i, θ_i = base^(−2i/d).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    pub base: f64,
    pub layout: Layout,
    /// Added to every position.
    pub offset: f64,
    pub scaling: Scaling,
}

impl Default for Rope {
    fn default() -> Self {
        Rope { base: 10_000.0, layout: Layout::Interleaved, offset: 0.0, scaling: Scaling::None }
    }
}

/// Which columns are turned together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// (2i, 2i + 1).
    #[default]
    Interleaved,
    /// (i, i + d/2).
    HalfSplit,
}

/// How positions beyond the trained length are brought back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scaling {
    #[default]
    None,
    /// Positions are divided by the factor (Chen et al. 2023, position interpolation).
    Linear { factor: f64 },
    /// The base becomes base · factor^(d/(d−2)) (bloc97 2023, NTK-aware scaling).
    Ntk { factor: f64 },
}

impl Position {
    /// The kinds, as the problem file names them.
    pub const KINDS: [&'static str; 5] = ["none", "sinusoidal", "learned", "rope", "alibi"];

    /// The name in the problem file.
    pub fn key(&self) -> &'static str {
        match self {
            Position::None => "none",
            Position::Sinusoidal { .. } => "sinusoidal",
            Position::Learned { .. } => "learned",
            Position::Rope(_) => "rope",
            Position::Alibi { .. } => "alibi",
        }
    }

    /// What is added to the vectors of the first `rows` positions: (rows, width). `None` where nothing is, and where a
    /// learned table ends before that (its width is its own).
    ///
    /// ```
    /// # use attnlab::attention::{Matrix, Position};
    /// let encoding = Position::Sinusoidal { base: 10_000.0 }.encoding(2, 4).unwrap();
    /// assert_eq!((encoding[(0, 1)], encoding[(1, 0)]), (1.0, 1f64.sin()));
    /// assert_eq!(Position::Learned { table: Matrix::zeros(2, 4) }.encoding(3, 4), None);
    /// ```
    pub fn encoding(&self, rows: usize, width: usize) -> Option<Matrix> {
        match self {
            Position::Sinusoidal { base } => Some(Matrix::from_fn(rows, width, |row, column| {
                let angle = row as f64 / base.powf(Self::exponent(column, width));
                if column % 2 == 0 { angle.sin() } else { angle.cos() }
            })),
            Position::Learned { table } => (rows <= table.nrows()).then(|| table.rows(0, rows).into_owned()),
            Position::None | Position::Rope(_) | Position::Alibi { .. } => None,
        }
    }

    /// 2i/d of column 2i and of column 2i + 1.
    pub(super) fn exponent(column: usize, width: usize) -> f64 {
        (column / 2 * 2) as f64 / width as f64
    }

    pub(super) fn rope(&self) -> Option<&Rope> {
        if let Position::Rope(rope) = self { Some(rope) } else { None }
    }
}

impl Rope {
    /// The columns (a, b) of pair i of d.
    pub fn pair(&self, i: usize, d: usize) -> (usize, usize) {
        match self.layout {
            Layout::Interleaved => (2 * i, 2 * i + 1),
            Layout::HalfSplit => (i, i + d / 2),
        }
    }

    /// The pair of a column, and whether the column is the pair's second.
    pub(super) fn pair_of(&self, column: usize, d: usize) -> (usize, bool) {
        match self.layout {
            Layout::Interleaved => (column / 2, column % 2 == 1),
            Layout::HalfSplit => (column % (d / 2), column >= d / 2),
        }
    }

    /// The base of the angles, after the scaling.
    pub fn scaled_base(&self, d: usize) -> f64 {
        match self.scaling {
            Scaling::Ntk { factor } => self.base * factor.powf(d as f64 / (d as f64 - 2.0)),
            Scaling::None | Scaling::Linear { .. } => self.base,
        }
    }

    /// A position, after offset and scaling.
    pub fn scaled_position(&self, position: f64) -> f64 {
        let position = self.offset + position;
        match self.scaling {
            Scaling::Linear { factor } => position / factor,
            Scaling::None | Scaling::Ntk { .. } => position,
        }
    }

    /// θ_i.
    pub fn theta(&self, i: usize, d: usize) -> f64 {
        self.scaled_base(d).powf(-(2.0 * i as f64) / d as f64)
    }

    /// (a cos pθ − b sin pθ, a sin pθ + b cos pθ) for every pair of every row; row r stands at `position_of(r)`.
    pub(super) fn rotate(&self, matrix: &Matrix, position_of: impl Fn(usize) -> f64) -> Matrix {
        let d = matrix.ncols();
        Matrix::from_fn(matrix.nrows(), d, |row, column| {
            let (pair, is_second) = self.pair_of(column, d);
            let (a, b) = self.pair(pair, d);
            let angle = self.scaled_position(position_of(row)) * self.theta(pair, d);
            let (a, b) = (matrix[(row, a)], matrix[(row, b)]);
            if is_second { a * angle.sin() + b * angle.cos() } else { a * angle.cos() - b * angle.sin() }
        })
    }
}

impl Problem {
    /// Whether an encoding of positions is added to the vectors of the tokens.
    pub fn is_encoded(&self) -> bool {
        let is_added = matches!(self.family.position, Position::Sinusoidal { .. } | Position::Learned { .. });
        is_added && matches!(self.inputs, Inputs::Projected(_))
    }

    /// Where query i stands among the keys: i + (m − n) in self-attention (a cached decode step has one query and m
    /// keys, and stands last), i in cross attention.
    pub fn query_position(&self, query: usize) -> f64 {
        let shapes = self.shapes();
        let before = if self.is_cross() { 0.0 } else { shapes.m as f64 - shapes.n as f64 };
        query as f64 + before
    }
}
