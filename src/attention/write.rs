//! A problem written as a problem file: readable (one matrix row a line), with the defaults left out.
//!
//! What is written is read back bit for bit: numbers are written with as many digits as they need.

use nalgebra::DMatrix;

use super::parse::FORMAT;
use super::problem::{Causal, Heads, Inputs, Mask, Matrix, Problem, Scale};
use super::write_family::{put_after_mask, put_before_mask, put_score};

impl Problem {
    /// The problem file of this problem. A number that is not finite (a file cannot hold one) is written as
    /// `null`, which reading refuses with its place.
    ///
    /// ```
    /// # use attnlab::attention::Problem;
    /// let text = r#"{"format":"attnlab/1","inputs":{"q":[[0.1]],"k":[[1]],"v":[[1e300]]}}"#;
    /// let problem = Problem::from_json(text).unwrap();
    /// assert_eq!(Problem::from_json(&problem.to_json()).unwrap(), problem);
    /// ```
    pub fn to_json(&self) -> String {
        let mut document = Object::default();
        document.put("format", quoted(FORMAT));
        document.put_some("title", self.title.as_deref().map(quoted));
        document.put_some("tokens", self.tokens.as_ref().map(|tokens| list(tokens, |token| quoted(token))));
        document.put_some("memory", self.memory.as_ref().map(|memory| list(memory, |label| quoted(label))));
        document.put("inputs", self.inputs_json());
        if self.heads != (Heads { query: 1, key_value: 1 }) {
            let Heads { query, key_value } = self.heads;
            document.put("heads", format!("{{ \"query\": {query}, \"key_value\": {key_value} }}"));
        }
        put_score(&self.family, &mut document);
        match self.scale {
            Scale::InverseSqrt => {}
            Scale::None => document.put("scale", quoted("none")),
            Scale::Factor(factor) => document.put("scale", number(factor)),
        }
        put_before_mask(&self.family, &mut document);
        if self.mask != Mask::default() {
            document.put("mask", mask_json(&self.mask));
        }
        if self.mask_applied != Default::default() {
            document.put("mask_applied", quoted(self.mask_applied.key()));
        }
        put_after_mask(&self.family, &mut document);
        document.write(0) + "\n"
    }

    fn inputs_json(&self) -> String {
        let mut inputs = Object::default();
        match &self.inputs {
            Inputs::Direct { q, k, v } => {
                for (key, value) in [("q", q), ("k", k), ("v", v)] {
                    inputs.put(key, matrix(value, |&value| number(value)));
                }
            }
            Inputs::Projected(given) => {
                let matrices = [
                    ("x", Some(&given.x)),
                    ("x_kv", given.x_kv.as_ref()),
                    ("w_q", Some(&given.w_q)),
                    ("w_k", Some(&given.w_k)),
                    ("w_v", Some(&given.w_v)),
                ];
                for (key, value) in matrices {
                    inputs.put_some(key, value.map(|value: &Matrix| matrix(value, |&value| number(value))));
                }
                for (key, bias) in [("b_q", &given.b_q), ("b_k", &given.b_k), ("b_v", &given.b_v)] {
                    inputs.put_some(key, bias.as_ref().map(|bias| list(bias, |&value| number(value))));
                }
            }
        }
        inputs.put_some("w_o", self.w_o.as_ref().map(|w_o| matrix(w_o, |&value| number(value))));
        inputs.put_some("b_o", self.b_o.as_ref().map(|b_o| list(b_o, |&value| number(value))));
        inputs.write(1)
    }
}

fn mask_json(mask: &Mask) -> String {
    let mut rules = Object::default();
    match mask.causal {
        Causal::None => {}
        Causal::UpperLeft => rules.put("causal", quoted("upper_left")),
        Causal::LowerRight => rules.put("causal", quoted("lower_right")),
    }
    if let Some(window) = mask.window {
        let side = |key: &str, side: Option<usize>| side.map(|side| format!("\"{key}\": {side}"));
        let sides: Vec<String> = side("left", window.left).into_iter().chain(side("right", window.right)).collect();
        rules.put("window", format!("{{ {} }}", sides.join(", ")));
    }
    if !mask.global.is_empty() {
        rules.put("global", list(&mask.global, ToString::to_string));
    }
    rules.put_some("key_padding", mask.key_padding.as_ref().map(|flags| list(flags, ToString::to_string)));
    let allow = mask.allow.as_ref();
    rules.put_some("allow", allow.map(|allow| matrix(allow, |&pair| u8::from(pair).to_string())));
    rules.write(1)
}

/// An object whose values are already JSON. Lines inside a value are moved in when it is written.
#[derive(Default)]
pub(super) struct Object(Vec<(&'static str, String)>);

impl Object {
    pub(super) fn put(&mut self, key: &'static str, value: String) {
        self.0.push((key, value));
    }

    pub(super) fn put_some(&mut self, key: &'static str, value: Option<String>) {
        self.0.extend(value.map(|value| (key, value)));
    }

    pub(super) fn write(&self, depth: usize) -> String {
        let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
        let entries: Vec<String> = self.0.iter().map(|(key, value)| format!("{inner}\"{key}\": {value}")).collect();
        format!("{{\n{}\n{outer}}}", entries.join(",\n"))
    }
}

pub(super) fn matrix<T: nalgebra::Scalar>(matrix: &DMatrix<T>, cell: impl Fn(&T) -> String) -> String {
    let rows: Vec<String> = matrix
        .row_iter()
        .map(|row| format!("      [{}]", row.iter().map(&cell).collect::<Vec<_>>().join(", ")))
        .collect();
    if rows.is_empty() { "[]".to_owned() } else { format!("[\n{}\n    ]", rows.join(",\n")) }
}

pub(super) fn list<T>(items: &[T], item: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(item).collect::<Vec<_>>().join(", "))
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The shortest digits that read back as the same f64: `1`, `0.1`, `1e300`.
pub(super) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "null".to_owned();
    }
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_readable_and_leaves_defaults_out() {
        let text = r#"{"format":"attnlab/1","tokens":["a","\"b"],"scale":"none",
            "mask":{"causal":"upper_left","window":{"left":1},"allow":[[1,1],[0,1]]},"mask_applied":"never",
            "heads":{"query":1},"score":{"kind":"dot"},
            "inputs":{"q":[[1,2],[3.5,-0.25]],"k":[[1,2],[3,4]],"v":[[1],[2]]}}"#;
        let expected = r#"{
  "format": "attnlab/1",
  "tokens": ["a", "\"b"],
  "inputs": {
    "q": [
      [1, 2],
      [3.5, -0.25]
    ],
    "k": [
      [1, 2],
      [3, 4]
    ],
    "v": [
      [1],
      [2]
    ]
  },
  "scale": "none",
  "mask": {
    "causal": "upper_left",
    "window": { "left": 1 },
    "allow": [
      [1, 1],
      [0, 1]
    ]
  },
  "mask_applied": "never"
}
"#;
        assert_eq!(Problem::from_json(text).unwrap().to_json(), expected);
    }

    #[test]
    fn numbers_keep_every_bit() {
        for value in [0.1, 1e300, -0.0, 5e-324, f64::MAX, 1.0 / 3.0, 123456789012345680.0] {
            let read: f64 = serde_json::from_str(&number(value)).unwrap();
            assert_eq!(read.to_bits(), value.to_bits(), "{value:e}");
        }
        assert_eq!(number(f64::NAN), "null");
    }
}
