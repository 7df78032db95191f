//! What studies make of the problem, or of their own settings: computed when one asks for it, and kept until it asks for something else.

use super::{Diagnosing, Memo};
use crate::attention::gradient::{Gradient, Target, gradient};
use crate::attention::{Decode, Flash, Position, Problem, ProblemError, decode, flash_beside, visible};
use crate::session::Session;
use crate::study::diagnosis::{HeadDiagnosis, diagnosis};
use crate::study::laboratory::{Draws, Laboratory, laboratory};
use crate::study::order::{Compared, compare};
use crate::study::reach::layers_needed;
use crate::study::rotary::{Shifted, example, shift_positions};
use crate::study::running_state::{Running, running};
use nalgebra::DMatrix;
use std::rc::Rc;

type Result<T> = std::result::Result<T, Vec<ProblemError>>;

/// The last answer to each question.
#[derive(Debug, Default)]
pub struct Studied {
    flash: Memo<(Problem, usize, usize), Result<Flash>>,
    decode: Memo<Problem, Result<Decode>>,
    gradient: Memo<(Problem, Target), Option<Gradient>>,
    laboratory: Memo<Draws, Laboratory>,
    diagnosis: Memo<(Problem, Diagnosing), Option<Vec<HeadDiagnosis>>>,
    layers: Memo<DMatrix<bool>, DMatrix<Option<usize>>>,
    order: Memo<(Problem, Vec<usize>), Option<Result<Compared>>>,
    shifted: Memo<(Problem, usize, usize), Option<Result<Shifted>>>,
    running: Memo<(Problem, usize, bool, usize), Option<Result<Running>>>,
}

impl Session {
    /// FlashAttention of the problem in blocks of so many rows and keys; why not, where it cannot be stepped.
    pub fn flash(&self, rows: usize, keys: usize) -> Rc<Result<Flash>> {
        let of = (self.problem().clone(), rows, keys);
        self.studied.flash.get(of, |(problem, rows, keys)| flash_beside(problem, self.trace(), *rows, *keys))
    }

    /// The problem decoded token by token; why not, where it cannot be.
    pub fn decode(&self) -> Rc<Result<Decode>> {
        self.studied.decode.get(self.problem().clone(), decode)
    }

    /// The gradient of the target; `None` where the target is not there.
    pub fn gradient(&self, target: Target) -> Rc<Option<Gradient>> {
        let of = (self.problem().clone(), target);
        self.studied.gradient.get(of, |(problem, target)| gradient(problem, self.trace(), *target))
    }

    /// Every head's diagnosis; `None` where weights have no entropy.
    pub fn diagnosis(&self) -> Rc<Option<Vec<HeadDiagnosis>>> {
        let of = (self.problem().clone(), self.view().explore.diagnosing);
        let made =
            |(problem, settings): &(Problem, Diagnosing)| diagnosis(problem, self.trace(), settings.thresholds());
        self.studied.diagnosis.get(of, made)
    }

    /// After how many layers each token knows each other one under the present rules, where they are the same tokens.
    pub fn layers_needed(&self) -> Rc<DMatrix<Option<usize>>> {
        self.studied.layers.get(visible(self.problem()), layers_needed)
    }

    /// What came of these draws.
    pub fn laboratory(&self, draws: Draws) -> Rc<Laboratory> {
        self.studied.laboratory.get(draws, |draws| laboratory(*draws))
    }

    /// The problem in this order beside its own; `None` where it cannot be reordered so.
    pub fn order(&self, order: Vec<usize>) -> Rc<Option<Result<Compared>>> {
        let of = (self.problem().clone(), order);
        self.studied.order.get(of, |(problem, order)| compare(problem, order))
    }

    /// The scores of a head after a shift of all positions: of the problem where it has RoPE (true), else of a small
    /// fixed one.
    pub fn shifted(&self, head: usize, by: usize) -> (bool, Rc<Option<Result<Shifted>>>) {
        let has_rope = matches!(self.problem().family.position, Position::Rope(_));
        let of = if has_rope { (self.problem().clone(), head, by) } else { (example(), 0, by) };
        (has_rope, self.studied.shifted.get(of, |(problem, head, by)| shift_positions(problem, *head, *by as f64)))
    }

    /// A head by its running state, up to a query; `None` where either is not there.
    pub fn running(&self, head: usize, causal: bool, query: usize) -> Rc<Option<Result<Running>>> {
        let of = (self.problem().clone(), head, causal, query);
        self.studied.running.get(of, |(problem, head, causal, query)| running(problem, *head, *causal, *query))
    }
}
