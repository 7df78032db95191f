//! Encodings that are added, and penalties: what each says of a position, and of the distance between two.
//!
//! Sinusoidal: Vaswani et al. 2017, section 3.5. ALiBi: Press et al. 2021, "Train short, test long", section 3.

use crate::attention::{Matrix, Position, SplitMix64};

/// The sinusoidal encoding of the first `positions`: a row each, `width` columns.
///
/// ```
/// # use attnlab::study::encoding::sinusoidal;
/// let rows = sinusoidal(4, 6, 10_000.0);
/// assert_eq!(rows.shape(), (4, 6));
/// assert_eq!(rows[(3, 0)], 3f64.sin());
/// ```
pub fn sinusoidal(positions: usize, width: usize, base: f64) -> Matrix {
    Position::Sinusoidal { base }.encoding(positions, width).unwrap_or_else(|| Matrix::zeros(positions, width))
}

/// The angle by which pair i (columns 2i and 2i + 1) goes on from one position to the next: base^(−2i/width).
pub fn angle_a_step(pair: usize, width: usize, base: f64) -> f64 {
    base.powf(-(2.0 * pair as f64) / width as f64)
}

/// The 2×2 matrix M with PE(p + k)ᵀ = M · PE(p)ᵀ in the columns (2i, 2i + 1), for every p:
/// cos and sin of k·θ_i above, −sin and cos below. It knows nothing of p.
///
/// ```
/// # use attnlab::study::encoding::{linear_map, sinusoidal};
/// let map = linear_map(1, 8, 10_000.0, 5);
/// let rows = sinusoidal(13, 8, 10_000.0);
/// let moved = &map * nalgebra::Vector2::new(rows[(7, 2)], rows[(7, 3)]);
/// assert!((moved[0] - rows[(12, 2)]).abs() <= 1e-12 && (moved[1] - rows[(12, 3)]).abs() <= 1e-12);
/// ```
pub fn linear_map(pair: usize, width: usize, base: f64, k: usize) -> Matrix {
    let (sin, cos) = (k as f64 * angle_a_step(pair, width, base)).sin_cos();
    Matrix::from_row_slice(2, 2, &[cos, sin, -sin, cos])
}

/// One position moved by the map, beside what stands there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    pub position: usize,
    /// The pair at `position`, the pair that the map makes of it, and the pair at `position + k`.
    pub from: [f64; 2],
    pub mapped: [f64; 2],
    pub to: [f64; 2],
}

impl Moved {
    /// The largest difference between what the map makes and what stands there.
    pub fn difference(&self) -> f64 {
        (self.mapped[0] - self.to[0]).abs().max((self.mapped[1] - self.to[1]).abs())
    }
}

/// Applies a map (2×2) to the pair of several positions, and looks up where they should land.
pub fn moved(map: &Matrix, positions: &[usize], pair: usize, width: usize, base: f64, k: usize) -> Vec<Moved> {
    let last = positions.iter().max().map_or(0, |last| last + k);
    let rows = sinusoidal(last + 1, width, base);
    let at = |position: usize| [rows[(position, 2 * pair)], rows[(position, 2 * pair + 1)]];
    let of = |&position: &usize| {
        let from = at(position);
        let row = |r: usize| map[(r, 0)] * from[0] + map[(r, 1)] * from[1];
        Moved { position, from, mapped: [row(0), row(1)], to: at(position + k) }
    };
    positions.iter().map(of).collect()
}

/// PE(0) · PE(k) over PE(0) · PE(0), for an even width: Σ cos(k·θ_i) over the pairs, divided by their number.
///
/// ```
/// # use attnlab::study::encoding::{similarity, sinusoidal};
/// let rows = sinusoidal(8, 6, 100.0);
/// let product = rows.row(0).dot(&rows.row(7)) / rows.row(0).dot(&rows.row(0));
/// assert!((similarity(6, 100.0, 7) - product).abs() <= 1e-12);
/// ```
pub fn similarity(width: usize, base: f64, k: usize) -> f64 {
    let pairs = (width / 2).max(1);
    let sum: f64 = (0..pairs).map(|pair| (k as f64 * angle_a_step(pair, width, base)).cos()).sum();
    sum / pairs as f64
}

/// A table as it is before any training: `trained` rows drawn at random, each of length 1 on average.
pub fn untaught_table(trained: usize, width: usize, seed: u64) -> Matrix {
    let mut random = SplitMix64(seed);
    Matrix::from_row_iterator(trained, width, (0..trained * width).map(|_| random.normal() / (width as f64).sqrt()))
}

/// Row 0 · row k of a learned table; `None` where the table has ended.
///
/// ```
/// # use attnlab::{attention::Matrix, study::encoding::table_similarity};
/// let table = Matrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]);
/// assert_eq!((table_similarity(&table, 1), table_similarity(&table, 2)), (Some(11.0), None));
/// ```
pub fn table_similarity(table: &Matrix, k: usize) -> Option<f64> {
    (k < table.nrows()).then(|| table.row(0).dot(&table.row(k)))
}

/// The slopes of ALiBi's paper: 2^(−8h/heads) for h = 1 … heads.
///
/// ```
/// # use attnlab::study::encoding::alibi_slopes;
/// assert_eq!(alibi_slopes(8)[..2], [0.5, 0.25]);
/// assert_eq!(alibi_slopes(8)[7], 1.0 / 256.0);
/// ```
pub fn alibi_slopes(heads: usize) -> Vec<f64> {
    (1..=heads).map(|head| 2f64.powf(-8.0 * head as f64 / heads as f64)).collect()
}

/// What ALiBi takes from a score at this distance, as it is added: −slope · distance.
pub fn penalty(slope: f64, distance: usize) -> f64 {
    -slope * distance as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIONS: [usize; 5] = [0, 1, 7, 100, 499];

    #[test]
    fn one_map_moves_every_position_and_that_of_another_offset_does_not() {
        for width in [2, 8, 64] {
            for pair in 0..width / 2 {
                for k in [1, 3, 50] {
                    let map = linear_map(pair, width, 10_000.0, k);
                    let off = moved(&map, &POSITIONS, pair, width, 10_000.0, k);
                    assert!(off.iter().all(|moved| moved.difference() <= 1e-12), "{width} {pair} {k}: {off:?}");
                    // The control: the map of the next offset misses at least one of them by far more than rounding.
                    let other = linear_map(pair, width, 10_000.0, k + 1);
                    let off = moved(&other, &POSITIONS, pair, width, 10_000.0, k);
                    assert!(off.iter().any(|moved| moved.difference() > 1e-9), "{width} {pair} {k}");
                }
            }
        }
    }

    #[test]
    fn similarity_is_one_at_no_distance_and_smaller_elsewhere() {
        assert_eq!(similarity(64, 10_000.0, 0), 1.0);
        assert!((1..1024).all(|k| similarity(64, 10_000.0, k) < 1.0));
    }

    #[test]
    fn a_table_is_the_same_for_the_same_seed_and_ends() {
        let table = untaught_table(512, 64, 1);
        assert_eq!(table, untaught_table(512, 64, 1));
        assert!(table_similarity(&table, 511).is_some() && table_similarity(&table, 512).is_none());
        let mean = table.norm_squared() / 512.0;
        assert!((mean - 1.0).abs() <= 0.05, "{mean}");
    }
}
