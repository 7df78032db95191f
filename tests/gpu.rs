//! Long sequences on a graphics processor against plain f64. Where there is none the tests fail: Debian's
//! `mesa-vulkan-drivers` has one in software, which `cargo xtask test` sets up.

#[path = "long/compare.rs"]
mod compare;
#[path = "long/plain.rs"]
mod plain;
#[path = "long/usual.rs"]
mod usual;

use attnlab::long::generate::{Generated, Kind, generate};
use attnlab::long::gpu::{Clock, Family, Gpu, GpuError, GpuHands, Texts, Trial, Whole, prepare};
use attnlab::long::{
    Asked, Attended, Cpu, Desk, Done, Engine, Hands, Job, LongError, Of, Pool, Rule, Sequence, Setting, Standing, Tile,
    Work, cells,
};
use compare::compare;
use plain::{Plain, scaled};
use std::time::Instant;
use usual::{CAUSAL, WINDOW, random, rules, usual};

fn gpu() -> Gpu {
    pollster::block_on(Gpu::request(Texts::default())).expect("a graphics processor, if only in software")
}

fn holds(gpu: &Gpu, generated: &Generated, rule: Rule, scale: f32) {
    let asked = Asked::with_scale(generated.sequence().unwrap(), rule, scale).unwrap();
    for family in gpu.families(generated.d) {
        let attended = Engine::attend(&Whole { gpu, family }, &asked).unwrap();
        if let Err(wrong) = compare(&asked, &attended) {
            panic!("n = {}, d = {}, {rule:?}, {family:?}: {wrong}", generated.n, generated.d);
        }
    }
}

#[test]
fn every_edge_of_a_block_at_every_width() {
    let gpu = gpu();
    for d in [1, 2, 3, 31, 64, 65, 128, 256] {
        for n in [1, 2, 31, 32, 33, 63, 64, 65, 129] {
            for rule in rules(n) {
                holds(&gpu, &random(n, d), rule, usual(d));
            }
        }
    }
}

#[test]
fn thousands_of_tokens() {
    let gpu = gpu();
    for (n, d, rule) in [
        (1023, 64, CAUSAL),
        (1024, 3, Rule::default()),
        (1025, 31, WINDOW),
        (1025, 256, CAUSAL),
        (2049, 2, Rule::default()),
        (2049, 64, WINDOW),
    ] {
        holds(&gpu, &random(n, d), rule, usual(d));
    }
}

#[test]
fn scores_of_ten_thousand() {
    let gpu = gpu();
    for (n, d) in [(65, 1), (129, 64), (257, 128)] {
        let generated = random(n, d);
        for factor in [1e4, -1e4] {
            let asked = Asked::with_scale(generated.sequence().unwrap(), Rule::default(), 1.0).unwrap();
            let scale = factor / Plain::new(&asked).largest_score as f32;
            for rule in rules(n) {
                holds(&gpu, &generated, rule, scale);
            }
        }
    }
}

/// A sequence goes in steps of any size, and the last one leaves what one step would have.
#[test]
fn steps_of_any_size_give_the_same() {
    let generated = random(200, 9);
    for rule in rules(200) {
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        for (rows, keys) in [(64, 64), (200, 64), (128, 192), (7, 5)] {
            let attended = in_steps(&asked, rows, keys);
            if let Err(wrong) = compare(&asked, &attended) {
                panic!("{rule:?}, steps of {rows} × {keys}: {wrong}");
            }
        }
    }
}

/// By way of the hands that the page has.
fn in_steps(asked: &Asked, rows: usize, keys: usize) -> Attended {
    let (n, d) = (asked.sequence().n(), asked.sequence().d());
    let trial = Trial { d, family: Family::ALL[1], pairs: (1.0, 1.0), difference: 0.0, peak: 1.0 };
    let mut hands = GpuHands::new(gpu(), trial, || ());
    hands.hold(asked).unwrap();
    let mut id = 0;
    for first_key in (0..n).step_by(keys) {
        for first_row in (0..n).step_by(rows) {
            id += 1;
            let job = Job { rows: first_row..n.min(first_row + rows), keys: first_key..n.min(first_key + keys) };
            hands.give(0, id, Work::Step(job));
        }
    }
    hands.give(0, id + 1, Work::Output(0..n));
    let (mut last, mut came) = (None, 0);
    while came <= id {
        assert_eq!(hands.lost(), None);
        for (_, which, outcome) in hands.take() {
            came += 1;
            assert_eq!(which, came, "work is done in its order");
            last = Some(outcome.unwrap());
        }
    }
    let Some(Done::Rows(mut all)) = last else { panic!("rows") };
    all.divide();
    all.into()
}

/// Every pixel of any tile against f64, for weights and for scores.
#[test]
fn a_pixel_is_what_its_cells_say() {
    let gpu = gpu();
    let (n, d) = (300, 6);
    let generated = random(n, d);
    let whole = Whole { gpu: &gpu, family: Family::ALL[1] };
    let tiles = [
        (0..300, 0..300, 300, 300),
        (10..290, 3..299, 40, 37),
        (0..300, 0..300, 3, 4),
        (17..18, 0..300, 1, 100),
        (100..300, 299..300, 9, 1),
        (5..165, 20..180, 1, 1),
    ];
    for rule in rules(n) {
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        let attended = Cpu.attend(&asked).unwrap();
        let plain = Plain::new(&asked);
        let mut weights = vec![0.0; n * n];
        let mut scores = vec![0.0; n * n];
        let all = Asked::new(generated.sequence().unwrap(), Rule::default()).unwrap();
        for row in 0..n {
            for (key, scaled) in scaled(&asked, row) {
                weights[row * n + key] = (scaled - plain.maximum[row]).exp() / plain.sum[row];
            }
            for (key, scaled) in scaled(&all, row) {
                scores[row * n + key] = scaled;
            }
        }
        for (rows, keys, height, width) in tiles.clone() {
            for of in [Of::Weights, Of::Scaled, Of::Scores] {
                for pool in [Pool::Max, Pool::Mean, Pool::Sum] {
                    let tile = Tile { rows: rows.clone(), keys: keys.clone(), height, width, pool, of };
                    let pixels = Engine::tile(&whole, &asked, &attended, &tile).unwrap();
                    let numbers = if of == Of::Weights { &weights } else { &scores };
                    let factor = if of == Of::Scores { 1.0 / f64::from(asked.scale()) } else { 1.0 };
                    for (at, &pixel) in pixels.iter().enumerate() {
                        let expected = factor * pooled(numbers, n, &tile, at);
                        let cells = (rows.len() * keys.len()) as f64 / (height * width) as f64;
                        let allowed = 1e-5 * if pool == Pool::Sum { cells.max(1.0) } else { 1.0 };
                        let difference = (f64::from(pixel) - expected).abs();
                        assert!(difference <= allowed, "{tile:?}, {rule:?}, pixel {at}: {pixel}, expected {expected}");
                    }
                }
            }
        }
    }
}

fn pooled(numbers: &[f64], n: usize, tile: &Tile, at: usize) -> f64 {
    let (rows, keys) =
        (cells(&tile.rows, at / tile.width, tile.height), cells(&tile.keys, at % tile.width, tile.width));
    let count = (rows.len() * keys.len()) as f64;
    let below = rows.flat_map(|row| &numbers[row * n..][keys.clone()]);
    match tile.pool {
        Pool::Max => below.fold(f64::NEG_INFINITY, |most, &x| most.max(x)),
        Pool::Sum => below.sum(),
        Pool::Mean => below.sum::<f64>() / count,
    }
}

/// Pooling twice by two is pooling by four: exactly for the maximum.
#[test]
fn coarser_pixels_are_made_of_finer_ones() {
    let gpu = gpu();
    let generated = random(256, 33);
    let asked = Asked::new(generated.sequence().unwrap(), CAUSAL).unwrap();
    let whole = Whole { gpu: &gpu, family: Family::ALL[1] };
    let attended = Engine::attend(&whole, &asked).unwrap();
    let of = |pixels: usize, pool| {
        let tile = Tile { rows: 0..256, keys: 0..256, height: pixels, width: pixels, pool, of: Of::Weights };
        Engine::tile(&whole, &asked, &attended, &tile).unwrap()
    };
    let by_two = |pixels: &[f32], side: usize, both: fn(f32, f32) -> f32| -> Vec<f32> {
        let half = side / 2;
        let pixel = |at: usize| {
            let first = at / half * 2 * side + at % half * 2;
            both(both(pixels[first], pixels[first + 1]), both(pixels[first + side], pixels[first + side + 1]))
        };
        (0..half * half).map(pixel).collect()
    };
    // Pixels of 2, 4 and so on up to 64 cells: each way in which the shader makes them.
    let (mut largest, mut sums) = (of(256, Pool::Max), of(256, Pool::Sum));
    for side in [128, 64, 32, 16, 8, 4] {
        largest = by_two(&largest, side * 2, f32::max);
        sums = by_two(&sums, side * 2, |a, b| a + b);
        assert_eq!(of(side, Pool::Max), largest, "maxima of {side}");
        for (found, expected) in of(side, Pool::Sum).iter().zip(&sums) {
            assert!((found - expected).abs() <= 1e-5 * expected.max(1.0), "sums of {side}: {found}, {expected}");
        }
    }
}

fn clock() -> Box<Clock> {
    let start = Instant::now();
    Box::new(move || start.elapsed().as_secs_f64() * 1000.0)
}

#[test]
fn a_processor_is_tried_and_tested_at_its_start() {
    let gpu = gpu();
    for d in [1, 64, 256] {
        let trial = pollster::block_on(prepare(&gpu, d, &*clock())).unwrap();
        assert!(trial.difference <= 1e-5, "{trial:?}");
        assert!(trial.pairs.0 > 0.0 && trial.pairs.1 > 0.0, "{trial:?}");
        // No kernel is faster than a processor that only multiplies and adds.
        let kernel = trial.pairs.0 * 1000.0 * 4.0 * d as f64;
        assert!(kernel < trial.peak, "{trial:?}");
        let sizes = trial.sizes(65_536);
        assert!(sizes.step.0.is_multiple_of(64) && sizes.step.1.is_multiple_of(64) && sizes.step.1 > 0, "{sizes:?}");
    }
}

/// Each of these shaders is wrong in one place, and none of them is trusted.
#[test]
fn a_wrong_kernel_does_not_pass_its_test() {
    let Texts { attend, tile } = Texts::default();
    let wrong = |text: &'static str, right: &str, wrong: &str| -> &'static str {
        assert_eq!(text.matches(right).count(), 1, "{right}");
        text.replace(right, wrong).leak()
    };
    let attends = [
        ("(j < last)", "(j <= last)"),
        ("(j >= first)", "(j > first)"),
        ("output$i_$c *= shrink$i;", ""),
        ("fma(found[line].y, shrinks, in_block)", "found[line].y + in_block"),
        ("maximum = max(maximum, shares[start + j])", "maximum = 0.0"),
        ("* asked.scale", ""),
        ("fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum)))", "fma(a.z, b.z, fma(a.x, b.x, sum))"),
    ];
    let tiles = [
        ("key + $ju < end$i", "key + $ju <= end$i"),
        ("key + $ju < last", "key + $ju <= last"),
        ("row + $iu < bottom", "row + $iu <= bottom"),
        ("exp(min(score$i_$j - of$i.x, 0.0)) / of$i.y", "exp(min(score$i_$j - of$i.x, 0.0))"),
        ("side.start + pixel * side.cells / side.pixels", "side.start + pixel * (side.cells / side.pixels)"),
        ("other < SIDE * SIDE", "other < SIDE"),
    ];
    let all = attends.map(|(from, to)| Texts { attend: wrong(attend, from, to), tile });
    let all = all.into_iter().chain(tiles.map(|(from, to)| Texts { attend, tile: wrong(tile, from, to) }));
    for (number, texts) in all.enumerate() {
        let gpu = pollster::block_on(Gpu::request(texts)).unwrap();
        let outcome = pollster::block_on(prepare(&gpu, 12, &*clock()));
        assert!(matches!(outcome, Err(GpuError::Wrong { .. })), "wrong text {number}: {outcome:?}");
    }
    // What does not compile is no reason to stop.
    let gpu = pollster::block_on(Gpu::request(Texts { attend: "nothing", tile })).unwrap();
    assert!(pollster::block_on(prepare(&gpu, 12, &*clock())).is_err());
}

#[test]
fn a_lost_processor_says_so() {
    let gpu = gpu();
    let generated = random(100, 8);
    let asked = Asked::new(generated.sequence().unwrap(), CAUSAL).unwrap();
    let whole = Whole { gpu: &gpu, family: Family::ALL[1] };
    assert!(Engine::attend(&whole, &asked).is_ok());
    gpu.destroy();
    let error = Engine::attend(&whole, &asked).unwrap_err();
    assert!(matches!(&error, LongError::Failed { why } if why.contains("lost")), "{error}");
    assert!(gpu.lost().is_some());
}

#[test]
fn a_sequence_that_is_too_long_is_refused_by_name() {
    let gpu = gpu();
    let most = gpu.most_tokens(1);
    println!("{most} tokens");
    let numbers = vec![0.0; most + 1];
    let asked = Asked::new(Sequence::new(most + 1, 1, &numbers, &numbers, &numbers).unwrap(), CAUSAL).unwrap();
    let error = Engine::attend(&Whole { gpu: &gpu, family: Family::ALL[1] }, &asked).unwrap_err();
    assert_eq!(error, LongError::TooLong { found: most + 1, most });
}

/// The way of the page: the desk hands steps and pieces out, and shows the same as with the processor's own hands.
#[test]
fn the_desk_shows_the_same_as_with_the_processor() {
    let (n, d) = (3000, 16);
    let kind = Kind::Induction { period: 700 };
    for rule in [CAUSAL, WINDOW] {
        let tiles: Vec<Tile> = [(0..3000, Of::Weights), (1000..1400, Of::Weights), (0..3000, Of::Scaled)]
            .into_iter()
            .map(|(rows, of)| Tile { keys: 100..2900, height: 50, width: 56, rows, pool: Pool::Max, of })
            .collect();
        let gpu = gpu();
        let trial = pollster::block_on(prepare(&gpu, d, &*clock())).unwrap();
        let mut hands = GpuHands::new(gpu, trial, || ());
        let mut desk = Desk::default();
        desk.put(Setting { kind, n, d, seed: 2, rule, scale: None });
        desk.want(tiles.clone());
        while desk.prepare(100) {}
        while desk.standing() != Standing::Ready || !desk.hands_are_empty() {
            desk.hand_out(&mut hands);
            assert_eq!((desk.trouble(), hands.lost()), (None, None));
        }
        let generated = generate(kind, n, d, 2);
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        let attended = Cpu.attend(&asked).unwrap();
        for tile in &tiles {
            let expected = Cpu.tile(&asked, &attended, tile).unwrap();
            for (found, expected) in desk.tile(tile).unwrap().0.iter().zip(&expected) {
                assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found}, expected {expected}");
            }
        }
    }
}
