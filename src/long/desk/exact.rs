//! What the weights of a row are divided by, in 64 bits. The pass keeps it in 32, which is enough for colours; the number that
//! a person reads is made again from the numbers themselves, for the few rows that are read.

use std::collections::HashMap;

use super::Desk;
use super::look::product;

/// Rows that are kept.
const KEPT: usize = 4_096;

/// The logarithm of a sum of e^x, with the largest x taken out (Milakov and Gimelshein 2018).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LogSum {
    most: f64,
    /// Of e^(x − most).
    sum: f64,
}

impl LogSum {
    pub const NOTHING: Self = LogSum { most: f64::NEG_INFINITY, sum: 0.0 };

    pub fn add(&mut self, x: f64) {
        if x > self.most {
            self.sum = self.sum * (self.most - x).exp() + 1.0;
            self.most = x;
        } else {
            self.sum += (x - self.most).exp();
        }
    }

    /// `None` where nothing was added.
    pub fn log(self) -> Option<f64> {
        (self.sum > 0.0).then(|| self.most + self.sum.ln())
    }
}

/// Of some rows the log-sum-exp of the scaled scores of the keys that they see.
#[derive(Default)]
pub(super) struct Exact {
    rows: HashMap<usize, f64>,
    /// A row, the key that is next, and what came of those before.
    making: Option<(usize, usize, LogSum)>,
}

impl Exact {
    pub fn of(&self, row: usize) -> Option<f64> {
        self.rows.get(&row).copied()
    }
}

impl Desk {
    /// Whether the weights of this row could be in 64 bits and are not yet.
    pub fn is_rough(&self, row: usize) -> bool {
        let n = self.setting.map_or(0, |setting| setting.n);
        row < n && self.exact.of(row).is_none() && self.numbers().is_some()
    }

    /// Looks at so many pairs more of the first of these rows whose weights are not yet in 64 bits. Says whether there was one.
    pub fn refine(&mut self, rows: &[usize], pairs: usize) -> bool {
        let Some(&row) = rows.iter().find(|row| self.is_rough(**row)) else { return false };
        let (Some(setting), Some((data, ..))) = (self.setting, self.numbers()) else { return false };
        let (visible, scale) = (setting.rule.visible(row, setting.n), setting.scale());
        let begun = self.exact.making.filter(|making| making.0 == row);
        let (_, from, mut sum) = begun.unwrap_or((row, visible.start, LogSum::NOTHING));
        let to = visible.end.min(from.saturating_add(pairs));
        (from..to).for_each(|key| sum.add(product(data, row, key) * scale));
        if to < visible.end {
            self.exact.making = Some((row, to, sum));
            return true;
        }
        self.exact.making = None;
        if self.exact.rows.len() >= KEPT {
            self.exact.rows.clear();
        }
        // A row that sees nothing has no weight to be divided.
        self.exact.rows.insert(row, sum.log().unwrap_or(0.0));
        true
    }
}
