//! What actions do to a session: the numbers follow, refusals change nothing, undo takes back.

use attnlab::attention::{Causal, Heads, Mask, MaskApplied, Part, Place, Problem, Scale, matrix, solve, visible};
use attnlab::examples;
use attnlab::session::{Action, Dimension, Fill, MaskMeaning, Notice, Session, Side, Stage, Stroke, update};
use proptest::prelude::*;

fn place(part: Part, row: usize, column: usize) -> Place {
    Place { part, head: 0, row, column }
}

fn of(example: &str) -> Session {
    Session::of_example(examples::all().iter().find(|e| e.id == example).expect(example))
}

fn number(session: &Session, at: Place) -> f64 {
    matrix(session.problem(), session.trace(), at.part, at.head).unwrap()[(at.row, at.column)]
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 6e-5, "found {found}, expected {expected}");
}

#[test]
fn the_first_session_is_the_example_by_hand_with_its_output_pinned() {
    let session = Session::default();
    assert_eq!(session.view().pinned, Some(place(Part::Context, 1, 0)));
    close(number(&session, place(Part::Output, 1, 0)), 0.9677);
}

#[test]
fn an_edited_cell_changes_what_follows_and_undo_takes_it_back() {
    let mut session = Session::default();
    let before = session.problem().clone();
    update(&mut session, Action::TypeCell { place: place(Part::K, 2, 0), text: "5".into() });
    close(number(&session, place(Part::Scores, 1, 2)), 2.5);
    update(&mut session, Action::Undo);
    assert_eq!(*session.problem(), before);
    assert!(session.can_redo());
    update(&mut session, Action::Redo);
    close(number(&session, place(Part::Scores, 1, 2)), 2.5);
}

#[test]
fn a_drag_is_one_undo() {
    let mut session = Session::default();
    let before = session.problem().clone();
    for (value, stroke) in [(1.1, Stroke::Begins), (1.2, Stroke::Continues), (1.3, Stroke::Continues)] {
        update(&mut session, Action::SetCell { place: place(Part::Q, 0, 0), value, stroke });
    }
    update(&mut session, Action::Undo);
    assert_eq!(*session.problem(), before);
    assert!(!session.can_undo());
}

#[test]
fn what_is_no_number_is_refused_with_the_place() {
    let mut session = Session::default();
    let before = session.problem().clone();
    update(&mut session, Action::TypeCell { place: place(Part::K, 2, 0), text: "abc".into() });
    assert!(matches!(session.notice(), Some(Notice::NotANumber { place: at, .. }) if *at == place(Part::K, 2, 0)));
    assert_eq!(*session.problem(), before);
    assert!(!session.can_undo());
}

#[test]
fn the_leaks_of_topic_8_follow_from_the_mask() {
    let mut session = Session::default();
    update(&mut session, Action::SetMask(Mask { causal: Causal::UpperLeft, ..Mask::default() }));
    let mut row = |applied| {
        update(&mut session, Action::SetMaskApplied(applied));
        (session.checks()[0][1].leak, number(&session, place(Part::Output, 1, 0)))
    };
    let figures = [
        (MaskApplied::BeforeSoftmax, 0.0, 0.8112),
        (MaskApplied::Never, 0.2272, 0.9677),
        (MaskApplied::AfterSoftmax, 0.0, 0.6269),
        (MaskApplied::Inverted, 1.0, 1.5),
        (MaskApplied::Reversed, 0.3208, 1.1604),
    ];
    for (applied, leak, output) in figures {
        let found = row(applied);
        close(found.0, leak);
        close(found.1, output);
    }
}

#[test]
fn the_first_stroke_on_a_rule_keeps_its_cells() {
    let mut session = of("i-like-cats-causal");
    let rule = visible(session.problem());
    update(&mut session, Action::PaintMask { row: 0, column: 2, visible: true, stroke: Stroke::Begins });
    let painted = visible(session.problem());
    assert_eq!(session.problem().mask.causal, Causal::None);
    assert!(painted[(0, 2)] && !rule[(0, 2)]);
    let others = (0..3).flat_map(|row| (0..3).map(move |column| (row, column))).filter(|cell| *cell != (0, 2));
    assert!(others.into_iter().all(|cell| painted[cell] == rule[cell]));
}

#[test]
fn a_block_that_needs_a_larger_matrix_says_how_it_was_read_and_waits() {
    let mut session = Session::default();
    let text = "1\t0,5\n2\t1,5\n3\t2,5\n4\t3,5".to_owned();
    update(&mut session, Action::Paste { place: place(Part::K, 0, 0), text });
    let Some(Notice::Waiting { pasted, .. }) = session.notice() else { panic!("{:?}", session.notice()) };
    assert_eq!(pasted.grown_to, Some((4, 2)));
    assert_eq!(*session.problem(), *Session::default().problem());
    update(&mut session, Action::TakePaste);
    let shapes = session.problem().shapes();
    assert_eq!((shapes.n, shapes.m, shapes.d_k), (4, 4, 2));
    close(number(&session, place(Part::K, 3, 1)), 3.5);
    let Some(Notice::Pasted(pasted)) = session.notice() else { panic!("{:?}", session.notice()) };
    assert!(pasted.decimal_comma && (pasted.rows, pasted.columns) == (4, 2));
    update(&mut session, Action::Undo);
    assert_eq!(*session.problem(), *Session::default().problem());
}

#[test]
fn one_number_is_pasted_at_once_and_a_block_waits_and_can_be_left() {
    let mut session = Session::default();
    update(&mut session, Action::Paste { place: place(Part::K, 0, 0), text: "7".into() });
    close(number(&session, place(Part::K, 0, 0)), 7.0);
    let before = session.problem().clone();
    update(&mut session, Action::Paste { place: place(Part::K, 0, 0), text: "1\n2".into() });
    let Some(Notice::Waiting { pasted, .. }) = session.notice() else { panic!("{:?}", session.notice()) };
    assert_eq!((pasted.rows, pasted.columns, pasted.grown_to), (2, 1, None));
    update(&mut session, Action::DismissNotice);
    update(&mut session, Action::TakePaste);
    assert_eq!(*session.problem(), before, "what was left is not taken later");
}

#[test]
fn a_block_that_is_no_matrix_changes_nothing() {
    let mut session = Session::default();
    update(&mut session, Action::Paste { place: place(Part::K, 0, 0), text: "1 2\n3".into() });
    assert!(matches!(session.notice(), Some(Notice::NotABlock(_))));
    update(&mut session, Action::Paste { place: place(Part::Scores, 0, 0), text: "1 2\n3 4".into() });
    assert_eq!(session.notice(), Some(&Notice::NotEditable(Part::Scores)));
    assert!(!session.can_undo());
}

#[test]
fn a_pasted_mask_of_two_values_asks_which_is_meant() {
    let mut session = Session::default();
    let at = place(Part::Mask, 0, 0);
    update(&mut session, Action::Paste { place: at, text: "0 -inf -inf\n0 0 -inf\n0 0 0".into() });
    // How it was read is shown first.
    assert!(matches!(session.notice(), Some(Notice::Waiting { .. })) && visible(session.problem())[(0, 1)]);
    update(&mut session, Action::TakePaste);
    assert!(!visible(session.problem())[(0, 1)] && visible(session.problem())[(1, 0)]);
    update(&mut session, Action::Paste { place: at, text: "1 1 1\n0 1 1\n0 0 1".into() });
    assert!(matches!(session.notice(), Some(Notice::MaskMeaning(_))));
    update(&mut session, Action::PasteMask(MaskMeaning::OneIsHidden));
    assert!(!visible(session.problem())[(0, 1)] && visible(session.problem())[(1, 0)]);
    update(&mut session, Action::Paste { place: at, text: "1 0\n1 1".into() });
    assert_eq!(session.notice(), Some(&Notice::MaskShape { found: (2, 2), expected: (3, 3) }));
}

#[test]
fn heads_that_do_not_divide_the_width_are_refused() {
    let mut session = of("two-heads");
    update(&mut session, Action::SetHeads(Heads { query: 3, key_value: 3 }));
    assert_eq!(session.notice(), Some(&Notice::NotDivisible { matrix: "q", width: 4, heads: 3 }));
    assert_eq!(session.problem().heads.query, 2);
}

#[test]
fn more_heads_cut_the_same_matrices_and_fewer_key_value_heads_are_means() {
    let mut session = of("two-heads");
    let before = session.problem().clone();
    update(&mut session, Action::SetHeads(Heads { query: 4, key_value: 4 }));
    assert_eq!(session.problem().shapes().d_k, 1);
    assert_eq!(session.problem().inputs, before.inputs, "the matrices themselves stay");
    update(&mut session, Action::Undo);
    update(&mut session, Action::SetHeads(Heads { query: 2, key_value: 1 }));
    let w_k = |session: &Session| matrix(session.problem(), session.trace(), Part::WK, 0).unwrap();
    // w_k of this example is 4×4; head 0 has columns 0 and 1, head 1 columns 2 and 3.
    assert_eq!(w_k(&session)[(0, 0)], 0.5);
    assert_eq!(w_k(&session)[(2, 1)], 0.5);
}

#[test]
fn tokens_and_widths_come_and_go_and_the_shapes_follow() {
    for id in ["three-tokens-by-hand", "two-heads", "i-like-cats-cached-step", "shared-key-value"] {
        let mut session = of(id);
        let before = session.problem().shapes();
        update(&mut session, Action::AddToken(Side::Query));
        assert_eq!(session.problem().shapes().m, before.m + 1, "{id}");
        let last = session.problem().shapes().m - 1;
        update(&mut session, Action::RemoveToken { side: Side::Query, index: last });
        assert_eq!(session.problem().shapes(), before, "{id}");
        for dimension in [Dimension::DK, Dimension::DV] {
            let output = session.trace().get(Part::Output, 0).unwrap().value.clone();
            let size = session.problem().shapes().d_k + 2;
            update(&mut session, Action::Resize { dimension, size });
            assert_eq!(session.notice(), None, "{id}");
            // New value columns are zero, and the old ones stay what they were.
            if dimension == Dimension::DV && session.problem().w_o.is_none() && session.problem().heads.query == 1 {
                let now = session.trace().get(Part::Output, 0).unwrap().value.clone();
                assert_eq!(now.column(0), output.column(0), "{id}");
            }
        }
    }
}

#[test]
fn removing_the_last_token_is_refused() {
    let mut session = of("i-like-cats-cached-step");
    let m = session.problem().shapes().m;
    update(&mut session, Action::RemoveToken { side: Side::Query, index: m - 1 });
    assert!(matches!(session.notice(), Some(Notice::NoSuchSize { .. })), "the only query stays");
    update(&mut session, Action::RemoveToken { side: Side::Query, index: 0 });
    assert_eq!(session.problem().shapes().m, m - 1);
}

#[test]
fn an_overflow_is_refused_and_names_the_step() {
    let mut session = Session::default();
    for at in [place(Part::Q, 0, 0), place(Part::K, 0, 0)] {
        update(&mut session, Action::TypeCell { place: at, text: "1e200".into() });
    }
    let Some(Notice::Refused(errors)) = session.notice() else { panic!("{:?}", session.notice()) };
    assert!(errors[0].to_string().contains("scores"), "{errors:?}");
    close(number(&session, place(Part::K, 0, 0)), 1.0);
}

#[test]
fn steps_go_forward_to_the_end_and_back() {
    let mut session = Session::default();
    update(&mut session, Action::SelectStage(Some(Stage::Project)));
    let count = session.stages().len();
    for _ in 0..count {
        update(&mut session, Action::StepBy(1));
    }
    assert_eq!(session.view().stage, None);
    update(&mut session, Action::StepBy(-1));
    assert_eq!(session.view().stage, Some(Stage::Weigh));
}

#[test]
fn a_saved_session_comes_back_and_a_damaged_one_is_refused() {
    let mut session = of("two-heads");
    update(&mut session, Action::SelectHead(1));
    update(&mut session, Action::SetDigits(6));
    let saved = session.to_saved();
    let again = Session::from_saved(&saved).unwrap();
    assert_eq!(again.problem(), session.problem());
    assert_eq!(again.view(), session.view());
    for damaged in
        ["", "{}", "null", &saved[..saved.len() / 2], &saved.replace("attnlab-session/1", "attnlab-session/9")]
    {
        assert!(Session::from_saved(damaged).is_err(), "{damaged}");
    }
    // One value that nobody knows costs only itself, however deep it lies.
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    let mut damaged = saved.clone();
    damaged["view"]["long"]["topic"] = "nothing".into();
    damaged["view"]["long"]["n"] = 500.into();
    damaged["view"]["theme"] = 7.into();
    let again = Session::from_saved(&damaged.to_string()).unwrap();
    let long = &again.view().long;
    assert_eq!((long.n, long.topic), (500, attnlab::session::Long::default().topic));
    assert_eq!((again.view().head, again.view().digits), (1, 6));
}

fn any_action() -> impl Strategy<Value = Action> {
    let parts = prop::sample::select(Part::ALL.to_vec());
    let at = (parts, 0usize..3, 0usize..5, 0usize..5).prop_map(|(part, head, row, column)| Place {
        part,
        head,
        row,
        column,
    });
    let text = prop::sample::select(vec!["1", "0,5", "x", "1e300", "1 2\n3 4", "[[1,2,3]]", "0 -inf\n0 0", ""]);
    let applied = prop::sample::select(vec![MaskApplied::Never, MaskApplied::Inverted, MaskApplied::AfterSoftmax]);
    let ids: Vec<String> = examples::all().iter().map(|e| e.id.clone()).collect();
    prop_oneof![
        (at.clone(), text.clone()).prop_map(|(place, text)| Action::TypeCell { place, text: text.to_owned() }),
        (at.clone(), text).prop_map(|(place, text)| Action::Paste { place, text: text.to_owned() }),
        (at.clone(), 0u64..5).prop_map(|(at, seed)| Action::Fill {
            part: at.part,
            head: at.head,
            fill: Fill::Normal { seed }
        }),
        (1usize..7, 1usize..7).prop_map(|(query, key_value)| Action::SetHeads(Heads { query, key_value })),
        (0usize..5, any::<bool>()).prop_map(|(index, key)| {
            Action::RemoveToken { side: if key { Side::Key } else { Side::Query }, index }
        }),
        // Of three tokens, as the session begins with.
        Just(vec![0usize, 1, 2]).prop_shuffle().prop_map(Action::Reorder),
        any::<bool>().prop_map(|key| Action::AddToken(if key { Side::Key } else { Side::Query })),
        (
            prop::sample::select(vec![
                Dimension::DModel,
                Dimension::DKv,
                Dimension::DK,
                Dimension::DV,
                Dimension::DOut
            ]),
            0usize..6
        )
            .prop_map(|(dimension, size)| Action::Resize { dimension, size }),
        (at.clone(), any::<bool>()).prop_map(|(at, present)| Action::SetPresent { part: at.part, present }),
        (0usize..5, 0usize..5, any::<bool>())
            .prop_map(|(row, column, visible)| { Action::PaintMask { row, column, visible, stroke: Stroke::Single } }),
        applied.prop_map(Action::SetMaskApplied),
        prop::sample::select(ids).prop_map(Action::LoadExample),
        prop::sample::select(vec![Scale::None, Scale::InverseSqrt, Scale::Factor(0.25)]).prop_map(Action::SetScale),
        at.prop_map(|at| Action::Pin(Some(at))),
        (-2isize..3).prop_map(Action::StepBy),
        Just(Action::Undo),
        Just(Action::Redo),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever is done, in whatever order: the problem is valid, the trace is its own, and it can be saved.
    #[test]
    fn no_sequence_of_actions_breaks_a_session(actions in prop::collection::vec(any_action(), 1..24)) {
        let mut session = Session::default();
        for action in actions {
            update(&mut session, action);
            let problem: &Problem = session.problem();
            prop_assert_eq!(problem.validate(), Ok(()));
            prop_assert_eq!(&solve(problem).unwrap(), session.trace());
            prop_assert!(session.view().head < problem.heads.query);
        }
        let again = Session::from_saved(&session.to_saved()).unwrap();
        prop_assert_eq!(again.problem(), session.problem());
    }
}

#[test]
fn states_are_kept_opened_thrown_away_and_taken_back() {
    let mut session = Session::default();
    update(&mut session, Action::KeepState("first".into()));
    update(&mut session, Action::TypeCell { place: place(Part::Q, 1, 0), text: "2".into() });
    update(&mut session, Action::KeepState("second".into()));
    update(&mut session, Action::KeepState("second".into()));
    assert_eq!(session.shelf().kept().iter().map(|kept| kept.name.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    let shelf = session.shelf().to_saved();
    update(&mut session, Action::OpenState(0));
    assert_eq!(*session.problem(), *Session::default().problem());
    update(&mut session, Action::Undo);
    close(number(&session, place(Part::Q, 1, 0)), 2.0);
    update(&mut session, Action::ThrowStates);
    assert_eq!((session.shelf().kept().len(), session.shelf().thrown()), (0, Some(2)));
    update(&mut session, Action::TakeBackStates);
    assert_eq!((session.shelf().to_saved(), session.shelf().thrown()), (shelf.clone(), None));
    update(&mut session, Action::ThrowState(0));
    assert_eq!(session.shelf().kept()[0].name, "second");
    // As text, for the next visit; what is damaged is left out.
    let read = attnlab::session::Shelf::from_saved(&shelf);
    assert_eq!(read.to_saved(), shelf);
    let damaged = shelf.replacen("attnlab/1", "attnlab/9", 1);
    assert_eq!(attnlab::session::Shelf::from_saved(&damaged).kept().len(), 1);
    assert_eq!(attnlab::session::Shelf::from_saved("no JSON").kept().len(), 0);
}

#[test]
fn a_link_in_an_open_page_loads_and_is_taken_back_by_undo() {
    let mut session = Session::default();
    let link = of("two-heads").to_link().unwrap();
    update(&mut session, Action::OpenLink(link.clone()));
    assert_eq!(session.problem(), of("two-heads").problem());
    assert_eq!((session.link(), session.notice()), (Some(link.as_str()), Some(&Notice::Linked)));
    let reloaded = Session::from_saved(&session.to_saved()).unwrap();
    assert_eq!(reloaded.link(), Some(link.as_str()));
    update(&mut session, Action::KeepLinked);
    assert_eq!(session.link(), None);
    update(&mut session, Action::Undo);
    assert_eq!(session.problem(), Session::default().problem());
    update(&mut session, Action::OpenLink("1.nonsense".into()));
    assert!(matches!(session.notice(), Some(Notice::NotLinked(_))));
    assert_eq!(session.problem(), Session::default().problem(), "nothing is lost");
}

#[test]
fn a_held_state_stays_while_the_other_is_changed_and_the_changes_are_listed() {
    use attnlab::session::{Change, Compared, changes};
    let mut session = Session::default();
    update(&mut session, Action::ShowCompared(Compared::Difference));
    assert_eq!(session.view().compared, Compared::Now, "nothing is held yet");
    update(&mut session, Action::Hold);
    update(&mut session, Action::ShowCompared(Compared::Difference));
    update(&mut session, Action::TypeCell { place: place(Part::Q, 1, 0), text: "2".into() });
    update(&mut session, Action::SetScale(Scale::None));
    update(&mut session, Action::SetMaskApplied(MaskApplied::Never));
    let (a, trace) = session.held().unwrap();
    close(trace.get(Part::Output, 0).unwrap().value[(1, 0)], 0.9677);
    assert_eq!(
        changes(a, session.problem()),
        [
            Change::Cell { part: Part::Q, row: 1, column: 0, from: 0.5, to: 2.0 },
            Change::Scale { from: Scale::InverseSqrt, to: Scale::None },
            Change::MaskApplied { from: MaskApplied::BeforeSoftmax, to: MaskApplied::Never },
        ]
    );
    let reloaded = Session::from_saved(&session.to_saved()).unwrap();
    assert_eq!(reloaded.held().unwrap().0, a);
    assert_eq!(reloaded.view().compared, Compared::Difference);
    update(&mut session, Action::Release);
    assert_eq!((session.held(), session.view().compared), (None, Compared::Now));
}

#[test]
fn a_claim_is_compared_explained_and_applied() {
    let mut session = of("i-like-cats");
    let part = Part::Weights;
    // Unscaled, the scores' own softmax.
    let unscaled = solve(&Problem { scale: Scale::None, ..session.problem().clone() }).unwrap();
    let weights = &unscaled.get(part, 0).unwrap().value;
    let text = (0..3)
        .map(|row| (0..3).map(|column| format!("{:.4}", weights[(row, column)])).collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n");
    update(&mut session, Action::Claim { part, head: 0, row: None, text });
    let claimed = session.claimed().unwrap();
    assert!(!claimed.verdict.as_ref().unwrap().agrees());
    let reasons = claimed.reasons.clone().unwrap();
    assert_eq!(reasons[0].reasons, [attnlab::claim::Reason::ScaleLeftOut]);
    update(&mut session, Action::ApplyReason(0));
    assert_eq!(session.problem().scale, Scale::None);
    assert!(session.claimed().unwrap().verdict.as_ref().unwrap().agrees());
    update(&mut session, Action::Undo);
    assert!(!session.claimed().unwrap().verdict.as_ref().unwrap().agrees(), "it is compared with what is there now");
    update(&mut session, Action::Claim { part, head: 0, row: None, text: "no numbers".into() });
    assert!(matches!(session.notice(), Some(Notice::NotABlock(_))));
    update(&mut session, Action::Claim { part, head: 0, row: Some(1), text: "1 2".into() });
    assert!(session.claimed().unwrap().verdict.is_err(), "another shape");
    let mut by_hand = Session::default();
    let text = "0.9545 0.9677 0.9639".to_owned();
    update(&mut by_hand, Action::Claim { part: Part::Output, head: 0, row: None, text });
    let claimed = by_hand.claimed().unwrap();
    assert!(claimed.swapped && claimed.verdict.as_ref().unwrap().agrees(), "a column in a line");
    update(&mut session, Action::DropClaim);
    assert_eq!(session.claimed(), None);
}

#[test]
fn a_file_s_tensors_wait_and_make_a_problem() {
    let mut session = Session::default();
    let open = |session: &mut Session, name: &str, text: &str| {
        let bytes = text.as_bytes().to_vec();
        update(session, Action::OpenFile { name: name.into(), size: bytes.len() as u64, bytes });
    };
    open(&mut session, "maps.json", r#"{"attention": [[[0.25, 0.75], [1, 0]], [[0.5, 0.5], [0.125, 0.875]]]}"#);
    let import = session.import().unwrap();
    assert_eq!((import.tensors.len(), session.view().panel), (1, attnlab::session::Panel::Import));
    assert_eq!(session.problem(), Session::default().problem(), "nothing is taken yet");
    let suggestion = import.suggestion(0, attnlab::exchange::Role::Weights);
    update(&mut session, Action::SetPick { tensor: 0, pick: Some(suggestion) });
    assert!(session.import().unwrap().problem.is_ok(), "{:?}", session.import().unwrap().problem);
    update(&mut session, Action::TakeImport);
    assert_eq!((session.problem().heads.query, session.import()), (2, None));
    for (head, row, column, weight) in [(0, 0, 1, 0.75), (0, 1, 1, 0.0), (1, 1, 0, 0.125)] {
        let found = session.trace().get(Part::Weights, head).unwrap().value[(row, column)];
        assert!((found - weight).abs() <= 1e-15, "{found}");
    }
    // One tensor over one matrix.
    let mut session = Session::default();
    open(&mut session, "values.csv", "7\n8\n9\n");
    let suggestion = session.import().unwrap().suggestion(0, attnlab::exchange::Role::V);
    update(&mut session, Action::SetPick { tensor: 0, pick: Some(suggestion) });
    update(&mut session, Action::PutTensor(0));
    close(number(&session, place(Part::V, 2, 0)), 9.0);
    // What is no file of ours, and what is far too large.
    open(&mut session, "picture.png", "\u{89}PNG");
    assert!(matches!(session.notice(), Some(Notice::NotAFile { .. })), "{:?}", session.notice());
    update(&mut session, Action::OpenFile { name: "huge.npz".into(), bytes: Vec::new(), size: 1 << 40 });
    assert!(matches!(session.notice(), Some(Notice::NotAFile { .. })));
}

/// What belongs to a pair, a head or a width follows when tokens, heads and widths change.
#[test]
fn the_family_follows_a_change_of_shape() {
    let inputs = r#""heads":{"query":2},"inputs":{"x":[[1,2],[3,4]],"w_q":[[1,2,3,4],[5,6,7,8]],"w_k":[[1,0,2,0],[0,1,0,2]],
        "w_v":[[1,2],[3,4]]}"#;
    let families = [
        r#""bias":[[1,2],[3,4]],"sink":[1,2],"position":{"kind":"alibi","slopes":[0.5,0.25]}"#,
        r#""bias":[[[1,2],[3,4]],[[5,6],[7,8]]],"score":{"kind":"general","w":[[1,2],[3,4]]}"#,
        r#""score":{"kind":"concat","w":[[1],[2],[3],[4]],"v":[1]}"#,
        r#""score":{"kind":"additive","w_q":[[1],[2]],"w_k":[[3],[4]],"v":[1]},"position":{"kind":"rope"}"#,
        r#""position":{"kind":"learned","table":[[1,2],[3,4],[5,6]]},"softcap":3"#,
        r#""normalise":{"kind":"linear","feature_map":"elu_plus_one"},"position":{"kind":"sinusoidal"}"#,
    ];
    let actions = [
        Action::AddToken(Side::Query),
        Action::RemoveToken { side: Side::Query, index: 0 },
        Action::SetHeads(Heads { query: 1, key_value: 1 }),
        Action::SetHeads(Heads { query: 2, key_value: 1 }),
        Action::Resize { dimension: Dimension::DK, size: 4 },
        Action::Resize { dimension: Dimension::DModel, size: 3 },
        Action::Resize { dimension: Dimension::DV, size: 2 },
    ];
    for family in families {
        let problem = Problem::from_json(&format!(r#"{{"format":"attnlab/1",{inputs},{family}}}"#)).unwrap();
        let mut all = Session::of_problem(problem.clone()).unwrap();
        for action in &actions {
            let mut session = Session::of_problem(problem.clone()).unwrap();
            for session in [&mut session, &mut all] {
                let before = session.problem().clone();
                update(session, action.clone());
                assert_eq!(session.notice(), None, "{family} {action:?}");
                assert_ne!(*session.problem(), before, "{family} {action:?}");
                assert_eq!(session.problem().validate(), Ok(()), "{family} {action:?}");
            }
        }
    }
    // A key that goes takes its column of the bias along.
    let problem = Problem::from_json(&format!(r#"{{"format":"attnlab/1",{inputs},{}}}"#, families[0])).unwrap();
    let mut session = Session::of_problem(problem).unwrap();
    update(&mut session, Action::RemoveToken { side: Side::Query, index: 0 });
    assert_eq!(session.problem().family.bias.as_ref().and_then(|bias| bias.of_head(0)).unwrap().as_slice(), [4.0]);
    // A table does not grow with the tokens: what was never learned is refused.
    let problem = Problem::from_json(&format!(r#"{{"format":"attnlab/1",{inputs},{}}}"#, families[4])).unwrap();
    let mut session = Session::of_problem(problem).unwrap();
    update(&mut session, Action::AddToken(Side::Query));
    let full = session.problem().clone();
    update(&mut session, Action::AddToken(Side::Query));
    assert!(session.notice().is_some());
    assert_eq!(*session.problem(), full);
}
