//! One measurement: an engine, its threads, a length, and how it ended.

use super::engines::Engine;
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Width of the head. All are measured with one head of this width.
pub const WIDTH: usize = 64;

/// The largest error that is right, as a part of the largest number of O.
const TOLERANCE: f64 = 1e-5;

pub struct Row {
    pub engine: &'static Engine,
    pub threads: usize,
    pub n: usize,
    pub outcome: Outcome,
    /// Other programs computed before or after it.
    pub is_disturbed: bool,
}

pub enum Outcome {
    Measured(Measured),
    /// Why there is no result.
    Failed(String),
}

#[derive(Default)]
pub struct Measured {
    pub cold_ms: f64,
    /// One at least.
    pub warm_ms: Vec<f64>,
    /// Of the largest number of O; not a number where O is none.
    pub error: f64,
    pub bytes: Bytes,
    pub version: Option<String>,
    pub adapter: Option<String>,
}

/// What was held when the last run had ended, where it was asked for.
#[derive(Clone, Copy, Default)]
pub struct Bytes {
    /// The arrays of the page: Q, K, V, O and two numbers a row.
    pub arrays: Option<f64>,
    /// The memories of the kernels in the Workers.
    pub kernels: Option<f64>,
    /// The page and its Workers, as the browser counts: without the kernels.
    pub counted: Option<f64>,
}

impl Measured {
    /// From what the page answers.
    pub fn read(answer: &Value) -> Result<Self> {
        let number = |value: &Value| value.as_f64();
        let warm_ms = answer["warm_ms"].as_array().context("no warm runs")?;
        let warm_ms: Vec<f64> = warm_ms.iter().filter_map(number).collect();
        anyhow::ensure!(!warm_ms.is_empty(), "no warm runs");
        let text = |key: &str| answer["about"][key].as_str().map(str::to_owned);
        Ok(Self {
            cold_ms: number(&answer["cold_ms"]).context("no cold run")?,
            warm_ms,
            // JSON has no infinity: it arrives as null.
            error: number(&answer["error"]).unwrap_or(f64::NAN),
            bytes: Bytes {
                arrays: number(&answer["bytes"]["arrays"]),
                kernels: number(&answer["bytes"]["kernels"]),
                counted: number(&answer["bytes"]["counted"]),
            },
            version: text("version"),
            adapter: text("adapter"),
        })
    }

    /// Whether O is attention.
    pub fn is_right(&self) -> bool {
        self.error < TOLERANCE // false for what is not a number
    }

    pub fn best_ms(&self) -> f64 {
        self.warm_ms.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub fn median_ms(&self) -> f64 {
        let mut sorted = self.warm_ms.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() % 2 {
            0 => (sorted[middle - 1] + sorted[middle]) / 2.0,
            _ => sorted[middle],
        }
    }
}

impl Row {
    /// The measurement, if O was right: no time is told of a wrong one.
    pub fn right(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) if measured.is_right() => Some(measured),
            _ => None,
        }
    }

    /// Operations in a second, in 10⁹, in the fastest run: two products of n × n × d, with a multiplication and an
    /// addition each.
    pub fn gflops(&self) -> Option<f64> {
        self.right().map(|measured| 4.0 * (self.n as f64).powi(2) * WIDTH as f64 / (measured.best_ms() * 1e6))
    }

    /// The faster of two; of what is right and what is not, what is not: it must not be forgotten.
    pub fn or_faster(self, other: Self) -> Self {
        match (self.gflops(), other.gflops()) {
            (Some(own), Some(others)) if others > own => other,
            (Some(_), None) => other,
            _ => self,
        }
    }

    /// `wrong` or `failed` with the reason, of what is not right.
    pub fn trouble(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Measured(measured) if measured.is_right() => None,
            Outcome::Measured(measured) if measured.error.is_finite() => {
                Some(format!("wrong: error {:.1e}", measured.error))
            }
            Outcome::Measured(_) => Some("wrong: O is not n×d numbers".to_owned()),
            Outcome::Failed(why) => Some(format!("failed: {why}")),
        }
    }

    /// For `results.json`.
    pub fn json(&self) -> Value {
        let mut row = json!({
            "engine": self.engine.id, "device": self.engine.device.key(), "threads": self.threads, "n": self.n,
            "d": WIDTH,
        });
        row["disturbed"] = json!(self.is_disturbed);
        match (&self.outcome, self.trouble()) {
            (Outcome::Measured(measured), None) => {
                row["cold_ms"] = json!(measured.cold_ms);
                row["warm_ms"] = json!(measured.warm_ms);
                row["best_ms"] = json!(measured.best_ms());
                row["median_ms"] = json!(measured.median_ms());
                row["gflops"] = json!(self.gflops());
                row["error"] = json!(measured.error);
                row["bytes_in_arrays"] = json!(measured.bytes.arrays);
                row["bytes_in_kernels"] = json!(measured.bytes.kernels);
                row["bytes_counted_by_browser"] = json!(measured.bytes.counted);
                row["version"] = json!(measured.version);
                row["adapter"] = json!(measured.adapter);
            }
            (_, trouble) => row["trouble"] = json!(trouble),
        }
        row
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::engines::ENGINES;
    use super::*;

    /// A row of the engine with this id that took so long, with this error.
    pub fn row(id: &str, threads: usize, n: usize, ms: f64, error: f64) -> Row {
        let engine = ENGINES.iter().find(|engine| engine.id == id).unwrap();
        let measured =
            Measured { cold_ms: 2.0 * ms, warm_ms: vec![ms, 3.0 * ms, 2.0 * ms], error, ..Default::default() };
        Row { engine, threads, n, outcome: Outcome::Measured(measured), is_disturbed: false }
    }

    #[test]
    fn the_fastest_and_the_middle_run_are_told() {
        let right = row("ours", 1, 1000, 128.0, 1e-7);
        let measured = right.right().unwrap();
        assert_eq!((measured.best_ms(), measured.median_ms()), (128.0, 256.0));
        assert!((right.gflops().unwrap() - 2.0).abs() < 1e-12);
        let even = Measured { warm_ms: vec![4.0, 1.0, 3.0, 2.0], ..Default::default() };
        assert_eq!(even.median_ms(), 2.5);
    }

    #[test]
    fn what_is_wrong_has_no_time() {
        for error in [1e-5, 0.3, f64::INFINITY, f64::NAN] {
            let wrong = row("onnx", 1, 1024, 1.0, error);
            assert!(wrong.right().is_none() && wrong.gflops().is_none());
            assert!(wrong.trouble().unwrap().starts_with("wrong"));
            assert!(wrong.json().get("best_ms").is_none());
        }
    }

    #[test]
    fn of_two_tries_the_faster_is_kept_but_never_over_a_wrong_one() {
        let try_of = |ms, error| row("ours", 1, 1024, ms, error);
        let best = |one: Row, other: Row| one.or_faster(other).right().map(Measured::best_ms);
        assert_eq!(best(try_of(1.0, 1e-7), try_of(2.0, 1e-7)), Some(1.0));
        assert_eq!(best(try_of(2.0, 1e-7), try_of(1.0, 1e-7)), Some(1.0));
        assert_eq!(best(try_of(2.0, 1e-7), try_of(1.0, 0.5)), None);
        assert_eq!(best(try_of(1.0, 0.5), try_of(2.0, 1e-7)), None);
    }

    #[test]
    fn an_answer_without_a_finite_error_is_wrong() {
        let answer = json!({ "about": {}, "cold_ms": 3.0, "warm_ms": [1.0], "error": null });
        assert!(!Measured::read(&answer).unwrap().is_right());
        assert!(Measured::read(&json!({ "cold_ms": 3.0, "warm_ms": [], "error": 0.0 })).is_err());
    }
}
