//! Tiles on the processor: bands of whole rows of pixels, which threads share.

use super::threads::each;
use super::{Asked, Attended, LongError, Piece, Tile};

/// Fewer are not worth a thread.
const ROWS_IN_A_BAND: usize = 256;

/// Height·width pixels by rows; beside them one block of scores a thread.
pub fn tile(asked: &Asked, attended: &Attended, tile: &Tile, threads: usize) -> Result<Vec<f32>, LongError> {
    tile.check(asked.sequence().n())?;
    attended.check(asked)?;
    let mut pixels = vec![0.0; tile.height * tile.width];
    // The same bands however many threads there are, so that rounding is the same too.
    let bands: Vec<Piece> = tile.pieces(ROWS_IN_A_BAND, usize::MAX).collect();
    let height = bands[0].down.len();
    let parts: Result<Vec<_>, _> = bands.iter().map(|band| tile.part(band, asked, attended)).collect();
    each(threads, parts?.into_iter().zip(pixels.chunks_mut(height * tile.width)), |(part, pixels)| {
        pixels.copy_from_slice(&attnlab_kernel::tile(&part));
    });
    Ok(pixels)
}
