//! Passes in jobs: every visible pair in exactly one of them, and in any order the same result.

use attnlab::attention::SplitMix64;
use attnlab::long::generate::{Kind, generate};
use attnlab::long::{Asked, Attended, Cpu, Engine, Job, LongError, Packed, Partial, Pass, Pool, Progress, Rule, Tile};

use super::compare::compare;
use super::plain::Plain;
use super::{CAUSAL, WINDOW, rules, usual};

fn shuffled(mut jobs: Vec<Job>, random: &mut SplitMix64) -> Vec<Job> {
    for last in (1..jobs.len()).rev() {
        jobs.swap(last, random.next() as usize % (last + 1));
    }
    jobs
}

#[test]
fn in_any_order_the_parts_are_the_whole() {
    let mut random = SplitMix64(11);
    for (n, d, factor) in [(1, 1, 1.0), (129, 5, 1.0), (700, 31, 1.0), (700, 8, 1e4)] {
        let generated = generate(Kind::Random, n, d, 4);
        for rule in rules(n) {
            let asked = Asked::with_scale(generated.sequence().unwrap(), rule, usual(d) * factor).unwrap();
            for (rows, keys) in [(64, 64), (192, 128), (1024, 4096)] {
                let mut pass = Pass::with_sizes(&asked, rows, keys).unwrap();
                for job in shuffled(pass.jobs().collect(), &mut random) {
                    pass.merge(&job, &job.attend(&asked)).unwrap();
                }
                let verdict = compare(&asked, &pass.finish().unwrap());
                assert!(verdict.is_ok(), "n = {n}, d = {d}, {rule:?}, {rows} × {keys}: {verdict:?}");
            }
        }
    }
}

#[test]
fn every_visible_pair_is_in_one_job() {
    for n in [1, 64, 65, 300] {
        let generated = generate(Kind::Random, n, 1, 4);
        for rule in rules(n).into_iter().chain([Rule { left: Some(5), right: Some(5), ..CAUSAL }, WINDOW]) {
            let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
            let mut pass = Pass::with_sizes(&asked, 64, 128).unwrap();
            let sees = |row: usize, key: usize| rule.sees(row, key, n);
            let mut times = vec![0; n * n];
            let mut done = 0;
            for job in pass.jobs().collect::<Vec<_>>() {
                let before = done;
                for row in job.rows.clone() {
                    for key in job.keys.clone() {
                        times[row * n + key] += 1;
                        done += u64::from(sees(row, key));
                    }
                }
                assert!(done > before, "{rule:?}: {job:?} is wholly hidden");
                pass.merge(&job, &job.attend(&asked)).unwrap();
                assert_eq!(pass.progress().done, done);
            }
            let all = (0..n * n).filter(|&at| sees(at / n, at % n));
            assert!(all.clone().all(|at| times[at] == 1), "{rule:?}");
            assert!(times.iter().all(|&times| times <= 1), "{rule:?}");
            let all = all.count() as u64;
            assert_eq!(pass.progress(), Progress { done: all, all });
            assert_eq!(pass.jobs().count(), 0);
        }
    }
}

#[test]
fn a_job_counts_once_and_none_may_be_missing() {
    let generated = generate(Kind::Random, 200, 3, 4);
    let asked = Asked::new(generated.sequence().unwrap(), CAUSAL).unwrap();
    let mut pass = Pass::with_sizes(&asked, 64, 64).unwrap();
    let jobs: Vec<Job> = pass.jobs().collect();
    let part = jobs[0].attend(&asked);
    pass.merge(&jobs[0], &part).unwrap();
    let state = pass.so_far(0..200).unwrap();

    let hidden = Job { rows: 0..64, keys: 64..128 };
    let uneven = Job { rows: 64..100, keys: 0..64 };
    let outside = Job { rows: 256..320, keys: 0..64 };
    for job in [&jobs[0], &hidden, &uneven, &outside] {
        let refused = pass.merge(job, &part);
        assert!(matches!(refused, Err(LongError::NotAJob { .. })), "{job:?}: {refused:?}");
    }
    for wrong in [
        Partial { output: vec![0.0; 64], ..part.clone() },
        Partial { maximum: vec![0.0; 63], ..part.clone() },
        Partial { sum: vec![], ..part.clone() },
    ] {
        assert!(matches!(pass.merge(&jobs[1], &wrong), Err(LongError::Length { .. })));
    }
    let mut wrong = part.clone();
    wrong.sum[0] = f32::NAN;
    assert!(matches!(pass.merge(&jobs[1], &wrong), Err(LongError::NotFinite { place: "the sums of a job", .. })));
    assert_eq!(pass.so_far(0..200).unwrap(), state, "what was refused has changed something");
    assert_eq!(pass.clone().finish().unwrap_err().to_string(), format!("{} jobs are still to be done", jobs.len() - 1));
    for job in &jobs[1..] {
        pass.merge(job, &job.attend(&asked)).unwrap();
    }
    pass.finish().unwrap();

    assert!(matches!(Pass::with_sizes(&asked, 100, 64), Err(LongError::JobSize { place: "rows", .. })));
    assert!(matches!(Pass::with_sizes(&asked, 64, 0), Err(LongError::JobSize { place: "keys", .. })));
}

/// While a pass runs, what is shown is attention over the keys seen so far.
#[test]
fn a_pass_on_its_way_is_attention_over_what_was_seen() {
    let generated = generate(Kind::Random, 300, 7, 4);
    let asked = |rule| Asked::new(generated.sequence().unwrap(), rule).unwrap();
    let all = asked(Rule::default());
    let mut pass = Pass::with_sizes(&all, 64, 128).unwrap();
    let nothing = pass.so_far(10..20).unwrap();
    assert_eq!(nothing, Attended { output: vec![0.0; 70], maximum: vec![f32::NEG_INFINITY; 10], sum: vec![0.0; 10] });
    for job in pass.jobs().filter(|job| job.keys.end <= 128).collect::<Vec<_>>() {
        pass.merge(&job, &job.attend(&all)).unwrap();
    }
    compare(&asked(Rule { real: Some(128), ..Rule::default() }), &pass.so_far(0..300).unwrap()).unwrap();
    assert!(matches!(pass.so_far(200..301), Err(LongError::Range { .. })));
}

#[test]
fn a_slice_serves_many_rows_and_knows_its_place() {
    let generated = generate(Kind::Random, 300, 7, 4);
    let asked = Asked::new(generated.sequence().unwrap(), WINDOW).unwrap();
    let slice = asked.slice(128..256);
    assert_eq!((slice.keys(), slice.d()), (128..256, 7));
    for rows in [64..128, 128..300] {
        let job = Job { rows: rows.clone(), keys: 128..256 };
        assert_eq!(slice.attend(&asked.queries(rows)), job.attend(&asked));
    }
}

/// To the last bit: what a row gives does not depend on who computes it.
#[test]
fn the_number_of_threads_changes_nothing() {
    let generated = generate(Kind::Random, 1100, 20, 4);
    for rule in rules(1100) {
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        let packed = Packed::new(&asked);
        let one = packed.attend_all(1);
        for threads in [2, 3, 16] {
            assert_eq!(packed.attend_all(threads), one, "{rule:?}, {threads} threads");
        }
        assert_eq!(packed.attend(0..1100).unwrap(), one);
        assert_eq!(Cpu.attend(&asked).unwrap(), one);
    }
}

/// Tiles are cut into bands for threads: at pixels, wherever their edges fall.
#[test]
fn a_tile_of_many_bands_is_pooled_rightly() {
    let n = 700;
    let generated = generate(Kind::Random, n, 4, 4);
    let asked = Asked::new(generated.sequence().unwrap(), CAUSAL).unwrap();
    let (attended, plain) = (Cpu.attend(&asked).unwrap(), Plain::new(&asked));
    for (height, width) in [(1, 1), (9, 7), (699, 3)] {
        let tile = Tile { rows: 1..n, keys: 0..n, height, width, pool: Pool::Sum, of: attnlab::long::Of::Weights };
        let pixels = Cpu.tile(&asked, &attended, &tile).unwrap();
        for row in 0..height {
            let sum: f64 = pixels[row * width..][..width].iter().map(|&x| f64::from(x)).sum();
            let rows = attnlab::long::cells(&tile.rows, row, height).len() as f64;
            // Each row of weights sums to 1.
            assert!((sum - rows).abs() <= plain.allowed() * rows, "{height} × {width}: {sum}, expected {rows}");
        }
    }
}
