//! The mistakes with what is not the plain formula: positions, softcap, biases of the scores, sink, dropout.

use super::reason::Reason;
use crate::attention::{Dropout, Family, Inputs, Layout, Matrix, Position, Problem, Projected, Rope};

/// The family in which this mistake is made; `None` where it changes nothing, or no problem can say it.
pub(super) fn changed_family(problem: &Problem, reason: &Reason) -> Option<Family> {
    let mut family = problem.family.clone();
    match reason {
        Reason::DropoutLeftOut if family.dropout.p > 0.0 => family.dropout = Dropout::default(),
        Reason::SoftcapLeftOut => family.softcap = None,
        Reason::ScoreBiasLeftOut => family.bias = None,
        Reason::SinkLeftOut => family.sink = None,
        _ => family.position = changed_position(problem, reason)?,
    }
    Some(family)
}

fn changed_position(problem: &Problem, reason: &Reason) -> Option<Position> {
    let position = &problem.family.position;
    match (reason, position) {
        (Reason::PositionLeftOut, _) => Some(Position::None),
        (Reason::OtherLayout, Position::Rope(rope)) => {
            let layout = match rope.layout {
                Layout::Interleaved => Layout::HalfSplit,
                Layout::HalfSplit => Layout::Interleaved,
            };
            Some(Position::Rope(Rope { layout, ..*rope }))
        }
        (Reason::OtherBase(base), Position::Rope(rope)) => Some(Position::Rope(Rope { base: *base, ..*rope })),
        (Reason::OtherBase(base), Position::Sinusoidal { .. }) => Some(Position::Sinusoidal { base: *base }),
        (Reason::PositionsFrom(first), Position::Rope(rope)) => Some(Position::Rope(Rope { offset: *first, ..*rope })),
        (Reason::PositionsFrom(first), _) if *first == 1.0 => table_from_one(problem),
        (Reason::SlopesLeftOut, Position::Alibi { slopes }) => {
            Some(Position::Alibi { slopes: vec![1.0; slopes.len()] })
        }
        (Reason::PenaltyReversed, Position::Alibi { slopes }) => {
            Some(Position::Alibi { slopes: slopes.iter().map(|slope| -slope).collect() })
        }
        _ => None,
    }
}

/// An encoding whose first row is the one of position 1, as a table: no sinusoidal encoding can say it.
fn table_from_one(problem: &Problem) -> Option<Position> {
    let Inputs::Projected(Projected { x, x_kv, .. }) = &problem.inputs else { return None };
    let rows = x_kv.as_ref().map_or(0, Matrix::nrows).max(x.nrows());
    let width = x.ncols();
    // One table is added to both sides, so they must be equally wide.
    if x_kv.as_ref().is_some_and(|x_kv| x_kv.ncols() != width) {
        return None;
    }
    let one_more = match &problem.family.position {
        Position::Learned { table } if table.nrows() > rows => table.clone(),
        Position::Sinusoidal { .. } => problem.family.position.encoding(rows + 1, width)?,
        _ => return None,
    };
    Some(Position::Learned { table: one_more.rows(1, rows).into_owned() })
}
