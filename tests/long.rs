//! Long sequences: the engine against plain f64, at every edge of its blocks; what it may show of n×n; what it refuses.

#[path = "long/compare.rs"]
mod compare;
#[path = "long/desks.rs"]
mod desks;
#[path = "long/generated.rs"]
mod generated;
#[path = "long/given.rs"]
mod given;
#[path = "long/passes.rs"]
mod passes;
#[path = "long/pieces.rs"]
mod pieces;
#[path = "long/plain.rs"]
mod plain;
#[path = "long/tiles.rs"]
mod tiles;
#[path = "long/usual.rs"]
mod usual;
#[path = "long/wrong.rs"]
mod wrong;

use attnlab::attention::SplitMix64;
use attnlab::long::generate::Generated;
use attnlab::long::{Asked, Cpu, Engine, LongError, Packed, Rule, Sequence};
use compare::{compare, largest_error};
use plain::Plain;
use usual::{CAUSAL, WINDOW, random, rules, usual};

pub const WIDTHS: [usize; 8] = [1, 2, 3, 31, 64, 65, 128, 256];

fn holds(generated: &Generated, rule: Rule, scale: f32) {
    let asked = Asked::with_scale(generated.sequence().unwrap(), rule, scale).unwrap();
    let attended = Cpu.attend(&asked).unwrap();
    if let Err(wrong) = compare(&asked, &attended) {
        panic!("n = {}, d = {}, {rule:?}: {wrong}", generated.n, generated.d);
    }
}

#[test]
fn every_edge_of_a_block_at_every_width() {
    for n in [1, 2, 63, 64, 65, 127, 128, 129, 257] {
        for d in WIDTHS {
            for rule in rules(n) {
                holds(&random(n, d), rule, usual(d));
            }
        }
    }
}

#[test]
fn a_thousand_tokens() {
    for n in [1023, 1024, 1025] {
        for (d, rule) in [(1, CAUSAL), (3, Rule::default()), (31, WINDOW), (64, CAUSAL)] {
            holds(&random(n, d), rule, usual(d));
        }
    }
    holds(&random(1025, 256), CAUSAL, usual(256));
    for rule in rules(1025) {
        holds(&random(1025, 8), rule, usual(8));
    }
}

#[test]
fn two_thousand_tokens() {
    for (d, rule) in [(2, Rule::default()), (64, WINDOW), (31, CAUSAL)] {
        holds(&random(2049, d), rule, usual(d));
    }
}

#[test]
fn scores_of_ten_thousand() {
    for (n, d) in [(65, 1), (129, 64), (257, 128)] {
        let generated = random(n, d);
        for factor in [1e4, -1e4] {
            let asked = Asked::with_scale(generated.sequence().unwrap(), Rule::default(), 1.0).unwrap();
            let scale = factor / Plain::new(&asked).largest_score as f32;
            for rule in rules(n) {
                holds(&generated, rule, scale);
            }
        }
    }
}

#[test]
fn a_row_that_sees_nothing_is_zero() {
    let generated = random(130, 5);
    let rule = Rule { left: Some(10), real: Some(60), ..Rule::default() };
    let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
    let attended = Cpu.attend(&asked).unwrap();
    for row in 0..130 {
        let is_empty = row >= 70;
        assert_eq!(attended.sum[row] == 0.0, is_empty, "row {row}");
        assert_eq!(attended.maximum[row] == f32::NEG_INFINITY, is_empty, "row {row}");
        assert_eq!(attended.output[row * 5..][..5].iter().all(|&x| x == 0.0), is_empty, "row {row}");
        assert!(!is_empty || attended.weight(&asked, row, 0) == Some(0.0));
    }
}

/// Rules are the problem format's, as the workbench's own mask has them.
#[test]
fn a_rule_hides_what_the_workbench_hides() {
    let text = |window: &str| {
        let rows = "[0],[0],[0],[0],[0],[0],[0]";
        format!(
            r#"{{"format":"attnlab/1","inputs":{{"q":[{rows}],"k":[{rows}],"v":[{rows}]}},
            "mask":{{"causal":"lower_right","window":{window},"key_padding":[1,1,1,1,1,0,0]}}}}"#
        )
    };
    for (window, left, right) in [
        (r#"{"left":2,"right":0}"#, Some(2), Some(0)),
        (r#"{"left":1}"#, Some(1), None),
        (r#"{"right":1}"#, None, Some(1)),
        (r#"{"left":0,"right":3}"#, Some(0), Some(3)),
    ] {
        let problem = attnlab::attention::Problem::from_json(&text(window)).unwrap();
        let rule = Rule { causal: true, left, right, real: Some(5) };
        let expected = attnlab::attention::applied(&problem);
        for row in 0..7 {
            for key in 0..7 {
                assert_eq!(rule.sees(row, key, 7), expected[(row, key)], "{window}, {row}, {key}");
            }
        }
    }
}

#[test]
fn jobs_of_any_size_give_the_same() {
    let generated = random(200, 9);
    for rule in rules(200) {
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        let whole = Plain::new(&asked);
        let packed = Packed::new(&asked);
        for size in [1, 7, 64, 130] {
            let mut output = Vec::new();
            for first in (0..200).step_by(size) {
                output.extend(packed.attend(first..200.min(first + size)).unwrap().output);
            }
            assert!(largest_error(&output, &whole.output) <= 1e-5, "{rule:?}, {size}");
        }
        assert!(matches!(packed.attend(5..5), Err(LongError::Range { .. })));
        assert!(matches!(packed.attend(5..201), Err(LongError::Range { .. })));
    }
}

#[test]
fn what_cannot_be_asked_is_said() {
    let numbers = [0.5_f32; 6];
    let refused = |n, d, q: &[f32]| Sequence::new(n, d, q, &numbers, &numbers).unwrap_err().to_string();
    assert_eq!(refused(0, 2, &[]), "a sequence needs at least one token");
    assert_eq!(refused(3, 0, &[]), "the width is 0, expected 1 to 256");
    assert_eq!(refused(1, 257, &[]), "the width is 257, expected 1 to 256");
    assert_eq!(refused(3, 2, &numbers[..5]), "q has 5 numbers, expected 6");
    assert_eq!(refused(usize::MAX, 2, &numbers), format!("q has 6 numbers, expected {}", usize::MAX));
    let bad = [0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0];
    assert_eq!(refused(3, 2, &bad), "q[1][1] is NaN, expected a finite number of 32 bits");

    let sequence = Sequence::new(3, 2, &numbers, &numbers, &numbers).unwrap();
    let scaled = |scale| Asked::with_scale(sequence, Rule::default(), scale).map(|_| ());
    assert!(matches!(scaled(f32::INFINITY), Err(LongError::Scale { .. })));
    assert!(matches!(scaled(f32::MAX), Err(LongError::Overflow { place: "a score", .. })));
    let large = [1e38_f32; 6];
    let asked = |q, v| Asked::new(Sequence::new(3, 2, q, &numbers, v).unwrap(), Rule::default()).map(|_| ());
    assert!(matches!(asked(&large, &numbers), Err(LongError::Overflow { place: "a score", .. })));
    assert!(matches!(asked(&numbers, &large), Err(LongError::Overflow { place: "a sum of values", .. })));
}

/// Whatever is accepted gives numbers, never NaN.
#[test]
fn extremes_never_give_nan() {
    let mut random = SplitMix64(3);
    for _ in 0..200 {
        let (n, d) = (1 + random.next() as usize % 90, 1 + random.next() as usize % 9);
        let mut wild = || -> Vec<f32> {
            let one = |_| (random.normal() * 10_f64.powf(random.uniform() * 60.0 - 42.0)) as f32;
            (0..n * d).map(one).collect()
        };
        let (q, k, v) = (wild(), wild(), wild());
        for rule in rules(n) {
            let asked = Asked::new(Sequence::new(n, d, &q, &k, &v).unwrap(), rule).unwrap();
            let attended = Cpu.attend(&asked).unwrap();
            assert!(attended.output.iter().chain(&attended.sum).all(|x| x.is_finite()));
            assert!((0..n).all(|key| (0.0..=1.0).contains(&attended.weight(&asked, n - 1, key).unwrap())));
        }
    }
}

/// What the naive way is timed with is attention.
#[test]
fn the_naive_way_gives_the_same() {
    for (n, d) in [(1, 1), (70, 5), (130, 64)] {
        let generated = random(n, d);
        let asked = Asked::new(generated.sequence().unwrap(), Rule::default()).unwrap();
        let output = attnlab_kernel::naive(n, d, &generated.q, &generated.k, &generated.v, usual(d)).unwrap();
        assert!(largest_error(&output, &Plain::new(&asked).output) <= 1e-5);
    }
    assert_eq!(attnlab_kernel::naive(usize::MAX, 1, &[], &[], &[], 1.0), None);
}
