//! Decoding with a cache: every step is the full computation's row, and an independent judge agrees.

#[allow(dead_code)] // It makes more kinds of problems than are needed here.
#[path = "laws/generate.rs"]
mod generate;

use attnlab::attention::{
    Causal, Decode, DecodeNote, Dropout, Inputs, MaskApplied, Matrix, Part, Position, Problem, Trace, decode,
    decode_work, solve, with_mask_right,
};
use generate::{member, self_member};
use proptest::prelude::*;
use serde_json::Value;

fn read(text: &str) -> Problem {
    Problem::from_json(&format!(r#"{{"format":"attnlab/1",{text}}}"#)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn decoded(problem: &Problem) -> Decode {
    decode(problem).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn of(trace: &Trace, part: Part, head: usize) -> &Matrix {
    &trace.get(part, head).unwrap_or_else(|| panic!("no {part:?} of head {head}")).value
}

fn close(found: &[f64], expected: impl IntoIterator<Item = f64>) -> bool {
    let expected: Vec<f64> = expected.into_iter().collect();
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    found.len() == expected.len() && found.iter().zip(&expected).all(is_close)
}

/// As a decoder has it, made here by hand: a causal rule, the mask right, no dropout.
fn full(problem: &Problem) -> Problem {
    let mut full = with_mask_right(problem);
    if full.mask.causal == Causal::None {
        full.mask.causal = Causal::LowerRight;
    }
    full.family.dropout = Dropout::default();
    full
}

/// The first `t` tokens of a problem with as many keys as queries.
fn prefix(problem: &Problem, t: usize) -> Problem {
    let mut cut = problem.clone();
    let top = |matrix: &mut Matrix| *matrix = matrix.rows(0, t).into_owned();
    match &mut cut.inputs {
        Inputs::Direct { q, k, v } => [q, k, v].into_iter().for_each(top),
        Inputs::Projected(given) => top(&mut given.x),
    }
    let block = |bias: Matrix| bias.view((0, 0), (t, t)).into_owned();
    cut.family.bias = cut.family.bias.map(|bias| bias.map(block));
    cut.mask.global.retain(|&global| global < t);
    cut.mask.key_padding = cut.mask.key_padding.map(|real| real[..t].to_vec());
    cut.mask.allow = cut.mask.allow.map(|allow| allow.view((0, 0), (t, t)).into_owned());
    cut
}

/// Self-attention of the whole family, with keys that were there before too.
fn of_one_sequence() -> impl Strategy<Value = Problem> {
    let longer = member().prop_map(|problem| Problem { memory: None, ..problem });
    prop_oneof![self_member(), longer].prop_filter("one sequence, a key for every token", |problem| {
        let shapes = problem.shapes();
        !problem.is_cross() && shapes.m >= shapes.n
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512, failure_persistence: None, max_global_rejects: 65536, ..ProptestConfig::default()
    })]

    #[test]
    fn every_step_is_the_row_of_the_full_computation(problem in of_one_sequence()) {
        let (decode, trace) = (decoded(&problem), solve(&full(&problem)).unwrap());
        let shapes = problem.shapes();
        prop_assert_eq!((decode.steps.len(), decode.cached_before), (shapes.n, shapes.m - shapes.n));
        for (row, step) in decode.steps.iter().enumerate() {
            prop_assert_eq!(step.keys, shapes.m - shapes.n + row + 1);
            prop_assert!(close(&step.output, of(&trace, Part::Output, 0).row(row).iter().copied()), "{step:?}");
            prop_assert!(step.difference <= 1e-12 * of(&trace, Part::Output, 0).amax().max(1.0));
            for (head, weights) in step.weights.iter().enumerate() {
                let expected = of(&trace, Part::Weights, head);
                prop_assert!(close(weights, expected.row(row).iter().copied().take(step.keys)));
                prop_assert!(expected.row(row).iter().skip(step.keys).all(|&weight| weight == 0.0));
            }
        }
    }

    #[test]
    fn every_step_is_the_last_row_of_the_full_computation_so_far(problem in self_member()) {
        let decode = decoded(&problem);
        for (row, step) in decode.steps.iter().enumerate() {
            let so_far = solve(&prefix(&full(&problem), row + 1)).unwrap();
            prop_assert!(close(&step.output, of(&so_far, Part::Output, 0).row(row).iter().copied()));
        }
    }

    #[test]
    fn the_cache_holds_k_as_it_is_compared_and_v(problem in of_one_sequence()) {
        let (decode, trace) = (decoded(&problem), solve(&full(&problem)).unwrap());
        let heads = problem.heads;
        let is_rope = matches!(problem.family.position, Position::Rope(_));
        let k_part = if is_rope { Part::KRotated } else { Part::K };
        for (at, step) in decode.steps.iter().enumerate() {
            for group in 0..heads.key_value {
                let (k, v) = decode.cache_after(at, group).unwrap();
                let head = group * (heads.query / heads.key_value);
                let (all_k, all_v) = (of(&trace, k_part, head), of(&trace, Part::V, head));
                prop_assert!(close(k.as_slice(), all_k.rows(0, step.keys).iter().copied()));
                prop_assert!(close(v.as_slice(), all_v.rows(0, step.keys).iter().copied()));
                prop_assert!(close(&step.k[group], k.row(step.keys - 1).iter().copied()));
                prop_assert!(close(&step.v[group], v.row(step.keys - 1).iter().copied()));
            }
        }
        prop_assert!(decode.cache_after(decode.steps.len(), 0).is_none());
        prop_assert!(decode.cache_after(0, heads.key_value).is_none());
    }
}

/// What the comparison must catch: a key of the cache that is not the token's, and keys rotated twice.
#[test]
fn a_wrong_cache_goes_red() {
    let text = r#""position":{"kind":"rope","base":100},"inputs":{"q":[[1,2],[3,1],[1,1]],"k":[[1,0],[0,2],[1,1]],"v":[[1],[2],[4]]}"#;
    let right = read(text);
    let trace = solve(&full(&right)).unwrap();
    let last = |decode: &Decode| decode.steps[2].output.clone();
    let expected = || of(&trace, Part::Output, 0).row(2).iter().copied().collect::<Vec<_>>();
    assert!(close(&last(&decoded(&right)), expected()));
    let wrong = |change: &dyn Fn(&mut Matrix)| {
        let mut wrong = right.clone();
        let Inputs::Direct { k, .. } = &mut wrong.inputs else { panic!("the text gives k") };
        change(k);
        wrong
    };
    assert!(!close(&last(&decoded(&wrong(&|k| k[(0, 0)] += 0.1))), expected()));
    let twice = wrong(&|k| *k = of(&trace, Part::KRotated, 0).clone());
    assert!(!close(&last(&decoded(&twice)), expected()));
    assert!(!close(&[f64::NAN], expected()) && !close(&[], expected()));
}

#[test]
fn what_was_decided_is_said() {
    let keys = |text: &str| {
        let rest = r#""inputs":{"q":[[1,2]],"k":[[1,0],[0,2]],"v":[[1],[2]]}"#;
        decoded(&read(&format!("{text}{rest}"))).notes.iter().map(DecodeNote::key).collect::<Vec<_>>()
    };
    assert_eq!(keys(r#""mask":{"causal":"lower_right"},"#), ["cached-before"]);
    let all = r#""mask_applied":"inverted","dropout":{"p":0.5,"seed":1},"position":{"kind":"rope"},"#;
    assert_eq!(keys(all), DecodeNote::KEYS);
}

/// No way of applying the mask wrongly changes a step: the future is not there to be let in.
#[test]
fn no_mistake_reaches_the_cache() {
    let mut problem = read(r#""mask":{"causal":"upper_left"},"inputs":{"q":[[1],[2]],"k":[[1],[3]],"v":[[1],[2]]}"#);
    let right = decoded(&problem).steps;
    for how in MaskApplied::ALL {
        problem.mask_applied = how;
        assert_eq!(decoded(&problem).steps, right, "{how:?}");
    }
}

#[test]
fn what_cannot_be_decoded_is_refused_with_its_reason() {
    let errors = |text: &str| -> Vec<String> {
        decode(&read(text)).unwrap_err().iter().map(|error| format!("{} {}", error.place, error.kind.key())).collect()
    };
    let memory = r#""memory":["a"],"inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}"#;
    assert_eq!(errors(memory), ["memory not-self-attention"]);
    let vectors = r#""inputs":{"x":[[1]],"x_kv":[[2]],"w_q":[[1]],"w_k":[[1]],"w_v":[[1]]}"#;
    assert_eq!(errors(vectors), ["inputs.x_kv not-self-attention"]);
    assert_eq!(errors(r#""inputs":{"q":[[1],[2]],"k":[[1]],"v":[[1]]}"#), ["inputs.k keys-missing"]);
    assert_eq!(errors(r#""inputs":{"q":[[1e200]],"k":[[1e200]],"v":[[1]]}"#), ["scores/0 overflow"]);
}

/// Prefixes of 4, 5 and 6 tokens: 15 rows projected against 3, 77 score products against 15.
#[test]
fn work_is_counted_as_the_article_counts_it() {
    let four_to_six = decode_work(4, 6);
    assert_eq!((four_to_six.rows_without, four_to_six.rows_with), (15, 3));
    assert_eq!((four_to_six.products_without, four_to_six.products_with), (77, 15));
    // Three keys were there before, three tokens come.
    let rows = |count: usize| (0..count).map(|_| [1.0, 2.0]).collect::<Vec<_>>();
    let inputs = serde_json::json!({"q": rows(3), "k": rows(6), "v": rows(6)});
    let problem = read(&format!(r#""mask":{{"causal":"lower_right"}},"inputs":{inputs}"#));
    let decode = decoded(&problem);
    assert_eq!(decode.work, four_to_six);
    assert_eq!(decode.bytes_per_token, [2 * 2 * 4, 2 * 2 * 2]);
}

/// Weights that NumPy made from the papers: `tests/golden/flash.py`.
#[test]
fn an_independent_judge_agrees_on_every_step() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("golden/flash.json")).unwrap();
    assert_eq!(cases.len(), 3);
    for case in &cases {
        let problem = Problem::from_json(&case["problem"].to_string()).unwrap();
        let decode = decoded(&problem);
        let expected = case["decode_weights"].as_array().unwrap();
        assert_eq!(decode.steps.len(), expected.len());
        for (step, expected) in decode.steps.iter().zip(expected) {
            assert_eq!(step.weights.len(), expected.as_array().unwrap().len());
            for (weights, expected) in step.weights.iter().zip(expected.as_array().unwrap()) {
                let numbers = || expected.as_array().unwrap().iter().map(|weight| weight.as_f64().unwrap());
                assert!(close(weights, numbers()), "{weights:?} {expected}");
                assert!(!close(weights, numbers().map(|weight| weight + 1e-9)), "a changed weight goes unseen");
            }
        }
    }
}
