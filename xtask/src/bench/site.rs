//! What the pages of the benchmark are made of: our pages, our Workers as they are published, and the libraries.

use crate::apt::{self, Need};
use crate::tool::{self, progress, root};
use crate::{bundle, wasm_std, workers};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What npm reads; the versions are pinned there.
const PACKAGES: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];

/// Brings everything together in a folder, and gives it.
pub fn write(needs_libraries: bool) -> Result<PathBuf> {
    let (pages, site) = (root().join("tests/bench"), tool::target_dir().join("bench/site"));
    fs::create_dir_all(&site)?;
    copy(&pages, &site, "js")?;
    copy(&pages, &site, "html")?;
    copy(&pages.join("engines"), &site.join("engines"), "js")?;
    write_ours(&site.join("ours"))?;
    if needs_libraries {
        fetch(&pages, &site)?;
    }
    Ok(site)
}

/// The files of a folder with this ending.
fn copy(from: &Path, to: &Path, ending: &str) -> Result<()> {
    fs::create_dir_all(to)?;
    for file in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?.flatten() {
        if file.path().extension().is_some_and(|found| found == ending) {
            fs::copy(file.path(), to.join(file.file_name()))?;
        }
    }
    Ok(())
}

/// The Worker and both builds of its kernel, as `dist/` has them, and the engine of a graphics processor.
fn write_ours(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let std = wasm_std::find()?;
    for (name, wasm) in workers::compile(&std)?.into_iter().chain([workers::compile_gpu(&std)?]) {
        let (javascript, wasm) = bundle::bind(bundle::Profile::Release, name, &wasm)?;
        fs::write(folder.join(format!("{name}.js")), javascript)?;
        fs::write(folder.join(format!("{name}_bg.wasm")), wasm)?;
    }
    fs::copy(root().join("web/long-worker.js"), folder.join("long-worker.js"))?;
    Ok(())
}

/// The libraries of the others, by npm, once for each list of versions. Nothing of them is run outside the browser.
fn fetch(pages: &Path, site: &Path) -> Result<()> {
    let lock = fs::read(pages.join("package-lock.json"))?;
    let done = site.join("node_modules/.fetched");
    if fs::read(&done).is_ok_and(|fetched| fetched == lock) {
        return Ok(());
    }
    apt::ensure(&[Need::program("npm", "npm")])?;
    for file in PACKAGES {
        fs::copy(pages.join(file), site.join(file)).with_context(|| format!("cannot copy {file}"))?;
    }
    progress("npm ci (what ours is compared with, about 200 MB, once)");
    tool::run(Command::new("npm").args(["ci", "--ignore-scripts"]).current_dir(site))?;
    // Written last: what was interrupted is fetched again.
    fs::write(done, lock)?;
    Ok(())
}
