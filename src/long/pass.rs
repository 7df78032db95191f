//! One pass over a sequence in jobs: some rows × a slice of the keys, done anywhere, in any order, and brought together here.
//!
//! So whoever does a job holds one slice of the keys, never all of them; a pass can pause, be given up, be looked at while
//! it converges, and say how far it is. It knows neither threads nor Workers nor the clock.

use std::ops::Range;

use attnlab_kernel::{BLOCK, Partial, Rule};

use super::{Asked, Attended, LongError};

/// Rows of a job unless said otherwise: bringing them together then takes tens of microseconds.
const ROWS: usize = 1024;
/// Keys of a job unless said otherwise: k and v of them are 2 MiB at d = 64.
const KEYS: usize = 4096;

/// A rectangle of n×n in which at least one pair is visible.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Job {
    pub rows: Range<usize>,
    pub keys: Range<usize>,
}

impl Job {
    /// Does the job here. Whoever does many of the same keys packs them once: `asked.slice(keys)`, then
    /// `slice.attend(&asked.queries(rows))`.
    pub fn attend(&self, asked: &Asked) -> Partial {
        asked.slice(self.keys.clone()).attend(&asked.queries(self.rows.clone()))
    }
}

/// Visible pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub all: u64,
}

/// The state between jobs: O(n·d) numbers.
///
/// ```
/// # use attnlab::long::{Asked, Pass, Rule, Sequence};
/// let numbers: Vec<f32> = (0..200).map(|i| (i as f32).sin()).collect();
/// let asked = Asked::new(Sequence::new(200, 1, &numbers, &numbers, &numbers)?, Rule { causal: true, ..Rule::default() })?;
/// let mut pass = Pass::with_sizes(&asked, 64, 128)?;
/// let jobs: Vec<_> = pass.jobs().collect();
/// assert_eq!(jobs.len(), 6); // of 4 × 2: the first 128 rows do not see the second slice
/// for job in jobs {
///     pass.merge(&job, &job.attend(&asked))?;
/// }
/// assert_eq!(pass.progress().done, 200 * 201 / 2);
/// assert_eq!(pass.finish()?.output.len(), 200);
/// # Ok::<(), attnlab::long::LongError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pass {
    n: usize,
    d: usize,
    rows: usize,
    keys: usize,
    state: Partial,
    /// Slice by slice, of each range of rows: its visible pairs, 0 where it is no job, and whether it was done.
    jobs: Vec<(u64, bool)>,
    progress: Progress,
}

impl Pass {
    /// In jobs of 1,024 rows × 4,096 keys.
    pub fn new(asked: &Asked) -> Self {
        Self::of(asked.sequence().n(), asked.sequence().d(), asked.rule())
    }

    /// The same for n tokens of width d, without their numbers.
    pub fn of(n: usize, d: usize, rule: Rule) -> Self {
        Self::cut((n, d), rule, ROWS, KEYS)
    }

    /// In jobs of this size.
    ///
    /// # Errors
    /// A size that is not a multiple of 64, or 0.
    pub fn with_sizes(asked: &Asked, rows: usize, keys: usize) -> Result<Self, LongError> {
        for (place, found) in [("rows", rows), ("keys", keys)] {
            if found == 0 || !found.is_multiple_of(BLOCK) {
                return Err(LongError::JobSize { place, found });
            }
        }
        Ok(Self::cut((asked.sequence().n(), asked.sequence().d()), asked.rule(), rows, keys))
    }

    /// The same for n tokens of width d, without their numbers. Sizes are multiples of 64.
    pub(super) fn cut((n, d): (usize, usize), rule: Rule, rows: usize, keys: usize) -> Self {
        let (state, progress) = (Partial::empty(n, d), Progress { done: 0, all: 0 });
        let mut pass = Pass { n, d, rows, keys, state, jobs: vec![], progress };
        let all = n.div_ceil(keys) * n.div_ceil(rows);
        pass.jobs = (0..all).map(|at| (pairs(&pass.job(at), rule, n), false)).collect();
        pass.progress.all = pass.jobs.iter().map(|(pairs, _)| pairs).sum();
        pass
    }

    /// Those still to be done, slice by slice, so that whoever takes one after the other changes slices rarely.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        let is_open = |&(_, &(pairs, is_done)): &(usize, &(u64, bool))| pairs > 0 && !is_done;
        self.jobs.iter().enumerate().filter(is_open).map(|(at, _)| self.job(at))
    }

    fn job(&self, at: usize) -> Job {
        let ranges = self.n.div_ceil(self.rows);
        let (key, row) = (at / ranges * self.keys, at % ranges * self.rows);
        Job { rows: row..self.n.min(row + self.rows), keys: key..self.n.min(key + self.keys) }
    }

    /// Brings in what a job gave.
    ///
    /// # Errors
    /// A job that was done already or is none of this pass's; a length that is not the job's. Nothing changes then.
    pub fn merge(&mut self, job: &Job, partial: &Partial) -> Result<(), LongError> {
        let at = self.open_job(job)?;
        check(partial, job.rows.len(), job.rows.len() * self.d)?;
        self.state.merge(job.rows.start, partial);
        self.count(at);
        Ok(())
    }

    /// A job was done by someone who holds the output: these are the maxima and sums of its rows as they are now.
    ///
    /// # Errors
    /// Those of `merge`.
    pub fn follow(&mut self, job: &Job, now: &Partial) -> Result<(), LongError> {
        let at = self.open_job(job)?;
        check(now, job.rows.len(), 0)?;
        self.state.maximum[job.rows.clone()].copy_from_slice(&now.maximum);
        self.state.sum[job.rows.clone()].copy_from_slice(&now.sum);
        self.count(at);
        Ok(())
    }

    /// The output of some rows, not divided, with their maxima and sums, from someone who held it.
    ///
    /// # Errors
    /// Rows that end after the sequence; a length that is not theirs.
    pub fn put_rows(&mut self, rows: Range<usize>, whole: &Partial) -> Result<(), LongError> {
        let Range { start, end } = rows;
        if start >= end || end > self.n {
            return Err(LongError::Range { place: "rows", start, end, n: self.n });
        }
        check(whole, rows.len(), rows.len() * self.d)?;
        self.state.output[start * self.d..end * self.d].copy_from_slice(&whole.output);
        self.state.maximum[rows.clone()].copy_from_slice(&whole.maximum);
        self.state.sum[rows].copy_from_slice(&whole.sum);
        Ok(())
    }

    fn open_job(&self, job: &Job) -> Result<usize, LongError> {
        let at = job.keys.start / self.keys * self.n.div_ceil(self.rows) + job.rows.start / self.rows;
        let is_open = self.jobs.get(at).is_some_and(|&(pairs, is_done)| pairs > 0 && !is_done);
        if is_open && self.job(at) == *job {
            Ok(at)
        } else {
            Err(LongError::NotAJob { rows: job.rows.clone(), keys: job.keys.clone() })
        }
    }

    fn count(&mut self, at: usize) {
        self.jobs[at].1 = true;
        self.progress.done += self.jobs[at].0;
    }

    /// How much of the work is done. Pairs that no row sees cost nothing and are not counted.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// These rows as they stand: attention over the keys that were seen so far, which converges to the result.
    ///
    /// # Errors
    /// An empty range, or one that ends after the sequence.
    pub fn so_far(&self, rows: Range<usize>) -> Result<Attended, LongError> {
        let Range { start, end } = rows;
        if start >= end || end > self.n {
            return Err(LongError::Range { place: "rows", start, end, n: self.n });
        }
        let mut partial = Partial {
            output: self.state.output[start * self.d..end * self.d].to_vec(),
            maximum: self.state.maximum[start..end].to_vec(),
            sum: self.state.sum[start..end].to_vec(),
        };
        partial.divide();
        Ok(partial.into())
    }

    /// Of each row, the maximum and the sum as they stand: −∞ and 0 where nothing was seen yet.
    pub fn sums(&self) -> (&[f32], &[f32]) {
        (&self.state.maximum, &self.state.sum)
    }

    /// The result, once all jobs are done.
    ///
    /// # Errors
    /// A job is missing.
    pub fn finish(mut self) -> Result<Attended, LongError> {
        match self.jobs().count() {
            0 => {
                self.state.divide();
                Ok(self.state.into())
            }
            missing => Err(LongError::Unfinished { missing }),
        }
    }
}

/// The visible pairs of a rectangle. In closed form: a step of a graphics processor has all rows, and there are many steps.
fn pairs(job: &Job, rule: Rule, n: usize) -> u64 {
    let Job { rows, keys } = job;
    let Rule { causal, left, right, real } = rule;
    let real = real.unwrap_or(n).min(n);
    let (low, high) = (keys.start.min(real), keys.end.min(real));
    let reach = if causal { Some(0) } else { right };
    let ends = reach.map_or((high * rows.len()) as u64, |reach| clamped_sum(rows, reach as i64 + 1, low, high));
    let starts = left.map_or((low * rows.len()) as u64, |left| clamped_sum(rows, -(left as i64), low, high));
    // Before its bounds a row begins below where it ends, and brought between the same two it ends no earlier.
    ends - starts
}

/// Σ over these rows of row + `add`, each brought between `low` and `high`.
fn clamped_sum(rows: &Range<usize>, add: i64, low: usize, high: usize) -> u64 {
    let within = |x: i64, from: i64| x.clamp(from, rows.end as i64);
    let first = within(low as i64 - add, rows.start as i64); // from here on above `low`
    let last = within(high as i64 - add, first); // from here on above `high`
    let between = (first + add + last - 1 + add) * (last - first) / 2;
    let (below, above) = (first - rows.start as i64, rows.end as i64 - last);
    (below * low as i64 + between + above * high as i64) as u64
}

fn check(partial: &Partial, rows: usize, outputs: usize) -> Result<(), LongError> {
    let lengths = [
        ("the output of a job", partial.output.len(), outputs),
        ("the maxima of a job", partial.maximum.len(), rows),
        ("the sums of a job", partial.sum.len(), rows),
    ];
    if let Some((place, found, expected)) = lengths.into_iter().find(|(_, found, expected)| found != expected) {
        return Err(LongError::Length { place, found, expected });
    }
    // A row that has seen nothing has −∞ as its maximum; nothing of finite numbers is none.
    let numbers = [
        ("the output of a job", &partial.output),
        ("the maxima of a job", &partial.maximum),
        ("the sums of a job", &partial.sum),
    ];
    for (place, numbers) in numbers {
        if let Some(row) = numbers.iter().position(|number| number.is_nan()) {
            return Err(LongError::NotFinite { place, row, column: 0, found: f64::NAN });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::SplitMix64;

    #[test]
    fn pairs_are_counted_as_one_by_one() {
        let mut random = SplitMix64(4);
        let mut below = |most: usize| random.next() as usize % most;
        for _ in 0..3_000 {
            let n = 1 + below(40);
            let mut bound = |most: usize| (below(3) > 0).then(|| below(most));
            let (left, right, real) = (bound(n + 5), bound(n + 5), bound(n + 1));
            let rule = Rule { causal: below(2) == 0, left, right, real };
            let mut range = || {
                let start = below(n);
                start..start + 1 + below(n - start)
            };
            let job = Job { rows: range(), keys: range() };
            let expected = job.rows.clone().map(|row| job.keys.clone().filter(|&key| rule.sees(row, key, n)).count());
            assert_eq!(pairs(&job, rule, n), expected.sum::<usize>() as u64, "{job:?}, {rule:?}, n = {n}");
        }
        let all = Job { rows: 0..1 << 20, keys: 0..1 << 20 };
        let causal = Rule { causal: true, ..Rule::default() };
        assert_eq!(pairs(&all, causal, 1 << 20), (1 << 19) * ((1 << 20) + 1));
    }
}
