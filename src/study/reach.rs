//! What a position can know after several layers: each layer hands on what the tokens that it sees knew before.

use nalgebra::DMatrix;

/// After how many layers token i first knows of token j; `None` where it never does. `sees` is n×n: row i sees column
/// j. A token keeps what it knows from layer to layer (the residual path), so it knows itself after 0 layers.
///
/// ```
/// # use attnlab::study::reach::layers_needed;
/// // A window of two to the left: three layers reach six back.
/// let window = nalgebra::DMatrix::from_fn(8, 8, |i, j| j <= i && j + 2 >= i);
/// let needed = layers_needed(&window);
/// assert_eq!((needed[(7, 1)], needed[(7, 0)], needed[(0, 7)]), (Some(3), Some(4), None));
/// ```
pub fn layers_needed(sees: &DMatrix<bool>) -> DMatrix<Option<usize>> {
    let n = sees.nrows();
    let mut needed = DMatrix::from_fn(n, n, |i, j| (i == j).then_some(0));
    for i in 0..n {
        // Outwards from token i, one layer at a time.
        let mut edge = vec![i];
        let mut layer = 0;
        while !edge.is_empty() {
            layer += 1;
            let mut next = Vec::new();
            for &from in &edge {
                for j in (0..n).filter(|&j| sees[(from, j)]) {
                    if needed[(i, j)].is_none() {
                        needed[(i, j)] = Some(layer);
                        next.push(j);
                    }
                }
            }
            edge = next;
        }
    }
    needed
}

/// How many pairs a layer computes.
pub fn pairs(sees: &DMatrix<bool>) -> usize {
    sees.iter().filter(|sees| **sees).count()
}

/// Patterns that leave most pairs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Blocks of this many tokens see themselves.
    Blocks(usize),
    /// Every so manyth token before, and the last ones (Child et al. 2019, strided).
    Strided(usize),
    /// 1, 2, 4, 8, … back.
    Powers,
}

impl Pattern {
    /// The pairs, causal or both ways: n×n.
    pub fn pairs(self, n: usize, causal: bool) -> DMatrix<bool> {
        DMatrix::from_fn(n, n, |i, j| {
            let distance = i.abs_diff(j);
            let is_seen = match self {
                Self::Blocks(size) => i / size.max(1) == j / size.max(1),
                Self::Strided(stride) => distance < stride || distance.is_multiple_of(stride.max(1)),
                Self::Powers => distance == 0 || distance.is_power_of_two(),
            };
            is_seen && (!causal || j <= i)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The powers of the matrix of who sees whom say the same.
    #[test]
    fn it_agrees_with_powers_of_the_matrix() {
        for (pattern, causal) in [
            (Pattern::Blocks(3), false),
            (Pattern::Strided(3), true),
            (Pattern::Powers, true),
            (Pattern::Powers, false),
        ] {
            let n = 11;
            let sees = pattern.pairs(n, causal);
            let needed = layers_needed(&sees);
            let one = sees.map(usize::from) + DMatrix::identity(n, n);
            let mut power: DMatrix<usize> = DMatrix::identity(n, n);
            for layers in 0..=n {
                let reached = needed.map(|needed| needed.is_some_and(|needed| needed <= layers));
                assert_eq!(reached, power.map(|ways| ways > 0), "{pattern:?} after {layers}");
                power = (&power * &one).map(|ways| ways.min(1));
            }
        }
    }

    #[test]
    fn blocks_never_meet_and_powers_meet_in_the_logarithm() {
        let blocks = layers_needed(&Pattern::Blocks(4).pairs(8, false));
        assert_eq!((blocks[(0, 3)], blocks[(0, 4)]), (Some(1), None));
        let powers = layers_needed(&Pattern::Powers.pairs(64, true));
        assert!(powers.row(63).iter().all(|needed| needed.is_some_and(|needed| needed <= 6)));
    }
}
