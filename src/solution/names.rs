//! What matrices and single numbers are called in the formulas.

use super::names_variant as variant;
use crate::attention::{Part, Place, Problem, labels};

/// The names of one problem: its tokens where they can stand in a formula, else numbers.
pub(super) struct Names<'a> {
    problem: &'a Problem,
    queries: Vec<String>,
    keys: Vec<String>,
}

impl<'a> Names<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let (queries, keys) = labels(problem, Part::Scores);
        Names { problem, queries: in_formulas(queries), keys: in_formulas(keys) }
    }

    /// The symbol of a matrix: `Q`, or `Q_{1}` for head 1 of several.
    pub fn matrix(&self, part: Part, head: usize) -> String {
        self.symbol(part, (self.problem.heads.query > 1).then_some(head))
    }

    /// The symbol of a matrix in the formula of any head.
    pub fn of_any_head(&self, part: Part) -> String {
        self.symbol(part, None)
    }

    fn symbol(&self, part: Part, head: Option<usize>) -> String {
        let own = |symbol: &str| own(symbol, "", head);
        match part {
            Part::XGiven => "X_0".to_owned(),
            Part::XKvGiven => "X_{kv,0}".to_owned(),
            Part::Position => "P".to_owned(),
            Part::X => "X".to_owned(),
            Part::XKv => "X_{kv}".to_owned(),
            Part::WQ => "W_Q".to_owned(),
            Part::BQ => "b_Q".to_owned(),
            Part::Q => own("Q"),
            Part::WK => "W_K".to_owned(),
            Part::BK => "b_K".to_owned(),
            Part::K => own("K"),
            Part::WV => "W_V".to_owned(),
            Part::BV => "b_V".to_owned(),
            Part::V => own("V"),
            Part::Scores => variant::scores(self.problem, head),
            Part::Scaled => own("S"),
            Part::Mask => "M".to_owned(),
            Part::Masked => variant::masked(self.problem, &self.before_mask(head), self.applied_mask()),
            Part::Exp => own("E"),
            Part::RowSum => own("\\Sigma"),
            Part::Weights => own("A"),
            Part::Leak => own("L"),
            Part::Context if !self.problem.joins_heads() => "Y".to_owned(),
            Part::Context => format!("{} {}", own("A"), own("V")),
            Part::Concat => "C".to_owned(),
            Part::WO => "W_O".to_owned(),
            Part::BO => "b_O".to_owned(),
            Part::Output => "Y".to_owned(),
            Part::QRotated
            | Part::KRotated
            | Part::QFeatures
            | Part::KFeatures
            | Part::KTransformed
            | Part::Hidden
            | Part::Capped
            | Part::Biased
            | Part::SinkWeight
            | Part::Kept
            | Part::Table
            | Part::ScoreW
            | Part::ScoreWQ
            | Part::ScoreWK
            | Part::ScoreV
            | Part::Slopes
            | Part::Bias
            | Part::Sink => variant::symbol(self.problem, part, head),
        }
    }

    /// What the mask is laid on.
    fn before_mask(&self, head: Option<usize>) -> String {
        self.symbol(Part::before_mask(self.problem), head)
    }

    /// The mask that is added: M, or M with a tilde where that is another one than the rules ask for.
    pub fn applied_mask(&self) -> &'static str {
        use crate::attention::MaskApplied::{Inverted, Reversed};
        if matches!(self.problem.mask_applied, Inverted | Reversed) { "\\tilde{M}" } else { "M" }
    }

    /// The symbol of one number: `A_{\text{爱},\text{我}}`.
    pub fn number(&self, place: Place) -> String {
        let Place { part, row, column, .. } = place;
        let query = || self.query(row);
        let key = || self.key(column);
        let pair = |symbol: &str| format!("{symbol}_{{{},{}}}", query(), key());
        let feature = |symbol: &str, row: &str| format!("{symbol}_{{{row},{column}}}");
        match part {
            Part::Q => feature("q", query()),
            Part::K => feature("k", self.key(row)),
            Part::V => feature("v", self.key(row)),
            Part::Scores => variant::score(self.problem, query(), key()),
            Part::XGiven | Part::X => feature("x", query()),
            Part::XKvGiven | Part::XKv => format!("x_{{kv,{},{column}}}", self.key(row)),
            Part::Position => format!("P_{{{row},{column}}}"),
            Part::QRotated | Part::QFeatures => variant::entry(self.problem, part, query(), column),
            Part::KRotated | Part::KFeatures => variant::entry(self.problem, part, self.key(row), column),
            Part::KTransformed => feature("(K W^T)", self.key(row)),
            Part::Hidden => {
                let d_a = self.problem.family.score.hidden_width().unwrap_or(1);
                format!("h_{{{},{},{}}}", query(), self.key(column / d_a), column % d_a)
            }
            Part::Capped => format!("S_{{c,{},{}}}", query(), key()),
            Part::Biased => pair(&format!("({})", self.matrix(part, place.head))),
            Part::SinkWeight => format!("Z_{{{}}}", query()),
            Part::Kept => pair("D"),
            Part::Scaled => pair("S"),
            Part::Mask => pair("M"),
            Part::Masked => pair(&format!("({})", self.matrix(part, place.head))),
            Part::Exp => pair("E"),
            Part::RowSum => format!("\\Sigma_{{{}}}", query()),
            Part::Weights => pair("A"),
            Part::Leak => format!("L_{{{}}}", query()),
            Part::Context if self.problem.joins_heads() => feature("c", query()),
            Part::Concat => feature("C", query()),
            _ if self.problem.shapes().d_out == 1 => format!("y_{{{}}}", query()),
            _ => feature("y", query()),
        }
    }

    pub fn query(&self, row: usize) -> &str {
        self.queries.get(row).map_or("", String::as_str)
    }

    fn key(&self, row: usize) -> &str {
        self.keys.get(row).map_or("", String::as_str)
    }
}

/// A symbol with its own index and that of its head, where there are such.
pub(super) fn own(symbol: &str, index: &str, head: Option<usize>) -> String {
    match (index, head) {
        ("", None) => symbol.to_owned(),
        ("", Some(head)) => format!("{symbol}_{{{head}}}"),
        (index, None) => format!("{symbol}_{{{index}}}"),
        (index, Some(head)) => format!("{symbol}_{{{index},{head}}}"),
    }
}

/// Labels as they can stand in a formula. Where one is long, says nothing, stands twice or holds a sign that
/// mathematics takes for its own, all of them are numbers.
fn in_formulas(labels: Vec<String>) -> Vec<String> {
    const LONGEST: usize = 12;
    let is_harmless = |label: &String| {
        let is_plain = |c: char| c.is_alphanumeric() || " .,'!?-".contains(c);
        !label.trim().is_empty() && label.chars().count() <= LONGEST && label.chars().all(is_plain)
    };
    let distinct: std::collections::HashSet<&String> = labels.iter().collect();
    let is_numbered = labels.iter().enumerate().all(|(index, label)| *label == index.to_string());
    if is_numbered || distinct.len() < labels.len() || !labels.iter().all(is_harmless) {
        return (0..labels.len()).map(|index| index.to_string()).collect();
    }
    labels.iter().map(|label| format!("\\text{{{label}}}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_a_formula_cannot_hold_are_numbered() {
        let of = |labels: &[&str]| in_formulas(labels.iter().map(|label| (*label).to_owned()).collect());
        assert_eq!(of(&["我", "爱"]), ["\\text{我}", "\\text{爱}"]);
        for labels in [["a", "a"], ["a", "$"], ["a", ""], ["a", "{"], ["0", "1"]] {
            assert_eq!(of(&labels), ["0", "1"], "{labels:?}");
        }
    }
}
