//! exp in 32 bits without a branch, so that a compiler can do several at once.

/// Below this a result would no longer be a normal number: it is 0.
const LOWEST: f32 = -87.33;

/// e^x for x ≤ 0, within 3 units in the last place; 0 below −87.33, −∞ included.
///
/// x = n·ln 2 + t with whole n and |t| ≤ ln 2 / 2 (ln 2 in two parts, Cody and Waite 1980); e^t is a polynomial of degree
/// 5, and n goes into the exponent. Adding 1.5·2²³ rounds to a whole number and leaves it in the lowest bits.
#[inline(always)]
#[allow(clippy::excessive_precision)] // The digits of the fit, as they came.
pub fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0 + 127.0;
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let power = f32::from_bits(rounded.to_bits() << 23); // 2^n
    let n = rounded - ROUND;
    let t = x - n * 0.693_145_752 - n * 1.428_606_77e-6;
    let p = 0.008_290_272_206;
    let p = p * t + 0.041_898_161_17;
    let p = p * t + 0.166_676_387_2;
    let p = p * t + 0.499_991_476_5;
    let p = p * t + 0.999_999_702_0;
    let e = t * power * p + power;
    if x < LOWEST { 0.0 } else { e }
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn it_is_within_three_units_in_the_last_place() {
        assert_eq!((exp(0.0), exp(-88.0), exp(f32::NEG_INFINITY)), (1.0, 0.0, 0.0));
        for step in 0..87_000 {
            let x = -(step as f32) * 1e-3;
            let expected = f64::from(x).exp();
            let unit = f64::from((expected as f32).next_up()) - f64::from(expected as f32);
            let error = (f64::from(exp(x)) - expected).abs();
            assert!(error <= 3.0 * unit, "exp({x}) is off by {} units", error / unit);
        }
    }
}
