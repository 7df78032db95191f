//! What can be seen of a sequence without any hand: single pairs, a sample of a tile, a small part with all its numbers.

use std::ops::Range;

use attnlab_kernel::{cells, dot, weight};

use super::{Desk, Stage};
use crate::long::generate::Generated;
use crate::long::{LongError, Of, Tile};

/// One pair in numbers of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub score: f64,
    pub scaled: f64,
    /// `None` until the pass is done, for a visible pair: before, the row's sum lacks keys.
    pub weight: Option<f64>,
    pub is_visible: bool,
}

/// A part of the sequence that is small enough to be worked through, in 64 bits.
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

impl Desk {
    /// The numbers of the sequence, once they are all made, and each row's maximum and sum as they stand.
    fn numbers(&self) -> Option<(&Generated, &[f32], &[f32])> {
        match &self.stage {
            Stage::Attending { data, pass, .. } => {
                let (maximum, sum) = pass.sums();
                Some((data, maximum, sum))
            }
            Stage::Ready { data, attended } => Some((data, &attended.maximum, &attended.sum)),
            _ => None,
        }
    }

    /// One pair under each pixel, the one in its middle: a picture at once, of which most is not seen. Weights are by the
    /// sums as they stand; NaN where a row has seen nothing yet.
    pub fn sampled(&self, tile: &Tile) -> Option<Vec<f32>> {
        let (setting, (data, maximum, sum)) = (self.setting?, self.numbers()?);
        tile.check(setting.n).ok()?;
        let middle = |range: &Range<usize>, pixel: usize, pixels: usize| {
            let cells = cells(range, pixel, pixels);
            cells.start + cells.len() / 2
        };
        let columns: Vec<usize> = (0..tile.width).map(|pixel| middle(&tile.keys, pixel, tile.width)).collect();
        let (d, scale) = (setting.d, if tile.of == Of::Scores { 1.0 } else { setting.scale() as f32 });
        let mut pixels = Vec::with_capacity(tile.height * tile.width);
        for pixel in 0..tile.height {
            let row = middle(&tile.rows, pixel, tile.height);
            let visible = setting.rule.visible(row, setting.n);
            let q = &data.q[row * d..][..d];
            pixels.extend(columns.iter().map(|&key| {
                let is_weight = tile.of == Of::Weights;
                if is_weight && !visible.contains(&key) {
                    return 0.0;
                }
                if is_weight && sum[row] <= 0.0 {
                    return f32::NAN;
                }
                let score = dot(q, &data.k[key * d..][..d], scale);
                if is_weight { weight(score, maximum[row], sum[row]) } else { score }
            }));
        }
        Some(pixels)
    }

    /// One pair, in 64 bits.
    pub fn pair(&self, row: usize, key: usize) -> Option<Pair> {
        let (setting, (data, maximum, sum)) = (self.setting?, self.numbers()?);
        if row >= setting.n || key >= setting.n {
            return None;
        }
        let score = product(data, row, key);
        let scaled = score * setting.scale();
        let is_visible = setting.rule.sees(row, key, setting.n);
        let weight = match (is_visible, &self.stage) {
            // Sums that still grow would make it larger than it is, even than 1.
            (true, Stage::Ready { .. }) => Some((scaled - f64::from(maximum[row])).exp() / f64::from(sum[row])),
            (true, _) => None,
            (false, _) => Some(0.0),
        };
        Some(Pair { score, scaled, weight, is_visible })
    }

    /// Some rows and keys with their numbers, and what each row's other visible keys come to.
    ///
    /// # Errors
    /// A range that is empty or ends after the sequence; nothing is there yet (as a range of a sequence of 0).
    pub fn cut(&self, rows: Range<usize>, keys: Range<usize>) -> Result<Cut, LongError> {
        let n = self.setting.map_or(0, |setting| setting.n);
        for (place, Range { start, end }) in [("rows", rows.clone()), ("keys", keys.clone())] {
            if start >= end || end > n {
                return Err(LongError::Range { place, start, end, n });
            }
        }
        let (Some(setting), Some((data, ..))) = (self.setting, self.numbers()) else {
            return Err(LongError::Range { place: "rows", start: rows.start, end: rows.end, n: 0 });
        };
        let of = |numbers: &[f32], range: &Range<usize>| {
            let rows = numbers[range.start * data.d..range.end * data.d].chunks_exact(data.d);
            rows.map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect()
        };
        let scale = setting.scale();
        let rest = |row: usize| {
            let others = setting.rule.visible(row, n).filter(|key| !keys.contains(key));
            let scaled: Vec<f64> = others.map(|key| product(data, row, key) * scale).collect();
            let most = scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (!scaled.is_empty()).then(|| most + scaled.iter().map(|scaled| (scaled - most).exp()).sum::<f64>().ln())
        };
        Ok(Cut {
            q: of(&data.q, &rows),
            k: of(&data.k, &keys),
            v: of(&data.v, &keys),
            visible: rows.clone().map(|row| keys.clone().map(|key| setting.rule.sees(row, key, n)).collect()).collect(),
            scale: setting.scale,
            rest: rows.clone().map(rest).collect(),
            rows,
            keys,
        })
    }
}

/// q·k in 64 bits.
fn product(data: &Generated, row: usize, key: usize) -> f64 {
    let (q, k) = (&data.q[row * data.d..][..data.d], &data.k[key * data.d..][..data.d]);
    q.iter().zip(k).map(|(&q, &k)| f64::from(q) * f64::from(k)).sum()
}
