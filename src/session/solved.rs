//! A problem together with everything that follows from it.

use crate::attention::{Checks, MaskApplied, Problem, ProblemError, Trace, checks, has_rule, solve, with_mask_right};

/// The parts always belong together: nothing else makes one.
pub(super) struct Solved {
    pub problem: Problem,
    pub trace: Trace,
    pub checks: Checks,
    /// The same problem with its mask applied as it should be, where it is not.
    pub with_mask_right: Option<Trace>,
}

impl Solved {
    /// # Errors
    /// Everything that is wrong with the problem, or the step that overflows.
    pub fn of(problem: Problem) -> Result<Self, Vec<ProblemError>> {
        problem.validate()?;
        let trace = solve(&problem)?;
        let checks = checks(&problem, &trace);
        let is_wrong = has_rule(&problem.mask) && problem.mask_applied != MaskApplied::BeforeSoftmax;
        let with_mask_right = if is_wrong { Some(solve(&with_mask_right(&problem))?) } else { None };
        Ok(Self { problem, trace, checks, with_mask_right })
    }
}
