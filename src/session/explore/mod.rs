//! What is set in the studies of the panel "Explore": each study's own settings, none of which changes the problem.
//!
//! A study adds its settings here, its mathematics in `attention` or `study`, and its picture in
//! `ui/panels/explore`.

mod blocks;
mod caching;
mod forgetting;
mod memo;
mod stepped;

pub use blocks::Blocks;
pub use caching::Caching;
pub use forgetting::Forgetting;
pub use memo::Memo;
pub(super) use stepped::Stepped;

use serde::{Deserialize, Serialize};

/// Which study is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Study {
    #[default]
    Forgetting,
    Flash,
    Cache,
}

impl Study {
    /// In the order of their names on the page.
    pub const ALL: [Study; 3] = [Study::Forgetting, Study::Flash, Study::Cache];

    /// The name in texts: `study-<key>` is its title, `study-<key>-lead` says what it shows.
    pub fn key(self) -> &'static str {
        match self {
            Study::Forgetting => "forgetting",
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
    pub forgetting: Forgetting,
    pub blocks: Blocks,
    pub caching: Caching,
}
