//! What is changed in the plain formula, written: only what is not at its default, in the order of the format.

use super::family::{Dropout, Family, Normalise};
use super::position::{Layout, Position, Rope, Scaling};
use super::problem::Matrix;
use super::score::Score;
use super::write::{Object, list, matrix, number, quoted};

pub(super) fn put_score(family: &Family, document: &mut Object) {
    let mut score = Object::default();
    score.put("kind", quoted(family.score.key()));
    match &family.score {
        Score::Dot => return,
        Score::General { w } => score.put("w", rows(w)),
        Score::Concat { w, v } => {
            score.put("w", rows(w));
            score.put("v", numbers(v));
        }
        Score::Additive { w_q, w_k, v } => {
            score.put("w_q", rows(w_q));
            score.put("w_k", rows(w_k));
            score.put("v", numbers(v));
        }
    }
    document.put("score", score.write(1));
}

/// What stands between scale and mask.
pub(super) fn put_before_mask(family: &Family, document: &mut Object) {
    document.put_some("softcap", family.softcap.map(number));
    match &family.position {
        Position::None => {}
        Position::Sinusoidal { base } => {
            document.put("position", format!("{{ \"kind\": \"sinusoidal\", \"base\": {} }}", number(*base)));
        }
        Position::Learned { table } => {
            let mut position = Object::default();
            position.put("kind", quoted("learned"));
            position.put("table", rows(table));
            document.put("position", position.write(1));
        }
        Position::Rope(rope) => document.put("position", rope_json(rope)),
        Position::Alibi { slopes } => {
            document.put("position", format!("{{ \"kind\": \"alibi\", \"slopes\": {} }}", numbers(slopes)));
        }
    }
    match &family.bias {
        None => {}
        Some(bias) if bias.heads().is_some() => document.put("bias", list(&bias.matrices(), rows)),
        Some(bias) => document.put("bias", rows(&bias.values)),
    }
    document.put_some("sink", family.sink.as_ref().map(|sink| numbers(sink)));
}

pub(super) fn put_after_mask(family: &Family, document: &mut Object) {
    match family.normalise {
        Normalise::Softmax => {}
        Normalise::Sum => document.put("normalise", "{ \"kind\": \"sum\" }".to_owned()),
        Normalise::Linear => {
            document.put("normalise", "{ \"kind\": \"linear\", \"feature_map\": \"elu_plus_one\" }".to_owned());
        }
    }
    let Dropout { p, seed } = family.dropout;
    if family.dropout != Dropout::default() {
        document.put("dropout", format!("{{ \"p\": {}, \"seed\": {seed} }}", number(p)));
    }
}

fn rope_json(rope: &Rope) -> String {
    let Rope { base, layout, offset, scaling } = *rope;
    let mut position = Object::default();
    position.put("kind", quoted("rope"));
    if base != Rope::default().base {
        position.put("base", number(base));
    }
    if layout == Layout::HalfSplit {
        position.put("layout", quoted("half_split"));
    }
    if offset != 0.0 {
        position.put("offset", number(offset));
    }
    let scaled = |kind: &str, factor| format!("{{ \"kind\": \"{kind}\", \"factor\": {} }}", number(factor));
    match scaling {
        Scaling::None => {}
        Scaling::Linear { factor } => position.put("scaling", scaled("linear", factor)),
        Scaling::Ntk { factor } => position.put("scaling", scaled("ntk", factor)),
    }
    position.write(1)
}

fn rows(values: &Matrix) -> String {
    matrix(values, |&value| number(value))
}

fn numbers(values: &[f64]) -> String {
    list(values, |&value| number(value))
}
