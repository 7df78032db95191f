//! `cargo xtask test`: every check, or only the parts that are named.
//!
//! All parts run even when one fails, so that one run tells everything; the last lines say how
//! each went.

use crate::apt::{self, Need};
use crate::budget;
use crate::bundle::{self, Profile};
use crate::tool::{self, cargo, progress, run as run_command};
use crate::wasm_std::{self, TARGET};
use anyhow::{Result, bail};
use lexopt::prelude::*;
use std::time::Instant;

/// A part of the checks.
struct Part {
    name: &'static str,
    what: &'static str,
    run: fn() -> Result<()>,
}

/// The quick ones first: a mistake is told as soon as it can be.
const PARTS: [Part; 11] = [
    Part { name: "format", what: "rustfmt", run: format },
    Part { name: "core", what: "the mathematics, the session, the formats, the figures: no window", run: core },
    Part { name: "layers", what: "which module may import which", run: layers },
    Part { name: "clippy", what: "no warning, natively", run: clippy },
    Part { name: "clippy-wasm", what: "no warning, for the browser", run: clippy_wasm },
    Part { name: "doc", what: "no warning from rustdoc", run: doc },
    Part { name: "app", what: "the window and the commands of the project", run: app },
    Part { name: "gpu", what: "long sequences on a graphics processor, if only in software", run: gpu },
    Part { name: "ui", what: "the user interface without a screen", run: ui },
    Part { name: "dist", what: "the page can be built, and does not grow unseen", run: dist },
    Part { name: "browser", what: "the page in real browsers", run: browser },
];

/// Runs the parts that are named, or all.
pub fn run(mut args: lexopt::Parser) -> Result<()> {
    let mut wanted: Vec<&Part> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Long("list") => {
                for part in &PARTS {
                    println!("{:12} {}", part.name, part.what);
                }
                return Ok(());
            }
            Value(name) => {
                let name = name.string()?;
                match PARTS.iter().find(|part| part.name == name) {
                    Some(part) => wanted.push(part),
                    None => bail!("there is no part {name:?}; `cargo xtask test --list` tells them"),
                }
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if wanted.is_empty() {
        wanted.extend(&PARTS);
    }
    let mut report = Vec::new();
    let mut failed = 0;
    for part in wanted {
        progress(format!("{}: {}", part.name, part.what));
        let start = Instant::now();
        let result = (part.run)();
        let seconds = start.elapsed().as_secs();
        let verdict = match &result {
            Ok(()) => "passed".to_owned(),
            Err(why) => {
                eprintln!("error: {}: {why:#}", part.name);
                failed += 1;
                format!("FAILED: {why:#}")
            }
        };
        report.push(format!("{:12} {seconds:>5} s  {verdict}", part.name));
    }
    progress("summary");
    for line in &report {
        eprintln!("{line}");
    }
    match failed {
        0 => Ok(()),
        _ => bail!("{failed} of {} parts failed", report.len()),
    }
}

fn format() -> Result<()> {
    run_command(cargo().args(["fmt", "--all", "--check"]))
}

fn core() -> Result<()> {
    // The NumPy programs that the page offers are run and compared.
    apt::ensure(&[Need::program("python3", "python3"), Need::library("python3-numpy")])?;
    run_command(cargo().args(["test", "--package", "attnlab-kernel"]))?;
    // Figures need no window; `layers` builds what is left without them.
    run_command(cargo().args(["test", "--package", "attnlab", "--no-default-features", "--features", "figure"]))
}

fn layers() -> Result<()> {
    run_command(cargo().args(["test", "--package", "attnlab", "--no-default-features", "--test", "layers"]))
}

fn clippy() -> Result<()> {
    run_command(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn clippy_wasm() -> Result<()> {
    let mut command = cargo();
    command.args(["clippy", "--package", "attnlab", "--package", "attnlab-bench-gpu", "--lib", "--target", TARGET]);
    let std = wasm_std::find()?;
    std.apply(&mut command);
    run_command(command.args(["--", "-D", "warnings"]))?;
    let mut command = cargo();
    command.args(["clippy", "--package", "attnlab-kernel", "--package", "attnlab-long-worker", "--target", TARGET]);
    std.apply_with(&mut command, "-Ctarget-feature=+simd128,+relaxed-simd");
    run_command(command.args(["--", "-D", "warnings"]))
}

fn doc() -> Result<()> {
    let mut command = cargo();
    command.args(["doc", "--workspace", "--no-deps", "--document-private-items"]);
    run_command(command.env("RUSTDOCFLAGS", "-D warnings"))
}

// The whole workspace is selected each time, and then one kind of test: another selection would be another set of
// features, for which cargo compiles every dependency again.

fn app() -> Result<()> {
    run_command(cargo().args(["test", "--workspace", "--lib", "--bins"]))
}

fn gpu() -> Result<()> {
    // Vulkan in software: a machine that has a graphics processor takes that one.
    apt::ensure(&[Need::library("mesa-vulkan-drivers"), Need::library("libvulkan1")])?;
    run_command(cargo().args(["test", "--workspace", "--test", "gpu"]))
}

fn ui() -> Result<()> {
    run_command(cargo().args(["test", "--workspace", "--test", "ui"]))
}

fn dist() -> Result<()> {
    budget::check(&bundle::write(Profile::Release)?)
}

fn browser() -> Result<()> {
    need_browsers()?;
    dist()?;
    run_command(
        cargo()
            .args(["test", "--workspace", "--test", "scenarios"])
            // One browser at a time: they draw in software, and each takes what there is.
            .args(["--", "--test-threads=1"]),
    )
}

fn need_browsers() -> Result<()> {
    apt::ensure(&[
        Need::program("chromium", "chromium"),
        Need::program("chromium-driver", "chromedriver"),
        Need::program("firefox-esr", "firefox-esr"),
        Need::program("webkit2gtk-driver", "WebKitWebDriver"),
        Need::program("xvfb", "Xvfb"),
        Need::program("xauth", "xauth"),
        Need::library("fonts-noto-cjk"),
        Need::library("libgl1"),
        Need::library("libegl1"),
        Need::library("libgles2"),
        Need::library("libgl1-mesa-dri"),
        Need::library("libglx-mesa0"),
        Need::library("libegl-mesa0"),
    ])?;
    let tools = tool::target_dir().join("tools");
    if tool::exists("geckodriver") || tools.join("bin/geckodriver").is_file() {
        return Ok(());
    }
    progress("cargo install geckodriver (about two minutes, once)");
    let mut command = cargo();
    command.args(["install", "geckodriver", "--locked", "--quiet", "--root"]);
    run_command(command.arg(&tools))
}
