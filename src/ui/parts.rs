//! What a matrix is called, how it is coloured, and which words stand on its axes.

pub use crate::figure::{axes, hidden, mask_entry, mask_operator, symbol_of};

use super::scene::Scene;
use super::theme::Meaning;
use super::widgets::legend::CellColours;
use super::widgets::matrix::shortened;
use super::widgets::matrix_names::Header;
use crate::attention::{self, Family, Matrix, Normalise, Part, Place, Position, Problem, Score};
use crate::session::{Compared, Side};

/// How a query meets a key, in the markup of `typeset`.
pub fn score(family: &Family) -> Vec<(&'static str, Option<Meaning>)> {
    let (query, key) = (Some(Meaning::Query), Some(Meaning::Key));
    if family.normalise == Normalise::Linear {
        return vec![("φ(Q)", query), (" ", None), ("φ(K)^T", key)];
    }
    match &family.score {
        Score::Dot if matches!(family.position, Position::Rope { .. }) => {
            vec![("Q_r", query), (" ", None), ("K_r^T", key)]
        }
        Score::Dot => vec![("Q", query), (" ", None), ("K^T", key)],
        Score::General { .. } => vec![("Q", query), (" W ", None), ("K^T", key)],
        Score::Concat { .. } => vec![("\"tanh\"([", None), ("Q", query), ("; ", None), ("K", key), ("] W) v", None)],
        Score::Additive { .. } => {
            vec![("\"tanh\"(", None), ("Q W_q", query), (" + ", None), ("K W_k", key), (") v", None)]
        }
    }
}

/// The name for the eye and the ear. With one head and no W_o the context is the output.
pub fn name(scene: &Scene, part: Part) -> String {
    let part = if part == Part::Context && !scene.shown_problem().joins_heads() { Part::Output } else { part };
    scene.t(&format!("part-{}", part.key().replace('_', "-")))
}

/// A token in a sentence, where a bare number would read as one of the problem's: "我", but "token 0".
pub fn said_token(scene: &Scene, label: &str) -> String {
    let is_number = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { scene.tf("token-at", &[("at", label.to_owned())]) } else { shortened(label) }
}

/// The numbers of a matrix, and its labels, as computed (K a token a row).
pub struct Shown {
    pub values: Matrix,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
}

pub fn shown(problem: &Problem, trace: &attention::Trace, part: Part, head: usize) -> Option<Shown> {
    let values = attention::matrix(problem, trace, part, head)?;
    let (rows, columns) = attention::labels(problem, part);
    Some(Shown { values, rows, columns })
}

/// What the matrices show: one state, or B − A where both have a matrix of that shape.
pub fn shown_of(scene: &Scene, part: Part) -> Option<(Shown, bool)> {
    let now = shown(scene.shown_problem(), scene.shown_trace(), part, scene.head())?;
    let held = scene.session.held().filter(|_| scene.compared() == Compared::Difference);
    let before = held.and_then(|(problem, trace)| {
        attention::matrix(problem, trace, part, scene.head().min(problem.heads.query - 1))
    });
    match before {
        Some(before) if before.shape() == now.values.shape() => {
            // M is shown as 0 and −∞ where it is added; −∞ in both is no difference.
            let shown = |value: f64| match part {
                Part::Mask if mask_operator(scene.shown_problem()) == "×" => value,
                Part::Mask if value == 0.0 => f64::NEG_INFINITY,
                Part::Mask => 0.0,
                _ => value,
            };
            let values = now.values.zip_map(&before, |b, a| if a == b { 0.0 } else { shown(b) - shown(a) });
            Some((Shown { values, ..now }, true))
        }
        _ => Some((now, false)),
    }
}

/// How its cells are coloured.
pub fn colours(scene: &Scene, part: Part, values: &Matrix) -> CellColours {
    use Part::*;
    match part {
        Weights => CellColours::Weights(scene.session.view().weight_colours),
        Mask => CellColours::Plain,
        _ => signed(values, values.iter().any(|value| value.is_finite() && *value < 0.0)),
    }
}

/// A scale with zero fixed.
pub fn signed(values: &Matrix, negative: bool) -> CellColours {
    let finite = values.iter().filter(|value| value.is_finite());
    let most = finite.fold(0.0f64, |most, value| most.max(value.abs()));
    CellColours::Signed { most: if most > 0.0 { most } else { 1.0 }, negative }
}

/// Which token the name of a row or a column belongs to, as the matrix is drawn. In self-attention queries and keys
/// are the same tokens, and the shorter list holds the last of them.
pub fn token(problem: &Problem, part: Part, header: Header) -> (Side, usize) {
    let of_keys = match header {
        Header::Row(_) => {
            matches!(part, Part::V | Part::XKv | Part::XKvGiven | Part::KRotated | Part::KFeatures | Part::KTransformed)
        }
        Header::Column(_) => true,
    };
    let (Header::Row(index) | Header::Column(index)) = header;
    if problem.is_cross() {
        return (if of_keys { Side::Key } else { Side::Query }, index);
    }
    let shapes = problem.shapes();
    let own = if of_keys { shapes.m } else { shapes.n };
    (Side::Query, index + shapes.n.max(shapes.m) - own)
}

/// The shape below a matrix as it is drawn (K is drawn as Kᵀ): rows × columns, and the shape of the whole tensor.
pub fn caption(scene: &Scene, part: Part, values: &Matrix) -> String {
    use Part::*;
    let shapes = scene.shown_problem().shapes();
    let (heads, shared) = (shapes.heads.query, shapes.heads.key_value);
    let (rows, columns) = values.shape();
    let own = format!("{rows}×{columns}");
    let whole = match part {
        Q | QRotated | QFeatures | KRotated | KFeatures | KTransformed | Scores | Scaled | Capped | Bias | Biased
        | Masked | Exp | Kept | Weights | RowSum | SinkWeight | Leak | Context => {
            format!("(1, {heads}, {rows}, {columns})")
        }
        K | V => format!("(1, {shared}, {rows}, {columns})"),
        Hidden => {
            let d_a = scene.shown_problem().family.score.hidden_width().unwrap_or(1);
            format!("(1, {heads}, {rows}, {}, {d_a})", columns / d_a)
        }
        Mask => format!("(1, 1, {rows}, {columns})"),
        XGiven | XKvGiven | Position | X | XKv | Concat | Output => format!("(1, {rows}, {columns})"),
        WQ => format!("{} → {}·{}", rows, heads, columns),
        WK | WV => format!("{} → {}·{}", rows, shared, columns),
        _ => return own,
    };
    format!("{own} · {whole}")
}

/// The name of a cell: weights[爱, 我].
pub fn cell_name(scene: &Scene, place: Place) -> String {
    let (rows, columns) = attention::labels(scene.shown_problem(), place.part);
    let label =
        |labels: &[String], index: usize| labels.get(index).map_or_else(|| index.to_string(), |label| shortened(label));
    let head = if place.part.is_per_head() && scene.shown_problem().heads.query > 1 {
        format!(" {}", scene.tf("in-head", &[("head", place.head.to_string())]))
    } else {
        String::new()
    };
    format!("{}{head}[{}, {}]", name(scene, place.part), label(&rows, place.row), label(&columns, place.column))
}
