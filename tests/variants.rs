//! From one member of the family to another on the same numbers, and back.

use attnlab::attention::{Bias, Heads, Matrix, Normalise, Part, Position, Problem, Rope, Scale, Score, matrix};
use attnlab::examples;
use attnlab::session::{Action, BiasFor, Change, Descent, Notice, Session, VariantChange, changes, update};

fn of(example: &str) -> Session {
    Session::of_example(examples::all().iter().find(|e| e.id == example).expect(example))
}

fn change(session: &mut Session, change: VariantChange) {
    update(session, Action::ChangeVariant(change));
    assert!(!matches!(session.notice(), Some(Notice::Refused(_))), "{:?}", session.notice());
}

/// Every example on which a variant can be put.
fn sessions() -> impl Iterator<Item = Session> {
    examples::all().iter().map(Session::of_example)
}

#[test]
fn each_kind_of_score_and_of_positions_leads_back_to_the_same_numbers() {
    let mut changed = 0;
    for mut session in sessions().filter(|session| session.problem().family.normalise != Normalise::Linear) {
        let before = session.problem().clone();
        for kind in Score::KINDS {
            change(&mut session, VariantChange::Score(kind));
            assert_eq!(session.problem().family.score.key(), kind);
            changed += 1;
        }
        change(&mut session, VariantChange::Score(before.family.score.key()));
        let takes_x = session.problem().is_encoded()
            || matches!(session.problem().inputs, attnlab::attention::Inputs::Projected(_));
        let is_even = session.problem().shapes().d_k.is_multiple_of(2);
        for kind in Position::KINDS {
            if (matches!(kind, "sinusoidal" | "learned") && !takes_x) || (kind == "rope" && !is_even) {
                continue;
            }
            change(&mut session, VariantChange::Position(kind));
            assert_eq!(session.problem().family.position.key(), kind);
            changed += 1;
        }
        change(&mut session, VariantChange::Position(before.family.position.key()));
        assert_eq!(*session.problem(), before);
    }
    assert!(changed > 200, "only {changed} changes");
}

#[test]
fn the_first_general_score_is_the_dot_product() {
    for mut session in [of("three-tokens-by-hand"), of("i-like-cats"), of("two-heads")] {
        let before = session.trace().get(Part::Output, 0).unwrap().value.clone();
        change(&mut session, VariantChange::Score("general"));
        assert_eq!(session.trace().get(Part::Output, 0).unwrap().value, before);
    }
}

#[test]
fn the_numbers_of_a_score_are_kept_while_another_is_in_its_place() {
    let mut session = of("i-like-cats");
    change(&mut session, VariantChange::Score("additive"));
    let cell = attnlab::attention::Place { part: Part::ScoreWQ, head: 0, row: 0, column: 0 };
    update(&mut session, Action::TypeCell { place: cell, text: "7".into() });
    change(&mut session, VariantChange::Score("dot"));
    change(&mut session, VariantChange::Score("additive"));
    assert_eq!(session.problem().get_input(cell), Some(7.0));
}

#[test]
fn what_linear_attention_does_not_take_is_set_aside_said_and_brought_back() {
    let mut session = of("two-heads");
    change(&mut session, VariantChange::Cap(3.0));
    change(&mut session, VariantChange::Bias(Some(BiasFor::EachHead)));
    change(&mut session, VariantChange::Sink(true));
    change(&mut session, VariantChange::Position("alibi"));
    change(&mut session, VariantChange::Score("general"));
    let before = session.problem().clone();
    change(&mut session, VariantChange::Normalise(Normalise::Linear));
    let parts = vec!["score", "position", "softcap", "bias", "sink"];
    assert_eq!(session.notice(), Some(&Notice::SetAside { variant: Normalise::Linear, parts }));
    assert_eq!(session.problem().family.keys(), ["normalise"]);
    change(&mut session, VariantChange::Normalise(Normalise::Sum));
    let parts = vec!["sink"];
    assert_eq!(session.notice(), Some(&Notice::SetAside { variant: Normalise::Sum, parts }));
    assert_eq!(session.problem().family.bias, before.family.bias);
    change(&mut session, VariantChange::Normalise(Normalise::Softmax));
    assert_eq!(session.notice(), Some(&Notice::CameBack(vec!["sink"])));
    assert_eq!(*session.problem(), before);
}

#[test]
fn what_comes_back_fits_the_shapes_that_there_are_now() {
    let mut session = of("i-like-cats");
    change(&mut session, VariantChange::Bias(Some(BiasFor::All)));
    change(&mut session, VariantChange::Sink(true));
    change(&mut session, VariantChange::Normalise(Normalise::Linear));
    update(&mut session, Action::AddToken(attnlab::session::Side::Query));
    change(&mut session, VariantChange::Normalise(Normalise::Softmax));
    let bias = session.problem().family.bias.as_ref().unwrap();
    assert_eq!(bias, &Bias::all(Matrix::zeros(4, 4)));
}

#[test]
fn another_problem_brings_nothing_back() {
    let mut session = of("two-heads");
    change(&mut session, VariantChange::Cap(3.0));
    change(&mut session, VariantChange::Normalise(Normalise::Linear));
    update(&mut session, Action::LoadExample("linear-elu".into()));
    change(&mut session, VariantChange::Normalise(Normalise::Softmax));
    assert_eq!(session.problem().family.softcap, None);
}

#[test]
fn the_line_of_descent_is_walked_on_one_set_of_numbers() {
    let mut session = of("two-heads");
    let before = session.problem().clone();
    let walked = [
        (Descent::Additive, "additive", Scale::None, 1),
        (Descent::Dot, "dot", Scale::None, 1),
        (Descent::Scaled, "dot", Scale::InverseSqrt, 1),
        (Descent::MultiHead, "dot", Scale::InverseSqrt, 2),
    ];
    for (stage, score, scale, heads) in walked {
        change(&mut session, VariantChange::Descent(stage));
        let problem = session.problem();
        assert_eq!((problem.family.score.key(), problem.scale, problem.heads.query), (score, scale, heads));
        assert_eq!(Descent::of(problem), Some(stage));
    }
    // Joined and cut again the same columns belong to the same heads.
    assert_eq!(session.problem().inputs, before.inputs);
}

#[test]
fn a_width_of_one_cannot_be_cut_into_heads() {
    let mut session = Session::default();
    update(&mut session, Action::ChangeVariant(VariantChange::Descent(Descent::MultiHead)));
    assert!(matches!(session.notice(), Some(Notice::NotDivisible { .. })), "{:?}", session.notice());
    assert_eq!(session.problem(), Session::default().problem());
}

#[test]
fn an_encoding_without_x_is_refused_and_nothing_changes() {
    let mut session = Session::default();
    for change in [VariantChange::Position("learned"), VariantChange::Rope(Rope::default())] {
        update(&mut session, Action::ChangeVariant(change));
        assert!(matches!(session.notice(), Some(Notice::Refused(_))));
        assert_eq!(session.problem(), Session::default().problem());
    }
}

#[test]
fn a_token_beyond_the_learned_table_is_refused() {
    let mut session = of("your-journey-weights");
    change(&mut session, VariantChange::Position("learned"));
    update(&mut session, Action::AddToken(attnlab::session::Side::Query));
    let Some(Notice::Refused(errors)) = session.notice() else { panic!("{:?}", session.notice()) };
    assert!(errors[0].to_string().contains("the table of positions ends after"), "{errors:?}");
}

#[test]
fn a_bias_of_each_head_is_edited_by_head() {
    let mut session = of("two-heads");
    change(&mut session, VariantChange::Bias(Some(BiasFor::EachHead)));
    let place = attnlab::attention::Place { part: Part::Bias, head: 1, row: 0, column: 1 };
    update(&mut session, Action::TypeCell { place, text: "2".into() });
    let shown = |head| matrix(session.problem(), session.trace(), Part::Bias, head).unwrap();
    assert_eq!((shown(0)[(0, 1)], shown(1)[(0, 1)]), (0.0, 2.0));
    let again = Problem::from_json(&session.problem().to_json()).unwrap();
    assert_eq!(again.family.bias, session.problem().family.bias);
}

#[test]
fn a_cap_comes_back_as_it_was_and_one_that_is_not_above_zero_is_refused() {
    let mut session = of("i-like-cats");
    change(&mut session, VariantChange::Cap(3.0));
    for wanted in [false, true] {
        change(&mut session, VariantChange::Softcap(wanted));
    }
    assert_eq!(session.problem().family.softcap, Some(3.0));
    for cap in [0.0, -5.0, f64::NAN] {
        update(&mut session, Action::ChangeVariant(VariantChange::Cap(cap)));
        assert!(matches!(session.notice(), Some(Notice::Refused(_))), "{cap}");
        assert_eq!(session.problem().family.softcap, Some(3.0));
    }
}

#[test]
fn a_link_brings_nothing_back_either() {
    let mut session = of("two-heads");
    change(&mut session, VariantChange::Cap(3.0));
    change(&mut session, VariantChange::Normalise(Normalise::Linear));
    let link = of("linear-elu").to_link().unwrap();
    update(&mut session, Action::OpenLink(link));
    change(&mut session, VariantChange::Normalise(Normalise::Softmax));
    assert_eq!(session.problem().family.softcap, None);
}

#[test]
fn a_changed_number_of_a_variant_is_listed_once_and_another_kind_by_its_key() {
    let mut session = of("two-heads");
    change(&mut session, VariantChange::Bias(Some(BiasFor::All)));
    change(&mut session, VariantChange::Sink(true));
    change(&mut session, VariantChange::Score("general"));
    let before = session.problem().clone();
    for part in [Part::Bias, Part::Sink, Part::ScoreW] {
        let place = attnlab::attention::Place { part, head: 0, row: 0, column: 1 };
        update(&mut session, Action::TypeCell { place, text: "0.5".into() });
        let listed = changes(&before, session.problem());
        assert!(matches!(listed[..], [Change::Cell { part: found, .. }] if found == part), "{listed:?}");
        update(&mut session, Action::Undo);
    }
    change(&mut session, VariantChange::Score("additive"));
    assert!(changes(&before, session.problem()).contains(&Change::Family { key: "score" }));
}

#[test]
fn undo_takes_a_variant_back() {
    let mut session = of("i-like-cats");
    let before = session.problem().clone();
    change(&mut session, VariantChange::Normalise(Normalise::Linear));
    update(&mut session, Action::Undo);
    assert_eq!(*session.problem(), before);
    assert_eq!(session.problem().heads, Heads { query: 1, key_value: 1 });
}
