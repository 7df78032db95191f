//! exp in 32 bits without a branch, eight at a time.

use super::lanes::Lanes;

/// Below this a result would no longer be a normal number: it is 0.
const LOWEST: f32 = -87.33;

/// e^x for x ≤ 0, within 3 units in the last place; 0 below −87.33, −∞ included.
///
/// x = n·ln 2 + t with whole n and |t| ≤ ln 2 / 2 (ln 2 in two parts, Cody and Waite 1980); e^t is a polynomial of degree
/// 5, and n goes into the exponent. Adding 1.5·2²³ rounds to a whole number and leaves it in the lowest bits.
#[inline(always)]
#[allow(clippy::excessive_precision)] // The digits of the fit, as they came.
pub fn exp_of_lanes(x: Lanes) -> Lanes {
    let of = Lanes::splat;
    let round = of(12_582_912.0 + 127.0);
    let rounded = x.multiply_add(of(core::f32::consts::LOG2_E), round);
    let power = rounded.low_bits_as_power(); // 2^n
    let n = rounded - round;
    let t = n.multiply_add(of(-0.693_145_752), x);
    let t = n.multiply_add(of(-1.428_606_77e-6), t);
    let p = of(0.008_290_272_206);
    let p = p.multiply_add(t, of(0.041_898_161_17));
    let p = p.multiply_add(t, of(0.166_676_387_2));
    let p = p.multiply_add(t, of(0.499_991_476_5));
    let p = p.multiply_add(t, of(0.999_999_702_0));
    let e = (t * power).multiply_add(p, power);
    e.zero_where_below(x, LOWEST)
}

/// One of `exp_of_lanes`.
pub fn exp(x: f32) -> f32 {
    exp_of_lanes(Lanes::splat(x)).numbers()[0]
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
