//! After the first visit the page works without a network, and a new build replaces the old one whole.

use super::copy::Copy;
use super::{CHROMIUM, in_each};
use anyhow::{Context, Result, ensure};
use attnlab_browser_tests::browser::{Engine, Look};
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::server::Server;
use attnlab_browser_tests::text::text;
use serde_json::json;

/// The build that the page belongs to, and every file that it has loaded.
const BUILDS: &str = "
    const files = performance.getEntriesByType('resource').map((entry) => entry.name);
    return [...new Set(files.map((file) => file.match(/\\/([0-9a-f]{16})\\//)?.[1]).filter(Boolean))];";

fn builds(page: &Page) -> Result<Vec<String>> {
    let builds = page.session().script(BUILDS, &[])?;
    let builds = builds.as_array().context("a list")?;
    Ok(builds.iter().filter_map(|build| build.as_str().map(str::to_owned)).collect())
}

fn wait_for_worker(page: &Page, build: &str) -> Result<()> {
    let kept = "
        const done = arguments[arguments.length - 1];
        caches.keys().then((names) => done(navigator.serviceWorker.controller ? names : []));";
    page.until("a service worker that keeps the build", || {
        let names = page.session().script_async(kept, &[])?;
        Ok((names == serde_json::json!([format!("attnlab {build}")])).then_some(()))
    })
}

#[test]
fn the_page_works_with_the_network_cut_and_updates_whole() -> Result<()> {
    for engine in CHROMIUM {
        let copy = Copy::of_dist("offline")?;
        let server = Server::start_stoppable(copy.0.clone())?;
        let address = server.address();
        let page = Page::open(*engine, &Look::default(), "engine=none")?;
        page.session().go(&address)?;
        page.wait_for_state("ready")?;
        let first = builds(&page)?.first().cloned().context("a build")?;
        wait_for_worker(&page, &first)?;
        // Another build at the same address: the next load is all of it.
        let second = first.chars().rev().collect::<String>();
        copy.rename_build(&first, &second)?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        ensure!(builds(&page)? == [second.clone()], "files of {:?} in the build {second}", builds(&page)?);
        wait_for_worker(&page, &second)?;
        // The network is cut.
        server.stop();
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9677")?;
        page.edit_cell(&text("part-q"), "爱", "0", "2")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")?;
        // What is fetched after the first picture was kept as well.
        page.find("button", &text("panel-paper"))?.press()?;
        page.find("button", &text("paper-copy"))?;
    }
    Ok(())
}

/// Chromium itself says whether a page can be installed, and why not.
#[test]
fn the_page_can_be_installed() {
    in_each(&[Engine::ChromiumWebGl], |page| {
        let answer = page.session().cdp("Page.getInstallabilityErrors", &json!({}))?;
        let errors = answer["installabilityErrors"].as_array().context("a list of errors")?;
        ensure!(errors.is_empty(), "{errors:?}");
        let manifest = page.session().cdp("Page.getAppManifest", &json!({}))?;
        ensure!(manifest["errors"].as_array().is_some_and(Vec::is_empty), "{}", manifest["errors"]);
        let url = manifest["url"].as_str().unwrap_or_default();
        ensure!(url.ends_with("manifest.webmanifest"), "{manifest}");
        Ok(())
    });
}
