//! JSON: a problem file, nested lists, or an object of such lists by name.

use serde_json::Value;

use super::{FileContent, FileError, MOST_ELEMENTS, MOST_TENSORS, count, stem, too_large};
use crate::attention::{Problem, marked, unmarked};
use crate::exchange::number::cut;
use crate::exchange::tensor::{Element, Tensor, name_text};

/// `None` when the text is not JSON and may be something else. What begins as an object is a problem file with an
/// error, rather than nothing that is known.
pub(super) fn read(place: &str, text: &str) -> Option<Result<FileContent, FileError>> {
    let trimmed = text.trim_start();
    let is_object = trimmed.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']));
    if !is_object && !trimmed.starts_with('[') {
        return None;
    }
    let value = serde_json::from_str(text).or_else(|error| match marked(text) {
        Some(marked) => serde_json::from_str(&marked),
        None => Err(error),
    });
    match value {
        Ok(Value::Object(map)) if !map.contains_key("format") => {
            if map.len() > MOST_TENSORS {
                return Some(Err(too_large(place, &map.len().to_string(), MOST_TENSORS)));
            }
            let mut left = MOST_ELEMENTS;
            let tensors = map.iter().map(|(name, value)| tensor(name_text(name), value, &mut left));
            Some(match tensors.collect::<Result<Vec<_>, _>>() {
                Ok(tensors) if tensors.is_empty() => Err(FileError::Empty { place: place.to_owned() }),
                tensors => tensors.map(FileContent::Tensors),
            })
        }
        Ok(value @ Value::Array(_)) => {
            let mut left = MOST_ELEMENTS;
            let tensor = tensor(stem(place).to_owned(), &value, &mut left);
            Some(tensor.map(|tensor| FileContent::Tensors(vec![tensor])))
        }
        // A list that is not JSON may be what NumPy prints.
        Err(_) if !is_object => None,
        _ => Some(
            Problem::from_json(text).map(|problem| FileContent::Problem(Box::new(problem))).map_err(FileError::Problem),
        ),
    }
}

fn tensor(name: String, value: &Value, left: &mut usize) -> Result<Tensor, FileError> {
    let mut shape = Vec::new();
    let mut first = value;
    while let Value::Array(items) = first {
        shape.push(items.len());
        match items.first() {
            Some(item) => first = item,
            None => break,
        }
    }
    *left -= count(&name, &shape, *left)?;
    // The shape is what the first items claim; the numbers may be fewer.
    let mut values = Vec::new();
    let mut is_flags = true;
    collect(value, &shape, &mut values, &mut is_flags).map_err(|(indices, error)| {
        // The error knows what it found, the way back to the top where.
        let place: String = indices.iter().rev().map(|index| format!("[{index}]")).collect();
        error(format!("{name}{place}"))
    })?;
    let element = if is_flags { Element::Bool } else { Element::F64 };
    Ok(Tensor { name, shape, element, values })
}

/// The indices that lead to what is refused, innermost first, and the error once its place is known.
type Refusal = (Vec<usize>, Box<dyn FnOnce(String) -> FileError>);

/// As deep as the shape, which `count` has bounded.
fn collect(value: &Value, shape: &[usize], values: &mut Vec<f64>, is_flags: &mut bool) -> Result<(), Refusal> {
    let Some((&size, inner)) = shape.split_first() else {
        *is_flags &= value.is_boolean();
        let found = number(value).map_err(|found| {
            let error = |place| FileError::NotANumber { place, found };
            (Vec::new(), Box::new(error) as Box<dyn FnOnce(String) -> FileError>)
        })?;
        values.push(found);
        return Ok(());
    };
    let (found, expected) = match value {
        Value::Array(items) if items.len() == size => {
            return items.iter().enumerate().try_for_each(|(index, item)| {
                collect(item, inner, values, is_flags).map_err(|(mut indices, error)| {
                    indices.push(index);
                    (indices, error)
                })
            });
        }
        Value::Array(items) => (items.len().to_string(), size.to_string()),
        other => (cut(&other.to_string()), "[ … ]".to_owned()),
    };
    Err((Vec::new(), Box::new(move |place| FileError::Ragged { place, found, expected })))
}

/// A number, or what stands in its place.
fn number(value: &Value) -> Result<f64, String> {
    match value {
        Value::Number(number) => number.as_f64().ok_or_else(|| cut(&number.to_string())),
        Value::Bool(flag) => Ok(f64::from(u8::from(*flag))),
        // JSON has no infinity: Python writes a bare word, this program a text.
        Value::String(text) => match unmarked(text).unwrap_or(text).replace('\u{2212}', "-").as_str() {
            "nan" | "NaN" => Ok(f64::NAN),
            "inf" | "Infinity" | "∞" => Ok(f64::INFINITY),
            "-inf" | "-Infinity" | "-∞" => Ok(f64::NEG_INFINITY),
            other => unmarked(text).and_then(|text| text.parse().ok()).ok_or_else(|| format!("\"{}\"", cut(other))),
        },
        Value::Array(_) => Err("[ … ]".to_owned()),
        Value::Object(_) => Err("{ … }".to_owned()),
        Value::Null => Err("null".to_owned()),
    }
}
