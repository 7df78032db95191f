//! Hands that hold the sequence themselves: they are given no numbers, only which rows and keys of it are next.

use std::ops::Range;

use super::{Desk, Outputs, Sent, Stage};
use crate::long::Asked;
use crate::long::work::{Hands, Work};

/// Numbers of the output that are fetched at a time: 4 MiB.
const FETCHED: usize = 1 << 20;

impl Outputs {
    pub(super) fn of(n: usize, d: usize) -> Self {
        let rows = (FETCHED / d).max(1);
        let open: std::collections::VecDeque<Range<usize>> =
            (0..n).step_by(rows).map(|first| first..n.min(first + rows)).collect();
        Outputs { missing: open.len(), open }
    }
}

impl Desk {
    /// Finds out whether these hands hold the sequence, and brings it to those that do.
    pub(super) fn meet(&mut self, hands: &mut dyn Hands) {
        let Some(setting) = self.setting else { return };
        let sizes = hands.holds(setting.n, setting.d);
        if sizes != self.sizes {
            let needs_sums = sizes.is_some();
            (self.sizes, self.is_held) = (sizes, false);
            self.stage = match std::mem::take(&mut self.stage) {
                Stage::Attending { data, .. } => self.begin(data),
                // Who has attended to nothing has no sums to make weights from.
                Stage::Ready { data, .. } if needs_sums => self.begin(data),
                stage => stage,
            };
        }
        if self.sizes.is_none() || self.is_held || self.rests {
            return;
        }
        let (Stage::Attending { data, .. } | Stage::Ready { data, .. }) = &self.stage else { return };
        let asked =
            data.sequence().and_then(|sequence| Asked::with_scale(sequence, setting.rule, setting.scale() as f32));
        match asked.and_then(|asked| hands.hold(&asked)) {
            Ok(()) => self.is_held = true,
            Err(error) => self.stage = self.fail(error),
        }
    }

    pub(super) fn next_piece(&mut self) -> Option<(Sent, Work)> {
        if !self.is_held {
            return None;
        }
        let (tile, piece) = self.open_piece()?;
        Some((Sent::Pixels(tile.clone(), piece.clone()), Work::Piece(tile, piece)))
    }

    /// All steps, and then the output: work is done in its order.
    pub(super) fn next_step(&mut self) -> Option<(Sent, Work)> {
        let Stage::Attending { open, outputs, .. } = &mut self.stage else { return None };
        if !self.is_held {
            return None;
        }
        if let Some(mut jobs) = open.first_entry() {
            let job = jobs.get_mut().pop_front();
            if jobs.get().is_empty() {
                jobs.remove();
            }
            return job.map(|job| (Sent::Step(job.clone()), Work::Step(job)));
        }
        let rows = outputs.open.pop_front()?;
        Some((Sent::Output(rows.clone()), Work::Output(rows)))
    }
}
