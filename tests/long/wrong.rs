//! That the judges see a wrong engine: each of the usual mistakes is red, in the comparison and in the self-test.

use attnlab::long::generate::{Kind, generate};
use attnlab::long::{Asked, Attended, Cpu, Engine, LongError, Pool, Rule, Tile, self_test};

use super::compare::compare;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    /// The sums and outputs so far are not brought under a new maximum.
    NoRescale,
    /// A row does not see itself.
    OffByOne,
    NoScale,
    LastBlockMissing,
    NotANumber,
    WrongPool,
}

/// Blocks of 64 keys in f32, with one mistake.
struct Wrong(Mistake);

impl Engine for Wrong {
    fn attend(&self, asked: &Asked) -> Result<Attended, LongError> {
        let (sequence, rule) = (asked.sequence(), asked.rule());
        let (n, d) = (sequence.n(), sequence.d());
        let scale = if self.0 == Mistake::NoScale { 1.0 } else { asked.scale() };
        let mut attended = Attended { output: vec![0.0; n * d], maximum: vec![], sum: vec![] };
        let last = if self.0 == Mistake::LastBlockMissing { n / 64 * 64 } else { n };
        for row in 0..n {
            let output = &mut attended.output[row * d..][..d];
            let (mut maximum, mut sum) = (f32::NEG_INFINITY, 0.0);
            for first in (0..last).step_by(64) {
                let sees = |&key: &usize| {
                    rule.sees(row, key, n) && !(self.0 == Mistake::OffByOne && rule.causal && key == row && row > 0)
                };
                let scores: Vec<(usize, f32)> = (first..n.min(first + 64))
                    .filter(sees)
                    .map(|key| (key, sequence.q(row).iter().zip(sequence.k(key)).map(|(q, k)| q * k * scale).sum()))
                    .collect();
                let new = scores.iter().fold(maximum, |most, &(_, s)| f32::max(most, s));
                if maximum != f32::NEG_INFINITY && self.0 != Mistake::NoRescale {
                    let rescale = (maximum - new).exp();
                    sum *= rescale;
                    output.iter_mut().for_each(|o| *o *= rescale);
                }
                maximum = new;
                for (key, score) in scores {
                    let share = (score - maximum).exp();
                    sum += share;
                    output.iter_mut().zip(sequence.v(key)).for_each(|(o, v)| *o += share * v);
                }
            }
            let is_divided = sum > 0.0 || self.0 == Mistake::NotANumber;
            output.iter_mut().for_each(|o| *o /= if is_divided { sum } else { 1.0 });
            attended.maximum.push(maximum);
            attended.sum.push(sum);
        }
        Ok(attended)
    }

    fn tile(&self, asked: &Asked, attended: &Attended, tile: &Tile) -> Result<Vec<f32>, LongError> {
        let pool = if self.0 == Mistake::WrongPool { Pool::Mean } else { tile.pool };
        Cpu.tile(asked, attended, &Tile { pool, ..tile.clone() })
    }
}

const MISTAKES: [Mistake; 6] = [
    Mistake::NoRescale,
    Mistake::OffByOne,
    Mistake::NoScale,
    Mistake::LastBlockMissing,
    Mistake::NotANumber,
    Mistake::WrongPool,
];

#[test]
fn the_comparison_finds_a_wrong_engine() {
    let generated = generate(Kind::Random, 150, 12, 1);
    let rule = Rule { causal: true, left: Some(40), real: Some(100), ..Rule::default() };
    for rule in [super::CAUSAL, rule] {
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        let verdict = |mistake| compare(&asked, &Wrong(mistake).attend(&asked).unwrap());
        assert!(verdict(Mistake::None).is_ok(), "{:?}", verdict(Mistake::None));
        for mistake in [Mistake::NoRescale, Mistake::OffByOne, Mistake::NoScale] {
            assert!(verdict(mistake).is_err(), "{mistake:?} is not found");
        }
    }
    let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
    assert!(compare(&asked, &Wrong(Mistake::NotANumber).attend(&asked).unwrap()).is_err());
}

#[test]
fn the_self_test_finds_a_wrong_engine() {
    assert!(self_test(&Cpu).unwrap() <= 1e-5);
    self_test(&Wrong(Mistake::None)).unwrap();
    for mistake in MISTAKES {
        let verdict = self_test(&Wrong(mistake));
        assert!(matches!(verdict, Err(LongError::Wrong { .. })), "{mistake:?}: {verdict:?}");
    }
}
