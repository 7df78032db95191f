//! Eight numbers at a time, in the vectors of the machine.
//!
//! `plain` is the meaning, in loops over arrays that a compiler turns into vectors; `wasm` does the same instruction by
//! instruction (each vector is 4 numbers), since relaxed SIMD, which rounds once where it multiplies and adds, must be asked for.

#[cfg(not(target_feature = "simd128"))]
#[path = "lanes/plain.rs"]
mod machine;
#[cfg(target_feature = "simd128")]
#[path = "lanes/wasm.rs"]
mod machine;

/// Eight numbers.
#[derive(Clone, Copy)]
pub struct Lanes([machine::Vector; 2]);

impl Lanes {
    pub const COUNT: usize = 8;
    /// Whether `multiply_add` rounds once. (Relaxed SIMD does, but on processors without such an instruction.)
    pub const ROUNDS_ONCE: bool = machine::ROUNDS_ONCE;

    #[inline(always)]
    pub fn splat(number: f32) -> Self {
        Lanes([machine::splat(number); 2])
    }

    #[inline(always)]
    pub fn new([a, b, c, d, e, f, g, h]: [f32; 8]) -> Self {
        Lanes([machine::new([a, b, c, d]), machine::new([e, f, g, h])])
    }

    #[inline(always)]
    pub fn numbers(self) -> [f32; 8] {
        let [[a, b, c, d], [e, f, g, h]] = self.0.map(machine::numbers);
        [a, b, c, d, e, f, g, h]
    }

    /// self·right + sum.
    #[inline(always)]
    pub fn multiply_add(self, right: Self, sum: Self) -> Self {
        let ([a, b], [c, d], [e, f]) = (self.0, right.0, sum.0);
        Lanes([machine::multiply_add(a, c, e), machine::multiply_add(b, d, f)])
    }

    /// Of each lane the larger number. None is NaN.
    #[inline(always)]
    pub fn larger(self, other: Self) -> Self {
        self.both(other, machine::larger)
    }

    /// Of each lane the smaller number. None is NaN.
    #[inline(always)]
    pub fn smaller(self, other: Self) -> Self {
        self.both(other, machine::smaller)
    }

    /// The lowest 9 bits of each number, as the sign and exponent of a number without digits.
    #[inline(always)]
    pub fn low_bits_as_power(self) -> Self {
        Lanes(self.0.map(machine::low_bits_as_power))
    }

    #[inline(always)]
    fn both(self, other: Self, of: impl Fn(machine::Vector, machine::Vector) -> machine::Vector) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Lanes([of(a, c), of(b, d)])
    }
}

impl core::ops::Add for Lanes {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.both(other, machine::add)
    }
}

impl core::ops::Sub for Lanes {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.both(other, machine::subtract)
    }
}

impl core::ops::Mul for Lanes {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.both(other, machine::multiply)
    }
}

impl core::ops::Div for Lanes {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.both(other, machine::divide)
    }
}

#[cfg(test)]
mod tests {
    use super::Lanes;

    /// Every operation against the same on single numbers, each lane another number.
    #[test]
    fn each_lane_is_by_itself() {
        let (a, b) = ([1.5, -2.0, 0.25, 8.0, -0.5, 3.0, 7.0, -9.0], [2.0, 4.0, -1.0, 0.5, 3.0, -6.0, 5.0, 1.0]);
        let (x, y) = (Lanes::new(a), Lanes::new(b));
        let each = |of: fn(f32, f32) -> f32| core::array::from_fn::<f32, 8, _>(|lane| of(a[lane], b[lane]));
        assert_eq!(Lanes::splat(3.0).numbers(), [3.0; 8]);
        assert_eq!(x.numbers(), a);
        assert_eq!((x + y).numbers(), each(|a, b| a + b));
        assert_eq!((x - y).numbers(), each(|a, b| a - b));
        assert_eq!((x * y).numbers(), each(|a, b| a * b));
        assert_eq!((x / y).numbers(), each(|a, b| a / b));
        assert_eq!(x.multiply_add(y, x).numbers(), each(|a, b| a * b + a));
        assert_eq!(x.larger(y).numbers(), each(f32::max));
        assert_eq!(x.smaller(y).numbers(), each(f32::min));
        let powers = Lanes::new([127, 128, 126, 0, 129, 130, 131, 132].map(f32::from_bits)).low_bits_as_power();
        assert_eq!(powers.numbers(), [1.0, 2.0, 0.5, 0.0, 4.0, 8.0, 16.0, 32.0]);
    }
}
