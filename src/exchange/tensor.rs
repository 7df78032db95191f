//! Numbers with a name and any number of axes, as files of programs hold them.

use half::{bf16, f16};

/// An array from a file. Its values may be infinite or NaN: only what is taken into a problem must be finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub name: String,
    /// The size of each axis; none for a single number.
    pub shape: Vec<usize>,
    /// How the file stored the numbers.
    pub element: Element,
    /// Row-major: the last axis runs fastest. As many as the product of `shape`.
    pub values: Vec<f64>,
}

/// The kind of number that a file stores. All become f64; of the integers of 64 bits those beyond 2⁵³ are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
}

impl Element {
    pub const ALL: [Element; 13] = [
        Element::F16,
        Element::Bf16,
        Element::F32,
        Element::F64,
        Element::I8,
        Element::I16,
        Element::I32,
        Element::I64,
        Element::U8,
        Element::U16,
        Element::U32,
        Element::U64,
        Element::Bool,
    ];

    /// Its short name, the same in every language.
    pub fn key(self) -> &'static str {
        match self {
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::I8 => "i8",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::I64 => "i64",
            Element::U8 => "u8",
            Element::U16 => "u16",
            Element::U32 => "u32",
            Element::U64 => "u64",
            Element::Bool => "bool",
        }
    }

    /// The bytes of one number.
    pub(super) fn size(self) -> usize {
        match self {
            Element::I8 | Element::U8 | Element::Bool => 1,
            Element::F16 | Element::Bf16 | Element::I16 | Element::U16 => 2,
            Element::F32 | Element::I32 | Element::U32 => 4,
            Element::F64 | Element::I64 | Element::U64 => 8,
        }
    }

    /// Numbers stored one after the other, the lowest byte of each first.
    pub(super) fn numbers(self, bytes: &[u8]) -> Vec<f64> {
        match self {
            Element::F16 => widen(bytes, |bytes| f16::from_le_bytes(bytes).to_f64()),
            Element::Bf16 => widen(bytes, |bytes| bf16::from_le_bytes(bytes).to_f64()),
            Element::F32 => widen(bytes, |bytes| f32::from_le_bytes(bytes).into()),
            Element::F64 => widen(bytes, f64::from_le_bytes),
            Element::I8 => widen(bytes, |bytes| i8::from_le_bytes(bytes).into()),
            Element::I16 => widen(bytes, |bytes| i16::from_le_bytes(bytes).into()),
            Element::I32 => widen(bytes, |bytes| i32::from_le_bytes(bytes).into()),
            Element::I64 => widen(bytes, |bytes| i64::from_le_bytes(bytes) as f64),
            Element::U8 => widen(bytes, |bytes| u8::from_le_bytes(bytes).into()),
            Element::U16 => widen(bytes, |bytes| u16::from_le_bytes(bytes).into()),
            Element::U32 => widen(bytes, |bytes| u32::from_le_bytes(bytes).into()),
            Element::U64 => widen(bytes, |bytes| u64::from_le_bytes(bytes) as f64),
            Element::Bool => widen(bytes, |[byte]: [u8; 1]| f64::from(u8::from(byte != 0))),
        }
    }
}

fn widen<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    bytes.as_chunks::<N>().0.iter().map(|&bytes| number(bytes)).collect()
}

/// Every name, for an error that says what could have been read.
pub(super) fn element_keys() -> String {
    Element::ALL.map(Element::key).join(", ")
}

/// `12×197×64`; `1` for a single number.
pub(super) fn shape_text(shape: &[usize]) -> String {
    if shape.is_empty() { "1".to_owned() } else { shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("×") }
}

/// A name of bounded length. Long names differ at their ends: `…layers.11.self_attn.q_proj.weight`.
pub(super) fn name_text(name: &str) -> String {
    const MOST: usize = 200;
    let length = name.chars().count();
    if length <= MOST { name.to_owned() } else { ['…'].into_iter().chain(name.chars().skip(length - MOST)).collect() }
}
