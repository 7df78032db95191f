//! Typed reading of JSON values: each function names the place of what it refuses and returns nothing for it.
//!
//! It knows JSON and errors; which keys a problem has is `parse`'s.

use nalgebra::DMatrix;
use serde_json::{Map, Value};

use super::error::{ErrorKind, Errors};
use super::non_finite;
use super::problem::Matrix;

/// Examples of what is expected, in JSON's own notation so that no translation is needed.
pub(super) const MATRIX: &str = "[[0.5, 1], [2, 3]]";
pub(super) const NUMBERS: &str = "[0.5, 1]";
pub(super) const FLAGS: &str = "[true, false] | [1, 0]";
pub(super) const NUMBER: &str = "0.5";
pub(super) const COUNT: &str = "0, 1, 2, …";
pub(super) const TEXT: &str = "\"…\"";
pub(super) const TEXTS: &str = "[\"…\", \"…\"]";
pub(super) const OBJECT: &str = "{ … }";

/// The largest count: what a usize holds in the browser, so that every machine reads the same.
const LARGEST_COUNT: f64 = u32::MAX as f64;

/// An object that holds nothing but `known` keys.
pub(super) fn object<'v>(
    place: &str,
    value: &'v Value,
    known: &[&str],
    errors: &mut Errors,
) -> Option<&'v Map<String, Value>> {
    let Some(map) = value.as_object() else { return refuse(place, value, OBJECT, errors) };
    for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
        errors.push(join(place, key), ErrorKind::UnknownKey { found: cut(key), expected: known.join(", ") });
    }
    Some(map)
}

pub(super) fn number(place: &str, value: &Value, errors: &mut Errors) -> Option<f64> {
    if let Some(found) = value.as_str().and_then(non_finite::unmarked) {
        errors.push(place, ErrorKind::NotFinite { found: cut(found) });
        return None;
    }
    value.as_f64().or_else(|| refuse(place, value, NUMBER, errors))
}

/// A whole number from 0; 2.0 is one too.
pub(super) fn count(place: &str, value: &Value, errors: &mut Errors) -> Option<usize> {
    match value.as_f64() {
        Some(number) if number >= 0.0 && number.fract() == 0.0 && number <= LARGEST_COUNT => Some(number as usize),
        _ => refuse(place, value, COUNT, errors),
    }
}

pub(super) fn flag(place: &str, value: &Value, errors: &mut Errors) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        _ => {
            errors
                .push(place, ErrorKind::UnknownValue { found: shown(value), expected: "true | false | 1 | 0".into() });
            None
        }
    }
}

pub(super) fn text<'v>(place: &str, value: &'v Value, errors: &mut Errors) -> Option<&'v str> {
    value.as_str().or_else(|| refuse(place, value, TEXT, errors))
}

/// One of a few words, each with what it stands for.
pub(super) fn word<T: Copy>(place: &str, value: &Value, words: &[(&str, T)], errors: &mut Errors) -> Option<T> {
    let found = value.as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
    if found.is_none() {
        let expected = words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(" | ");
        errors.push(place, ErrorKind::UnknownValue { found: shown(value), expected });
    }
    found.map(|&(_, meaning)| meaning)
}

/// A list, each item read by `item`; nothing when one of them is refused (all of them are named).
pub(super) fn list<'v, T>(
    place: &str,
    value: &'v Value,
    example: &str,
    errors: &mut Errors,
    item: impl Fn(&str, &'v Value, &mut Errors) -> Option<T>,
) -> Option<Vec<T>> {
    let Some(items) = value.as_array() else { return refuse(place, value, example, errors) };
    let mut read = Vec::with_capacity(items.len());
    for (index, value) in items.iter().enumerate() {
        read.extend(item(&format!("{place}[{index}]"), value, errors));
    }
    (read.len() == items.len()).then_some(read)
}

pub(super) fn numbers(place: &str, value: &Value, errors: &mut Errors) -> Option<Vec<f64>> {
    list(place, value, NUMBERS, errors, number)
}

pub(super) fn matrix(place: &str, value: &Value, errors: &mut Errors) -> Option<Matrix> {
    rectangle(place, value, MATRIX, errors, numbers)
}

pub(super) fn flags(place: &str, value: &Value, errors: &mut Errors) -> Option<DMatrix<bool>> {
    rectangle(place, value, "[[1, 0], [1, 1]]", errors, |place, row, errors| list(place, row, FLAGS, errors, flag))
}

fn rectangle<T: nalgebra::Scalar + Copy>(
    place: &str,
    value: &Value,
    example: &str,
    errors: &mut Errors,
    row: impl Fn(&str, &Value, &mut Errors) -> Option<Vec<T>>,
) -> Option<DMatrix<T>> {
    let rows = list(place, value, example, errors, row)?;
    let width = rows.first().map_or(0, Vec::len);
    let mut is_ragged = false;
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.len() != width) {
        errors.push(format!("{place}[{index}]"), ErrorKind::Ragged { found: row.len(), expected: width });
        is_ragged = true;
    }
    (!is_ragged).then(|| DMatrix::from_fn(rows.len(), width, |row, column| rows[row][column]))
}

fn refuse<T>(place: &str, value: &Value, expected: &str, errors: &mut Errors) -> Option<T> {
    errors.push(place, ErrorKind::WrongType { found: shown(value), expected: expected.to_owned() });
    None
}

/// `inputs.q`; the place of the whole text is empty.
pub(super) fn join(place: &str, key: &str) -> String {
    if place.is_empty() { cut(key) } else { format!("{place}.{}", cut(key)) }
}

/// A value as an error shows it: short.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) if items.is_empty() => "[]".to_owned(),
        Value::Array(_) => "[ … ]".to_owned(),
        Value::Object(_) => OBJECT.to_owned(),
        Value::String(text) if non_finite::unmarked(text).is_some() => cut(&text[1..]),
        Value::String(text) => format!("\"{}\"", cut(text)),
        other => other.to_string(),
    }
}

fn cut(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}
