//! The commands: what was asked for on standard output, errors on standard error with exit 1.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn attnlab(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_attnlab"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments may close its input first.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn a_problem_becomes_its_trace() {
    let problem = r#"{"format":"attnlab/1","inputs":{"q":[[1]],"k":[[2]],"v":[[3]]}}"#;
    let output = attnlab(&["solve", "-"], problem);
    assert!(output.status.success());
    let trace: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(trace["format"], "attnlab-trace/1");
    assert_eq!(trace["steps"][3]["key"], "scores");
    assert_eq!(trace["steps"][3]["value"][0][0], 2.0);
}

#[test]
fn errors_go_to_standard_error_all_of_them_with_exit_1() {
    let output = attnlab(&["solve", "-"], r#"{"format":"attnlab/1","a":1,"inputs":{}}"#);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert_eq!(errors.lines().count(), 2, "{errors}");
    for arguments in [&["solve"][..], &["solve", "no such file"], &["solve", "-", "more"], &["sole"], &["--colour"]] {
        let output = attnlab(arguments, "");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn help_says_how() {
    for arguments in [&["--help"][..], &["-h"], &["solve", "--help"], &["worksheet", "-h"]] {
        let output = attnlab(arguments, "");
        assert!(output.status.success() && String::from_utf8(output.stdout).unwrap().contains("solve FILE"));
    }
}

const THREE_KEYS: &str = r#"{"format":"attnlab/1","tokens":["爱"],"memory":["我","爱","你"],
    "inputs":{"q":[[0.5]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#;

fn written(arguments: &[&str]) -> String {
    let output = attnlab(arguments, THREE_KEYS);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_solution_is_written_as_it_is_asked_for() {
    let english = written(&["solution", "-"]);
    assert!(english.starts_with("# Attention") && english.contains("e^{0.5} = 1.6487"), "{english}");
    let chinese = written(&["solution", "--lang", "zh-CN", "--latex", "--digits", "2", "-"]);
    assert!(chinese.contains("\\documentclass{ctexart}") && chinese.contains("e^{0.5} = 1.65"), "{chinese}");
    assert!(chinese.contains("公式"));
}

#[test]
fn a_worksheet_and_its_key_belong_together() {
    let (sheet, key) = (written(&["worksheet", "-"]), written(&["worksheet", "-", "--key"]));
    assert!(sheet.contains("\\boxed") && !sheet.contains("0.9677"), "{sheet}");
    assert!(!key.contains("\\boxed") && key.contains("0.9677"), "{key}");
    assert_eq!(written(&["worksheet", "-", "--seed", "7"]), written(&["worksheet", "-", "--seed", "7"]));
    assert_ne!(written(&["worksheet", "-", "--seed", "7"]), sheet);
    let one_step = written(&["worksheet", "-", "--blank", "weights", "--share", "0.3"]);
    assert_eq!(one_step.matches("\\boxed").count(), 1, "{one_step}");
}

#[test]
fn what_a_solution_or_a_worksheet_cannot_be_is_said() {
    let cases: [&[&str]; 11] = [
        &["solution"],
        &["worksheet"],
        &["solution", "-", "--lang", "fr"],
        &["solution", "-", "--digits", "16"],
        &["solution", "-", "--digits", "many"],
        &["solution", "-", "--key"],
        &["solution", "-", "more"],
        &["worksheet", "-", "--seed", "x"],
        &["worksheet", "-", "--blank", "colour"],
        &["worksheet", "-", "--blank", "q"],
        &["worksheet", "-", "--share", "2"],
    ];
    for arguments in cases {
        let output = attnlab(arguments, THREE_KEYS);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
    for command in ["solution", "worksheet"] {
        let output = attnlab(&[command, "-"], r#"{"format":"attnlab/1","a":1,"inputs":{}}"#);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 2, "{command}");
    }
}

/// Three tokens, and a key that is padding.
const THREE_TOKENS: &str = r#"{"format":"attnlab/1","scale":"none","tokens":["I","like","cats"],"mask":{"causal":"upper_left",
    "key_padding":[0,1,1]},"inputs":{"q":[[1],[2],[1]],"k":[[1],[0.25],[1]],"v":[[1],[2],[4]]}}"#;

fn json_of(arguments: &[&str], problem: &str) -> serde_json::Value {
    let output = attnlab(arguments, problem);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn flash_prints_every_block() {
    let printed = json_of(&["flash", "-", "--rows", "2", "--keys", "1"], THREE_TOKENS);
    let keys: Vec<&str> = printed.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["format", "heads", "keys", "numbers_moved", "output", "rows"]);
    assert_eq!((&printed["format"], &printed["rows"]), (&"attnlab-flash/1".into(), &2.into()));
    let blocks = printed["heads"][0]["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 6);
    // Key 0 is padding: nothing was seen, and nothing is NaN.
    assert_eq!(
        blocks[0],
        serde_json::json!({"rows": [0, 2], "keys": [0, 1], "scores": [["-inf"], ["-inf"]], "m": ["-inf", "-inf"],
            "rescale": [1.0, 1.0], "l": [0.0, 0.0], "o": [[0.0], [0.0]]})
    );
    // Row 2, the last block: m from 0.25 to 1, so that what was summed shrinks by exp(0.25 − 1).
    let last = &blocks[5];
    assert_eq!((&last["rows"], &last["keys"]), (&serde_json::json!([2, 3]), &serde_json::json!([2, 3])));
    assert_eq!((&last["m"][0], &last["rescale"][0]), (&1.0.into(), &(-0.75f64).exp().into()));
    assert_eq!(last["l"][0], (-0.75f64).exp() + 1.0);
    let plain = json_of(&["solve", "-"], THREE_TOKENS);
    let output = plain["steps"].as_array().unwrap().iter().find(|step| step["key"] == "output").unwrap();
    for row in 0..3 {
        let distance = printed["output"][row][0].as_f64().unwrap() - output["value"][row][0].as_f64().unwrap();
        assert!(distance.abs() <= 1e-12, "row {row}: {distance}");
    }
    // 3 by 3, width 1: 4·9 + 4·3, and two blocks of rows: 2·3 + 2·3·2.
    assert_eq!(printed["numbers_moved"], serde_json::json!({"plain": 48, "blocks": 18}));
    assert_eq!(printed["heads"][0]["output"], printed["output"]);
}

#[test]
fn a_sink_stands_after_the_blocks() {
    let problem = r#"{"format":"attnlab/1","sink":[2],"scale":"none","inputs":{"q":[[1]],"k":[[0.5]],"v":[[4]]}}"#;
    let head = &json_of(&["flash", "-"], problem)["heads"][0];
    let rescale = (0.5f64 - 2.0).exp();
    assert_eq!(head["sink"]["m"], serde_json::json!([2.0]));
    assert_eq!(head["sink"]["l"][0], rescale + 1.0);
    assert_eq!(head["output"][0][0], 4.0 * rescale / (rescale + 1.0));
}

#[test]
fn decode_prints_every_step() {
    let printed = json_of(&["decode", "-"], THREE_TOKENS);
    assert_eq!(printed["format"], "attnlab-decode/1");
    let steps = printed["steps"].as_array().unwrap();
    assert_eq!(steps.iter().map(|step| step["token"].as_str().unwrap()).collect::<Vec<_>>(), ["I", "like", "cats"]);
    let last = &steps[2];
    assert_eq!((&last["step"], &last["k"]), (&2.into(), &serde_json::json!([[1.0]])));
    let weight = last["weights"][0][1].as_f64().unwrap();
    assert!((weight - 1.0 / (1.0 + 0.75f64.exp())).abs() <= 1e-15, "{weight}");
    assert_eq!((&last["weights"][0][0], last["weights"][0].as_array().unwrap().len()), (&0.0.into(), 3));
    assert!(steps.iter().all(|step| step["difference"].as_f64().unwrap() <= 1e-12));
    assert_eq!(printed["work"]["products_without"], 1 + 4 + 9);
    assert_eq!(printed["bytes_per_token"], serde_json::json!({"fp32": 8, "fp16": 4}));
    // The first token sees nothing, and says so.
    assert_eq!((&printed["notes"][0]["key"], &printed["notes"][0]["row"]), (&"empty-row".into(), &0.into()));
}

#[test]
fn what_cannot_be_stepped_is_said() {
    let sum = r#"{"format":"attnlab/1","normalise":{"kind":"sum"},"inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#;
    let late = r#"{"format":"attnlab/1","mask_applied":"after_softmax","inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#;
    let cases: [(&[&str], &str, &str); 12] = [
        (&["flash"], "", "flash needs a FILE"),
        (&["flash", "-", "--rows", "0"], THREE_TOKENS, "rows: found 0"),
        (&["flash", "-", "--keys", "0"], THREE_TOKENS, "keys: found 0"),
        (&["flash", "-", "--keys", "two"], THREE_TOKENS, "two"),
        (&["flash", "-", "--columns", "2"], THREE_TOKENS, "--columns"),
        (&["flash", "-"], sum, "normalise: block by block a running maximum"),
        (&["flash", "-"], late, "mask_applied: block by block no row of weights"),
        (&["flash", "no such file"], "", "no such file"),
        (&["decode"], "", "decode needs a FILE"),
        (&["decode", "-", "more"], THREE_TOKENS, "more"),
        (&["decode", "-"], THREE_KEYS, "memory: token by token"),
        (&["decode", "-"], "{", "JSON"),
    ];
    for (arguments, problem, said) in cases {
        let output = attnlab(arguments, problem);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{arguments:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(said), "{arguments:?}: {errors}");
    }
}
