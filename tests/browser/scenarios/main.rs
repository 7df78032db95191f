//! What a person does with the page, done in real browsers.
//!
//! Everything is found by role and name, as assistive technology is told them, and pressed where
//! it is on the screen. Chromium goes through the whole list, drawing through WebGPU and through
//! WebGL; Firefox and WebKit through what every engine must be able to do.

mod accessibility;
mod claim;
mod clipboard;
mod copy;
mod editing;
mod embed;
mod engines;
mod files;
mod input_method;
mod keyboard;
mod leakage;
mod link;
mod long;
mod long_gpu;
mod long_worker;
mod offline;
mod panic;
mod paper;
mod pointer;
mod rest;
mod screenshots;
mod session;
mod states;
mod studies;
mod variants;
mod workbench;

use anyhow::{Context, Result};
use attnlab_browser_tests::browser::{Engine, Look};
use attnlab_browser_tests::page::Page;
use std::path::PathBuf;

/// Chromium, in both ways of drawing.
const CHROMIUM: &[Engine] = &[Engine::ChromiumWebGpu, Engine::ChromiumWebGl];

/// Every browser that draws.
const EVERY: &[Engine] = &[Engine::ChromiumWebGpu, Engine::ChromiumWebGl, Engine::Firefox, Engine::WebKit];

/// Runs a scenario in fresh browsers, one after another, on the page as it is first seen.
fn in_each(engines: &[Engine], scenario: impl Fn(&Page) -> Result<()>) {
    for engine in engines {
        let page = ready(*engine);
        judge(&page, &[], page.settle().and_then(|()| scenario(&page)));
    }
}

/// The same with a query in the address, and with what the console may say.
fn in_each_at(engines: &[Engine], query: &str, expected: &[&str], scenario: impl Fn(&Page) -> Result<()>) {
    for engine in engines {
        let page = open(*engine, query);
        judge(&page, expected, scenario(&page));
    }
}

fn open(engine: Engine, query: &str) -> Page {
    Page::open(engine, &Look::default(), query).unwrap_or_else(|why| panic!("{engine:?}: {why:#}"))
}

/// A page that is ready to be used. WebKit's driver now and then loses a session while the page loads, before anything was
/// asked of it: that one is opened once more. A page that ends the browser does so again.
fn ready(engine: Engine) -> Page {
    let page = open(engine, "");
    match page.wait_for_state("ready") {
        Err(why) if engine == Engine::WebKit && format!("{why:#}").contains("invalid session id") => {
            eprintln!("{engine:?} lost its session while the page loaded: opened once more");
            let page = open(engine, "");
            judge(&page, &[], page.wait_for_state("ready"));
            page
        }
        outcome => {
            judge(&page, &[], outcome);
            page
        }
    }
}

fn judge(page: &Page, expected: &[&str], outcome: Result<()>) {
    if let Err(why) = outcome.and_then(|()| page.check_quiet(expected)) {
        let picture =
            keep_screenshot(page, "failed").map_or_else(|why| why.to_string(), |path| path.display().to_string());
        panic!("{:?}: {why:#}\nthe page then: {picture}", page.engine());
    }
}

/// Leaves a screenshot in `target/screenshots` for the eye.
fn keep_screenshot(page: &Page, name: &str) -> Result<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
    std::fs::create_dir_all(&folder)?;
    let name = match name {
        // A test runs in a thread of its name.
        "failed" => {
            let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
            format!("failed-{test}-{:?}", page.engine())
        }
        name => name.to_owned(),
    };
    let path = folder.join(format!("{name}.png"));
    std::fs::write(&path, page.session().screenshot()?).with_context(|| format!("{}", path.display()))?;
    Ok(path)
}
