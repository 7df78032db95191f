//! Pieces of a tile: some of its pixels, for whoever holds only the rows and keys below them. Every pixel is in one piece, so
//! pieces are put side by side and never brought together.

use std::ops::Range;

use attnlab_kernel::{Part, Side};

use super::{Asked, Attended, LongError, Tile};

/// Some pixels of a tile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Of the pixels down, these.
    pub down: Range<usize>,
    /// Of the pixels across, these.
    pub across: Range<usize>,
}

impl Tile {
    /// Cuts the tile into pieces of at most so many rows and keys, but of at least one pixel; row by row.
    ///
    /// ```
    /// # use attnlab::long::{Asked, Cpu, Engine, Of, Pool, Rule, Sequence, Tile};
    /// let numbers: Vec<f32> = (0..200).map(|i| (i as f32).sin()).collect();
    /// let asked = Asked::new(Sequence::new(200, 1, &numbers, &numbers, &numbers)?, Rule::default())?;
    /// let attended = Cpu.attend(&asked)?;
    /// let tile = Tile { rows: 0..200, keys: 0..200, height: 10, width: 10, pool: Pool::Max, of: Of::Weights };
    /// let mut pixels = vec![0.0; 100];
    /// for piece in tile.pieces(64, 128) {
    ///     let part = tile.part(&piece, &asked, &attended)?; // what a Worker is sent
    ///     tile.place(&piece, &attnlab_kernel::tile(&part), &mut pixels)?;
    /// }
    /// assert_eq!(pixels, Cpu.tile(&asked, &attended, &tile)?);
    /// # Ok::<(), attnlab::long::LongError>(())
    /// ```
    pub fn pieces(&self, rows: usize, keys: usize) -> impl Iterator<Item = Piece> + use<> {
        let (down, across) = (runs(self.height, self.rows.len(), rows), runs(self.width, self.keys.len(), keys));
        down.flat_map(move |down| across.clone().map(move |across| Piece { down: down.clone(), across }))
    }

    /// What the kernel makes a piece from: the rows and keys below its pixels, borrowed.
    ///
    /// # Errors
    /// Those of `check`; a piece that is empty or ends after the tile; an `attended` of another length.
    pub fn part<'a>(&self, piece: &Piece, asked: &Asked<'a>, attended: &'a Attended) -> Result<Part<'a>, LongError> {
        let sequence = asked.sequence();
        self.check(sequence.n())?;
        self.check_piece(piece)?;
        attended.check(asked)?;
        let rows = Side { range: self.rows.clone(), pixels: self.height, made: piece.down.clone() };
        let keys = Side { range: self.keys.clone(), pixels: self.width, made: piece.across.clone() };
        Ok(Part {
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
            pool: self.pool,
            of: self.of,
        })
    }

    /// Puts the pixels of a piece where they belong among those of the tile, which are height·width by rows.
    ///
    /// # Errors
    /// A piece that is empty or ends after the tile; lengths that are not theirs.
    pub fn place(&self, piece: &Piece, made: &[f32], pixels: &mut [f32]) -> Result<(), LongError> {
        self.check_piece(piece)?;
        let width = piece.across.len();
        let lengths =
            [("a piece", made.len(), piece.down.len() * width), ("the tile", pixels.len(), self.height * self.width)];
        if let Some((place, found, expected)) = lengths.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(LongError::Length { place, found, expected });
        }
        for (y, row) in piece.down.clone().zip(made.chunks_exact(width)) {
            pixels[y * self.width..][piece.across.clone()].copy_from_slice(row);
        }
        Ok(())
    }

    fn check_piece(&self, Piece { down, across }: &Piece) -> Result<(), LongError> {
        for (place, range, n) in [("pixels down", down, self.height), ("pixels across", across, self.width)] {
            if range.is_empty() || range.end > n {
                return Err(LongError::Range { place, start: range.start, end: range.end, n });
            }
        }
        Ok(())
    }
}

/// Pixels in runs, of as many as fit into `most` cells even where pixels are at their largest.
fn runs(pixels: usize, cells: usize, most: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    let step = (most / cells.div_ceil(pixels.max(1)).max(1)).max(1);
    (0..pixels).step_by(step).map(move |first| first..pixels.min(first + step))
}
