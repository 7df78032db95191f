//! Changes of shape: tokens come and go, widths grow and shrink, heads are cut anew.
//!
//! Each keeps what it can of the numbers and fills what is new with zeros, so that the shapes always fit.
//! Limits are checked afterwards by `Problem::validate`, like those of any other edit.

use super::notice::Notice;
use crate::attention::{Bias, Heads, Inputs, Mask, Matrix, Part, Position, Problem, Score};

/// A width that can be set by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    DModel,
    DKv,
    DK,
    DV,
    DOut,
    /// The hidden layer of an additive score.
    DA,
}

/// Whose tokens: the queries' (in self-attention everyone's) or, in cross attention, the keys'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Query,
    Key,
}

/// Appends a token with vectors of zero.
pub(super) fn add_token(problem: &mut Problem, side: Side) {
    let shapes = problem.shapes();
    let (query, key) = touched(problem, side);
    if let Some(bias) = &mut problem.family.bias {
        *bias = bias.map(|matrix| {
            let matrix = if query { matrix.insert_row(shapes.n, 0.0) } else { matrix };
            if key { matrix.insert_column(shapes.m, 0.0) } else { matrix }
        });
    }
    if query {
        let row = shapes.n;
        for matrix in query_rows(problem) {
            *matrix = matrix.clone().insert_row(row, 0.0);
        }
        if let Some(allow) = &mut problem.mask.allow {
            *allow = allow.clone().insert_row(row, true);
        }
    }
    if key {
        let row = shapes.m;
        for matrix in key_rows(problem) {
            *matrix = matrix.clone().insert_row(row, 0.0);
        }
        if let Some(allow) = &mut problem.mask.allow {
            *allow = allow.clone().insert_column(row, true);
        }
        if let Some(padding) = &mut problem.mask.key_padding {
            padding.push(true);
        }
    }
    if let Some(labels) = labels_mut(problem, side) {
        let name = labels.len().to_string();
        labels.push(name);
    }
}

/// Removes token `index` of that side. In self-attention the last query and the last key are the same token,
/// so tokens are counted along the longer of the two.
pub(super) fn remove_token(problem: &mut Problem, side: Side, index: usize) -> Result<(), Notice> {
    let shapes = problem.shapes();
    let (query, key) = touched(problem, side);
    let count = token_count(problem, side);
    let query_row = if query { (index + shapes.n).checked_sub(count) } else { None };
    let key_row = if key { (index + shapes.m).checked_sub(count) } else { None };
    let last = (query_row.is_some() && shapes.n == 1) || (key_row.is_some() && shapes.m == 1);
    if index >= count || last {
        return Err(Notice::NoSuchSize { found: count.saturating_sub(1), least: 1, most: count });
    }
    if let Some(bias) = &mut problem.family.bias {
        *bias = bias.map(|matrix| {
            let matrix = if let Some(row) = query_row { matrix.remove_row(row) } else { matrix };
            if let Some(column) = key_row { matrix.remove_column(column) } else { matrix }
        });
    }
    if let Some(row) = query_row {
        for matrix in query_rows(problem) {
            *matrix = matrix.clone().remove_row(row);
        }
        if let Some(allow) = &mut problem.mask.allow {
            *allow = allow.clone().remove_row(row);
        }
    }
    if let Some(row) = key_row {
        for matrix in key_rows(problem) {
            *matrix = matrix.clone().remove_row(row);
        }
        forget_key(&mut problem.mask, row);
    }
    if let Some(labels) = labels_mut(problem, side)
        && let Some(at) = label_at(labels.len(), count, index)
    {
        labels.remove(at);
    }
    Ok(())
}

fn forget_key(mask: &mut Mask, index: usize) {
    if let Some(allow) = &mut mask.allow {
        *allow = allow.clone().remove_column(index);
    }
    if let Some(padding) = &mut mask.key_padding {
        padding.remove(index);
    }
    mask.global.retain(|position| *position != index);
    for position in &mut mask.global {
        *position -= usize::from(*position > index);
    }
}

/// Which rows a token of this side owns: query rows, key rows, or in self-attention both.
fn touched(problem: &Problem, side: Side) -> (bool, bool) {
    if problem.is_cross() { (side == Side::Query, side == Side::Key) } else { (true, true) }
}

fn query_rows(problem: &mut Problem) -> Vec<&mut Matrix> {
    match &mut problem.inputs {
        Inputs::Direct { q, .. } => vec![q],
        Inputs::Projected(p) => vec![&mut p.x],
    }
}

fn key_rows(problem: &mut Problem) -> Vec<&mut Matrix> {
    match &mut problem.inputs {
        Inputs::Direct { k, v, .. } => vec![k, v],
        // Without x_kv the keys are x itself, whose row the query side has changed.
        Inputs::Projected(p) => p.x_kv.iter_mut().collect(),
    }
}

/// The labels of a side, where there are any.
fn labels_mut(problem: &mut Problem, side: Side) -> Option<&mut Vec<String>> {
    if problem.is_cross() && side == Side::Key { problem.memory.as_mut() } else { problem.tokens.as_mut() }
}

/// How many tokens a side has.
fn token_count(problem: &Problem, side: Side) -> usize {
    let shapes = problem.shapes();
    match (problem.is_cross(), side) {
        (false, _) => shapes.n.max(shapes.m),
        (true, Side::Query) => shapes.n,
        (true, Side::Key) => shapes.m,
    }
}

/// Where the label of token `index` of `count` stands: labels belong to the last tokens.
fn label_at(labels: usize, count: usize, index: usize) -> Option<usize> {
    (index + labels).checked_sub(count).filter(|at| *at < labels)
}

/// Names one token; where there were none, the others keep their numbers.
pub(super) fn set_token(problem: &mut Problem, side: Side, index: usize, text: String) {
    let keys = problem.is_cross() && side == Side::Key;
    let count = token_count(problem, side);
    let (queries, key_names) = (problem.query_labels(), problem.key_labels());
    let all = if keys || (!problem.is_cross() && key_names.len() > queries.len()) { key_names } else { queries };
    let labels = if keys { &mut problem.memory } else { &mut problem.tokens };
    let labels = labels.get_or_insert_with(|| all.clone());
    if label_at(labels.len(), count, index).is_none() {
        *labels = all;
    }
    if let Some(label) = label_at(labels.len(), count, index).and_then(|at| labels.get_mut(at)) {
        *label = text;
    }
}

/// Sets one width. New columns (or rows) are zero.
pub(super) fn resize(problem: &mut Problem, dimension: Dimension, size: usize) {
    let shapes = problem.shapes();
    let Heads { query, key_value } = shapes.heads;
    match dimension {
        Dimension::DK => {
            map_columns(problem, Projection::Query, |m| resize_heads(m, query, size));
            map_columns(problem, Projection::Key, |m| resize_heads(m, key_value, size));
            resize_score(&mut problem.family.score, size);
        }
        Dimension::DV => {
            map_columns(problem, Projection::Value, |m| resize_heads(m, key_value, size));
            if let Some(w_o) = &mut problem.w_o {
                *w_o = resize_heads(&w_o.transpose(), query, size).transpose();
            }
        }
        Dimension::DOut => {
            if let Some(w_o) = &mut problem.w_o {
                *w_o = resize_heads(w_o, 1, size);
            }
            if let Some(b_o) = &mut problem.b_o {
                b_o.resize(size, 0.0);
            }
        }
        Dimension::DModel | Dimension::DKv => resize_model(problem, dimension, size),
        Dimension::DA => resize_hidden(&mut problem.family.score, size),
    }
}

/// What is new of the hidden layer is zero, so the score of what was there stays.
fn resize_hidden(score: &mut Score, d_a: usize) {
    match score {
        Score::Dot | Score::General { .. } => {}
        Score::Concat { w, v } => {
            *w = resize_heads(w, 1, d_a);
            v.resize(d_a, 0.0);
        }
        Score::Additive { w_q, w_k, v } => {
            (*w_q, *w_k) = (resize_heads(w_q, 1, d_a), resize_heads(w_k, 1, d_a));
            v.resize(d_a, 0.0);
        }
    }
}

/// The matrices of a score follow d_k. What is new of W is zero, so the score of what was there stays.
pub(super) fn resize_score(score: &mut Score, d_k: usize) {
    let rows = |m: &Matrix, halves| resize_heads(&m.transpose(), halves, d_k).transpose();
    match score {
        Score::Dot => {}
        Score::General { w } => *w = resize_heads(&rows(w, 1), 1, d_k),
        Score::Concat { w, .. } => *w = rows(w, 2),
        Score::Additive { w_q, w_k, .. } => (*w_q, *w_k) = (rows(w_q, 1), rows(w_k, 1)),
    }
}

/// What there is one of a query head: a new head's is that of the head in its place before, as far as there was one.
fn set_head_count(problem: &mut Problem, from: usize, to: usize) {
    let source = |head: usize| head * from / to;
    let family = &mut problem.family;
    if let Some(sink) = &mut family.sink {
        *sink = (0..to).map(|head| sink[source(head)]).collect();
    }
    if let Position::Alibi { slopes } = &mut family.position {
        *slopes = (0..to).map(|head| slopes[source(head)]).collect();
    }
    if let Some(bias) = family.bias.as_mut().filter(|bias| bias.heads().is_some()) {
        let matrices = bias.matrices();
        let changed: Vec<Matrix> = (0..to).map(|head| matrices[source(head)].clone()).collect();
        *bias = Bias::per_head(&changed).expect("every head's has the same shape");
    }
}

fn resize_model(problem: &mut Problem, dimension: Dimension, size: usize) {
    let Inputs::Projected(p) = &mut problem.inputs else { return };
    let columns = |m: &mut Matrix| *m = resize_heads(m, 1, size);
    let rows = |m: &mut Matrix| *m = resize_heads(&m.transpose(), 1, size).transpose();
    let shared = p.x_kv.is_none();
    if dimension == Dimension::DModel
        && let Position::Learned { table } = &mut problem.family.position
    {
        columns(table);
    }
    if dimension == Dimension::DModel {
        columns(&mut p.x);
        rows(&mut p.w_q);
    }
    if shared || dimension == Dimension::DKv {
        if let Some(x_kv) = &mut p.x_kv {
            columns(x_kv);
        }
        rows(&mut p.w_k);
        rows(&mut p.w_v);
    }
}

/// Each head's columns cut or filled to `width`.
fn resize_heads(matrix: &Matrix, heads: usize, width: usize) -> Matrix {
    let old = matrix.ncols() / heads;
    Matrix::from_fn(matrix.nrows(), heads * width, |row, column| {
        let (head, within) = (column / width, column % width);
        if within < old { matrix[(row, head * old + within)] } else { 0.0 }
    })
}

/// Another number of heads on the same matrices.
///
/// The columns of w_q are cut anew. Fewer key/value heads are the mean of those they replace (Ainslie et al.
/// 2023, GQA, section 2.1), more of them are copies.
pub(super) fn set_heads(problem: &mut Problem, to: Heads) -> Result<(), Notice> {
    let shapes = problem.shapes();
    let from = shapes.heads;
    if to.query == 0 || to.key_value == 0 || !to.query.is_multiple_of(to.key_value) {
        return Err(Notice::NotDivisible { matrix: "heads", width: to.query, heads: to.key_value });
    }
    for (matrix, width) in [("q", from.query * shapes.d_k), ("concat", from.query * shapes.d_v)] {
        if !width.is_multiple_of(to.query) {
            return Err(Notice::NotDivisible { matrix, width, heads: to.query });
        }
    }
    for projection in [Projection::Key, Projection::Value] {
        map_columns(problem, projection, |m| {
            // One key/value head a query head, cut anew, and then shared anew.
            pool(&repeat(m, from.key_value, from.query), to.query, to.key_value)
        });
    }
    problem.heads = to;
    // Cut into other heads, a head is of another width, and the matrices of a score with it.
    resize_score(&mut problem.family.score, shapes.d_k * from.query / to.query);
    set_head_count(problem, from.query, to.query);
    Ok(())
}

fn repeat(matrix: &Matrix, heads: usize, to: usize) -> Matrix {
    let width = matrix.ncols() / heads;
    Matrix::from_fn(matrix.nrows(), to * width, |row, column| {
        let head = column / width / (to / heads);
        matrix[(row, head * width + column % width)]
    })
}

fn pool(matrix: &Matrix, heads: usize, to: usize) -> Matrix {
    let (width, group) = (matrix.ncols() / heads, heads / to);
    Matrix::from_fn(matrix.nrows(), to * width, |row, column| {
        let (head, within) = (column / width, column % width);
        let sum: f64 = (0..group).map(|member| matrix[(row, (head * group + member) * width + within)]).sum();
        sum / group as f64
    })
}

#[derive(Clone, Copy)]
enum Projection {
    Query,
    Key,
    Value,
}

/// Applies `change` to what makes q, k or v: the matrix itself, or its weight and bias.
fn map_columns(problem: &mut Problem, projection: Projection, change: impl Fn(&Matrix) -> Matrix) {
    let (matrix, bias) = match (&mut problem.inputs, projection) {
        (Inputs::Direct { q, .. }, Projection::Query) => (q, None),
        (Inputs::Direct { k, .. }, Projection::Key) => (k, None),
        (Inputs::Direct { v, .. }, Projection::Value) => (v, None),
        (Inputs::Projected(p), Projection::Query) => (&mut p.w_q, p.b_q.as_mut()),
        (Inputs::Projected(p), Projection::Key) => (&mut p.w_k, p.b_k.as_mut()),
        (Inputs::Projected(p), Projection::Value) => (&mut p.w_v, p.b_v.as_mut()),
    };
    *matrix = change(matrix);
    if let Some(bias) = bias {
        *bias = change(&Matrix::from_row_slice(1, bias.len(), bias)).iter().copied().collect();
    }
}

/// Adds an optional matrix (the identity for w_o, zeros for a bias) or takes it away.
pub(super) fn set_present(problem: &mut Problem, part: Part, present: bool) {
    let shapes = problem.shapes();
    let concat = shapes.heads.query * shapes.d_v;
    let bias = |width: usize| present.then(|| vec![0.0; width]);
    match (part, &mut problem.inputs) {
        (Part::WO, _) => {
            problem.w_o = present.then(|| Matrix::identity(concat, concat));
            problem.b_o = None;
        }
        (Part::BO, _) if problem.w_o.is_some() => problem.b_o = bias(shapes.d_out),
        (Part::BQ, Inputs::Projected(p)) => p.b_q = bias(p.w_q.ncols()),
        (Part::BK, Inputs::Projected(p)) => p.b_k = bias(p.w_k.ncols()),
        (Part::BV, Inputs::Projected(p)) => p.b_v = bias(p.w_v.ncols()),
        _ => {}
    }
}
