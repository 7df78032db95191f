//! The programs are run, and must print our numbers. NumPy's and PyTorch's each in one Python process.

use attnlab::attention::{
    Causal, Heads, Inputs, Mask, MaskApplied, Matrix, Normalise, Part, Problem, Projected, Scale, Trace, Window, solve,
};
use attnlab::code::{MaskMeaning, PyTorchOptions, numpy, pytorch, rust};
use attnlab::examples::all;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use std::process::Command;

#[allow(dead_code)] // The laws use more of it.
#[path = "laws/generate.rs"]
mod generate;

/// Runs each program of a list by itself and reports what it printed, or how it failed.
const RUNNER: &str = r#"
import contextlib, io, json, sys, traceback, warnings
warnings.simplefilter("error", RuntimeWarning)
answers = []
for program in json.load(open(sys.argv[1], encoding="utf-8")):
    printed, error = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    except Exception:
        error = traceback.format_exc(limit=-1)
    answers.append({"printed": printed.getvalue(), "error": error})
json.dump(answers, sys.stdout)
"#;

/// The first Python that can import this module.
fn python_with(module: &str) -> Option<String> {
    let named = std::env::var("ATTNLAB_PYTHON").ok();
    let candidates = named.into_iter().chain(["/usr/bin/python3", "python3"].map(str::to_owned));
    let imports = |python: &String| {
        let import = Command::new(python).args(["-c", &format!("import {module}")]).output();
        import.is_ok_and(|output| output.status.success())
    };
    candidates.into_iter().find(imports)
}

fn numpy_python() -> String {
    python_with("numpy").expect("no Python here can import numpy: apt-get install python3-numpy")
}

/// What each program printed, or its error.
fn run(python: &str, name: &str, programs: &[String]) -> Vec<Result<String, String>> {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.json", std::process::id()));
    std::fs::write(&file, serde_json::to_string(programs).unwrap()).unwrap();
    let output = Command::new(python).args(["-c", RUNNER]).arg(&file).output().expect("Python starts");
    std::fs::remove_file(&file).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Value> = serde_json::from_slice(&output.stdout).expect("the runner answers in JSON");
    assert_eq!(answers.len(), programs.len());
    let answer = |answer: &Value| match answer["error"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(answer["printed"].as_str().unwrap().to_owned()),
    };
    answers.iter().map(answer).collect()
}

fn printed_value(printed: &str, name: &str) -> Value {
    let start = format!("{name} = ");
    let line = printed.lines().find_map(|line| line.strip_prefix(&start));
    serde_json::from_str(line.unwrap_or_else(|| panic!("no {name} in {printed}"))).unwrap()
}

fn differs(printed: &Value, computed: &Matrix) -> Option<String> {
    let rows = printed.as_array().unwrap();
    if rows.len() != computed.nrows() {
        return Some(format!("{} rows, expected {}", rows.len(), computed.nrows()));
    }
    for (row, numbers) in rows.iter().enumerate() {
        let numbers = numbers.as_array().unwrap();
        if numbers.len() != computed.ncols() {
            return Some(format!("{} columns, expected {}", numbers.len(), computed.ncols()));
        }
        for (column, number) in numbers.iter().enumerate() {
            let (number, ours) = (number.as_f64().unwrap(), computed[(row, column)]);
            let agrees = (number - ours).abs() <= 1e-12 * ours.abs().max(1.0);
            if !agrees {
                return Some(format!("[{row}][{column}]: {number}, expected {ours}"));
            }
        }
    }
    None
}

fn output_differs(printed: &str, trace: &Trace) -> Option<String> {
    differs(&printed_value(printed, "output"), &trace.get(Part::Output, 0).unwrap().value)
}

fn weights_differ(printed: &str, trace: &Trace, heads: usize) -> Option<String> {
    let weights = printed_value(printed, "weights");
    let of_head = |head: usize| if heads == 1 { weights.clone() } else { weights[head].clone() };
    (0..heads).find_map(|head| differs(&of_head(head), &trace.get(Part::Weights, head).unwrap().value))
}

/// Numbers of both signs that repeat nowhere near.
fn numbers(rows: usize, columns: usize, seed: usize) -> Matrix {
    Matrix::from_fn(rows, columns, |row, column| {
        let step = (seed * 31 + row * columns + column + 1) as f64;
        (step * 1.618_033_988_749_895).fract() * 4.0 - 2.0
    })
}

fn list(length: usize, seed: usize) -> Vec<f64> {
    numbers(1, length, seed).iter().copied().collect()
}

/// The inputs in every form, for these heads, and whether the keys are of another sequence.
fn forms(heads: Heads, biases: bool) -> Vec<(&'static str, Inputs, bool)> {
    let (d_k, d_v) = (2, 3);
    let (query, key, value) = (heads.query * d_k, heads.key_value * d_k, heads.key_value * d_v);
    let direct = |n, m| Inputs::Direct { q: numbers(n, query, 1), k: numbers(m, key, 2), v: numbers(m, value, 3) };
    let bias = |length, seed| biases.then(|| list(length, seed));
    let projected = |n, x_kv: Option<Matrix>| {
        let d_kv = x_kv.as_ref().map_or(3, |x_kv| x_kv.ncols());
        Inputs::Projected(Projected {
            x: numbers(n, 3, 1),
            w_q: numbers(3, query, 5),
            w_k: numbers(d_kv, key, 6),
            w_v: numbers(d_kv, value, 7),
            b_q: bias(query, 8),
            b_k: bias(key, 9),
            b_v: bias(value, 10),
            x_kv,
        })
    };
    vec![
        ("direct", direct(3, 3), false),
        ("cached", direct(2, 4), false),
        ("few keys", direct(4, 2), false),
        ("direct cross", direct(2, 4), true),
        ("projected", projected(3, None), false),
        ("projected cross", projected(3, Some(numbers(4, 2, 4))), false),
    ]
}

fn masks(n: usize, m: usize) -> Vec<(&'static str, Mask)> {
    let window = |left, right| Some(Window { left, right });
    let padding = Some((0..m).map(|key| key + 1 < m).collect());
    // Row 0 sees nothing.
    let allow = Some(nalgebra::DMatrix::from_fn(n, m, |row, column| row > 0 && (row + column) % 3 != 0));
    vec![
        ("no rule", Mask::default()),
        ("causal", Mask { causal: Causal::UpperLeft, ..Mask::default() }),
        ("lower right", Mask { causal: Causal::LowerRight, ..Mask::default() }),
        ("window", Mask { window: window(Some(1), Some(0)), ..Mask::default() }),
        ("right side", Mask { window: window(None, Some(1)), ..Mask::default() }),
        ("no side", Mask { window: window(Some(500), None), ..Mask::default() }),
        ("global", Mask { window: window(Some(0), Some(0)), global: vec![0], ..Mask::default() }),
        ("padding", Mask { key_padding: padding.clone(), ..Mask::default() }),
        ("painted", Mask { allow: allow.clone(), ..Mask::default() }),
        (
            "all",
            Mask {
                causal: Causal::LowerRight,
                window: window(Some(1), None),
                global: vec![0, 1],
                key_padding: padding,
                allow,
            },
        ),
    ]
}

/// Every rule × every way to apply it × every form × MHA, GQA, MQA, one head; scales and biases in turn.
fn synthetic() -> Vec<(String, Problem)> {
    let mut problems = Vec::new();
    for (query, key_value) in [(1, 1), (2, 2), (4, 2), (4, 1)] {
        let heads = Heads { query, key_value };
        for biases in [false, true] {
            for (form, inputs, is_cross) in forms(heads, biases) {
                let (n, m) = match &inputs {
                    Inputs::Direct { q, k, .. } => (q.nrows(), k.nrows()),
                    Inputs::Projected(given) => (given.x.nrows(), given.x_kv.as_ref().unwrap_or(&given.x).nrows()),
                };
                for (rule, mask) in masks(n, m) {
                    for mask_applied in MaskApplied::ALL {
                        let turn = problems.len();
                        let w_o = (biases || turn % 5 == 0).then(|| numbers(query * 3, 2, 11));
                        let problem = Problem {
                            title: (turn % 7 == 0).then(|| "a \"title\"\nwith lines 我".to_owned()),
                            tokens: None,
                            memory: is_cross.then(|| vec!["k".to_owned(); m]),
                            inputs: inputs.clone(),
                            b_o: biases.then(|| list(2, 12)),
                            w_o,
                            heads,
                            scale: [Scale::InverseSqrt, Scale::None, Scale::Factor(0.3)][turn % 3],
                            family: Default::default(),
                            mask: mask.clone(),
                            mask_applied,
                        };
                        let file = problem.to_json();
                        assert_eq!(Problem::from_json(&file).as_ref(), Ok(&problem), "the problem is in order");
                        problems.push((format!("{form}, {rule}, {mask_applied:?}, {heads:?}, {biases}"), problem));
                    }
                }
            }
        }
    }
    problems
}

/// Problems of the whole family, drawn at random but always the same ones. Where a row is divided by a sum that all but
/// cancels, the order of additions decides the digits; such rows are left out.
fn variants() -> Vec<(String, Problem)> {
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let strategy = generate::member();
    let drawn = std::iter::repeat_with(|| strategy.new_tree(&mut runner).unwrap().current());
    let drawn = drawn.filter(|problem| !problem.family.is_plain() && !cancels(problem)).take(600);
    drawn.map(|problem| (format!("{:?} {}", problem.family.keys(), problem.to_json()), problem)).collect()
}

/// Whether some row's sum is much smaller than what it is a sum of.
fn cancels(problem: &Problem) -> bool {
    let trace = solve(problem).unwrap();
    let is_divided = problem.family.normalise != Normalise::Softmax;
    is_divided
        && (0..problem.heads.query).any(|head| {
            let weights = &trace.get(Part::Weights, head).unwrap().value;
            weights.row_iter().any(|row| row.iter().any(|weight| weight.abs() > 1000.0))
        })
}

fn everything() -> Vec<(String, Problem)> {
    let examples = all().iter().map(|example| (example.id.clone(), example.problem.clone()));
    examples.chain(synthetic()).chain(variants()).collect()
}

#[test]
fn every_numpy_program_prints_our_numbers() {
    let problems = everything();
    assert!(problems.len() > 2000, "only {} problems", problems.len());
    let programs: Vec<String> = problems.iter().map(|(_, problem)| numpy(problem)).collect();
    let answers = run(&numpy_python(), "numpy", &programs);
    for (((name, problem), program), answer) in problems.iter().zip(&programs).zip(answers) {
        let printed = answer.unwrap_or_else(|error| panic!("{name}: {error}\n{program}"));
        let trace = solve(problem).unwrap();
        let wrong = weights_differ(&printed, &trace, problem.heads.query).or(output_differs(&printed, &trace));
        assert_eq!(wrong, None, "{name}\n{program}");
        assert!(program.contains("assert np.allclose(output, expected, rtol=1e-12, atol=1e-12)"), "{name}");
    }
}

/// The control: the program's own comparison and ours both see a wrong scale.
#[test]
fn a_numpy_program_with_a_wrong_scale_fails() {
    let example = all().iter().find(|example| example.id == "two-heads").unwrap();
    let wrong = numpy(&example.problem).replace("/ np.sqrt(q.shape[-1])", "/ q.shape[-1]");
    let unchecked = wrong.replace("assert np.allclose", "# ");
    assert_ne!(wrong, unchecked);
    let answers = run(&numpy_python(), "control", &[wrong, unchecked]);
    assert!(answers[0].as_ref().unwrap_err().contains("AssertionError"));
    let printed = answers[1].as_ref().unwrap();
    let trace = solve(&example.problem).unwrap();
    assert!(output_differs(printed, &trace).is_some());
    assert!(weights_differ(printed, &trace, 2).is_some());
}

/// The same control for each change of the formula: a turn the other way, a cap left out, a sink that takes nothing, …
#[test]
fn a_numpy_program_with_a_wrong_variant_fails() {
    let inputs = r#""inputs":{"q":[[1,2],[3,-1]],"k":[[0.5,1],[1,-2]],"v":[[1],[3]]}"#;
    let projected = r#""inputs":{"x":[[1,2],[3,-1]],"w_q":[[1,0],[0,1]],"w_k":[[1,1],[0,1]],"w_v":[[1],[2]]}"#;
    let cases = [
        (r#""position":{"kind":"rope"}"#, "a * np.cos(angle) - b", "a * np.cos(angle) + b"),
        (r#""position":{"kind":"alibi","slopes":[0.5]}"#, "scaled - 0.5", "scaled + 0.5"),
        (r#""position":{"kind":"learned","table":[[1,2],[0,1]]}"#, "x + table", "x - table"),
        (r#""position":{"kind":"sinusoidal"}"#, "column // 2 * 2", "column // 2"),
        (r#""softcap":2"#, "2.0 * np.tanh", "1.9 * np.tanh"),
        (r#""bias":[[1,0],[0,2]]"#, "scaled + bias", "scaled - bias"),
        (r#""sink":[1]"#, " + np.exp(sink - largest))", ")"),
        (r#""normalise":{"kind":"sum"}"#, "scaled / total", "scaled"),
        (r#""normalise":{"kind":"linear","feature_map":"elu_plus_one"}"#, "x + 1.0", "x"),
        (r#""dropout":{"p":0.5,"seed":1}"#, "/ (1.0 - 0.5)", ""),
        (r#""score":{"kind":"general","w":[[1,2],[0,1]]}"#, "score_w @ k", "score_w.T @ k"),
        (r#""score":{"kind":"additive","w_q":[[1],[2]],"w_k":[[1],[0]],"v":[2]}"#, "k @ score_w_k", "k @ score_w_q"),
        (r#""score":{"kind":"concat","w":[[1],[2],[3],[0]],"v":[2]}"#, "k @ score_w[d_k:]", "k @ score_w[:d_k]"),
    ];
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for (more, from, to) in cases {
        let is_encoding = more.contains("learned") || more.contains("sinusoidal");
        let numbers = if is_encoding { projected } else { inputs };
        // (Two columns turn by position itself, whatever the exponent: four show it.)
        let numbers = if more.contains("sinusoidal") {
            r#""inputs":{"x":[[1,2,0,1],[3,-1,1,0]],"w_q":[[1],[0],[1],[1]],"w_k":[[1],[1],[2],[0]],"w_v":[[1],[2],[0],[1]]}"#
        } else {
            numbers
        };
        let program = numpy(&Problem::from_json(&format!(r#"{{"format":"attnlab/1",{more},{numbers}}}"#)).unwrap());
        assert!(program.contains(from), "{from} in\n{program}");
        wrong.push(program.replace(from, to));
        right.push(program);
    }
    let python = numpy_python();
    for (answer, program) in run(&python, "variant", &right).iter().zip(&right) {
        assert!(answer.is_ok(), "{answer:?}\n{program}");
    }
    for (answer, program) in run(&python, "variant-control", &wrong).iter().zip(&wrong) {
        assert!(answer.as_ref().is_err_and(|error| error.contains("AssertionError")), "{answer:?}\n{program}");
    }
}

fn pytorch_programs() -> Vec<(String, Problem, String)> {
    let mut programs = Vec::new();
    for (name, problem) in everything() {
        for mask in MaskMeaning::ALL {
            let program = pytorch(&problem, &PyTorchOptions { mask });
            programs.push((format!("{name}, {mask:?}"), problem.clone(), program));
        }
    }
    programs
}

/// Every PyTorch program is valid Python, whether there is a PyTorch here or not.
#[test]
fn every_pytorch_program_is_valid_python_though_not_run() {
    let programs: Vec<String> = pytorch_programs()
        .into_iter()
        .map(|(_, _, program)| format!("import ast\nast.parse({})\n", Value::from(program)))
        .collect();
    let python = python_with("ast").expect("no Python here: apt-get install python3");
    for (index, answer) in run(&python, "parse", &programs).into_iter().enumerate() {
        assert_eq!(answer, Ok(String::new()), "{}", programs[index]);
    }
}

#[test]
fn every_pytorch_program_prints_our_numbers_where_torch_can_be_imported() {
    let Some(python) = python_with("torch") else {
        eprintln!("NOT RUN: no Python here can import torch (ATTNLAB_PYTHON may name one); only the syntax is checked");
        return;
    };
    let programs = pytorch_programs();
    let texts: Vec<String> = programs.iter().map(|(_, _, program)| program.clone()).collect();
    for ((name, problem, program), answer) in programs.iter().zip(run(&python, "torch", &texts)) {
        let printed = answer.unwrap_or_else(|error| panic!("{name}: {error}\n{program}"));
        assert_eq!(output_differs(&printed, &solve(problem).unwrap()), None, "{name}\n{program}");
    }
    let example = all().iter().find(|example| example.id == "two-heads").unwrap();
    let right = pytorch(&example.problem, &PyTorchOptions::default());
    let wrong = right.replace("attention(q, k, v", "attention(q, k, 2 * v");
    assert_ne!(right, wrong);
    assert!(run(&python, "torch-control", &[wrong])[0].as_ref().unwrap_err().contains("AssertionError"));
    eprintln!("{} PyTorch programs were run", programs.len());
}

/// One program of each kind, as they are read: a mask, groups of heads, projections, biases.
const SNIPPET: &str = include_str!("snippets/grouped.rs");

mod snippet {
    include!("snippets/grouped.rs");

    pub fn run() {
        main();
    }
}

fn grouped() -> Problem {
    let text = r#"{"format":"attnlab/1","tokens":["我","爱","你"],"heads":{"query":2,"key_value":1},
        "mask":{"causal":"upper_left"},"inputs":{"x":[[1,0.5],[-1,2],[0.1,1]],
        "w_q":[[1,0],[0,1]],"w_k":[[0.5],[1]],"w_v":[[2],[-1]],"b_q":[0.1,0.2],"w_o":[[1],[0.5]],"b_o":[3]}}"#;
    Problem::from_json(text).unwrap()
}

/// The Rust program solves the problem file itself, so it knows every variant.
#[test]
fn the_rust_program_holds_the_whole_problem() {
    for (name, problem) in everything() {
        let program = rust(&problem);
        let (_, text) = program.split_once("let text = r").unwrap();
        let fence = text.split('"').next().unwrap().to_owned();
        let json = text[fence.len() + 1..].split(&format!("\"{fence};")).next().unwrap();
        assert_eq!(Problem::from_json(json).as_ref(), Ok(&problem), "{name}");
    }
}

#[test]
fn the_rust_program_compiles_and_agrees() {
    assert_eq!(rust(&grouped()), SNIPPET, "tests/snippets/grouped.rs is what the generator writes");
    snippet::run();
}
