//! The settings of "Positions".

use crate::attention::{Rope, Scaling};
use serde::{Deserialize, Serialize};

/// Which encoding is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    #[default]
    Sinusoidal,
    Learned,
    Rope,
    Alibi,
}

impl Encoding {
    pub const ALL: [Self; 4] = [Self::Sinusoidal, Self::Learned, Self::Rope, Self::Alibi];

    /// The name in the problem file; `position-<key>` in the texts.
    pub fn key(self) -> &'static str {
        match self {
            Self::Sinusoidal => "sinusoidal",
            Self::Learned => "learned",
            Self::Rope => "rope",
            Self::Alibi => "alibi",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Positions {
    pub encoding: Encoding,
    /// Rows and columns of the sinusoidal matrix; the width is even.
    pub positions: usize,
    pub width: usize,
    pub base: f64,
    /// Which pair of columns is moved, and by how many positions.
    pub pair: usize,
    pub offset: usize,
    /// The length that training saw; twice as much is drawn.
    pub trained: usize,
    /// The factor of linear and NTK scaling.
    pub factor: f64,
    /// The width of a rotated head.
    pub head_width: usize,
    /// Where the rotated vector stands.
    pub position: usize,
    /// How far all positions are shifted.
    pub shift: usize,
    /// Heads of ALiBi.
    pub heads: usize,
}

impl Default for Positions {
    fn default() -> Self {
        Self {
            encoding: Encoding::Sinusoidal,
            positions: 48,
            width: 32,
            base: 10_000.0,
            pair: 2,
            offset: 5,
            trained: 512,
            factor: 2.0,
            head_width: 64,
            position: 3,
            shift: 100,
            heads: 8,
        }
    }
}

impl Positions {
    /// RoPE with the base of the settings.
    pub fn rope(self, scaling: Scaling) -> Rope {
        Rope { base: self.base, scaling, ..Rope::default() }
    }

    /// Unscaled, linear and NTK, with the names of their texts. (NTK needs more than one pair.)
    pub fn ropes(self) -> [(&'static str, Rope); 3] {
        let factor = self.factor;
        [
            ("encoding-unscaled", self.rope(Scaling::None)),
            ("encoding-linear", self.rope(Scaling::Linear { factor })),
            ("encoding-ntk", self.rope(Scaling::Ntk { factor })),
        ]
    }
}
