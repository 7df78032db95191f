//! What an earlier run measured undisturbed: on a busy machine a table is completed in several runs.

use super::engines::Engine;
use super::machine::Machine;
use super::row::{Measured, Outcome, Row};
use serde_json::{Value, json};

/// Of an earlier `results.json`.
#[derive(Default)]
pub struct Kept(Value);

impl Kept {
    /// Nothing, unless it was measured on this day, machine and browser.
    pub fn read(results: &str, machine: &Machine) -> Self {
        let results: Value = serde_json::from_str(results).unwrap_or_default();
        let now = machine.json();
        let is_same = ["processor", "threads", "date", "browser"].iter().all(|key| results["machine"][key] == now[key]);
        Self(if is_same { results } else { Value::Null })
    }

    /// The row, if it was right and nobody disturbed it.
    pub fn row(&self, engine: &'static Engine, threads: usize, n: usize) -> Option<Row> {
        let is_it = |row: &&Value| is_of(row, engine, threads) && row["n"] == n && row["disturbed"] == false;
        let row = self.0["rows"].as_array()?.iter().find(is_it)?;
        let bytes = json!({
            "arrays": row["bytes_in_arrays"], "kernels": row["bytes_in_kernels"], "counted": row["bytes_counted_by_browser"],
        });
        let mut answer = row.clone();
        answer["about"] = json!({ "version": row["version"], "adapter": row["adapter"] });
        answer["bytes"] = bytes;
        let measured = Measured::read(&answer).ok().filter(Measured::is_right)?;
        Some(Row { engine, threads, n, outcome: Outcome::Measured(measured), is_disturbed: false })
    }

    /// The peak that was measured.
    pub fn peak(&self, engine: &Engine, threads: usize) -> Option<f64> {
        self.0["peaks"].as_array()?.iter().find(|peak| is_of(peak, engine, threads))?["gflops"].as_f64()
    }
}

fn is_of(value: &Value, engine: &Engine, threads: usize) -> bool {
    value["engine"] == engine.id && value["threads"] == threads
}

#[cfg(test)]
mod tests {
    use super::super::engines::ENGINES;
    use super::super::row::tests::row;
    use super::*;

    #[test]
    fn only_what_was_right_and_undisturbed_is_kept() {
        let word = str::to_owned;
        let machine =
            Machine { processor: word("p"), threads: 2, load: word("0"), date: word("d"), browser: word("b") };
        let disturbed = Row { is_disturbed: true, ..row("ours", 2, 512, 1.0, 1e-7) };
        let rows = [row("ours", 1, 512, 1.0, 1e-7), disturbed, row("ours", 1, 1024, 1.0, 0.5)];
        let peaks = json!([{ "engine": "ours", "threads": 2, "gflops": 50.0 }]);
        let results = json!({ "machine": machine.json(), "rows": rows.each_ref().map(Row::json), "peaks": peaks });
        let kept = Kept::read(&results.to_string(), &machine);
        let times = |threads, n| kept.row(&ENGINES[0], threads, n).and_then(|row| Some(row.right()?.warm_ms.clone()));
        assert_eq!(times(1, 512), Some(vec![1.0, 3.0, 2.0]));
        assert_eq!([times(2, 512), times(1, 1024), times(1, 2048)], [None, None, None]);
        assert_eq!([1, 2].map(|threads| kept.peak(&ENGINES[0], threads)), [None, Some(50.0)]);
        // Another day is another measurement.
        let later = Machine { date: word("e"), ..machine };
        assert!(Kept::read(&results.to_string(), &later).row(&ENGINES[0], 1, 512).is_none());
    }
}
