//! Numbers that were not generated: rows of a workbench or of a file, again and again until the sequence is long enough.

use super::{Asked, LongError, Rule, Sequence};

/// q, k and v of one head, each in rows of the same width d; q may have another number of rows than k and v.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    d: usize,
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
    scale: f32,
}

impl Given {
    /// Rows of width `d_k` and of width `d_v`, the narrower filled up with zeros: they change neither a score nor an output.
    /// `scale` is what every score is multiplied by.
    ///
    /// # Errors
    /// No row; rows wider than 256; lengths that do not fit; a number that 32 bits do not hold, or so large that a score or an
    /// output would not be held.
    ///
    /// ```
    /// # use attnlab::long::Given;
    /// let given = Given::new((1, 2), &[0.5], &[1.0, 2.0], &[1.0, 2.0, 3.0, 4.0], 1.0)?;
    /// assert_eq!((given.d(), given.rows()), (2, 2));
    /// # Ok::<(), attnlab::long::LongError>(())
    /// ```
    pub fn new((d_k, d_v): (usize, usize), q: &[f32], k: &[f32], v: &[f32], scale: f32) -> Result<Self, LongError> {
        let d = d_k.max(d_v);
        let (queries, keys) = (q.len() / d_k.max(1), k.len() / d_k.max(1));
        if queries == 0 || keys == 0 || d_v == 0 {
            return Err(LongError::Empty);
        }
        if v.len().is_multiple_of(d_v) && v.len() / d_v != keys {
            return Err(LongError::Rows { key: keys, value: v.len() / d_v });
        }
        let lengths = [("q", q.len(), queries * d_k), ("k", k.len(), keys * d_k), ("v", v.len(), keys * d_v)];
        if let Some((place, found, expected)) = lengths.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(LongError::Length { place, found, expected });
        }
        let given = Given { d, q: wide(q, d_k, d), k: wide(k, d_k, d), v: wide(v, d_v, d), scale };
        // As long as the longer of both: every pair of a row of q and a row of k is looked at by its bounds.
        let n = queries.max(keys);
        let [q, k, v] = [&given.q, &given.k, &given.v].map(|rows| again(rows, d, 0..n));
        Asked::with_scale(Sequence::new(n, d, &q, &k, &v)?, Rule::default(), scale)?;
        Ok(given)
    }

    pub fn d(&self) -> usize {
        self.d
    }

    /// The number of rows after which both q and k have come at least once.
    pub fn rows(&self) -> usize {
        (self.q.len() / self.d).max(self.k.len() / self.d)
    }

    /// What every score is multiplied by.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Everything, for telling one from another.
    pub fn bits(&self) -> impl Iterator<Item = u32> + '_ {
        let numbers = [&self.q, &self.k, &self.v].into_iter().flatten().map(|x| x.to_bits());
        [self.d as u32, self.q.len() as u32, self.scale.to_bits()].into_iter().chain(numbers)
    }

    /// Row `row` of q, k and v, counted on where they begin again.
    pub(super) fn row(&self, row: usize) -> [&[f32]; 3] {
        [&self.q, &self.k, &self.v].map(|rows| &rows[row * self.d % rows.len()..][..self.d])
    }
}

fn wide(rows: &[f32], width: usize, d: usize) -> Vec<f32> {
    let zeros = std::iter::repeat_n(0.0, d - width);
    rows.chunks_exact(width).flat_map(|row| row.iter().copied().chain(zeros.clone())).collect()
}

fn again(rows: &[f32], d: usize, wanted: std::ops::Range<usize>) -> Vec<f32> {
    wanted.flat_map(|row| &rows[row * d % rows.len()..][..d]).copied().collect()
}
