//! What moves between slow memory and the chip: the whole reason for blocks. Multiplications are not fewer.

/// Numbers read from and written to slow memory, for one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumbersMoved {
    /// The plain way, every step written out in full.
    pub plain: u64,
    /// Block by block.
    pub blocks: u64,
}

impl NumbersMoved {
    /// For so many heads.
    pub fn times(self, heads: u64) -> Self {
        NumbersMoved { plain: self.plain.saturating_mul(heads), blocks: self.blocks.saturating_mul(heads) }
    }

    /// Whether blocks move no less: small problems lose, for every block of rows reads k and v again.
    pub fn loses(self) -> bool {
        self.blocks >= self.plain
    }
}

/// The numbers that one head moves: n queries, m keys, widths d_k and d_v, `rows` query rows a block.
///
/// - Plain: q and k are read, (n + m)·d_k, and the scores written, nm; the softmax reads them and writes the weights, 2nm; the weights
///   and v are read and the output written, nm + (m + n)·d_v. Together **4nm + (n + m)(d_k + d_v)**.
/// - Blocks: q is read once and the output written once, n·(d_k + d_v); each of the ⌈n/rows⌉ blocks of rows reads the whole of k and v,
///   m·(d_k + d_v). Together **n(d_k + d_v) + m(d_k + d_v)·⌈n/rows⌉**. m, l, o and a block of scores stay on the chip.
///
/// With m = n and d_k = d_v = d that is 4n² + 4nd and 2nd + 2nd·⌈n/rows⌉ (Dao et al. 2022, section 3.2, with blocks of rows
/// outside). How many keys a block has does not matter; it must only fit on the chip. Blocks that are wholly hidden are
/// counted, though a kernel may skip them. `rows` of 0 counts as 1.
///
/// ```
/// # use attnlab::attention::numbers_moved;
/// let moved = numbers_moved(1024, 1024, 64, 64, 64);
/// assert_eq!((moved.plain, moved.blocks), (4_456_448, 2_228_224));
/// ```
pub fn numbers_moved(n: u64, m: u64, d_k: u64, d_v: u64, rows: u64) -> NumbersMoved {
    let product = |factors: &[u64]| factors.iter().fold(1_u64, |product, &factor| product.saturating_mul(factor));
    let widths = d_k.saturating_add(d_v);
    let ends = product(&[n, widths]);
    let plain = product(&[4, n, m]).saturating_add(ends).saturating_add(product(&[m, widths]));
    let blocks = ends.saturating_add(product(&[m, widths, n.div_ceil(rows.max(1))]));
    NumbersMoved { plain, blocks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_problems_lose_and_one_block_of_rows_never_does() {
        // n = 3, d = 4, one row a block: 36 + 48 against 24 + 72.
        let small = numbers_moved(3, 3, 4, 4, 1);
        assert_eq!((small, small.loses()), (NumbersMoved { plain: 84, blocks: 96 }, true));
        assert!(!numbers_moved(3, 3, 4, 4, 3).loses());
    }

    #[test]
    fn keys_and_widths_of_their_own_are_counted_as_they_are() {
        // 2 queries, 3 keys, d_k 5, d_v 7: q 10, k 15, v 21, output 14, and four times 6 pairs.
        let moved = numbers_moved(2, 3, 5, 7, 1);
        assert_eq!((moved.plain, moved.blocks), (10 + 15 + 21 + 14 + 24, 10 + 14 + 2 * (15 + 21)));
        assert_eq!(moved.times(4).plain, 4 * 84);
        assert_eq!(numbers_moved(u64::MAX, 2, 2, 2, 0).plain, u64::MAX);
    }
}
