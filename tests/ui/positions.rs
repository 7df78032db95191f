//! The studies of order, of positions and of linear attention.

use super::stepped::{fits, labels, said, set, studying};
use super::*;
use attnlab::session::{Encoding, Study};

fn read(more: &str) -> Session {
    let text = format!(
        r#"{{"format":"attnlab/1",{more}"tokens":["我","打","你"],
            "inputs":{{"q":[[1,2],[2,-1],[0.5,0]],"k":[[1,0],[2,1],[-1,1]],"v":[[1],[3],[9]]}}}}"#
    );
    Session::of_problem(attnlab::attention::Problem::from_json(&text).unwrap()).unwrap()
}

#[test]
fn outputs_move_with_their_tokens_until_something_tells_places_apart() {
    let mut bench = studying(read(""), 1280.0, Study::Order);
    assert!(said(&bench).contains("This is the order of the problem"), "{}", said(&bench));
    bench.activate("the other way round");
    assert!(said(&bench).contains("The same outputs, each with its token"), "{}", said(&bench));
    let (before, after) = (bench.cells("output, order of the problem"), bench.cells("output, this order"));
    assert_eq!(before.iter().rev().collect::<Vec<_>>(), after.iter().collect::<Vec<_>>());
    // A token moved by its arrows.
    bench.activate("as in the problem");
    bench.activate("move 我 (place 1) to the right");
    let after = bench.cells("output, this order");
    assert_eq!([&after[0], &after[1], &after[2]], [&before[1], &before[0], &before[2]]);
    for (more, why) in [
        (r#""position":{"kind":"rope"},"#, "RoPE tells places apart"),
        (r#""mask":{"causal":"upper_left"},"#, "breaks the symmetry even without any encoding"),
    ] {
        let mut bench = studying(read(more), 1280.0, Study::Order);
        bench.activate("swap first and last");
        assert!(said(&bench).contains("The outputs change, by up to"), "{}", said(&bench));
        assert!(said(&bench).contains(why), "{}", said(&bench));
    }
}

#[test]
fn an_order_is_taken_into_the_problem_and_undone() {
    let mut bench = studying(Session::default(), 1280.0, Study::Order);
    bench.activate("the other way round");
    bench.activate("Take this order into the problem");
    assert_eq!(bench.session.borrow().problem().query_labels(), ["你", "爱", "我"]);
    assert!(bench.session.borrow().view().example.is_some());
    assert!(said(&bench).contains("This is the order of the problem"), "{}", said(&bench));
    update(&mut bench.session.borrow_mut(), Action::Undo);
    assert_eq!(bench.session.borrow().problem().query_labels(), ["我", "爱", "你"]);
}

#[test]
fn the_example_of_order_changes_once_positions_are_added() {
    let mut bench = studying(Session::of_example(by_id("who-hits-whom")), 1280.0, Study::Order);
    bench.activate("the other way round");
    assert!(said(&bench).contains("The same outputs, each with its token"), "{}", said(&bench));
    let mut problem = bench.session.borrow().problem().clone();
    problem.family.position = attnlab::attention::Position::Sinusoidal { base: 10_000.0 };
    update(&mut bench.session.borrow_mut(), Action::LoadProblem(Box::new(problem)));
    bench.settle();
    assert!(said(&bench).contains("sinusoidal tells places apart"), "{}", said(&bench));
}

#[test]
fn a_token_is_dragged_to_another_place() {
    let mut bench = studying(read(""), 1280.0, Study::Order);
    let centre = |bench: &Bench, name: &str| bench.harness.get_by_role_and_label(Role::Image, name).rect().center();
    let (from, to) = (centre(&bench, "1. 我"), centre(&bench, "3. 你"));
    bench.harness.drag_at(from);
    bench.settle();
    bench.harness.hover_at(to);
    bench.settle();
    bench.harness.drop_at(to);
    bench.settle();
    let order = bench.session.borrow().view().explore.ordering.order.clone();
    assert_eq!(order, [1, 2, 0]);
}

#[test]
fn the_map_of_the_sinusoidal_encoding_is_the_same_everywhere() {
    let mut bench = studying(Session::default(), 1280.0, Study::Encoding);
    assert!(said(&bench).contains("The same M for every position"), "{}", said(&bench));
    set(&mut bench, |explore| (explore.positions.pair, explore.positions.offset) = (0, 1));
    // cos 1, sin 1, −sin 1, cos 1.
    assert_eq!(bench.cells("M for pair 0, offset 1"), ["0.5403", "0.8415", "−0.8415", "0.5403"]);
    assert!(labels(&bench).iter().any(|label| label.contains("p = 7: M ·")));
    bench.harness.get_by_role_and_label(Role::Grid, "sinusoidal encoding");
    bench.harness.get_by_label_contains("Columns 0, 1, 30 of the encoding");
}

#[test]
fn rope_counts_the_pairs_that_meet_new_angles_turns_arrows_and_shifts() {
    let mut bench = studying(Session::default(), 1280.0, Study::Encoding);
    bench.activate("RoPE");
    let found = labels(&bench);
    for figure in ["16 of 32", "16–31", "0 of 32", "15 of 32", "16–30", "1.4", "2.0"] {
        assert!(found.iter().any(|label| label == figure), "{figure}");
    }
    bench.harness.get_by_role_and_label(Role::Image, "pair 0 · θ = 1, 171.9°");
    set(&mut bench, |explore| explore.positions.position = 100);
    bench.harness.get_by_role_and_label(Role::Image, "pair 1 · θ = 0.1, 573.0°");
    assert!(said(&bench).contains("Every position 100 further: the largest |Δ|"), "{}", said(&bench));
    bench.harness.get_by_label_contains("The problem has no RoPE");
    let mut bench = studying(read(r#""position":{"kind":"rope"},"#), 1280.0, Study::Encoding);
    set(&mut bench, |explore| explore.positions.encoding = Encoding::Rope);
    bench.harness.get_by_label_contains("The scores of the problem");
    assert!(said(&bench).contains("Only distances count"), "{}", said(&bench));
}

#[test]
fn a_learned_table_ends_and_alibi_does_not() {
    let mut bench = studying(Session::default(), 1280.0, Study::Encoding);
    bench.activate("learned");
    assert!(
        said(&bench).contains("The table has 512 rows. Position 513, counted from one, has none"),
        "{}",
        said(&bench)
    );
    bench.harness.get_by_label_contains("1023: nothing there");
    bench.activate("ALiBi");
    bench.harness.get_by_label_contains("head 0: 511: −255.5, 1023: −511.5");
}

#[test]
fn linear_attention_reads_sums_and_gives_the_figures() {
    let mut bench = studying(Session::of_example(by_id("linear-elu")), 1280.0, Study::Linear);
    // The problem has no mask, so the figures are there at once.
    assert_eq!(bench.cells("linear")[..3], ["0.3529", "0.2353", "0.4118"]);
    bench.activate("each query sees up to itself");
    assert!(said(&bench).contains("keys in the state: 1"), "{}", said(&bench));
    assert!(said(&bench).contains("The sums give what the matrix gives"), "{}", said(&bench));
    bench.activate("Token forward");
    assert!(said(&bench).contains("Step 2 of 3: token 1; keys in the state: 2"), "{}", said(&bench));
    bench.activate("each query sees all");
    assert!(said(&bench).contains("φ(q) S / (φ(q) z) = ("), "{}", said(&bench));
    // A problem of softmax is computed as if.
    let bench = studying(Session::default(), 1280.0, Study::Linear);
    bench.harness.get_by_label_contains("as if it were linear");
}

#[test]
fn the_three_studies_draw_everywhere_with_names_and_room_for_fingers() {
    let examples = ["three-tokens-by-hand", "two-heads", "i-like-cats-cached-step", "rope-half-split", "alibi-half"];
    let mut seen = Vec::new();
    for study in [Study::Order, Study::Encoding, Study::Linear] {
        for (width, language, theme) in
            [(1280.0, Language::English, ThemeChoice::Light), (360.0, Language::Chinese, ThemeChoice::Dark)]
        {
            for id in examples {
                for encoding in if study == Study::Encoding { &Encoding::ALL[..] } else { &Encoding::ALL[..1] } {
                    let mut bench = studying(Session::of_example(by_id(id)), width, study);
                    update(&mut bench.session.borrow_mut(), Action::SetLanguage(language));
                    update(&mut bench.session.borrow_mut(), Action::SetTheme(theme));
                    set(&mut bench, |explore| explore.positions.encoding = *encoding);
                    let where_ = format!("{study:?} {encoding:?} of {id} at {width}");
                    check_names(&bench, &where_);
                    if width < 700.0 {
                        fits(&bench, width, &where_);
                    }
                    seen.push(where_);
                }
            }
        }
    }
    assert_eq!(seen.len(), 60);
}
