//! A piece of work as it is handed out: everything that whoever does it needs, in one message.

use attnlab_kernel::{Of, Part, Partial, Pool, Queries, Rule, Side, Slice, tile};

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
    /// Not divided by the sum.
    Rows(Partial),
    Pixels(Vec<f32>),
}

/// Whatever does pieces of work, several at a time: Workers in a page, threads elsewhere.
pub trait Hands {
    /// How many there are.
    fn count(&self) -> usize;
    /// Gives hand number `hand` a piece of work. A hand does its work in the order in which it came.
    fn give(&mut self, hand: usize, id: u64, work: Work);
    /// What was done since the last call: which hand, which work, and what came of it or why nothing did.
    fn take(&mut self) -> Vec<(usize, u64, Result<Done, String>)>;
    /// What they are, for people: `relaxed` or `simd` in a page, `threads` elsewhere.
    fn build(&self) -> String;
}

/// One hand of this machine. It holds the slice of keys that it was given last.
#[derive(Default)]
pub struct Hand {
    slice: Option<Slice>,
}

impl Hand {
    /// # Panics
    /// Where there are no keys, neither with this work nor from the one before.
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
        }
    }
}
