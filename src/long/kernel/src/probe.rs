//! How fast this machine multiplies and adds, when nothing else is in the way: what the rest is measured by.

use super::lanes::Lanes;

/// Sums that do not wait for each other, as many as fit into registers.
const CHAINS: usize = 6;

/// Floating-point operations of one time around.
pub const OPERATIONS: usize = CHAINS * Lanes::COUNT * 2;

/// Multiplies and adds `times` around, in the same vectors as the product. The result means nothing, but is to be looked at,
/// and `factor` is not to be a number that a compiler knows: else it would do nothing.
pub fn multiply_adds(times: usize, factor: f32) -> f32 {
    let mut sums = [Lanes::splat(0.0); CHAINS];
    let (factor, one) = (Lanes::splat(factor), Lanes::splat(1.0));
    for _ in 0..times {
        for sum in &mut sums {
            *sum = sum.multiply_add(factor, one);
        }
    }
    sums.into_iter().fold(Lanes::splat(0.0), |all, sum| all + sum).numbers().iter().sum()
}

#[cfg(test)]
mod tests {
    use super::{OPERATIONS, multiply_adds};

    #[test]
    fn it_does_all_of_it() {
        // 1, 1.5, 1.75: each time around every sum is halved and gains 1.
        let sums = (OPERATIONS / 2) as f32;
        assert_eq!([0, 1, 2, 3].map(|times| multiply_adds(times, 0.5) / sums), [0.0, 1.0, 1.5, 1.75]);
    }
}
