//! What can be wrong with a problem, as data: where, what was found, what was expected.
//!
//! `Display` is English. A page in another language takes `key` and `args` instead: found and expected are in a
//! notation ("3×2", "0…511", "[[0.5, …], …]") that needs no translation.

/// One thing that is wrong, and where: `inputs.k[2][1]`, `mask.window.left`, `heads`; for an overflow the step, `scores/0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemError {
    /// Empty for the text as a whole.
    pub place: String,
    pub kind: ErrorKind,
}

impl std::fmt::Display for ProblemError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.place.is_empty() { write!(f, "{}", self.kind) } else { write!(f, "{}: {}", self.place, self.kind) }
    }
}

impl std::error::Error for ProblemError {}

/// The kinds of error, each with what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// The text is not JSON; `found` is the reader's own account.
    #[error("this is not JSON: {found} (line {line}, column {column})")]
    NotJson { found: String, line: usize, column: usize },
    #[error("unknown format {found}, expected {expected}")]
    UnknownFormat { found: String, expected: String },
    #[error("unknown key {found}, expected one of {expected}")]
    UnknownKey { found: String, expected: String },
    #[error("{expected} is missing")]
    Missing { expected: String },
    #[error("found {found}, expected something like {expected}")]
    WrongType { found: String, expected: String },
    #[error("found {found}, expected one of {expected}")]
    UnknownValue { found: String, expected: String },
    /// Both input forms at once.
    #[error("found {found}: expected only one of the two forms {expected}")]
    TwoForms { found: String, expected: String },
    #[error("this row has {found} numbers, expected {expected} as in row 0")]
    Ragged { found: usize, expected: usize },
    /// Rows × columns; a side that may be anything is written `·`.
    #[error("the shape is {found}, expected {expected}")]
    Shape { found: String, expected: String },
    #[error("the length is {found}, expected {expected}")]
    Length { found: usize, expected: String },
    #[error("found {found}, expected a finite number")]
    NotFinite { found: String },
    #[error("found {found}, expected {expected}")]
    OutOfRange { found: String, expected: String },
    #[error("{found} cannot be divided by {expected}")]
    NotDivisible { found: usize, expected: usize },
    #[error("{found} needs {expected}, which is not there")]
    Needs { found: String, expected: String },
    /// A key that a variant does not take.
    #[error("{expected} takes no {found}")]
    NotTaken { found: String, expected: String },
    /// A learned encoding ends where its training ended.
    #[error("{found} tokens, but the table of positions ends after {expected}: there is no row for the next one")]
    BeyondTable { found: usize, expected: usize },
    #[error("the step {found} overflows: its numbers are no longer finite")]
    Overflow { found: String },
    /// Block by block, only exponentials can be brought under a new maximum.
    #[error("block by block a running maximum rescales exponentials, and {found} has none: expected {expected}")]
    NoExponentials { found: String, expected: String },
    /// Block by block, a mask after the softmax comes too late.
    #[error(
        "block by block no row of weights is ever there as a whole, so nothing can be zeroed after the softmax: found {found}, expected {expected}"
    )]
    NoRowOfWeights { found: String, expected: String },
    /// A cache grows with the sequence that asks.
    #[error(
        "token by token a cache grows with the sequence that asks; in cross attention ({found}) all keys are there from the start"
    )]
    NotSelfAttention { found: String },
    /// Decoding needs a key for every token.
    #[error("found {found} keys, expected at least {expected}: token by token, every token brings its own")]
    KeysMissing { found: usize, expected: usize },
}

impl ErrorKind {
    /// The name under which translations are found, as `error-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            ErrorKind::NotJson { .. } => "not-json",
            ErrorKind::UnknownFormat { .. } => "unknown-format",
            ErrorKind::UnknownKey { .. } => "unknown-key",
            ErrorKind::Missing { .. } => "missing",
            ErrorKind::WrongType { .. } => "wrong-type",
            ErrorKind::UnknownValue { .. } => "unknown-value",
            ErrorKind::TwoForms { .. } => "two-forms",
            ErrorKind::Ragged { .. } => "ragged",
            ErrorKind::Shape { .. } => "shape",
            ErrorKind::Length { .. } => "length",
            ErrorKind::NotFinite { .. } => "not-finite",
            ErrorKind::OutOfRange { .. } => "out-of-range",
            ErrorKind::NotDivisible { .. } => "not-divisible",
            ErrorKind::Needs { .. } => "needs",
            ErrorKind::NotTaken { .. } => "not-taken",
            ErrorKind::BeyondTable { .. } => "beyond-table",
            ErrorKind::Overflow { .. } => "overflow",
            ErrorKind::NoExponentials { .. } => "no-exponentials",
            ErrorKind::NoRowOfWeights { .. } => "no-row-of-weights",
            ErrorKind::NotSelfAttention { .. } => "not-self-attention",
            ErrorKind::KeysMissing { .. } => "keys-missing",
        }
    }

    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 21] = [
        "not-json",
        "unknown-format",
        "unknown-key",
        "missing",
        "wrong-type",
        "unknown-value",
        "two-forms",
        "ragged",
        "shape",
        "length",
        "not-finite",
        "out-of-range",
        "not-divisible",
        "needs",
        "not-taken",
        "beyond-table",
        "overflow",
        "no-exponentials",
        "no-row-of-weights",
        "not-self-attention",
        "keys-missing",
    ];

    /// What a translation fills in: `found` and `expected` where there are such, `line` and `column` for a text.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            ErrorKind::NotJson { found, line, column } => {
                vec![("found", found.clone()), ("line", line.to_string()), ("column", column.to_string())]
            }
            ErrorKind::UnknownFormat { found, expected }
            | ErrorKind::UnknownKey { found, expected }
            | ErrorKind::WrongType { found, expected }
            | ErrorKind::UnknownValue { found, expected }
            | ErrorKind::TwoForms { found, expected }
            | ErrorKind::Shape { found, expected }
            | ErrorKind::OutOfRange { found, expected }
            | ErrorKind::Needs { found, expected }
            | ErrorKind::NoExponentials { found, expected }
            | ErrorKind::NoRowOfWeights { found, expected }
            | ErrorKind::NotTaken { found, expected } => pair(found, expected),
            ErrorKind::Ragged { found, expected }
            | ErrorKind::NotDivisible { found, expected }
            | ErrorKind::KeysMissing { found, expected }
            | ErrorKind::BeyondTable { found, expected } => pair(found, expected),
            ErrorKind::Length { found, expected } => pair(found, expected),
            ErrorKind::Missing { expected } => vec![("expected", expected.clone())],
            ErrorKind::NotFinite { found } | ErrorKind::Overflow { found } | ErrorKind::NotSelfAttention { found } => {
                vec![("found", found.clone())]
            }
        }
    }
}

fn pair(found: &impl ToString, expected: &impl ToString) -> Vec<(&'static str, String)> {
    vec![("found", found.to_string()), ("expected", expected.to_string())]
}

/// A growing list of errors. It stops at a thousand: a text of sixteen megabytes could hold millions of bad
/// cells, and nobody reads past the first screen.
#[derive(Debug, Default)]
pub(super) struct Errors(pub(super) Vec<ProblemError>);

impl Errors {
    const MOST: usize = 1000;

    pub(super) fn push(&mut self, place: impl Into<String>, kind: ErrorKind) {
        if self.0.len() < Self::MOST {
            self.0.push(ProblemError { place: place.into(), kind });
        }
    }

    pub(super) fn into_result(self) -> Result<(), Vec<ProblemError>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}
