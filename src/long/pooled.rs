//! Tiles: a part of n×n as pixels, computed again block by block from q and k and thrown away.

use super::engine::cells;
use super::kernel::{BLOCK, COLUMNS, ROWS, pack_keys, pack_queries, product};
use super::{Asked, Attended, LongError, Of, Pool, Tile};

/// Height·width pixels by rows; beside them one block of scores.
pub fn tile(asked: &Asked, attended: &Attended, tile: &Tile) -> Result<Vec<f32>, LongError> {
    let n = asked.sequence().n();
    tile.check(n)?;
    attended.check(asked)?;
    let mut pixels = Pixels::new(tile);
    for first_key in blocks(&tile.keys) {
        let keys = pack_keys(asked.sequence(), first_key);
        for first_row in blocks(&tile.rows) {
            // Hidden weights are 0, as the pixels are at the start.
            if tile.of == Of::Weights && is_hidden(asked, first_row, first_key) {
                continue;
            }
            let scores = scores(asked, tile.of, first_row, &keys);
            for row in tile.rows.start.max(first_row)..tile.rows.end.min(first_row + BLOCK) {
                let visible = asked.rule().visible(row, n);
                for key in tile.keys.start.max(first_key)..tile.keys.end.min(first_key + BLOCK) {
                    let score = scores[row - first_row][key - first_key];
                    let number = match tile.of {
                        Of::Scores | Of::Scaled => score,
                        Of::Weights if visible.contains(&key) => attended.of_scaled(row, score),
                        Of::Weights => 0.0,
                    };
                    pixels.add(row, key, number);
                }
            }
        }
    }
    Ok(pixels.finish())
}

/// The blocks that a range touches, by their first cell.
fn blocks(range: &std::ops::Range<usize>) -> impl Iterator<Item = usize> + use<> {
    (range.start / BLOCK * BLOCK..range.end).step_by(BLOCK)
}

/// Whether no pair of this block is visible.
fn is_hidden(asked: &Asked, first_row: usize, first_key: usize) -> bool {
    let n = asked.sequence().n();
    let last_row = n.min(first_row + BLOCK) - 1;
    let (begin, end) = (asked.rule().visible(first_row, n).start, asked.rule().visible(last_row, n).end);
    first_key + BLOCK <= begin || end <= first_key
}

/// 64×64 scores, from the same product as the output's.
fn scores(asked: &Asked, of: Of, first_row: usize, keys: &[[f32; COLUMNS]]) -> Vec<[f32; BLOCK]> {
    let d = asked.sequence().d();
    let scale = if of == Of::Scores { 1.0 } else { asked.scale() };
    let queries = pack_queries(asked.sequence(), first_row, scale);
    let mut scores = vec![[0.0; BLOCK]; BLOCK];
    for (group, queries) in queries.chunks_exact(d).enumerate() {
        for (panel, keys) in keys.chunks_exact(d).enumerate() {
            for (lane, sums) in product(queries, keys).iter().enumerate() {
                scores[group * ROWS + lane][panel * COLUMNS..][..COLUMNS].copy_from_slice(sums);
            }
        }
    }
    scores
}

/// The pixels while cells come in, in any order.
struct Pixels<'a> {
    tile: &'a Tile,
    /// In 64 bits: a pixel may stand for a thousand million cells.
    numbers: Vec<f64>,
    /// Of each row and key of the tile, its pixel.
    down: Vec<usize>,
    across: Vec<usize>,
}

impl<'a> Pixels<'a> {
    fn new(tile: &'a Tile) -> Self {
        let start = if tile.pool == Pool::Max && tile.of != Of::Weights { f64::NEG_INFINITY } else { 0.0 };
        let pixel_of = |range, pixels| {
            (0..pixels).flat_map(|pixel| std::iter::repeat_n(pixel, cells(range, pixel, pixels).len())).collect()
        };
        Pixels {
            tile,
            numbers: vec![start; tile.height * tile.width],
            down: pixel_of(&tile.rows, tile.height),
            across: pixel_of(&tile.keys, tile.width),
        }
    }

    fn add(&mut self, row: usize, key: usize, number: f32) {
        let (y, x) = (self.down[row - self.tile.rows.start], self.across[key - self.tile.keys.start]);
        let pixel = &mut self.numbers[y * self.tile.width + x];
        match self.tile.pool {
            Pool::Max => *pixel = pixel.max(f64::from(number)),
            Pool::Mean | Pool::Sum => *pixel += f64::from(number),
        }
    }

    fn finish(self) -> Vec<f32> {
        let Tile { rows, keys, height, width, pool, .. } = self.tile;
        let cells_of = |at: usize| cells(rows, at / width, *height).len() * cells(keys, at % width, *width).len();
        let divided = |(at, number): (usize, f64)| match pool {
            Pool::Mean => (number / cells_of(at) as f64) as f32,
            Pool::Max | Pool::Sum => number as f32,
        };
        self.numbers.into_iter().enumerate().map(divided).collect()
    }
}
