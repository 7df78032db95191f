//! Rows of numbers laid out as `product` reads them. What lies after the last row or column is 0.

use alloc::vec;
use alloc::vec::Vec;

use super::lanes::Lanes;
use super::{COLUMNS, KEYS};

/// For the left side, times `scale`: groups of 8 rows, each d × the 8 in lanes.
pub fn pack_rows(rows: &[f32], d: usize, scale: f32) -> Vec<Lanes> {
    let mut packed = Vec::with_capacity((rows.len() / d).div_ceil(Lanes::COUNT) * d);
    for group in rows.chunks(Lanes::COUNT * d) {
        packed.extend((0..d).map(|x| {
            Lanes::new(core::array::from_fn(|lane| group.get(lane * d + x).map_or(0.0, |number| number * scale)))
        }));
    }
    packed
}

/// For the right side, times `scale`, a block of keys after the other: panels of 4 rows, which are columns there, each d × 4.
pub fn pack_columns(rows: &[f32], d: usize, scale: f32) -> Vec<[f32; COLUMNS]> {
    let blocks = (rows.len() / d).div_ceil(KEYS);
    let mut packed = vec![[0.0; COLUMNS]; blocks * KEYS / COLUMNS * d];
    for (row, numbers) in rows.chunks_exact(d).enumerate() {
        for (to, &from) in packed[row / COLUMNS * d..][..d].iter_mut().zip(numbers) {
            to[row % COLUMNS] = from * scale;
        }
    }
    packed
}

/// Values for the right side, a block of keys after the other: ⌈d/4⌉ panels of 4 columns, each 128 keys × 4.
pub fn pack_values(v: &[f32], d: usize) -> Vec<[f32; COLUMNS]> {
    let (panels, blocks) = (d.div_ceil(COLUMNS), (v.len() / d).div_ceil(KEYS));
    let mut packed = vec![[0.0; COLUMNS]; blocks * panels * KEYS];
    for (key, numbers) in v.chunks_exact(d).enumerate() {
        let block = &mut packed[key / KEYS * panels * KEYS..];
        for (panel, from) in numbers.chunks(COLUMNS).enumerate() {
            block[panel * KEYS + key % KEYS][..from.len()].copy_from_slice(from);
        }
    }
    packed
}
