//! Claims as an article makes them: numbers printed to so many digits.

use attnlab::attention::{Matrix, Part, Problem, solve};
use attnlab::claim::{Claim, Explanation, Reason, compare, reasons};
use attnlab::exchange::read_block;

pub fn problem(text: &str) -> Problem {
    Problem::from_json(text).unwrap_or_else(|errors| panic!("{errors:?}"))
}

pub fn example(id: &str) -> Problem {
    attnlab::examples::all().iter().find(|example| example.id == id).unwrap().problem.clone()
}

/// The numbers as an article prints them, to so many digits.
pub fn printed(values: &Matrix, decimals: usize) -> String {
    let row = |row: usize| values.row(row).iter().map(|n| format!("{n:.decimals$}")).collect::<Vec<_>>().join("\t");
    (0..values.nrows()).map(row).collect::<Vec<_>>().join("\n")
}

pub fn cut_off(values: &Matrix, decimals: usize) -> String {
    let units = 10_f64.powi(decimals as i32);
    printed(&values.map(|n| (n * units).trunc() / units), decimals)
}

pub fn claim(text: &str, part: Part) -> Claim {
    Claim::of(&read_block(text).unwrap(), part, 0, None)
}

pub fn named(found: &[Explanation]) -> Vec<Vec<Reason>> {
    found.iter().map(|explanation| explanation.reasons.clone()).collect()
}

/// The reason is found first; where it has a problem, that problem gives the claim.
pub fn assert_first(claim: &Claim, problem: &Problem, expected: &[Reason]) {
    assert!(!compare(claim, &solve(problem).unwrap()).is_ok_and(|verdict| verdict.agrees()), "the claim must depart");
    let found = reasons(claim, problem);
    assert_eq!(found.first().map(|first| first.reasons.as_slice()), Some(expected), "{:?}", named(&found));
    if let Some(apply) = &found[0].apply {
        let verdict = compare(claim, &solve(apply).unwrap()).unwrap();
        let is_cut_off = expected.contains(&Reason::Truncated);
        assert!(if is_cut_off { verdict.agrees_cut_off() } else { verdict.agrees() });
    }
}
