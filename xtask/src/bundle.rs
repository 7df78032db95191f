//! Writes `dist/`: the page, the program and the texts as static files.
//!
//! All addresses are relative, so `dist/` works below any path of any static host. Everything whose
//! address others need not know lies in a folder named after its content, so that a browser never
//! mixes the files of two builds.

use crate::tool::{self, progress};
use crate::wasm_std::{self, TARGET, WasmStd};
use crate::{compress, split, tool::root, workers};
use anyhow::{Context, Result};
use lexopt::prelude::*;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// How much care the compiler takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// What is published: optimised, and compressed beforehand.
    Release,
    /// Built quickly, large and slow.
    Dev,
}

/// Cargo's name of the profile of the page.
const PAGE: &str = "page";

/// What a page that only begins does not need: panels that are opened later, and kinds of fonts that the page's own are not.
const REST: [&str; 30] = [
    "attnlab::code",
    "attnlab::exchange::file",
    "attnlab::exchange::take",
    "attnlab::figure::canvas",
    "attnlab::figure::draw",
    "attnlab::figure::layout",
    "attnlab::figure::svg",
    "attnlab::long",
    "attnlab::solution",
    "attnlab::study",
    "attnlab::ui::panels::explore",
    "attnlab::ui::panels::export",
    "attnlab::ui::panels::import",
    "attnlab::ui::panels::long",
    "attnlab::ui::panels::paper",
    "attnlab::ui::panels::share",
    "attnlab::ui::widgets::plot",
    "csv",
    "csv_core",
    "egui_plot",
    "fdeflate",
    "half",
    "harfrust::hb::aat",
    "image",
    "plotters",
    "png",
    "read_fonts::ps",
    "safetensors",
    "skrifa::outline::cff",
    "zip",
];

/// Files by their address below `dist/`.
type Files = BTreeMap<String, Vec<u8>>;

/// Files that are taken as they are, into the folder of the build.
const PAGE_FILES: [(&str, &str); 13] = [
    ("web/boot.js", "boot.js"),
    ("web/embed-page.js", "embed-page.js"),
    ("web/embed.css", "embed.css"),
    ("web/embedded.js", "embedded.js"),
    ("web/engines.js", "engines.js"),
    ("web/files.js", "files.js"),
    ("web/loading.js", "loading.js"),
    ("web/long-worker.js", "long-worker.js"),
    ("web/rest.js", "rest.js"),
    ("web/texts.js", "texts.js"),
    ("web/trouble.js", "trouble.js"),
    ("web/style.css", "style.css"),
    ("assets/i18n/page.json", "page.json"),
];

/// Files with an address of their own. In texts `{build}`, `{wasm-bytes}` and `{files}` are filled in.
const ROOT_FILES: [(&str, &str); 8] = [
    ("index.html", "index.html"),
    ("web/embed.html", "embed.html"),
    ("web/embed.js", "embed.js"),
    ("web/sw.js", "sw.js"),
    ("web/manifest.webmanifest", "manifest.webmanifest"),
    ("assets/icons/icon.svg", "icon.svg"),
    ("assets/icons/icon-192.png", "icon-192.png"),
    ("assets/icons/icon-512.png", "icon-512.png"),
];

/// `cargo xtask build`.
pub fn run(mut args: lexopt::Parser) -> Result<()> {
    let mut profile = Profile::Release;
    while let Some(arg) = args.next()? {
        match arg {
            Long("dev") => profile = Profile::Dev,
            other => return Err(other.unexpected().into()),
        }
    }
    let dist = write(profile)?;
    progress(format!("{} is ready for any static host", dist.display()));
    Ok(())
}

/// Builds what is out of date and gives the path of `dist/`.
pub fn write(profile: Profile) -> Result<PathBuf> {
    let std = wasm_std::find()?;
    let wasm = compile(profile, &std)?;
    let dist = root().join("dist");
    let mut sources = read_sources(&wasm)?;
    let workers = workers::compile(&std)?;
    sources.extend(workers.into_iter().map(|(name, wasm)| (format!("{name}.wasm"), wasm)));
    let stamp = stamp(profile, &sources);
    let stamp_file = dist.join(".stamp");
    if std::fs::read_to_string(&stamp_file).is_ok_and(|old| old == stamp) {
        progress("dist/ is up to date");
        return Ok(dist);
    }
    let files = assemble(profile, sources, &stamp)?;
    if dist.exists() {
        std::fs::remove_dir_all(&dist).context("cannot replace dist/")?;
    }
    for (address, content) in &files {
        let path = dist.join(address);
        std::fs::create_dir_all(path.parent().expect("an address is below dist/"))?;
        std::fs::write(&path, content)?;
    }
    if profile == Profile::Release {
        progress("compressing (brotli and gzip)");
        compress::beside(&dist, &files)?;
    }
    // Written last: a build that was interrupted is done again.
    std::fs::write(stamp_file, stamp)?;
    report(&dist, &files)?;
    Ok(dist)
}

/// Compiles the library for the browser and gives the path of the wasm.
fn compile(profile: Profile, std: &WasmStd) -> Result<PathBuf> {
    progress(match profile {
        Profile::Release => "compiling for the browser, optimised (minutes the first time)",
        Profile::Dev => "compiling for the browser, not optimised",
    });
    let mut cargo = tool::cargo();
    // As a library: a binary as the entry would lose the library's exports. The crate type is
    // asked for here, so that native builds do not link one.
    cargo.args(["rustc", "--package", "attnlab", "--lib"]);
    cargo.args(["--crate-type", "cdylib", "--target", TARGET]);
    if profile == Profile::Release {
        cargo.args(["--profile", PAGE]);
    }
    // These names say of what type a generic function is: the split goes by them.
    std.apply_with(&mut cargo, "-Csymbol-mangling-version=v0");
    tool::run(&mut cargo)?;
    let folder = match profile {
        Profile::Release => PAGE,
        Profile::Dev => "debug",
    };
    Ok(tool::target_dir().join(TARGET).join(folder).join("attnlab.wasm"))
}

fn read_sources(wasm: &Path) -> Result<Files> {
    let mut sources = Files::new();
    for (source, name) in PAGE_FILES.into_iter().chain(ROOT_FILES) {
        sources.insert(name.to_owned(), read(&root().join(source))?);
    }
    sources.insert("attnlab.wasm".to_owned(), read(wasm)?);
    Ok(sources)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The same sources, split in the same way, give the same stamp; it names the folder of the build.
fn stamp(profile: Profile, sources: &Files) -> String {
    let mut hasher = DefaultHasher::new();
    (profile, REST, include_str!("split.rs"), sources).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Puts every file to its address, with the wasm split into JavaScript and wasm by wasm-bindgen.
fn assemble(profile: Profile, mut sources: Files, stamp: &str) -> Result<Files> {
    progress("wasm-bindgen");
    let mut files = Files::new();
    let mut wasm_bytes = String::new();
    for name in ["attnlab", "long-simd", "long-relaxed"] {
        let (mut javascript, mut wasm) =
            bind(profile, name, &sources.remove(&format!("{name}.wasm")).expect("it was compiled"))?;
        if name == "attnlab" {
            let parts = split::split(&wasm, &REST, profile == Profile::Dev)?;
            javascript = split::with_rest(&String::from_utf8(javascript)?)?.into_bytes();
            files.insert(format!("{stamp}/attnlab_rest.wasm"), parts.rest);
            wasm = parts.first;
            wasm_bytes = wasm.len().to_string();
        }
        files.insert(format!("{stamp}/{name}.js"), javascript);
        files.insert(format!("{stamp}/{name}_bg.wasm"), wasm);
    }
    let roots: Vec<(&str, Vec<u8>)> =
        ROOT_FILES.into_iter().map(|(_, name)| (name, sources.remove(name).expect("it was read"))).collect();
    for (name, content) in sources {
        files.insert(format!("{stamp}/{name}"), content);
    }
    // What the service worker fetches beforehand: all but itself, and what a page that shows no long sequence never needs.
    let kept: Vec<String> = files
        .keys()
        .map(String::as_str)
        .filter(|address| !is_of_long_sequences(address))
        .chain(roots.iter().map(|(name, _)| *name).filter(|name| *name != "sw.js"))
        .map(|address| format!("\"./{address}\""))
        .collect();
    let kept = format!("[{}]", kept.join(","));
    for (name, content) in roots {
        let content = match String::from_utf8(content) {
            Ok(text) => text
                .replace("{build}", stamp)
                .replace("{wasm-bytes}", &wasm_bytes)
                .replace("{files}", &kept)
                .into_bytes(),
            Err(picture) => picture.into_bytes(),
        };
        files.insert(name.to_owned(), content);
    }
    Ok(files)
}

/// wasm-bindgen's JavaScript and wasm.
pub fn bind(profile: Profile, name: &str, wasm: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let out = tool::target_dir().join("web").join(name);
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_bytes(name, wasm.to_vec()).out_name(name).web(true)?.typescript(false);
    // Names of functions are a tenth of what travels. A panic says its place in the source without them. The split needs
    // them, and takes them away itself.
    bindgen.demangle(false).remove_name_section(profile == Profile::Release && name != "attnlab");
    bindgen.generate(&out).with_context(|| format!("wasm-bindgen of {name}"))?;
    Ok((read(&out.join(format!("{name}.js")))?, read(&out.join(format!("{name}_bg.wasm")))?))
}

/// The Worker and its kernels: the service worker keeps them once they were asked for.
fn is_of_long_sequences(address: &str) -> bool {
    address.rsplit('/').next().is_some_and(|name| name.starts_with("long-"))
}

/// Says how large the program is, as it is and as it travels.
fn report(dist: &Path, files: &Files) -> Result<()> {
    for address in files.keys().filter(|address| address.ends_with(".wasm")) {
        let size = |ending: &str| std::fs::metadata(dist.join(format!("{address}{ending}"))).map(|file| file.len());
        let mut line = format!("{}: {} bytes", address.rsplit('/').next().unwrap_or(address), size("")?);
        for (name, ending) in [("gzip", ".gz"), ("brotli", ".br")] {
            if let Ok(bytes) = size(ending) {
                line += &format!(", {name} {bytes}");
            }
        }
        progress(line);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A build of nothing, with the files of the page as they are.
    fn assembled() -> Files {
        let mut nothing = walrus::Module::default();
        let memory = nothing.memories.add_local(false, false, 1, None, None);
        nothing.exports.add("memory", memory);
        let table = nothing.tables.add_local(false, 1, Some(1), walrus::RefType::FUNCREF);
        let ty = nothing.types.add(&[], &[]);
        let mut function = walrus::FunctionBuilder::new(&mut nothing.types, &[], &[]);
        function.func_body().i32_const(0).call_indirect(ty, table);
        let function = function.finish(Vec::new(), &mut nothing.funcs);
        nothing.exports.add("nothing", function);
        let nothing = nothing.emit_wasm();
        let mut sources = read_sources(Path::new(env!("CARGO_MANIFEST_PATH"))).unwrap();
        for name in ["attnlab", "long-simd", "long-relaxed"] {
            sources.insert(format!("{name}.wasm"), nothing.clone());
        }
        assemble(Profile::Dev, sources, "0123456789abcdef").unwrap()
    }

    #[test]
    fn all_is_fetched_beforehand_but_what_long_sequences_need() {
        let files = assembled();
        let service_worker = std::str::from_utf8(&files["sw.js"]).unwrap();
        for address in files.keys().filter(|address| *address != "sw.js") {
            let is_listed = service_worker.contains(&format!("\"./{address}\""));
            assert_eq!(is_listed, !address.contains("/long-"), "{address}");
        }
        for name in ["long-worker.js", "long-simd.js", "long-simd_bg.wasm", "long-relaxed.js", "long-relaxed_bg.wasm"] {
            assert!(files.contains_key(&format!("0123456789abcdef/{name}")), "{name} is missing");
        }
    }
}
