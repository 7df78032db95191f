//! Numbers, flags and matrices as Python writes them.

use crate::attention::{Matrix, Problem};
use nalgebra::DMatrix;

/// The shortest digits that read back as the same f64, with a point: `1.0`, `0.1`, `1e300`.
pub(super) fn number(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { format!("float(\"{value}\")") }
}

pub(super) fn flag(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// `[1.0, 2.0]`.
pub(super) fn row<'a, T: 'a>(values: impl IntoIterator<Item = &'a T>, write: impl Fn(&T) -> String) -> String {
    format!("[{}]", values.into_iter().map(write).collect::<Vec<_>>().join(", "))
}

/// One matrix row a line.
pub(super) fn rows<T: nalgebra::Scalar>(matrix: &DMatrix<T>, write: impl Fn(&T) -> String) -> String {
    let lines: Vec<String> = matrix.row_iter().map(|line| format!("    {},\n", row(line.iter(), &write))).collect();
    format!("[\n{}]", lines.concat())
}

pub(super) fn matrix(values: &Matrix) -> String {
    rows(values, |&value| number(value))
}

/// One matrix after the other.
pub(super) fn matrices(values: &[Matrix]) -> String {
    format!("[{}]", values.iter().map(matrix).collect::<Vec<_>>().join(", "))
}

pub(super) fn list(values: &[f64]) -> String {
    row(values, |&value| number(value))
}

/// The title and the tokens as comments. They are quoted as in JSON, so that none can end its line.
pub(super) fn heading(problem: &Problem) -> String {
    let quoted = |text: &String| serde_json::Value::from(text.as_str()).to_string();
    let mut heading = String::new();
    if let Some(title) = &problem.title {
        heading += &format!("# {}\n", quoted(title));
    }
    for (what, labels) in [("tokens", &problem.tokens), ("memory", &problem.memory)] {
        if let Some(labels) = labels {
            heading += &format!("# {what}: {}\n", labels.iter().map(quoted).collect::<Vec<_>>().join(", "));
        }
    }
    heading
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_bit_and_texts_stay_on_their_line() {
        assert_eq!(list(&[1.0, -0.0, 0.1, 1e300]), "[1.0, -0.0, 0.1, 1e300]");
        assert_eq!(number(f64::NEG_INFINITY), "float(\"-inf\")");
        let text = r#"{"format":"attnlab/1","title":"a\nimport os","inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#;
        assert_eq!(heading(&Problem::from_json(text).unwrap()), "# \"a\\nimport os\"\n");
    }
}
