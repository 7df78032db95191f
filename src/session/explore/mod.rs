//! What is set in the studies of the panel "Explore": each study's own settings, none of which changes the problem.
//!
//! A study adds its settings here, its mathematics in `attention` or `study`, and its picture in
//! `ui/panels/explore`.

mod blocks;
mod caching;
mod costing;
mod diagnosing;
mod differentiating;
mod encoding;
mod forgetting;
mod laboratory;
mod memo;
mod ordering;
mod path;
mod reaching;
mod studied;
mod summing;

pub use blocks::Blocks;
pub use caching::Caching;
pub use costing::Costing;
pub use diagnosing::Diagnosing;
pub use differentiating::Differentiating;
pub use encoding::{Encoding, Positions};
pub use forgetting::Forgetting;
pub use laboratory::Laboratory;
pub use memo::Memo;
pub use ordering::Ordering;
pub use path::PathLength;
pub use reaching::Reaching;
pub(super) use studied::Studied;
pub use summing::Summing;

use serde::{Deserialize, Serialize};

/// Which study is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Study {
    #[default]
    Laboratory,
    Gradient,
    Diagnosis,
    Path,
    Order,
    Encoding,
    Reach,
    Heads,
    Flash,
    Cache,
    Linear,
    Cost,
    Forgetting,
}

impl Study {
    /// In the order of their names on the page.
    pub const ALL: [Study; 13] = [
        Study::Laboratory,
        Study::Gradient,
        Study::Diagnosis,
        Study::Path,
        Study::Order,
        Study::Encoding,
        Study::Reach,
        Study::Heads,
        Study::Flash,
        Study::Cache,
        Study::Linear,
        Study::Cost,
        Study::Forgetting,
    ];

    /// The name in texts: `study-<key>` is its title, `study-<key>-lead` says what it shows.
    pub fn key(self) -> &'static str {
        match self {
            Study::Forgetting => "forgetting",
            Study::Laboratory => "laboratory",
            Study::Gradient => "gradient",
            Study::Diagnosis => "diagnosis",
            Study::Path => "path",
            Study::Order => "order",
            Study::Encoding => "encoding",
            Study::Linear => "linear",
            Study::Reach => "reach",
            Study::Heads => "heads",
            Study::Cost => "cost",
            Study::Flash => "flash",
            Study::Cache => "cache",
        }
    }
}

/// The settings of all studies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Explore {
    pub study: Study,
    pub laboratory: Laboratory,
    pub differentiating: Differentiating,
    pub diagnosing: Diagnosing,
    pub path: PathLength,
    pub ordering: Ordering,
    pub positions: Positions,
    pub reaching: Reaching,
    pub costing: Costing,
    pub forgetting: Forgetting,
    pub blocks: Blocks,
    pub caching: Caching,
    pub summing: Summing,
}
