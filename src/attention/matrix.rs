//! Products of matrices, and the crossing between rows and columns, as plain loops.
//!
//! Plain so that each sum runs in the order in which an explanation writes it down. nalgebra stores columns,
//! files and eyes read rows: `from_rows` and `to_rows` are the one crossing.

use super::problem::Matrix;

/// A · B: (r×s) · (s×c) = (r×c), each cell summed from left to right.
///
/// ```
/// # use attnlab::attention::{Matrix, multiply};
/// let a = Matrix::from_row_slice(1, 2, &[1.0, 2.0]);
/// let b = Matrix::from_row_slice(2, 1, &[3.0, 4.0]);
/// assert_eq!(multiply(&a, &b)[(0, 0)], 11.0);
/// ```
pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    debug_assert_eq!(a.ncols(), b.nrows(), "shapes are checked before anything is multiplied");
    Matrix::from_fn(a.nrows(), b.ncols(), |row, column| {
        (0..a.ncols()).fold(0.0, |sum, s| sum + a[(row, s)] * b[(s, column)])
    })
}

/// X · W + b: (r×s) · (s×c) = (r×c), the bias added to every row after the sum.
pub fn project(x: &Matrix, w: &Matrix, b: Option<&Vec<f64>>) -> Matrix {
    let product = multiply(x, w);
    match b {
        Some(b) => Matrix::from_fn(product.nrows(), product.ncols(), |row, column| product[(row, column)] + b[column]),
        None => product,
    }
}

/// Head `head`'s own columns: head·d … (head + 1)·d.
pub fn columns_of_head(whole: &Matrix, head: usize, d: usize) -> Matrix {
    whole.columns(head * d, d).into_owned()
}

/// Rows of numbers to a matrix; `None` when they are not all equally long.
pub fn from_rows(rows: &[Vec<f64>]) -> Option<Matrix> {
    let width = rows.first().map_or(0, Vec::len);
    rows.iter()
        .all(|row| row.len() == width)
        .then(|| Matrix::from_fn(rows.len(), width, |row, column| rows[row][column]))
}

/// A matrix as rows of numbers.
pub fn to_rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

/// The largest distance of two numbers in the same place; NaN as soon as one of them is, infinity where the shapes differ.
///
/// ```
/// # use attnlab::attention::{Matrix, largest_distance};
/// let row = |cells: &[f64]| Matrix::from_row_slice(1, cells.len(), cells);
/// assert_eq!(largest_distance(&row(&[1.0, 2.0]), &row(&[1.5, 2.0])), 0.5);
/// assert!(largest_distance(&row(&[f64::NAN, 2.0]), &row(&[1.5, 2.0])).is_nan());
/// ```
pub fn largest_distance(a: &Matrix, b: &Matrix) -> f64 {
    if a.shape() != b.shape() {
        return f64::INFINITY;
    }
    let distances = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    distances.fold(0.0, |most, distance| if distance > most || distance.is_nan() { distance } else { most })
}
