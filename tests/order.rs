//! Another order of the same tokens: which problems are permutation-equivariant, by the plain definition.

#[allow(dead_code)] // It makes more kinds of problems than are needed here.
#[path = "laws/generate.rs"]
mod generate;

use attnlab::attention::{Dropout, Family, Mask, MaskApplied, Normalise, Part, Position, Problem, solve};
use attnlab::session::{Action, Session, update};
use attnlab::study::order::{Tie, compare, reordered};
use generate::self_member;
use proptest::prelude::*;

/// A problem and an order of its tokens.
fn ordered() -> impl Strategy<Value = (Problem, Vec<usize>)> {
    self_member().prop_flat_map(|problem| {
        let order: Vec<usize> = (0..problem.shapes().n).collect();
        (Just(problem), Just(order).prop_shuffle())
    })
}

/// Without anything that is tied to a place. Divided by a sum that may be next to zero, rounding alone moves much.
fn untied(problem: Problem) -> Problem {
    let normalise =
        if problem.family.normalise == Normalise::Sum { Normalise::Softmax } else { problem.family.normalise };
    let family =
        Family { position: Position::None, bias: None, dropout: Dropout::default(), normalise, ..problem.family };
    Problem { family, mask: Mask::default(), mask_applied: MaskApplied::default(), ..problem }
}

fn read(text: &str) -> Problem {
    Problem::from_json(&format!(
        r#"{{"format":"attnlab/1",{text}"tokens":["我","打","你"],
            "inputs":{{"q":[[1,2],[2,-1],[0.5,0]],"k":[[1,0],[2,1],[-1,1]],"v":[[1],[3],[9]]}}}}"#
    ))
    .unwrap_or_else(|errors| panic!("{errors:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn without_ties_to_places_every_output_moves_with_its_token((problem, order) in ordered()) {
        let problem = untied(problem);
        let found = compare(&problem, &order).unwrap().unwrap();
        let size = found.before.amax().max(1.0);
        prop_assert!(found.moves_along && found.difference <= 1e-12 * size, "{}", found.difference);
        prop_assert!(found.ties.is_empty());
    }

    #[test]
    fn there_and_back_is_the_same_problem((problem, order) in ordered()) {
        let mut back = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &token)| back[token] = place);
        let there = reordered(&problem, &order).unwrap();
        let again = reordered(&there, &back).unwrap();
        prop_assert_eq!(again.inputs, problem.inputs.clone());
        prop_assert_eq!(again.tokens.unwrap(), problem.query_labels());
        prop_assert_eq!((&there.mask, &there.family), (&problem.mask, &problem.family));
    }
}

#[test]
fn what_ties_outputs_to_places_is_named_and_the_control_goes_red() {
    let reverse = [2, 1, 0];
    let cases: [(&str, &[Tie]); 6] = [
        (r#""mask":{"causal":"upper_left"},"#, &[Tie::Mask]),
        (r#""position":{"kind":"rope"},"#, &[Tie::Position]),
        (r#""bias":[[0,0,3],[0,0,0],[0,0,0]],"#, &[Tie::Bias]),
        (r#""dropout":{"p":0.5,"seed":1},"#, &[Tie::Dropout]),
        (r#""position":{"kind":"rope"},"mask":{"causal":"upper_left"},"#, &[Tie::Position, Tie::Mask]),
        // Distances stay as they are when all is turned round.
        (r#""position":{"kind":"alibi","slopes":[0.5]},"#, &[]),
    ];
    for (text, ties) in cases {
        let found = compare(&read(text), &reverse).unwrap().unwrap();
        assert_eq!(found.ties, ties, "{text}");
        assert_eq!(found.moves_along, ties.is_empty(), "{text}: {}", found.difference);
        assert!(found.moves_along || found.difference > 1e-3, "{text}: {}", found.difference);
    }
    let alibi = compare(&read(cases[5].0), &[1, 0, 2]).unwrap().unwrap();
    assert_eq!((alibi.moves_along, alibi.ties), (false, vec![Tie::Position]));
}

#[test]
fn where_queries_and_keys_are_not_the_same_tokens_nothing_is_reordered() {
    let cross = r#"{"format":"attnlab/1","memory":["a","b"],"inputs":{"q":[[1],[2]],"k":[[1],[2]],"v":[[1],[2]]}}"#;
    let cached = r#"{"format":"attnlab/1","inputs":{"q":[[1]],"k":[[1],[2]],"v":[[1],[2]]}}"#;
    for text in [cross, cached] {
        assert_eq!(reordered(&Problem::from_json(text).unwrap(), &[1, 0]), None, "{text}");
    }
    for order in [&[0, 1][..], &[0, 1, 1], &[0, 1, 3], &[0, 1, 2, 3]] {
        assert_eq!(reordered(&read(""), order), None, "{order:?}");
    }
}

#[test]
fn an_order_is_taken_into_the_problem_keeps_the_example_and_is_undone() {
    let mut session = Session::default();
    let before = session.problem().clone();
    let example = session.view().example.clone();
    update(&mut session, Action::Reorder(vec![2, 1, 0]));
    assert_eq!(session.problem().query_labels(), ["你", "爱", "我"]);
    assert_eq!(session.view().example, example);
    let output = |problem: &Problem| solve(problem).unwrap().get(Part::Output, 0).unwrap().value[(1, 0)];
    assert!((output(session.problem()) - output(&before)).abs() <= 1e-12);
    update(&mut session, Action::Reorder(vec![0, 0, 0]));
    assert_eq!(session.problem().query_labels(), ["你", "爱", "我"]);
    update(&mut session, Action::Undo);
    assert_eq!(session.problem(), &before);
}
