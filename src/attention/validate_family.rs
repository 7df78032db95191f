//! Whether what is changed in the plain formula fits the problem, and what a variant does not take.

use super::error::{ErrorKind, Errors};
use super::family::{Dropout, Family, Normalise};
use super::position::{Position, Rope, Scaling};
use super::problem::Matrix;
use super::score::Score;
use super::validate::{MOST_PAIRS, MOST_WIDTH, Sizes, Slot, check_bias, check_finite, check_length, check_matrix};

pub(super) fn check_family(family: &Family, sizes: &Sizes, errors: &mut Errors) {
    check_score(&family.score, sizes, errors);
    if let Some(softcap) = family.softcap {
        check_above_zero("softcap", softcap, errors);
    }
    match &family.position {
        Position::None => {}
        Position::Sinusoidal { base } => {
            check_above_zero("position.base", *base, errors);
            check_adds_to_x("sinusoidal", sizes, errors);
        }
        Position::Learned { table } => {
            check_matrix("position.table", Slot::Read(table), None, sizes.d_model, MOST_WIDTH, errors);
            if sizes.d_kv.is_some() && sizes.d_kv != sizes.d_model {
                // The same rows are added to the keys' vectors.
                check_matrix("position.table", Slot::Read(table), None, sizes.d_kv, MOST_WIDTH, errors);
            }
            if let Some(tokens) = sizes.n.max(sizes.m).filter(|&tokens| tokens > table.nrows()) {
                let expected = table.nrows();
                errors.push("position.table", ErrorKind::BeyondTable { found: tokens, expected });
            }
            check_adds_to_x("learned", sizes, errors);
        }
        Position::Rope(rope) => check_rope(rope, sizes, errors),
        Position::Alibi { slopes } => check_bias("position.slopes", Slot::Read(slopes), sizes.heads, errors),
    }
    match &family.bias {
        None => {}
        Some(bias) => {
            if let Some(heads) = bias.heads() {
                check_length("bias", Some(heads), sizes.heads, errors);
            }
            for (head, matrix) in bias.matrices().iter().enumerate() {
                let place = if bias.heads().is_some() { format!("bias[{head}]") } else { "bias".to_owned() };
                check_matrix(&place, Slot::Read(matrix), sizes.n, sizes.m, MOST_WIDTH, errors);
            }
        }
    }
    if let Some(sink) = &family.sink {
        check_bias("sink", Slot::Read(sink), sizes.heads, errors);
    }
    check_what_is_not_taken(family, errors);
    check_dropout(family.dropout, errors);
}

fn check_score(score: &Score, sizes: &Sizes, errors: &mut Errors) {
    let d_k = sizes.d_k;
    let mut matrix = |place: &str, matrix: &Matrix, rows: Option<usize>, columns: Option<usize>| {
        // A row for each number of a query, or for those of a query and a key.
        check_matrix(place, Slot::Read(matrix), rows, columns, 2 * MOST_WIDTH, errors);
    };
    match score {
        Score::Dot => {}
        Score::General { w } => matrix("score.w", w, d_k, d_k),
        Score::Concat { w, v } => {
            matrix("score.w", w, d_k.map(|d_k| 2 * d_k), None);
            check_bias("score.v", Slot::Read(v), Some(w.ncols()), errors);
        }
        Score::Additive { w_q, w_k, v } => {
            matrix("score.w_q", w_q, d_k, None);
            matrix("score.w_k", w_k, d_k, Some(w_q.ncols()));
            check_bias("score.v", Slot::Read(v), Some(w_q.ncols()), errors);
        }
    }
    // The hidden layer holds d_a numbers a pair.
    if let (Some(d_a), Some(n), Some(m), Some(heads)) = (score.hidden_width(), sizes.n, sizes.m, sizes.heads)
        && [n, m, d_a].into_iter().fold(heads, usize::saturating_mul) > MOST_PAIRS
    {
        let found = format!("{heads}·{n}·{m}·{d_a}");
        errors.push("score.v", ErrorKind::OutOfRange { found, expected: format!("h·n·m·d_a ≤ {MOST_PAIRS}") });
    }
}

/// An encoding is added to x, so x must be what is given.
fn check_adds_to_x(kind: &str, sizes: &Sizes, errors: &mut Errors) {
    if sizes.is_direct {
        errors.push("position", ErrorKind::Needs { found: kind.to_owned(), expected: "inputs.x".to_owned() });
    }
}

fn check_rope(rope: &Rope, sizes: &Sizes, errors: &mut Errors) {
    check_above_zero("position.base", rope.base, errors);
    check_finite("position.offset", rope.offset, errors);
    if let Some(d_k) = sizes.d_k.filter(|d_k| !d_k.is_multiple_of(2)) {
        errors.push("position", ErrorKind::NotDivisible { found: d_k, expected: 2 });
    }
    if let Scaling::Linear { factor } | Scaling::Ntk { factor } = rope.scaling {
        check_above_zero("position.scaling.factor", factor, errors);
    }
    if let (Scaling::Ntk { .. }, Some(d_k @ ..=2)) = (rope.scaling, sizes.d_k) {
        let (found, expected) = (format!("d_k = {d_k}"), "d_k > 2".to_owned());
        errors.push("position.scaling", ErrorKind::OutOfRange { found, expected });
    }
}

/// `linear` takes neither softcap, bias, sink, ALiBi nor another score than dot; `sum` takes no sink.
fn check_what_is_not_taken(family: &Family, errors: &mut Errors) {
    let is_linear = family.normalise == Normalise::Linear;
    let refused = [
        ("softcap", is_linear && family.softcap.is_some(), "softcap"),
        ("bias", is_linear && family.bias.is_some(), "bias"),
        ("sink", family.normalise != Normalise::Softmax && family.sink.is_some(), "sink"),
        ("position", is_linear && matches!(family.position, Position::Alibi { .. }), "alibi"),
        ("score", is_linear && family.score != Score::Dot, family.score.key()),
    ];
    for (place, _, found) in refused.into_iter().filter(|(_, refused, _)| *refused) {
        let expected = format!("normalise {}", family.normalise.key());
        errors.push(place, ErrorKind::NotTaken { found: found.to_owned(), expected });
    }
}

fn check_dropout(Dropout { p, .. }: Dropout, errors: &mut Errors) {
    if !(0.0..1.0).contains(&p) {
        errors.push("dropout.p", ErrorKind::OutOfRange { found: p.to_string(), expected: "0 ≤ p < 1".to_owned() });
    }
}

fn check_above_zero(place: &str, value: f64, errors: &mut Errors) {
    if !value.is_finite() {
        check_finite(place, value, errors);
    } else if value <= 0.0 {
        errors.push(place, ErrorKind::OutOfRange { found: value.to_string(), expected: "> 0".to_owned() });
    }
}
