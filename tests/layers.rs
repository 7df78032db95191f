//! Which module may use which, and what the core must be free of.
//!
//! The flow goes one way (see `src/lib.rs`); a module that reaches back fails here, with the line.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A module and what it may use.
struct Layer {
    name: &'static str,
    /// The modules of this crate that it may name.
    may_use: &'static [&'static str],
    /// Words that must not stand in its code.
    must_not_say: &'static [&'static str],
}

/// Nothing of the window, of the browser.
const WINDOW: &[&str] = &["egui", "eframe", "wgpu", "web_sys", "js_sys", "wasm_bindgen"];

/// Nor of the machine.
const WINDOW_AND_MACHINE: &[&str] =
    &["egui", "eframe", "wgpu", "web_sys", "js_sys", "wasm_bindgen", "std::fs", "std::time", "std::env", "std::io"];

/// Nor of any other crate, the standard library included.
const NO_DEPENDENCY: &[&str] = &[
    "attnlab",
    "std",
    "egui",
    "eframe",
    "wgpu",
    "web_sys",
    "js_sys",
    "wasm_bindgen",
    "nalgebra",
    "thiserror",
    "serde",
];

const LAYERS: [Layer; 16] = [
    Layer { name: "attention", may_use: &[], must_not_say: WINDOW_AND_MACHINE },
    Layer { name: "writing", may_use: &["attention"], must_not_say: WINDOW },
    Layer { name: "exchange", may_use: &["attention"], must_not_say: WINDOW },
    Layer { name: "examples", may_use: &["attention", "exchange"], must_not_say: WINDOW },
    Layer { name: "code", may_use: &["attention"], must_not_say: WINDOW },
    Layer { name: "claim", may_use: &["attention", "exchange"], must_not_say: WINDOW },
    // The page's colours and symbols it has by copy, held together by a test: it must draw without a window.
    Layer { name: "figure", may_use: &["attention", "writing"], must_not_say: WINDOW },
    // Engines of other machines come in through its trait; it knows none of them.
    Layer { name: "long", may_use: &["attention"], must_not_say: WINDOW_AND_MACHINE },
    // It alone knows wgpu, and not the window that may draw with it.
    Layer {
        name: "long/gpu",
        may_use: &["long"],
        must_not_say: &["egui", "eframe", "web_sys", "js_sys", "wasm_bindgen", "std::fs", "std::time", "std::env"],
    },
    // A crate of its own: arithmetic on slices, which Workers load without the app.
    Layer { name: "long/kernel", may_use: &[], must_not_say: NO_DEPENDENCY },
    // The border between that and JavaScript, and nothing of the app.
    Layer {
        name: "long/worker",
        may_use: &[],
        must_not_say: &["attnlab", "std", "egui", "eframe", "wgpu", "web_sys", "js_sys", "nalgebra", "serde"],
    },
    Layer {
        name: "session",
        may_use: &["attention", "writing", "exchange", "examples", "claim", "study", "long"],
        must_not_say: WINDOW,
    },
    Layer { name: "solution", may_use: &["attention", "writing"], must_not_say: WINDOW },
    Layer { name: "study", may_use: &["attention"], must_not_say: WINDOW },
    Layer {
        name: "ui",
        may_use: &[
            "attention",
            "writing",
            "exchange",
            "examples",
            "code",
            "claim",
            "solution",
            "study",
            "long",
            "figure",
            "session",
            "platform",
        ],
        // Of the platform it knows what `Host` offers, not what is behind it.
        must_not_say: &["web_sys", "js_sys", "wasm_bindgen", "platform::web", "platform::native", "accessibility::"],
    },
    Layer { name: "platform", may_use: &["long", "figure", "session", "ui"], must_not_say: &["crate::attention"] },
];

#[test]
fn no_module_reaches_back() {
    let mut wrong = Vec::new();
    for layer in &LAYERS {
        let files = sources(layer.name);
        assert!(!files.is_empty(), "src/{} has no files: is the layer still there?", layer.name);
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source file can be read");
            wrong.extend(violations(layer, &text).into_iter().map(|line| format!("{}: {line}", file.display())));
        }
    }
    assert!(wrong.is_empty(), "these lines reach where they must not:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_is_a_layer() {
    let lib = std::fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs");
    let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    for module in modules {
        assert!(LAYERS.iter().any(|layer| layer.name == module), "{module} has no rule in tests/layers.rs");
    }
}

#[test]
fn the_core_is_free_of_the_window() {
    let tree = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["tree", "--package", "attnlab", "--edges", "normal", "--no-default-features"])
        .args(["--target", "all", "--prefix", "none"])
        .output()
        .expect("cargo tree runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8_lossy(&tree.stdout);
    let names: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"nalgebra"), "this is not the tree of the core:\n{tree}");
    let window: Vec<&&str> = names.iter().filter(|name| is_of_the_window(name)).collect();
    assert!(window.is_empty(), "the core depends on {window:?}");
}

#[test]
fn the_kernel_depends_on_nothing() {
    let tree = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["tree", "--package", "attnlab-kernel", "--target", "all", "--prefix", "none"])
        .output()
        .expect("cargo tree runs");
    let tree = String::from_utf8_lossy(&tree.stdout);
    assert!(tree.starts_with("attnlab-kernel ") && tree.lines().count() == 1, "the kernel depends on others:\n{tree}");
}

#[test]
fn a_line_that_reaches_back_is_found() {
    let layer = &LAYERS[0];
    let bad = "use crate::session::Session;\n// crate::ui is only spoken of\nlet now = std::time::Instant::now();";
    let found = violations(layer, bad);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(violations(layer, "use crate::{session, ui};").len(), 1);
    assert!(violations(layer, "use crate::attention::Matrix;\nuse super::mask;").is_empty());
    assert!(is_of_the_window("egui-wgpu") && is_of_the_window("web-sys") && !is_of_the_window("serde"));
}

fn is_of_the_window(package: &str) -> bool {
    let families = ["egui", "eframe", "wgpu", "web-sys", "js-sys", "wasm-bindgen", "winit", "accesskit"];
    families.iter().any(|family| package == *family || package.starts_with(&format!("{family}-")))
}

/// The lines of a source file that break a layer's rule. Comments may speak of anything.
fn violations(layer: &Layer, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let reaches = code.split("crate::").skip(1).any(|after| {
            let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let is_module = LAYERS.iter().any(|layer| layer.name == name);
            is_module && name != layer.name && !layer.may_use.contains(&name.as_str())
        });
        // A grouped import hides its modules from this search.
        let is_grouped = code.contains("crate::{");
        if reaches || is_grouped || layer.must_not_say.iter().any(|word| says(code, word)) {
            wrong.push(format!("line {}: {}", number + 1, line.trim()));
        }
    }
    wrong
}

/// Whether code names this word, and not another one that it is part of.
fn says(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && (word.ends_with(':') || !after.is_some_and(is_part))
    })
}

/// All source files of a module, but for crates and layers of their own within it.
fn sources(module: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let file = root().join("src").join(format!("{module}.rs"));
    if file.is_file() {
        found.push(file);
    }
    let mut folders = vec![root().join("src").join(module)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_own_layer = LAYERS.iter().any(|layer| root().join("src").join(layer.name) == path);
            if path.is_dir() && !path.join("Cargo.toml").is_file() && !is_own_layer {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
