//! The desk: whatever the order in which work comes back, what is shown is what the plain way gives.

use attnlab::attention::SplitMix64;
use attnlab::long::generate::{Kind, generate};
use attnlab::long::{
    Asked, Build, Cpu, Desk, Done, Engine, Given, Hand, Hands, LongError, Of, Partial, Pool, Rule, Sequence, Setting,
    Sizes, Standing, Tile, Work,
};
use std::rc::Rc;

/// Hands in this thread that give their work back in a drawn order, each hand's own work in order.
struct Drawn {
    hands: Vec<Hand>,
    waiting: Vec<Vec<(u64, Work)>>,
    random: SplitMix64,
    /// The work that fails.
    fails: Option<u64>,
    most: usize,
}

impl Drawn {
    fn new(count: usize, seed: u64) -> Self {
        let hands = (0..count).map(|_| Hand::default()).collect();
        Drawn { hands, waiting: vec![Vec::new(); count], random: SplitMix64(seed), fails: None, most: 0 }
    }
}

impl Hands for Drawn {
    fn count(&self) -> usize {
        self.hands.len()
    }

    fn give(&mut self, hand: usize, id: u64, work: Work) {
        self.waiting[hand].push((id, work));
        self.most = self.most.max(self.waiting[hand].len());
    }

    fn take(&mut self) -> Vec<(usize, u64, Result<Done, String>)> {
        let mut done = Vec::new();
        for hand in 0..self.hands.len() {
            if !self.waiting[hand].is_empty() && !self.random.next().is_multiple_of(3) {
                let (id, work) = self.waiting[hand].remove(0);
                let outcome =
                    if self.fails == Some(id) { Err("it broke".into()) } else { Ok(self.hands[hand].work(work)) };
                done.push((hand, id, outcome));
            }
        }
        if self.random.next().is_multiple_of(2) {
            done.reverse();
        }
        done
    }

    fn build(&self) -> Build {
        Build::Threads
    }
}

fn setting(kind: Kind, n: usize, rule: Rule) -> Setting {
    Setting { kind, n, d: 8, seed: 3, rule, scale: None }
}

fn tile(n: usize, of: Of, pool: Pool) -> Tile {
    Tile { rows: 0..n, keys: 0..n, height: 40.min(n), width: 30.min(n), pool, of }
}

/// Until nothing is left to do.
fn settle(desk: &mut Desk, hands: &mut impl Hands) {
    while desk.prepare(97) {}
    let is_done = |desk: &Desk| desk.standing() == Standing::Ready && desk.hands_are_empty();
    for _ in 0..100_000 {
        desk.hand_out(hands);
        if is_done(desk) || desk.trouble().is_some() {
            return;
        }
    }
    panic!("it never ends: {:?}", desk.standing());
}

#[test]
fn what_is_shown_is_what_the_plain_way_gives() {
    let rules = [
        Rule::default(),
        Rule { causal: true, ..Rule::default() },
        Rule { causal: true, left: Some(300), ..Rule::default() },
        Rule { real: Some(0), ..Rule::default() },
    ];
    for (index, rule) in rules.into_iter().enumerate() {
        for n in [1, 63, 1500, 9000] {
            let setting = setting(Kind::Random, n, rule);
            let tiles = [tile(n, Of::Weights, Pool::Max), tile(n, Of::Scaled, Pool::Mean)];
            let (mut desk, mut hands) = (Desk::default(), Drawn::new(1 + index, n as u64));
            desk.put(setting);
            desk.want(tiles.to_vec());
            settle(&mut desk, &mut hands);
            assert!(hands.most <= 2, "{} pieces in one hand", hands.most);
            let data = generate(setting.kind, n, setting.d, setting.seed);
            let asked = Asked::new(data.sequence().unwrap(), rule).unwrap();
            let attended = Cpu.attend(&asked).unwrap();
            for tile in &tiles {
                let (found, is_whole) = desk.tile(tile).unwrap();
                let expected = Cpu.tile(&asked, &attended, tile).unwrap();
                assert!(is_whole && found.len() == expected.len());
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found}, expected {expected}");
                }
            }
            let pair = desk.pair(n - 1, n / 2).unwrap();
            let expected = f64::from(attended.weight(&asked, n - 1, n / 2).unwrap());
            assert!((pair.weight.unwrap() - expected).abs() <= 1e-5, "{pair:?}, expected {expected}");
        }
    }
}

#[test]
fn a_sample_of_single_pairs_is_the_tile() {
    let n = 700;
    let mut desk = Desk::default();
    desk.put(setting(Kind::Induction { period: 50 }, n, Rule { causal: true, ..Rule::default() }));
    let whole = Tile { rows: 600..640, keys: 560..620, height: 40, width: 60, pool: Pool::Max, of: Of::Weights };
    assert_eq!(desk.sampled(&whole), None, "nothing is there yet");
    while desk.prepare(64) {}
    assert!(desk.sampled(&whole).unwrap().iter().all(|x| x.is_nan() || *x == 0.0), "no row has seen a key");
    assert_eq!(desk.pair(699, 600).unwrap().weight, None, "a sum that lacks keys gives no weight");
    assert_eq!(desk.pair(600, 699).unwrap().weight, Some(0.0), "hidden");
    desk.want(vec![whole.clone()]);
    settle(&mut desk, &mut Drawn::new(2, 1));
    let (sampled, (exact, _)) = (desk.sampled(&whole).unwrap(), desk.tile(&whole).unwrap());
    assert!(exact.iter().any(|x| *x > 0.0));
    for (sampled, exact) in sampled.iter().zip(exact) {
        assert!((sampled - exact).abs() <= 1e-6, "{sampled}, {exact}");
    }
}

/// 32 bits hold these scores to some thousandths only: a weight that is read is right all the same.
#[test]
fn a_weight_that_is_read_is_made_in_64_bits() {
    let (n, d) = (64, 16);
    let generated = generate(Kind::Random, n, d, 3);
    let [q, k] = [&generated.q, &generated.k].map(|x| x.iter().map(|x| x * 300.0).collect::<Vec<f32>>());
    let given = Rc::new(Given::new((d, d), &q, &k, &generated.v, 0.25).unwrap());
    let rule = Rule { causal: true, ..Rule::default() };
    let mut desk = Desk::default();
    desk.put_given(Setting { kind: Kind::Given { stamp: 1 }, n, d, seed: 0, rule, scale: None }, &given);
    settle(&mut desk, &mut Drawn::new(2, 1));
    for row in [5, 20, 40, 63] {
        assert_eq!(desk.pair(row, row).unwrap().weight, None, "32 bits carry no more");
        while desk.refine(&[row], 7) {}
        let product = |key: usize| -> f64 {
            let (q, k) = (&q[row * d..][..d], &k[key * d..][..d]);
            q.iter().zip(k).map(|(&q, &k)| f64::from(q) * f64::from(k)).sum()
        };
        let scaled: Vec<f64> = (0..=row).map(|key| product(key) * 0.25).collect();
        let most = scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scaled.iter().map(|scaled| (scaled - most).exp()).sum();
        for (key, scaled) in scaled.iter().enumerate() {
            let (found, expected) = (desk.pair(row, key).unwrap().weight.unwrap(), (scaled - most).exp() / sum);
            assert!((found - expected).abs() <= 1e-10, "{row}, {key}: {found}, expected {expected}");
        }
        assert_eq!(desk.pair(row, row + 1).map(|pair| pair.weight), (row < 63).then_some(Some(0.0)));
    }
    assert!(!desk.refine(&[5, 20, 64], 1), "all is done that is there");
}

#[test]
fn another_rule_keeps_the_numbers_and_another_sequence_does_not() {
    let (mut desk, mut hands) = (Desk::default(), Drawn::new(2, 5));
    let first = setting(Kind::Random, 5000, Rule::default());
    desk.put(first);
    while desk.prepare(1000) {}
    desk.hand_out(&mut hands);
    // In the middle of the work: what comes back of it must not count.
    let causal = Setting { rule: Rule { causal: true, ..Rule::default() }, ..first };
    desk.put(causal);
    assert!(matches!(desk.standing(), Standing::Attending { done: 0, .. }), "{:?}", desk.standing());
    settle(&mut desk, &mut hands);
    assert_eq!(desk.pair(0, 1).unwrap().weight, Some(0.0));
    assert!((desk.pair(0, 0).unwrap().weight.unwrap() - 1.0).abs() <= 1e-6);
    desk.put(Setting { seed: 4, ..causal });
    assert!(matches!(desk.standing(), Standing::Making { .. }));
    desk.prepare(1000);
    desk.put(Setting { seed: 4, ..first });
    assert_eq!(desk.standing(), Standing::Making { done: 1000, all: 20_000 }, "the numbers know no rule");
    desk.put(Setting { seed: 4, ..causal });
    settle(&mut desk, &mut hands);
    assert!((desk.pair(0, 0).unwrap().weight.unwrap() - 1.0).abs() <= 1e-6);
}

#[test]
fn a_hand_that_fails_and_memory_that_is_not_there_are_told() {
    let (mut desk, mut hands) = (Desk::default(), Drawn::new(1, 5));
    hands.fails = Some(2);
    desk.put(setting(Kind::Random, 3000, Rule::default()));
    settle(&mut desk, &mut hands);
    assert_eq!(desk.trouble(), Some(&LongError::Failed { why: "it broke".into() }));
    desk.put(Setting { n: usize::MAX / 64, ..setting(Kind::Random, 1, Rule::default()) });
    assert!(matches!(desk.trouble(), Some(LongError::Memory { .. })), "{:?}", desk.trouble());
    // And it goes on with the next one, and with other hands.
    hands.fails = None;
    desk.change_hands();
    hands = Drawn::new(3, 6);
    desk.put(setting(Kind::Random, 300, Rule::default()));
    settle(&mut desk, &mut hands);
    assert_eq!(desk.trouble(), None);
}

/// By a sum that lacks keys a weight would be larger than it is, even than 1.
#[test]
fn no_weight_is_told_before_its_sum_is_whole() {
    let (mut desk, mut hands) = (Desk::default(), Drawn::new(1, 2));
    desk.put(setting(Kind::Random, 9_000, Rule::default()));
    while desk.prepare(1_000) {}
    while matches!(desk.standing(), Standing::Attending { done: 0, .. }) {
        desk.hand_out(&mut hands);
    }
    // One job is done: 1,024 rows have seen some of their keys.
    assert!(matches!(desk.standing(), Standing::Attending { .. }), "{:?}", desk.standing());
    assert!((0..9_000).all(|row| desk.pair(row, 8_999).unwrap().weight.is_none()));
    settle(&mut desk, &mut hands);
    assert!((0..9_000).all(|row| desk.pair(row, 8_999).unwrap().weight.is_some_and(|weight| weight <= 1.0)));
}

/// Every look at another part asks for other tiles; what nobody looks at any more must not stay for ever.
#[test]
fn tiles_that_nobody_wants_are_let_go() {
    let (n, mut desk, mut hands) = (5_000, Desk::default(), Drawn::new(1, 9));
    desk.put(setting(Kind::Random, n, Rule::default()));
    settle(&mut desk, &mut hands);
    let before = desk.bytes();
    for at in 0..3_000 {
        let (rows, keys) = (at..at + 1, 0..n);
        desk.want(vec![Tile { rows, keys, height: 1, width: 200, pool: Pool::Max, of: Of::Weights }]);
        desk.hand_out(&mut hands);
    }
    // 4·200 bytes each.
    assert!(desk.bytes() - before <= 800 * 300, "{} bytes more", desk.bytes() - before);
    settle(&mut desk, &mut hands);
}

#[test]
fn a_desk_that_rests_gives_nothing_out() {
    let (mut desk, mut hands) = (Desk::default(), Drawn::new(2, 5));
    desk.put(setting(Kind::Random, 3000, Rule::default()));
    while desk.prepare(1000) {}
    desk.rests = true;
    desk.hand_out(&mut hands);
    assert!(hands.waiting.iter().all(Vec::is_empty));
    desk.rests = false;
    settle(&mut desk, &mut hands);
}

/// A hand that holds the sequence itself, as a graphics processor does.
struct Holder {
    held: Option<Held>,
    waiting: Vec<(u64, Work)>,
    random: SplitMix64,
    sizes: Sizes,
    held_times: usize,
}

struct Held {
    numbers: [Vec<f32>; 3],
    d: usize,
    rule: Rule,
    state: Partial,
}

impl Holder {
    fn new(step: (usize, usize), piece: (usize, usize)) -> Self {
        let sizes = Sizes { step, piece };
        Holder { held: None, waiting: Vec::new(), random: SplitMix64(7), sizes, held_times: 0 }
    }

    fn work(&mut self, work: Work) -> Done {
        let Held { numbers: [q, k, v], d, rule, state } = self.held.as_mut().expect("it holds a sequence");
        let n = q.len() / *d;
        let asked = Asked::new(Sequence::new(n, *d, q, k, v).unwrap(), *rule).unwrap();
        let rows_of = |state: &Partial, rows: std::ops::Range<usize>| Partial {
            output: state.output[rows.start * *d..rows.end * *d].to_vec(),
            maximum: state.maximum[rows.clone()].to_vec(),
            sum: state.sum[rows].to_vec(),
        };
        match work {
            Work::Step(job) => {
                state.merge(job.rows.start, &job.attend(&asked));
                Done::Rows(Partial { output: vec![], ..rows_of(state, job.rows) })
            }
            Work::Output(rows) => Done::Rows(rows_of(state, rows)),
            Work::Piece(tile, piece) => {
                let mut attended = state.clone();
                attended.divide();
                let part = tile.part(&piece, &asked, &attended.into()).map(|part| attnlab_kernel::tile(&part));
                Done::Pixels(part.unwrap())
            }
            Work::Attend { .. } | Work::Tile { .. } | Work::Naive { .. } => panic!("it was sent numbers"),
        }
    }
}

impl Hands for Holder {
    fn count(&self) -> usize {
        1
    }

    fn give(&mut self, _: usize, id: u64, work: Work) {
        self.waiting.push((id, work));
    }

    fn take(&mut self) -> Vec<(usize, u64, Result<Done, String>)> {
        if self.waiting.is_empty() || self.random.next().is_multiple_of(2) {
            return vec![];
        }
        let (id, work) = self.waiting.remove(0);
        vec![(0, id, Ok(self.work(work)))]
    }

    fn build(&self) -> Build {
        Build::Threads
    }

    fn holds(&self, _: usize, _: usize) -> Option<Sizes> {
        Some(self.sizes)
    }

    fn hold(&mut self, asked: &Asked) -> Result<(), LongError> {
        let (sequence, rule) = (asked.sequence(), asked.rule());
        let (n, d) = (sequence.n(), sequence.d());
        let numbers =
            [sequence.rows_of_q(0..n), sequence.rows_of_k(0..n), sequence.rows_of_v(0..n)].map(<[f32]>::to_vec);
        self.held = Some(Held { numbers, d, rule, state: Partial::empty(n, d) });
        self.held_times += 1;
        Ok(())
    }
}

#[test]
fn hands_that_hold_the_sequence_give_the_same() {
    let rules = [Rule::default(), Rule { causal: true, ..Rule::default() }, Rule { real: Some(0), ..Rule::default() }];
    for rule in rules {
        for (n, step, piece) in [(1, (64, 64), (9, 9)), (1500, (1536, 128), (300, 300)), (900, (128, 64), (1, 1))] {
            let (mut desk, mut hands) = (Desk::default(), Holder::new(step, piece));
            let tiles = [tile(n, Of::Weights, Pool::Max), tile(n, Of::Scores, Pool::Sum)];
            let setting = setting(Kind::Random, n, rule);
            desk.put(setting);
            desk.want(tiles.to_vec());
            settle(&mut desk, &mut hands);
            assert_eq!((desk.trouble(), hands.held_times), (None, 1));
            let data = generate(setting.kind, n, setting.d, setting.seed);
            let asked = Asked::new(data.sequence().unwrap(), rule).unwrap();
            let attended = Cpu.attend(&asked).unwrap();
            for tile in &tiles {
                let (found, is_whole) = desk.tile(tile).unwrap();
                assert!(is_whole);
                for (found, expected) in found.iter().zip(Cpu.tile(&asked, &attended, tile).unwrap()) {
                    assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found}, expected {expected}");
                }
            }
        }
    }
}

/// Whoever works, and however often that changes: nothing is lost, and what was whole stays.
#[test]
fn other_hands_go_on_where_the_old_ones_were_lost() {
    let n = 1500;
    let setting = setting(Kind::Random, n, Rule { causal: true, ..Rule::default() });
    let whole = tile(n, Of::Weights, Pool::Max);
    let mut desk = Desk::default();
    desk.put(setting);
    desk.want(vec![whole.clone()]);
    while desk.prepare(97) {}
    let mut holder = Holder::new((1536, 64), (200, 200));
    for _ in 0..12 {
        desk.hand_out(&mut holder);
    }
    assert!(matches!(desk.standing(), Standing::Attending { done, .. } if done > 0), "{:?}", desk.standing());
    // What was seen so far can be looked at: rows of the first keys have sums by now.
    assert!(desk.sampled(&whole).unwrap().iter().any(|weight| *weight > 0.0), "no sum has come");
    // Lost in the middle: attention begins anew, with numbers in every work.
    desk.change_hands();
    assert!(matches!(desk.standing(), Standing::Attending { done: 0, .. }), "{:?}", desk.standing());
    settle(&mut desk, &mut Drawn::new(2, 4));
    let first = desk.tile(&whole).unwrap().0.to_vec();
    // Lost after all was done: nothing is done again, not even by hands that are sent numbers.
    desk.change_hands();
    desk.hand_out(&mut Drawn::new(1, 4));
    assert_eq!(desk.standing(), Standing::Ready);
    assert_eq!(desk.tile(&whole), Some((first.as_slice(), true)));
    // Hands that hold the sequence have to attend to it themselves.
    desk.change_hands();
    let mut holder = Holder::new((1536, 64), (200, 200));
    desk.hand_out(&mut holder);
    assert!(matches!(desk.standing(), Standing::Attending { .. }), "{:?}", desk.standing());
    settle(&mut desk, &mut holder);
    // Another rule: what they hold is not it.
    desk.put(Setting { rule: Rule::default(), ..setting });
    desk.want(vec![whole.clone()]);
    settle(&mut desk, &mut holder);
    assert_eq!(holder.held_times, 2);
    let data = generate(setting.kind, n, setting.d, setting.seed);
    let asked = Asked::new(data.sequence().unwrap(), Rule::default()).unwrap();
    let expected = Cpu.tile(&asked, &Cpu.attend(&asked).unwrap(), &whole).unwrap();
    for (found, expected) in desk.tile(&whole).unwrap().0.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-5, "{found}, expected {expected}");
    }
    // Everything anew.
    desk.attend_again();
    assert!(matches!(desk.standing(), Standing::Attending { done: 0, .. }), "{:?}", desk.standing());
    assert_eq!(desk.tile(&whole), None);
    settle(&mut desk, &mut holder);
}
