//! `.npy`, NumPy's file of one array: `numpy.lib.format` says how it is made.
//!
//! Its header is the text of a Python dictionary. Only what NumPy writes there is read, not any Python literal.

use super::{FileError, count, damaged};
use crate::exchange::tensor::{Element, Tensor, element_keys};

const MAGIC: &[u8] = b"\x93NUMPY";
/// NumPy itself refuses a longer header.
const LONGEST_HEADER: usize = 10_000;
/// The header is filled up with blanks so that the numbers after it begin at a multiple of this.
const ALIGNMENT: usize = 64;

pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads one array of at most `most` numbers. Columns first (Fortran order) become rows first.
pub(super) fn read(name: &str, bytes: &[u8], most: usize) -> Result<Tensor, FileError> {
    let (header, data) = split(bytes).map_err(|found| damaged(name, found))?;
    let unsupported = |found: &str| FileError::UnsupportedElement {
        place: name.to_owned(),
        found: found.to_owned(),
        expected: element_keys(),
    };
    // A list describes several numbers in one.
    if header.contains('[') {
        return Err(unsupported("[ … ]"));
    }
    let Header { shape, kind, is_fortran } = Header::read(header).ok_or_else(|| damaged(name, header))?;
    let count = count(name, &shape, most)?;
    let (element, is_big_endian) = element(kind).ok_or_else(|| unsupported(&format!("'{kind}'")))?;
    let Some(numbers) = data.get(..count * element.size()) else {
        return Err(damaged(name, format!("{} bytes, expected {}", data.len(), count * element.size())));
    };
    let values = match is_big_endian {
        true => element.numbers(&turned(numbers, element.size())),
        false => element.numbers(numbers),
    };
    let values = if is_fortran { rows_first(&shape, &values) } else { values };
    Ok(Tensor { name: name.to_owned(), shape, element, values })
}

/// The header, and what follows it; or what is wrong.
fn split(bytes: &[u8]) -> Result<(&str, &[u8]), String> {
    let (start, length) = match *bytes {
        [_, _, _, _, _, _, 1, _, low, high, ..] => (10, usize::from(u16::from_le_bytes([low, high]))),
        [_, _, _, _, _, _, 2 | 3, _, a, b, c, d, ..] => {
            (12, usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX))
        }
        [_, _, _, _, _, _, version, ..] => return Err(format!("version {version}, expected 1, 2 or 3")),
        _ => return Err("no version".to_owned()),
    };
    if length > LONGEST_HEADER {
        return Err(format!("a header of {length} bytes, expected at most {LONGEST_HEADER}"));
    }
    let rest = &bytes[start..];
    let short = || format!("{} bytes of a header of {length}", rest.len());
    let (header, data) = rest.split_at_checked(length).ok_or_else(short)?;
    Ok((std::str::from_utf8(header).map_err(|why| format!("a header that is no text: {why}"))?, data))
}

/// What the dictionary of a header says.
struct Header<'a> {
    shape: Vec<usize>,
    /// As `<f8`.
    kind: &'a str,
    is_fortran: bool,
}

impl<'a> Header<'a> {
    /// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`, its keys in any order, each once.
    fn read(header: &'a str) -> Option<Self> {
        let mut rest = header.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        let (mut shape, mut kind, mut is_fortran) = (None, None, None);
        while !rest.is_empty() {
            let (key, after) = quoted(rest)?;
            let after = after.trim_start().strip_prefix(':')?.trim_start();
            let after = match key {
                "descr" if kind.is_none() => {
                    let (text, after) = quoted(after)?;
                    kind = Some(text);
                    after
                }
                "fortran_order" if is_fortran.is_none() => {
                    let (value, length) = if after.starts_with("True") { (true, 4) } else { (false, 5) };
                    is_fortran = Some(value);
                    after.strip_prefix("True").or_else(|| after.strip_prefix("False"))?;
                    &after[length..]
                }
                "shape" if shape.is_none() => {
                    let (inner, after) = after.strip_prefix('(')?.split_once(')')?;
                    let sizes = inner.split(',').map(str::trim).filter(|size| !size.is_empty());
                    shape = Some(sizes.map(size).collect::<Option<_>>()?);
                    after
                }
                _ => return None,
            };
            let after = after.trim_start();
            rest = if after.is_empty() { after } else { after.strip_prefix(',')?.trim_start() };
        }
        Some(Header { shape: shape?, kind: kind?, is_fortran: is_fortran? })
    }
}

/// The size of an axis; one that no machine has room for is the largest there is. Python 2 wrote `3L`.
fn size(text: &str) -> Option<usize> {
    let digits = text.strip_suffix('L').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// A text in quotes, which Python knows two of, and what follows it. None that NumPy writes here has an escape.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    text[1..].split_once(quote).filter(|(inner, _)| !inner.contains('\\'))
}

/// What numbers a `descr` names, and whether their highest byte comes first.
fn element(kind: &str) -> Option<(Element, bool)> {
    let element = match kind.strip_prefix(['<', '>', '|']).unwrap_or(kind) {
        "f2" => Element::F16,
        // NumPy has no name for it: two bytes of anything.
        "V2" => Element::Bf16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        "i1" => Element::I8,
        "i2" => Element::I16,
        "i4" => Element::I32,
        "i8" => Element::I64,
        "u1" => Element::U8,
        "u2" => Element::U16,
        "u4" => Element::U32,
        "u8" => Element::U64,
        "b1" => Element::Bool,
        _ => return None,
    };
    Some((element, kind.starts_with('>')))
}

/// Each number's bytes the other way around.
fn turned(data: &[u8], size: usize) -> Vec<u8> {
    data.chunks_exact(size).flat_map(|number| number.iter().rev().copied()).collect()
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

/// A matrix as NumPy writes it, `<f8`, by rows.
pub(in crate::exchange) fn write(rows: usize, columns: usize, values: impl Iterator<Item = f64>) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let before = MAGIC.len() + 4;
    let length = (before + header.len() + 1).next_multiple_of(ALIGNMENT) - before;
    let mut bytes = [MAGIC, b"\x01\x00", &(length as u16).to_le_bytes()].concat();
    bytes.extend(format!("{header:<width$}\n", width = length - 1).bytes());
    bytes.extend(values.flat_map(f64::to_le_bytes));
    bytes
}
