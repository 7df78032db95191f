//! `.npy`, NumPy's file of one array.
//!
//! The crate npyz reads it, once its header has been found harmless: npyz multiplies the sizes of a shape without
//! asking whether the product fits, and parses any Python literal, however deep.

use half::{bf16, f16};
use npyz::{DType, Deserialize, NpyFile, Order, TypeChar};

use super::{FileError, count, damaged};
use crate::exchange::tensor::{Element, Tensor, element_keys};

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy itself refuses a longer header.
const LONGEST_HEADER: usize = 10_000;

pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads one array of at most `most` numbers. Columns first (Fortran order) become rows first. Two raw bytes
/// (`V2`) are a bfloat16, which NumPy has no name for.
pub(super) fn read(name: &str, bytes: &[u8], most: usize) -> Result<Tensor, FileError> {
    let (shape, stored) = shape(name, bytes)?;
    let count = count(name, &shape, most)?;
    let file = NpyFile::new(bytes).map_err(|error| damaged(name, error))?;
    if file.shape().iter().map(|&size| usize::try_from(size).ok()).ne(shape.iter().copied().map(Some)) {
        return Err(damaged(name, "shape"));
    }
    let dtype = file.dtype();
    let unsupported =
        || FileError::UnsupportedElement { place: name.to_owned(), found: dtype.descr(), expected: element_keys() };
    let DType::Plain(plain) = &dtype else { return Err(unsupported()) };
    let size = plain.size_field();
    let is_short =
        usize::try_from(size).ok().and_then(|size| size.checked_mul(count)).is_none_or(|bytes| bytes > stored);
    if is_short {
        return Err(damaged(name, format!("< {count} × {size} bytes")));
    }
    let order = file.order();
    let (element, values) = match (plain.type_char(), size) {
        (TypeChar::Float, 2) => (Element::F16, numbers(name, file, f16::to_f64)?),
        (TypeChar::Float, 4) => (Element::F32, numbers::<f32>(name, file, f64::from)?),
        (TypeChar::Float, 8) => (Element::F64, numbers::<f64>(name, file, |value| value)?),
        (TypeChar::Int, 1) => (Element::I8, numbers::<i8>(name, file, f64::from)?),
        (TypeChar::Int, 2) => (Element::I16, numbers::<i16>(name, file, f64::from)?),
        (TypeChar::Int, 4) => (Element::I32, numbers::<i32>(name, file, f64::from)?),
        (TypeChar::Int, 8) => (Element::I64, numbers::<i64>(name, file, |value| value as f64)?),
        (TypeChar::Uint, 1) => (Element::U8, numbers::<u8>(name, file, f64::from)?),
        (TypeChar::Uint, 2) => (Element::U16, numbers::<u16>(name, file, f64::from)?),
        (TypeChar::Uint, 4) => (Element::U32, numbers::<u32>(name, file, f64::from)?),
        (TypeChar::Uint, 8) => (Element::U64, numbers::<u64>(name, file, |value| value as f64)?),
        (TypeChar::Bool, 1) => (Element::Bool, numbers::<bool>(name, file, |value| f64::from(u8::from(value)))?),
        (TypeChar::RawData, 2) => {
            let pairs = file.into_inner().chunks_exact(2).take(count);
            (Element::Bf16, pairs.map(|pair| bf16::from_le_bytes([pair[0], pair[1]]).to_f64()).collect())
        }
        _ => return Err(unsupported()),
    };
    if values.len() != count {
        return Err(damaged(name, format!("{} < {count}", values.len())));
    }
    let values = if order == Order::Fortran { rows_first(&shape, &values) } else { values };
    Ok(Tensor { name: name.to_owned(), shape, element, values })
}

fn numbers<T: Deserialize>(name: &str, file: NpyFile<&[u8]>, widen: fn(T) -> f64) -> Result<Vec<f64>, FileError> {
    let data = file.data::<T>().map_err(|error| damaged(name, error))?;
    data.map(|value| value.map(widen)).collect::<Result<_, _>>().map_err(|error| damaged(name, error))
}

/// The shape that the header states, and how many bytes follow it. Whatever else stands in it has no brackets and no escapes, so that the one
/// pair of brackets is the shape.
fn shape(name: &str, bytes: &[u8]) -> Result<(Vec<usize>, usize), FileError> {
    let (start, length) = match *bytes {
        [_, _, _, _, _, _, 1, _, low, high, ..] => (10, usize::from(u16::from_le_bytes([low, high]))),
        [_, _, _, _, _, _, 2 | 3, _, a, b, c, d, ..] => {
            (12, usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX))
        }
        _ => return Err(damaged(name, "version")),
    };
    let header = bytes[start..].get(..length.min(LONGEST_HEADER + 1));
    let header = header.and_then(|header| std::str::from_utf8(header).ok());
    let Some(header) = header.filter(|header| header.len() == length && length <= LONGEST_HEADER) else {
        return Err(damaged(name, "header"));
    };
    if header.contains('[') {
        let found = "[ … ]".to_owned();
        return Err(FileError::UnsupportedElement { place: name.to_owned(), found, expected: element_keys() });
    }
    let is_plain = header.matches('(').count() == 1 && header.matches(')').count() == 1 && !header.contains('\\');
    let inner = header.split_once('(').and_then(|(_, rest)| rest.split_once(')')).filter(|_| is_plain);
    let Some((inner, _)) = inner else { return Err(damaged(name, header)) };
    let sizes = inner.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = sizes.map(|size| size.parse().map_err(|_| damaged(name, header))).collect::<Result<_, _>>()?;
    Ok((shape, bytes.len() - start - length))
}

/// Numbers whose first axis runs fastest, put into the order in which the last one does.
fn rows_first(shape: &[usize], values: &[f64]) -> Vec<f64> {
    let mut index = vec![0; shape.len()];
    let mut ordered = Vec::with_capacity(values.len());
    for _ in values {
        let at = shape.iter().zip(&index).rev().fold(0, |at, (&size, &position)| at * size + position);
        ordered.push(values[at]);
        for (position, &size) in index.iter_mut().zip(shape).rev() {
            *position += 1;
            if *position < size {
                break;
            }
            *position = 0;
        }
    }
    ordered
}
