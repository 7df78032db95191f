//! The paged cache against the plainest model there is: every sequence a list of its own.

use attnlab::attention::{Fragmentation, PagedCache, PagesError};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Operation {
    Start,
    Append(usize),
    Fork(usize),
    Release(usize),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        1 => Just(Operation::Start),
        6 => (0_usize..4).prop_map(Operation::Append),
        1 => (0_usize..4).prop_map(Operation::Fork),
        1 => (0_usize..4).prop_map(Operation::Release),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sequence_reads_what_was_written_to_it(
        size in 1_usize..5, operations in proptest::collection::vec(operation(), 0..60)
    ) {
        let mut cache = PagedCache::new(size, 12).unwrap();
        let mut plain: Vec<Vec<String>> = Vec::new();
        for (at, operation) in operations.into_iter().enumerate() {
            let before = cache.clone();
            let failed = match operation {
                Operation::Start => {
                    prop_assert_eq!(cache.start(), plain.len());
                    plain.push(Vec::new());
                    None
                }
                Operation::Append(sequence) => match cache.append(sequence, &at.to_string()) {
                    Ok(written) => {
                        prop_assert_eq!(written.slot, plain[sequence].len() % size);
                        prop_assert_eq!(&cache.blocks()[written.block].tokens[written.slot], &at.to_string());
                        plain[sequence].push(at.to_string());
                        None
                    }
                    Err(error) => Some((error, sequence)),
                },
                Operation::Fork(sequence) => match cache.fork(sequence) {
                    Ok(new) => {
                        prop_assert_eq!(new, plain.len());
                        plain.push(plain[sequence].clone());
                        None
                    }
                    Err(error) => Some((error, sequence)),
                },
                Operation::Release(sequence) => match cache.release(sequence) {
                    Ok(()) => {
                        plain[sequence].clear();
                        None
                    }
                    Err(error) => Some((error, sequence)),
                },
            };
            if let Some((error, sequence)) = failed {
                let is_there = sequence < plain.len();
                prop_assert_eq!(error, if is_there { PagesError::Full { blocks: 12 } } else { PagesError::NoSequence { sequence } });
                prop_assert!(!is_there || cache.blocks().iter().all(|block| block.references > 0));
                prop_assert_eq!(&cache, &before, "what fails changes nothing");
            }
            for (sequence, expected) in plain.iter().enumerate() {
                prop_assert_eq!(cache.tokens(sequence).unwrap(), expected.iter().map(String::as_str).collect::<Vec<_>>());
                prop_assert_eq!(cache.tables()[sequence].blocks.len(), expected.len().div_ceil(size));
            }
            for (block, physical) in cache.blocks().iter().enumerate() {
                let named = cache.tables().iter().flat_map(|table| &table.blocks).filter(|&&named| named == block).count();
                prop_assert_eq!(physical.references, named);
                prop_assert!(physical.tokens.len() <= size && (named > 0 || physical.tokens.is_empty()));
            }
            let fragmentation = cache.fragmentation(20);
            prop_assert!(fragmentation.empty <= plain.len() * (size - 1));
            let tokens: usize = plain.iter().map(Vec::len).sum();
            prop_assert_eq!(fragmentation.contiguous_slots - fragmentation.contiguous_empty, tokens);
        }
    }
}

/// Two sequences share a prefix; the one that writes first copies the shared last block, the other then owns it.
#[test]
fn a_shared_block_is_copied_before_it_is_written_to() {
    let mut cache = PagedCache::new(4, 6).unwrap();
    let first = cache.start();
    for token in ["a", "b", "c", "d", "e"] {
        cache.append(first, token).unwrap();
    }
    let second = cache.fork(first).unwrap();
    assert_eq!(cache.blocks()[..2].iter().map(|block| block.references).collect::<Vec<_>>(), [2, 2]);
    let written = cache.append(second, "x").unwrap();
    assert_eq!((written.block, written.slot, written.copied_from), (2, 1, Some(1)));
    let written = cache.append(first, "y").unwrap();
    assert_eq!((written.block, written.slot, written.copied_from), (1, 1, None));
    assert_eq!(cache.tables()[first].blocks, [0, 1]);
    assert_eq!(cache.tables()[second].blocks, [0, 2]);
    assert_eq!(cache.tokens(second).unwrap(), ["a", "b", "c", "d", "e", "x"]);
    // Three blocks of four, eight tokens in them; in one piece each, twice sixteen slots for twice six tokens.
    let expected = Fragmentation { slots: 12, empty: 4, contiguous_slots: 32, contiguous_empty: 20 };
    assert_eq!(cache.fragmentation(16), expected);
}

#[test]
fn what_cannot_be_is_said_and_a_full_shared_block_needs_no_copy() {
    assert_eq!(PagedCache::new(0, 4), Err(PagesError::EmptyBlock));
    let mut cache = PagedCache::new(1, 2).unwrap();
    assert_eq!(cache.append(0, "a"), Err(PagesError::NoSequence { sequence: 0 }));
    assert_eq!(cache.tokens(0), None);
    let first = cache.start();
    cache.append(first, "a").unwrap();
    let second = cache.fork(first).unwrap();
    assert_eq!(cache.append(second, "b").unwrap().copied_from, None);
    assert_eq!(cache.append(first, "c"), Err(PagesError::Full { blocks: 2 }));
    cache.release(second).unwrap();
    assert_eq!(cache.append(first, "c").unwrap().block, 1);
}
