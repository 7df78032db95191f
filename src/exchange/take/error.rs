//! Why tensors cannot be taken into a problem, as data.

use crate::attention::ProblemError;

/// What is wrong with a pick, or with all of them together. `place` is the name of a tensor; indices count from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakeError {
    /// A pick names a tensor that is not there.
    #[error("there is no tensor {found}, expected at most {expected}")]
    NoTensor { found: usize, expected: String },
    /// An axis that the tensor does not have, or that has two uses.
    #[error("{place}: axis {found} is not there or used twice, expected each of {expected} once")]
    Axis { place: String, found: usize, expected: String },
    /// Too many or too few axes are left for a matrix (a bias: for a row).
    #[error("{place}: the axes left are {found}, expected {expected}")]
    Rank { place: String, found: String, expected: String },
    #[error("{place}: found {found}, expected within {expected}")]
    OutOfRange { place: String, found: String, expected: String },
    /// Over a limit of the small side.
    #[error("{place}: found {found}, expected {expected}; take a smaller range")]
    TooLarge { place: String, found: String, expected: String },
    #[error("{place}: found {found}, expected a finite number")]
    NotFinite { place: String, found: String },
    /// Two tensors for one thing, or what does not go together.
    #[error("found {found}, expected {expected}")]
    Roles { found: String, expected: String },
    #[error("{place}: found {found} heads, expected {expected}")]
    Heads { place: String, found: usize, expected: usize },
    /// An attention map whose row is no distribution.
    #[error("{place}: head {head}, row {row} sums to {found}, expected 1 of numbers from 0")]
    RowSum { place: String, head: usize, row: usize, found: String },
    /// The tensors were taken, and what they make does not fit together.
    #[error("{}", problem_text(.0))]
    Problem(Vec<ProblemError>),
}

fn problem_text(errors: &[ProblemError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl TakeError {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 10] = [
        "no-tensor",
        "axis",
        "rank",
        "out-of-range",
        "too-large",
        "not-finite",
        "roles",
        "heads",
        "row-sum",
        "problem",
    ];

    /// The name under which translations are found, as `take-<key>`. `problem` has errors of its own to show.
    pub fn key(&self) -> &'static str {
        match self {
            TakeError::NoTensor { .. } => "no-tensor",
            TakeError::Axis { .. } => "axis",
            TakeError::Rank { .. } => "rank",
            TakeError::OutOfRange { .. } => "out-of-range",
            TakeError::TooLarge { .. } => "too-large",
            TakeError::NotFinite { .. } => "not-finite",
            TakeError::Roles { .. } => "roles",
            TakeError::Heads { .. } => "heads",
            TakeError::RowSum { .. } => "row-sum",
            TakeError::Problem(_) => "problem",
        }
    }

    /// What a translation fills in: `place`, `found`, `expected`, `head` and `row`, each where there is one.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            TakeError::NoTensor { found, expected } => {
                vec![("found", found.to_string()), ("expected", expected.clone())]
            }
            TakeError::Axis { place, found, expected } => three(place, found, expected),
            TakeError::Heads { place, found, expected } => three(place, found, expected),
            TakeError::Rank { place, found, expected }
            | TakeError::OutOfRange { place, found, expected }
            | TakeError::TooLarge { place, found, expected } => three(place, found, expected),
            TakeError::NotFinite { place, found } => vec![("place", place.clone()), ("found", found.clone())],
            TakeError::Roles { found, expected } => vec![("found", found.clone()), ("expected", expected.clone())],
            TakeError::RowSum { place, head, row, found } => vec![
                ("place", place.clone()),
                ("head", head.to_string()),
                ("row", row.to_string()),
                ("found", found.clone()),
            ],
            TakeError::Problem(errors) => vec![("found", errors.len().to_string())],
        }
    }
}

fn three(place: &str, found: &impl ToString, expected: &impl ToString) -> Vec<(&'static str, String)> {
    vec![("place", place.to_owned()), ("found", found.to_string()), ("expected", expected.to_string())]
}
