//! Every text is there, in both languages.

use attnlab::writing::{Language, Texts};
use std::collections::BTreeMap;

const ENGLISH: &str = include_str!("../assets/i18n/en.ftl");
const CHINESE: &str = include_str!("../assets/i18n/zh-CN.ftl");

/// Message names and the variables that each uses.
fn messages(source: &str) -> BTreeMap<String, Vec<String>> {
    let mut messages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = String::new();
    for line in source.lines().filter(|line| !line.starts_with('#')) {
        if let Some((name, _)) = line.split_once(" =").filter(|_| !line.starts_with(' ')) {
            current = name.to_owned();
            messages.entry(current.clone()).or_default();
        }
        for variable in line.split("{ $").skip(1).filter_map(|rest| rest.split([' ', '}']).next()) {
            let variables = messages.entry(current.clone()).or_default();
            if !variables.contains(&variable.to_owned()) {
                variables.push(variable.to_owned());
            }
        }
    }
    messages.values_mut().for_each(|variables| variables.sort());
    messages
}

#[test]
fn both_languages_have_the_same_messages_with_the_same_variables() {
    assert_eq!(messages(ENGLISH), messages(CHINESE));
    Texts::new(Language::English);
    Texts::new(Language::Chinese);
}

#[test]
fn every_key_that_the_sources_use_is_there() {
    let texts = Texts::new(Language::English);
    let mut missing = Vec::new();
    let mut found = 0;
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            // This file asks for a key that is not there.
            if entry.ends_with("writing/texts.rs") {
                continue;
            }
            let source = std::fs::read_to_string(&entry).unwrap();
            for call in [".t(\"", ".tf(\"", ".tf(\n"] {
                for rest in source.split(call).skip(1) {
                    let rest = rest.trim_start().trim_start_matches('"');
                    let Some(key) = rest.split('"').next().filter(|key| !key.contains(['{', '&', ' ', '\\'])) else {
                        continue;
                    };
                    found += 1;
                    if !texts.has(key) {
                        missing.push(format!("{key} in {}", entry.display()));
                    }
                }
            }
        }
    }
    assert!(found > 100, "only {found} keys found: the search is broken");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Keys that are put together at run time cannot be found in the sources.
#[test]
fn every_error_note_part_step_and_example_has_a_text() {
    use attnlab::attention::{DecodeNote, ErrorKind, MaskApplied, MaskRule, Normalise, Note, Part, Position, Score};
    use attnlab::claim::{Matches, Reason, ShapeMismatch};
    use attnlab::exchange::{BlockError, BlockKind, FileError, MatrixFormat, NumberError, Role, TakeError};
    use attnlab::session::{
        Change, ColourScale, Compared, Descent, Encoding, LinkError, Panel, PointerMode, Pooled, Session, Study,
        ThemeChoice, Topic,
    };
    use attnlab::study::diagnosis::Verdict;
    use attnlab::study::order::Tie;
    use attnlab::writing::Rounding;
    let named = |prefix: &str, keys: &[&str]| keys.iter().map(|key| format!("{prefix}-{key}")).collect::<Vec<_>>();
    let mut keys = named("error", &ErrorKind::KEYS);
    keys.extend(named("note", &Note::KEYS));
    keys.extend(named("decode-note", &DecodeNote::KEYS));
    keys.extend(named("number", &NumberError::KEYS));
    keys.extend(named("block", &BlockError::KEYS));
    keys.extend(named("link", &LinkError::KEYS));
    keys.extend(named("change", &Change::KEYS));
    #[cfg(feature = "figure")]
    keys.extend(named("figure", &attnlab::figure::FigureError::KEYS));
    keys.extend(Compared::ALL.iter().map(|compared| format!("compare-{}", compared.key())));
    keys.extend(["pasted-grown".to_owned(), "waiting-grown".to_owned()]);
    keys.extend(named("reason", &Reason::KEYS));
    keys.extend(named("claim", &ShapeMismatch::KEYS));
    keys.extend(named("worksheet-error", &attnlab::solution::WorksheetError::KEYS));
    // Headings and sentences that are handed on as a key.
    for file in std::fs::read_dir(format!("{}/src/solution", env!("CARGO_MANIFEST_DIR"))).unwrap() {
        let source = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let is_key = |word: &&str| word.starts_with("solution-") || word.starts_with("worksheet-");
        let found = source.split('"').filter(is_key).filter(|word| !word.contains([' ', '{', '`', '<']));
        keys.extend(found.map(str::to_owned));
    }
    for key in ["solution-scores-how", "solution-project-how", "worksheet-how"] {
        assert!(keys.contains(&key.to_owned()), "the search in src/solution is broken");
    }
    keys.extend(Matches::ALL.map(|matches| format!("match-{}", matches.key())));
    keys.extend(BlockKind::ALL.map(|kind| format!("block-kind-{}", kind.key())));
    keys.extend(named("file", &FileError::KEYS));
    keys.extend(named("take", &TakeError::KEYS));
    keys.extend(MatrixFormat::ALL.map(|format| format!("format-{}", format.key())));
    keys.extend(Role::ALL.map(|role| format!("part-{}", role.key().replace('_', "-"))));
    keys.extend(Part::ALL.map(|part| format!("part-{}", part.key().replace('_', "-"))));
    keys.extend(attnlab::examples::all().iter().map(|example| format!("example-{}", example.id)));
    keys.extend(Panel::ALL.iter().map(|panel| format!("panel-{}", panel.key())));
    keys.extend(Descent::ALL.iter().map(|stage| stage.key()).chain(["none"]).map(|key| format!("descent-{key}-help")));
    keys.extend(Descent::ALL.map(|stage| format!("descent-{}", stage.key())));
    for (kind, all) in [
        ("score", Score::KINDS.to_vec()),
        ("position", Position::KINDS.to_vec()),
        ("normalise", Normalise::ALL.map(Normalise::key).to_vec()),
    ] {
        keys.extend(all.iter().flat_map(|key| [format!("{kind}-{key}"), format!("{kind}-{key}-help")]));
    }
    keys.extend(["score", "position", "softcap", "bias", "sink"].map(|key| format!("family-{key}")));
    keys.extend(["softcap", "bias", "sink"].map(|key| format!("{key}-help")));
    keys.extend(Verdict::ALL.map(|verdict| format!("verdict-{}", verdict.key())));
    keys.extend(Tie::ALL.map(|tie| format!("tie-{}", tie.key())));
    keys.extend(Encoding::ALL.map(|encoding| format!("position-{}", encoding.key())));
    for study in Study::ALL {
        keys.extend([format!("study-{}", study.key()), format!("study-{}-lead", study.key())]);
    }
    for topic in Topic::ALL.iter().map(|topic| topic.key()) {
        keys.extend([format!("long-topic-{topic}"), format!("long-topic-{topic}-help")]);
    }
    keys.extend(["local", "needle", "induction", "documents"].map(|topic| format!("long-size-{topic}")));
    keys.extend(Pooled::ALL.iter().map(|pooled| format!("long-pooled-{}", pooled.key())));
    keys.extend(["threads", "relaxed", "simd", "starts"].map(|build| format!("long-engine-{build}")));
    keys.extend(PointerMode::ALL.iter().map(|mode| format!("pointer-{}", mode.key())));
    keys.extend(Rounding::ALL.iter().map(|rounding| format!("rounding-{}", rounding.key())));
    keys.extend(ColourScale::ALL.iter().map(|scale| format!("weight-colours-{}", scale.key())));
    keys.extend(ThemeChoice::ALL.iter().map(|theme| format!("theme-{}", theme.key())));
    let two_heads = attnlab::examples::all().iter().find(|example| example.id == "two-heads").unwrap();
    for stage in Session::of_example(two_heads).stages() {
        keys.extend([format!("stage-{}", stage.key()), format!("sentence-{}", stage.key())]);
    }
    keys.extend(MaskRule::ALL.map(|rule| format!("hidden-by-{}", rule.key().replace('_', "-"))));
    for applied in MaskApplied::ALL {
        let key = applied.key().replace('_', "-");
        keys.extend([format!("applied-{key}"), format!("applied-{key}-help")]);
    }
    let texts = Texts::new(Language::English);
    let missing: Vec<_> = keys.iter().filter(|key| !texts.has(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A variable that nothing fills would stand in the sentence as it is.
#[test]
fn the_sentence_of_a_reason_is_filled_in() {
    use attnlab::attention::{Causal, Part};
    use attnlab::claim::{Reason, ShapeMismatch};
    let reasons = [
        Reason::CausalOn(Causal::UpperLeft),
        Reason::CausalAlignment(Causal::LowerRight),
        Reason::WeightsTransposed(Part::WQ),
        Reason::WeightsRounded { decimals: 1 },
        Reason::WeightsRoundedToOne { decimals: 2 },
        Reason::OtherScale(0.3),
        Reason::OtherBase(100.0),
        Reason::PositionsFrom(1.0),
    ];
    for &language in Language::ALL {
        let texts = Texts::new(language);
        let sentences = reasons.iter().map(|reason| texts.tf(&format!("reason-{}", reason.key()), &reason.args()));
        let shape = ShapeMismatch::Shape { found: (1, 2), expected: (3, 4) };
        for sentence in sentences.chain([texts.tf(&format!("claim-{}", shape.key()), &shape.args())]) {
            assert!(!sentence.contains(['{', '$', '[']), "{sentence}");
        }
        let with_variables =
            messages(ENGLISH).iter().filter(|(key, of)| key.starts_with("reason-") && !of.is_empty()).count();
        assert_eq!(with_variables, reasons.len(), "a reason with a variable is missing above");
    }
}

#[test]
fn a_missing_key_shows_itself() {
    assert_eq!(Texts::new(Language::English).t("no-such-text"), "[no-such-text]");
}

#[test]
fn the_browser_s_first_known_language_wins() {
    let of = |tags: &[&str]| Texts::language_for(&tags.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
    assert_eq!(of(&["fr", "zh-TW", "en"]), Language::Chinese);
    assert_eq!(of(&["en-GB", "zh"]), Language::English);
    assert_eq!(of(&["fr"]), Language::English);
}
