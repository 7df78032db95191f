//! The problem of the session block by block and token by token, computed when a study asks for it.

use super::Memo;
use crate::attention::{Decode, Flash, Problem, ProblemError, decode, flash_beside};
use crate::session::Session;
use std::rc::Rc;

type Result<T> = std::result::Result<T, Vec<ProblemError>>;

/// The last answer to each question.
#[derive(Debug, Default)]
pub struct Stepped {
    flash: Memo<(Problem, usize, usize), Result<Flash>>,
    decode: Memo<Problem, Result<Decode>>,
}

impl Session {
    /// FlashAttention of the problem in blocks of so many rows and keys; why not, where it cannot be stepped.
    pub fn flash(&self, rows: usize, keys: usize) -> Rc<Result<Flash>> {
        let of = (self.problem().clone(), rows, keys);
        self.stepped.flash.get(of, |(problem, rows, keys)| flash_beside(problem, self.trace(), *rows, *keys))
    }

    /// The problem decoded token by token; why not, where it cannot be.
    pub fn decode(&self) -> Rc<Result<Decode>> {
        self.stepped.decode.get(self.problem().clone(), decode)
    }
}
