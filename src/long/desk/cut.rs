//! A small part of the sequence with all its numbers, to be worked through in 64 bits. What the keys that are left out come to
//! takes a pass over all of them, so it is made a share at a time.

use std::ops::Range;

use super::exact::LogSum;
use super::look::product;
use super::{Desk, Setting};
use crate::long::LongError;

/// Some rows and keys with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    pub rows: Range<usize>,
    pub keys: Range<usize>,
    pub q: Vec<Vec<f64>>,
    pub k: Vec<Vec<f64>>,
    pub v: Vec<Vec<f64>>,
    /// What scores are multiplied by; `None` for 1/√d.
    pub scale: Option<f64>,
    /// Of each row, which of the keys it sees.
    pub visible: Vec<Vec<bool>>,
    /// Of each row, the log-sum-exp of the scaled scores of the visible keys that are left out; `None` where there are none.
    pub rest: Vec<Option<f64>>,
}

/// A cut in the making.
#[derive(Clone, Debug)]
pub struct Cutting {
    setting: Setting,
    rows: Range<usize>,
    keys: Range<usize>,
    /// Of each row, over the scaled scores of the keys left out so far.
    sums: Vec<LogSum>,
    /// The row, counted from the first of these, and the key that are next.
    next: (usize, usize),
}

impl Cutting {
    /// The share that is done, by rows.
    pub fn progress(&self) -> f64 {
        self.next.0 as f64 / self.rows.len() as f64
    }
}

impl Desk {
    /// Begins a cut of these rows and keys.
    ///
    /// # Errors
    /// A range that is empty or ends after the sequence; nothing is there yet (as a range of a sequence of 0).
    pub fn begin_cut(&self, rows: Range<usize>, keys: Range<usize>) -> Result<Cutting, LongError> {
        let n = self.setting.map_or(0, |setting| setting.n);
        for (place, Range { start, end }) in [("rows", rows.clone()), ("keys", keys.clone())] {
            if start >= end || end > n {
                return Err(LongError::Range { place, start, end, n });
            }
        }
        let (Some(setting), Some(_)) = (self.setting, self.numbers()) else { return Err(nothing_of(&rows)) };
        let sums = vec![LogSum::NOTHING; rows.len()];
        Ok(Cutting { setting, rows, keys, sums, next: (0, 0) })
    }

    /// Looks at so many pairs more; gives the cut once all were looked at.
    ///
    /// # Errors
    /// Another sequence lies here by now, or none (as a range of a sequence of 0).
    pub fn go_on(&self, cutting: &mut Cutting, pairs: usize) -> Result<Option<Cut>, LongError> {
        let Cutting { setting, rows, keys, sums, next: (line, from) } = cutting;
        let Some((data, ..)) = self.numbers().filter(|_| self.setting == Some(*setting)) else {
            return Err(nothing_of(rows));
        };
        let (n, scale) = (setting.n, setting.scale());
        let mut left = pairs;
        while left > 0 && *line < rows.len() {
            let row = rows.start + *line;
            let visible = setting.rule.visible(row, n);
            let first = visible.start.max(*from);
            let last = visible.end.min(first.saturating_add(left));
            for key in (first..last).filter(|key| !keys.contains(key)) {
                sums[*line].add(product(data, row, key) * scale);
            }
            left -= last.saturating_sub(first);
            (*line, *from) = if last < visible.end { (*line, last) } else { (*line + 1, 0) };
        }
        if *line < rows.len() {
            return Ok(None);
        }
        let of = |numbers: &[f32], range: &Range<usize>| {
            let rows = numbers[range.start * data.d..range.end * data.d].chunks_exact(data.d);
            rows.map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect()
        };
        Ok(Some(Cut {
            q: of(&data.q, rows),
            k: of(&data.k, keys),
            v: of(&data.v, keys),
            visible: rows.clone().map(|row| keys.clone().map(|key| setting.rule.sees(row, key, n)).collect()).collect(),
            scale: setting.scale,
            rest: sums.iter().map(|sum| sum.log()).collect(),
            rows: rows.clone(),
            keys: keys.clone(),
        }))
    }
}

/// These rows are not there.
fn nothing_of(rows: &Range<usize>) -> LongError {
    LongError::Range { place: "rows", start: rows.start, end: rows.end, n: 0 }
}
