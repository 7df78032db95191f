//! At every start: which sizes of the kernel are fastest here, how much fits into a step, and whether the numbers are right.

use super::whole::Whole;
use super::{Family, Gpu, GpuError, Held};
use crate::long::generate::{Kind, generate};
use crate::long::{Asked, BLOCK, Case, Job, LongError, Of, Piece, Pool, Rule, Sizes, Tile};

/// Milliseconds since some moment.
pub type Clock = dyn Fn() -> f64;

/// Tokens of the trial.
const N: usize = 4096;
/// Milliseconds after which a measurement says enough.
const ENOUGH: f64 = 10.0;
/// Milliseconds of a step: short enough that a page which draws with the same processor stays smooth.
const STEP: f64 = 8.0;
/// Keys of a step, where there are as many: with fewer it would mostly bring rows in and out again.
const KEYS: usize = 4 * BLOCK;
/// The same in software, where few rows keep it as busy as many, and a page waits for its picture anyway.
const SOFTWARE: (f64, usize) = (30.0, 16 * BLOCK);

/// What was found of a processor, for rows of width d.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    pub d: usize,
    pub family: Family,
    /// Pairs a millisecond that are attended to, and that go into pixels.
    pub pairs: (f64, f64),
    /// The largest difference from f64.
    pub difference: f64,
    /// Operations a second where it only multiplies and adds.
    pub peak: f64,
}

/// Tests a processor and tries its speed for rows of width d.
///
/// # Errors
/// `Wrong` where a number differs from f64; `Lost` where it stops.
pub async fn prepare(gpu: &Gpu, d: usize, clock: &Clock) -> Result<Trial, GpuError> {
    let generated = generate(Kind::Random, N, d, 1);
    let wrong = |error: LongError| GpuError::Wrong { why: error.to_string() };
    let asked = generated.sequence().and_then(|sequence| Asked::new(sequence, Rule::default())).map_err(wrong)?;
    let held = |family| Held::new(gpu, &asked, family).map_err(|error| GpuError::Missing { why: error.to_string() });
    let mut best: Option<(Family, f64)> = None;
    for family in gpu.tried(d) {
        let held = held(family)?;
        let pairs = speed(async |side| attend(gpu, &held, side, clock).await).await?;
        if best.is_none_or(|(_, most)| pairs > most) {
            best = Some((family, pairs));
        }
    }
    let (family, pairs) = best.ok_or_else(|| GpuError::Missing { why: "its workgroups are too small".to_owned() })?;
    let whole = Whole { gpu, family };
    let mut difference = 0.0_f64;
    for case in Case::all(d) {
        let asked = case.asked().map_err(wrong)?;
        let attended = whole.attend(&asked).await.map_err(wrong)?;
        let mut tiles = Vec::new();
        for tile in case.tiles() {
            tiles.push(whole.tile(&asked, &attended, tile).await.map_err(wrong)?);
        }
        difference = difference.max(case.check(&attended, &tiles).map_err(wrong)?);
    }
    gpu.check()?;
    let held = held(family)?;
    let drawn = speed(async |side| draw(gpu, &held, side, clock).await).await?;
    let peak = super::probe::peak(gpu, clock).await?;
    Ok(Trial { d, family, pairs: (pairs, drawn), difference, peak })
}

/// Pairs a millisecond, by the time that a square of pairs takes.
async fn speed(time: impl AsyncFn(usize) -> Result<f64, GpuError>) -> Result<f64, GpuError> {
    let (side, took) = growing((BLOCK, N), time).await?;
    Ok((side * side) as f64 / took)
}

/// Twice as much again and again, until it takes long enough to say something, and its milliseconds: without those of the
/// least, which are the way to the processor and back.
pub(super) async fn growing(
    (least, most): (usize, usize),
    time: impl AsyncFn(usize) -> Result<f64, GpuError>,
) -> Result<(usize, f64), GpuError> {
    let mut nothing = f64::INFINITY;
    // The first one compiles.
    for _ in 0..3 {
        nothing = nothing.min(time(least).await?);
    }
    let mut much = 2 * least;
    loop {
        let took = time(much).await? - nothing;
        if took > ENOUGH || much >= most {
            return Ok((much, took.max(0.1)));
        }
        much *= 2;
    }
}

/// Attends to this many rows and keys.
async fn attend(gpu: &Gpu, held: &Held, rows: usize, clock: &Clock) -> Result<f64, GpuError> {
    let start = clock();
    held.step(gpu, &Job { rows: 0..rows, keys: 0..rows });
    held.read(gpu, 0..1).await?;
    Ok(clock() - start)
}

/// Of this many rows and keys, two pixels each way.
async fn draw(gpu: &Gpu, held: &Held, cells: usize, clock: &Clock) -> Result<f64, GpuError> {
    let tile = Tile { rows: 0..cells, keys: 0..cells, height: 2, width: 2, pool: Pool::Max, of: Of::Scaled };
    let start = clock();
    let made = held.tile(gpu, &tile, &Piece { down: 0..2, across: 0..2 });
    super::read::read(gpu, &[(&made, 0, made.size())]).await?;
    Ok(clock() - start)
}

impl Trial {
    /// What is done at a time of a sequence of n rows: all rows with some of the keys, so that the processor is full, or where
    /// even that takes too long some of the rows with a few blocks of keys.
    pub fn sizes(&self, n: usize) -> Sizes {
        let in_blocks = |of: f64| ((of / BLOCK as f64) as usize).max(1) * BLOCK;
        let (step, least) = if self.family.is_for_software() { SOFTWARE } else { (STEP, KEYS) };
        let pairs = self.pairs.0 * step;
        let all = n.next_multiple_of(BLOCK);
        let keys = in_blocks(pairs / all as f64).max(least).min(all);
        let rows = in_blocks(pairs / keys as f64).min(all);
        let side = (self.pairs.1 * STEP).sqrt();
        Sizes { step: (rows, keys), piece: (side as usize, side as usize) }
    }
}
