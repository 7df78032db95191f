//! After the first visit the page works without a network, and a new build replaces the old one whole.

use super::{CHROMIUM, in_each};
use anyhow::{Context, Result, ensure};
use attnlab_browser_tests::browser::{Engine, Look};
use attnlab_browser_tests::page::{Page, dist};
use attnlab_browser_tests::server::Server;
use attnlab_browser_tests::text::text;
use serde_json::json;
use std::path::{Path, PathBuf};

/// A copy of the built page, gone when dropped.
struct Copy(PathBuf);

impl Copy {
    fn of_dist(name: &str) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("attnlab-{name}-{}", std::process::id()));
        let copy = Self(folder);
        copy_folder(&dist()?, &copy.0)?;
        Ok(copy)
    }

    /// Makes another build of it: the folder of the build and all that names it get another name.
    fn rename_build(&self, from: &str, to: &str) -> Result<()> {
        std::fs::rename(self.0.join(from), self.0.join(to))?;
        for entry in std::fs::read_dir(&self.0)?.flatten().map(|entry| entry.path()).filter(|path| path.is_file()) {
            // What was compressed still names the old build.
            if entry.extension().is_some_and(|ending| ending == "br" || ending == "gz") {
                std::fs::remove_file(&entry)?;
            } else if let Ok(text) = std::fs::read_to_string(&entry) {
                std::fs::write(&entry, text.replace(from, to))?;
            }
        }
        Ok(())
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

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
