//! Parts of a pass, and how they come together.

use alloc::vec;
use alloc::vec::Vec;

use super::exp;

/// What some rows gave over some of the keys. A row that saw nothing has output 0, maximum −∞ and sum 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partial {
    /// rows×d, by rows: Σ e^(scaled − maximum)·v, not divided by the sum.
    pub output: Vec<f32>,
    /// Of each row, the largest scaled score that it saw.
    pub maximum: Vec<f32>,
    /// Of each row, Σ e^(scaled − maximum).
    pub sum: Vec<f32>,
}

impl Partial {
    pub(crate) fn with_capacity(rows: usize, d: usize) -> Self {
        Partial {
            output: Vec::with_capacity(rows * d),
            maximum: Vec::with_capacity(rows),
            sum: Vec::with_capacity(rows),
        }
    }

    /// Rows that have seen nothing yet.
    pub fn empty(rows: usize, d: usize) -> Self {
        Partial { output: vec![0.0; rows * d], maximum: vec![f32::NEG_INFINITY; rows], sum: vec![0.0; rows] }
    }

    /// Divides every row by its sum. Where the sum is 0 nothing was seen, and the output stays 0.
    pub fn divide(&mut self) {
        let d = self.output.len() / self.sum.len().max(1);
        for (output, &sum) in self.output.chunks_exact_mut(d.max(1)).zip(&self.sum) {
            if sum > 0.0 {
                output.iter_mut().for_each(|number| *number /= sum);
            }
        }
    }

    /// Brings another part of the same sequence in: rows `first`…, over keys that were not yet seen. Milakov and
    /// Gimelshein 2018, "Online normalizer calculation for softmax": both are brought under the larger maximum, then added.
    ///
    /// ```
    /// use attnlab_kernel::Partial;
    /// let part = |output, maximum, sum| Partial { output: vec![output], maximum: vec![maximum], sum: vec![sum] };
    /// let mut all = Partial::empty(2, 1);
    /// all.merge(1, &part(4.0, 0.5, 2.0));
    /// all.merge(1, &part(1.0, 0.5, 2.0));
    /// assert_eq!((&all.output[..], &all.sum[..]), (&[0.0, 5.0][..], &[0.0, 4.0][..]));
    /// ```
    pub fn merge(&mut self, first: usize, part: &Partial) {
        let rows = part.sum.len();
        let d = self.output.len() / self.sum.len().max(1);
        assert!(part.output.len() == rows * d && part.maximum.len() == rows, "a part has whole rows");
        let own = &mut self.output[first * d..][..rows * d];
        let numbers = own.chunks_exact_mut(d.max(1)).zip(part.output.chunks_exact(d.max(1)));
        let maxima = self.maximum[first..][..rows].iter_mut().zip(&part.maximum);
        let sums = self.sum[first..][..rows].iter_mut().zip(&part.sum);
        for (((own, other), (maximum, &new)), (sum, &added)) in numbers.zip(maxima).zip(sums) {
            let largest = if new > *maximum { new } else { *maximum };
            if largest == f32::NEG_INFINITY {
                // Neither has seen anything, and −∞ − (−∞) would not be a number.
                continue;
            }
            let (before, after) = (exp(*maximum - largest), exp(new - largest));
            for (own, &other) in own.iter_mut().zip(other) {
                *own = *own * before + other * after;
            }
            *sum = *sum * before + added * after;
            *maximum = largest;
        }
    }
}
