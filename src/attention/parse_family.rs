//! What is changed in the plain formula, read: score, softcap, position, bias, sink, normalise, dropout.
//!
//! What cannot be read is left at its default: its error is named, and the text is refused in any case.

use serde_json::{Map, Value};

use super::error::{ErrorKind, Errors};
use super::family::{Bias, Dropout, Family, Normalise};
use super::json;
use super::position::{Layout, Position, Rope, Scaling};
use super::problem::Matrix;
use super::score::Score;

type Object = Map<String, Value>;

pub(super) fn read_family(map: &Object, errors: &mut Errors) -> Family {
    Family {
        score: map.get("score").and_then(|value| read_score(value, errors)).unwrap_or_default(),
        softcap: map.get("softcap").and_then(|value| json::number("softcap", value, errors)),
        position: map.get("position").and_then(|value| read_position(value, errors)).unwrap_or_default(),
        bias: map.get("bias").and_then(|value| read_bias(value, errors)),
        sink: map.get("sink").and_then(|value| json::numbers("sink", value, errors)),
        normalise: map.get("normalise").and_then(|value| read_normalise(value, errors)).unwrap_or_default(),
        dropout: map.get("dropout").and_then(|value| read_dropout(value, errors)).unwrap_or_default(),
    }
}

/// The kind of an object and the object itself, which may hold nothing but the keys that its kind takes.
fn kind_of<'v>(
    place: &str,
    value: &'v Value,
    kinds: &[(&'static str, &[&str])],
    errors: &mut Errors,
) -> Option<(&'static str, &'v Object)> {
    let found = value.get("kind");
    let known = found.and_then(Value::as_str).and_then(|kind| kinds.iter().find(|(name, _)| *name == kind));
    let Some(&(kind, keys)) = known else {
        if !value.is_object() {
            json::object(place, value, &[], errors);
        } else if let Some(found) = found {
            let expected = kinds.iter().map(|(kind, _)| format!("\"{kind}\"")).collect::<Vec<_>>().join(" | ");
            errors.push(json::join(place, "kind"), ErrorKind::UnknownValue { found: json::shown(found), expected });
        } else {
            errors.push(json::join(place, "kind"), ErrorKind::Missing { expected: "kind".to_owned() });
        }
        return None;
    };
    let all: Vec<&str> = ["kind"].into_iter().chain(keys.iter().copied()).collect();
    Some((kind, json::object(place, value, &all, errors)?))
}

/// A key that must be there.
fn needed<T>(
    place: &str,
    key: &str,
    map: &Object,
    errors: &mut Errors,
    read: impl Fn(&str, &Value, &mut Errors) -> Option<T>,
) -> Option<T> {
    let at = json::join(place, key);
    match map.get(key) {
        Some(value) => read(&at, value, errors),
        None => {
            errors.push(at, ErrorKind::Missing { expected: key.to_owned() });
            None
        }
    }
}

fn read_score(value: &Value, errors: &mut Errors) -> Option<Score> {
    let kinds: [(&str, &[&str]); 4] =
        [("dot", &[]), ("general", &["w"]), ("concat", &["w", "v"]), ("additive", &["w_q", "w_k", "v"])];
    let (kind, map) = kind_of("score", value, &kinds, errors)?;
    let mut matrix = |key: &str| needed("score", key, map, errors, json::matrix);
    match kind {
        "general" => Some(Score::General { w: matrix("w")? }),
        "concat" => {
            let w = matrix("w");
            let v = needed("score", "v", map, errors, json::numbers);
            Some(Score::Concat { w: w?, v: v? })
        }
        "additive" => {
            let (w_q, w_k) = (matrix("w_q"), matrix("w_k"));
            let v = needed("score", "v", map, errors, json::numbers);
            Some(Score::Additive { w_q: w_q?, w_k: w_k?, v: v? })
        }
        _ => Some(Score::Dot),
    }
}

fn read_position(value: &Value, errors: &mut Errors) -> Option<Position> {
    let kinds: [(&str, &[&str]); 5] = [
        ("none", &[]),
        ("sinusoidal", &["base"]),
        ("learned", &["table"]),
        ("rope", &["base", "layout", "offset", "scaling"]),
        ("alibi", &["slopes"]),
    ];
    let (kind, map) = kind_of("position", value, &kinds, errors)?;
    match kind {
        "sinusoidal" => {
            let base = map.get("base").map_or(Some(10_000.0), |base| json::number("position.base", base, errors));
            Some(Position::Sinusoidal { base: base? })
        }
        "learned" => Some(Position::Learned { table: needed("position", "table", map, errors, json::matrix)? }),
        "rope" => Some(Position::Rope(read_rope(map, errors)?)),
        "alibi" => Some(Position::Alibi { slopes: needed("position", "slopes", map, errors, json::numbers)? }),
        _ => Some(Position::None),
    }
}

fn read_rope(map: &Object, errors: &mut Errors) -> Option<Rope> {
    let default = Rope::default();
    let layouts = [("interleaved", Layout::Interleaved), ("half_split", Layout::HalfSplit)];
    let layout =
        map.get("layout").map_or(Some(default.layout), |value| json::word("position.layout", value, &layouts, errors));
    let mut number = |key: &str, default: f64| {
        map.get(key).map_or(Some(default), |value| json::number(&json::join("position", key), value, errors))
    };
    let (base, offset) = (number("base", default.base), number("offset", default.offset));
    let scaling = map.get("scaling").map_or(Some(default.scaling), |value| read_scaling(value, errors));
    Some(Rope { base: base?, layout: layout?, offset: offset?, scaling: scaling? })
}

fn read_scaling(value: &Value, errors: &mut Errors) -> Option<Scaling> {
    let place = "position.scaling";
    let kinds: [(&str, &[&str]); 3] = [("none", &[]), ("linear", &["factor"]), ("ntk", &["factor"])];
    let (kind, map) = kind_of(place, value, &kinds, errors)?;
    let mut factor = || needed(place, "factor", map, errors, json::number);
    match kind {
        "linear" => Some(Scaling::Linear { factor: factor()? }),
        "ntk" => Some(Scaling::Ntk { factor: factor()? }),
        _ => Some(Scaling::None),
    }
}

/// One matrix for all heads, or one a query head: a third level of brackets says which.
fn read_bias(value: &Value, errors: &mut Errors) -> Option<Bias> {
    let first_row = value.get(0).and_then(|row| row.get(0));
    if first_row.is_some_and(Value::is_array) {
        let example = "[[[0.5, 1], [2, 3]]]";
        let heads = json::list("bias", value, example, errors, json::matrix)?;
        let shape = |matrix: &Matrix| format!("{}×{}", matrix.nrows(), matrix.ncols());
        for (head, matrix) in heads.iter().enumerate().filter(|(_, matrix)| matrix.shape() != heads[0].shape()) {
            let kind = ErrorKind::Shape { found: shape(matrix), expected: shape(&heads[0]) };
            errors.push(format!("bias[{head}]"), kind);
        }
        return Bias::per_head(&heads);
    }
    json::matrix("bias", value, errors).map(Bias::all)
}

fn read_normalise(value: &Value, errors: &mut Errors) -> Option<Normalise> {
    let kinds: [(&str, &[&str]); 3] = [("softmax", &[]), ("linear", &["feature_map"]), ("sum", &[])];
    let (kind, map) = kind_of("normalise", value, &kinds, errors)?;
    if kind == "linear" {
        let read =
            |place: &str, value: &Value, errors: &mut Errors| json::word(place, value, &[("elu_plus_one", ())], errors);
        needed("normalise", "feature_map", map, errors, read)?;
    }
    Normalise::ALL.into_iter().find(|normalise| normalise.key() == kind)
}

fn read_dropout(value: &Value, errors: &mut Errors) -> Option<Dropout> {
    let map = json::object("dropout", value, &["p", "seed"], errors)?;
    let seed = map.get("seed").map_or(Some(0), |seed| json::count("dropout.seed", seed, errors));
    let p = map.get("p").map_or(Some(0.0), |p| json::number("dropout.p", p, errors));
    Some(Dropout { p: p?, seed: seed? })
}
