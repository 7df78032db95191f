//! What a session holds.

use super::claimed::Claimed;
use super::explore::Studied;
use super::given::GivenHeads;
use super::history::History;
use super::import::Import;
use super::notice::Notice;
use super::shelf::Shelf;
use super::solved::Solved;
use super::variants::Aside;
use super::view::View;
use crate::attention::{Checks, Part, Place, Problem, ProblemError, Trace};
use crate::examples;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The problem with what follows from it, what is looked at, and what was before.
pub struct Session {
    pub(super) solved: Solved,
    pub(super) view: View,
    pub(super) history: History,
    pub(super) notice: Option<Notice>,
    /// The state A that B is compared with.
    pub(super) held: Option<Solved>,
    pub(super) shelf: Shelf,
    /// The fragment of the link that this state was opened from: it must not overwrite the user's own.
    pub(super) link: Option<String>,
    /// Numbers that somebody claims for a step.
    pub(super) claimed: Option<Rc<Claimed>>,
    /// The tensors of a file, until they are taken.
    pub(super) import: Option<Rc<Import>>,
    /// Rows of a long sequence that were taken from the workbench or from a file.
    pub(super) given: Option<GivenHeads>,
    /// What the present member of the family does not take, until it comes back.
    pub(super) aside: Aside,
    /// What the stroke that is being painted makes of a pair.
    pub(super) painted: bool,
    /// What studies made of the problem.
    pub(super) studied: Studied,
}

impl Default for Session {
    /// 我 爱 你, with the working of 爱's output pinned.
    fn default() -> Self {
        Self::of_example(&examples::all()[0])
    }
}

impl Session {
    /// A fresh session on a published example.
    ///
    /// # Panics
    /// If a built-in example cannot be solved, which a test rules out.
    pub fn of_example(example: &examples::Example) -> Self {
        let mut session = Self::of_problem(example.problem.clone()).expect("built-in examples are solved in the tests");
        session.view.example = Some(example.id.clone());
        session.view.pinned = first_place(example);
        session
    }

    /// A fresh session on any problem.
    ///
    /// # Errors
    /// Everything that is wrong with the problem.
    pub fn of_problem(problem: Problem) -> Result<Self, Vec<ProblemError>> {
        let (view, history) = (View::default(), History::default());
        let solved = Solved::of(problem)?;
        let shelf = Shelf::default();
        Ok(Self {
            solved,
            view,
            history,
            notice: None,
            held: None,
            shelf,
            link: None,
            claimed: None,
            import: None,
            given: None,
            aside: Aside::default(),
            painted: true,
            studied: Studied::default(),
        })
    }

    pub fn problem(&self) -> &Problem {
        &self.solved.problem
    }

    /// Every step of `problem`.
    pub fn trace(&self) -> &Trace {
        &self.solved.trace
    }

    /// Every step with the mask applied as it should be.
    pub fn trace_with_mask_right(&self) -> &Trace {
        self.solved.with_mask_right.as_ref().unwrap_or(&self.solved.trace)
    }

    /// The live checks, by head and query row.
    pub fn checks(&self) -> &Checks {
        &self.solved.checks
    }

    pub fn view(&self) -> &View {
        &self.view
    }

    /// What the last action has to say, if anything.
    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// What the last stroke over the mask made of a pair: true is visible.
    pub fn last_painted(&self) -> bool {
        self.painted
    }

    /// The state A that is held to be compared with: its problem and its trace.
    pub fn held(&self) -> Option<(&Problem, &Trace)> {
        self.held.as_ref().map(|held| (&held.problem, &held.trace))
    }

    /// The states that were kept under a name.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// Puts back what was kept before.
    pub fn set_shelf(&mut self, shelf: Shelf) {
        self.shelf = shelf;
    }

    /// The fragment of the link that this state came by, as long as it was not made the user's own.
    pub fn link(&self) -> Option<&str> {
        self.link.as_deref()
    }

    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// The steps of this problem, in order.
    pub fn stages(&self) -> Vec<Stage> {
        Stage::of(&self.solved.problem)
    }
}

/// The cell an example starts with: the first number of the first output that its source printed.
pub(super) fn first_place(example: &examples::Example) -> Option<Place> {
    let printed = example.expect.iter().filter(|e| e.printed_by_source && e.part == Part::Output);
    let row = printed.map(|e| e.row).next()?;
    // With one head and no W_o the context is the output, and where its working stands.
    let part = if example.problem.joins_heads() { Part::Output } else { Part::Context };
    Some(Place { part, head: 0, row: row.unwrap_or(0), column: 0 })
}

/// One step of the pipeline, as the formula names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// q, k and v are given, or made from x.
    Project,
    /// Q Kᵀ.
    Scores,
    /// times 1/√d_k.
    Scale,
    /// + M.
    Mask,
    Softmax,
    /// times V.
    Weigh,
    /// The heads side by side, times W_o.
    Join,
}

impl Stage {
    /// The stages that this problem has. Heads are only joined where there are several or a projection.
    pub fn of(problem: &Problem) -> Vec<Self> {
        let mut stages = vec![Self::Project, Self::Scores, Self::Scale, Self::Mask, Self::Softmax, Self::Weigh];
        if problem.joins_heads() {
            stages.push(Self::Join);
        }
        stages
    }

    pub fn key(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Scores => "scores",
            Self::Scale => "scale",
            Self::Mask => "mask",
            Self::Softmax => "softmax",
            Self::Weigh => "weigh",
            Self::Join => "join",
        }
    }

    /// The stage in which a matrix first appears.
    pub fn of_part(part: Part) -> Self {
        use Part::*;
        match part {
            XGiven | XKvGiven | Table | Position | X | XKv | WQ | BQ | Q | WK | BK | K | WV | BV | V | QRotated
            | KRotated => Self::Project,
            QFeatures | KFeatures | ScoreW | KTransformed | ScoreWQ | ScoreWK | Hidden | ScoreV | Scores => {
                Self::Scores
            }
            Scaled | Capped | Slopes | Bias | Biased => Self::Scale,
            Mask | Masked => Self::Mask,
            Exp | RowSum | Sink | SinkWeight | Kept | Weights | Leak => Self::Softmax,
            Context => Self::Weigh,
            Concat | WO | BO | Output => Self::Join,
        }
    }
}
