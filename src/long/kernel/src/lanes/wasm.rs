//! Four numbers in a vector of WebAssembly, relaxed where the build allows it.

use core::arch::wasm32::*;

pub type Vector = v128;

pub const ROUNDS_ONCE: bool = cfg!(target_feature = "relaxed-simd");

#[inline(always)]
pub fn splat(number: f32) -> Vector {
    f32x4_splat(number)
}

/// From memory the compiler makes one load of it.
#[inline(always)]
pub fn new([a, b, c, d]: [f32; 4]) -> Vector {
    f32x4(a, b, c, d)
}

#[inline(always)]
pub fn numbers(vector: Vector) -> [f32; 4] {
    [
        f32x4_extract_lane::<0>(vector),
        f32x4_extract_lane::<1>(vector),
        f32x4_extract_lane::<2>(vector),
        f32x4_extract_lane::<3>(vector),
    ]
}

#[inline(always)]
pub fn add(a: Vector, b: Vector) -> Vector {
    f32x4_add(a, b)
}

#[inline(always)]
pub fn subtract(a: Vector, b: Vector) -> Vector {
    f32x4_sub(a, b)
}

#[inline(always)]
pub fn multiply(a: Vector, b: Vector) -> Vector {
    f32x4_mul(a, b)
}

#[inline(always)]
pub fn divide(a: Vector, b: Vector) -> Vector {
    f32x4_div(a, b)
}

/// Rounded once where the processor can, which relaxed SIMD leaves to it.
#[inline(always)]
pub fn multiply_add(a: Vector, b: Vector, sum: Vector) -> Vector {
    #[cfg(target_feature = "relaxed-simd")]
    return f32x4_relaxed_madd(a, b, sum);
    #[cfg(not(target_feature = "relaxed-simd"))]
    return f32x4_add(f32x4_mul(a, b), sum);
}

/// `pmax` is one instruction on x86, where `max` is several for the sake of NaN.
#[inline(always)]
pub fn larger(a: Vector, b: Vector) -> Vector {
    f32x4_pmax(a, b)
}

#[inline(always)]
pub fn smaller(a: Vector, b: Vector) -> Vector {
    f32x4_pmin(a, b)
}

#[inline(always)]
pub fn low_bits_as_power(vector: Vector) -> Vector {
    i32x4_shl(vector, 23)
}
