//! What was measured, as tables in Markdown.

use super::compare::{self, Peak};
use super::engines::{Device, Engine};
use super::machine::Machine;
use super::row::{self, Outcome, Row, WIDTH};
use std::collections::{BTreeMap, BTreeSet};

/// Before a number beside which other programs computed: it may be too small.
const MARK: &str = "~";

pub struct Report {
    pub machine: Machine,
    pub rows: Vec<Row>,
    pub peaks: Vec<Peak>,
    /// The long sequence that ours alone does.
    pub long: Option<Row>,
}

impl Report {
    /// What the readme shows.
    pub fn summary(&self) -> String {
        let grids = [(Device::Cpu, "the processor, in WebAssembly"), (Device::WebGpu, "WebGPU")];
        let mut parts = vec![self.conditions()];
        parts.extend(grids.into_iter().filter_map(|(device, name)| self.grid(device, name)));
        parts.extend(self.troubles());
        parts.extend(self.long.as_ref().map(long));
        let parts: Vec<_> = parts.iter().map(|part| wrapped(part)).collect();
        parts.join("\n\n") + "\n"
    }

    /// The summary, and every row.
    pub fn all(&self) -> String {
        let mut text = self.summary();
        text += "\n| engine | n | cold ms | fastest ms | median ms | warm runs | GFLOP/s | error |\n";
        text += "|---|--:|--:|--:|--:|--:|--:|--:|\n";
        for row in self.rows.iter().chain(&self.long) {
            let name = format!("{} on {}", row.engine.label(row.threads), row.engine.device.key());
            let n = grouped(row.n);
            text += &match (row.right(), row.gflops()) {
                (Some(measured), Some(gflops)) => {
                    let times = [measured.cold_ms, measured.best_ms(), measured.median_ms()].map(ms).join(" | ");
                    let (runs, error) = (measured.warm_ms.len(), measured.error);
                    format!("| {name} | {n} | {times} | {runs} | {} | {error:.0e} |\n", short(gflops))
                }
                _ => {
                    let trouble = cell_text(&row.trouble().unwrap_or_default());
                    format!("| {name} | {n} | {trouble} | | | | | |\n")
                }
            };
        }
        text
    }

    fn conditions(&self) -> String {
        let Machine { processor, threads, load, date, browser } = &self.machine;
        let mut text = format!(
            "{date}: {processor}, {threads} processors (load before it began: {load}), {browser}. One head, d = {WIDTH}, \
             the same numbers for all. GFLOP/s (4·n²·d operations) of the fastest of at least five warm runs, of two where \
             one takes above 10 s, from numbers in the page to numbers in the page; each is held to f64. Ours is compared \
             with the best of the others that is right, with as many threads, or with fewer where that is faster."
        );
        let disturbed =
            self.rows.iter().chain(&self.long).filter(|row| row.is_disturbed && row.right().is_some()).count();
        if disturbed > 0 {
            text += &format!(" {MARK} marks what other programs disturbed ({disturbed} measurements).");
        }
        if let Some(adapter) = self.told(|measured| measured.adapter.clone()).into_values().next() {
            text += &format!(" WebGPU on {adapter}.");
        }
        let versions = self.told(|measured| measured.version.clone());
        if !versions.is_empty() {
            let versions: BTreeSet<_> = versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
            let versions: Vec<_> = versions.into_iter().collect();
            text += &format!(" The others: {}.", versions.join(", "));
        }
        text
    }

    /// What engines tell of themselves, by the name of the library.
    fn told(&self, what: impl Fn(&row::Measured) -> Option<String>) -> BTreeMap<&'static str, String> {
        let tell = |row: &Row| match &row.outcome {
            Outcome::Measured(measured) => {
                Some((row.engine.name.split(',').next().unwrap_or_default(), what(measured)?))
            }
            Outcome::Failed(_) => None,
        };
        self.rows.iter().filter_map(tell).collect()
    }

    /// Those that were measured on a device, in their order.
    fn contestants(&self, device: Device) -> Vec<(&'static Engine, usize)> {
        let mut all = Vec::new();
        for row in self.rows.iter().filter(|row| row.engine.device == device) {
            if !all.contains(&(row.engine, row.threads)) {
                all.push((row.engine, row.threads));
            }
        }
        // As many threads beside each other: these are compared.
        all.sort_by_key(|(_, threads)| *threads);
        all
    }

    fn grid(&self, device: Device, name: &str) -> Option<String> {
        let on_device = || self.rows.iter().filter(|row| row.engine.device == device);
        let lengths: BTreeSet<usize> = on_device().map(|row| row.n).collect();
        if lengths.is_empty() {
            return None;
        }
        let heads: Vec<String> = lengths.iter().map(|n| grouped(*n)).collect();
        let mut text = format!("| {name}, n = | {} |\n|---|{}", heads.join(" | "), "--:|".repeat(lengths.len()));
        for (engine, threads) in self.contestants(device) {
            let cells = |cell: &dyn Fn(&Row) -> Option<String>| {
                let of = |n: &usize| {
                    let mut own = on_device().filter(|row| row.engine.id == engine.id && row.threads == threads);
                    own.find(|row| row.n == *n).and_then(cell).unwrap_or_default()
                };
                lengths.iter().map(of).collect::<Vec<_>>().join(" | ")
            };
            let bold = if engine.is_ours { "**" } else { "" };
            let speed = |row: &Row| Some(format!("{bold}{}{bold}", speed(row)));
            text += &format!("\n| {bold}{}{bold} | {} |", engine.label(threads), cells(&speed));
            if engine.is_ours {
                let ratio = |row: &Row| {
                    let (times, rival) = compare::ratio(&self.rows, row)?;
                    let mark = if row.is_disturbed || rival.is_disturbed { MARK } else { "" };
                    Some(format!("{mark}{times:.2}× {}", rival.engine.id))
                };
                text += &format!("\n| … compared with the best of the others | {} |", cells(&ratio));
            }
            if let Some(peak) = compare::peak(&self.peaks, engine, threads) {
                let share = |row: &Row| row.gflops().map(|gflops| format!("{:.0} %", 100.0 * gflops / peak));
                let name = format!("… of the peak, {} (only multiply and add)", short(peak));
                text += &format!("\n| {name} | {} |", cells(&share));
            }
        }
        Some(text)
    }

    /// Where each engine first fails.
    fn troubles(&self) -> Option<String> {
        let contestants = [Device::Cpu, Device::WebGpu].into_iter().flat_map(|device| self.contestants(device));
        let troubles = contestants.filter_map(|(engine, threads)| {
            let (n, why) = compare::first_trouble(&self.rows, engine, threads)?;
            let device = engine.device.key();
            Some(format!("- {} ({device}), first at n = {}: {}", engine.label(threads), grouped(n), cell_text(&why)))
        });
        let troubles: Vec<_> = troubles.collect();
        (!troubles.is_empty()).then(|| format!("Without a right result:\n\n{}", troubles.join("\n")))
    }
}

/// A sequence that the others do not reach.
fn long(row: &Row) -> String {
    let begin = format!("n = {}, {}, key slices: ", grouped(row.n), row.engine.label(row.threads));
    let (Some(measured), Some(gflops)) = (row.right(), row.gflops()) else {
        return format!("{begin}{}.", row.trouble().unwrap_or_default());
    };
    let megabytes = |bytes: f64| format!("{:.0} MB", bytes / 1e6);
    let matrix = 4.0 * (row.n as f64).powi(2) / 1e9;
    let mut text = format!("{begin}{:.1} s, {} GFLOP/s", measured.best_ms() / 1e3, short(gflops));
    let row::Bytes { arrays, kernels, counted } = measured.bytes;
    if let (Some(arrays), Some(kernels)) = (arrays, kernels) {
        let (arrays, kernels) = (megabytes(arrays), megabytes(kernels));
        text += &format!(
            "; {arrays} in arrays of the page, {kernels} in the Workers' kernels (n×n would be {matrix:.0} GB)"
        );
    }
    if let Some(bytes) = counted {
        let bytes = megabytes(bytes);
        text += &format!("; the browser counts {bytes} for the page and its Workers, without the kernels");
    }
    text + "."
}

fn speed(row: &Row) -> String {
    match (&row.outcome, row.gflops()) {
        (_, Some(gflops)) if row.is_disturbed => MARK.to_owned() + &short(gflops),
        (_, Some(gflops)) => short(gflops),
        (Outcome::Measured(_), None) => "wrong".to_owned(),
        (Outcome::Failed(_), None) => "failed".to_owned(),
    }
}

/// Three digits are told, no more are known.
fn short(number: f64) -> String {
    match number {
        10.0.. => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

fn ms(number: f64) -> String {
    match number {
        100.0.. => format!("{number:.0}"),
        _ => format!("{number:.1}"),
    }
}

/// 65536 as 65,536.
fn grouped(n: usize) -> String {
    match n {
        ..1000 => n.to_string(),
        _ => format!("{},{:03}", grouped(n / 1000), n % 1000),
    }
}

/// Lines as people keep them; those of a table stay whole.
fn wrapped(text: &str) -> String {
    const MOST: usize = 120;
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ').filter(|_| !line.starts_with('|'));
        let mut row = words.next().unwrap_or(line).to_owned();
        for word in words {
            if row.chars().count() + 1 + word.chars().count() > MOST {
                let indent = if line.starts_with("- ") { "  " } else { "" };
                lines.push(std::mem::replace(&mut row, indent.to_owned() + word));
            } else {
                row = row + " " + word;
            }
        }
        lines.push(row);
    }
    lines.join("\n")
}

/// A text that stays within its cell.
fn cell_text(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::super::engines::ENGINES;
    use super::super::row::tests::row;
    use super::*;

    fn report(rows: Vec<Row>) -> Report {
        let word = str::to_owned;
        let machine = Machine {
            processor: word("A processor"),
            threads: 2,
            load: word("0.1"),
            date: word("2026-01-01"),
            browser: word("A browser 1"),
        };
        let peaks = vec![Peak { engine: &ENGINES[0], threads: 1, gflops: 50.0 }];
        Report { machine, rows, peaks, long: None }
    }

    #[test]
    fn a_wrong_engine_has_a_word_in_the_place_of_a_number() {
        // 4·1000²·64 operations in 10.24 ms are 25 GFLOP/s.
        let rows =
            vec![row("ours", 1, 1000, 10.24, 1e-7), row("onnx", 1, 1000, 1.0, 0.5), row("tfjs", 1, 1000, 20.48, 1e-7)];
        let text = report(rows).all();
        for line in [
            "| **Attention Lab, relaxed SIMD, 1 thread** | **25.0** |",
            "| … compared with the best of the others | 2.00× tfjs |",
            "| … of the peak, 50.0 (only multiply and add) | 50 % |",
            "| onnxruntime-web, 1 thread | wrong |",
            "| TensorFlow.js, 1 thread | 12.5 |",
            "- onnxruntime-web, 1 thread (wasm), first at n = 1,000: wrong: error 5.0e-1",
            "| TensorFlow.js, 1 thread on wasm | 1,000 | 41.0 | 20.5 | 41.0 | 3 | 12.5 | 1e-7 |",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\nis not in\n{text}");
        }
    }

    #[test]
    fn what_was_disturbed_is_marked_and_so_is_what_is_compared_with_it() {
        let rival = Row { is_disturbed: true, ..row("tfjs", 1, 1000, 20.48, 1e-7) };
        let text = report(vec![row("ours", 1, 1000, 10.24, 1e-7), rival]).summary();
        for found in ["| **25.0** |", "| ~2.00× tfjs |", "| ~12.5 |", "~ marks what"] {
            assert!(text.contains(found), "{found}\nis not in\n{text}");
        }
    }

    #[test]
    fn a_length_that_was_not_measured_is_left_empty() {
        let text = report(vec![row("ours", 2, 512, 1.0, 1e-7), row("onnx", 2, 1024, 1.0, 1e-7)]).summary();
        assert!(text.contains("| onnxruntime-web, 2 threads |  | 268.4 |"), "{text}");
        assert!(!text.contains("WebGPU, n ="), "{text}");
    }

    #[test]
    fn numbers_are_written_as_people_read_them() {
        assert_eq!([512, 65_536, 1_002_003].map(grouped), ["512", "65,536", "1,002,003"]);
        assert_eq!([0.456, 9.87, 12.34, 1234.0].map(short), ["0.46", "9.87", "12.3", "1234.0"]);
        let many = "word ".repeat(30);
        assert_eq!(wrapped(&many).lines().map(str::len).collect::<Vec<_>>(), [119, 30]);
        assert_eq!(wrapped(&format!("| {many}")).lines().count(), 1);
        assert_eq!(cell_text("a|b"), "a\\|b");
    }
}
