//! What a cache saves, and what it needs.

/// Work of one head for a run of prefixes, with a cache and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeWork {
    /// Rows of q, k and v that are projected: every token of every prefix again.
    pub rows_without: u64,
    /// One a prefix.
    pub rows_with: u64,
    /// Products of a query and a key: the whole square of every prefix, hidden pairs too.
    pub products_without: u64,
    /// One row of it.
    pub products_with: u64,
}

/// The prefixes of `first`, `first` + 1, …, `last` tokens: rows projected Σ t against Σ 1, score products Σ t² against Σ t.
///
/// ```
/// # use attnlab::attention::decode_work;
/// let work = decode_work(4, 6);
/// assert_eq!((work.rows_without, work.rows_with), (15, 3));
/// assert_eq!((work.products_without, work.products_with), (77, 15));
/// ```
pub fn decode_work(first: u64, last: u64) -> DecodeWork {
    let over = |of: fn(u64) -> u64| (first..=last).fold(0_u64, |sum, t| sum.saturating_add(of(t)));
    DecodeWork {
        rows_without: over(|t| t),
        rows_with: over(|_| 1),
        products_without: over(|t| t.saturating_mul(t)),
        products_with: over(|t| t),
    }
}

/// Bytes of one token in the cache: h_kv · (d_k + d_v) · bytes of a number · layers, which is 2 · h_kv · d · … where k and v are
/// equally wide.
///
/// ```
/// # use attnlab::attention::cache_bytes_per_token;
/// assert_eq!(cache_bytes_per_token(32, 128, 128, 2, 32), 524_288); // Llama-2-7B in fp16
/// assert_eq!(cache_bytes_per_token(8, 128, 128, 2, 32), 131_072); // Llama-3-8B: 8 key/value heads
/// ```
pub fn cache_bytes_per_token(key_value_heads: u64, d_k: u64, d_v: u64, bytes: u64, layers: u64) -> u64 {
    let factors = [key_value_heads, bytes, layers];
    factors.iter().fold(d_k.saturating_add(d_v), |product, &factor| product.saturating_mul(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_key_value_heads_need_less() {
        // d_model 8, 4 heads of 2, 3 tokens, counted in numbers: 48, 24, 12 (MHA, GQA 2, MQA).
        let numbers = [4, 2, 1].map(|heads| 3 * cache_bytes_per_token(heads, 2, 2, 1, 1));
        assert_eq!(numbers, [48, 24, 12]);
    }

    #[test]
    fn no_prefix_is_no_work() {
        let DecodeWork { rows_without, rows_with, products_without, products_with } = decode_work(4, 3);
        assert_eq!([rows_without, rows_with, products_without, products_with], [0; 4]);
    }
}
