//! `cargo xtask bench`: attention over long sequences, ours beside what a user would take instead, in one browser.
//!
//! Reading order: [`engines`] lists what is measured; [`site`] brings the pages, the Workers and the libraries
//! together; [`mod@measure`] goes through the list, when the machine is [`quiet`], and takes what was [`kept`]; [`stand`] does one measurement in a
//! page (what happens there is in `tests/bench/`); a [`row`] is what came out; [`compare`] sets rows beside each other;
//! [`table`], [`figure`] and [`readme`] write.

mod compare;
mod engines;
mod figure;
mod kept;
mod machine;
mod measure;
mod quiet;
mod readme;
mod row;
mod site;
mod stand;
mod table;

use crate::apt::{self, Need};
use crate::tool::{self, progress};
use anyhow::{Context, Result, ensure};
use attnlab_browser_tests::server::Server;
use compare::Peak;
use engines::{ENGINES, Engine};
use lexopt::prelude::*;
use row::Row;
use serde_json::{Value, json};
use stand::Stand;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use table::Report;

const HELP: &str = "\
cargo xtask bench [options]

  --engines ID,…   only these (all)
  --n N,…          these lengths (512 … 16384 on the processor, 1024 and 4096 on WebGPU)
  --quick          fewer lengths, and no 65536
  --patience MIN   how long to wait, in all, for other programs to end (15)
  --again          keeps what the run before measured undisturbed, and measures the rest
  --readme         writes the tables into README.md too

Results are printed and written to target/bench/: results.json, table.md and attention.svg.

Engines:
";

/// How long other programs are waited for, in all.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// What is asked for.
struct Wanted {
    engines: Vec<&'static Engine>,
    lengths: Option<Vec<usize>>,
    is_quick: bool,
    patience: Duration,
    is_again: bool,
    to_readme: bool,
}

/// Measures, and writes what came out.
pub fn run(args: lexopt::Parser) -> Result<()> {
    let Some(wanted) = read(args)? else {
        print!("{HELP}");
        for engine in &ENGINES {
            println!("  {:18} {} ({})", engine.id, engine.name, engine.device.key());
        }
        return Ok(());
    };
    apt::ensure(&[
        Need::program("chromium", "chromium"),
        Need::program("chromium-driver", "chromedriver"),
        Need::program("xvfb", "Xvfb"),
    ])?;
    let site = site::write(wanted.engines.iter().any(|engine| !engine.is_ours))?;
    let server = Server::bind(0)?.isolated();
    let stand = Stand::new(server.address());
    std::thread::spawn(move || server.serve(&site));
    write(&measure::all(&wanted, stand)?, wanted.to_readme)
}

/// Nothing where help is asked for.
fn read(mut args: lexopt::Parser) -> Result<Option<Wanted>> {
    let mut wanted = Wanted {
        engines: ENGINES.iter().collect(),
        lengths: None,
        is_quick: false,
        patience: PATIENCE,
        is_again: false,
        to_readme: false,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Short('h') | Long("help") => return Ok(None),
            Long("quick") => wanted.is_quick = true,
            Long("patience") => wanted.patience = Duration::from_secs(60 * args.value()?.parse::<u64>()?),
            Long("again") => wanted.is_again = true,
            Long("readme") => wanted.to_readme = true,
            Long("engines") => {
                let ids = args.value()?.string()?;
                let find = |id: &str| ENGINES.iter().find(|engine| engine.id == id);
                let found = ids.split(',').map(|id| find(id).with_context(|| format!("there is no engine {id:?}")));
                wanted.engines = found.collect::<Result<_>>()?;
            }
            Long("n") => {
                let lengths = args.value()?.string()?;
                let lengths = lengths.split(',').map(|n| n.parse().with_context(|| format!("{n:?} is no length")));
                let lengths: Vec<usize> = lengths.collect::<Result<_>>()?;
                ensure!(lengths.iter().all(|n| *n > 0), "a length is 1 at least");
                wanted.lengths = Some(lengths);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Some(wanted))
}

/// Where results are written.
fn folder() -> PathBuf {
    tool::target_dir().join("bench")
}

fn write(report: &Report, to_readme: bool) -> Result<()> {
    let folder = folder();
    let table = report.all();
    print!("\n{table}");
    fs::write(folder.join("table.md"), &table)?;
    fs::write(folder.join("results.json"), serde_json::to_string_pretty(&json(report))?)?;
    if let Some(svg) = figure::svg(&report.rows)? {
        fs::write(folder.join("attention.svg"), svg)?;
    }
    progress(format!("written: results.json, table.md, attention.svg in {}", folder.display()));
    if to_readme {
        let path = tool::root().join("README.md");
        let readme = fs::read_to_string(&path).context("cannot read README.md")?;
        fs::write(&path, readme::with(&readme, &report.summary())?)?;
        progress("written: the tables in README.md");
    }
    Ok(())
}

fn json(report: &Report) -> Value {
    let peak = |peak: &Peak| json!({ "engine": peak.engine.id, "threads": peak.threads, "gflops": peak.gflops });
    json!({
        "machine": report.machine.json(),
        "peaks": report.peaks.iter().map(peak).collect::<Vec<_>>(),
        "rows": report.rows.iter().chain(&report.long).map(Row::json).collect::<Vec<_>>(),
    })
}
