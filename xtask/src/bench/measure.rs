//! All measurements, one after the other.

use super::Wanted;
use super::compare::Peak;
use super::engines::{CONTROL, Device, Engine};
use super::kept::Kept;
use super::machine::Machine;
use super::quiet::{self, Quiet};
use super::row::{Measured, Outcome, Row, WIDTH};
use super::stand::Stand;
use super::table::Report;
use crate::tool::progress;
use anyhow::{Result, bail};
use serde_json::json;
use std::time::Instant;

/// Warm runs of a measurement, at least, where none takes long.
const WARM_RUNS: usize = 5;

/// A measurement that others disturbed is done again, so many times in all.
const TRIES: usize = 3;

/// What the others are not asked for: by whom, with how many threads, and the length.
const LONG: (&str, usize, usize) = ("ours", 2, 65_536);

/// Where the control is measured: as little as is enough.
const CONTROL_LENGTH: usize = 512;

struct Bench {
    stand: Stand,
    quiet: Quiet,
    kept: Kept,
}

/// Measures what is wanted.
pub fn all(wanted: &Wanted, mut stand: Stand) -> Result<Report> {
    let machine = Machine::read(stand.browser_name()?);
    let results = || std::fs::read_to_string(super::folder().join("results.json")).unwrap_or_default();
    let kept = if wanted.is_again { Kept::read(&results(), &machine) } else { Kept::default() };
    let mut bench = Bench { stand, quiet: Quiet::new(wanted.patience), kept };
    bench.check_control()?;
    let mut peaks = Vec::new();
    for engine in wanted.engines.iter().filter(|engine| engine.is_ours) {
        for &threads in engine.threads {
            peaks.extend(bench.peak(engine, threads)?);
        }
    }
    let mut rows = Vec::new();
    for device in [Device::Cpu, Device::WebGpu] {
        // Length by length, so that what is compared is measured soon after each other.
        for &n in wanted.lengths.as_deref().unwrap_or(device.lengths(wanted.is_quick)) {
            for engine in wanted.engines.iter().filter(|engine| engine.device == device) {
                for &threads in engine.threads {
                    rows.push(bench.row(engine, threads, n)?);
                }
            }
        }
    }
    let (id, threads, n) = LONG;
    let is_long = !wanted.is_quick && wanted.lengths.is_none();
    let engine = wanted.engines.iter().find(|engine| engine.id == id && is_long);
    let long = engine.map(|engine| bench.row(engine, threads, n)).transpose()?;
    Ok(Report { machine, rows, peaks, long })
}

impl Bench {
    /// The mistake must be found.
    fn check_control(&mut self) -> Result<()> {
        match self.row(&CONTROL, 1, CONTROL_LENGTH)?.outcome {
            Outcome::Measured(measured) if measured.is_right() => bail!("a wrong result was taken for a right one"),
            Outcome::Measured(_) => Ok(()),
            Outcome::Failed(why) => bail!("the control cannot be measured: {why}"),
        }
    }

    /// Only multiplied and added; nothing where an engine does not tell.
    fn peak(&mut self, engine: &'static Engine, threads: usize) -> Result<Option<Peak>> {
        self.quiet.wait();
        let job = json!({ "engine": engine.module, "options": engine.options(threads) });
        let answer = self.stand.measure(&job)?;
        let measured = answer.ok().and_then(|answer| answer["peak"].as_f64()).map(|operations| operations / 1e9);
        let kept = self.kept.peak(engine, threads);
        let gflops = measured.into_iter().chain(kept).max_by(f64::total_cmp);
        Ok(gflops.map(|gflops| Peak { engine, threads, gflops }))
    }

    /// The fastest of some tries: one, if nobody else computes before and after it. Told in a line.
    fn row(&mut self, engine: &'static Engine, threads: usize, n: usize) -> Result<Row> {
        if let Some(row) = self.kept.row(engine, threads, n) {
            return Ok(row);
        }
        let mut best: Option<Row> = None;
        for _ in 0..TRIES {
            let was_quiet = self.quiet.wait();
            let start = Instant::now();
            let row = self.once(engine, threads, n)?;
            let is_trouble = row.trouble().is_some();
            let is_undisturbed = was_quiet && quiet::is_now();
            let row = match best {
                Some(other) => row.or_faster(other),
                None => row,
            };
            best = Some(Row { is_disturbed: !is_undisturbed, ..row });
            if is_trouble || is_undisturbed || !self.quiet.spend(start.elapsed()) {
                break;
            }
        }
        let row = best.expect("it was tried");
        let how = match (row.right(), row.gflops()) {
            (Some(measured), Some(gflops)) => format!("{:.1} ms, {gflops:.2} GFLOP/s", measured.best_ms()),
            _ => row.trouble().unwrap_or_default(),
        };
        let disturbed = if row.is_disturbed { " (disturbed by other programs)" } else { "" };
        progress(format!("n = {n}, {} ({}): {how}{disturbed}", engine.label(threads), engine.device.key()));
        Ok(row)
    }

    fn once(&mut self, engine: &'static Engine, threads: usize, n: usize) -> Result<Row> {
        let job = json!({
            "engine": engine.module, "options": engine.options(threads),
            "n": n, "d": WIDTH, "warm": WARM_RUNS, "memory": engine.is_ours && n == LONG.2,
        });
        let answer = self.stand.measure(&job)?;
        let measured = answer.and_then(|answer| Measured::read(&answer).map_err(|why| format!("{why:#}")));
        let outcome = measured.map_or_else(Outcome::Failed, Outcome::Measured);
        Ok(Row { engine, threads, n, outcome, is_disturbed: false })
    }
}
