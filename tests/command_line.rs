//! `attnlab solve`: the trace on standard output, errors on standard error with exit 1.

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
    for arguments in [&["--help"][..], &["-h"], &["solve", "--help"]] {
        let output = attnlab(arguments, "");
        assert!(output.status.success() && String::from_utf8(output.stdout).unwrap().contains("solve FILE"));
    }
}
