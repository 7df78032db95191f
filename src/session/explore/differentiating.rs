//! The settings of "Gradients".

use crate::attention::gradient::Target;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Differentiating {
    /// A cell of the output.
    pub row: usize,
    pub column: usize,
    /// The cross-entropy of the row with that column as the right one, in place of the cell.
    pub cross_entropy: bool,
}

impl Differentiating {
    pub fn target(self) -> Target {
        let Self { row, column, .. } = self;
        if self.cross_entropy { Target::CrossEntropy { row, column } } else { Target::Cell { row, column } }
    }
}
