//! Tensors of a file, and what each is to become.

use super::notice::Notice;
use super::state::Session;
use crate::attention::Problem;
use crate::exchange::{self, FileContent, FileError, MOST_FILE_BYTES, Pick, Role, TakeError, Tensor};
use std::rc::Rc;

/// A file whose tensors wait to be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    pub name: String,
    pub tensors: Vec<Tensor>,
    /// What the names suggest at first, and then what the user says; at most one a tensor.
    pub picks: Vec<Pick>,
    /// The problem that they make, or why they make none.
    pub problem: Result<Problem, TakeError>,
}

impl Import {
    fn of(name: String, tensors: Vec<Tensor>) -> Self {
        let picks = exchange::guess_all(&tensors);
        let problem = exchange::to_problem(&tensors, &picks);
        Self { name, tensors, picks, problem }
    }

    /// What a tensor is to become.
    pub fn pick(&self, tensor: usize) -> Option<&Pick> {
        self.picks.iter().find(|pick| pick.tensor == tensor)
    }

    /// What a tensor could become in this role: as its name suggests, else with the leading axes as batches.
    pub fn suggestion(&self, tensor: usize, role: Role) -> Pick {
        let one = &self.tensors[tensor];
        if let Some(pick) = exchange::guess(one).filter(|pick| pick.role == role) {
            return Pick { tensor, ..pick };
        }
        let left = if role.is_bias() { 1 } else { 2 };
        let axes = one.shape.len();
        // Three axes of attention maps are heads, queries and keys.
        let head = (role == Role::Weights && axes >= 3).then(|| axes - 3);
        let batch = (0..axes.saturating_sub(left)).filter(|axis| Some(*axis) != head).map(|axis| (axis, 0)).collect();
        let mut pick = Pick { tensor, role, batch, head, heads: 1, transpose: false, rows: 0..0, columns: 0..0 };
        pick.transpose = role.is_projection() && one.name.ends_with("weight");
        pick.take_all(one);
        pick
    }

    fn set(&mut self, tensor: usize, pick: Option<Pick>) {
        self.picks.retain(|pick| pick.tensor != tensor);
        self.picks.extend(pick);
        self.problem = exchange::to_problem(&self.tensors, &self.picks);
    }
}

impl Session {
    /// The file whose tensors wait to be taken.
    pub fn import(&self) -> Option<Rc<Import>> {
        self.import.clone()
    }

    /// What a file holds: a problem that is given back, or tensors that wait in the picker. `size` counts where the
    /// bytes of a far too large file were not even read.
    pub(super) fn open_file(&mut self, name: String, bytes: &[u8], size: u64) -> Option<Problem> {
        if size > MOST_FILE_BYTES as u64 {
            let (found, expected) = (format!("{size} bytes"), format!("{MOST_FILE_BYTES}"));
            let error = FileError::TooLarge { place: name.clone(), found, expected };
            self.notice = Some(Notice::NotAFile { name, error });
            return None;
        }
        match exchange::read_file(&name, bytes) {
            Ok(FileContent::Problem(problem)) => return Some(*problem),
            Ok(FileContent::Tensors(tensors)) => self.import = Some(Rc::new(Import::of(name, tensors))),
            Err(FileError::Problem(errors)) => self.notice = Some(Notice::Refused(errors)),
            Err(error) => self.notice = Some(Notice::NotAFile { name, error }),
        }
        None
    }

    pub(super) fn set_pick(&mut self, tensor: usize, pick: Option<Pick>) {
        if let Some(import) = self.import.as_mut().filter(|import| tensor < import.tensors.len()) {
            Rc::make_mut(import).set(tensor, pick);
        }
    }
}
