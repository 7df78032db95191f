//! Rows of the workbench and of files as long sequences.

use attnlab::attention::{Part, Problem};
use attnlab::long::{Desk, LongError};
use attnlab::session::{Action, Long, Notice, Panel, Session, Topic, update};

/// The desk with what the session has given, head by head.
fn desk(session: &Session) -> Desk {
    let (long, given) = (session.view().long, session.given().expect("rows are given"));
    assert_eq!((long.topic, long.stamp, long.heads), (Topic::Given, given.stamp, given.heads.len()));
    let mut desk = Desk::default();
    desk.put_given(long.setting(), &given.heads[long.head]);
    while desk.prepare(100) {}
    assert_eq!(desk.trouble(), None);
    desk
}

fn session_of(problem: &str) -> Session {
    let mut session = Session::default();
    update(&mut session, Action::LoadProblem(Box::new(Problem::from_json(problem).unwrap())));
    assert_eq!(session.notice(), None);
    session
}

/// The numbers of the workbench come again and again, as it has them before the mask: rotated, scaled, head by head.
#[test]
fn the_workbench_is_repeated() {
    let rotated = r#"{"format":"attnlab/1","heads":{"query":2,"key_value":1},"scale":0.75,
        "position":{"kind":"rope","base":10000,"layout":"interleaved"},
        "mask":{"causal":"lower_right","window":{"left":5}},
        "inputs":{"q":[[1,2,3,4],[0.5,-1,2,1],[3,1,-2,0.25]],"k":[[1,0.5],[2,-1],[0.25,3]],"v":[[1,2],[3,4],[5,6]]}}"#;
    for (mut session, window) in [(Session::default(), 0), (session_of(rotated), 5)] {
        update(&mut session, Action::GiveWorkbench);
        assert_eq!((session.notice(), session.view().panel), (None, Panel::Long));
        let heads = session.view().long.heads;
        assert_eq!(heads, session.problem().shapes().heads.query);
        assert_eq!((session.view().long.n, session.view().long.window), (1_024, window));
        for head in 0..heads {
            let mut long = session.view().long;
            long.head = head;
            update(&mut session, Action::SetLong(Box::new(long)));
            let desk = desk(&session);
            let scaled = &session.trace().get(Part::Scaled, head).unwrap().value;
            for (row, key) in [(0, 0), (1, 2), (2, 1), (3, 3), (1_022, 500)] {
                let (found, expected) = (desk.pair(row, key).unwrap().scaled, scaled[(row % 3, key % 3)]);
                // The rows lie there in 32 bits.
                assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{found}, expected {expected}");
            }
        }
    }
}

#[test]
fn what_is_no_product_of_q_and_k_is_not_offered() {
    let general =
        r#"{"format":"attnlab/1","score":{"kind":"general","w":[[2]]},"inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#;
    let linear = r#"{"format":"attnlab/1","normalise":{"kind":"linear","feature_map":"elu_plus_one"},"inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#;
    assert!(Session::default().can_give());
    for problem in [general, linear] {
        assert!(!session_of(problem).can_give(), "{problem}");
    }
}

#[test]
fn a_workbench_that_32_bits_do_not_hold_is_refused() {
    let mut session = session_of(r#"{"format":"attnlab/1","inputs":{"q":[[1e300]],"k":[[1e-300]],"v":[[1]]}}"#);
    let before = session.view().long;
    update(&mut session, Action::GiveWorkbench);
    let error = LongError::NotFinite { place: "q", row: 0, column: 0, found: 1e300 };
    assert_eq!(session.notice(), Some(&Notice::NotGiven(error)));
    assert_eq!((session.view().long, session.given()), (before, None));
}

/// One row a line; far more of them than a problem may have tokens.
fn file(n: usize, widths: [usize; 3]) -> String {
    let rows = |of: f64, width: usize| {
        let number = |row: usize, column: usize| ((row * width + column) as f64 * of).sin();
        let row = |row: usize| (0..width).map(|column| number(row, column)).collect::<Vec<_>>();
        (0..n).map(row).collect::<Vec<_>>()
    };
    let [q, k, v] = widths;
    serde_json::json!({ "q": rows(0.7, q), "k": rows(1.3, k), "v": rows(0.2, v) }).to_string()
}

fn opened(text: &str) -> Session {
    let mut session = Session::default();
    let bytes = text.as_bytes().to_vec();
    update(&mut session, Action::OpenFile { name: "rows.json".to_owned(), size: bytes.len() as u64, bytes });
    assert_eq!(session.notice(), None);
    session
}

/// Values that are wider than keys fill the keys up with zeros; the scale stays that of the keys.
#[test]
fn wide_values_leave_the_scale_alone() {
    let mut session = opened(&file(40, [4, 4, 9]));
    update(&mut session, Action::GiveImport);
    let pair = desk(&session).pair(3, 5).unwrap();
    assert!((pair.scaled - pair.score / 2.0).abs() <= 1e-7, "{pair:?}");
    let wide = r#"{"format":"attnlab/1","inputs":{"q":[[1,2,3,4]],"k":[[2,0,1,1]],"v":[[1,2,3,4,5,6]]}}"#;
    let mut session = session_of(wide);
    update(&mut session, Action::GiveWorkbench);
    assert_eq!(desk(&session).pair(9, 9).unwrap().scaled, 4.5);
}

/// The same rows have the same stamp, so that settings that were saved find them again, and others do not.
#[test]
fn a_stamp_is_of_the_rows() {
    let stamp = |problem: &str| {
        let mut session = session_of(problem);
        update(&mut session, Action::GiveWorkbench);
        session.view().long.stamp
    };
    let problem = |k: &str| format!(r#"{{"format":"attnlab/1","inputs":{{"q":[[1]],"k":[[{k}]],"v":[[1]]}}}}"#);
    assert_eq!(stamp(&problem("2")), stamp(&problem("2")));
    assert_ne!(stamp(&problem("2")), stamp(&problem("3")));
}

#[test]
fn a_file_gives_all_its_rows() {
    let mut session = opened(&file(700, [6, 6, 4]));
    assert!(session.import().unwrap().problem.is_err(), "700 tokens are no problem for the workbench");
    update(&mut session, Action::GiveImport);
    assert_eq!((session.notice(), session.view().panel), (None, Panel::Long));
    assert_eq!((session.view().long.n, session.view().long.d, session.import()), (700, 6, None));
    let pair = desk(&session).pair(600, 30).unwrap();
    let q = |column: usize| f64::from(((600.0 * 6.0 + column as f64) * 0.7).sin() as f32);
    let k = |column: usize| f64::from(((30.0 * 6.0 + column as f64) * 1.3).sin() as f32);
    let expected: f64 = (0..6).map(|column| q(column) * k(column)).sum();
    assert!((pair.score - expected).abs() <= 1e-12, "{}, expected {expected}", pair.score);
    assert!((pair.scaled - expected / 6_f64.sqrt()).abs() <= 1e-7);
}

/// Four heads of q on an axis of their own share two of k and v: the last one has the second of these.
#[test]
fn heads_of_a_file_keep_their_own_rows() {
    let axis = |heads: usize, from: f64| (0..heads).map(|h| [[from + h as f64], [1.0], [1.0]]).collect::<Vec<_>>();
    let text = serde_json::json!({ "q": axis(4, 2.0), "k": axis(2, 10.0), "v": axis(2, 0.0) });
    let mut session = opened(&text.to_string());
    update(&mut session, Action::GiveImport);
    assert_eq!(session.view().long.heads, 4);
    let score = |head: usize| {
        let long = Long { head, ..session.view().long };
        update(&mut session, Action::SetLong(Box::new(long)));
        desk(&session).pair(0, 0).unwrap().score
    };
    assert_eq!([0, 1, 2, 3].map(score), [20.0, 30.0, 44.0, 55.0]);
}

#[test]
fn rows_that_do_not_fit_are_refused_and_the_file_stays() {
    let mut session = opened(&file(30, [6, 5, 4]));
    update(&mut session, Action::GiveImport);
    assert_eq!(session.notice(), Some(&Notice::NotGiven(LongError::Widths { query: 6, key: 5 })));
    assert!(session.import().is_some());
    let rows = |v: &str| format!(r#"{{"q":[[1,2],[3,4]],"k":[[1,2],[3,4]],"v":{v}}}"#);
    let mut session = opened(&rows("[[1,2],[3,4],[5,6]]"));
    update(&mut session, Action::GiveImport);
    assert_eq!(session.notice(), Some(&Notice::NotGiven(LongError::Rows { key: 2, value: 3 })));
    let mut session = opened(&rows("[[1,2],[3,-1e39]]"));
    update(&mut session, Action::GiveImport);
    let Some(Notice::NotTaken(error)) = session.notice() else { panic!("{:?}", session.notice()) };
    assert_eq!(error.to_string(), "v[1, 1]: found -1e39, expected within ±3.4028235e38");
    let many = vec![vec![[1.0; 2]; 3]; 65];
    let mut session = opened(&serde_json::json!({ "q": many, "k": many, "v": many }).to_string());
    update(&mut session, Action::GiveImport);
    assert_eq!(session.notice(), Some(&Notice::NotGiven(LongError::ManyHeads { found: 65 })));
    let mut session = opened(&file(3, [300, 300, 4]));
    update(&mut session, Action::GiveImport);
    assert_eq!(session.notice(), Some(&Notice::NotGiven(LongError::Width { found: 300 })));
}
