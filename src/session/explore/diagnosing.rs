//! The settings of "Diagnosis": from when on something is named.

use crate::study::diagnosis::Thresholds;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnosing {
    pub uniform: f64,
    pub saturated: f64,
    pub sink: f64,
}

impl Default for Diagnosing {
    fn default() -> Self {
        let Thresholds { uniform, saturated, sink } = Thresholds::default();
        Self { uniform, saturated, sink }
    }
}

impl Diagnosing {
    pub fn thresholds(self) -> Thresholds {
        Thresholds { uniform: self.uniform, saturated: self.saturated, sink: self.sink }
    }
}
