//! Two sequences in one paged cache: they begin alike, then part.

use crate::attention::{PagedCache, PagesError, Written};

/// The cache after some tokens, and where the last ones went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paging {
    pub cache: PagedCache,
    /// Tables of the two; the second is there once they have parted.
    pub sequences: Vec<usize>,
    /// What the last step wrote, one for each sequence that writes.
    pub written: Vec<Written>,
}

/// Writes the first `length` tokens one by one. The first `shared` are those of both; then B is forked from A, and at every
/// further step A writes the token and B one of its own, which is named with an apostrophe. There are as many blocks as
/// both would take for all tokens without sharing anything.
///
/// # Errors
/// A block size of 0.
///
/// ```
/// # use attnlab::study::paging::two_sequences;
/// let tokens = ["I", "like", "cats"].map(str::to_owned);
/// let paging = two_sequences(&tokens, 3, 1, 2).unwrap();
/// assert_eq!(paging.cache.tokens(paging.sequences[1]).unwrap(), ["I", "like'", "cats'"]);
/// assert_eq!(paging.cache.tables()[0].blocks.len(), 2);
/// ```
pub fn two_sequences(tokens: &[String], length: usize, shared: usize, block_size: usize) -> Result<Paging, PagesError> {
    let blocks = 2 * tokens.len().div_ceil(block_size.max(1));
    let mut cache = PagedCache::new(block_size, blocks)?;
    let mut sequences = vec![cache.start()];
    let mut written = Vec::new();
    for (at, token) in tokens.iter().take(length).enumerate() {
        if at == shared {
            sequences.push(cache.fork(sequences[0])?);
        }
        // B writes first, so that the block they share is copied for it, and A keeps the old one.
        written = sequences[1..].iter().map(|&b| cache.append(b, &format!("{token}'"))).collect::<Result<_, _>>()?;
        written.insert(0, cache.append(sequences[0], token)?);
    }
    Ok(Paging { cache, sequences, written })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_copied_only_where_they_part_within_it() {
        let tokens: Vec<String> = (0..7).map(|at| at.to_string()).collect();
        for size in 1..=8 {
            for shared in 0..=8 {
                for length in 0..=tokens.len() {
                    let paging = two_sequences(&tokens, length, shared, size).unwrap();
                    let copies = paging.written.iter().filter(|written| written.copied_from.is_some()).count();
                    let parts_now = length == shared + 1;
                    assert_eq!(
                        copies,
                        usize::from(parts_now && !shared.is_multiple_of(size)),
                        "{length} {shared} {size}"
                    );
                    let names = |sequence: usize| paging.cache.tokens(sequence).unwrap().join(" ");
                    assert_eq!(names(0), tokens[..length].join(" "));
                    if length > shared {
                        let apart = tokens[shared..length].iter().map(|token| format!("{token}'"));
                        let expected: Vec<String> = tokens[..shared].iter().cloned().chain(apart).collect();
                        assert_eq!(names(1), expected.join(" "));
                    } else {
                        assert_eq!(paging.sequences.len(), 1);
                    }
                }
            }
        }
        assert_eq!(two_sequences(&tokens, 7, 1, 0), Err(PagesError::EmptyBlock));
    }
}
