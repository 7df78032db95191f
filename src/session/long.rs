//! What is set in the panel "Long sequences": a sequence, what of it is drawn, and which part is looked at.

use super::view::{ColourScale, choice};
use crate::attention::{Problem, ProblemError};
use crate::long::desk::Cut;
use crate::long::generate::Kind;
use crate::long::{MOST_WIDTH, Of, Pool, Rule, Setting};
use serde::{Deserialize, Serialize};

choice!(
    /// What there is to find in it.
    Topic { Local = "local", Needle = "needle", Induction = "induction", Documents = "documents", Rope = "rope", Random = "random", Given = "given" }
);
choice!(
    /// What the picture shows.
    Shown { Scores = "scores", Scaled = "scaled", Weights = "weights" }
);
choice!(
    /// How the pairs below a pixel become one number.
    Pooled { Max = "max", Mean = "mean", Sum = "sum" }
);

choice!(
    /// What computes: whichever is faster here, the processor, a graphics processor.
    Computing { Faster = "faster", Processor = "processor", Graphics = "graphics" }
);

/// Between the seeds of two heads, so that a head is not what another one is with the next seed.
const HEAD_SEED: u64 = 1_000_003;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Long {
    pub topic: Topic,
    pub n: usize,
    pub d: usize,
    pub seed: u64,
    /// How many heads there are, and the one that is looked at: they differ by their seeds.
    pub heads: usize,
    pub head: usize,
    /// Which rows are given, for that topic.
    pub stamp: u64,
    /// What scores are multiplied by; `None` for 1/√d.
    pub scale: Option<f64>,
    /// The place of the needle, counted from 0; the reach of local attention, the period of a repeated text, the length of
    /// a document.
    pub size: usize,
    pub causal: bool,
    /// Keys to the left that a query sees; 0 for all.
    pub window: usize,
    pub shown: Shown,
    pub pooled: Pooled,
    pub colours: ColourScale,
    pub computing: Computing,
    /// The first query and the first key of the part that is looked at, and its side in tokens.
    pub row: f64,
    pub key: f64,
    pub side: f64,
}

impl Default for Long {
    fn default() -> Self {
        Self {
            topic: Topic::Local,
            n: 8_192,
            d: 32,
            seed: 1,
            heads: 1,
            head: 0,
            stamp: 0,
            scale: None,
            size: 256,
            causal: true,
            window: 0,
            shown: Shown::Weights,
            pooled: Pooled::Max,
            colours: ColourScale::Log,
            computing: Computing::Faster,
            row: 0.0,
            key: 0.0,
            side: f64::MAX,
        }
    }
}

impl Long {
    /// Tokens at least, and at most as far as the slider goes: what memory does not hold is refused by name.
    pub const TOKENS: std::ops::RangeInclusive<usize> = 16..=1_048_576;
    /// Scores of generated sequences stay far from what 32 bits hold.
    const MOST_SCALE: f64 = 1e6;
    /// Heads at most.
    pub const HEADS: std::ops::RangeInclusive<usize> = 1..=64;
    /// The side of a part whose single pairs can be told apart.
    const NEAR: f64 = 32.0;
    /// The smallest part that is looked at.
    const SMALLEST: f64 = 4.0;

    /// Brought into what can be shown: a saved session may hold anything.
    pub fn within_limits(self) -> Self {
        let n = self.n.clamp(*Self::TOKENS.start(), *Self::TOKENS.end());
        let finite = |x: f64, otherwise: f64| if x.is_finite() { x } else { otherwise };
        let side = finite(self.side, n as f64).clamp(Self::SMALLEST, n as f64);
        let most = n as f64 - side;
        // Rows that are given come with a scale that they were checked with.
        let most_scale = if self.topic == Topic::Given { f64::MAX } else { Self::MOST_SCALE };
        let heads = self.heads.clamp(*Self::HEADS.start(), *Self::HEADS.end());
        Self {
            n,
            heads,
            head: self.head.min(heads - 1),
            d: self.d.clamp(1, MOST_WIDTH),
            size: if self.topic == Topic::Needle { self.size.min(n - 1) } else { self.size.clamp(1, n) },
            window: self.window.min(n),
            scale: self.scale.filter(|scale| scale.is_finite() && scale.abs() <= most_scale),
            row: finite(self.row, 0.0).clamp(0.0, most),
            key: finite(self.key, 0.0).clamp(0.0, most),
            side,
            ..self
        }
    }

    /// The sequence and the rule, within the limits.
    ///
    /// ```
    /// # use attnlab::session::Long;
    /// let setting = Long { n: 3, window: 5, ..Long::default() }.setting();
    /// assert_eq!((setting.n, setting.rule.left, setting.rule.causal), (16, Some(5), true));
    /// ```
    pub fn setting(self) -> Setting {
        let now = self.within_limits();
        let kind = match now.topic {
            Topic::Local => Kind::Local { reach: now.size, sinks: 4 },
            Topic::Needle => Kind::Needle { at: now.size },
            Topic::Induction => Kind::Induction { period: now.size },
            Topic::Documents => Kind::Documents { length: now.size },
            Topic::Rope => Kind::Rope,
            Topic::Random => Kind::Random,
            // Each head has its own rows.
            Topic::Given => Kind::Given { stamp: now.stamp.wrapping_mul(64).wrapping_add(now.head as u64) },
        };
        let left = (now.window > 0).then_some(now.window);
        // Without the causal rule a window reaches as far to the right.
        let right = if now.causal { None } else { left };
        let rule = Rule { causal: now.causal, left, right, real: None };
        let seed = now.seed.wrapping_add(now.head as u64 * HEAD_SEED);
        Setting { kind, n: now.n, d: now.d, seed, rule, scale: now.scale }
    }

    /// The query that looks for the needle, and the key that is it.
    ///
    /// ```
    /// # use attnlab::session::{Long, Topic};
    /// let haystack = Long { topic: Topic::Needle, n: 100, size: 7, ..Long::default() };
    /// assert_eq!(haystack.needle(), Some((99, 7)));
    /// ```
    pub fn needle(self) -> Option<(usize, usize)> {
        let now = self.within_limits();
        (now.topic == Topic::Needle).then_some((now.n - 1, now.size))
    }

    /// So near that a pair can be read, with it in the middle.
    pub fn around(self, (row, key): (usize, usize)) -> Self {
        let from = |at: usize| at as f64 - Self::NEAR / 2.0;
        Self { row: from(row), key: from(key), side: Self::NEAR, ..self }.within_limits()
    }

    pub fn of(self) -> Of {
        match self.shown {
            Shown::Scores => Of::Scores,
            Shown::Scaled => Of::Scaled,
            Shown::Weights => Of::Weights,
        }
    }

    pub fn pool(self) -> Pool {
        match self.pooled {
            Pooled::Max => Pool::Max,
            Pooled::Mean => Pool::Mean,
            Pooled::Sum => Pool::Sum,
        }
    }

    /// `factor` times as much is looked at, and the pair at (row, key) stays where it is.
    pub fn zoomed(self, factor: f64, row: f64, key: f64) -> Self {
        let now = self.within_limits();
        let side = (now.side * factor).clamp(Self::SMALLEST, now.n as f64);
        let factor = side / now.side;
        Self { side, row: row - (row - now.row) * factor, key: key - (key - now.key) * factor, ..now }.within_limits()
    }

    /// Moved by so many queries and keys.
    pub fn moved(self, rows: f64, keys: f64) -> Self {
        let now = self.within_limits();
        Self { row: now.row + rows, key: now.key + keys, ..now }.within_limits()
    }
}

/// A part of a long sequence as a problem: its weights are the very weights. The keys that are left out are one more, named
/// `rest`, with k = 0 and v = 0: its column of `bias` is each row's log-sum-exp over them, so that the softmax divides by
/// the same sum. The output lacks their part.
///
/// # Errors
/// Those of a problem file; none is known for numbers that a desk holds.
pub fn problem_of(cut: &Cut, rest: &str) -> Result<Problem, Vec<ProblemError>> {
    let d = cut.q.first().map_or(0, Vec::len);
    let labels = |range: &std::ops::Range<usize>| range.clone().map(|at| at.to_string()).collect::<Vec<_>>();
    let with = |mut rows: Vec<Vec<f64>>| {
        rows.push(vec![0.0; d]);
        rows
    };
    let mut memory = labels(&cut.keys);
    memory.push(rest.to_owned());
    let allow = cut
        .visible
        .iter()
        .zip(&cut.rest)
        .map(|(row, rest)| row.iter().copied().chain([rest.is_some()]).collect::<Vec<_>>());
    let bias = cut.rest.iter().map(|rest| {
        let mut row = vec![0.0; cut.keys.len()];
        row.push(rest.unwrap_or(0.0));
        row
    });
    let mut problem = serde_json::json!({
        "format": "attnlab/1",
        "tokens": labels(&cut.rows),
        "memory": memory,
        "inputs": { "q": cut.q, "k": with(cut.k.clone()), "v": with(cut.v.clone()) },
        "bias": bias.collect::<Vec<_>>(),
        "mask": { "allow": allow.collect::<Vec<_>>() },
    });
    if let Some(scale) = cut.scale {
        problem["scale"] = scale.into();
    }
    Problem::from_json(&problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pointed_at_stays_where_it_is() {
        let whole = Long { n: 1000, ..Long::default() }.within_limits();
        assert_eq!((whole.row, whole.key, whole.side), (0.0, 0.0, 1000.0));
        let near = whole.zoomed(0.5, 600.0, 200.0);
        assert_eq!((near.row, near.key, near.side), (300.0, 100.0, 500.0));
        assert_eq!((near.moved(900.0, -900.0).row, near.moved(900.0, -900.0).key), (500.0, 0.0));
        assert_eq!(near.zoomed(1e-9, 600.0, 200.0).side, 4.0);
        assert_eq!(near.zoomed(1e9, 600.0, 200.0), whole);
    }

    /// The judge is the plain softmax over all keys.
    #[test]
    fn a_part_carries_the_very_weights() {
        use crate::attention::{Part, solve};
        use crate::long::{Desk, Standing};
        let mut desk = Desk::default();
        for (topic, window) in [(Topic::Random, 0), (Topic::Local, 40), (Topic::Induction, 0)] {
            let long = Long { topic, n: 300, d: 8, size: 50, window, ..Long::default() };
            let before = desk.begin_cut(0..1, 0..1).ok();
            desk.put(long.setting());
            while desk.prepare(64) {}
            if let Some(mut before) = before {
                assert!(desk.go_on(&mut before, 1).is_err(), "that was another sequence");
            }
            assert!(matches!(desk.standing(), Standing::Attending { .. }), "no hand has done anything");
            for (rows, keys) in [(200..216, 190..206), (0..16, 0..16), (100..104, 40..50)] {
                let mut cutting = desk.begin_cut(rows.clone(), keys.clone()).unwrap();
                // By shares of any size it is the same.
                let cut = loop {
                    if let Some(cut) = desk.go_on(&mut cutting, 37).unwrap() {
                        break cut;
                    }
                };
                assert_eq!(cutting.progress(), 1.0);
                let problem = problem_of(&cut, "rest").unwrap();
                let trace = solve(&problem).unwrap();
                let weights = &trace.get(Part::Weights, 0).unwrap().value;
                for (i, row) in rows.clone().enumerate() {
                    let scaled = |key| desk.pair(row, key).unwrap().scaled;
                    let visible = long.setting().rule.visible(row, 300);
                    let sum: f64 = visible.clone().map(|key| scaled(key).exp()).sum();
                    for (j, key) in keys.clone().enumerate() {
                        let expected = if visible.contains(&key) { scaled(key).exp() / sum } else { 0.0 };
                        let found = weights[(i, j)];
                        assert!(
                            (found - expected).abs() <= 1e-12,
                            "{topic:?} {row}, {key}: {found}, expected {expected}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn whatever_was_saved_can_be_shown() {
        for wild in [f64::NAN, f64::INFINITY, -1e300, 0.0] {
            let long = Long { n: usize::MAX, d: 0, size: 0, row: wild, key: wild, side: wild, ..Long::default() };
            let now = long.within_limits();
            assert!(now.side >= 4.0 && now.row + now.side <= now.n as f64 && now.size >= 1 && now.d == 1, "{now:?}");
            assert_eq!(now.within_limits(), now);
        }
    }
}
