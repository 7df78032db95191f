//! The session: the problem, what is looked at, and the one way to change them.
//!
//! Panels emit [`Action`]s, [`update()`] is the only mutation, and undo, persistence and the tests hang on it.
//! It must not know how anything is drawn or where it runs.
//!
//! Reading order: `state` with `solved`, `action`, `update`, then `reshape`, `paste`, `history` and `saved` that they use.

mod action;
mod fill;
mod history;
mod paste;
mod reshape;
mod saved;
mod solved;
mod state;
mod update;

pub use action::{Action, MaskMeaning, Stroke};
pub use fill::Fill;
pub use paste::{Pasted, paste, paste_mask};
pub use reshape::{Dimension, Side};
pub use state::{ColourScale, Language, Notice, Panel, PointerMode, Rounding, Session, Stage, ThemeChoice, View};
pub use update::update;
