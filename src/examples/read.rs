//! One example file: a problem with expected numbers, its source, and the precision of its printing.

use serde_json::Value;

use crate::attention::{Matrix, Part, Problem, from_rows};

/// A worked example.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    pub id: String,
    pub source: String,
    pub note: Option<String>,
    pub problem: Problem,
    /// What the source itself printed; all other expectations are ours.
    pub printed: Vec<ExpectKey>,
    pub expect: Vec<Expectation>,
    /// How far a number may be from the expected one: what its printing leaves open.
    pub tolerance: f64,
    /// Digits after the point that the source printed.
    pub decimals: usize,
}

/// Which numbers: `weights/0` for a head, `output` for what is there once, `@1` for one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectKey {
    pub part: Part,
    pub head: usize,
    pub row: Option<usize>,
}

impl ExpectKey {
    /// ```
    /// # use attnlab::examples::ExpectKey;
    /// let key = ExpectKey::parse("weights/0@1").unwrap();
    /// assert_eq!((key.part.key(), key.head, key.row), ("weights", 0, Some(1)));
    /// assert!(ExpectKey::parse("colour").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<ExpectKey> {
        let (step, row) = match text.split_once('@') {
            Some((step, row)) => (step, Some(row.parse().ok()?)),
            None => (text, None),
        };
        let (part, head) = match step.split_once('/') {
            Some((part, head)) => (part, head.parse().ok()?),
            None => (step, 0),
        };
        Some(ExpectKey { part: Part::from_key(part)?, head, row })
    }
}

/// The numbers expected of one step, or of one row of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    pub part: Part,
    pub head: usize,
    pub row: Option<usize>,
    /// One row when `row` is given, else the whole matrix.
    pub values: Matrix,
    pub printed_by_source: bool,
}

impl Expectation {
    /// Which numbers these are.
    pub fn key(&self) -> ExpectKey {
        ExpectKey { part: self.part, head: self.head, row: self.row }
    }
}

/// Reads an example file.
///
/// # Errors
/// What is wrong with it, in English: example files are part of the program.
pub(super) fn read(text: &str) -> Result<Example, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let text_at = |key: &str| file[key].as_str().map(str::to_owned);
    let problem = Problem::from_value(&file["problem"])
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let printed_keys = file["printed"].as_array().ok_or("printed is missing")?;
    let printed = printed_keys.iter().map(read_key).collect::<Result<Vec<_>, _>>()?;
    let expected = file["expect"].as_object().ok_or("expect is missing")?;
    let expect =
        expected.iter().map(|(key, values)| read_expectation(key, values, &printed)).collect::<Result<Vec<_>, _>>()?;
    if let Some(key) = printed.iter().find(|key| expect.iter().all(|expectation| expectation.key() != **key)) {
        return Err(format!("{key:?} is printed but not expected"));
    }
    let tolerance = file["tolerance"].as_f64().ok_or("tolerance is missing")?;
    let decimals = file["decimals"].as_u64().map_or(decimals_of(tolerance), |decimals| decimals as usize);
    Ok(Example {
        id: text_at("id").ok_or("id is missing")?,
        source: text_at("source").ok_or("source is missing")?,
        note: text_at("note"),
        problem,
        printed,
        expect,
        tolerance,
        decimals,
    })
}

fn read_key(value: &Value) -> Result<ExpectKey, String> {
    value.as_str().and_then(ExpectKey::parse).ok_or_else(|| format!("{value} names no step"))
}

fn read_expectation(key: &str, values: &Value, printed: &[ExpectKey]) -> Result<Expectation, String> {
    let parsed = ExpectKey::parse(key).ok_or_else(|| format!("{key} names no step"))?;
    let ExpectKey { part, head, row } = parsed;
    let rows: Option<Vec<Vec<f64>>> = match row {
        Some(_) => numbers(values).map(|row| vec![row]),
        None => values.as_array().and_then(|rows| rows.iter().map(numbers).collect()),
    };
    let values = rows.and_then(|rows| from_rows(&rows)).ok_or_else(|| format!("{key} holds no matrix"))?;
    Ok(Expectation { part, head, row, values, printed_by_source: printed.contains(&parsed) })
}

fn numbers(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

/// A tolerance of 6·10⁻⁵ is half a unit of the fourth digit and a little more.
fn decimals_of(tolerance: f64) -> usize {
    // A tolerance of zero is for whole numbers.
    if tolerance > 0.0 { (-tolerance.log10()).floor().clamp(0.0, 15.0) as usize } else { 0 }
}
