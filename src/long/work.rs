//! A piece of work as it is handed out: everything that whoever does it needs, in one message.

use std::ops::Range;

use attnlab_kernel::{Of, Part, Partial, Pool, Queries, Rule, Side, Slice, naive_trial, tile};

use super::{Asked, Job, LongError, Piece, Tile};

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Work {
    /// Rows `first`… of q over a slice of the keys.
    Attend {
        n: usize,
        d: usize,
        scale: f32,
        rule: Rule,
        first: usize,
        q: Vec<f32>,
        /// `None`: those of the work before.
        keys: Option<Keys>,
    },
    /// Pixels of a tile.
    Tile {
        n: usize,
        d: usize,
        scale: f32,
        rule: Rule,
        rows: Side,
        keys: Side,
        /// `rows.cells()`×d.
        q: Vec<f32>,
        /// `keys.cells()`×d.
        k: Vec<f32>,
        /// Of each of these rows; for weights only.
        maximum: Vec<f32>,
        sum: Vec<f32>,
        pool: Pool,
        of: Of,
    },
    /// All n×n weights at once, of numbers that matter to nobody.
    Naive { n: usize, d: usize },
    /// For hands that hold the sequence: rows × keys of it, added to what they hold.
    Step(Job),
    /// For hands that hold the sequence: the output of these rows.
    Output(Range<usize>),
    /// For hands that hold the sequence: pixels of a tile of it.
    Piece(Tile, Piece),
}

/// Some of the keys, with their values.
#[derive(Clone, Debug)]
pub struct Keys {
    pub first: usize,
    pub k: Vec<f32>,
    pub v: Vec<f32>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Done {
    /// Not divided by the sum. After a step these are the maxima and sums of its rows as they are now, and no output.
    Rows(Partial),
    Pixels(Vec<f32>),
    /// Whether there was memory for it.
    Naive(bool),
}

/// What hands are, for people.
#[derive(Clone, Debug, PartialEq)]
pub enum Build {
    /// Workers that have not said yet which of the next two they are.
    Starting,
    /// Workers with vectors of four numbers.
    Simd,
    /// The same, multiplying and adding in one.
    Relaxed,
    /// Threads of this machine.
    Threads,
    /// A graphics processor, its name as far as it tells, and the largest difference from f64 that its test met.
    Graphics { name: String, difference: f64 },
}

/// How much hands that hold a sequence do at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Rows and keys of a step, multiples of 64.
    pub step: (usize, usize),
    /// Rows and keys of a piece of a tile.
    pub piece: (usize, usize),
}

/// Whatever does pieces of work, several at a time: Workers in a page, threads elsewhere.
pub trait Hands {
    /// How many there are.
    fn count(&self) -> usize;
    /// Gives hand number `hand` a piece of work. A hand does its work in the order in which it came.
    fn give(&mut self, hand: usize, id: u64, work: Work);
    /// What was done since the last call: which hand, which work, and what came of it or why nothing did.
    fn take(&mut self) -> Vec<(usize, u64, Result<Done, String>)>;
    /// What they are.
    fn build(&self) -> Build;
    /// What they come to together where they only multiply and add, in operations a second; `None` where nobody tried.
    fn peak(&self) -> Option<f64> {
        None
    }
    /// The longest sequence of this width that they hold.
    fn most_tokens(&self, d: usize) -> usize {
        let _ = d;
        usize::MAX
    }
    /// Bytes of the sequence that they hold themselves.
    fn bytes(&self) -> u64 {
        0
    }
    /// The width of rows that they are made for, if only one.
    fn width(&self) -> Option<usize> {
        None
    }
    /// Of a sequence of n rows of width d, for hands that hold it themselves: what they do at a time. `None` for those that
    /// are sent numbers with every work.
    fn holds(&self, n: usize, d: usize) -> Option<Sizes> {
        let (_, _) = (n, d);
        None
    }
    /// Takes a sequence, for hands that hold one: no row of it has seen anything yet.
    ///
    /// # Errors
    /// It is too long for them.
    fn hold(&mut self, asked: &Asked) -> Result<(), LongError> {
        let _ = asked;
        Ok(())
    }
    /// Whether what they have done shows only when they are asked: somebody must ask while they work.
    fn must_be_asked(&self) -> bool {
        false
    }
    /// Why they work no more, once they do not: others must go on.
    fn lost(&self) -> Option<String> {
        None
    }
}

/// One hand of this machine. It holds the slice of keys that it was given last.
#[derive(Default)]
pub struct Hand {
    slice: Option<Slice>,
}

impl Hand {
    /// # Panics
    /// Where there are no keys, neither with this work nor from the one before; for work of hands that hold a sequence.
    pub fn work(&mut self, work: Work) -> Done {
        match work {
            Work::Attend { n, d, scale, rule, first, q, keys } => {
                if let Some(Keys { first, k, v }) = keys {
                    self.slice = Some(Slice::new(first, d, &k, &v));
                }
                let slice = self.slice.as_ref().expect("keys come with the first work");
                Done::Rows(slice.attend(&Queries { n, first, q: &q, scale, rule }))
            }
            Work::Tile { n, d, scale, rule, rows, keys, q, k, maximum, sum, pool, of } => {
                let part = Part { n, d, rows, keys, q: &q, k: &k, maximum: &maximum, sum: &sum, scale, rule, pool, of };
                Done::Pixels(tile(&part))
            }
            Work::Naive { n, d } => Done::Naive(naive_trial(n, d).is_some_and(f32::is_finite)),
            Work::Step(_) | Work::Output(_) | Work::Piece(..) => unreachable!("this hand holds no sequence"),
        }
    }
}
