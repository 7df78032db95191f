//! One step as a problem of its own: one query, and the keys and values that are cached by then.

use nalgebra::DMatrix;

use super::Decode;
use crate::attention::family::Family;
use crate::attention::matrix::{columns_of_head, project};
use crate::attention::position::Position;
use crate::attention::problem::{Causal, Inputs, Mask, Matrix, Problem};

/// The rows that a decoder keeps: all key/value heads side by side, k after rotation.
pub(super) struct Cache {
    pub k: Matrix,
    pub v: Matrix,
}

impl Cache {
    /// The first `count` keys of a problem, which have no query.
    pub(super) fn prefilled(problem: &Problem, count: usize) -> Self {
        let shapes = problem.shapes();
        let heads = shapes.heads.key_value;
        let mut cache = Cache { k: Matrix::zeros(0, heads * shapes.d_k), v: Matrix::zeros(0, heads * shapes.d_v) };
        if let Inputs::Direct { k, v, .. } = &problem.inputs {
            for key in 0..count {
                let of_key = |whole: &Matrix| whole.rows(key, 1).into_owned();
                cache.push(&rotated(problem, of_key(k), heads, key), &of_key(v));
            }
        }
        cache
    }

    /// One row more of each.
    pub(super) fn push(&mut self, k: &Matrix, v: &Matrix) {
        let grown = |old: &Matrix, row: &Matrix| {
            let mut grown = old.clone().insert_row(old.nrows(), 0.0);
            grown.row_mut(old.nrows()).copy_from(&row.row(0));
            grown
        };
        (self.k, self.v) = (grown(&self.k, k), grown(&self.v, v));
    }
}

/// What a new token brings, one row each, all heads side by side; q and k after rotation.
pub(super) struct New {
    /// 1×(h_q·d_k).
    pub q: Matrix,
    /// 1×(h_kv·d_k).
    pub k: Matrix,
    /// 1×(h_kv·d_v).
    pub v: Matrix,
}

/// Of query row `row`: projected from its own row of x (encoded at its own position), or as given.
pub(super) fn new_rows(problem: &Problem, row: usize) -> New {
    let shapes = problem.shapes();
    let position = row + shapes.m - shapes.n;
    let (q, k, v) = match &problem.inputs {
        Inputs::Direct { q, k, v } => {
            (q.rows(row, 1).into_owned(), k.rows(position, 1).into_owned(), v.rows(position, 1).into_owned())
        }
        Inputs::Projected(given) => {
            let mut x = given.x.rows(row, 1).into_owned();
            if let Some(encoding) = problem.family.position.encoding(row + 1, x.ncols()) {
                x += encoding.rows(row, 1);
            }
            (
                project(&x, &given.w_q, given.b_q.as_ref()),
                project(&x, &given.w_k, given.b_k.as_ref()),
                project(&x, &given.w_v, given.b_v.as_ref()),
            )
        }
    };
    let heads = shapes.heads;
    New { q: rotated(problem, q, heads.query, position), k: rotated(problem, k, heads.key_value, position), v }
}

/// One row of `heads` heads after RoPE at this position; as it is without RoPE.
fn rotated(problem: &Problem, row: Matrix, heads: usize, position: usize) -> Matrix {
    let Some(rope) = problem.family.position.rope() else { return row };
    let d_k = row.ncols() / heads;
    let of_head = |head| rope.rotate(&columns_of_head(&row, head, d_k), |_| position as f64);
    let turned: Vec<Matrix> = (0..heads).map(of_head).collect();
    Matrix::from_fn(1, row.ncols(), |_, c| turned[c / d_k][(0, c % d_k)])
}

/// One query against the cache: its rows are given, so nothing is projected, encoded or rotated again.
pub(super) fn problem(problem: &Problem, row: usize, q: &Matrix, cache: &Cache) -> Problem {
    let keys = cache.k.nrows();
    Problem {
        title: None,
        tokens: None,
        memory: None,
        inputs: Inputs::Direct { q: q.clone(), k: cache.k.clone(), v: cache.v.clone() },
        family: family(problem, row, keys),
        mask: mask(problem, row, keys),
        ..problem.clone()
    }
}

/// ALiBi counts from the last key, where the query stands; what was added or rotated is in the rows already.
fn family(problem: &Problem, row: usize, keys: usize) -> Family {
    let position = match &problem.family.position {
        Position::Alibi { slopes } => Position::Alibi { slopes: slopes.clone() },
        _ => Position::None,
    };
    let of_row = |bias: Matrix| bias.view((row, 0), (1, keys)).into_owned();
    let bias = problem.family.bias.as_ref().map(|bias| bias.map(of_row));
    Family { position, bias, ..problem.family.clone() }
}

/// The same rules for one query that stands at the last key. `upper_left` counts queries from the first one, which a
/// single row cannot say by itself, so it becomes a row of pairs.
fn mask(problem: &Problem, row: usize, keys: usize) -> Mask {
    let rules = &problem.mask;
    let allows = |key: usize| {
        let is_past = rules.causal != Causal::UpperLeft || key <= row;
        is_past && rules.allow.as_ref().is_none_or(|allow| allow[(row, key)])
    };
    Mask {
        causal: Causal::LowerRight,
        window: rules.window,
        global: rules.global.iter().copied().filter(|&global| global < keys).collect(),
        key_padding: rules.key_padding.as_ref().map(|real| real[..keys].to_vec()),
        allow: Some(DMatrix::from_fn(1, keys, |_, key| allows(key))),
    }
}

impl Decode {
    /// What the cache holds for one key/value head after a step: k (t×d_k) and v (t×d_v). `None` outside.
    pub fn cache_after(&self, step: usize, key_value_head: usize) -> Option<(Matrix, Matrix)> {
        let step = self.steps.get(step)?;
        let (d_k, d_v) = (step.k.get(key_value_head)?.len(), step.v[key_value_head].len());
        let of_head = |whole: &Matrix, d| whole.view((0, key_value_head * d), (step.keys, d)).into_owned();
        Some((of_head(&self.k, d_k), of_head(&self.v, d_v)))
    }
}
