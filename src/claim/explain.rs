//! Tries the reasons: each is computed anew and compared; those under which every number matches are told.

use super::changed::changed;
use super::compare::{Claim, Verdict, compare_with};
use super::factor;
use super::reason::{Kind, Reason, usual};
use super::rounding;
use super::twist::{self, is_twist};
use crate::attention::{Part, Position, Problem};

/// How much is tried: a large problem is not solved hundreds of times while somebody waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it: some hundreds of solutions.
    Everything,
    /// The usual reasons by themselves, and neither another scale nor two reasons together: some forty solutions.
    SingleReasons,
    /// Only whether the digits were cut off.
    CutOffOnly,
}

impl Extent {
    /// By the work of one solution: about 70 tokens two wide are the most of which everything is tried.
    pub fn of(problem: &Problem) -> Extent {
        match twist::work(problem) {
            0..=60_000 => Extent::Everything,
            60_001..=5_000_000 => Extent::SingleReasons,
            _ => Extent::CutOffOnly,
        }
    }
}

/// The most work for the rounding of the inputs; beside another reason it is looked into some twenty times.
const MOST_FOR_INPUTS: usize = 10_000_000;

/// Why a claim departs from a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// One, or two that are at work together.
    pub reasons: Vec<Reason>,
    /// The claim against what these reasons give. Where `InputsRounded` is among them some cells still
    /// depart: the reason lists each.
    pub verdict: Verdict,
    /// The problem in which the claim matches, where there is one.
    pub apply: Option<Problem>,
}

/// The reasons under which every number of the claim matches, simplest first; none when the claim matches as it is,
/// when nothing explains it, or when the problem has no such step.
///
/// First single reasons and what the printing of the given numbers leaves open; where none of them explains the claim,
/// another scale factor; then two reasons together. (A claim of few digits can match by chance.) Of a large
/// problem less is tried: `Extent` says how much.
///
/// ```
/// # use attnlab::{attention::{Part, Problem}, claim::{Claim, Reason, reasons}, exchange::read_block};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[1,2]],"k":[[1,0],[0,1]],"v":[[1],[2]]}}"#).unwrap();
/// let claim = Claim::of(&read_block("0.2689 0.7311").unwrap(), Part::Weights, 0, None); // e¹ : e²
/// let found = reasons(&claim, &problem);
/// assert_eq!(found[0].reasons, [Reason::ScaleLeftOut]);
/// assert!(found[0].apply.is_some());
/// ```
pub fn reasons(claim: &Claim, problem: &Problem) -> Vec<Explanation> {
    let base = twist::step(problem, claim.part, claim.head, &[]);
    let verdict = base.as_ref().and_then(|step| compare_with(claim, step).ok());
    if base.is_none() || verdict.as_ref().is_some_and(Verdict::agrees) {
        return Vec::new();
    }
    let extent = Extent::of(problem);
    if extent == Extent::CutOffOnly {
        return tried(claim, problem, &[&Reason::Truncated]).into_iter().collect();
    }
    // One number that is off is a slip: what hardly moves anything would give some of them.
    let is_slip = verdict.as_ref().is_some_and(|verdict| verdict.departing().count() == 1);
    let is_asked = |reason: &Reason| does_something(problem, reason) && !(is_slip && reason.may_move_little());
    let usual: Vec<Reason> = usual().into_iter().filter(is_asked).collect();
    let mut found: Vec<Explanation> = usual.iter().filter_map(|reason| tried(claim, problem, &[reason])).collect();
    found.extend(verdict.as_ref().and_then(|verdict| inputs_rounded(claim, problem, verdict)));
    if extent == Extent::SingleReasons {
        return found;
    }
    // A factor that may be anything often fits numbers that are only a little off, so it is asked after all others.
    // One number that is off is a slip: some factor nearly always gives it.
    if found.is_empty() && verdict.is_some_and(|verdict| verdict.departing().count() > 1) {
        found.extend(another_scale(claim, problem));
    }
    if found.is_empty() {
        found.extend(usual.iter().filter_map(|reason| changed_and_inputs_rounded(claim, problem, reason)));
    }
    if found.is_empty() {
        found.extend(pairs(claim, problem, &usual));
    }
    found
}

fn does_something(problem: &Problem, reason: &Reason) -> bool {
    *reason == Reason::Truncated || is_twist(reason) || changed(problem, reason).is_some()
}

/// Whether the claim matches when these are at work.
fn tried(claim: &Claim, problem: &Problem, reasons: &[&Reason]) -> Option<Explanation> {
    let mut other = problem.clone();
    for reason in reasons.iter().filter(|reason| !is_twist(reason) && ***reason != Reason::Truncated) {
        other = changed(&other, reason)?;
    }
    let reasons: Vec<Reason> = reasons.iter().map(|&reason| reason.clone()).collect();
    let part = in_place_of(&other, claim.part);
    let step = twist::step(&other, part, claim.head, &reasons)?;
    let verdict = compare_with(claim, &step).ok()?;
    let is_cut_off = reasons.contains(&Reason::Truncated);
    if !(if is_cut_off { verdict.agrees_cut_off() } else { verdict.agrees() }) {
        return None;
    }
    let has_step = other != *problem && part == claim.part;
    let can_be_applied = has_step && reasons.iter().all(|reason| !is_twist(reason) && reason.can_be_applied());
    Some(Explanation { reasons, verdict, apply: can_be_applied.then_some(other) })
}

/// The step that holds what was claimed of this one: where rotation, softcap or bias was left out there is no such
/// step, and its numbers are those of the step before it.
fn in_place_of(problem: &Problem, part: Part) -> Part {
    let family = &problem.family;
    let is_rotated = matches!(family.position, Position::Rope(_));
    let is_biased = family.bias.is_some() || matches!(family.position, Position::Alibi { .. });
    match part {
        Part::QRotated if !is_rotated => Part::Q,
        Part::KRotated if !is_rotated => Part::K,
        Part::Capped if family.softcap.is_none() => Part::Scaled,
        Part::Biased if !is_biased => Part::before_mask(problem),
        _ => part,
    }
}

fn pairs(claim: &Claim, problem: &Problem, usual: &[Reason]) -> Vec<Explanation> {
    let mut found = Vec::new();
    for (index, first) in usual.iter().enumerate() {
        let others = usual[index + 1..].iter().filter(|second| can_meet(first.kind(), second.kind()));
        // How the digits were cut is told last.
        found.extend(others.filter_map(|second| match first.kind() {
            Kind::Reading => tried(claim, problem, &[second, first]),
            _ => tried(claim, problem, &[first, second]),
        }));
    }
    found
}

/// Two roundings leave so much open that they would explain too much.
fn can_meet(first: Kind, second: Kind) -> bool {
    first != second && (first, second) != (Kind::Reading, Kind::Rounding)
}

fn inputs_rounded(claim: &Claim, problem: &Problem, verdict: &Verdict) -> Option<Explanation> {
    let cells = rounding::allowances(claim, problem, verdict, MOST_FOR_INPUTS)?;
    let reasons = vec![Reason::InputsRounded { cells }];
    Some(Explanation { reasons, verdict: verdict.clone(), apply: None })
}

/// The same in a changed problem: of two reasons the second may be the printing of the inputs.
fn changed_and_inputs_rounded(claim: &Claim, problem: &Problem, reason: &Reason) -> Option<Explanation> {
    let other = changed(problem, reason)?;
    let step = twist::step(&other, claim.part, claim.head, &[])?;
    let verdict = compare_with(claim, &step).ok()?;
    let cells = rounding::allowances(claim, &other, &verdict, MOST_FOR_INPUTS / 20)?;
    let reasons = vec![reason.clone(), Reason::InputsRounded { cells }];
    let can_be_applied = reason.can_be_applied();
    Some(Explanation { reasons, verdict, apply: can_be_applied.then_some(other) })
}

fn another_scale(claim: &Claim, problem: &Problem) -> Option<Explanation> {
    let matches = |factor: f64| tried(claim, problem, &[&Reason::OtherScale(factor)]).is_some();
    let factor = factor::simplest(factor::fitted(claim, problem)?, matches)?;
    tried(claim, problem, &[&Reason::OtherScale(factor)])
}
