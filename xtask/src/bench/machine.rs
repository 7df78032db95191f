//! The conditions under which something was measured.

use crate::tool;
use serde_json::{Value, json};
use std::process::Command;

/// Read before anything is measured.
pub struct Machine {
    pub processor: String,
    pub threads: usize,
    /// Programs that wanted to compute, in the mean of the last minute.
    pub load: String,
    pub date: String,
    pub browser: String,
}

impl Machine {
    pub fn read(browser: String) -> Self {
        let file = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let processor = file("/proc/cpuinfo");
        let processor = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        Self {
            processor: processor.map_or("an unknown processor", |(_, name)| name.trim()).to_owned(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            load: file("/proc/loadavg").split(' ').next().unwrap_or_default().to_owned(),
            date: tool::output(Command::new("date").args(["-u", "+%F"])).unwrap_or_default().trim().to_owned(),
            browser,
        }
    }

    /// For `results.json`.
    pub fn json(&self) -> Value {
        let Self { processor, threads, load, date, browser } = self;
        json!({ "processor": processor, "threads": threads, "load": load, "date": date, "browser": browser })
    }
}
