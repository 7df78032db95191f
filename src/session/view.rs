//! What is looked at, and how; none of it changes a number.

use super::explore::Explore;
use super::long::Long;
use super::state::Stage;
use crate::attention::{Place, SoftmaxForm};
use crate::writing::{Language, Rounding};
use serde::{Deserialize, Serialize};

/// What is looked at, and how. None of it changes a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct View {
    pub example: Option<String>,
    pub head: usize,
    /// The lit step; `None` is the end, where nothing is veiled.
    pub stage: Option<Stage>,
    pub pinned: Option<Place>,
    pub digits: u8,
    pub rounding: Rounding,
    pub weight_colours: ColourScale,
    pub softmax_form: SoftmaxForm,
    /// Whether exp and its row sums stand among the matrices; the arithmetic of a weight shows them anyway.
    pub exponentials: bool,
    pub panel: Panel,
    pub pointer: PointerMode,
    pub theme: ThemeChoice,
    /// `None`: as the browser prefers.
    pub language: Option<Language>,
    pub projector: bool,
    /// Which state the matrices show while another one is held.
    pub compared: Compared,
    pub explore: Explore,
    pub long: Long,
}

impl Default for View {
    fn default() -> Self {
        Self {
            example: None,
            head: 0,
            stage: None,
            pinned: None,
            digits: 4,
            rounding: Rounding::Round,
            weight_colours: ColourScale::Linear,
            softmax_form: SoftmaxForm::Plain,
            exponentials: false,
            panel: Panel::Mask,
            pointer: PointerMode::Point,
            theme: ThemeChoice::System,
            language: None,
            projector: false,
            compared: Compared::Now,
            explore: Explore::default(),
            long: Long::default(),
        }
    }
}

macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $key:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $key)] $variant),+ }
        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// The name in files and texts.
            pub fn key(self) -> &'static str {
                match self { $(Self::$variant => $key),+ }
            }
        }
    };
}

pub(super) use choice;

choice!(
    /// How weights from 0 to 1 are coloured.
    ColourScale { Linear = "linear", Log = "log" }
);
choice!(
    /// The state that is worked on (B), the one that is held (A), or B − A.
    Compared { Held = "held", Now = "now", Difference = "difference" }
);
choice!(
    /// The panel that is open below the workbench.
    Panel { Mask = "mask", Heads = "heads", Lines = "lines", Shape = "shape", Variants = "variants", Explore = "explore", Long = "long", Example = "example", Claim = "claim", Compare = "compare", Share = "share", Export = "export", Paper = "paper", Import = "import" }
);
choice!(
    /// What a drag over a matrix does. Touch scrolls unless one of the other two was chosen.
    PointerMode { Point = "point", Paint = "paint", Drag = "drag" }
);
choice!(ThemeChoice { System = "system", Light = "light", Dark = "dark" });
