//! What the rows say beside each other.

use super::engines::{Device, Engine};
use super::row::Row;

/// What one kind of thread comes to when it only multiplies and adds.
pub struct Peak {
    pub engine: &'static Engine,
    pub threads: usize,
    pub gflops: f64,
}

/// The fastest of the others that is right, on the same device with as many threads, or fewer if it does better so.
pub fn best_rival(rows: &[Row], device: Device, threads: usize, n: usize) -> Option<&Row> {
    let is_rival = |row: &&Row| {
        !row.engine.is_ours
            && row.engine.device == device
            && row.threads <= threads
            && row.n == n
            && row.gflops().is_some()
    };
    let speed = |row: &Row| row.gflops().unwrap_or(0.0);
    rows.iter().filter(is_rival).max_by(|one, other| speed(one).total_cmp(&speed(other)))
}

/// How many times as fast as the best rival a row is, and which that is.
pub fn ratio<'a>(rows: &'a [Row], row: &Row) -> Option<(f64, &'a Row)> {
    let rival = best_rival(rows, row.engine.device, row.threads, row.n)?;
    Some((row.gflops()? / rival.gflops()?, rival))
}

/// The shortest sequence that an engine does not do, with the reason.
pub fn first_trouble(rows: &[Row], engine: &Engine, threads: usize) -> Option<(usize, String)> {
    let own = rows.iter().filter(|row| row.engine.id == engine.id && row.threads == threads);
    own.filter_map(|row| Some((row.n, row.trouble()?))).min_by_key(|(n, _)| *n)
}

/// The peak of an engine, where it was measured.
pub fn peak(peaks: &[Peak], engine: &Engine, threads: usize) -> Option<f64> {
    let is_its = |peak: &&Peak| peak.engine.id == engine.id && peak.threads == threads;
    peaks.iter().find(is_its).map(|peak| peak.gflops)
}

#[cfg(test)]
mod tests {
    use super::super::engines::ENGINES;
    use super::super::row::{Outcome, tests::row};
    use super::*;

    #[test]
    fn a_wrong_engine_is_never_the_best_rival() {
        // The fastest has O shifted by a row; the next has no result.
        let mut rows = vec![
            row("ours", 1, 1024, 10.0, 1e-7),
            row("onnx", 1, 1024, 1.0, 0.9),
            row("tfjs", 1, 1024, 20.0, 1e-7),
            row("jax", 1, 1024, 2.0, 1e-7),
        ];
        rows[3].outcome = Outcome::Failed("out of memory".to_owned());
        let (times, rival) = ratio(&rows, &rows[0]).unwrap();
        assert_eq!((times, rival.engine.id), (2.0, "tfjs"));
        assert_eq!(first_trouble(&rows, rival.engine, 1), None);
        assert_eq!(first_trouble(&rows, rows[1].engine, 1), Some((1024, "wrong: error 9.0e-1".to_owned())));
        assert_eq!(first_trouble(&rows, rows[3].engine, 1), Some((1024, "failed: out of memory".to_owned())));
    }

    #[test]
    fn rivals_have_the_same_length_and_device_and_not_more_threads() {
        let mut rows = vec![
            row("ours", 1, 1024, 10.0, 1e-7),
            row("onnx", 2, 1024, 1.0, 1e-7),
            row("onnx", 1, 512, 1.0, 1e-7),
            row("onnx-webgpu", 1, 1024, 1.0, 1e-7),
            row("ours-simd", 1, 1024, 1.0, 1e-7),
        ];
        assert!(ratio(&rows, &rows[0]).is_none());
        // Who is best with one thread is a rival of two as well.
        rows.push(row("tfjs", 1, 1024, 0.5, 1e-7));
        rows.push(row("ours", 2, 1024, 0.25, 1e-7));
        assert_eq!(ratio(&rows, &rows[6]).map(|(times, rival)| (times, rival.engine.id)), Some((2.0, "tfjs")));
    }

    #[test]
    fn the_first_trouble_is_that_of_the_shortest_sequence() {
        let rows = [
            row("onnx", 1, 16_384, 1.0, 0.5),
            row("onnx", 1, 4096, 1.0, 1e-7),
            row("onnx", 1, 8192, 1.0, 0.25),
            row("onnx", 2, 512, 1.0, 0.5),
        ];
        assert_eq!(first_trouble(&rows, rows[0].engine, 1), Some((8192, "wrong: error 2.5e-1".to_owned())));
    }

    #[test]
    fn the_peak_is_that_of_the_same_build_and_threads() {
        let engine = |id| ENGINES.iter().find(|engine| engine.id == id).unwrap();
        let of = |id, threads, gflops| Peak { engine: engine(id), threads, gflops };
        let peaks = [of("ours-simd", 1, 1.0), of("ours", 2, 2.0), of("ours", 1, 4.0)];
        assert_eq!(peak(&peaks, engine("ours"), 1), Some(4.0));
        assert_eq!(peak(&peaks, engine("onnx"), 1), None);
    }
}
