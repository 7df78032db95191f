//! What was computed: every named step with its values, in the order of the computation.
//!
//! The keys of the steps are an interface: the trace file, the page, the examples and the tests name them.
//! `solve` makes a trace, `explain` says where a cell of it came from.

use super::place::Part;
use super::problem::Matrix;

/// One matrix on the way, for one head or for all.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub part: Part,
    /// A query head; `None` for what is there once.
    pub head: Option<usize>,
    /// Labels: a token, or the number of a feature.
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// In `masked` a hidden entry is minus infinity, for the eye only: nothing is computed with it.
    pub value: Matrix,
    /// d_a for `hidden`, which is n×m×d_a: key j owns columns j·d_a … (j + 1)·d_a of `value`.
    pub depth: Option<usize>,
}

/// Something that a reader of the numbers should know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Note {
    /// Its weights and its context are zero.
    #[error("query row {row} sees nothing: its weights and its context are zero")]
    EmptyRow { row: usize },
    /// `exp` and `row_sum` of this row are shown after the row's maximum was subtracted.
    #[error("head {head}, row {row}: a score exceeds 700, so the row's maximum is subtracted before exp")]
    ExpShifted { head: usize, row: usize },
    /// Zeroed after the softmax, and what is left is too small for an f64: nothing to renormalise.
    #[error("head {head}, row {row}: every visible weight is too small to be renormalised, so the row is zero")]
    Underflowed { head: usize, row: usize },
    /// Normalised by a sum that is zero.
    #[error("head {head}, row {row}: the sum to divide by is 0, so the weights are zero")]
    ZeroSum { head: usize, row: usize },
    /// Linear attention has no scale.
    #[error("linear attention takes no scale: it is left out")]
    ScaleIgnored,
}

impl Note {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 5] = ["empty-row", "exp-shifted", "underflowed", "zero-sum", "scale-ignored"];

    /// The name under which translations are found, as `note-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            Note::EmptyRow { .. } => "empty-row",
            Note::ExpShifted { .. } => "exp-shifted",
            Note::Underflowed { .. } => "underflowed",
            Note::ZeroSum { .. } => "zero-sum",
            Note::ScaleIgnored => "scale-ignored",
        }
    }

    /// What a translation fills in: `row`, and `head` where it is about one.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            Note::EmptyRow { row } => vec![("row", row.to_string())],
            Note::ScaleIgnored => Vec::new(),
            Note::ExpShifted { head, row } | Note::Underflowed { head, row } | Note::ZeroSum { head, row } => {
                vec![("head", head.to_string()), ("row", row.to_string())]
            }
        }
    }
}

/// All steps of one problem. Steps of the same part stand together, heads in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    pub steps: Vec<Step>,
    pub notes: Vec<Note>,
}

impl Trace {
    /// The step of that part and head; the head does not matter for what is there once.
    ///
    /// ```
    /// # use attnlab::attention::{solve, Part, Problem};
    /// let problem = Problem::from_json(
    ///     r#"{"format":"attnlab/1","inputs":{"q":[[2]],"k":[[3]],"v":[[5]]}}"#).unwrap();
    /// let trace = solve(&problem).unwrap();
    /// assert_eq!(trace.get(Part::Scores, 0).unwrap().value[(0, 0)], 6.0);
    /// assert!(trace.get(Part::Scores, 1).is_none());
    /// ```
    pub fn get(&self, part: Part, head: usize) -> Option<&Step> {
        // Steps are sorted by part, so the first one of the part is found by halving.
        let first = self.steps.partition_point(|step| step.part < part);
        let at = if part.is_per_head() { first.checked_add(head)? } else { first };
        self.steps.get(at).filter(|step| step.part == part)
    }

    /// The trace file, `attnlab-trace/1`: one step a line; a hidden entry of `masked` is `"-inf"`.
    pub fn to_json(&self) -> String {
        let mut text = String::from("{\n\"format\": \"attnlab-trace/1\",\n\"steps\": [\n");
        for (index, step) in self.steps.iter().enumerate() {
            text.push_str(if index == 0 { "" } else { ",\n" });
            text.push_str(&step_json(step));
        }
        text.push_str("\n],\n\"notes\": [");
        for (index, note) in self.notes.iter().enumerate() {
            text.push_str(if index == 0 { "\n" } else { ",\n" });
            text.push_str(&note_json(note).to_string());
        }
        text.push_str("]\n}\n");
        text
    }
}

/// By hand, so that the keys stand in the order of the format: what a step is before its numbers.
fn step_json(step: &Step) -> String {
    let number = |&value: &f64| match value {
        f64::NEG_INFINITY => serde_json::Value::from("-inf"),
        value => serde_json::Value::from(value),
    };
    // `hidden` is n×m×d_a: a list of features a pair.
    let d_a = step.depth;
    let cells = |row: Vec<serde_json::Value>| match d_a {
        Some(d_a) => row.chunks(d_a).map(|features| serde_json::Value::from(features.to_vec())).collect(),
        None => row,
    };
    let rows: Vec<Vec<serde_json::Value>> =
        step.value.row_iter().map(|row| cells(row.iter().map(number).collect())).collect();
    let (n, width) = step.value.shape();
    let shape = d_a.map_or(vec![n, width], |d_a| vec![n, width / d_a, d_a]);
    // The columns of `hidden` are keys: "key·0", "key·1", … are how it is drawn.
    let columns: Vec<&str> = match d_a {
        Some(d_a) => step
            .columns
            .iter()
            .step_by(d_a)
            .map(|name| name.rsplit_once('·').map_or(name.as_str(), |(key, _)| key))
            .collect(),
        None => step.columns.iter().map(String::as_str).collect(),
    };
    let head = step.head.map_or_else(String::new, |head| format!("\"head\": {head}, "));
    format!(
        "{{\"key\": \"{}\", {head}\"rows\": {}, \"columns\": {}, \"shape\": {}, \"value\": {}}}",
        step.part.key(),
        serde_json::json!(step.rows),
        serde_json::json!(columns),
        serde_json::json!(shape),
        serde_json::json!(rows),
    )
}

/// A note as files have it: its key, its English sentence, and the numbers in it.
pub(super) fn note_json(note: &Note) -> serde_json::Value {
    let mut json = serde_json::json!({ "key": note.key(), "text": note.to_string() });
    for (name, value) in note.args() {
        json[name] = value.parse::<usize>().expect("the arguments of notes are indices").into();
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::{Problem, solve};

    fn trace_of(text: &str) -> Trace {
        solve(&Problem::from_json(text).unwrap()).unwrap()
    }

    #[test]
    fn every_step_is_found_by_part_and_head() {
        let trace =
            trace_of(r#"{"format":"attnlab/1","heads":{"query":2},"inputs":{"q":[[1,2]],"k":[[1,2]],"v":[[1,2]]}}"#);
        for step in &trace.steps {
            assert_eq!(trace.get(step.part, step.head.unwrap_or(0)), Some(step));
        }
        assert_eq!(trace.get(Part::X, 0), None);
        assert_eq!(trace.get(Part::Scores, 2), None);
        assert_eq!(trace.get(Part::Scores, usize::MAX), None);
    }

    #[test]
    fn the_trace_file_is_json_and_writes_minus_infinity_as_text() {
        let trace = trace_of(
            r#"{"format":"attnlab/1","mask":{"allow":[[1,0],[0,0]]},"inputs":{"q":[[1],[2]],"k":[[1],[2]],"v":[[1],[2]]}}"#,
        );
        let json: serde_json::Value = serde_json::from_str(&trace.to_json()).unwrap();
        assert_eq!(json["format"], "attnlab-trace/1");
        let masked = json["steps"].as_array().unwrap().iter().find(|step| step["key"] == "masked").unwrap();
        assert_eq!(masked["value"], serde_json::json!([[1.0, "-inf"], ["-inf", "-inf"]]));
        assert_eq!(json["notes"][0]["row"], 1);
    }
}
