//! Ready-made contents for a matrix.

use crate::attention::{Matrix, SplitMix64};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    Zeros,
    /// Ones on the diagonal, also where the matrix is not square.
    Identity,
    /// Independent draws of mean 0 and variance 1; the same seed gives the same numbers everywhere.
    Normal {
        seed: u64,
    },
}

impl Fill {
    pub(super) fn matrix(self, rows: usize, columns: usize) -> Matrix {
        match self {
            Self::Zeros => Matrix::zeros(rows, columns),
            Self::Identity => Matrix::identity(rows, columns),
            Self::Normal { seed } => {
                let mut random = SplitMix64(seed);
                // Row by row, as the matrix is read, and to four digits, so that what is shown is what is there.
                let drawn: Vec<f64> = (0..rows * columns).map(|_| (random.normal() * 1e4).round() / 1e4).collect();
                Matrix::from_row_slice(rows, columns, &drawn)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_does_not() {
        let of = |seed| Fill::Normal { seed }.matrix(3, 4);
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
    }

    #[test]
    fn normal_draws_have_mean_0_and_variance_1() {
        let drawn = Fill::Normal { seed: 1 }.matrix(200, 200);
        assert!(drawn.mean().abs() <= 0.02, "mean {}", drawn.mean());
        assert!((drawn.variance() - 1.0).abs() <= 0.03, "variance {}", drawn.variance());
    }

    #[test]
    fn identity_need_not_be_square() {
        assert_eq!(Fill::Identity.matrix(1, 2), Matrix::from_row_slice(1, 2, &[1.0, 0.0]));
    }
}
