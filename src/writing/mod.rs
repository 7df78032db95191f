//! How numbers, arithmetic and sentences are written for people, in either language.
//!
//! `number` drops digits, `arithmetic` writes the working of a cell out line by line, `texts` looks sentences up.

pub mod arithmetic;
mod number;
mod texts;

use serde::{Deserialize, Serialize};

pub use number::NumberFormat;
pub use texts::Texts;

/// The languages that everything is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    #[serde(rename = "en")]
    English,
    #[serde(rename = "zh-CN")]
    Chinese,
}

impl Language {
    pub const ALL: &[Self] = &[Self::English, Self::Chinese];

    /// The language tag.
    pub fn key(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }
}

/// How digits beyond those shown are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rounding {
    #[serde(rename = "round")]
    Round,
    #[serde(rename = "truncate")]
    Truncate,
}

impl Rounding {
    pub const ALL: &[Self] = &[Self::Round, Self::Truncate];

    /// The name in files and texts.
    pub fn key(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::Truncate => "truncate",
        }
    }
}
