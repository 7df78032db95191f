//! From one member of the attention family to another on the same numbers.
//!
//! What a variant does not take is set aside, and comes back when it can: the numbers of a score, an encoding, a bias
//! are kept while another one is in their place.

use super::fill::Fill;
use super::notice::Notice;
use super::reshape;
use crate::attention::{
    Bias, Dropout, Family, Heads, Matrix, Normalise, Position, Problem, Rope, Scale, Score, Shapes,
};

/// One change of the formula.
#[derive(Clone, Debug, PartialEq)]
pub enum VariantChange {
    /// A stage of the line of descent.
    Descent(Descent),
    /// The kind of score, one of `Score::KINDS`.
    Score(&'static str),
    /// The kind of positions, one of `Position::KINDS`.
    Position(&'static str),
    /// How RoPE turns.
    Rope(Rope),
    /// The base of the sinusoidal encoding.
    Base(f64),
    /// A softcap, as it was or that of Gemma 2, or none.
    Softcap(bool),
    /// The cap itself.
    Cap(f64),
    /// No bias, one for all heads, or one a head.
    Bias(Option<BiasFor>),
    Sink(bool),
    Normalise(Normalise),
    Dropout(Dropout),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BiasFor {
    All,
    EachHead,
}

/// Where attention came from, each stage with its own scale: none until the scaled dot product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descent {
    /// Bahdanau et al. 2015.
    Additive,
    /// Luong et al. 2015.
    Dot,
    /// Vaswani et al. 2017, section 3.2.1.
    Scaled,
    /// The same, section 3.2.2.
    MultiHead,
}

impl Descent {
    pub const ALL: [Self; 4] = [Self::Additive, Self::Dot, Self::Scaled, Self::MultiHead];

    pub fn key(self) -> &'static str {
        match self {
            Self::Additive => "additive",
            Self::Dot => "dot",
            Self::Scaled => "scaled",
            Self::MultiHead => "multi-head",
        }
    }

    /// The stage that a problem is at; none where it is something else.
    pub fn of(problem: &Problem) -> Option<Self> {
        // Without a softmax it is another formula.
        if problem.family.normalise != Normalise::Softmax {
            return None;
        }
        let is_one = problem.heads.query == 1;
        match (problem.family.score.key(), problem.scale) {
            ("additive", Scale::None) if is_one => Some(Self::Additive),
            ("dot", Scale::None) if is_one => Some(Self::Dot),
            ("dot", Scale::InverseSqrt) if is_one => Some(Self::Scaled),
            ("dot", Scale::InverseSqrt) => Some(Self::MultiHead),
            _ => None,
        }
    }
}

/// What was set aside, until it comes back.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Aside {
    scores: Vec<Score>,
    positions: Vec<Position>,
    softcap: Option<f64>,
    bias: Option<Bias>,
    sink: Option<Vec<f64>>,
    heads: Option<Heads>,
    /// What the present normaliser does not take.
    not_taken: Vec<NotTaken>,
}

#[derive(Clone, Debug, PartialEq)]
enum NotTaken {
    Score(Score),
    Position(Position),
    Softcap(f64),
    Bias(Bias),
    Sink(Vec<f64>),
}

impl NotTaken {
    fn key(&self) -> &'static str {
        match self {
            Self::Score(_) => "score",
            Self::Position(_) => "position",
            Self::Softcap(_) => "softcap",
            Self::Bias(_) => "bias",
            Self::Sink(_) => "sink",
        }
    }
}

/// The problem with the change, and what there is to say about it.
///
/// # Errors
/// A notice, where the widths do not allow it.
pub(super) fn change(
    problem: &Problem,
    aside: &mut Aside,
    change: VariantChange,
) -> Result<(Problem, Option<Notice>), Notice> {
    let mut changed = problem.clone();
    let mut said = None;
    match change {
        VariantChange::Descent(stage) => descend(&mut changed, aside, stage)?,
        VariantChange::Score(kind) => set_score(&mut changed, aside, kind),
        VariantChange::Position(kind) => set_position(&mut changed, aside, kind),
        VariantChange::Rope(rope) => changed.family.position = Position::Rope(rope),
        VariantChange::Base(base) => changed.family.position = Position::Sinusoidal { base },
        VariantChange::Softcap(wanted) => {
            aside.softcap = changed.family.softcap.or(aside.softcap);
            // Gemma 2 caps its attention scores at 50.
            changed.family.softcap = wanted.then(|| aside.softcap.unwrap_or(50.0));
        }
        VariantChange::Cap(cap) => changed.family.softcap = Some(cap),
        VariantChange::Bias(wanted) => set_bias(&mut changed, aside, wanted),
        VariantChange::Sink(wanted) => set_sink(&mut changed, aside, wanted),
        VariantChange::Normalise(normalise) => said = set_normaliser(&mut changed, aside, normalise),
        VariantChange::Dropout(dropout) => changed.family.dropout = dropout,
    }
    Ok((changed, said))
}

fn descend(problem: &mut Problem, aside: &mut Aside, stage: Descent) -> Result<(), Notice> {
    let heads = problem.heads;
    match (stage, heads.query) {
        (Descent::MultiHead, 1) => {
            let to = aside.heads.unwrap_or(Heads { query: 2, key_value: 2 });
            reshape::set_heads(problem, to)?;
        }
        (Descent::MultiHead, _) | (_, 1) => {}
        (_, _) => {
            aside.heads = Some(heads);
            reshape::set_heads(problem, Heads { query: 1, key_value: 1 })?;
        }
    }
    set_score(problem, aside, if stage == Descent::Additive { "additive" } else { "dot" });
    problem.scale = match stage {
        Descent::Additive | Descent::Dot => Scale::None,
        Descent::Scaled | Descent::MultiHead => Scale::InverseSqrt,
    };
    Ok(())
}

fn set_score(problem: &mut Problem, aside: &mut Aside, kind: &'static str) {
    let now = std::mem::take(&mut problem.family.score);
    if now.key() == kind {
        problem.family.score = now;
        return;
    }
    aside.scores.retain(|score| score.key() != now.key());
    aside.scores.push(now);
    let d_k = problem.shapes().d_k;
    let held = aside.scores.iter().find(|score| score.key() == kind).cloned();
    let mut score = held.unwrap_or_else(|| first_score(kind, d_k));
    reshape::resize_score(&mut score, d_k);
    problem.family.score = score;
}

/// Numbers to begin with that change as little as can be: the identity, and a sum of the hidden layer.
fn first_score(kind: &str, d_k: usize) -> Score {
    let identity = Matrix::identity(d_k, d_k);
    match kind {
        "general" => Score::General { w: identity },
        "concat" => {
            let w = Matrix::from_fn(2 * d_k, d_k, |row, column| if row % d_k == column { 1.0 } else { 0.0 });
            Score::Concat { w, v: vec![1.0; d_k] }
        }
        "additive" => Score::Additive { w_q: identity.clone(), w_k: identity, v: vec![1.0; d_k] },
        _ => Score::Dot,
    }
}

fn set_position(problem: &mut Problem, aside: &mut Aside, kind: &'static str) {
    let now = std::mem::take(&mut problem.family.position);
    if now.key() == kind {
        problem.family.position = now;
        return;
    }
    aside.positions.retain(|position| position.key() != now.key());
    aside.positions.push(now);
    let shapes = problem.shapes();
    let held = aside.positions.iter().find(|position| position.key() == kind).cloned();
    problem.family.position = fitted_position(held.unwrap_or_else(|| first_position(kind, &shapes)), &shapes);
}

fn first_position(kind: &str, shapes: &Shapes) -> Position {
    match kind {
        "sinusoidal" => Position::Sinusoidal { base: 10_000.0 },
        // It ends where the tokens end: one token more has no position, and that is said.
        "learned" => {
            let fill = Fill::Normal { seed: 1 };
            Position::Learned { table: fill.matrix(shapes.n.max(shapes.m), shapes.d_model.unwrap_or(1)) }
        }
        "rope" => Position::Rope(Rope::default()),
        "alibi" => Position::Alibi { slopes: first_slopes(shapes.heads.query) },
        _ => Position::None,
    }
}

/// 2^(−8(i + 1)/h) for head i of h (Press et al. 2021, section 3); up to 8 heads take the first slopes of 8.
fn first_slopes(heads: usize) -> Vec<f64> {
    (1..=heads).map(|head| 2f64.powf(-8.0 * head as f64 / heads.max(8) as f64)).collect()
}

fn fitted_position(position: Position, shapes: &Shapes) -> Position {
    match position {
        Position::Learned { table } => {
            let (rows, width) = (table.nrows().max(shapes.n.max(shapes.m)), shapes.d_model.unwrap_or(1));
            Position::Learned { table: table.resize(rows, width, 0.0) }
        }
        Position::Alibi { slopes } => Position::Alibi { slopes: fitted_list(slopes, shapes.heads.query) },
        position => position,
    }
}

/// One a head: what is new is that of the last head that there was.
fn fitted_list(mut list: Vec<f64>, heads: usize) -> Vec<f64> {
    let last = list.last().copied().unwrap_or(0.0);
    list.resize(heads, last);
    list
}

fn set_bias(problem: &mut Problem, aside: &mut Aside, wanted: Option<BiasFor>) {
    let shapes = problem.shapes();
    let held = problem.family.bias.take().or(aside.bias.take());
    match wanted {
        None => aside.bias = held,
        Some(wanted) => problem.family.bias = Some(fitted_bias(held, wanted, &shapes)),
    }
}

fn fitted_bias(held: Option<Bias>, wanted: BiasFor, shapes: &Shapes) -> Bias {
    let mut matrices: Vec<Matrix> = held.map_or_else(Vec::new, |bias| bias.matrices());
    matrices.iter_mut().for_each(|matrix| *matrix = matrix.clone().resize(shapes.n, shapes.m, 0.0));
    let first = matrices.first().cloned().unwrap_or_else(|| Matrix::zeros(shapes.n, shapes.m));
    match wanted {
        BiasFor::All => Bias::all(first),
        BiasFor::EachHead => {
            matrices.resize(shapes.heads.query, first);
            Bias::per_head(&matrices).expect("each was made n×m")
        }
    }
}

fn set_sink(problem: &mut Problem, aside: &mut Aside, wanted: bool) {
    let heads = problem.heads.query;
    let held = problem.family.sink.take().or(aside.sink.take());
    if wanted {
        problem.family.sink = Some(fitted_list(held.unwrap_or_else(|| vec![0.0]), heads));
    } else {
        aside.sink = held;
    }
}

/// What comes back, then what this normaliser does not take.
fn set_normaliser(problem: &mut Problem, aside: &mut Aside, normalise: Normalise) -> Option<Notice> {
    if normalise == problem.family.normalise {
        return None;
    }
    let back = std::mem::take(&mut aside.not_taken);
    let came_back: Vec<&'static str> = back.iter().map(NotTaken::key).collect();
    let shapes = problem.shapes();
    back.into_iter().for_each(|part| put_back(&mut problem.family, part, &shapes));
    problem.family.normalise = normalise;
    take_out(&mut problem.family, aside);
    let gone: Vec<&'static str> = aside.not_taken.iter().map(NotTaken::key).collect();
    let came_back: Vec<&'static str> = came_back.into_iter().filter(|key| !gone.contains(key)).collect();
    match (gone.is_empty(), came_back.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Notice::CameBack(came_back)),
        (false, _) => Some(Notice::SetAside { variant: normalise, parts: gone }),
    }
}

/// Where something else was put in its place meanwhile, that stays.
fn put_back(family: &mut Family, part: NotTaken, shapes: &Shapes) {
    match part {
        NotTaken::Score(mut score) if family.score == Score::Dot => {
            reshape::resize_score(&mut score, shapes.d_k);
            family.score = score;
        }
        NotTaken::Position(position) if family.position == Position::None => {
            family.position = fitted_position(position, shapes);
        }
        NotTaken::Softcap(softcap) if family.softcap.is_none() => family.softcap = Some(softcap),
        NotTaken::Bias(bias) if family.bias.is_none() => {
            let wanted = if bias.heads().is_some() { BiasFor::EachHead } else { BiasFor::All };
            family.bias = Some(fitted_bias(Some(bias), wanted, shapes));
        }
        NotTaken::Sink(sink) if family.sink.is_none() => family.sink = Some(fitted_list(sink, shapes.heads.query)),
        _ => {}
    }
}

/// `linear` takes neither another score, nor softcap, bias, sink or ALiBi; `sum` takes no sink.
fn take_out(family: &mut Family, aside: &mut Aside) {
    let is_linear = family.normalise == Normalise::Linear;
    if is_linear && family.score != Score::Dot {
        aside.not_taken.push(NotTaken::Score(std::mem::take(&mut family.score)));
    }
    if is_linear && matches!(family.position, Position::Alibi { .. }) {
        aside.not_taken.push(NotTaken::Position(std::mem::take(&mut family.position)));
    }
    if is_linear {
        aside.not_taken.extend(family.softcap.take().map(NotTaken::Softcap));
        aside.not_taken.extend(family.bias.take().map(NotTaken::Bias));
    }
    if family.normalise != Normalise::Softmax {
        aside.not_taken.extend(family.sink.take().map(NotTaken::Sink));
    }
}
