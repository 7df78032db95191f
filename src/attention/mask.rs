//! Which pairs of query and key are visible, by the rules and by what was really done with them.
//!
//! A hidden pair is a flag. Minus infinity is only what the learner is shown (`masked` in the trace), so no
//! NaN can arise here. Softmax is in `normalise`; the deliberate mistakes that come after it are there too.

use nalgebra::DMatrix;

use super::problem::{Causal, Mask, MaskApplied, Problem};

/// A rule that can hide a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskRule {
    Causal,
    Window,
    KeyPadding,
    Allow,
}

impl MaskRule {
    /// All rules, in the order of the problem file.
    pub const ALL: [MaskRule; 4] = [MaskRule::Causal, MaskRule::Window, MaskRule::KeyPadding, MaskRule::Allow];

    /// The name of the rule's key in the problem file.
    pub fn key(self) -> &'static str {
        match self {
            MaskRule::Causal => "causal",
            MaskRule::Window => "window",
            MaskRule::KeyPadding => "key_padding",
            MaskRule::Allow => "allow",
        }
    }
}

/// Whether the causal triangle stands as it should or the wrong way round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Triangle {
    Right,
    Reversed,
}

/// What the rules say, whatever `mask_applied` does: n×m, true is visible. A pair is visible only if every rule
/// allows it.
///
/// ```
/// # use attnlab::attention::{visible, Problem};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},
///     "inputs":{"q":[[1],[1]],"k":[[1],[1]],"v":[[1],[1]]}}"#).unwrap();
/// assert!(!visible(&problem)[(0, 1)] && visible(&problem)[(1, 0)]);
/// ```
pub fn visible(problem: &Problem) -> DMatrix<bool> {
    every_row(problem, visible_row)
}

/// What really goes into the softmax: n×m, true takes part in it. With `never` and the mistakes after the
/// softmax that is every pair.
pub fn applied(problem: &Problem) -> DMatrix<bool> {
    every_row(problem, applied_row)
}

/// Which pairs multiply a row of v in the end: n×m. Nothing in a row of v reaches the output through any other.
pub fn carried(problem: &Problem) -> DMatrix<bool> {
    every_row(problem, carried_row)
}

/// One row of `visible`: m flags. An explanation asks for one row at a time, and must not pay for n.
pub(super) fn visible_row(problem: &Problem, query: usize) -> Vec<bool> {
    Rules::new(problem, Triangle::Right).row(query)
}

/// One row of `applied`.
pub(super) fn applied_row(problem: &Problem, query: usize) -> Vec<bool> {
    match problem.mask_applied {
        MaskApplied::BeforeSoftmax => visible_row(problem, query),
        MaskApplied::Inverted => visible_row(problem, query).iter().map(|pair| !pair).collect(),
        MaskApplied::Reversed => Rules::new(problem, Triangle::Reversed).row(query),
        MaskApplied::Never | MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised => {
            vec![true; problem.shapes().m]
        }
    }
}

/// One row of `carried`.
pub(super) fn carried_row(problem: &Problem, query: usize) -> Vec<bool> {
    match problem.mask_applied {
        MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised => visible_row(problem, query),
        _ => applied_row(problem, query),
    }
}

fn every_row(problem: &Problem, row: fn(&Problem, usize) -> Vec<bool>) -> DMatrix<bool> {
    let shapes = problem.shapes();
    let pairs: Vec<bool> = (0..shapes.n).flat_map(|query| row(problem, query)).collect();
    DMatrix::from_row_slice(shapes.n, shapes.m, &pairs)
}

/// Whether the mask goes in before the softmax, rightly or wrongly.
pub fn is_before_softmax(how: MaskApplied) -> bool {
    matches!(how, MaskApplied::BeforeSoftmax | MaskApplied::Inverted | MaskApplied::Reversed)
}

/// Whether any rule stands. (A window without a side, or a padding of real tokens only, is a rule all the same.)
pub fn has_rule(mask: &Mask) -> bool {
    // Taken apart by name: a rule that is added and forgotten here does not compile. `global` only widens a window.
    let Mask { causal, window, global: _, key_padding, allow } = mask;
    *causal != Causal::None || window.is_some() || key_padding.is_some() || allow.is_some()
}

/// The same problem with the mask applied as it should be.
pub fn with_mask_right(problem: &Problem) -> Problem {
    Problem { mask_applied: MaskApplied::BeforeSoftmax, ..problem.clone() }
}

/// The rules that hide this pair, in the order of the problem file; none where it is visible.
pub fn hidden_by(problem: &Problem, query: usize, key: usize) -> Vec<MaskRule> {
    let rules = Rules::new(problem, Triangle::Right);
    MaskRule::ALL.into_iter().filter(|&rule| !rules.allows(rule, query, key)).collect()
}

struct Rules<'a> {
    mask: &'a Mask,
    triangle: Triangle,
    m: usize,
    /// m − n: a cached decode step has one query and m keys, and stands last.
    keys_before: i64,
    is_cross: bool,
}

impl<'a> Rules<'a> {
    fn new(problem: &'a Problem, triangle: Triangle) -> Self {
        let shapes = problem.shapes();
        let keys_before = shapes.m as i64 - shapes.n as i64;
        Rules { mask: &problem.mask, triangle, m: shapes.m, keys_before, is_cross: problem.is_cross() }
    }

    /// A pair is visible only if every rule allows it.
    fn row(&self, query: usize) -> Vec<bool> {
        let sees = |key| MaskRule::ALL.into_iter().all(|rule| self.allows(rule, query, key));
        (0..self.m).map(sees).collect()
    }

    fn allows(&self, rule: MaskRule, query: usize, key: usize) -> bool {
        let (i, j) = (query as i64, key as i64);
        match rule {
            MaskRule::Causal => {
                let last = match self.mask.causal {
                    Causal::None => return true,
                    Causal::UpperLeft => i,
                    Causal::LowerRight => i + self.keys_before,
                };
                if self.triangle == Triangle::Right { j <= last } else { j >= last }
            }
            MaskRule::Window => {
                let Some(window) = self.mask.window else { return true };
                // The query's position i': in self-attention the last query stands at the last key.
                let position = if self.is_cross { i } else { i + self.keys_before };
                let is_global = |at: i64| self.mask.global.iter().any(|&global| global as i64 == at);
                let left = window.left.is_none_or(|left| j >= position.saturating_sub(left as i64));
                let right = window.right.is_none_or(|right| j <= position.saturating_add(right as i64));
                (left && right) || is_global(position) || is_global(j)
            }
            MaskRule::KeyPadding => self.mask.key_padding.as_ref().is_none_or(|real| real[key]),
            MaskRule::Allow => self.mask.allow.as_ref().is_none_or(|allow| allow[(query, key)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::{Heads, Inputs, Matrix, Scale, Window};

    fn problem(n: usize, m: usize, mask: Mask) -> Problem {
        let (q, k, v) = (Matrix::zeros(n, 1), Matrix::zeros(m, 1), Matrix::zeros(m, 1));
        Problem {
            title: None,
            tokens: None,
            memory: None,
            inputs: Inputs::Direct { q, k, v },
            w_o: None,
            b_o: None,
            heads: Heads { query: 1, key_value: 1 },
            scale: Scale::None,
            family: Default::default(),
            mask,
            mask_applied: MaskApplied::BeforeSoftmax,
        }
    }

    fn drawn(pairs: &DMatrix<bool>) -> Vec<String> {
        pairs.row_iter().map(|row| row.iter().map(|&pair| if pair { '1' } else { '·' }).collect()).collect()
    }

    #[test]
    fn a_window_does_not_count_the_token_itself_and_global_positions_are_free_of_it() {
        let window = Some(Window { left: Some(1), right: Some(0) });
        let plain = problem(4, 4, Mask { window, ..Mask::default() });
        assert_eq!(drawn(&visible(&plain)), ["1···", "11··", "·11·", "··11"]);
        let with_global = problem(4, 4, Mask { window, global: vec![0], ..Mask::default() });
        assert_eq!(drawn(&visible(&with_global)), ["1111", "11··", "111·", "1·11"]);
        let causal_wins = problem(4, 4, Mask { causal: Causal::UpperLeft, ..with_global.mask.clone() });
        assert_eq!(drawn(&visible(&causal_wins)), ["1···", "11··", "111·", "1·11"]);
        assert_eq!(hidden_by(&causal_wins, 1, 3), [MaskRule::Causal, MaskRule::Window]);
    }

    #[test]
    fn a_window_stands_at_the_last_key_in_self_attention_and_at_the_query_in_cross_attention() {
        let window = Some(Window { left: Some(1), right: Some(0) });
        let mut cached = problem(1, 4, Mask { window, ..Mask::default() });
        assert_eq!(drawn(&visible(&cached)), ["··11"]);
        cached.memory = Some(vec![String::new(); 4]);
        assert_eq!(drawn(&visible(&cached)), ["1···"]);
    }

    #[test]
    fn the_mistakes_change_what_is_applied_and_not_what_the_rules_say() {
        let padding = Some(vec![true, true, false]);
        let mut problem = problem(3, 3, Mask { causal: Causal::UpperLeft, key_padding: padding, ..Mask::default() });
        let cases = [
            (MaskApplied::BeforeSoftmax, ["1··", "11·", "11·"], ["1··", "11·", "11·"]),
            (MaskApplied::Never, ["111", "111", "111"], ["111", "111", "111"]),
            (MaskApplied::AfterSoftmax, ["111", "111", "111"], ["1··", "11·", "11·"]),
            (MaskApplied::AfterSoftmaxRenormalised, ["111", "111", "111"], ["1··", "11·", "11·"]),
            (MaskApplied::Inverted, ["·11", "··1", "··1"], ["·11", "··1", "··1"]),
            (MaskApplied::Reversed, ["11·", "·1·", "···"], ["11·", "·1·", "···"]),
        ];
        for (how, into_softmax, onto_v) in cases {
            problem.mask_applied = how;
            assert_eq!(drawn(&applied(&problem)), into_softmax, "{how:?}");
            assert_eq!(drawn(&carried(&problem)), onto_v, "{how:?}");
            assert_eq!(drawn(&visible(&problem)), ["1··", "11·", "11·"], "{how:?}");
        }
    }
}
