//! The session: the problem, what is looked at, and the one way to change them.
//!
//! Panels emit [`Action`]s, [`update()`] is the only mutation, and undo, persistence and the tests hang on it.
//! It must not know how anything is drawn or where it runs.
//!
//! Reading order: `state` with `solved`, `view` and `notice`; `action`, `update`; then `fill`, `reshape`, `paste`, `history` and `saved` that they use.

mod action;
mod fill;
mod history;
mod notice;
mod paste;
mod reshape;
mod saved;
mod solved;
mod state;
mod update;
mod view;

pub use action::{Action, MaskMeaning, Stroke};
pub use fill::Fill;
pub use notice::Notice;
pub use paste::Pasted;
pub use reshape::{Dimension, Side};
pub use state::{Session, Stage};
pub use update::update;
pub use view::{ColourScale, Panel, PointerMode, ThemeChoice, View};
