//! Settings of studies that no control can make, as a damaged link or a saved session may bring them: nothing panics,
//! nothing is allocated without bound.

use super::*;
use attnlab::session::{Explore, Long, Study, Topic};
use serde_json::{Value, json};

/// Every number in it replaced, whole numbers and others.
fn replaced(value: &Value, whole: u64, other: f64) -> Value {
    match value {
        Value::Number(number) if number.is_u64() => json!(whole),
        Value::Number(_) => json!(other),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), replaced(value, whole, other))).collect(),
        Value::Array(list) => list.iter().map(|value| replaced(value, whole, other)).collect(),
        value => value.clone(),
    }
}

#[test]
fn settings_that_make_no_sense_harm_no_study() {
    let usual = serde_json::to_value(Explore::default()).unwrap();
    let mut drawn = 0;
    for (whole, other) in [(0, 0.0), (1, -1.0), (u64::from(u32::MAX), 1e308), (u64::MAX, -1e308), (3, 1e-308)] {
        for study in Study::ALL {
            let mut explore = replaced(&usual, whole, other);
            explore["study"] = serde_json::to_value(study).unwrap();
            for example in ["three-tokens-by-hand", "two-heads", "rope-half-split", "i-like-cats-cached-step"] {
                let session = Session::of_example(examples::all().iter().find(|e| e.id == example).unwrap());
                let mut saved: Value = serde_json::from_str(&session.to_saved()).unwrap();
                saved["view"]["panel"] = json!("explore");
                saved["view"]["explore"] = explore.clone();
                let session = Session::from_saved(&saved.to_string()).unwrap();
                assert_eq!(session.view().explore.study, study, "{whole} was not read");
                bench(session, 1280.0, 2000.0);
                drawn += 1;
            }
        }
    }
    assert_eq!(drawn, 5 * 13 * 4);
}

#[test]
fn settings_that_make_no_sense_harm_no_long_sequence() {
    let usual = serde_json::to_value(Long { n: 500, ..Long::default() }).unwrap();
    for (whole, other) in [(0, 0.0), (1, -1.0), (16, 1e308), (300, -1e308), (3, 1e-308)] {
        for topic in Topic::ALL {
            let mut long = replaced(&usual, whole, other);
            long["topic"] = serde_json::to_value(topic).unwrap();
            let mut saved: Value = serde_json::from_str(&Session::default().to_saved()).unwrap();
            saved["view"]["panel"] = json!("long");
            saved["view"]["long"] = long;
            let session = Session::from_saved(&saved.to_string()).unwrap();
            assert_eq!(session.view().long.topic, *topic);
            bench(session, 1280.0, 2000.0);
        }
    }
    // More than any machine has: one message, and everything else goes on.
    let mut saved: Value = serde_json::from_str(&Session::default().to_saved()).unwrap();
    saved["view"]["panel"] = json!("long");
    saved["view"]["long"]["n"] = json!(u64::MAX);
    saved["view"]["long"]["d"] = json!(u64::MAX);
    let session = Session::from_saved(&saved.to_string()).unwrap();
    let setting = session.view().long.setting();
    assert_eq!((setting.n, setting.d), (1_048_576, 256));
}
