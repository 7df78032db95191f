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
