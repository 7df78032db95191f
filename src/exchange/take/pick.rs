//! How one tensor becomes one matrix: of some axes one index is taken, one axis may be the heads, the two that are
//! left are rows and columns.

use std::ops::Range;

use super::{Role, TakeError};
use crate::attention::{MOST_HEADS, MOST_TOKENS, MOST_WIDTH, Matrix};
use crate::exchange::tensor::{Tensor, shape_text};

/// A tensor, what it is, and what its axes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Its index in the list of tensors.
    pub tensor: usize,
    pub role: Role,
    /// Axes of which one index is taken: the batch, a layer, one head of many. As (axis, index).
    pub batch: Vec<(usize, usize)>,
    /// The axis of the heads, which are laid side by side: (heads, seq, d) becomes seq × heads·d. Those of an output
    /// projection are laid one below the other, as its rows belong to the heads.
    pub head: Option<usize>,
    /// How many heads already lie side by side where no axis is theirs.
    pub heads: usize,
    /// Of the two axes left the first is the rows (the tokens), unless they are swapped. A PyTorch `Linear` stores
    /// (out, in) and is swapped.
    pub transpose: bool,
    /// Which rows and columns (of each head) are taken, after the swap. A bias is one row.
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

/// Where the numbers of a pick lie.
pub(super) struct Layout {
    pub offset: usize,
    /// Size and stride of rows, columns and heads, before any range.
    pub rows: (usize, usize),
    pub columns: (usize, usize),
    pub heads: (usize, usize),
}

impl Pick {
    /// Everything of a tensor, once its axes are known.
    pub(super) fn whole(tensor: &Tensor, role: Role, batch: Vec<(usize, usize)>, head: Option<usize>) -> Pick {
        let mut pick = Pick { tensor: 0, role, batch, head, heads: 1, transpose: false, rows: 0..0, columns: 0..0 };
        pick.take_all(tensor);
        pick
    }

    /// Sets both ranges to all there is, as after a change of an axis; to nothing when the axes do not fit.
    pub fn take_all(&mut self, tensor: &Tensor) {
        let (rows, columns) = layout(tensor, self).map_or((0, 0), |layout| (layout.rows.0, layout.columns.0));
        (self.rows, self.columns) = (0..rows, 0..columns);
    }
}

pub(super) fn layout(tensor: &Tensor, pick: &Pick) -> Result<Layout, TakeError> {
    let place = || tensor.name.clone();
    let axes = tensor.shape.len();
    let total = tensor.shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
    if total != Some(tensor.values.len()) {
        let (found, expected) = (tensor.values.len().to_string(), shape_text(&tensor.shape));
        return Err(TakeError::Rank { place: place(), found, expected });
    }
    let stride = |axis: usize| tensor.shape[axis + 1..].iter().product::<usize>();
    let mut is_used = vec![false; axes];
    let mut offset = 0;
    for (axis, index) in pick.batch.iter().map(|&(axis, index)| (axis, Some(index))).chain(pick.head.map(|h| (h, None)))
    {
        if is_used.get(axis) != Some(&false) {
            return Err(TakeError::Axis { place: place(), found: axis, expected: shown(0..axes) });
        }
        is_used[axis] = true;
        if let Some(index) = index {
            if index >= tensor.shape[axis] {
                let (found, expected) = (index.to_string(), shown(0..tensor.shape[axis]));
                return Err(TakeError::OutOfRange { place: place(), found, expected });
            }
            offset += index * stride(axis);
        }
    }
    let left: Vec<(usize, usize)> =
        (0..axes).filter(|&axis| !is_used[axis]).map(|axis| (tensor.shape[axis], stride(axis))).collect();
    let (rows, columns) = match *left {
        [rows, columns] if !pick.role.is_bias() => (rows, columns),
        [columns] if pick.role.is_bias() => ((1, 0), columns),
        _ => {
            let found = if left.is_empty() {
                "0".to_owned()
            } else {
                shape_text(&left.iter().map(|l| l.0).collect::<Vec<_>>())
            };
            let expected = if pick.role.is_bias() { "n" } else { "n×m" }.to_owned();
            return Err(TakeError::Rank { place: place(), found, expected });
        }
    };
    let (rows, columns) = if pick.transpose && !pick.role.is_bias() { (columns, rows) } else { (rows, columns) };
    let heads = pick.head.map_or((1, 0), |axis| (tensor.shape[axis], stride(axis)));
    if heads.0 == 0 {
        return Err(TakeError::OutOfRange {
            place: place(), found: "h = 0".to_owned(), expected: "h ≥ 1".to_owned()
        });
    }
    Ok(Layout { offset, rows, columns, heads })
}

/// Rows × columns of one head as the file holds them, before any swap and range.
///
/// # Errors
/// When the axes do not fit the tensor.
pub fn shape_before(tensor: &Tensor, pick: &Pick) -> Result<(usize, usize), TakeError> {
    let stored = layout(tensor, &Pick { transpose: false, ..pick.clone() })?;
    Ok((stored.rows.0, stored.columns.0))
}

/// Rows × columns of the matrix that the problem gets: swapped, cut to the ranges, heads side by side.
///
/// # Errors
/// As `to_matrix`, but for the numbers, which are not looked at.
///
/// ```
/// # use attnlab::exchange::{guess, shape_after, shape_before, Element, Tensor};
/// let name = "layers.0.q_proj.weight".to_owned();
/// let tensor = Tensor { name, shape: vec![3, 2], element: Element::F32, values: vec![0.0; 6] };
/// let pick = guess(&tensor).unwrap();
/// assert_eq!((shape_before(&tensor, &pick), shape_after(&tensor, &pick)), (Ok((3, 2)), Ok((2, 3))));
/// ```
pub fn shape_after(tensor: &Tensor, pick: &Pick) -> Result<(usize, usize), TakeError> {
    let layout = layout(tensor, pick)?;
    for (range, (size, _)) in [(&pick.rows, layout.rows), (&pick.columns, layout.columns)] {
        if range.is_empty() || range.end > size {
            let (found, expected) = (shown(range.clone()), shown(0..size));
            return Err(TakeError::OutOfRange { place: tensor.name.clone(), found, expected });
        }
    }
    let heads = layout.heads.0;
    let (beside, below) = if pick.role == Role::WO { (1, heads) } else { (heads, 1) };
    let shape = (pick.rows.len().saturating_mul(below), pick.columns.len().saturating_mul(beside));
    let most_rows = if pick.role.is_of_tokens() { MOST_TOKENS } else { MOST_WIDTH };
    let limits = [(heads.max(pick.heads), MOST_HEADS), (shape.0, most_rows), (shape.1, MOST_WIDTH)];
    let names = ["h", "n", "m"];
    match limits.into_iter().zip(names).find(|((found, most), _)| found > most) {
        None => Ok(shape),
        Some(((found, most), name)) => {
            let (found, expected) = (format!("{name} = {found}"), format!("{name} ≤ {most}"));
            Err(TakeError::TooLarge { place: tensor.name.clone(), found, expected })
        }
    }
}

/// The matrix of a pick, heads side by side, and how many heads these are.
///
/// # Errors
/// When the axes, an index or a range do not fit the tensor, when it is over a limit of the problem, or a number that
/// is taken is not finite.
pub fn to_matrix(tensor: &Tensor, pick: &Pick) -> Result<(Matrix, usize), TakeError> {
    let (rows, columns) = shape_after(tensor, pick)?;
    let layout = layout(tensor, pick)?;
    let at = |row: usize, column: usize| {
        let (row_head, row) = (row / pick.rows.len(), row % pick.rows.len());
        let (column_head, column) = (column / pick.columns.len(), column % pick.columns.len());
        let (row, column) = (pick.rows.start + row, pick.columns.start + column);
        layout.offset + (row_head + column_head) * layout.heads.1 + row * layout.rows.1 + column * layout.columns.1
    };
    let matrix = Matrix::from_fn(rows, columns, |row, column| tensor.values[at(row, column)]);
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let value = matrix[(row, column)];
        if !value.is_finite() {
            return Err(TakeError::NotFinite { place: indexed(tensor, at(row, column)), found: value.to_string() });
        }
    }
    Ok((matrix, pick.head.map_or(pick.heads.max(1), |axis| tensor.shape[axis])))
}

/// `q[0, 3, 1]`.
pub(super) fn indexed(tensor: &Tensor, mut at: usize) -> String {
    let mut indices = Vec::new();
    for &size in tensor.shape.iter().rev() {
        indices.push((at % size).to_string());
        at /= size;
    }
    indices.reverse();
    format!("{}[{}]", tensor.name, indices.join(", "))
}

pub(super) fn shown(range: Range<usize>) -> String {
    format!("{}…{}", range.start, range.end.saturating_sub(1))
}
