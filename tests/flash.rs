//! FlashAttention, stepped: the same output for every block size, the arithmetic of every row, and an independent judge.

#[allow(dead_code)] // It makes more kinds of problems than are needed here.
#[path = "laws/generate.rs"]
mod generate;

use attnlab::attention::{
    Family, Flash, MaskApplied, Matrix, NumbersMoved, Part, Problem, Trace, applied, flash, numbers_moved, solve,
};
use generate::member;
use proptest::prelude::*;
use serde_json::Value;

fn read(text: &str) -> Problem {
    Problem::from_json(&format!(r#"{{"format":"attnlab/1",{text}}}"#)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn stepped(problem: &Problem, rows: usize, keys: usize) -> Flash {
    flash(problem, rows, keys).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn of(trace: &Trace, part: Part, head: usize) -> &Matrix {
    &trace.get(part, head).unwrap_or_else(|| panic!("no {part:?} of head {head}")).value
}

/// Within 1e-12 of the larger of 1 and the number itself; NaN and another shape are not.
fn close(found: &Matrix, expected: &Matrix) -> bool {
    let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    found.shape() == expected.shape() && found.iter().zip(expected).all(is_close)
}

fn is_steppable(problem: &Problem) -> bool {
    let is_late = matches!(problem.mask_applied, MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised);
    problem.family.normalise == Default::default() && !is_late
}

/// The family, with what cannot be stepped made right.
fn steppable() -> impl Strategy<Value = Problem> {
    member().prop_map(|problem| {
        let mask_applied = if is_steppable(&problem) { problem.mask_applied } else { MaskApplied::BeforeSoftmax };
        let family = Family { normalise: Default::default(), ..problem.family.clone() };
        Problem { mask_applied, family, ..problem }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_block_size_gives_the_plain_output(problem in steppable(), rows in 1_usize..6, keys in 1_usize..6) {
        let plain = solve(&problem).unwrap();
        let flash = stepped(&problem, rows, keys);
        prop_assert!(close(&flash.output, of(&plain, Part::Output, 0)));
        prop_assert!(flash.difference <= 1e-12 * of(&plain, Part::Output, 0).amax().max(1.0));
        for (head, found) in flash.heads.iter().enumerate() {
            prop_assert!(close(&found.output, of(&plain, Part::Context, head)), "head {head}");
        }
    }

    #[test]
    fn the_arithmetic_of_a_row_gives_its_numbers(problem in steppable(), rows in 1_usize..6, keys in 1_usize..6) {
        let plain = solve(&problem).unwrap();
        let same = |found: f64, expected: f64| found == expected || (found - expected).abs() <= 1e-12 * expected.abs().max(1.0);
        for (head, found) in stepped(&problem, rows, keys).heads.iter().enumerate() {
            let v = of(&plain, Part::V, head);
            for (at, block) in found.blocks.iter().enumerate() {
                for row in 0..block.rows.len() {
                    let written = found.arithmetic(at, row, v).unwrap();
                    prop_assert!(same(written.m.evaluate(), block.m[row]));
                    prop_assert!(same(written.rescale.evaluate(), block.rescale[row]));
                    prop_assert!(same(written.l.evaluate(), block.l[row]));
                    for (c, o) in written.o.iter().enumerate() {
                        prop_assert!(same(o.evaluate(), block.o[(row, c)]), "{o:?}");
                    }
                }
                prop_assert!(found.arithmetic(at, block.rows.len(), v).is_none());
            }
            for row in 0..problem.shapes().n {
                for (c, divided) in found.output_arithmetic(row).unwrap().iter().enumerate() {
                    prop_assert!(same(divided.evaluate(), found.output[(row, c)]));
                }
                let Some(sink) = &found.sink else { continue };
                let written = found.sink_arithmetic(row).unwrap();
                prop_assert!(same(written.m.evaluate(), sink.m[row]) && same(written.rescale.evaluate(), sink.rescale[row]));
                prop_assert!(same(written.l.evaluate(), sink.l[row]));
                prop_assert!(written.o.iter().enumerate().all(|(c, o)| same(o.evaluate(), sink.o[(row, c)])));
            }
        }
    }

    #[test]
    fn blocks_are_the_scores_cut_into_pieces_and_hidden_ones_change_nothing(
        problem in steppable(), rows in 1_usize..6, keys in 1_usize..6
    ) {
        let plain = solve(&problem).unwrap();
        let pairs = applied(&problem);
        for (head, found) in stepped(&problem, rows, keys).heads.iter().enumerate() {
            let scores = of(&plain, Part::before_mask(&problem), head);
            let mut covered = pairs.map(|_| 0);
            let mut before: Option<&attnlab::attention::Block> = None;
            for block in &found.blocks {
                let numbers = block.m.iter().chain(&block.rescale).chain(&block.l).chain(&block.o).chain(&block.exp);
                prop_assert!(numbers.clone().all(|number| !number.is_nan()));
                for (row, key) in block.rows.clone().flat_map(|row| block.keys.clone().map(move |key| (row, key))) {
                    covered[(row, key)] += 1;
                    let cell = (row - block.rows.start, key - block.keys.start);
                    prop_assert!((block.scores[cell] - scores[(row, key)]).abs() <= 1e-12 * scores[(row, key)].abs().max(1.0));
                    prop_assert_eq!(block.takes_part[cell], pairs[(row, key)]);
                    prop_assert_eq!(block.shown_scores()[cell] == f64::NEG_INFINITY, !pairs[(row, key)]);
                }
                if block.is_hidden() {
                    let start = (vec![f64::NEG_INFINITY; block.rows.len()], vec![0.0; block.rows.len()]);
                    let same_rows = before.filter(|before| before.rows == block.rows);
                    let (m, l) = same_rows.map_or(start, |before| (before.m.clone(), before.l.clone()));
                    prop_assert_eq!((&block.m, &block.l), (&m, &l));
                    prop_assert!(block.rescale.iter().all(|&factor| factor == 1.0));
                    prop_assert!(same_rows.map_or(block.o.amax() == 0.0, |before| before.o == block.o));
                }
                before = Some(block);
            }
            prop_assert!(covered.iter().all(|&times| times == 1), "every pair stands in one block");
        }
    }
}

/// A step that forgets to rescale, or that takes each block's own maximum, is what the comparison must catch.
#[test]
fn a_wrong_recurrence_goes_red() {
    let problem = read(
        r#""scale":"none","inputs":{"q":[[1],[2]],"k":[[0.25],[1],[3],[-1]],"v":[[1],[2],[4],[8]]},"mask":{"key_padding":[1,1,1,1]}"#,
    );
    let right = solve(&problem).unwrap();
    let flash = stepped(&problem, 2, 2);
    assert!(close(&flash.output, of(&right, Part::Output, 0)));
    let v = of(&right, Part::V, 0);
    let wrong = |rescales: bool, own_maximum: bool| {
        Matrix::from_fn(2, 1, |row, _| {
            let (mut m, mut l, mut o) = (f64::NEG_INFINITY, 0.0, 0.0);
            for block in &flash.heads[0].blocks {
                let largest = block.scores.row(row).max();
                let m_new = if own_maximum { largest } else { m.max(largest) };
                let factor = if rescales { (m - m_new).exp() } else { 1.0 };
                (l, o) = (l * factor, o * factor);
                for (key, &score) in block.scores.row(row).iter().enumerate() {
                    let exp = (score - m_new).exp();
                    l += exp;
                    o += exp * v[(block.keys.start + key, 0)];
                }
                m = m_new;
            }
            o / l
        })
    };
    assert!(close(&wrong(true, false), of(&right, Part::Output, 0)), "this one is right");
    assert!(!close(&wrong(false, false), of(&right, Part::Output, 0)), "nothing was rescaled");
    assert!(!close(&wrong(false, true), of(&right, Part::Output, 0)), "each block under its own maximum");
    assert!(!close(&Matrix::from_element(2, 1, f64::NAN), of(&right, Part::Output, 0)));
}

#[test]
fn blocks_larger_than_the_problem_are_one_block() {
    let problem = read(r#""inputs":{"q":[[1],[2]],"k":[[1],[2],[3]],"v":[[1],[2],[3]]}"#);
    let flash = stepped(&problem, 100, usize::MAX);
    assert_eq!(flash.heads[0].blocks.len(), 1);
    assert_eq!((&flash.heads[0].blocks[0].rows, &flash.heads[0].blocks[0].keys), (&(0..2), &(0..3)));
}

#[test]
fn a_sink_may_exceed_the_maximum_and_may_stand_alone() {
    let loud = read(r#""sink":[900],"scale":"none","inputs":{"q":[[1]],"k":[[1],[899]],"v":[[3],[5]]}"#);
    let found = stepped(&loud, 1, 1);
    assert!(close(&found.output, of(&solve(&loud).unwrap(), Part::Output, 0)));
    let sink = found.heads[0].sink.as_ref().unwrap();
    assert_eq!((sink.m_before[0], sink.m[0], sink.rescale[0]), (899.0, 900.0, (-1f64).exp()));
    let alone = read(r#""sink":[2],"mask":{"key_padding":[0]},"inputs":{"q":[[1]],"k":[[1]],"v":[[3]]}"#);
    let found = stepped(&alone, 1, 1);
    let sink = found.heads[0].sink.as_ref().unwrap();
    assert_eq!((sink.m[0], sink.rescale[0], sink.l[0], found.output[(0, 0)]), (2.0, 0.0, 1.0, 0.0));
}

#[test]
fn nothing_visible_stays_minus_infinity_and_gives_zero() {
    let problem = read(r#""mask":{"key_padding":[0,0]},"inputs":{"q":[[1]],"k":[[1],[2]],"v":[[3],[4]]}"#);
    let found = stepped(&problem, 1, 1);
    for block in &found.heads[0].blocks {
        assert_eq!((block.m[0], block.rescale[0], block.l[0], block.o[(0, 0)]), (f64::NEG_INFINITY, 1.0, 0.0, 0.0));
    }
    assert_eq!(found.output[(0, 0)], 0.0);
}

#[test]
fn what_a_hidden_row_of_v_holds_never_arrives() {
    let mut problem = read(r#""mask":{"key_padding":[1,0]},"inputs":{"q":[[1]],"k":[[1],[2]],"v":[[3],[4]]}"#);
    let attnlab::attention::Inputs::Direct { v, .. } = &mut problem.inputs else { panic!("the text gives v") };
    v[(1, 0)] = f64::NAN;
    assert_eq!(stepped(&problem, 1, 1).output[(0, 0)], 3.0);
}

#[test]
fn what_cannot_be_stepped_is_refused_with_its_reason() {
    let inputs = r#""inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}"#;
    let errors = |problem: &Problem, rows, keys| -> Vec<String> {
        flash(problem, rows, keys)
            .unwrap_err()
            .iter()
            .map(|error| format!("{} {}", error.place, error.kind.key()))
            .collect()
    };
    assert_eq!(errors(&read(inputs), 0, 0), ["rows out-of-range", "keys out-of-range"]);
    for kind in [r#""linear","feature_map":"elu_plus_one""#, r#""sum""#] {
        let problem = read(&format!(r#""normalise":{{"kind":{kind}}},{inputs}"#));
        assert_eq!(errors(&problem, 1, 1), ["normalise no-exponentials"]);
    }
    for how in ["after_softmax", "after_softmax_renormalised"] {
        let problem = read(&format!(r#""mask_applied":"{how}",{inputs}"#));
        assert_eq!(errors(&problem, 1, 1), ["mask_applied no-row-of-weights"]);
    }
    // 512 by 512 in blocks of one pair, with a wide v: too much to hold.
    let rows = |width: usize| (0..512).map(|_| vec![0.0; width]).collect::<Vec<_>>();
    let text = serde_json::json!({"format": "attnlab/1", "inputs": {"q": rows(1), "k": rows(1), "v": rows(512)}});
    let large = Problem::from_json(&text.to_string()).unwrap();
    assert_eq!(errors(&large, 512, 1), ["rows, keys out-of-range"]);
    assert!(flash(&large, 512, 64).is_ok());
    // o is not divided yet: ten times 1e308 is too much, though their mean is not.
    let values = ["[1e308]"; 10].join(",");
    let zeros = ["[0]"; 10].join(",");
    let tall = read(&format!(r#""inputs":{{"q":[[0]],"k":[{zeros}],"v":[{values}]}}"#));
    assert_eq!(errors(&tall, 1, 2), ["o/0 overflow"]);
}

#[test]
fn numbers_moved_are_those_of_the_paper() {
    assert_eq!(numbers_moved(1024, 1024, 64, 64, 64), NumbersMoved { plain: 4_456_448, blocks: 2_228_224 });
    // Blocks as large as n read everything once.
    assert_eq!(numbers_moved(1024, 1024, 64, 64, 1024).blocks, 4 * 1024 * 64);
    // Five rows in blocks of two are three blocks, each of which reads five keys: 5 · 2 + 3 · 5 · 2.
    assert_eq!(numbers_moved(5, 5, 1, 1, 2).blocks, 40);
    let heads = read(r#""heads":{"query":2,"key_value":1},"inputs":{"q":[[1,2],[3,4]],"k":[[1],[2]],"v":[[1],[2]]}"#);
    assert_eq!(stepped(&heads, 1, 1).numbers_moved, numbers_moved(2, 2, 1, 1, 1).times(2));
}

/// Numbers that NumPy made block by block from the papers: `tests/golden/flash.py`.
#[test]
fn an_independent_judge_agrees_on_every_block() {
    let mut cases: Vec<Value> = serde_json::from_str(include_str!("golden/flash.json")).unwrap();
    assert_eq!(cases.len(), 3);
    for case in &mut cases {
        assert!(agrees(case), "{}", case["problem"]["title"]);
        for (at, key) in [(0, "m"), (1, "rescale"), (2, "l")] {
            let value = case["blocks"][at][key][0].clone();
            case["blocks"][at][key][0] = serde_json::json!(value.as_f64().unwrap_or(0.0) + 1e-9);
            assert!(!agrees(case), "a changed {key} goes unseen");
            case["blocks"][at][key][0] = value;
        }
        case["output"][0][0] = serde_json::json!(case["output"][0][0].as_f64().unwrap() + 1e-9);
        assert!(!agrees(case), "a changed output goes unseen");
    }
}

fn agrees(case: &Value) -> bool {
    let problem = Problem::from_json(&case["problem"].to_string()).unwrap();
    let size = |key: &str| case[key].as_u64().unwrap() as usize;
    let found: Value = serde_json::from_str(&stepped(&problem, size("rows"), size("keys")).to_json()).unwrap();
    let blocks = found["heads"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .flat_map(|(head, of)| of["blocks"].as_array().unwrap().iter().map(move |block| (head, block)));
    let expected = case["blocks"].as_array().unwrap();
    let is_same = |((head, block), expected): ((usize, &Value), &Value)| {
        expected["head"] == head
            && ["rows", "keys", "m", "rescale", "l", "o"].iter().all(|&key| same(&block[key], &expected[key]))
    };
    blocks.clone().count() == expected.len()
        && blocks.zip(expected).all(is_same)
        && same(&found["output"], &case["output"])
}

/// Numbers within 1e-12, texts as they are, lists item by item.
fn same(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| same(found, expected))
        }
        (Value::Number(found), Value::Number(expected)) => {
            let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
            (found - expected).abs() <= 1e-12 * expected.abs().max(1.0)
        }
        (found, expected) => found == expected,
    }
}
