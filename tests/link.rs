//! Links: short for small states, refused when too long, and harmless whatever they hold.

use attnlab::attention::Part;
use attnlab::examples;
use attnlab::session::{Action, LinkError, MOST_LINK, Notice, Session, Stage, update};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;

fn packed(version: &str, text: &str) -> String {
    let packed = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9);
    format!("{version}.{}", URL_SAFE_NO_PAD.encode(packed))
}

#[test]
fn the_first_example_is_a_short_link() {
    let link = Session::default().to_link().unwrap();
    assert!(link.len() < 300, "{} characters: {link}", link.len());
}

#[test]
fn a_link_carries_the_problem_and_what_is_looked_at() {
    for example in examples::all() {
        let mut session = Session::of_example(example);
        update(&mut session, Action::SetDigits(6));
        update(&mut session, Action::SelectStage(Some(Stage::Softmax)));
        let last = session.problem().heads.query - 1;
        update(&mut session, Action::SelectHead(last));
        let Ok(link) = session.to_link() else { panic!("{}: no link", example.id) };
        let opened = Session::from_link(&link).unwrap();
        assert_eq!(opened.problem(), session.problem(), "{}", example.id);
        let (now, then) = (opened.view(), session.view());
        assert_eq!(
            (now.digits, now.stage, now.head, now.pinned, &now.example),
            (then.digits, then.stage, then.head, then.pinned, &then.example),
            "{}",
            example.id
        );
    }
}

#[test]
fn how_one_likes_to_look_is_not_shared() {
    let mut session = Session::default();
    let plain = session.to_link().unwrap();
    update(&mut session, Action::SetTheme(attnlab::session::ThemeChoice::Dark));
    update(&mut session, Action::SetLanguage(attnlab::writing::Language::Chinese));
    assert_eq!(session.to_link().unwrap(), plain);
    let opened = Session::opened(&plain, session.view());
    assert_eq!(opened.view().theme, attnlab::session::ThemeChoice::Dark);
    assert_eq!(opened.notice(), Some(&Notice::Linked));
    assert!(opened.link().is_some());
}

#[test]
fn a_large_state_is_refused_with_its_length() {
    let mut session = Session::default();
    for part in [Part::Q, Part::K, Part::V] {
        let place = attnlab::attention::Place { part, head: 0, row: 0, column: 0 };
        // Digits that do not compress.
        let row = |row: u32| {
            (0..40).map(|c| format!("{}", f64::from(row * 40 + c).sqrt().sin())).collect::<Vec<_>>().join("\t")
        };
        let text = (0..60).map(row).collect::<Vec<_>>().join("\n");
        update(&mut session, Action::Paste { place, text });
        update(&mut session, Action::TakePaste);
    }
    assert_eq!(session.problem().shapes().n, 60);
    let Err(LinkError::TooLong { found, expected }) = session.to_link() else { panic!("it is short") };
    assert!(found > expected);
}

#[test]
fn what_is_no_link_is_named() {
    let good = Session::default().to_link().unwrap();
    let problem = r#"{"problem":{"format":"attnlab/1","inputs":{"q":[[1]],"k":[[1,2]],"v":[[1]]}},"view":{}}"#;
    let cases = [
        (String::new(), "damaged"),
        ("section-2".to_owned(), "damaged"),
        ("1.".to_owned(), "damaged"),
        ("1.!!!".to_owned(), "damaged"),
        (good[..good.len() - 8].to_owned(), "damaged"),
        (good.replacen("1.", "2.", 1), "unknown-version"),
        (format!("1.{}", "A".repeat(MOST_LINK)), "too-long"),
        (packed("1", "not JSON"), "damaged"),
        (packed("1", "{}"), "damaged"),
        (packed("1", r#"{"problem":null,"view":{}}"#), "damaged"),
        (packed("1", problem), "problem"),
        // Two megabytes of spaces in two kilobytes.
        (packed("1", &" ".repeat(2 << 20)), "damaged"),
    ];
    for (link, key) in cases {
        let error = Session::from_link(&link).err().unwrap_or_else(|| panic!("{link:.40} was opened"));
        assert_eq!(error.key(), key, "{link:.40}: {error}");
        assert!(LinkError::KEYS.contains(&key));
        let opened = Session::opened(&link, Session::default().view());
        assert_eq!(opened.problem(), Session::default().problem(), "the default state instead");
        assert_eq!(opened.notice(), Some(&Notice::NotLinked(error)));
    }
}

#[test]
fn a_bad_view_is_no_reason_to_refuse_numbers() {
    let problem = Session::default().problem().to_json();
    let view = r#"{"head":99,"digits":250,"stage":"nowhere","pinned":{"part":"q","head":7,"row":-1},"theme":"dark"}"#;
    let link = packed("1", &format!(r#"{{"problem":{problem},"view":{view}}}"#));
    let opened = Session::from_link(&link).unwrap();
    assert_eq!((opened.view().head, opened.view().pinned), (0, None));
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,200}") {
        let _ = Session::from_link(&text);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Session::from_link(&format!("1.{}", URL_SAFE_NO_PAD.encode(bytes)));
    }

    #[test]
    fn no_json_panics(text in "[\\[\\]{}:,\"a-z0-9.-]{0,120}") {
        let _ = Session::from_link(&packed("1", &text));
        let _ = Session::from_link(&packed("1", &format!(r#"{{"problem":{text},"view":{text}}}"#)));
    }

    #[test]
    fn a_link_with_one_letter_changed_is_opened_or_refused(at in 0_usize..200, letter in "[A-Za-z0-9_.-]") {
        let mut link = Session::default().to_link().unwrap();
        let at = at % link.len();
        link.replace_range(at..=at, &letter);
        let _ = Session::from_link(&link);
    }
}
