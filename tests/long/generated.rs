//! What there is to find in a generated sequence is found.

use attnlab::long::generate::{Generated, Kind, generate};
use attnlab::long::{Asked, Attended, Cpu, Engine, Rule};

const KINDS: [Kind; 6] = [
    Kind::Random,
    Kind::Needle { at: 3 },
    Kind::Local { reach: 4, sinks: 2 },
    Kind::Induction { period: 5 },
    Kind::Documents { length: 7 },
    Kind::Rope,
];

fn attended(generated: &Generated, rule: Rule, look: impl Fn(&Asked, &Attended)) {
    let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
    look(&asked, &Cpu.attend(&asked).unwrap());
}

#[test]
fn a_seed_gives_the_same_again_and_another_one_does_not() {
    for kind in KINDS {
        for (n, d) in [(1, 1), (2, 2), (50, 1), (50, 3), (50, 33)] {
            let generated = generate(kind, n, d, 4);
            assert!(generated.sequence().is_ok(), "{kind:?}, {n}, {d}");
            assert_eq!(generated, generate(kind, n, d, 4));
            // One direction in a line is 1 or −1, and two seeds may well give the same.
            assert!(d == 1 || generated != generate(kind, n, d, 5));
        }
        assert!(generate(kind, 0, 3, 4).sequence().is_err() && generate(kind, 3, 0, 4).sequence().is_err());
    }
    for kind in [Kind::Local { reach: 0, sinks: 99 }, Kind::Induction { period: 0 }, Kind::Documents { length: 0 }] {
        assert!(generate(kind, 9, 4, 1).sequence().is_ok());
    }
    assert!(generate(Kind::Needle { at: usize::MAX }, 9, 4, 1).sequence().is_ok());
}

#[test]
fn a_needle_is_found() {
    attended(&generate(Kind::Needle { at: 77 }, 1000, 32, 1), super::CAUSAL, |asked, attended| {
        assert!(attended.weight(asked, 999, 77).unwrap() > 0.99);
        assert!(attended.weight(asked, 998, 77).unwrap() < 0.1);
    });
}

#[test]
fn what_is_local_stays_near_or_sinks() {
    attended(&generate(Kind::Local { reach: 8, sinks: 2 }, 600, 65, 1), super::CAUSAL, |asked, attended| {
        let weight = |key| attended.weight(asked, 599, key).unwrap();
        let near: f32 = (580..600).map(weight).sum();
        let sinks = weight(0) + weight(1);
        assert!(near + sinks > 0.9 && near > 0.2 && sinks > 0.2, "near {near}, sinks {sinks}");
    });
}

#[test]
fn induction_finds_what_came_after() {
    attended(&generate(Kind::Induction { period: 40 }, 200, 48, 1), super::CAUSAL, |asked, attended| {
        let found: f32 = [21, 61, 101, 141].map(|key| attended.weight(asked, 180, key).unwrap()).iter().sum();
        assert!(found > 0.9, "{found}");
    });
}

#[test]
fn documents_keep_to_themselves() {
    attended(&generate(Kind::Documents { length: 30 }, 200, 48, 1), Rule::default(), |asked, attended| {
        let own: f32 = (90..120).map(|key| attended.weight(asked, 100, key).unwrap()).sum();
        assert!(own > 0.9, "{own}");
    });
}

#[test]
fn only_the_distance_matters_after_rope() {
    let generated = generate(Kind::Rope, 60_000, 17, 1);
    let sequence = generated.sequence().unwrap();
    let score = |row, key| {
        let pairs = sequence.q(row).iter().zip(sequence.k(key));
        pairs.map(|(&q, &k)| f64::from(q) * f64::from(k)).sum::<f64>()
    };
    for distance in [0, 1, 5, 300] {
        let expected = score(distance, 0);
        for row in [1000, 20_000, 59_999] {
            let difference = (score(row, row - distance) - expected).abs();
            assert!(difference <= 1e-5, "{difference:e} at {row} − {distance}");
        }
    }
    assert!((score(9, 0) - score(0, 0)).abs() > 1e-2);
}
