//! exp in 32 bits without a branch, eight at a time.

use super::lanes::Lanes;

/// Here 2ⁿ has left the numbers of 32 bits, and is 0.
const LOWEST: f32 = -88.0;

/// What e^x is computed with.
///
/// It lies in memory: of a constant in the program a browser's compiler makes several instructions, each time around.
pub struct Exp {
    lowest: Lanes,
    log2_e: Lanes,
    round: Lanes,
    /// −ln 2; and in two parts, the first with so few digits that its product with n is exact.
    ln_2: Lanes,
    ln_2_parts: [Lanes; 2],
    /// 1 + these·t, t², … is e^t.
    polynomial: [Lanes; 5],
}

impl Exp {
    #[inline(always)]
    #[allow(clippy::excessive_precision)] // The digits of the fit, as they came.
    pub fn new() -> Self {
        let of = |number: f32| Lanes::splat(core::hint::black_box(number));
        Exp {
            lowest: of(LOWEST),
            log2_e: of(core::f32::consts::LOG2_E),
            round: of(12_582_912.0 + 127.0),
            ln_2: of(-core::f32::consts::LN_2),
            ln_2_parts: [of(-0.693_145_752), of(-1.428_606_77e-6)],
            polynomial: [0.999_999_702_0, 0.499_991_476_5, 0.166_676_387_2, 0.041_898_161_17, 0.008_290_272_206]
                .map(of),
        }
    }

    /// e^x for x ≤ 0, within 3 units in the last place (5 where products are not rounded); 0 from −87.7 down, −∞ included.
    ///
    /// x = n·ln 2 + t with whole n and |t| ≤ ln 2 / 2; e^t is a polynomial of degree 5, and n goes into the exponent. Adding
    /// 1.5·2²³ rounds to a whole number and leaves it in the lowest bits. ln 2 in 32 bits is exact to 2·10⁻⁹; where a product
    /// is rounded before it is added it comes in two parts (Cody and Waite 1980).
    #[inline(always)]
    pub fn of(&self, x: Lanes) -> Lanes {
        let x = x.larger(self.lowest);
        let rounded = x.multiply_add(self.log2_e, self.round);
        let power = rounded.low_bits_as_power(); // 2^n
        let n = rounded - self.round;
        let t = if Lanes::ROUNDS_ONCE {
            n.multiply_add(self.ln_2, x)
        } else {
            self.ln_2_parts.iter().fold(x, |t, &part| n.multiply_add(part, t))
        };
        let [a, b, c, d, e] = self.polynomial;
        let p = e.multiply_add(t, d).multiply_add(t, c).multiply_add(t, b).multiply_add(t, a);
        (t * power).multiply_add(p, power)
    }
}

/// One number of `Exp`.
pub fn exp(x: f32) -> f32 {
    Exp::new().of(Lanes::splat(x)).numbers()[0]
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
