//! Tiles: every weight and score, pooled in every way, from anywhere in n×n.

use attnlab::attention::SplitMix64;
use attnlab::long::generate::{Kind, generate};
use attnlab::long::{Asked, Attended, Cpu, Engine, LongError, Of, Pool, Rule, Tile, cells};

use super::plain::{Plain, scaled};
use super::rules;

fn tile(rows: std::ops::Range<usize>, keys: std::ops::Range<usize>, of: Of) -> Tile {
    Tile { height: rows.len(), width: keys.len(), rows, keys, pool: Pool::Max, of }
}

fn pooled(asked: &Asked, attended: &Attended, tile: &Tile, by: usize, pool: Pool) -> Vec<f32> {
    let tile = Tile { height: tile.rows.len() / by, width: tile.keys.len() / by, pool, ..tile.clone() };
    Cpu.tile(asked, attended, &tile).unwrap()
}

#[test]
fn a_row_of_weights_sums_to_one_and_its_scores_are_right() {
    for (n, d, scale) in [(1, 1, 1.0), (130, 5, 0.4), (129, 64, 0.125), (200, 3, 1e3)] {
        let generated = generate(Kind::Random, n, d, 5);
        for rule in rules(n) {
            let asked = Asked::with_scale(generated.sequence().unwrap(), rule, scale).unwrap();
            let attended = Cpu.attend(&asked).unwrap();
            let plain = Plain::new(&asked);
            let [weights, scores, scaled_] = [Of::Weights, Of::Scores, Of::Scaled]
                .map(|of| Cpu.tile(&asked, &attended, &tile(0..n, 0..n, of)).unwrap());
            for row in 0..n {
                let sum: f64 = weights[row * n..][..n].iter().map(|&w| f64::from(w)).sum();
                let expected = if plain.sum[row] == 0.0 { 0.0 } else { 1.0 };
                assert!((sum - expected).abs() <= plain.allowed(), "row {row} sums to {sum}");
                for key in 0..n {
                    // The same arithmetic, so the same bits.
                    assert_eq!(attended.weight(&asked, row, key), Some(weights[row * n + key]));
                }
                for (key, expected) in scaled(&asked, row) {
                    let (score, scaled) = (f64::from(scores[row * n + key]), f64::from(scaled_[row * n + key]));
                    assert!((scaled - expected).abs() <= 1e-6 * expected.abs().max(plain.largest_score).max(1.0));
                    assert!((score * f64::from(scale) - expected).abs() <= 1e-6 * plain.largest_score.max(1.0));
                    let weight = (expected - plain.maximum[row]).exp() / plain.sum[row];
                    assert!((f64::from(weights[row * n + key]) - weight).abs() <= plain.allowed());
                }
            }
        }
    }
}

/// Every pixel against its own cells, for rectangles anywhere and pixels of unequal size.
#[test]
fn a_pixel_is_what_its_cells_say() {
    let (n, d) = (190, 6);
    let generated = generate(Kind::Random, n, d, 8);
    let mut random = SplitMix64(1);
    let mut below = |most: usize| random.next() as usize % most;
    for rule in rules(n) {
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        let attended = Cpu.attend(&asked).unwrap();
        for _ in 0..12 {
            let mut range = || {
                let start = below(n);
                start..start + 1 + below(n - start)
            };
            let (rows, keys) = (range(), range());
            let (height, width) = (1 + below(rows.len()), 1 + below(keys.len()));
            for of in [Of::Scores, Of::Scaled, Of::Weights] {
                let whole = Cpu.tile(&asked, &attended, &tile(0..n, 0..n, of)).unwrap();
                for pool in [Pool::Max, Pool::Mean, Pool::Sum] {
                    let asked_for = Tile { rows: rows.clone(), keys: keys.clone(), height, width, pool, of };
                    let pixels = Cpu.tile(&asked, &attended, &asked_for).unwrap();
                    assert_eq!(pixels.len(), height * width);
                    for (at, &pixel) in pixels.iter().enumerate() {
                        let (rows, keys) = (cells(&rows, at / width, height), cells(&keys, at % width, width));
                        let count = rows.len() * keys.len();
                        let below: Vec<f64> = rows
                            .flat_map(|row| keys.clone().map(move |key| row * n + key))
                            .map(|cell| f64::from(whole[cell]))
                            .collect();
                        let sum: f64 = below.iter().sum();
                        match pool {
                            Pool::Max => assert!(below.iter().all(|&w| w <= f64::from(pixel)), "{asked_for:?}"),
                            Pool::Mean => assert!((f64::from(pixel) - sum / count as f64).abs() <= 1e-6),
                            Pool::Sum => assert!((f64::from(pixel) - sum).abs() <= 1e-6 * sum.abs().max(1.0)),
                        }
                        if pool == Pool::Max {
                            assert!(below.contains(&f64::from(pixel)), "a maximum is one of its cells");
                        }
                    }
                }
            }
        }
    }
}

/// A whole tile skips blocks that are hidden, and none in which one corner is seen: windows that end at every edge of a block.
#[test]
fn no_block_with_a_visible_corner_is_skipped() {
    let generated = generate(Kind::Random, 200, 2, 3);
    for bound in [0, 1, 62, 63, 64, 65, 66, 127, 128, 129] {
        for rule in [
            Rule { causal: true, left: Some(bound), ..Rule::default() },
            Rule { left: Some(0), right: Some(bound), ..Rule::default() },
            Rule { real: Some(bound), ..Rule::default() },
        ] {
            let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
            let attended = Cpu.attend(&asked).unwrap();
            let weights = Cpu.tile(&asked, &attended, &tile(0..200, 0..200, Of::Weights)).unwrap();
            for (at, &weight) in weights.iter().enumerate() {
                assert_eq!(Some(weight), attended.weight(&asked, at / 200, at % 200), "{rule:?}, {at}");
            }
            super::compare::compare(&asked, &attended).unwrap();
        }
    }
}

#[test]
fn by_two_twice_is_by_four() {
    let generated = generate(Kind::Random, 160, 7, 2);
    for rule in rules(160) {
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        let attended = Cpu.attend(&asked).unwrap();
        let shown = tile(8..136, 24..152, Of::Weights);
        for pool in [Pool::Max, Pool::Sum] {
            let (two, four) = (pooled(&asked, &attended, &shown, 2, pool), pooled(&asked, &attended, &shown, 4, pool));
            for (at, &expected) in four.iter().enumerate() {
                let at = at / 32 * 2 * 64 + at % 32 * 2;
                let below = [two[at], two[at + 1], two[at + 64], two[at + 65]];
                match pool {
                    Pool::Max => assert_eq!(below.into_iter().fold(0.0, f32::max), expected),
                    _ => assert!((below.iter().sum::<f32>() - expected).abs() <= 1e-5),
                }
            }
        }
    }
}

#[test]
fn a_tile_that_cannot_be_is_refused() {
    let generated = generate(Kind::Random, 10, 2, 2);
    let asked = Asked::new(generated.sequence().unwrap(), Rule::default()).unwrap();
    let attended = Cpu.attend(&asked).unwrap();
    let refused = |tile: &Tile| Cpu.tile(&asked, &attended, tile).unwrap_err().to_string();
    let fits = tile(0..10, 0..10, Of::Weights);
    let message = "keys 4..11: expected a range that is not empty within 0..10";
    assert_eq!(refused(&tile(0..10, 4..11, Of::Scores)), message);
    assert!(refused(&Tile { rows: 3..3, ..fits.clone() }).starts_with("rows 3..3"));
    assert_eq!(refused(&Tile { height: 11, ..fits.clone() }), "11 pixels for 10 rows, expected 1 to 10");
    assert_eq!(refused(&Tile { width: 0, ..fits.clone() }), "0 pixels for 10 keys, expected 1 to 10");
    let other = Attended { sum: vec![1.0; 9], ..attended.clone() };
    assert!(matches!(Cpu.tile(&asked, &other, &fits), Err(LongError::Length { place: "the sums", .. })));
    assert_eq!(other.weight(&asked, 0, 0), None);
}
