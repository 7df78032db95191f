//! A paged cache: keys and values of many sequences in blocks of equal size, found by a table a sequence.
//!
//! Kwon et al. 2023, "Efficient Memory Management for Large Language Model Serving with PagedAttention" (vLLM), section 4.
//! A small model of the memory only: a slot holds the name of a token, and no attention is computed. A sequence
//! takes a block when its last one is full, so no more than one block a sequence is partly empty. Two sequences
//! that begin alike share blocks: each block counts who refers to it, and a shared one is copied before it is
//! written to.

/// One block of physical memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhysicalBlock {
    /// Tables that name it; 0 is free.
    pub references: usize,
    /// What its slots hold; at most the block size.
    pub tokens: Vec<String>,
}

/// One sequence: the physical blocks that hold its tokens, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockTable {
    pub blocks: Vec<usize>,
    /// Tokens in it.
    pub length: usize,
}

/// Where a token was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub block: usize,
    pub slot: usize,
    /// The shared block that was copied first, as it stood.
    pub copied_from: Option<usize>,
}

/// Slots that are taken and hold nothing, and what the same sequences would take otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragmentation {
    /// Slots of all blocks in use.
    pub slots: usize,
    /// Of them without a token: at most one block less a slot for each sequence.
    pub empty: usize,
    /// Slots that each sequence would take in one piece of the greatest length, nothing shared.
    pub contiguous_slots: usize,
    /// Of them without a token.
    pub contiguous_empty: usize,
}

/// Why something cannot be done; nothing is changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PagesError {
    #[error("a block has at least one slot")]
    EmptyBlock,
    #[error("all {blocks} blocks are taken")]
    Full { blocks: usize },
    #[error("there is no sequence {sequence}")]
    NoSequence { sequence: usize },
}

/// The memory and the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagedCache {
    block_size: usize,
    blocks: Vec<PhysicalBlock>,
    tables: Vec<BlockTable>,
}

impl PagedCache {
    /// `blocks` free blocks of `block_size` slots, and no sequence.
    ///
    /// # Errors
    /// A block size of 0.
    ///
    /// ```
    /// # use attnlab::attention::PagedCache;
    /// let mut cache = PagedCache::new(2, 8).unwrap();
    /// let first = cache.start();
    /// for token in ["I", "like", "cats"] {
    ///     cache.append(first, token).unwrap();
    /// }
    /// let second = cache.fork(first).unwrap(); // shares both blocks
    /// let written = cache.append(second, "and").unwrap(); // the half-full one is copied first
    /// assert_eq!((written.block, written.slot, written.copied_from), (2, 1, Some(1)));
    /// assert_eq!(cache.tables()[second].blocks, [0, 2]);
    /// ```
    pub fn new(block_size: usize, blocks: usize) -> Result<Self, PagesError> {
        if block_size == 0 {
            return Err(PagesError::EmptyBlock);
        }
        let free = PhysicalBlock { references: 0, tokens: Vec::new() };
        Ok(PagedCache { block_size, blocks: vec![free; blocks], tables: Vec::new() })
    }

    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// All physical blocks, free ones too.
    pub fn blocks(&self) -> &[PhysicalBlock] {
        &self.blocks
    }

    /// One table a sequence.
    pub fn tables(&self) -> &[BlockTable] {
        &self.tables
    }

    /// A new empty sequence: its number.
    pub fn start(&mut self) -> usize {
        self.tables.push(BlockTable::default());
        self.tables.len() - 1
    }

    /// A new sequence with the same tokens so far: it shares every block, and nothing is copied. Its number.
    ///
    /// # Errors
    /// No such sequence.
    pub fn fork(&mut self, sequence: usize) -> Result<usize, PagesError> {
        let table = self.tables.get(sequence).ok_or(PagesError::NoSequence { sequence })?.clone();
        for &block in &table.blocks {
            self.blocks[block].references += 1;
        }
        self.tables.push(table);
        Ok(self.tables.len() - 1)
    }

    /// Writes one more token. A full last block is followed by a free one; a shared last block is copied first.
    ///
    /// # Errors
    /// No such sequence; no block left.
    pub fn append(&mut self, sequence: usize, token: &str) -> Result<Written, PagesError> {
        let table = self.tables.get(sequence).ok_or(PagesError::NoSequence { sequence })?;
        let slot = table.length % self.block_size;
        let last = table.blocks.last().copied().filter(|_| slot > 0);
        let (block, copied_from) = match last {
            Some(own) if self.blocks[own].references == 1 => (own, None),
            Some(shared) => {
                let copy = self.take()?;
                self.blocks[copy].tokens = self.blocks[shared].tokens.clone();
                self.blocks[shared].references -= 1;
                self.tables[sequence].blocks.pop();
                self.tables[sequence].blocks.push(copy);
                (copy, Some(shared))
            }
            None => {
                let fresh = self.take()?;
                self.tables[sequence].blocks.push(fresh);
                (fresh, None)
            }
        };
        self.blocks[block].tokens.push(token.to_owned());
        self.tables[sequence].length += 1;
        Ok(Written { block, slot, copied_from })
    }

    /// Gives the blocks of a sequence back; those that nobody else names are free again. Its table stays, empty.
    ///
    /// # Errors
    /// No such sequence.
    pub fn release(&mut self, sequence: usize) -> Result<(), PagesError> {
        let table = self.tables.get_mut(sequence).ok_or(PagesError::NoSequence { sequence })?;
        for block in std::mem::take(table).blocks {
            let block = &mut self.blocks[block];
            block.references -= 1;
            if block.references == 0 {
                block.tokens.clear();
            }
        }
        Ok(())
    }

    /// The tokens of a sequence, read through its table. `None` where there is no such sequence.
    pub fn tokens(&self, sequence: usize) -> Option<Vec<&str>> {
        let table = self.tables.get(sequence)?;
        let slots = table.blocks.iter().flat_map(|&block| &self.blocks[block].tokens);
        Some(slots.take(table.length).map(String::as_str).collect())
    }

    /// What is taken and holds nothing, against one piece of `most` slots (at least its length) for each sequence.
    pub fn fragmentation(&self, most: usize) -> Fragmentation {
        let used: Vec<&PhysicalBlock> = self.blocks.iter().filter(|block| block.references > 0).collect();
        let slots = used.len() * self.block_size;
        let of_table = |table: &BlockTable| most.max(table.length);
        let contiguous_slots: usize = self.tables.iter().map(of_table).sum();
        let tokens: usize = self.tables.iter().map(|table| table.length).sum();
        Fragmentation {
            slots,
            empty: slots - used.iter().map(|block| block.tokens.len()).sum::<usize>(),
            contiguous_slots,
            contiguous_empty: contiguous_slots - tokens,
        }
    }

    fn take(&mut self) -> Result<usize, PagesError> {
        let free = self.blocks.iter().position(|block| block.references == 0);
        let block = free.ok_or(PagesError::Full { blocks: self.blocks.len() })?;
        self.blocks[block] = PhysicalBlock { references: 1, tokens: Vec::new() };
        Ok(block)
    }
}
