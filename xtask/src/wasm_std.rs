//! The standard library for `wasm32-unknown-unknown`, by whichever way works on this machine.
//!
//! It may be installed already; else rustup is asked; else, where only package mirrors can be
//! reached, it is built once from Debian's `rust-src` (see [`crate::rust_src`]).

use crate::tool::{self, progress};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The compiler's name for the browser.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// rustup is given this long; a closed network usually answers at once, but may also hang.
const RUSTUP_LIMIT: Duration = Duration::from_secs(120);

/// Set to `rustup` or `debian`, this takes one way only, so that each can be tried.
const FORCE: &str = "ATTNLAB_WASM_STD";

/// To be counted up when std is built in another way: cargo does not notice new libraries at the same place.
const RECIPE: u32 = 2;

/// The standard library that builds for the browser use.
pub enum WasmStd {
    /// It belongs to the toolchain: nothing has to be said to cargo.
    Toolchain,
    /// It was built into a folder of ours, which rustc must be told about.
    Folder(PathBuf),
}

impl WasmStd {
    /// Tells a cargo command where the standard library is.
    pub fn apply(&self, cargo: &mut Command) {
        self.apply_with(cargo, "");
    }

    /// The same, with more flags for the compiler: each call to it has one set of flags.
    pub fn apply_with(&self, cargo: &mut Command, flags: &str) {
        let sysroot = match self {
            Self::Toolchain => String::new(),
            Self::Folder(sysroot) => format!("--sysroot={}", sysroot.display()),
        };
        let flags = format!("{sysroot} {flags}");
        if !flags.trim().is_empty() {
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags.trim());
        }
    }
}

/// Finds the standard library, or gets it, and says in a line which way was taken.
pub fn find() -> Result<WasmStd> {
    let force = std::env::var(FORCE).unwrap_or_default();
    if force != "debian" {
        if is_installed()? {
            progress(format!("wasm standard library: installed for {TARGET}"));
            return Ok(WasmStd::Toolchain);
        }
        if add_by_rustup() {
            progress(format!("wasm standard library: rustup added {TARGET}"));
            return Ok(WasmStd::Toolchain);
        }
        anyhow::ensure!(force != "rustup", "rustup could not add {TARGET}");
    }
    let version = tool::output(Command::new("rustc").arg("--version"))?;
    let version = version.trim().replace([' ', '(', ')'], "-");
    let sysroot = tool::target_dir().join(format!("wasm-sysroot-{RECIPE}")).join(version);
    let done = sysroot.join("complete");
    if done.is_file() {
        progress("wasm standard library: built here before, from Debian's rust-src");
    } else {
        progress("wasm standard library: rustup has none, so it is built from Debian's rust-src");
        build_from_debian(&sysroot).with_context(|| {
            format!(
                "no standard library for {TARGET}: rustup could not add it \
                 (`rustup target add {TARGET}`), nor could it be built from Debian's rust-src"
            )
        })?;
        std::fs::write(done, "")?;
    }
    Ok(WasmStd::Folder(sysroot))
}

fn is_installed() -> Result<bool> {
    let libdir = tool::output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]))?;
    let Ok(files) = std::fs::read_dir(libdir.trim()) else {
        return Ok(false);
    };
    Ok(files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
}

fn add_by_rustup() -> bool {
    if !tool::exists("rustup") {
        return false;
    }
    progress(format!("rustup target add {TARGET}"));
    let mut rustup = Command::new("rustup");
    tool::succeeds_within(rustup.args(["target", "add", TARGET]), RUSTUP_LIMIT) && is_installed().unwrap_or(false)
}

/// Builds std once, from an empty crate, and keeps its libraries where rustc looks for them.
///
/// With them in place plain builds, clippy and rustdoc work without nightly features.
fn build_from_debian(sysroot: &Path) -> Result<()> {
    let work = sysroot.join("work");
    let library = crate::rust_src::fetch(&work.join("rust-src"))?;
    let krate = work.join("empty");
    std::fs::create_dir_all(krate.join("src"))?;
    std::fs::write(krate.join("src/lib.rs"), "")?;
    std::fs::write(krate.join("Cargo.toml"), "[package]\nname = \"empty\"\nedition = \"2024\"\n[workspace]\n")?;
    progress("building std for the browser (about half a minute)");
    let target = work.join("target");
    tool::run(
        tool::cargo()
            .current_dir(&krate)
            .args(["build", "--release", "--target", TARGET])
            .args(["-Z", "build-std=std,panic_abort"])
            .arg("--target-dir")
            .arg(&target)
            // build-std is a nightly feature of cargo; this compiler is asked for it by name.
            .env("RUSTC_BOOTSTRAP", "1")
            // Where cargo finds std's sources. Without it they would have to be copied into the
            // toolchain, which is not ours to change.
            .env("__CARGO_TESTS_ONLY_SRC_ROOT", &library)
            // The release build optimises across crates (LTO), and needs std's bitcode for that.
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Cembed-bitcode=yes"),
    )?;
    let libraries = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    std::fs::create_dir_all(&libraries)?;
    let built = target.join(TARGET).join("release/deps");
    for file in std::fs::read_dir(&built)?.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libempty-") {
            std::fs::copy(file.path(), libraries.join(&name))?;
        }
    }
    std::fs::remove_dir_all(&work)?;
    Ok(())
}
