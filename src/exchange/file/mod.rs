//! A file of numbers: `.npy`, `.npz`, `.safetensors`, `.json`, `.csv`, or any text that `read_block` knows.
//!
//! What a file is, its first bytes say; its extension is not believed. Nothing in a file is ever executed, and
//! work is bounded by the constants here, whatever the file claims of itself.

mod json;
pub(super) mod npy;
mod npz;
mod safetensors;
mod table;

use super::block::BlockError;
use super::tensor::Tensor;
use crate::attention::{Problem, ProblemError};

/// The longest file: 64 MiB. A text has the limit of the problem file, 16 MiB.
pub const MOST_FILE_BYTES: usize = 64 << 20;
/// The most tensors of a file.
pub const MOST_TENSORS: usize = 4096;
/// The most numbers of all tensors of a file together.
pub const MOST_ELEMENTS: usize = 1 << 23;
/// The most axes of a tensor.
pub const MOST_AXES: usize = 8;

/// What a file held.
#[derive(Clone, Debug, PartialEq)]
pub enum FileContent {
    /// A problem file: JSON with a key `format`.
    Problem(Box<Problem>),
    /// In the order of the file; those of `.safetensors` and JSON, which have none, by name.
    Tensors(Vec<Tensor>),
}

/// Why a file is none that can be read. `place` is the file's name, or the name of a tensor within it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileError {
    #[error("{place}: there are no numbers")]
    Empty { place: String },
    #[error("{place}: found {found}, expected at most {expected}")]
    TooLarge { place: String, found: String, expected: String },
    #[error("{place} is none of {expected}")]
    UnknownKind { place: String, expected: String },
    /// The file breaks off or contradicts itself; `found` is the reader's own account.
    #[error("{place} is damaged: {found}")]
    Damaged { place: String, found: String },
    #[error("{place} holds {found}, expected one of {expected}")]
    UnsupportedElement { place: String, found: String, expected: String },
    #[error("{place}: found {found}, expected a number")]
    NotANumber { place: String, found: String },
    #[error("{place}: found {found}, expected {expected} as in the first")]
    Ragged { place: String, found: String, expected: String },
    /// A problem file with errors.
    #[error("{}", problem_text(.0))]
    Problem(Vec<ProblemError>),
    /// A text with numbers that is no block.
    #[error("{0}")]
    Block(#[from] BlockError),
}

fn problem_text(errors: &[ProblemError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl FileError {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 9] = [
        "empty",
        "too-large",
        "unknown-kind",
        "damaged",
        "unsupported-element",
        "not-a-number",
        "ragged",
        "problem",
        "block",
    ];

    /// The name under which translations are found, as `file-<key>`. The last two have errors of their own to show.
    pub fn key(&self) -> &'static str {
        match self {
            FileError::Empty { .. } => "empty",
            FileError::TooLarge { .. } => "too-large",
            FileError::UnknownKind { .. } => "unknown-kind",
            FileError::Damaged { .. } => "damaged",
            FileError::UnsupportedElement { .. } => "unsupported-element",
            FileError::NotANumber { .. } => "not-a-number",
            FileError::Ragged { .. } => "ragged",
            FileError::Problem(_) => "problem",
            FileError::Block(_) => "block",
        }
    }

    /// What a translation fills in: `place`, `found`, `expected`, each where there is one.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            FileError::Empty { place } => vec![("place", place.clone())],
            FileError::UnknownKind { place, expected } => {
                vec![("place", place.clone()), ("expected", expected.clone())]
            }
            FileError::Damaged { place, found } | FileError::NotANumber { place, found } => {
                vec![("place", place.clone()), ("found", found.clone())]
            }
            FileError::TooLarge { place, found, expected }
            | FileError::UnsupportedElement { place, found, expected }
            | FileError::Ragged { place, found, expected } => {
                vec![("place", place.clone()), ("found", found.clone()), ("expected", expected.clone())]
            }
            FileError::Problem(errors) => vec![("found", errors.len().to_string())],
            FileError::Block(error) => vec![("found", error.to_string())],
        }
    }
}

/// Reads a file of any kind; `name` names its one tensor where the file itself does not.
///
/// # Errors
/// When it is of no kind that is known, damaged, larger than a limit, or a problem file with errors.
///
/// ```
/// # use attnlab::exchange::{read_file, FileContent};
/// let FileContent::Tensors(tensors) = read_file("heads.json", b"[[[1, 2]], [[3, 4]]]").unwrap() else { panic!() };
/// assert_eq!((tensors[0].name.as_str(), tensors[0].shape.as_slice()), ("heads", &[2, 1, 2][..]));
/// let error = read_file("q.npy", b"\x93NUMPY\x01\x00").unwrap_err();
/// assert_eq!(error.key(), "damaged");
/// ```
pub fn read_file(name: &str, bytes: &[u8]) -> Result<FileContent, FileError> {
    let place = super::tensor::name_text(name);
    if bytes.len() > MOST_FILE_BYTES {
        return Err(too_large(&place, &format!("{} bytes", bytes.len()), MOST_FILE_BYTES));
    }
    let stem = stem(&place);
    let tensors = if npy::begins(bytes) {
        vec![npy::read(stem, bytes, MOST_ELEMENTS)?]
    } else if npz::begins(bytes) {
        npz::read(&place, bytes)?
    } else if safetensors::begins(bytes) {
        safetensors::read(&place, bytes)?
    } else {
        match std::str::from_utf8(bytes) {
            Ok(text) => return read_text(&place, text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(_) => {
                let expected = ".npy, .npz, .safetensors, .json, .csv".to_owned();
                return Err(FileError::UnknownKind { place, expected });
            }
        }
    };
    if tensors.is_empty() { Err(FileError::Empty { place }) } else { Ok(FileContent::Tensors(tensors)) }
}

fn read_text(place: &str, text: &str) -> Result<FileContent, FileError> {
    if text.len() > crate::attention::MOST_BYTES {
        return Err(too_large(place, &format!("{} bytes", text.len()), crate::attention::MOST_BYTES));
    }
    match json::read(place, text) {
        Some(content) => content,
        None => table::read(stem(place), text, place.to_ascii_lowercase().ends_with(".csv"))
            .map(|tensor| FileContent::Tensors(vec![tensor])),
    }
}

/// The name without its extension.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// How many numbers a shape has, when they are within `most`; checked before anything is allocated for them.
fn count(place: &str, shape: &[usize], most: usize) -> Result<usize, FileError> {
    if shape.len() > MOST_AXES {
        return Err(too_large(place, &format!("{} axes", shape.len()), MOST_AXES));
    }
    let count = shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
    match count {
        Some(0) => Err(FileError::Empty { place: place.to_owned() }),
        Some(count) if count <= most => Ok(count),
        _ => Err(too_large(place, &super::tensor::shape_text(shape), MOST_ELEMENTS)),
    }
}

fn too_large(place: &str, found: &str, most: usize) -> FileError {
    FileError::TooLarge { place: place.to_owned(), found: found.to_owned(), expected: most.to_string() }
}

fn damaged(place: &str, found: impl ToString) -> FileError {
    FileError::Damaged { place: place.to_owned(), found: super::number::cut(&found.to_string()) }
}
