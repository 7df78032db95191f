//! The small crates for the browser beside the app: the kernel of long sequences for the page's Workers, compiled for the
//! two kinds of SIMD that browsers have, and the graphics processor for the benchmark.

use crate::tool::{self, progress};
use crate::wasm_std::{TARGET, WasmStd};
use anyhow::{Context, Result, ensure};

/// Names of the builds, and what rustc may assume of the browser.
const BUILDS: [(&str, &str); 2] = [("long-simd", "+simd128"), ("long-relaxed", "+simd128,+relaxed-simd")];

/// The wasm of each build by its name. Always optimised: that takes seconds, and a slow kernel is of no use.
pub fn compile(std: &WasmStd) -> Result<Vec<(&'static str, Vec<u8>)>> {
    progress("compiling the kernel of long sequences, with plain and with relaxed SIMD");
    let mut builds = Vec::new();
    for (name, features) in BUILDS {
        builds.push((name, build(std, "attnlab-long-worker", &format!("-Ctarget-feature={features}"))?));
    }
    ensure!(builds[0].1 != builds[1].1, "both builds of the kernel are the same: the compiler was not told of SIMD");
    Ok(builds)
}

/// The wasm with which the benchmark computes on a graphics processor, and its name.
pub fn compile_gpu(std: &WasmStd) -> Result<(&'static str, Vec<u8>)> {
    progress("compiling long sequences on a graphics processor");
    Ok(("bench-gpu", build(std, "attnlab-bench-gpu", "")?))
}

/// The library of a package as wasm.
fn build(std: &WasmStd, package: &str, flags: &str) -> Result<Vec<u8>> {
    let mut cargo = tool::cargo();
    cargo.args(["rustc", "--package", package, "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--release", "--target", TARGET]);
    // They would take the place of the flags for the target.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    std.apply_with(&mut cargo, flags);
    tool::run(&mut cargo)?;
    // Cargo keeps what it compiled with other flags apart, but gives the last of it to this one address.
    let wasm = tool::target_dir().join(TARGET).join("release").join(package.replace('-', "_")).with_extension("wasm");
    std::fs::read(&wasm).with_context(|| format!("cannot read {}", wasm.display()))
}
