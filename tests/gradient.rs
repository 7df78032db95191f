//! Exact gradients against finite differences, for the whole family.

#[allow(dead_code)] // It makes more kinds of problems than are needed here.
#[path = "laws/generate.rs"]
mod generate;

use attnlab::attention::gradient::{Target, gradient};
use attnlab::attention::{Part, Place, Problem, solve};
use attnlab::examples;
use generate::member;
use proptest::prelude::*;

/// The target, computed again from a changed problem.
fn value(problem: &Problem, target: Target) -> f64 {
    let trace = solve(problem).unwrap();
    let output = &trace.get(Part::Output, 0).unwrap().value;
    match target {
        Target::Cell { row, column } => output[(row, column)],
        Target::CrossEntropy { row, column } => {
            let sum: f64 = output.row(row).iter().map(|logit| logit.exp()).sum();
            sum.ln() - output[(row, column)]
        }
    }
}

/// Every input of every head, by the place of its first use.
fn inputs(problem: &Problem) -> Vec<Place> {
    let trace = solve(problem).unwrap();
    let mut places = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| part.is_input(problem)) {
        for head in 0..if part.is_per_head() { problem.heads.query } else { 1 } {
            let shape = attnlab::attention::matrix(problem, &trace, part, head).unwrap().shape();
            places
                .extend((0..shape.0).flat_map(|row| (0..shape.1).map(move |column| Place { part, head, row, column })));
        }
    }
    places
}

/// The largest departure from the central difference, relative to the size of the numbers; and how many were compared.
fn departure(problem: &Problem, target: Target, factor: f64) -> (f64, usize) {
    let trace = solve(problem).unwrap();
    let gradient = gradient(problem, &trace, target).unwrap();
    assert!((gradient.value - value(problem, target)).abs() <= 1e-9 * (1.0 + gradient.value.abs()));
    let step = 1e-5;
    let mut most = 0.0f64;
    let places = inputs(problem);
    for place in &places {
        let given = problem.get_input(*place).unwrap();
        let moved = |by: f64| {
            let mut moved = problem.clone();
            moved.set_input(*place, given + by);
            value(&moved, target)
        };
        let difference = (moved(step) - moved(-step)) / (2.0 * step);
        let found = factor * gradient.at(problem, *place);
        let scale = 1.0 + difference.abs().max(found.abs());
        let departs = (found - difference).abs() / scale;
        // The larger of a number and NaN would be the number.
        assert!(departs.is_finite(), "{place:?}: {found} against {difference}");
        most = most.max(departs);
    }
    (most, places.len())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn exact_gradients_are_those_of_finite_differences(problem in member(), pick in any::<(usize, usize, bool)>()) {
        let trace = solve(&problem);
        prop_assume!(trace.is_ok());
        let (rows, columns) = trace.unwrap().get(Part::Output, 0).unwrap().value.shape();
        let (row, column) = (pick.0 % rows, pick.1 % columns);
        // Divided by a sum near zero, finite differences say nothing.
        prop_assume!(problem.family.normalise != attnlab::attention::Normalise::Sum);
        let target = if pick.2 { Target::Cell { row, column } } else { Target::CrossEntropy { row, column } };
        let output = value(&problem, target);
        prop_assume!(output.is_finite() && output.abs() < 1e3);
        let (departure, _) = departure(&problem, target, 1.0);
        prop_assert!(departure <= 1e-4, "{departure}");
    }
}

#[test]
fn the_examples_agree_to_six_digits_and_a_wrong_factor_is_seen() {
    let mut compared = 0;
    for example in examples::all() {
        let (found, count) = departure(&example.problem, Target::Cell { row: 0, column: 0 }, 1.0);
        assert!(found <= 1e-6, "{}: {found}", example.id);
        compared += count;
    }
    assert!(compared > 500, "only {compared} derivatives compared");
    let by_hand = &examples::all()[0].problem;
    let (found, _) = departure(by_hand, Target::Cell { row: 1, column: 0 }, 1.01);
    assert!(found > 1e-4, "a gradient that is wrong by a hundredth goes unseen: {found}");
}

#[test]
fn nothing_flows_through_a_hidden_pair() {
    let example = examples::all().iter().find(|e| e.id == "three-tokens-causal-before-softmax").unwrap();
    let trace = solve(&example.problem).unwrap();
    let gradient = gradient(&example.problem, &trace, Target::Cell { row: 1, column: 0 }).unwrap();
    let at = |part, row| gradient.at(&example.problem, Place { part, head: 0, row, column: 0 });
    assert_eq!((at(Part::K, 2), at(Part::V, 2)), (0.0, 0.0));
    assert!(at(Part::K, 1) != 0.0 && at(Part::V, 1) != 0.0);
}

#[test]
fn a_saturated_softmax_lets_hardly_any_gradient_through() {
    let of = |query: f64| {
        let text = format!(r#"{{"format":"attnlab/1","inputs":{{"q":[[{query}]],"k":[[1],[2]],"v":[[0],[1]]}}}}"#);
        let problem = Problem::from_json(&text).unwrap();
        let trace = solve(&problem).unwrap();
        let gradient = gradient(&problem, &trace, Target::Cell { row: 0, column: 0 }).unwrap();
        gradient.at(&problem, Place { part: Part::Q, head: 0, row: 0, column: 0 })
    };
    assert!(of(0.5) > 0.2 && of(30.0) < 1e-12);
}
