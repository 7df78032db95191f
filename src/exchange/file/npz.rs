//! `.npz`, a zip archive of `.npy` files.

use std::io::{Cursor, Read};

use super::{FileError, MOST_ELEMENTS, MOST_TENSORS, damaged, npy, too_large};
use crate::exchange::tensor::{Tensor, name_text};

/// The most bytes of all arrays together after unpacking: a zip bomb claims more, or is cut off here.
const MOST_UNPACKED: u64 = 8 * MOST_ELEMENTS as u64 + (1 << 20);

pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

pub(super) fn read(place: &str, bytes: &[u8]) -> Result<Vec<Tensor>, FileError> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(place, error))?;
    if archive.len() > MOST_TENSORS {
        return Err(too_large(place, &archive.len().to_string(), MOST_TENSORS));
    }
    let mut tensors = Vec::with_capacity(archive.len());
    let (mut unpacked_before, mut elements_left) = (0, MOST_ELEMENTS);
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| damaged(place, error))?;
        let entry_name = name_text(entry.name());
        let Some(name) = entry_name.strip_suffix(".npy") else {
            // A PyTorch checkpoint is a zip archive too, of a program in pickle: it is not run here.
            return Err(FileError::UnknownKind { place: entry_name, expected: ".npy".to_owned() });
        };
        let left = MOST_UNPACKED - unpacked_before;
        if entry.size() > left {
            return Err(too_large(name, &format!("{} bytes", entry.size()), MOST_UNPACKED as usize));
        }
        // The archive may lie about the size, so what comes out is counted too.
        let mut unpacked = Vec::new();
        entry.take(left + 1).read_to_end(&mut unpacked).map_err(|error| damaged(name, error))?;
        unpacked_before += unpacked.len() as u64;
        if unpacked_before > MOST_UNPACKED {
            return Err(too_large(name, "> bytes", MOST_UNPACKED as usize));
        }
        if !npy::begins(&unpacked) {
            return Err(damaged(name, ".npy"));
        }
        let tensor = npy::read(name, &unpacked, elements_left)?;
        elements_left -= tensor.values.len();
        tensors.push(tensor);
    }
    Ok(tensors)
}
