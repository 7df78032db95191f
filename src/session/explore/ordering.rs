//! The settings of "Order".

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ordering {
    /// Which token stands at each place; of another length than the problem has tokens: as it is.
    pub order: Vec<usize>,
}

impl Ordering {
    /// The order for so many tokens.
    pub fn of(&self, n: usize) -> Vec<usize> {
        let mut sorted = self.order.clone();
        sorted.sort_unstable();
        if sorted.into_iter().eq(0..n) { self.order.clone() } else { (0..n).collect() }
    }
}
