//! States that were kept under a name, beside the one that is worked on.

use super::view::View;
use crate::attention::Problem;
use serde_json::{Value, json};

const FORMAT: &str = "attnlab-states/1";

/// More are not kept: a browser's storage is small.
pub const MOST_KEPT: usize = 100;

/// One state under its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub name: String,
    pub problem: Problem,
    pub view: View,
}

/// All that were kept, newest last, and those that were thrown away last: that can be taken back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shelf {
    pub(super) kept: Vec<Kept>,
    pub(super) thrown: Option<Vec<Kept>>,
}

impl Shelf {
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// How many the last throwing away took, where it can be taken back.
    pub fn thrown(&self) -> Option<usize> {
        let before = self.thrown.as_ref()?;
        Some(before.len().saturating_sub(self.kept.len()))
    }

    pub(super) fn keep(&mut self, state: Kept) {
        self.thrown = None;
        if let Some(kept) = self.kept.iter_mut().find(|kept| kept.name == state.name) {
            *kept = state;
        } else if self.kept.len() < MOST_KEPT {
            self.kept.push(state);
        }
    }

    pub(super) fn throw(&mut self, which: impl Fn(usize) -> bool) {
        let before = self.kept.clone();
        let mut index = 0;
        self.kept.retain(|_| {
            index += 1;
            !which(index - 1)
        });
        self.thrown = Some(before);
    }

    pub(super) fn take_back(&mut self) {
        if let Some(before) = self.thrown.take() {
            self.kept = before;
        }
    }

    /// The kept states as JSON text.
    pub fn to_saved(&self) -> String {
        let state = |kept: &Kept| {
            let problem: Value = serde_json::from_str(&kept.problem.to_json()).expect("a problem writes valid JSON");
            json!({ "name": kept.name, "problem": problem, "view": kept.view })
        };
        json!({ "format": FORMAT, "states": self.kept.iter().map(state).collect::<Vec<_>>() }).to_string()
    }

    /// Reads what [`Shelf::to_saved`] wrote. A state that cannot be read is left out: the others are worth having.
    pub fn from_saved(text: &str) -> Self {
        let saved: Value = serde_json::from_str(text).unwrap_or_default();
        if saved["format"] != FORMAT {
            return Self::default();
        }
        let states = saved["states"].as_array().into_iter().flatten().take(MOST_KEPT);
        let read = |state: &Value| {
            let name = state["name"].as_str()?.to_owned();
            let problem = Problem::from_json(&state["problem"].to_string()).ok()?;
            Some(Kept { name, problem, view: View::of_value(&state["view"]) })
        };
        Self { kept: states.filter_map(read).collect(), thrown: None }
    }
}
