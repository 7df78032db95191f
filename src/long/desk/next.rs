//! What a free hand does next.

use std::ops::Range;

use attnlab_kernel::Side;

use super::{Desk, Entry, Sent, Stage};
use crate::long::work::{Keys, Work};
use crate::long::{Attended, Of, Piece, Tile};

impl Desk {
    /// What a free hand does: first what is looked at, then the pass, with the keys that it holds.
    pub(super) fn next(&mut self, hand: usize) -> Option<(Sent, Work)> {
        if self.rests {
            return None;
        }
        match self.sizes {
            None => self.next_pixels().or_else(|| self.next_job(hand)),
            Some(_) => self.next_piece().or_else(|| self.next_step()),
        }
    }

    fn next_pixels(&mut self) -> Option<(Sent, Work)> {
        let (setting, (tile, piece)) = (self.setting?, self.open_piece()?);
        let (data, attended) = match &self.stage {
            Stage::Attending { data, .. } => (data, None),
            Stage::Ready { data, attended } => (data, Some(attended)),
            _ => return None,
        };
        let rows = Side { range: tile.rows.clone(), pixels: tile.height, made: piece.down.clone() };
        let keys = Side { range: tile.keys.clone(), pixels: tile.width, made: piece.across.clone() };
        let d = setting.d;
        let of = |numbers: &[f32], cells: Range<usize>, d: usize| numbers[cells.start * d..cells.end * d].to_vec();
        let sums = |numbers: fn(&Attended) -> &[f32]| match attended {
            Some(attended) if tile.of == Of::Weights => of(numbers(attended), rows.cells(), 1),
            _ => Vec::new(),
        };
        let work = Work::Tile {
            n: setting.n,
            d,
            scale: setting.scale() as f32,
            rule: setting.rule,
            q: of(&data.q, rows.cells(), d),
            k: of(&data.k, keys.cells(), d),
            maximum: sums(|attended| &attended.maximum),
            sum: sums(|attended| &attended.sum),
            rows,
            keys,
            pool: tile.pool,
            of: tile.of,
        };
        Some((Sent::Pixels(tile, piece), work))
    }

    /// A piece of what is looked at that nobody makes yet.
    pub(super) fn open_piece(&mut self) -> Option<(Tile, Piece)> {
        let setting = self.setting?;
        let is_ready = match &self.stage {
            Stage::Attending { .. } => false,
            Stage::Ready { .. } => true,
            _ => return None,
        };
        for tile in &self.wanted {
            // The weights of a row come from all of its keys.
            if (tile.of == Of::Weights && !is_ready) || tile.check(setting.n).is_err() {
                continue;
            }
            let entry = self.tiles.entry(tile.clone()).or_insert_with(|| Entry::new(tile, setting.d, self.sizes));
            if let Some(piece) = entry.open.pop() {
                return Some((tile.clone(), piece));
            }
        }
        None
    }

    fn next_job(&mut self, hand: usize) -> Option<(Sent, Work)> {
        let setting = self.setting?;
        let Stage::Attending { data, open, .. } = &mut self.stage else { return None };
        let own = self.hands[hand].slice;
        let is_anothers = |first: usize| {
            self.hands.iter().enumerate().any(|(other, held)| other != hand && held.slice == Some(first))
        };
        let rank = |first: &usize| match *first {
            first if Some(first) == own => 0,
            first if is_anothers(first) => 2,
            _ => 1,
        };
        let first = open.keys().copied().min_by_key(rank)?;
        let jobs = open.get_mut(&first)?;
        let job = jobs.pop_front()?;
        if jobs.is_empty() {
            open.remove(&first);
        }
        let d = setting.d;
        let of = |numbers: &[f32], rows: &Range<usize>| numbers[rows.start * d..rows.end * d].to_vec();
        let keys = (own != Some(first)).then(|| Keys { first, k: of(&data.k, &job.keys), v: of(&data.v, &job.keys) });
        self.hands[hand].slice = Some(first);
        let work = Work::Attend {
            n: setting.n,
            d,
            scale: setting.scale() as f32,
            rule: setting.rule,
            first: job.rows.start,
            q: of(&data.q, &job.rows),
            keys,
        };
        Some((Sent::Job(job), work))
    }
}
