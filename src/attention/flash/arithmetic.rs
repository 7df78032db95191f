//! One row of one block written out with the numbers filled in, as `Expr`: max(0.25, 1), exp(0.25 − 1), 0.4724 × 1.6 + 1.3.

use super::{FlashHead, SinkStep};
use crate::attention::expression::Expr;
use crate::attention::problem::Matrix;

/// How m, rescale, l and o of one row came about in one block.
#[derive(Clone, Debug, PartialEq)]
pub struct RowArithmetic {
    /// max(m_old, the block's visible scores); −∞ is what m starts with.
    pub m: Expr,
    /// exp(m_old − m_new).
    pub rescale: Expr,
    /// rescale × l_old + exp(s − m_new) + …
    pub l: Expr,
    /// One a column of v: rescale × o_old + exp × v + …; with dropout exp × kept × v.
    pub o: Vec<Expr>,
}

/// The same for the sink's step.
#[derive(Clone, Debug, PartialEq)]
pub struct SinkArithmetic {
    pub m: Expr,
    pub rescale: Expr,
    pub l: Expr,
    /// rescale × o_old: the sink has no v.
    pub o: Vec<Expr>,
}

impl FlashHead {
    /// How m, rescale, l and o of a row of a block came about; `row` is counted from 0 in the block, `v` is the head's v (m×d_v).
    /// `None` where there is no such block or row.
    ///
    /// ```
    /// # use attnlab::attention::{flash, solve, Part, Problem};
    /// # use attnlab::writing::{NumberFormat, Rounding, arithmetic};
    /// let problem = Problem::from_json(r#"{"format":"attnlab/1","scale":"none",
    ///     "inputs":{"q":[[1]],"k":[[0.25],[1]],"v":[[1],[2]]}}"#).unwrap();
    /// let v = solve(&problem).unwrap().get(Part::V, 0).unwrap().value.clone();
    /// let second = flash(&problem, 1, 1).unwrap().heads[0].arithmetic(1, 0, &v).unwrap();
    /// let four = NumberFormat { digits: 4, rounding: Rounding::Round };
    /// let written = |expression| -> Vec<String> {
    ///     arithmetic::lines(expression, &|value| four.natural(value)).iter().map(|line| arithmetic::spoken(line)).collect()
    /// };
    /// assert_eq!(written(&second.m), ["max(0.25, 1)", "1"]);
    /// assert_eq!(written(&second.rescale)[0], "exp(0.25 − 1)");
    /// assert_eq!(written(&second.l)[0], "0.4724 × 1 + exp(1 − 1)");
    /// ```
    pub fn arithmetic(&self, block: usize, row: usize, v: &Matrix) -> Option<RowArithmetic> {
        let now = self.blocks.get(block).filter(|now| row < now.rows.len())?;
        // The block before it has the same rows, unless this one is the first of its rows.
        let before = block.checked_sub(1).map(|at| &self.blocks[at]).filter(|before| before.rows == now.rows);
        let m_old = before.map_or(f64::NEG_INFINITY, |before| before.m[row]);
        let l_old = before.map_or(0.0, |before| before.l[row]);
        let o_old = |c: usize| before.map_or(0.0, |before| before.o[(row, c)]);
        let seen = || (0..now.keys.len()).filter(|&key| now.takes_part[(row, key)]);
        let m_new = now.m[row];

        let scores = seen().map(|key| Expr::Number(now.scores[(row, key)]));
        let m = Expr::Max(std::iter::once(maximum(m_old)).chain(scores).collect());
        let exp = |key| Expr::Exp(Box::new(minus(Expr::Number(now.scores[(row, key)]), m_new)));
        let l = Expr::Sum(std::iter::once(product([now.rescale[row], l_old])).chain(seen().map(exp)).collect());
        let onto_v = |key: usize, c: usize| {
            let kept = now.kept.as_ref().map(|kept| kept[(row, key)]);
            product([now.exp[(row, key)]].into_iter().chain(kept).chain([v[(now.keys.start + key, c)]]))
        };
        let o = |c| {
            let first = product([now.rescale[row], o_old(c)]);
            Expr::Sum(std::iter::once(first).chain(seen().map(|key| onto_v(key, c))).collect())
        };
        Some(RowArithmetic { m, rescale: factor(m_old, m_new), l, o: (0..now.o.ncols()).map(o).collect() })
    }

    /// How a row's output came about: o / l, in the columns of v; `row` is counted from 0 in the problem.
    pub fn output_arithmetic(&self, row: usize) -> Option<Vec<Expr>> {
        let (l, o) = match &self.sink {
            Some(sink) => (*sink.l.get(row)?, sink.o.row(row).iter().copied().collect::<Vec<_>>()),
            None => {
                let last = self.blocks.iter().rfind(|block| block.rows.contains(&row))?;
                let at = row - last.rows.start;
                (last.l[at], last.o.row(at).iter().copied().collect())
            }
        };
        let divided = |o: f64| match l {
            0.0 => Expr::Number(0.0),
            l => Expr::Quotient(Box::new(Expr::Number(o)), Box::new(Expr::Number(l))),
        };
        Some(o.into_iter().map(divided).collect())
    }

    /// How the sink's step came about; `row` is counted from 0 in the problem. `None` without a sink or such a row.
    pub fn sink_arithmetic(&self, row: usize) -> Option<SinkArithmetic> {
        let SinkStep { logit, m_before, m, rescale, .. } = self.sink.as_ref()?;
        let (m_old, m_new, rescale) = (*m_before.get(row)?, m[row], rescale[row]);
        let last = self.blocks.iter().rfind(|block| block.rows.contains(&row))?;
        let at = row - last.rows.start;
        let exp = Expr::Exp(Box::new(minus(Expr::Number(*logit), m_new)));
        Some(SinkArithmetic {
            m: Expr::Max(vec![maximum(m_old), Expr::Number(*logit)]),
            rescale: factor(m_old, m_new),
            l: Expr::Sum(vec![product([rescale, last.l[at]]), exp]),
            o: last.o.row(at).iter().map(|&o| product([rescale, o])).collect(),
        })
    }
}

/// exp(m_old − m_new), and 1 while nothing was seen.
fn factor(m_old: f64, m_new: f64) -> Expr {
    if m_new == f64::NEG_INFINITY { Expr::Number(1.0) } else { Expr::Exp(Box::new(minus(maximum(m_old), m_new))) }
}

fn maximum(m: f64) -> Expr {
    if m == f64::NEG_INFINITY { Expr::Hidden } else { Expr::Number(m) }
}

fn minus(from: Expr, what: f64) -> Expr {
    Expr::Difference(Box::new(from), Box::new(Expr::Number(what)))
}

fn product(factors: impl IntoIterator<Item = f64>) -> Expr {
    Expr::Product(factors.into_iter().map(Expr::Number).collect())
}
