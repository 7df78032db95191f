//! A tensor as the rows of a long sequence: head by head, in 32 bits, as many rows as are picked.

use super::pick::{Layout, indexed, layout, shown};
use super::{Pick, Role, TakeError};
use crate::exchange::tensor::Tensor;

/// One head's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    pub width: usize,
    /// By rows.
    pub numbers: Vec<f32>,
}

/// The rows of a pick, of each head its own. Unlike `to_matrix` it knows no largest number of rows.
///
/// # Errors
/// When the axes, an index or a range do not fit the tensor, heads side by side do not divide the columns, or 32 bits do
/// not hold a number.
///
/// ```
/// # use attnlab::exchange::{Element, Pick, Role, Tensor, to_rows};
/// let tensor = Tensor { name: "q".to_owned(), shape: vec![2, 4], element: Element::F32, values: vec![0., 1., 2., 3., 4., 5., 6., 7.] };
/// let mut pick = Pick { tensor: 0, role: Role::Q, batch: vec![], head: None, heads: 2, transpose: false, rows: 0..0, columns: 0..0 };
/// pick.take_all(&tensor);
/// let heads = to_rows(&tensor, &pick).unwrap();
/// assert_eq!((heads.len(), heads[1].width, &heads[1].numbers[..]), (2, 2, &[2., 3., 6., 7.][..]));
/// ```
pub fn to_rows(tensor: &Tensor, pick: &Pick) -> Result<Vec<Rows>, TakeError> {
    let layout = layout(tensor, pick)?;
    for (range, (size, _)) in [(&pick.rows, layout.rows), (&pick.columns, layout.columns)] {
        if range.is_empty() || range.end > size {
            let (found, expected) = (shown(range.clone()), shown(0..size));
            return Err(TakeError::OutOfRange { place: tensor.name.clone(), found, expected });
        }
    }
    // Heads have an axis of their own, or lie side by side.
    let beside = if pick.head.is_some() { 1 } else { pick.heads.max(1) };
    let columns = pick.columns.len();
    if !columns.is_multiple_of(beside) {
        return Err(TakeError::OutOfRange {
            place: tensor.name.clone(),
            found: format!("m = {columns}"),
            expected: format!("m = k·{beside}"),
        });
    }
    let width = columns / beside;
    let Layout { offset, rows, columns, heads } = layout;
    let head = |head: usize| {
        let first = pick.columns.start + head % beside * width;
        let at = offset + head / beside * heads.1;
        let row = |row: usize| (first..first + width).map(move |column| at + row * rows.1 + column * columns.1);
        let numbers: Result<_, TakeError> = pick.rows.clone().flat_map(row).map(|at| in_32_bits(tensor, at)).collect();
        Ok(Rows { width, numbers: numbers? })
    };
    (0..heads.0 * beside).map(head).collect()
}

fn in_32_bits(tensor: &Tensor, at: usize) -> Result<f32, TakeError> {
    let (value, narrow) = (tensor.values[at], tensor.values[at] as f32);
    let (place, found) = (|| indexed(tensor, at), || format!("{value:e}"));
    match (value.is_finite(), narrow.is_finite()) {
        (true, true) => Ok(narrow),
        (true, false) => {
            Err(TakeError::OutOfRange { place: place(), found: found(), expected: format!("±{:e}", f32::MAX) })
        }
        (false, _) => Err(TakeError::NotFinite { place: place(), found: value.to_string() }),
    }
}

/// The picks of q, k and v; `None` where one is missing.
pub fn rows_of_attention(tensors: &[Tensor], picks: &[Pick]) -> Option<Result<[Vec<Rows>; 3], TakeError>> {
    let of = |role: Role| {
        let pick = picks.iter().find(|pick| pick.role == role)?;
        Some(to_rows(tensors.get(pick.tensor)?, pick))
    };
    let (q, k, v) = (of(Role::Q)?, of(Role::K)?, of(Role::V)?);
    Some(q.and_then(|q| Ok([q, k?, v?])))
}
