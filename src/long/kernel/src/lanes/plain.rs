//! Four numbers as an array.

pub type Vector = [f32; 4];

pub const ROUNDS_ONCE: bool = false;

#[inline(always)]
fn both(a: Vector, b: Vector, of: impl Fn(f32, f32) -> f32) -> Vector {
    core::array::from_fn(|lane| of(a[lane], b[lane]))
}

#[inline(always)]
pub fn splat(number: f32) -> Vector {
    [number; 4]
}

#[inline(always)]
pub fn new(numbers: [f32; 4]) -> Vector {
    numbers
}

#[inline(always)]
pub fn numbers(vector: Vector) -> [f32; 4] {
    vector
}

#[inline(always)]
pub fn add(a: Vector, b: Vector) -> Vector {
    both(a, b, |a, b| a + b)
}

#[inline(always)]
pub fn subtract(a: Vector, b: Vector) -> Vector {
    both(a, b, |a, b| a - b)
}

#[inline(always)]
pub fn multiply(a: Vector, b: Vector) -> Vector {
    both(a, b, |a, b| a * b)
}

#[inline(always)]
pub fn divide(a: Vector, b: Vector) -> Vector {
    both(a, b, |a, b| a / b)
}

#[inline(always)]
pub fn multiply_add(a: Vector, b: Vector, sum: Vector) -> Vector {
    add(multiply(a, b), sum)
}

#[inline(always)]
pub fn larger(a: Vector, b: Vector) -> Vector {
    both(a, b, |a, b| if a > b { a } else { b })
}

#[inline(always)]
pub fn smaller(a: Vector, b: Vector) -> Vector {
    both(a, b, |a, b| if a < b { a } else { b })
}

#[inline(always)]
pub fn low_bits_as_power(vector: Vector) -> Vector {
    vector.map(|number| f32::from_bits(number.to_bits() << 23))
}
