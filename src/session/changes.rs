//! What differs between two problems, as a list that can be put into words.

use crate::attention::{
    Family, Heads, Inputs, Mask, MaskApplied, Matrix, Part, Position, Problem, Scale, from_rows, whole_bias,
    whole_matrix,
};

/// One difference, from A to B.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Title,
    Tokens,
    /// Numbers given as q, k and v, or made from x.
    Form,
    Heads {
        from: Heads,
        to: Heads,
    },
    Scale {
        from: Scale,
        to: Scale,
    },
    Added(Part),
    Removed(Part),
    Shape {
        part: Part,
        from: (usize, usize),
        to: (usize, usize),
    },
    /// One number.
    Cell {
        part: Part,
        row: usize,
        column: usize,
        from: f64,
        to: f64,
    },
    /// Several numbers, and by how much the one changed that changed most.
    Cells {
        part: Part,
        count: usize,
        most: f64,
    },
    /// A key of what is changed in the plain formula: `score`, `softcap`, `position`, …
    Family {
        key: &'static str,
    },
    Mask {
        from: Box<Mask>,
        to: Box<Mask>,
    },
    MaskApplied {
        from: MaskApplied,
        to: MaskApplied,
    },
}

impl Change {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 13] = [
        "title",
        "tokens",
        "form",
        "heads",
        "scale",
        "family",
        "added",
        "removed",
        "shape",
        "cell",
        "cells",
        "mask",
        "mask-applied",
    ];

    /// The name under which translations are found, as `change-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            Change::Title => "title",
            Change::Tokens => "tokens",
            Change::Form => "form",
            Change::Heads { .. } => "heads",
            Change::Scale { .. } => "scale",
            Change::Family { .. } => "family",
            Change::Added(_) => "added",
            Change::Removed(_) => "removed",
            Change::Shape { .. } => "shape",
            Change::Cell { .. } => "cell",
            Change::Cells { .. } => "cells",
            Change::Mask { .. } => "mask",
            Change::MaskApplied { .. } => "mask-applied",
        }
    }
}

/// What is different in `b`, in the order of the problem file.
///
/// ```
/// # use attnlab::session::{changes, Change, Session};
/// let a = Session::default().problem().clone();
/// let b = attnlab::attention::Problem { scale: attnlab::attention::Scale::None, ..a.clone() };
/// assert!(changes(&a, &a).is_empty());
/// assert!(matches!(changes(&a, &b)[..], [Change::Scale { .. }]));
/// ```
pub fn changes(a: &Problem, b: &Problem) -> Vec<Change> {
    let mut changes = Vec::new();
    if a.title != b.title {
        changes.push(Change::Title);
    }
    if a.tokens != b.tokens || a.memory != b.memory {
        changes.push(Change::Tokens);
    }
    if std::mem::discriminant(&a.inputs) != std::mem::discriminant(&b.inputs) {
        changes.push(Change::Form);
    }
    if a.heads != b.heads {
        changes.push(Change::Heads { from: a.heads, to: b.heads });
    }
    for part in Part::ALL {
        changes.extend(matrix_change(part, given(a, part), given(b, part)));
    }
    if a.scale != b.scale {
        changes.push(Change::Scale { from: a.scale, to: b.scale });
    }
    changes.extend(family_changes(&a.family, &b.family).into_iter().map(|key| Change::Family { key }));
    if a.mask != b.mask {
        changes.push(Change::Mask { from: Box::new(a.mask.clone()), to: Box::new(b.mask.clone()) });
    }
    if a.mask_applied != b.mask_applied {
        changes.push(Change::MaskApplied { from: a.mask_applied, to: b.mask_applied });
    }
    changes
}

/// The keys in which two differ, but for the numbers of their matrices: those are among the inputs.
fn family_changes(a: &Family, b: &Family) -> Vec<&'static str> {
    let same_kind = |key: &&str| match *key {
        "score" => a.score.key() == b.score.key(),
        "position" => matches!(
            (&a.position, &b.position),
            (Position::Learned { .. }, Position::Learned { .. }) | (Position::Alibi { .. }, Position::Alibi { .. })
        ),
        "bias" | "sink" => true,
        _ => false,
    };
    a.differing(b).into_iter().filter(|key| !same_kind(key)).collect()
}

/// An input with all its heads; a bias as one row.
fn given(problem: &Problem, part: Part) -> Option<Matrix> {
    // x is x, whether an encoding is added to it or not.
    match (part, &problem.inputs) {
        (Part::XGiven | Part::XKvGiven, _) => return None,
        (Part::X, Inputs::Projected(given)) => return Some(given.x.clone()),
        (Part::XKv, Inputs::Projected(given)) => return given.x_kv.clone(),
        _ => {}
    }
    let bias = || from_rows(std::slice::from_ref(whole_bias(problem, part)?));
    whole_matrix(problem, part).cloned().or_else(bias)
}

fn matrix_change(part: Part, a: Option<Matrix>, b: Option<Matrix>) -> Option<Change> {
    let (a, b) = match (a, b) {
        (None, None) => return None,
        (None, Some(_)) => return Some(Change::Added(part)),
        (Some(_), None) => return Some(Change::Removed(part)),
        (Some(a), Some(b)) => (a, b),
    };
    if a.shape() != b.shape() {
        return Some(Change::Shape { part, from: a.shape(), to: b.shape() });
    }
    let cells = (0..a.nrows()).flat_map(|row| (0..a.ncols()).map(move |column| (row, column)));
    let differing: Vec<(usize, usize)> = cells.filter(|cell| a[*cell] != b[*cell]).collect();
    match differing[..] {
        [] => None,
        [(row, column)] => Some(Change::Cell { part, row, column, from: a[(row, column)], to: b[(row, column)] }),
        _ => {
            let most = differing.iter().map(|cell| (b[*cell] - a[*cell]).abs()).fold(0.0, f64::max);
            Some(Change::Cells { part, count: differing.len(), most })
        }
    }
}
