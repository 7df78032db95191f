//! Tiles on the processor: a part of n×n as pixels, in bands of whole pixels that threads share.

use std::ops::Range;

use attnlab_kernel::{Part, Side};

use super::threads::each;
use super::{Asked, Attended, LongError, Tile};

/// Rows below which a band is not worth a thread.
const ROWS_IN_A_BAND: usize = 256;

/// Height·width pixels by rows; beside them one block of scores a thread.
pub fn tile(asked: &Asked, attended: &Attended, tile: &Tile, threads: usize) -> Result<Vec<f32>, LongError> {
    tile.check(asked.sequence().n())?;
    attended.check(asked)?;
    let mut pixels = vec![0.0; tile.height * tile.width];
    // The same bands however many threads there are, so that rounding is the same too.
    let height = (ROWS_IN_A_BAND * tile.height).div_ceil(tile.rows.len());
    let bands = pixels.chunks_mut(height * tile.width).enumerate();
    each(threads, bands, |(index, pixels)| {
        let first = index * height;
        let made = first..first + pixels.len() / tile.width;
        pixels.copy_from_slice(&attnlab_kernel::tile(&part(asked, attended, tile, made)));
    });
    Ok(pixels)
}

/// What the pixels of these rows of pixels are made from. The tile was checked.
fn part<'a>(asked: &Asked<'a>, attended: &'a Attended, tile: &Tile, made: Range<usize>) -> Part<'a> {
    let sequence = asked.sequence();
    let rows = Side { range: tile.rows.clone(), pixels: tile.height, made };
    let keys = Side { range: tile.keys.clone(), pixels: tile.width, made: 0..tile.width };
    Part {
        n: sequence.n(),
        d: sequence.d(),
        q: sequence.rows_of_q(rows.cells()),
        k: sequence.rows_of_k(keys.cells()),
        maximum: &attended.maximum[rows.cells()],
        sum: &attended.sum[rows.cells()],
        rows,
        keys,
        scale: asked.scale(),
        rule: asked.rule(),
        pool: tile.pool,
        of: tile.of,
    }
}
