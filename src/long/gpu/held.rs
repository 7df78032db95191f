//! A sequence in the memory of a graphics processor, with what was found of it so far.

use attnlab_kernel::{Of, Partial, Pool, Rule, Side};

use super::pipeline::Pixel;
use super::{Family, Gpu};
use crate::long::{Asked, Attended, Job, LongError, Piece, Tile};

/// The maximum of a row that has seen nothing: a shader knows no infinity.
const NONE: f32 = -3.0e38;
/// Below every score, and above `NONE`.
const LOWEST: f32 = -1.0e38;

/// q, k and v, and of each row the output so far, its maximum and its sum.
pub struct Held {
    n: usize,
    d: usize,
    scale: f32,
    rule: Rule,
    family: Family,
    q: wgpu::Buffer,
    k: wgpu::Buffer,
    v: wgpu::Buffer,
    outputs: wgpu::Buffer,
    sums: wgpu::Buffer,
    asked: wgpu::Buffer,
}

impl Held {
    /// Brings a sequence in; no row has seen anything yet.
    ///
    /// # Errors
    /// A sequence that is longer than the buffers of this processor.
    pub fn new(gpu: &Gpu, asked: &Asked, family: Family) -> Result<Self, LongError> {
        let sequence = asked.sequence();
        let (n, d) = (sequence.n(), sequence.d());
        let most = gpu.most_tokens(d);
        if n > most {
            return Err(LongError::TooLong { found: n, most });
        }
        let width = 4 * d.div_ceil(4);
        let buffer = |bytes: usize, usage: wgpu::BufferUsages| {
            let usage = usage | wgpu::BufferUsages::COPY_DST;
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: bytes as u64,
                usage,
                mapped_at_creation: false,
            })
        };
        let filled = |rows: &[f32]| {
            let buffer = buffer(4 * n * width, wgpu::BufferUsages::STORAGE);
            if d == width {
                gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(rows));
            } else {
                let mut wide = vec![0.0; n * width];
                for (wide, row) in wide.chunks_exact_mut(width).zip(rows.chunks_exact(d)) {
                    wide[..d].copy_from_slice(row);
                }
                gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&wide));
            }
            buffer
        };
        let kept = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let held = Held {
            n,
            d,
            scale: asked.scale(),
            rule: asked.rule(),
            family,
            q: filled(sequence.rows_of_q(0..n)),
            k: filled(sequence.rows_of_k(0..n)),
            v: filled(sequence.rows_of_v(0..n)),
            // Buffers begin as zeros.
            outputs: buffer(4 * n * width, kept),
            sums: buffer(8 * n, kept),
            asked: buffer(128, wgpu::BufferUsages::UNIFORM),
        };
        let nothing: Vec<f32> = [NONE, 0.0].repeat(n);
        gpu.queue.write_buffer(&held.sums, 0, bytemuck::cast_slice(&nothing));
        Ok(held)
    }

    /// A sequence whose rows have seen all that they see: only their maxima and sums, for tiles.
    ///
    /// # Errors
    /// Those of `new`.
    pub fn with_sums(gpu: &Gpu, asked: &Asked, family: Family, attended: &Attended) -> Result<Self, LongError> {
        let held = Self::new(gpu, asked, family)?;
        let rows = attended.maximum.iter().zip(&attended.sum);
        let sums: Vec<f32> = rows.flat_map(|(&maximum, &sum)| [maximum.max(NONE), sum]).collect();
        gpu.queue.write_buffer(&held.sums, 0, bytemuck::cast_slice(&sums));
        Ok(held)
    }

    /// Bytes in the processor's memory.
    pub fn bytes(&self) -> u64 {
        [&self.q, &self.k, &self.v, &self.outputs, &self.sums].map(wgpu::Buffer::size).iter().sum()
    }

    /// What a row sees, as the shaders have it: from row − left on, below row + reach and `real`.
    fn seen(&self) -> [u32; 3] {
        let Rule { causal, left, right, real } = self.rule;
        let right = if causal { 0 } else { right.unwrap_or(self.n).min(self.n) };
        [left.unwrap_or(self.n).min(self.n), right + 1, real.unwrap_or(self.n).min(self.n)].map(|x| x as u32)
    }

    /// Some rows over some of the keys that these rows have not yet seen. Returns at once.
    pub fn step(&self, gpu: &Gpu, job: &Job) {
        let pipeline = gpu.pipelines.attend(&gpu.device, self.family, self.d);
        let [left, reach, real] = self.seen();
        let [first_row, end_row, first_key, end_key] =
            [job.rows.start, job.rows.end, job.keys.start, job.keys.end].map(|x| x as u32);
        let words =
            [self.n as u32, first_row, end_row, first_key, end_key, left, reach, real, self.scale.to_bits(), 0, 0, 0];
        let buffers = [&self.asked, &self.q, &self.k, &self.v, &self.outputs, &self.sums];
        let groups = [job.rows.len().div_ceil(self.family.tall()) as u32, 1];
        self.run(gpu, &pipeline, &words, &buffers, groups);
    }

    /// Some pixels of a tile, into a buffer of their own by rows. Sums are not yet divided where a mean is asked for.
    /// Weights need every row's sum to be whole. Returns at once.
    pub fn tile(&self, gpu: &Gpu, tile: &Tile, piece: &Piece) -> wgpu::Buffer {
        let (rows, keys) = sides(tile, piece);
        let cells = |side: &Side| side.range.len() / side.pixels;
        let pixel = Pixel::of(cells(&rows), cells(&keys));
        let pipeline = gpu.pipelines.tile(&gpu.device, pixel, self.d);
        let made = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 * (piece.down.len() * piece.across.len()) as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let [left, reach, real] = self.seen();
        let scale = if tile.of == Of::Scores { 1.0 } else { self.scale };
        let mut words = vec![self.n as u32, left, reach, real, scale.to_bits()];
        words.extend([u32::from(tile.of == Of::Weights), u32::from(tile.pool != Pool::Max), 0]);
        words.extend(words_of(&rows));
        words.extend(words_of(&keys));
        let buffers = [&self.asked, &self.q, &self.k, &self.sums, &made];
        let groups = [&piece.across, &piece.down].map(|made| made.len().div_ceil(pixel.apart()) as u32);
        self.run(gpu, &pipeline, &words, &buffers, groups);
        made
    }

    fn run(
        &self,
        gpu: &Gpu,
        pipeline: &wgpu::ComputePipeline,
        words: &[u32],
        buffers: &[&wgpu::Buffer],
        groups: [u32; 2],
    ) {
        gpu.queue.write_buffer(&self.asked, 0, bytemuck::cast_slice(words));
        gpu.run(pipeline, buffers, groups);
    }

    /// Where the maxima and sums of these rows lie, and how many bytes they are.
    pub(super) fn sums_of(&self, rows: &std::ops::Range<usize>) -> (&wgpu::Buffer, u64, u64) {
        (&self.sums, 8 * rows.start as u64, 8 * rows.len() as u64)
    }

    /// The same of their outputs.
    pub(super) fn outputs_of(&self, rows: &std::ops::Range<usize>) -> (&wgpu::Buffer, u64, u64) {
        let width = 16 * self.d.div_ceil(4) as u64;
        (&self.outputs, width * rows.start as u64, width * rows.len() as u64)
    }

    /// Rows as they are read: outputs that fill whole vectors, maxima beside sums. `outputs` may be left empty.
    pub(super) fn rows(&self, outputs: &[f32], sums: &[f32]) -> Partial {
        let width = 4 * self.d.div_ceil(4);
        let output = outputs.chunks_exact(width).flat_map(|row| &row[..self.d]).copied().collect();
        let (mut maximum, mut sum) = (Vec::with_capacity(sums.len() / 2), Vec::with_capacity(sums.len() / 2));
        for pair in sums.chunks_exact(2) {
            let is_seen = pair[0] > LOWEST;
            maximum.push(if is_seen { pair[0] } else { f32::NEG_INFINITY });
            sum.push(if is_seen { pair[1] } else { 0.0 });
        }
        Partial { output, maximum, sum }
    }
}

/// A page's memory for it would wait for the garbage collector.
impl Drop for Held {
    fn drop(&mut self) {
        for buffer in [&self.q, &self.k, &self.v, &self.outputs, &self.sums, &self.asked] {
            buffer.destroy();
        }
    }
}

/// Pixels as they are read become what was asked for.
pub(super) fn pixels(tile: &Tile, piece: &Piece, mut made: Vec<f32>) -> Vec<f32> {
    if tile.pool == Pool::Mean {
        let (rows, keys) = sides(tile, piece);
        let cells = |side: &Side, pixel: usize| attnlab_kernel::cells(&side.range, pixel, side.pixels).len();
        for (line, down) in made.chunks_exact_mut(piece.across.len()).zip(piece.down.clone()) {
            for (number, across) in line.iter_mut().zip(piece.across.clone()) {
                *number /= (cells(&rows, down) * cells(&keys, across)) as f32;
            }
        }
    }
    made
}

fn sides(tile: &Tile, piece: &Piece) -> (Side, Side) {
    let rows = Side { range: tile.rows.clone(), pixels: tile.height, made: piece.down.clone() };
    let keys = Side { range: tile.keys.clone(), pixels: tile.width, made: piece.across.clone() };
    (rows, keys)
}

/// A side in the shader's words, up to where the next one may begin.
fn words_of(side: &Side) -> [u32; 8] {
    let [start, cells, pixels, from, made] =
        [side.range.start, side.range.len(), side.pixels, side.made.start, side.made.len()].map(|x| x as u32);
    [start, cells, pixels, from, made, 0, 0, 0]
}
