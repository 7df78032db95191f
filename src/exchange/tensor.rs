//! Numbers with a name and any number of axes, as files of programs hold them.

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
