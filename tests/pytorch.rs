//! Every variant against PyTorch: `golden/pytorch.json`, written by `golden/pytorch.py`.

use attnlab::attention::{Matrix, Problem, Trace, from_rows, largest_distance, solve};
use attnlab::examples::ExpectKey;
use serde_json::Value;

struct Case {
    name: String,
    problem: Problem,
    expect: Vec<(String, Matrix)>,
}

fn cases() -> Vec<Case> {
    let cases: Value = serde_json::from_str(include_str!("golden/pytorch.json")).unwrap();
    let of = |case: &Value| {
        let name = case["name"].as_str().unwrap().to_owned();
        let problem = Problem::from_json(&case["problem"].to_string()).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let expect = case["expect"].as_object().unwrap().iter();
        let expect = expect.map(|(key, rows)| {
            let rows: Vec<Vec<f64>> = serde_json::from_value(rows.clone()).unwrap();
            (key.clone(), from_rows(&rows).unwrap())
        });
        Case { expect: expect.collect(), name, problem }
    };
    cases.as_array().unwrap().iter().map(of).collect()
}

/// The keys of what is not there or lies further than 1e-12 of the larger of 1 and its largest number.
fn departing(trace: &Trace, expect: &[(String, Matrix)]) -> Vec<String> {
    let agrees = |key: &str, expected: &Matrix| {
        let key = ExpectKey::parse(key).unwrap_or_else(|| panic!("{key} names no step"));
        let step = trace.get(key.part, key.head);
        step.is_some_and(|step| largest_distance(&step.value, expected) <= 1e-12 * expected.amax().max(1.0))
    };
    expect.iter().filter(|(key, expected)| !agrees(key, expected)).map(|(key, _)| key.clone()).collect()
}

#[test]
fn every_variant_gives_pytorch_s_numbers() {
    let cases = cases();
    assert!(cases.len() >= 34, "only {} cases", cases.len());
    let mut numbers = 0;
    for Case { name, problem, expect } in &cases {
        let trace = solve(problem).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        assert_eq!(departing(&trace, expect), Vec::<String>::new(), "{name}");
        for key in ["scores/0", "weights/0", "output"] {
            assert!(expect.iter().any(|(found, _)| found == key), "{name} has no {key}");
        }
        numbers += expect.iter().map(|(_, matrix)| matrix.len()).sum::<usize>();
    }
    assert!(numbers > 3_000, "only {numbers} numbers were compared");
}

#[test]
fn every_variant_of_the_format_is_among_them() {
    let keys: Vec<String> = cases().iter().flat_map(|case| case.problem.family.keys()).map(str::to_owned).collect();
    for key in ["score", "softcap", "position", "bias", "sink", "normalise", "dropout"] {
        assert!(keys.iter().any(|found| found == key), "{key}");
    }
    for part in ["q_rotated/0", "k_rotated/0", "scaled/0", "capped/0", "biased/0", "context/0"] {
        assert!(cases().iter().any(|case| case.expect.iter().any(|(key, _)| key == part)), "{part}");
    }
}

#[test]
fn one_changed_number_goes_red_and_so_does_another_problem() {
    for Case { name, problem, mut expect } in cases() {
        let trace = solve(&problem).unwrap();
        for index in 0..expect.len() {
            let right = expect[index].1[(0, 0)];
            let size = expect[index].1.amax().max(1.0);
            for wrong in [right + 4e-12 * size, f64::NAN] {
                expect[index].1[(0, 0)] = wrong;
                assert_eq!(departing(&trace, &expect), [expect[index].0.clone()], "{name}: {wrong}");
            }
            expect[index].1[(0, 0)] = right;
        }
        let mut other = problem.clone();
        other.scale = attnlab::attention::Scale::Factor(0.7);
        let plain = attnlab::attention::Family::default();
        other.family = if problem.family == plain { problem.family } else { plain };
        assert!(!departing(&solve(&other).unwrap(), &expect).is_empty(), "{name}");
    }
}
