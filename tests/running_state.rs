//! Linear attention by its running state is linear attention by its matrix.

#[allow(dead_code)] // It makes more kinds of problems than are needed here.
#[path = "laws/generate.rs"]
mod generate;

use attnlab::attention::{Matrix, Part, Problem, solve};
use attnlab::examples;
use attnlab::study::running_state::{Running, as_linear, running};
use generate::member;
use proptest::prelude::*;

fn run(problem: &Problem, head: usize, causal: bool, query: usize) -> Running {
    running(problem, head, causal, query).unwrap().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_sums_give_what_the_matrix_gives(problem in member(), causal in any::<bool>()) {
        let shapes = problem.shapes();
        let (linear, _) = as_linear(&problem, causal && !problem.is_cross());
        let solved = solve(&linear).unwrap();
        for head in 0..shapes.heads.query {
            let expected = &solved.get(Part::Context, head).unwrap().value;
            let size = expected.amax().max(1.0);
            for query in 0..shapes.n {
                let found = run(&problem, head, causal, query);
                prop_assert!((&found.output - expected).amax() <= 1e-12 * size);
                prop_assert!(found.difference <= 1e-12 * size);
                // The same by the weights, and by the arithmetic that is written out.
                let by_weights: Matrix = &found.weights * &found.v;
                let phi: Vec<f64> = found.q.row(query).iter().copied().collect();
                for column in 0..shapes.d_v {
                    let output = found.output[(query, column)];
                    prop_assert!((by_weights[(query, column)] - output).abs() <= 1e-12 * size);
                    let written = found.state.arithmetic(&phi, column).unwrap().evaluate();
                    prop_assert!(found.state.keys == 0 || (written - output).abs() <= 1e-12 * size);
                }
                // The control: a state that lacks a key reads something else, or the key said nothing new.
                let mut more = found.state.clone();
                more.add(&vec![1.0; shapes.d_k], &vec![1e3; shapes.d_v]);
                prop_assert!((more.read(&phi)[0] - found.output[(query, 0)]).abs() > 1e-12);
            }
        }
    }
}

#[test]
fn the_figures_of_i_like_cats_come_out_where_every_query_sees_all() {
    let example = examples::all().iter().find(|example| example.id == "linear-elu").unwrap();
    let found = run(&example.problem, 0, false, 0);
    for (weight, expected) in found.weights.row(0).iter().zip([6.0, 4.0, 7.0]) {
        assert!((weight - expected / 17.0).abs() <= 1e-12, "{weight} {expected}");
    }
    // Under the causal rule the first token has itself alone.
    assert_eq!(run(&example.problem, 0, true, 0).weights.row(0).iter().copied().collect::<Vec<_>>(), [1.0, 0.0, 0.0]);
}

/// The control: sums that take in the keys to come, or those of another query, are not those of the causal rule.
#[test]
fn sums_over_other_keys_go_red() {
    let example = examples::all().iter().find(|example| example.id == "linear-elu").unwrap();
    let causal = solve(&as_linear(&example.problem, true).0).unwrap();
    let expected = &causal.get(Part::Context, 0).unwrap().value;
    let departs = |output: &Matrix| !(output - expected).iter().all(|difference| difference.abs() <= 1e-12);
    assert!(!departs(&run(&example.problem, 0, true, 0).output));
    assert!(departs(&run(&example.problem, 0, false, 0).output));
    let mut late = run(&example.problem, 0, true, 0).output;
    late.swap_rows(0, 1);
    assert!(departs(&late) && departs(&(late * f64::NAN)));
}

#[test]
fn what_is_not_there_is_none() {
    let problem = &examples::all()[0].problem;
    assert!(running(problem, 1, true, 0).is_none() && running(problem, 0, true, 3).is_none());
}
