//! Debian's `rust-src`: the sources of std in the compiler's own version, from the mirror that
//! apt is set up with already, without touching the system's own package lists.

use crate::tool::{self, progress};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's own keys; apt refuses a list that is not signed by one of them.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Where a recent rust-src may be. Backports come first: they follow the stable compiler.
const SUITES: [&str; 3] = ["trixie-backports", "forky", "sid"];

/// Downloads and unpacks `rust-src` below `folder`; gives its folder `library`.
pub fn fetch(folder: &Path) -> Result<PathBuf> {
    for program in ["apt-get", "dpkg"] {
        if !tool::exists(program) {
            bail!("{program} is not on this machine, so Debian's rust-src cannot be fetched");
        }
    }
    let version = compiler_version()?;
    let site = debian_site()?;
    for suite in SUITES {
        progress(format!("looking for rust-src {version} in {suite}"));
        if let Some(deb) = download(folder, &site, suite, &version)? {
            let unpacked = folder.join("unpacked");
            tool::run(Command::new("dpkg").arg("-x").args([&deb, &unpacked]))?;
            return find_library(&unpacked.join("usr/src"));
        }
    }
    bail!("no suite of {site} has rust-src {version}; looked in {SUITES:?}")
}

/// The compiler's version, such as `1.95.0`.
fn compiler_version() -> Result<String> {
    let line = tool::output(Command::new("rustc").arg("--version"))?;
    let version = line.split_whitespace().nth(1);
    Ok(version.context("rustc tells no version")?.to_owned())
}

/// The Debian mirror that apt is set up with.
fn debian_site() -> Result<String> {
    let mut apt = Command::new("apt-get");
    let targets = tool::output(apt.args(["indextargets", "--format", "$(SITE)"]))?;
    // The security archive is a site of its own and has no compiler.
    let mut sites = targets.lines().filter(|site| site.ends_with("/debian"));
    Ok(sites.next().context("apt is set up with no Debian mirror")?.to_owned())
}

/// Downloads `rust-src` of one suite, if the suite has it in this version.
fn download(folder: &Path, site: &str, suite: &str, version: &str) -> Result<Option<PathBuf>> {
    let apt = folder.join(suite);
    for dir in ["lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(apt.join(dir))?;
    }
    let sources = apt.join("sources.list");
    std::fs::write(&sources, format!("deb [signed-by={KEYRING}] {site} {suite} main\n"))?;
    let command = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(&apt);
        for (key, value) in [
            ("Dir::Etc::SourceList", sources.display().to_string()),
            ("Dir::Etc::SourceParts", "/dev/null".to_owned()),
            ("Dir::State::Lists", apt.join("lists").display().to_string()),
            ("Dir::Cache", apt.join("cache").display().to_string()),
            // The folder is ours, whoever that is; apt's own user may not write to it.
            ("APT::Sandbox::User", String::new()),
        ] {
            command.arg("-o").arg(format!("{key}={value}"));
        }
        command
    };
    if let Err(why) = tool::output(command("apt-get").arg("update")) {
        progress(format!("{suite}: {why}"));
        return Ok(None);
    }
    let known = tool::output(command("apt-cache").args(["madison", "rust-src"]))?;
    let Some(exact) = known
        .lines()
        .filter_map(|line| line.split('|').nth(1))
        .map(str::trim)
        .find(|known| known.starts_with(&format!("{version}+")))
    else {
        return Ok(None);
    };
    tool::output(command("apt-get").args(["download", &format!("rust-src={exact}")]))?;
    let deb = std::fs::read_dir(&apt)?
        .flatten()
        .map(|file| file.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "deb"));
    Ok(deb)
}

/// Debian unpacks to `usr/src/rustc-<version>/library`.
fn find_library(sources: &Path) -> Result<PathBuf> {
    std::fs::read_dir(sources)?
        .flatten()
        .map(|folder| folder.path().join("library"))
        .find(|library| library.join("std").is_dir())
        .with_context(|| format!("no library/std below {}", sources.display()))
}
