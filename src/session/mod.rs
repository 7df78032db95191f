//! The session: the problem, what is looked at, and the one way to change them.
//!
//! Panels emit [`Action`]s, [`update()`] is the only mutation, and undo, persistence and the tests hang on it.
//! It must not know how anything is drawn or where it runs.
//!
//! Reading order: `state` with `solved`, `view` and `notice`; `action`, `update`; then `fill`, `reshape`, `paste`,
//! `history`, `changes` and `claimed` that they use; `variants` for the members of the attention family; `explore` for what is set in the studies; `import` for the tensors of a file. What outlives a visit: `saved` (for a reload), `link`, and `shelf` (states kept
//! under a name).

mod action;
mod changes;
mod claimed;
mod explore;
mod fill;
mod given;
mod history;
mod import;
mod link;
mod long;
mod notice;
mod paste;
mod reshape;
mod saved;
mod shelf;
mod solved;
mod state;
mod update;
mod variants;
mod view;

pub use action::{Action, MaskMeaning, Stroke};
pub use changes::{Change, changes};
pub use claimed::Claimed;
pub use explore::{
    Blocks, Caching, Costing, Diagnosing, Differentiating, Encoding, Explore, Forgetting, Laboratory, Memo, Ordering,
    PathLength, Positions, Reaching, Study, Summing,
};
pub use fill::Fill;
pub use given::GivenHeads;
pub use import::Import;
pub use link::{LinkError, MOST_LINK};
pub use long::{Computing, Long, Pooled, Shown, Topic, problem_of};
pub use notice::Notice;
pub use paste::Pasted;
pub use reshape::{Dimension, Side};
pub use shelf::{Kept, MOST_KEPT, Shelf};
pub use state::{Session, Stage};
pub use update::update;
pub use variants::{BiasFor, Descent, VariantChange};
pub use view::{ColourScale, Compared, Panel, PointerMode, ThemeChoice, View};
