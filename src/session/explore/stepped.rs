//! The problem of the session block by block and token by token, computed when a study asks for it.

use super::Memo;
use crate::attention::gradient::{Gradient, Target, gradient};
use crate::attention::{Decode, Flash, Problem, ProblemError, decode, flash_beside};
use crate::session::Session;
use crate::study::laboratory::{Draws, Laboratory, laboratory};
use std::rc::Rc;

type Result<T> = std::result::Result<T, Vec<ProblemError>>;

/// The last answer to each question.
#[derive(Debug, Default)]
pub struct Stepped {
    flash: Memo<(Problem, usize, usize), Result<Flash>>,
    decode: Memo<Problem, Result<Decode>>,
    gradient: Memo<(Problem, Target), Option<Gradient>>,
    laboratory: Memo<Draws, Laboratory>,
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

    /// The gradient of the target; `None` where the target is not there.
    pub fn gradient(&self, target: Target) -> Rc<Option<Gradient>> {
        let of = (self.problem().clone(), target);
        self.stepped.gradient.get(of, |(problem, target)| gradient(problem, self.trace(), *target))
    }

    /// What came of these draws.
    pub fn laboratory(&self, draws: Draws) -> Rc<Laboratory> {
        self.stepped.laboratory.get(draws, |draws| laboratory(*draws))
    }
}
