//! Tokens and points of the screen.

use crate::session::Long;
use egui::{Pos2, Rect, vec2};
use std::ops::Range;

/// Where the part that is looked at lies on the screen.
pub struct Place {
    pub rect: Rect,
    pub long: Long,
}

impl Place {
    /// Points a token.
    pub fn scale(&self) -> f64 {
        f64::from(self.rect.width()) / self.long.side
    }

    /// What is looked at of an axis, from here on.
    pub fn seen(&self, from: f64) -> Range<usize> {
        from as usize..((from + self.long.side).ceil() as usize).min(self.long.n)
    }

    pub fn rows(&self) -> Range<usize> {
        self.seen(self.long.row)
    }

    pub fn at(&self, row: f64, key: f64) -> Pos2 {
        let offset = vec2(((key - self.long.key) * self.scale()) as f32, ((row - self.long.row) * self.scale()) as f32);
        self.rect.min + offset
    }

    /// The query and the key under a point, with fractions.
    pub fn under(&self, point: Pos2) -> (f64, f64) {
        let offset = point - self.rect.min;
        let at = |from: f64, offset: f32| from + f64::from(offset) / self.scale();
        (at(self.long.row, offset.y), at(self.long.key, offset.x))
    }

    pub fn rect_of(&self, rows: &Range<usize>, keys: &Range<usize>) -> Rect {
        Rect::from_min_max(self.at(rows.start as f64, keys.start as f64), self.at(rows.end as f64, keys.end as f64))
    }
}
