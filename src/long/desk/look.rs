//! What can be seen of a sequence without any hand: single pairs, and a sample of a tile.

use std::ops::Range;

use attnlab_kernel::{cells, dot, weight};

use super::{Desk, Stage};
use crate::long::generate::Generated;
use crate::long::{Of, Tile};

/// The largest |scaled score| up to which the sums of the pass give a weight to five figures.
const ROUGH: f32 = 30.0;

/// One pair in numbers of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub score: f64,
    pub scaled: f64,
    /// `None` for a visible pair until the row was refined, or where its scores are small until the pass is done: before, its
    /// sum lacks keys.
    pub weight: Option<f64>,
    pub is_visible: bool,
}

impl Desk {
    /// The numbers of the sequence, once they are all made, and each row's maximum and sum as they stand.
    pub(super) fn numbers(&self) -> Option<(&Generated, &[f32], &[f32])> {
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
        let weight = match (is_visible, self.exact.of(row), &self.stage) {
            (false, ..) => Some(0.0),
            (true, Some(sum), _) => Some((scaled - sum).exp()),
            // 32 bits carry no more; and sums that still grow would make it larger than it is, even than 1.
            (true, None, Stage::Ready { .. }) if maximum[row].abs() <= ROUGH => {
                Some((scaled - f64::from(maximum[row])).exp() / f64::from(sum[row]))
            }
            (true, None, _) => None,
        };
        Some(Pair { score, scaled, weight, is_visible })
    }
}

/// q·k in 64 bits.
pub(super) fn product(data: &Generated, row: usize, key: usize) -> f64 {
    let (q, k) = (&data.q[row * data.d..][..data.d], &data.k[key * data.d..][..data.d]);
    q.iter().zip(k).map(|(&q, &k)| f64::from(q) * f64::from(k)).sum()
}
