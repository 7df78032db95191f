//! Which keys a query sees: always one run of keys, whatever the length.

use core::ops::Range;

/// The rules of the problem format that leave each row one run of keys. All must allow a pair.
///
/// ```
/// # use attnlab_kernel::Rule;
/// let rule = Rule { causal: true, left: Some(2), ..Rule::default() };
/// assert_eq!(rule.visible(5, 10), 3..6); // two to the left, and the token itself
/// let padded = Rule { left: Some(2), real: Some(4), ..Rule::default() };
/// assert!(padded.visible(9, 10).is_empty()); // keys from 4 on are padding
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Only j ≤ i.
    pub causal: bool,
    /// Only j ≥ i − left; the token itself is not counted. `None`: no bound.
    pub left: Option<usize>,
    /// Only j ≤ i + right. `None`: no bound.
    pub right: Option<usize>,
    /// Only j < real: the keys after that are padding. `None`: all are real.
    pub real: Option<usize>,
}

impl Rule {
    /// The keys that query `row` of `n` sees. Both ends never fall from one row to the next, also where the run is empty.
    pub fn visible(&self, row: usize, n: usize) -> Range<usize> {
        let start = self.left.map_or(0, |left| row.saturating_sub(left));
        let reach = self.right.map_or(usize::MAX, |right| row.saturating_add(right).saturating_add(1));
        let reach = if self.causal { reach.min(row + 1) } else { reach };
        start..reach.min(n).min(self.real.unwrap_or(n))
    }

    /// Whether query `row` sees `key`, both below n.
    pub fn sees(&self, row: usize, key: usize, n: usize) -> bool {
        self.visible(row, n).contains(&key)
    }
}
