//! `.safetensors`, the file of weights of Hugging Face.

use safetensors::{Dtype, SafeTensors};

use super::{FileError, MOST_ELEMENTS, MOST_TENSORS, count, damaged, too_large};
use crate::exchange::tensor::{Element, Tensor, element_keys, name_text};

/// The format has no magic bytes: the length of a header, below 4 GB and so with zero bytes that no text has, then the
/// header's brace.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else { return false };
    rest.first() == Some(&b'{') && length.ends_with(&[0; 4])
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
        let element = match view.dtype() {
            Dtype::F16 => Element::F16,
            Dtype::BF16 => Element::Bf16,
            Dtype::F32 => Element::F32,
            Dtype::F64 => Element::F64,
            Dtype::I8 => Element::I8,
            Dtype::I16 => Element::I16,
            Dtype::I32 => Element::I32,
            Dtype::I64 => Element::I64,
            Dtype::U8 => Element::U8,
            Dtype::U16 => Element::U16,
            Dtype::U32 => Element::U32,
            Dtype::U64 => Element::U64,
            Dtype::BOOL => Element::Bool,
            other => {
                let found = other.to_string();
                return Err(FileError::UnsupportedElement { place: name, found, expected: element_keys() });
            }
        };
        tensors.push(Tensor { name, shape, element, values: element.numbers(view.data()) });
    }
    Ok(tensors)
}
