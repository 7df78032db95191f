//! Undo and redo: whole problems, newest last. A problem is small, so copies are simplest.

use crate::attention::Problem;

/// So that a long drag session does not grow without bound.
const MOST: usize = 200;

/// A problem, and the example that it was opened from.
pub(super) type Snapshot = (Problem, Option<String>);

#[derive(Default)]
pub(super) struct History {
    past: Vec<Snapshot>,
    future: Vec<Snapshot>,
}

impl History {
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Remembers the state that a change leaves behind.
    pub fn push(&mut self, before: Snapshot) {
        if self.past.len() == MOST {
            self.past.remove(0);
        }
        self.past.push(before);
        self.future.clear();
    }

    pub fn undo(&mut self, now: Snapshot) -> Option<Snapshot> {
        let before = self.past.pop()?;
        self.future.push(now);
        Some(before)
    }

    pub fn redo(&mut self, now: Snapshot) -> Option<Snapshot> {
        let after = self.future.pop()?;
        self.past.push(now);
        Some(after)
    }
}
