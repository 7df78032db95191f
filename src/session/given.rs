//! q, k and v for a long sequence from the workbench or from a file: they are kept as they were when they were taken.

use super::notice::Notice;
use super::state::Session;
use super::{Long, Panel, Topic};
use crate::attention::{Causal, Heads, Matrix, Normalise, Part, Score};
use crate::exchange::{Rows, rows_of_attention};
use crate::long::{Given, LongError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// The rows that are given, head by head.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenHeads {
    pub heads: Vec<Rc<Given>>,
    /// The same rows have the same, in another session too.
    pub stamp: u64,
}

/// The length to which the few rows of a workbench are repeated.
const REPEATED: usize = 1_024;

impl Session {
    /// The rows that were taken last.
    pub fn given(&self) -> Option<&GivenHeads> {
        self.given.as_ref()
    }

    /// Whether the workbench has q and k whose products are its scores: rows that a long sequence can take.
    pub fn can_give(&self) -> bool {
        let family = &self.problem().family;
        matches!(family.score, Score::Dot) && matches!(family.normalise, Normalise::Softmax)
    }

    /// Takes the rows of the workbench, q and k as already rotated, with its scale and what a long sequence knows of its mask.
    pub(super) fn give_workbench(&mut self) {
        let problem = self.problem();
        let shapes = problem.shapes();
        let (q, k) = Part::compared(problem);
        let of = |part: Part, head: usize| self.trace().get(part, head).map(|step| &step.value);
        let scale = problem.scale.apply(1.0, shapes.d_k);
        let heads: Result<Vec<Given>, LongError> = (0..shapes.heads.query)
            .filter_map(|head| Some((of(q, head)?, of(k, head)?, of(Part::V, head)?)))
            .map(|(q, k, v)| {
                let (q, k, v) = (numbers("q", q)?, numbers("k", k)?, numbers("v", v)?);
                Given::new((shapes.d_k, shapes.d_v), &q, &k, &v, scale as f32)
            })
            .collect();
        let causal = problem.mask.causal != Causal::None;
        let window = problem.mask.window.and_then(|window| window.left).unwrap_or(0);
        let long = Long { causal, window, scale: Some(scale), ..self.view.long };
        match heads {
            Ok(heads) if !heads.is_empty() => self.give(heads, long, REPEATED),
            Ok(_) => self.notice = Some(Notice::NotGiven(LongError::Empty)),
            Err(error) => self.notice = Some(Notice::NotGiven(error)),
        }
    }

    /// Takes the rows that are picked from a file, all of them.
    pub(super) fn give_import(&mut self) {
        let Some(import) = self.import.clone() else { return };
        let rows = match rows_of_attention(&import.tensors, &import.picks) {
            Some(Ok(rows)) => rows,
            Some(Err(error)) => return self.notice = Some(Notice::NotTaken(error)),
            None => return,
        };
        match of_file(rows) {
            Ok(heads) => {
                let long = Long { scale: heads.first().map(|head| f64::from(head.scale())), ..self.view.long };
                self.give(heads, long, 0);
                if self.notice.is_none() {
                    self.import = None;
                }
            }
            Err(error) => self.notice = Some(Notice::NotGiven(error)),
        }
    }

    fn give(&mut self, heads: Vec<Given>, long: Long, repeated: usize) {
        let stamp = stamp(&heads);
        let (rows, d, count) = (heads[0].rows(), heads[0].d(), heads.len());
        self.given = Some(GivenHeads { heads: heads.into_iter().map(Rc::new).collect(), stamp });
        let n = rows.max(repeated).max(*Long::TOKENS.start());
        // Repeated rows are all the same from afar.
        let side = if repeated > rows { 8.0 * rows as f64 } else { f64::MAX };
        // A row that was filled up with zeros is wider than what the scale is of.
        let usual = 1.0 / (d as f64).sqrt();
        let scale = long.scale.filter(|scale| (scale - usual).abs() > 1e-7 * usual);
        let given = Long { scale, topic: Topic::Given, n, d, heads: count, head: 0, stamp, ..long };
        self.view.long = Long { row: 0.0, key: 0.0, side, ..given }.within_limits();
        self.view.panel = Panel::Long;
    }
}

fn stamp(heads: &[Given]) -> u64 {
    let mut hasher = DefaultHasher::new();
    heads.iter().for_each(|head| head.bits().for_each(|bits| bits.hash(&mut hasher)));
    hasher.finish()
}

/// Query heads in groups share the heads of k and v.
fn of_file([q, k, v]: [Vec<Rows>; 3]) -> Result<Vec<Given>, LongError> {
    let heads = Heads { query: q.len(), key_value: k.len().min(v.len()) };
    if heads.key_value == 0 || !heads.query.is_multiple_of(heads.key_value) || k.len() != v.len() {
        return Err(LongError::Heads { query: q.len(), key: k.len(), value: v.len() });
    }
    if heads.query > *Long::HEADS.end() {
        return Err(LongError::ManyHeads { found: heads.query });
    }
    let head = |head: usize| {
        let shared = heads.key_value_of(head);
        let (q, k, v) = (&q[head], &k[shared], &v[shared]);
        if q.width != k.width {
            return Err(LongError::Widths { query: q.width, key: k.width });
        }
        let scale = 1.0 / (q.width as f64).sqrt();
        Given::new((k.width, v.width), &q.numbers, &k.numbers, &v.numbers, scale as f32)
    };
    (0..heads.query).map(head).collect()
}

fn numbers(place: &'static str, matrix: &Matrix) -> Result<Vec<f32>, LongError> {
    let cells = (0..matrix.nrows()).flat_map(|row| (0..matrix.ncols()).map(move |column| (row, column)));
    let number = |(row, column)| {
        let found: f64 = matrix[(row, column)];
        let narrow = found as f32;
        if narrow.is_finite() { Ok(narrow) } else { Err(LongError::NotFinite { place, row, column, found }) }
    };
    cells.map(number).collect()
}
