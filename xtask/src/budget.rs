//! What the first visit may cost: the bytes that travel before the app is there, held to a budget so that they do not grow
//! unseen.

use anyhow::{Result, ensure};
use std::path::Path;

/// What the first picture may take as it travels, gzip and brotli, and what it may take with the rest of the program, which
/// comes after it. (An empty app with the same text engine takes 1.07 and 0.81 MB.)
const MOST: [(&str, u64, u64); 2] = [(".gz", 1_500_000, 1_780_000), (".br", 1_200_000, 1_450_000)];

/// The part of the program that comes after the first picture.
const REST: &str = "attnlab_rest.wasm";

/// Whether a file is fetched by a page that only begins: the page itself and its build, but nothing of long sequences, nothing
/// for other pages, and no picture.
fn is_of_visit(name: &str) -> bool {
    let is_code = [".html", ".js", ".wasm", ".json"].iter().any(|ending| name.ends_with(ending));
    is_code && !name.starts_with("long-") && !name.starts_with("embed")
}

/// Bytes with this ending, until the first picture and after it; a file that was too small to compress counts as it is.
fn load(dist: &Path, ending: &str) -> Result<[u64; 2]> {
    let mut folders = vec![dist.to_owned()];
    let mut bytes = [0, 0];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let (path, name) = entry.map(|entry| (entry.path(), entry.file_name().to_string_lossy().into_owned()))?;
            if path.is_dir() {
                folders.push(path);
            } else if is_of_visit(&name) {
                let compressed = std::fs::metadata(format!("{}{ending}", path.display()));
                bytes[usize::from(name == REST)] += compressed.or_else(|_| std::fs::metadata(&path))?.len();
            }
        }
    }
    Ok(bytes)
}

/// Says what the load takes.
///
/// # Errors
/// It takes more than the budget.
pub fn check(dist: &Path) -> Result<()> {
    for (ending, most_first, most) in MOST {
        let [first, rest] = load(dist, ending)?;
        let all = first + rest;
        crate::tool::progress(format!("load, *{ending}: {first} bytes of {most_first}, with the rest {all} of {most}"));
        ensure!(first > 0 && rest > 0, "in {} something is missing", dist.display());
        ensure!(first <= most_first, "the first picture takes {first} bytes as *{ending}, more than {most_first}");
        ensure!(all <= most, "the program takes {all} bytes as *{ending}, more than {most}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_before_the_picture_is_counted_apart_and_long_sequences_are_not() {
        let folder = std::env::temp_dir().join(format!("attnlab-budget-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("build")).unwrap();
        let write = |name: &str, bytes: usize| std::fs::write(folder.join(name), vec![0; bytes]).unwrap();
        write("index.html", 10);
        write("icon.svg", 1_000);
        write("embed.js", 1_000);
        write("build/app.wasm", 5_000);
        write("build/app.wasm.gz", 300);
        write("build/long-simd_bg.wasm", 1_000);
        assert!(check(&folder).is_err());
        write("build/attnlab_rest.wasm", 2_000);
        write("build/attnlab_rest.wasm.gz", 20);
        assert_eq!(load(&folder, ".gz").unwrap(), [310, 20]);
        assert!(check(&folder).is_ok());
        write("build/attnlab_rest.wasm.gz", 1_800_000);
        assert!(check(&folder).unwrap_err().to_string().contains("1800310 bytes"));
        write("build/app.wasm.gz", 1_600_000);
        assert!(check(&folder).unwrap_err().to_string().contains("1600010 bytes"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
