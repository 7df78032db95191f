//! The engine for everyone who waits: all of attention, a whole tile.

use attnlab_kernel::Partial;

use super::held::pixels;
use super::read::read;
use super::{Family, Gpu, GpuError, Held};
use crate::long::{Asked, Attended, Job, LongError, Piece, Tile};

/// A processor with the sizes of its kernel.
pub struct Whole<'a> {
    pub gpu: &'a Gpu,
    pub family: Family,
}

impl Whole<'_> {
    /// Like `Engine::attend`, in one step.
    ///
    /// # Errors
    /// A sequence that is too long; a processor that is lost.
    pub async fn attend(&self, asked: &Asked<'_>) -> Result<Attended, LongError> {
        let n = asked.sequence().n();
        let held = Held::new(self.gpu, asked, self.family)?;
        held.step(self.gpu, &Job { rows: 0..n, keys: 0..n });
        let mut all = held.read(self.gpu, 0..n).await?;
        all.divide();
        Ok(all.into())
    }

    /// Like `Engine::tile`.
    ///
    /// # Errors
    /// Those of `Tile::check`; an `attended` of another length; a processor that is lost.
    pub async fn tile(&self, asked: &Asked<'_>, attended: &Attended, tile: &Tile) -> Result<Vec<f32>, LongError> {
        tile.check(asked.sequence().n())?;
        attended.check(asked)?;
        let held = Held::with_sums(self.gpu, asked, self.family, attended)?;
        let piece = Piece { down: 0..tile.height, across: 0..tile.width };
        let made = held.tile(self.gpu, tile, &piece);
        Ok(pixels(tile, &piece, read(self.gpu, &[(&made, 0, made.size())]).await?))
    }
}

impl Held {
    /// These rows as they stand, not divided.
    ///
    /// # Errors
    /// A processor that is lost.
    pub async fn read(&self, gpu: &Gpu, rows: std::ops::Range<usize>) -> Result<Partial, GpuError> {
        let outputs = read(gpu, &[self.outputs_of(&rows)]).await?;
        Ok(self.rows(&outputs, &read(gpu, &[self.sums_of(&rows)]).await?))
    }
}

impl From<GpuError> for LongError {
    fn from(error: GpuError) -> Self {
        LongError::Failed { why: error.to_string() }
    }
}

/// Where there are threads the processor can be waited for.
#[cfg(not(target_arch = "wasm32"))]
impl crate::long::Engine for Whole<'_> {
    fn attend(&self, asked: &Asked) -> Result<Attended, LongError> {
        pollster::block_on(self.attend(asked))
    }

    fn tile(&self, asked: &Asked, attended: &Attended, tile: &Tile) -> Result<Vec<f32>, LongError> {
        pollster::block_on(self.tile(asked, attended, tile))
    }
}
