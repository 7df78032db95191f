//! From a `Place` to the number behind it: the cell of the problem, or of the trace.
//!
//! A head sees its own columns; the file holds all heads side by side. `input_index` is the one place that
//! crosses between the two.

use super::family::Family;
use super::place::{Part, Place};
use super::position::Position;
use super::problem::{Inputs, Matrix, Problem};
use super::score::Score;
use super::trace::Trace;

/// Where an input's place is in the whole matrix of the problem: the part, its row and its column. Column c of
/// q of head h is column h·d_k + c; k, v and their projections go through the key/value head that h uses.
/// `None` when the place is no input of this problem, or lies outside.
///
/// ```
/// # use attnlab::attention::{input_index, Part, Place, Problem};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1","heads":{"query":2,"key_value":1},
///     "inputs":{"q":[[1,2]],"k":[[3]],"v":[[4]]}}"#).unwrap();
/// let place = |part| Place { part, head: 1, row: 0, column: 0 };
/// assert_eq!(input_index(&problem, place(Part::Q)), Some((Part::Q, 0, 1)));
/// assert_eq!(input_index(&problem, place(Part::K)), Some((Part::K, 0, 0)));
/// assert_eq!(input_index(&problem, place(Part::Scores)), None);
/// ```
pub fn input_index(problem: &Problem, place: Place) -> Option<(Part, usize, usize)> {
    let (offset, width) = own_columns(problem, place.part, place.head)?;
    let (rows, _) = whole_shape(problem, place.part)?;
    (place.row < rows && place.column < width).then_some((place.part, place.row, offset + place.column))
}

/// Any part as it is drawn for one head: an input cut to the head's own columns (a bias as one row), else the
/// step. `None` where it is absent.
pub fn matrix(problem: &Problem, trace: &Trace, part: Part, head: usize) -> Option<Matrix> {
    if let Some((offset, width)) = own_columns(problem, part, head) {
        if let Some(whole) = whole_matrix(problem, part) {
            return Some(whole.columns(offset, width).into_owned());
        }
        let bias = whole_bias(problem, part)?;
        return Some(Matrix::from_row_slice(1, width, &bias[offset..offset + width]));
    }
    trace.get(part, head).map(|step| step.value.clone())
}

/// One number of any part; `None` outside of it.
pub fn value(problem: &Problem, trace: &Trace, place: Place) -> Option<f64> {
    if place.part.is_input(problem) {
        return problem.get_input(place);
    }
    trace.get(place.part, place.head)?.value.get((place.row, place.column)).copied()
}

impl Problem {
    /// The number at an input's place; `None` when it is no input or lies outside.
    pub fn get_input(&self, place: Place) -> Option<f64> {
        let (part, row, column) = input_index(self, place)?;
        match whole_matrix(self, part) {
            Some(whole) => whole.get((row, column)).copied(),
            None => whole_bias(self, part)?.get(column).copied(),
        }
    }

    /// Writes one number of an input; `false`, and nothing changed, when the place is none. (A shared
    /// key/value head changes for every query head that uses it.)
    pub fn set_input(&mut self, place: Place, value: f64) -> bool {
        let Some((part, row, column)) = input_index(self, place) else { return false };
        let cell = match whole_matrix_mut(self, part) {
            Some(whole) => whole.get_mut((row, column)),
            None => whole_bias_mut(self, part).and_then(|bias| bias.get_mut(column)),
        };
        cell.map(|cell| *cell = value).is_some()
    }
}

/// Where the columns of one head begin in an input, and how many they are.
fn own_columns(problem: &Problem, part: Part, head: usize) -> Option<(usize, usize)> {
    if !part.is_input(problem) {
        return None;
    }
    let shapes = problem.shapes();
    let (owner, d) = match part {
        Part::Q | Part::WQ | Part::BQ => (head, shapes.d_k),
        Part::K | Part::WK | Part::BK => (shapes.heads.key_value_of(head), shapes.d_k),
        Part::V | Part::WV | Part::BV => (shapes.heads.key_value_of(head), shapes.d_v),
        Part::Bias if problem.family.bias.as_ref().is_some_and(|bias| bias.heads.is_some()) => (head, shapes.m),
        _ => return Some((0, whole_shape(problem, part)?.1)),
    };
    (head < shapes.heads.query).then_some((owner * d, d))
}

fn whole_shape(problem: &Problem, part: Part) -> Option<(usize, usize)> {
    match whole_matrix(problem, part) {
        Some(whole) => Some(whole.shape()),
        None => Some((1, whole_bias(problem, part)?.len())),
    }
}

/// Where an encoding is added to x, the input is what it is added to, and x itself is a step.
fn as_stored(problem: &Problem, part: Part) -> Option<Part> {
    match (part, problem.is_encoded()) {
        (Part::XGiven, true) => Some(Part::X),
        (Part::XKvGiven, true) => Some(Part::XKv),
        (Part::X | Part::XKv, true) | (Part::XGiven | Part::XKvGiven, false) => None,
        (part, _) => Some(part),
    }
}

/// An input matrix with all heads side by side; `None` for biases, steps and what is absent.
pub fn whole_matrix(problem: &Problem, part: Part) -> Option<&Matrix> {
    let part = as_stored(problem, part)?;
    match (part, &problem.inputs) {
        (Part::WO, _) => problem.w_o.as_ref(),
        (Part::Q, Inputs::Direct { q, .. }) => Some(q),
        (Part::K, Inputs::Direct { k, .. }) => Some(k),
        (Part::V, Inputs::Direct { v, .. }) => Some(v),
        (Part::X, Inputs::Projected(given)) => Some(&given.x),
        (Part::XKv, Inputs::Projected(given)) => given.x_kv.as_ref(),
        (Part::WQ, Inputs::Projected(given)) => Some(&given.w_q),
        (Part::WK, Inputs::Projected(given)) => Some(&given.w_k),
        (Part::WV, Inputs::Projected(given)) => Some(&given.w_v),
        (part, _) => family_matrix(&problem.family, part),
    }
}

/// The same, to be written to.
pub fn whole_matrix_mut(problem: &mut Problem, part: Part) -> Option<&mut Matrix> {
    let part = as_stored(problem, part)?;
    match (part, &mut problem.inputs) {
        (Part::WO, _) => problem.w_o.as_mut(),
        (Part::Q, Inputs::Direct { q, .. }) => Some(q),
        (Part::K, Inputs::Direct { k, .. }) => Some(k),
        (Part::V, Inputs::Direct { v, .. }) => Some(v),
        (Part::X, Inputs::Projected(given)) => Some(&mut given.x),
        (Part::XKv, Inputs::Projected(given)) => given.x_kv.as_mut(),
        (Part::WQ, Inputs::Projected(given)) => Some(&mut given.w_q),
        (Part::WK, Inputs::Projected(given)) => Some(&mut given.w_k),
        (Part::WV, Inputs::Projected(given)) => Some(&mut given.w_v),
        (part, _) => family_matrix_mut(&mut problem.family, part),
    }
}

/// A bias with all heads side by side; `None` for matrices, steps and what is absent.
pub fn whole_bias(problem: &Problem, part: Part) -> Option<&Vec<f64>> {
    match (part, &problem.inputs) {
        (Part::BO, _) => problem.b_o.as_ref(),
        (Part::BQ, Inputs::Projected(given)) => given.b_q.as_ref(),
        (Part::BK, Inputs::Projected(given)) => given.b_k.as_ref(),
        (Part::BV, Inputs::Projected(given)) => given.b_v.as_ref(),
        (part, _) => family_vector(&problem.family, part),
    }
}

/// The same, to be written to.
pub fn whole_bias_mut(problem: &mut Problem, part: Part) -> Option<&mut Vec<f64>> {
    match (part, &mut problem.inputs) {
        (Part::BO, _) => problem.b_o.as_mut(),
        (Part::BQ, Inputs::Projected(given)) => given.b_q.as_mut(),
        (Part::BK, Inputs::Projected(given)) => given.b_k.as_mut(),
        (Part::BV, Inputs::Projected(given)) => given.b_v.as_mut(),
        (part, _) => family_vector_mut(&mut problem.family, part),
    }
}

fn family_matrix(family: &Family, part: Part) -> Option<&Matrix> {
    match (part, &family.score, &family.position) {
        (Part::ScoreW, Score::General { w } | Score::Concat { w, .. }, _) => Some(w),
        (Part::ScoreWQ, Score::Additive { w_q, .. }, _) => Some(w_q),
        (Part::ScoreWK, Score::Additive { w_k, .. }, _) => Some(w_k),
        (Part::Table, _, Position::Learned { table }) => Some(table),
        (Part::Bias, ..) => family.bias.as_ref().map(|bias| &bias.values),
        _ => None,
    }
}

fn family_matrix_mut(family: &mut Family, part: Part) -> Option<&mut Matrix> {
    match (part, &mut family.score, &mut family.position) {
        (Part::ScoreW, Score::General { w } | Score::Concat { w, .. }, _) => Some(w),
        (Part::ScoreWQ, Score::Additive { w_q, .. }, _) => Some(w_q),
        (Part::ScoreWK, Score::Additive { w_k, .. }, _) => Some(w_k),
        (Part::Table, _, Position::Learned { table }) => Some(table),
        (Part::Bias, ..) => family.bias.as_mut().map(|bias| &mut bias.values),
        _ => None,
    }
}

fn family_vector(family: &Family, part: Part) -> Option<&Vec<f64>> {
    match (part, &family.score, &family.position) {
        (Part::ScoreV, Score::Concat { v, .. } | Score::Additive { v, .. }, _) => Some(v),
        (Part::Slopes, _, Position::Alibi { slopes }) => Some(slopes),
        (Part::Sink, ..) => family.sink.as_ref(),
        _ => None,
    }
}

fn family_vector_mut(family: &mut Family, part: Part) -> Option<&mut Vec<f64>> {
    match (part, &mut family.score, &mut family.position) {
        (Part::ScoreV, Score::Concat { v, .. } | Score::Additive { v, .. }, _) => Some(v),
        (Part::Slopes, _, Position::Alibi { slopes }) => Some(slopes),
        (Part::Sink, ..) => family.sink.as_mut(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::solve;

    fn grouped() -> Problem {
        let text = r#"{"format":"attnlab/1","heads":{"query":4,"key_value":2},"inputs":{
            "x":[[1,2],[3,4]],
            "w_q":[[1,2,3,4],[5,6,7,8]],"w_k":[[1,2],[3,4]],"w_v":[[1,2],[3,4]],
            "b_k":[10,20],"w_o":[[1],[2],[3],[4]],"b_o":[5]}}"#;
        Problem::from_json(text).unwrap()
    }

    #[test]
    fn a_head_sees_its_own_columns_and_writes_to_the_whole() {
        let mut problem = grouped();
        let trace = solve(&problem).unwrap();
        assert_eq!(matrix(&problem, &trace, Part::WK, 3).unwrap().as_slice(), [2.0, 4.0]);
        assert_eq!(matrix(&problem, &trace, Part::BK, 2).unwrap().as_slice(), [20.0]);
        assert_eq!(matrix(&problem, &trace, Part::WO, 3).unwrap().shape(), (4, 1));
        assert_eq!(matrix(&problem, &trace, Part::BQ, 0), None);
        assert_eq!(matrix(&problem, &trace, Part::WK, 4), None);
        let place = Place { part: Part::WK, head: 3, row: 1, column: 0 };
        assert!(problem.set_input(place, 99.0));
        assert_eq!(problem.get_input(Place { head: 2, ..place }), Some(99.0));
        assert_eq!(whole_matrix(&problem, Part::WK).unwrap()[(1, 1)], 99.0);
    }

    #[test]
    fn a_place_outside_is_nothing_and_changes_nothing() {
        let mut problem = grouped();
        let before = problem.clone();
        let outside = [(Part::WK, 4, 0, 0), (Part::WK, 0, 2, 0), (Part::WK, 0, 0, 1), (Part::Scores, 0, 0, 0)];
        for (part, head, row, column) in outside {
            let place = Place { part, head, row, column };
            assert_eq!(problem.get_input(place), None, "{place:?}");
            assert!(!problem.set_input(place, 1.0));
        }
        assert_eq!(problem, before);
    }

    #[test]
    fn every_cell_that_is_drawn_has_its_value() {
        let problem = grouped();
        let trace = solve(&problem).unwrap();
        for part in Part::ALL {
            let Some(drawn) = matrix(&problem, &trace, part, 1) else { continue };
            for row in 0..drawn.nrows() {
                for column in 0..drawn.ncols() {
                    let place = Place { part, head: 1, row, column };
                    assert_eq!(value(&problem, &trace, place), Some(drawn[(row, column)]), "{place:?}");
                }
            }
        }
    }
}
