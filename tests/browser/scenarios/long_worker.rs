//! The Worker of long sequences: not there until it is asked for, and right with either build of its kernel.

use super::{EVERY, in_each};
use anyhow::{Context, Result, ensure};
use attnlab_browser_tests::browser::Engine;
use attnlab_browser_tests::page::Page;
use serde_json::{Value, json};

/// What the page has loaded, and what the service worker keeps, of long sequences. Empty while there is no such worker.
const HELD: &str = "
    const done = arguments[arguments.length - 1];
    const held = async () => {
        const files = performance.getEntriesByType('resource').map((entry) => entry.name);
        for (const name of await caches.keys()) {
            for (const request of await (await caches.open(name)).keys()) files.push(request.url);
        }
        return [...new Set(files)].filter((file) => file.includes('/long-')).map((file) => file.split('/').pop()).sort();
    };
    held().then(done);";

fn ask(page: &Page, build: &str) -> Result<Value> {
    page.session().script_async(include_str!("long_worker.js"), &[json!(build)])
}

#[test]
fn the_worker_computes_rightly_in_every_browser() {
    in_each(EVERY, |page| {
        for build in ["simd", ""] {
            let answer = ask(page, build)?;
            let worst = answer["worst"].as_f64().with_context(|| format!("{answer}"))?;
            ensure!(worst <= 1e-5, "build {build:?} is off by {worst:e}");
            let used = answer["build"].as_str().unwrap_or_default();
            ensure!(used == "simd" || (used == "relaxed" && build.is_empty()), "asked for {build:?}, got {used:?}");
            ensure!(answer["refused"] == "there is no pool min", "{answer}");
            ensure!(answer["naive"] == json!([true, false]), "{answer}");
            ensure!(answer["stopped"].is_string(), "a kernel that stopped goes on: {answer}");
        }
        Ok(())
    });
}

#[test]
fn the_kernel_is_loaded_when_it_is_asked_for_and_then_kept() {
    in_each(&[Engine::ChromiumWebGl], |page| {
        let is_kept = "
            const done = arguments[arguments.length - 1];
            caches.keys().then((names) => done(Boolean(navigator.serviceWorker.controller && names.length)));";
        page.until("a service worker", || Ok((page.session().script_async(is_kept, &[])? == true).then_some(())))?;
        let held = || page.session().script_async(HELD, &[]);
        ensure!(held()? == json!([]), "before anything asks for them: {}", held()?);
        let answer = ask(page, "relaxed")?;
        ensure!(answer["build"] == "relaxed", "{answer}");
        let expected = json!(["long-relaxed.js", "long-relaxed_bg.wasm", "long-worker.js?build=relaxed"]);
        page.until("the kernel to be kept", || Ok((held()? == expected).then_some(())))
    });
}
