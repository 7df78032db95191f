//! FlashAttention, stepped: the same output, though no row of scores is ever there as a whole.
//!
//! Dao et al. 2022, "FlashAttention", algorithm 1; Milakov and Gimelshein 2018 for the running maximum and sum. Blocks of
//! query rows stand outside and blocks of keys inside, as in FlashAttention-2 (Dao 2023): a block of rows is read once
//! and finished before the next one begins.
//!
//! `block` is the one step that everything rests on, `arithmetic` writes it out for one row, `traffic` counts what
//! moves to and from slow memory, `json` writes all of it down. Where `solve` starts from scores, this starts
//! from the rows of q, k and v that `solve` has made (projected and rotated), and knows nothing of its scores.

mod arithmetic;
mod block;
mod json;
mod traffic;

use std::ops::Range;

use nalgebra::DMatrix;

use super::error::{ErrorKind, Errors, ProblemError};
use super::family::Normalise;
use super::mask;
use super::matrix::{largest_distance, project};
use super::place::Part;
use super::problem::{MaskApplied, Matrix, Problem};
use super::solve::solve;
use super::trace::Trace;

pub use arithmetic::{RowArithmetic, SinkArithmetic};
pub use block::{Block, SinkStep};
pub use traffic::{NumbersMoved, numbers_moved};

/// How many numbers all blocks together may hold: 128 MiB. (Blocks of a single key keep one o for every key.)
pub const MOST_BLOCK_NUMBERS: usize = 1 << 24;

/// Every block of every head, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Flash {
    /// Query rows in a block, as asked for; the last block may be smaller.
    pub rows: usize,
    /// Keys in a block, as asked for.
    pub keys: usize,
    /// One a query head.
    pub heads: Vec<FlashHead>,
    /// The heads side by side, · w_o + b_o: n×d_out.
    pub output: Matrix,
    /// Numbers moved to and from slow memory, all query heads together.
    pub numbers_moved: NumbersMoved,
    /// The largest distance of a number of `output` from that of `solve`.
    pub difference: f64,
}

/// One query head: its blocks, rows outside and keys inside.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashHead {
    pub blocks: Vec<Block>,
    /// With a sink: it joins the sum after the last block of keys, all n rows here together.
    pub sink: Option<SinkStep>,
    /// o / l, n×d_v: the head's context. Zero where l is 0, which is where nothing is visible.
    pub output: Matrix,
}

/// softmax(Q Kᵀ · scale + M) V in blocks of `rows` query rows and `keys` keys; larger than there are is one block.
///
/// All of the family takes part that has exponentials: softcap, ALiBi, bias, every kind of score, a sink (joined at the
/// end, as its own last step), and dropout, which goes into the exponentials that multiply v and not into l. The mistakes
/// `never`, `inverted` and `reversed` change only which pairs take part.
///
/// # Errors
/// A block size of 0 (`rows`, `keys`); more than `MOST_BLOCK_NUMBERS` numbers in all blocks (`rows, keys`); `linear` and `sum`, which
/// have no exponentials to rescale; a mask after the softmax, for which a row of weights would have to be there; a
/// step that overflows, in `solve` or in o.
///
/// ```
/// # use attnlab::attention::{flash, Problem};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[0.5]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#).unwrap();
/// let flash = flash(&problem, 1, 2).unwrap();
/// let blocks = &flash.heads[0].blocks;
/// assert_eq!(blocks.len(), 2); // keys 0 and 1, then key 2
/// assert_eq!((blocks[0].m[0], blocks[1].rescale[0]), (1.0, 1.0)); // 1.0 stays the largest
/// assert!((flash.output[(0, 0)] - 0.9677).abs() < 1e-4);
/// ```
pub fn flash(problem: &Problem, rows: usize, keys: usize) -> Result<Flash, Vec<ProblemError>> {
    refuse(problem, rows, keys)?;
    flash_beside(problem, &solve(problem)?, rows, keys)
}

/// The same where the problem is solved already: `plain` is its trace, from which q, k and v are taken, and with whose output
/// the result is compared.
///
/// # Errors
/// Those of `flash`.
pub fn flash_beside(problem: &Problem, plain: &Trace, rows: usize, keys: usize) -> Result<Flash, Vec<ProblemError>> {
    refuse(problem, rows, keys)?;
    let shapes = problem.shapes();
    let (of_q, of_k) = Part::compared(problem);
    let matrix = |part, head| plain.get(part, head).expect("solve records q, k and v of every head").value.clone();
    let takes_part = mask::applied(problem); // (n, m)
    let kept = problem.family.dropout.kept(shapes.heads.query, shapes.n, shapes.m); // h × (n, m)

    let of_head = |head: usize| {
        let asked = block::Head {
            problem,
            head,
            q: matrix(of_q, head),    // (n, d_k)
            k: matrix(of_k, head),    // (m, d_k)
            v: matrix(Part::V, head), // (m, d_v)
            takes_part: &takes_part,
            kept: kept.as_ref().map(|kept| &kept[head]),
        };
        run(&asked, rows, keys)
    };
    let heads: Vec<FlashHead> = (0..shapes.heads.query).map(of_head).collect();
    require_finite(&heads)?;

    let d_v = shapes.d_v;
    let concat = Matrix::from_fn(shapes.n, heads.len() * d_v, |row, c| heads[c / d_v].output[(row, c % d_v)]);
    let output = match &problem.w_o {
        Some(w_o) => project(&concat, w_o, problem.b_o.as_ref()),
        None => concat,
    };
    let expected = matrix(Part::Output, 0);
    let difference = largest_distance(&output, &expected);
    let moved = numbers_moved(shapes.n as u64, shapes.m as u64, shapes.d_k as u64, shapes.d_v as u64, rows as u64);
    Ok(Flash { rows, keys, numbers_moved: moved.times(heads.len() as u64), heads, output, difference })
}

/// The blocks of one head, one after the other.
fn run(head: &block::Head<'_>, rows: usize, keys: usize) -> FlashHead {
    let (n, m, d_v) = (head.q.nrows(), head.k.nrows(), head.v.ncols());
    let sink = head.problem.family.sink.as_ref().map(|sink| sink[head.head]);
    let mut blocks = Vec::new();
    let mut joined = sink.map(|sink| SinkStep::empty(sink, n, d_v));
    let mut output = Matrix::zeros(n, d_v);
    for of_rows in cut(n, rows) {
        let mut running = block::Running::start(of_rows.len(), d_v);
        for of_keys in cut(m, keys) {
            blocks.push(head.step(&mut running, of_rows.clone(), of_keys));
        }
        if let Some(joined) = &mut joined {
            joined.join(&mut running, of_rows.clone());
        }
        output.rows_mut(of_rows.start, of_rows.len()).copy_from(&running.divided());
    }
    FlashHead { blocks, sink: joined, output }
}

/// 0…count in pieces of `size`; the last may be smaller.
fn cut(count: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).step_by(size).map(move |first| first..first.saturating_add(size).min(count))
}

fn refuse(problem: &Problem, rows: usize, keys: usize) -> Result<(), Vec<ProblemError>> {
    let mut errors = Errors::default();
    for (place, size) in [("rows", rows), ("keys", keys)] {
        if size == 0 {
            errors.push(place, ErrorKind::OutOfRange { found: "0".into(), expected: "1, 2, 3, …".into() });
        }
    }
    let normalise = problem.family.normalise;
    if normalise != Normalise::Softmax {
        let found = format!("\"{}\"", normalise.key());
        errors.push("normalise", ErrorKind::NoExponentials { found, expected: "\"softmax\"".into() });
    }
    let how = problem.mask_applied;
    if !mask::is_before_softmax(how) && how != MaskApplied::Never {
        let right = format!("\"{}\"", MaskApplied::BeforeSoftmax.key());
        errors.push("mask_applied", ErrorKind::NoRowOfWeights { found: format!("\"{}\"", how.key()), expected: right });
    }
    if rows > 0 && keys > 0 {
        let numbers = numbers_held(problem, rows, keys);
        if numbers > MOST_BLOCK_NUMBERS {
            let expected = format!("0…{MOST_BLOCK_NUMBERS}");
            errors.push("rows, keys", ErrorKind::OutOfRange { found: numbers.to_string(), expected });
        }
    }
    errors.into_result()
}

/// Scores, exponentials and flags once a pair; m, rescale, l and o once a row and block of keys; and what a block costs by
/// itself, which is as much as some thirty numbers.
fn numbers_held(problem: &Problem, rows: usize, keys: usize) -> usize {
    const OF_A_BLOCK: usize = 32;
    let shapes = problem.shapes();
    let (of_rows, of_keys) = (shapes.n.div_ceil(rows), shapes.m.div_ceil(keys));
    let of_head = 3 * shapes.n * shapes.m + shapes.n * of_keys * (3 + shapes.d_v) + OF_A_BLOCK * of_rows * of_keys;
    of_head.saturating_mul(shapes.heads.query)
}

/// o is not divided by l yet, so it may overflow where the plain way does not.
fn require_finite(heads: &[FlashHead]) -> Result<(), Vec<ProblemError>> {
    let mut errors = Errors::default();
    for (head, found) in heads.iter().enumerate() {
        if !found.output.iter().all(|number| number.is_finite()) {
            let step = format!("o/{head}");
            errors.push(step.clone(), ErrorKind::Overflow { found: step });
        }
    }
    errors.into_result()
}

/// A rectangle of a matrix of flags.
fn rectangle(flags: &DMatrix<bool>, rows: &Range<usize>, keys: &Range<usize>) -> DMatrix<bool> {
    flags.view((rows.start, keys.start), (rows.len(), keys.len())).into_owned()
}
