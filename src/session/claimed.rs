//! Numbers that somebody claims for a step, held against the session's own.

use super::notice::Notice;
use super::state::Session;
use crate::attention::Part;
use crate::claim::{self, Claim, Explanation, Extent, ShapeMismatch, Verdict};
use crate::exchange;
use std::rc::Rc;

/// A claim, how it compares with what is there now, and why it departs.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    pub claim: Claim,
    pub verdict: Result<Verdict, ShapeMismatch>,
    /// What explains a departure; `None` until it is looked for, and after every change of the problem.
    pub reasons: Option<Vec<Explanation>>,
    /// Whether rows and columns were swapped, since only so the shape fits.
    pub swapped: bool,
    /// How much is tried for a problem of this size.
    pub extent: Extent,
}

impl Session {
    /// The claim that is held against this state.
    pub fn claimed(&self) -> Option<Rc<Claimed>> {
        self.claimed.clone()
    }

    pub(super) fn take_claim(&mut self, part: Part, head: usize, row: Option<usize>, text: &str) {
        match exchange::read_block(text) {
            Err(error) => self.notice = Some(Notice::NotABlock(error)),
            Ok(block) => {
                self.hold_claim(Claim::of(&block, part, head, row));
                self.look_for_reasons();
            }
        }
    }

    /// Compares the claim anew; a change of the problem asks for it. Reasons take longer and are left for later.
    pub(super) fn compare_claim(&mut self) {
        if let Some(claimed) = self.claimed.take() {
            self.hold_claim(claimed.claim.clone());
        }
    }

    fn hold_claim(&mut self, mut claim: Claim) {
        let mut verdict = claim::compare(&claim, self.trace());
        let mut swapped = false;
        if verdict.is_err() {
            let turned =
                Claim { values: claim.values.transpose(), decimals: claim.decimals.transpose(), ..claim.clone() };
            if let Ok(fitting) = claim::compare(&turned, self.trace()) {
                (claim, verdict, swapped) = (turned, Ok(fitting), true);
            }
        }
        let extent = Extent::of(self.problem());
        self.claimed = Some(Rc::new(Claimed { claim, verdict, reasons: None, swapped, extent }));
    }

    pub(super) fn look_for_reasons(&mut self) {
        let Some(claimed) = &mut self.claimed else { return };
        if let Ok(verdict) = &claimed.verdict {
            let departs = !verdict.agrees();
            let found = Some(if departs { claim::reasons(&claimed.claim, &self.solved.problem) } else { Vec::new() });
            Rc::make_mut(claimed).reasons = found;
        }
    }
}
