//! One block of keys for one block of query rows: the running maximum, sum and output taken one step further.
//!
//! What was summed so far was summed under the old maximum. Under a new one every exponential of it is smaller by the
//! same factor exp(m_old − m_new), so l and o are multiplied by that and stay right. A hidden pair is a flag:
//! minus infinity stands only at the start of m, and is never subtracted from itself.

use std::ops::Range;

use nalgebra::DMatrix;

use super::rectangle;
use crate::attention::problem::{Matrix, Problem};
use crate::attention::solve::{biased, capped};

/// What one block saw, and what stands after it. r rows, c keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The query rows, counted from 0 in the problem.
    pub rows: Range<usize>,
    pub keys: Range<usize>,
    /// r×c: what goes into the softmax (after scale, softcap, ALiBi and bias), of hidden pairs too.
    pub scores: Matrix,
    /// r×c: false is hidden.
    pub takes_part: DMatrix<bool>,
    /// r: the running maximum after this block; minus infinity as long as a row has seen nothing.
    pub m: Vec<f64>,
    /// r: exp(m_old − m_new); 1 where a row has still seen nothing, for there is nothing to rescale.
    pub rescale: Vec<f64>,
    /// r×c: exp(s − m_new), 0 where hidden.
    pub exp: Matrix,
    /// r×c, with dropout only: 0 or 1/(1−p), by which the exponentials that multiply v are multiplied.
    pub kept: Option<Matrix>,
    /// r: the running sum of the exponentials.
    pub l: Vec<f64>,
    /// r×d_v: the running Σ exp · v, not yet divided by l.
    pub o: Matrix,
}

impl Block {
    /// r×c, for the eye: minus infinity where a pair is hidden.
    pub fn shown_scores(&self) -> Matrix {
        self.scores.zip_map(&self.takes_part, |score, part| if part { score } else { f64::NEG_INFINITY })
    }

    /// Whether no pair of it is visible: m, l and o are as they were.
    pub fn is_hidden(&self) -> bool {
        self.takes_part.iter().all(|&part| !part)
    }
}

/// The sink's logit joins the sum after the last block of keys (gpt-oss): one more exponential in l, none in o.
#[derive(Clone, Debug, PartialEq)]
pub struct SinkStep {
    pub logit: f64,
    /// n: the maximum before it, of all blocks.
    pub m_before: Vec<f64>,
    /// n: the maximum with it.
    pub m: Vec<f64>,
    /// n: exp(m_before − m), 0 where the row saw nothing before.
    pub rescale: Vec<f64>,
    /// n: exp(logit − m).
    pub exp: Vec<f64>,
    /// n.
    pub l: Vec<f64>,
    /// n×d_v.
    pub o: Matrix,
}

impl SinkStep {
    pub(super) fn empty(logit: f64, n: usize, d_v: usize) -> Self {
        let none = Vec::new;
        SinkStep {
            logit,
            m_before: none(),
            m: none(),
            rescale: none(),
            exp: none(),
            l: none(),
            o: Matrix::zeros(n, d_v),
        }
    }

    /// For one more block of rows.
    pub(super) fn join(&mut self, running: &mut Running, rows: Range<usize>) {
        for row in 0..rows.len() {
            let m_old = running.m[row];
            let rescale = running.raise(row, self.logit);
            let exp = (self.logit - running.m[row]).exp();
            running.l[row] += exp;
            self.m_before.push(m_old);
            self.m.push(running.m[row]);
            self.rescale.push(rescale);
            self.exp.push(exp);
            self.l.push(running.l[row]);
        }
        self.o.rows_mut(rows.start, rows.len()).copy_from(&running.o);
    }
}

/// m, l and o of a block of rows, between two blocks of keys.
pub(super) struct Running {
    m: Vec<f64>,
    l: Vec<f64>,
    o: Matrix,
}

impl Running {
    pub(super) fn start(rows: usize, d_v: usize) -> Self {
        Running { m: vec![f64::NEG_INFINITY; rows], l: vec![0.0; rows], o: Matrix::zeros(rows, d_v) }
    }

    /// Takes a largest score into the row's maximum, rescales l and o to it, and returns the factor.
    fn raise(&mut self, row: usize, score: f64) -> f64 {
        let m_old = self.m[row];
        self.m[row] = m_old.max(score);
        // Nothing seen yet, and nothing now: −∞ − (−∞) would be NaN.
        let rescale = if self.m[row] == f64::NEG_INFINITY { 1.0 } else { (m_old - self.m[row]).exp() };
        self.l[row] *= rescale;
        self.o.row_mut(row).iter_mut().for_each(|o| *o *= rescale);
        rescale
    }

    /// o / l, and 0 where nothing was seen.
    pub(super) fn divided(&self) -> Matrix {
        Matrix::from_fn(self.o.nrows(), self.o.ncols(), |row, c| {
            if self.l[row] == 0.0 { 0.0 } else { self.o[(row, c)] / self.l[row] }
        })
    }
}

/// What one query head brings.
pub(super) struct Head<'a> {
    pub problem: &'a Problem,
    pub head: usize,
    /// n×d_k, as it is compared: rotated where there is RoPE.
    pub q: Matrix,
    /// m×d_k.
    pub k: Matrix,
    /// m×d_v.
    pub v: Matrix,
    pub takes_part: &'a DMatrix<bool>,
    pub kept: Option<&'a Matrix>,
}

impl Head<'_> {
    /// One block, from its rows of q, k and v alone.
    pub(super) fn step(&self, running: &mut Running, rows: Range<usize>, keys: Range<usize>) -> Block {
        let scores = self.scores(&rows, &keys); // (r, c)
        let takes_part = rectangle(self.takes_part, &rows, &keys);
        let kept = self.kept.map(|kept| kept.view((rows.start, keys.start), (rows.len(), keys.len())).into_owned());
        let mut rescale = Vec::with_capacity(rows.len());
        let mut exp = Matrix::zeros(rows.len(), keys.len());
        for row in 0..rows.len() {
            let seen = || (0..keys.len()).filter(|&key| takes_part[(row, key)]);
            let largest = seen().fold(f64::NEG_INFINITY, |max, key| max.max(scores[(row, key)]));
            rescale.push(running.raise(row, largest));
            for key in seen() {
                let of_pair = (scores[(row, key)] - running.m[row]).exp();
                exp[(row, key)] = of_pair;
                running.l[row] += of_pair;
                let onto_v = of_pair * kept.as_ref().map_or(1.0, |kept| kept[(row, key)]);
                for c in 0..self.v.ncols() {
                    running.o[(row, c)] += onto_v * self.v[(keys.start + key, c)];
                }
            }
        }
        let (m, l, o) = (running.m.clone(), running.l.clone(), running.o.clone());
        Block { rows, keys, scores, takes_part, m, rescale, exp, kept, l, o }
    }

    /// Scores → scale → softcap → ALiBi and bias, of this block only: (r, c).
    fn scores(&self, rows: &Range<usize>, keys: &Range<usize>) -> Matrix {
        let q = self.q.rows(rows.start, rows.len()).into_owned();
        let k = self.k.rows(keys.start, keys.len()).into_owned();
        let (problem, d_k) = (self.problem, self.q.ncols());
        let scores = problem.family.score.scores(&q, &k);
        Matrix::from_fn(rows.len(), keys.len(), |row, key| {
            let scaled = problem.scale.apply(scores[(row, key)], d_k);
            let capped = problem.family.softcap.map_or(scaled, |cap| capped(scaled, cap));
            biased(problem, self.head, rows.start + row, keys.start + key, capped)
        })
    }
}
