//! The problem file, read: JSON text → Problem, or every error in it.
//!
//! The format is a contract (`attnlab/1`). A key or a value that it does not have is
//! refused by name, so that nothing is ever silently ignored. How a value is read is in `json`, what is changed in the
//! plain formula in `parse_family`, whether the parts fit one another in `validate`.

use serde_json::{Map, Value};

use super::error::{ErrorKind, Errors, ProblemError};
use super::json;
use super::non_finite;
use super::parse_family::read_family;
use super::problem::{Causal, Heads, Inputs, Mask, MaskApplied, Matrix, Problem, Projected, Scale, Window};
use super::validate::{Draft, DraftInputs, DraftProjected, Slot};

/// The version that this program reads and writes.
pub const FORMAT: &str = "attnlab/1";
/// The longest text that is read: 16 MiB.
pub const MOST_BYTES: usize = 16 << 20;

const KEYS: [&str; 16] = [
    "format",
    "title",
    "tokens",
    "memory",
    "inputs",
    "heads",
    "score",
    "scale",
    "softcap",
    "position",
    "bias",
    "sink",
    "mask",
    "mask_applied",
    "normalise",
    "dropout",
];
const DIRECT: [&str; 3] = ["q", "k", "v"];
const PROJECTED: [&str; 8] = ["x", "x_kv", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v"];

impl Problem {
    /// Reads a problem file and validates it.
    ///
    /// # Errors
    /// Every error in the text (up to a thousand), each with its place, what was found and what was expected.
    ///
    /// ```
    /// # use attnlab::attention::Problem;
    /// let errors = Problem::from_json(
    ///     r#"{"format":"attnlab/1","hedas":{},"inputs":{"q":[[1,2]],"k":[[1],[2,3]],"v":[[1]]}}"#).unwrap_err();
    /// assert_eq!(errors[0].place, "hedas");
    /// assert_eq!(errors[1].to_string(), "inputs.k[1]: this row has 2 numbers, expected 1 as in row 0");
    /// ```
    pub fn from_json(text: &str) -> Result<Problem, Vec<ProblemError>> {
        let mut errors = Errors::default();
        let problem = read_text(text, &mut errors);
        errors.into_result()?;
        Ok(problem.expect("a text without errors is a problem"))
    }

    /// Reads a problem that is part of a larger JSON document.
    ///
    /// # Errors
    /// As `from_json`.
    pub fn from_value(value: &Value) -> Result<Problem, Vec<ProblemError>> {
        let mut errors = Errors::default();
        let problem = read_document(value, &mut errors);
        errors.into_result()?;
        Ok(problem.expect("a document without errors is a problem"))
    }
}

fn read_text(text: &str, errors: &mut Errors) -> Option<Problem> {
    if text.len() > MOST_BYTES {
        let found = format!("{} bytes", text.len());
        errors.push("", ErrorKind::OutOfRange { found, expected: format!("0…{MOST_BYTES}") });
        return None;
    }
    let value = serde_json::from_str(text).or_else(|error| match non_finite::marked(text) {
        Some(marked) => serde_json::from_str(&marked),
        None => Err(error),
    });
    match value {
        Ok(value) => read_document(&value, errors),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let account = error.to_string();
            let found = account.split(" at line ").next().unwrap_or_default().to_owned();
            errors.push("", ErrorKind::NotJson { found, line, column });
            None
        }
    }
}

fn read_document(value: &Value, errors: &mut Errors) -> Option<Problem> {
    if !value.is_object() {
        json::object("", value, &KEYS, errors);
        return None;
    }
    // The version first: of another one nothing else can be judged.
    match value.get("format") {
        Some(Value::String(found)) if found == FORMAT => {}
        Some(found) => {
            let found = json::shown(found);
            errors.push("format", ErrorKind::UnknownFormat { found, expected: format!("\"{FORMAT}\"") });
            return None;
        }
        None => errors.push("format", ErrorKind::Missing { expected: format!("\"format\": \"{FORMAT}\"") }),
    }
    let map = json::object("", value, &KEYS, errors)?;
    let title = map.get("title").and_then(|title| json::text("title", title, errors)).map(str::to_owned);
    let tokens = read_labels("tokens", map, errors);
    let memory = read_labels("memory", map, errors);
    let inputs = InputsRead::read(map, errors);
    let heads = match map.get("heads") {
        Some(value) => read_heads(value, errors),
        None => Some(Heads { query: 1, key_value: 1 }),
    };
    let scale = map.get("scale").map_or(Some(Scale::default()), |value| read_scale(value, errors));
    let mask = map.get("mask").map_or_else(Mask::default, |value| read_mask(value, errors));
    let mask_applied =
        map.get("mask_applied").map_or(Some(MaskApplied::default()), |value| read_mask_applied(value, errors));
    let family = read_family(map, errors);

    Draft {
        inputs: inputs.draft(),
        w_o: inputs.w_o.as_ref(),
        b_o: inputs.b_o.as_ref(),
        heads,
        scale,
        family: &family,
        tokens: tokens.as_ref().map(Vec::len),
        memory: memory.as_ref().map(Vec::len),
        global: &mask.global,
        key_padding: mask.key_padding.as_ref().map(Vec::len),
        allow: mask.allow.as_ref().map(|allow| allow.shape()),
        is_cross: map.contains_key("memory") || !matches!(inputs.x_kv, Slot::Absent),
    }
    .check(errors);
    if !errors.0.is_empty() {
        return None;
    }
    let (w_o, b_o) = (inputs.w_o.clone_read(), inputs.b_o.clone_read());
    let inputs = inputs.finish()?;
    Some(Problem {
        title,
        tokens,
        memory,
        inputs,
        w_o,
        b_o,
        heads: heads?,
        scale: scale?,
        family,
        mask,
        mask_applied: mask_applied?,
    })
}

fn read_labels(key: &str, map: &Map<String, Value>, errors: &mut Errors) -> Option<Vec<String>> {
    let value = map.get(key)?;
    json::list(key, value, json::TEXTS, errors, |place, label, errors| {
        json::text(place, label, errors).map(str::to_owned)
    })
}

/// Both forms as far as they were there and could be read.
struct InputsRead {
    form: Form,
    direct: [Slot<Matrix>; 3],
    x: Slot<Matrix>,
    x_kv: Slot<Matrix>,
    w: [Slot<Matrix>; 3],
    b: [Slot<Vec<f64>>; 3],
    w_o: Slot<Matrix>,
    b_o: Slot<Vec<f64>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Direct,
    Projected,
    Unknown,
}

impl InputsRead {
    fn read(map: &Map<String, Value>, errors: &mut Errors) -> Self {
        let known: Vec<&str> = DIRECT.into_iter().chain(PROJECTED).chain(["w_o", "b_o"]).collect();
        let empty = Map::new();
        let given = match map.get("inputs") {
            Some(value) => json::object("inputs", value, &known, errors),
            None => {
                errors.push("inputs", ErrorKind::Missing { expected: "inputs".to_owned() });
                None
            }
        };
        let form = given.map_or(Form::Unknown, |given| form_of(given, errors));
        let given = given.unwrap_or(&empty);
        let mut matrix = |key: &str| read_slot(key, given, errors, json::matrix);
        let direct = DIRECT.map(&mut matrix);
        let (x, x_kv, w_o) = (matrix("x"), matrix("x_kv"), matrix("w_o"));
        let w = ["w_q", "w_k", "w_v"].map(matrix);
        let mut bias = |key: &str| read_slot(key, given, errors, json::numbers);
        let (b, b_o) = (["b_q", "b_k", "b_v"].map(&mut bias), bias("b_o"));
        InputsRead { form, direct, x, x_kv, w, b, w_o, b_o }
    }

    fn draft(&self) -> DraftInputs<'_> {
        let [q, k, v] = self.direct.each_ref().map(Slot::as_ref);
        match self.form {
            Form::Direct => DraftInputs::Direct { q, k, v },
            Form::Projected => DraftInputs::Projected(Box::new(DraftProjected {
                x: self.x.as_ref(),
                x_kv: self.x_kv.as_ref(),
                w: self.w.each_ref().map(Slot::as_ref),
                b: self.b.each_ref().map(Slot::as_ref),
            })),
            Form::Unknown => DraftInputs::Unknown,
        }
    }

    fn finish(self) -> Option<Inputs> {
        let [w_q, w_k, w_v] = self.w;
        let [b_q, b_k, b_v] = self.b;
        let [q, k, v] = self.direct;
        match self.form {
            Form::Direct => Some(Inputs::Direct { q: q.read()?, k: k.read()?, v: v.read()? }),
            Form::Projected => Some(Inputs::Projected(Projected {
                x: self.x.read()?,
                x_kv: self.x_kv.read(),
                w_q: w_q.read()?,
                w_k: w_k.read()?,
                w_v: w_v.read()?,
                b_q: b_q.read(),
                b_k: b_k.read(),
                b_v: b_v.read(),
            })),
            Form::Unknown => None,
        }
    }
}

impl<T: Clone> Slot<T> {
    fn clone_read(&self) -> Option<T> {
        self.as_ref().map(T::clone).read()
    }
}

fn read_slot<T>(
    key: &str,
    given: &Map<String, Value>,
    errors: &mut Errors,
    read: impl Fn(&str, &Value, &mut Errors) -> Option<T>,
) -> Slot<T> {
    match given.get(key) {
        Some(value) => read(&json::join("inputs", key), value, errors).map_or(Slot::Broken, Slot::Read),
        None => Slot::Absent,
    }
}

/// Exactly one of the two forms, with all that it needs.
fn form_of(given: &Map<String, Value>, errors: &mut Errors) -> Form {
    let has = |keys: &[&'static str]| keys.iter().filter(|key| given.contains_key(**key)).copied().collect::<Vec<_>>();
    let (direct, projected) = (has(&DIRECT), has(&PROJECTED));
    let forms = "{ q, k, v } | { x, w_q, w_k, w_v }";
    let (form, needed): (_, &[&str]) = match (direct.is_empty(), projected.is_empty()) {
        (false, true) => (Form::Direct, &DIRECT),
        (true, false) => (Form::Projected, &["x", "w_q", "w_k", "w_v"]),
        (true, true) => {
            errors.push("inputs", ErrorKind::Missing { expected: forms.to_owned() });
            return Form::Unknown;
        }
        (false, false) => {
            let found = direct.into_iter().chain(projected).collect::<Vec<_>>().join(", ");
            errors.push("inputs", ErrorKind::TwoForms { found, expected: forms.to_owned() });
            return Form::Unknown;
        }
    };
    for key in needed.iter().filter(|key| !given.contains_key(**key)) {
        errors.push(format!("inputs.{key}"), ErrorKind::Missing { expected: (*key).to_owned() });
    }
    form
}

fn read_heads(value: &Value, errors: &mut Errors) -> Option<Heads> {
    let map = json::object("heads", value, &["query", "key_value"], errors)?;
    let query = map.get("query").map_or(Some(1), |value| json::count("heads.query", value, errors));
    let key_value = map.get("key_value").map_or(query, |value| json::count("heads.key_value", value, errors));
    Some(Heads { query: query?, key_value: key_value? })
}

fn read_scale(value: &Value, errors: &mut Errors) -> Option<Scale> {
    match value {
        Value::Number(_) => json::number("scale", value, errors).map(Scale::Factor),
        Value::String(text) if text == "inverse_sqrt" => Some(Scale::InverseSqrt),
        Value::String(text) if text == "none" => Some(Scale::None),
        Value::String(text) if non_finite::unmarked(text).is_some() => {
            json::number("scale", value, errors).map(Scale::Factor)
        }
        _ => {
            let expected = "\"inverse_sqrt\" | \"none\" | 0.5".to_owned();
            errors.push("scale", ErrorKind::UnknownValue { found: json::shown(value), expected });
            None
        }
    }
}

/// What cannot be read is left out: its error is named, and the text is refused in any case.
fn read_mask(value: &Value, errors: &mut Errors) -> Mask {
    let known = ["causal", "window", "global", "key_padding", "allow"];
    let Some(map) = json::object("mask", value, &known, errors) else { return Mask::default() };
    let causal_words = [("none", Causal::None), ("upper_left", Causal::UpperLeft), ("lower_right", Causal::LowerRight)];
    let mut mask = Mask::default();
    if let Some(value) = map.get("causal") {
        mask.causal = json::word("mask.causal", value, &causal_words, errors).unwrap_or_default();
    }
    mask.window = map.get("window").and_then(|value| read_window(value, errors));
    if let Some(value) = map.get("global") {
        mask.global = json::list("mask.global", value, "[0, 1]", errors, json::count).unwrap_or_default();
    }
    mask.key_padding =
        map.get("key_padding").and_then(|value| json::list("mask.key_padding", value, json::FLAGS, errors, json::flag));
    mask.allow = map.get("allow").and_then(|value| json::flags("mask.allow", value, errors));
    mask
}

fn read_window(value: &Value, errors: &mut Errors) -> Option<Window> {
    let map = json::object("mask.window", value, &["left", "right"], errors)?;
    let mut side =
        |key: &str| map.get(key).and_then(|value| json::count(&json::join("mask.window", key), value, errors));
    Some(Window { left: side("left"), right: side("right") })
}

fn read_mask_applied(value: &Value, errors: &mut Errors) -> Option<MaskApplied> {
    json::word("mask_applied", value, &MaskApplied::ALL.map(|applied| (applied.key(), applied)), errors)
}
