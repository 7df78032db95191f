//! From (seq, heads · d) to (heads, seq, d): which number goes where, the right way and the tempting wrong one.

/// Where a number comes from: its token and its column before the reshape.
pub type Source = (usize, usize);

/// The right way: `view(seq, heads, d)`, then `transpose(0, 1)`. Number c of token s in head h was column h·d + c of
/// token s. One list of rows a head.
///
/// ```
/// # use attnlab::study::reshape::{transposed, viewed};
/// // d_model 4, 2 heads, 2 tokens: head 1 holds columns 2 and 3 of each token.
/// assert_eq!(transposed(2, 2, 2)[1], [[(0, 2), (0, 3)], [(1, 2), (1, 3)]]);
/// // Viewed at once as (heads, seq, d), head 0 is all of token 0, cut in two: tokens are mixed up.
/// assert_eq!(viewed(2, 2, 2)[0], [[(0, 0), (0, 1)], [(0, 2), (0, 3)]]);
/// ```
pub fn transposed(seq: usize, heads: usize, d: usize) -> Vec<Vec<Vec<Source>>> {
    place(seq, heads, d, |head, token, column| (token, head * d + column))
}

/// The wrong way: `view(heads, seq, d)` at once, which reads the numbers in the order in which they lie in memory.
pub fn viewed(seq: usize, heads: usize, d: usize) -> Vec<Vec<Vec<Source>>> {
    let width = heads * d;
    place(seq, heads, d, |head, token, column| {
        let at = (head * seq + token) * d + column;
        (at / width, at % width)
    })
}

/// The rows of each head that hold numbers of another token than their own.
pub fn mixed_rows(placed: &[Vec<Vec<Source>>]) -> usize {
    let rows = placed.iter().flat_map(|head| head.iter().enumerate());
    rows.filter(|(token, row)| row.iter().any(|(from, _)| from != token)).count()
}

fn place(seq: usize, heads: usize, d: usize, source: impl Fn(usize, usize, usize) -> Source) -> Vec<Vec<Vec<Source>>> {
    let row = |head, token| (0..d).map(|column| source(head, token, column)).collect();
    (0..heads).map(|head| (0..seq).map(|token| row(head, token)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_use_every_number_once_and_only_the_wrong_one_mixes() {
        for (seq, heads, d) in [(4, 2, 4), (3, 3, 2), (5, 1, 3), (1, 4, 2)] {
            for way in [transposed(seq, heads, d), viewed(seq, heads, d)] {
                let mut all: Vec<Source> = way.into_iter().flatten().flatten().collect();
                all.sort_unstable();
                let expected: Vec<Source> = (0..seq).flat_map(|s| (0..heads * d).map(move |c| (s, c))).collect();
                assert_eq!(all, expected);
            }
            assert_eq!(mixed_rows(&transposed(seq, heads, d)), 0);
            // With one head or one token both ways are the same.
            assert_eq!(mixed_rows(&viewed(seq, heads, d)) == 0, heads == 1 || seq == 1, "{seq} {heads} {d}");
        }
    }
}
