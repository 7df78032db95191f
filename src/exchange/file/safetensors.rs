//! `.safetensors`, the file of weights of Hugging Face.

use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors};

use super::{FileError, MOST_ELEMENTS, MOST_TENSORS, count, damaged, too_large};
use crate::exchange::tensor::{Element, Tensor, element_keys, name_text};

/// The format has no magic bytes: the length of a header that fits, then the header's brace.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else { return false };
    rest.first() == Some(&b'{') && u64::from_le_bytes(*length) <= rest.len() as u64
}

pub(super) fn read(place: &str, bytes: &[u8]) -> Result<Vec<Tensor>, FileError> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| damaged(place, error))?;
    if file.len() > MOST_TENSORS {
        return Err(too_large(place, &file.len().to_string(), MOST_TENSORS));
    }
    let mut views: Vec<_> = file.iter().collect();
    views.sort_by_key(|&(name, _)| name);
    let mut left = MOST_ELEMENTS;
    let mut tensors = Vec::with_capacity(views.len());
    for (full_name, view) in views {
        let name = name_text(full_name);
        let shape = view.shape().to_vec();
        left -= count(&name, &shape, left)?;
        let data = view.data();
        let (element, values) = match view.dtype() {
            Dtype::F16 => (Element::F16, numbers(data, |bytes| f16::from_le_bytes(bytes).to_f64())),
            Dtype::BF16 => (Element::Bf16, numbers(data, |bytes| bf16::from_le_bytes(bytes).to_f64())),
            Dtype::F32 => (Element::F32, numbers(data, |bytes| f32::from_le_bytes(bytes).into())),
            Dtype::F64 => (Element::F64, numbers(data, f64::from_le_bytes)),
            Dtype::I8 => (Element::I8, numbers(data, |bytes| i8::from_le_bytes(bytes).into())),
            Dtype::I16 => (Element::I16, numbers(data, |bytes| i16::from_le_bytes(bytes).into())),
            Dtype::I32 => (Element::I32, numbers(data, |bytes| i32::from_le_bytes(bytes).into())),
            Dtype::I64 => (Element::I64, numbers(data, |bytes| i64::from_le_bytes(bytes) as f64)),
            Dtype::U8 => (Element::U8, numbers(data, |bytes| u8::from_le_bytes(bytes).into())),
            Dtype::U16 => (Element::U16, numbers(data, |bytes| u16::from_le_bytes(bytes).into())),
            Dtype::U32 => (Element::U32, numbers(data, |bytes| u32::from_le_bytes(bytes).into())),
            Dtype::U64 => (Element::U64, numbers(data, |bytes| u64::from_le_bytes(bytes) as f64)),
            Dtype::BOOL => (Element::Bool, numbers(data, |[byte]: [u8; 1]| f64::from(u8::from(byte != 0)))),
            other => {
                let found = other.to_string();
                return Err(FileError::UnsupportedElement { place: name, found, expected: element_keys() });
            }
        };
        tensors.push(Tensor { name, shape, element, values });
    }
    Ok(tensors)
}

fn numbers<const N: usize>(data: &[u8], widen: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    data.as_chunks::<N>().0.iter().map(|&bytes| widen(bytes)).collect()
}
