//! A copy of the built page, to be changed by a scenario.

use anyhow::Result;
use attnlab_browser_tests::page::dist;
use std::path::{Path, PathBuf};

/// A copy of the built page, gone when dropped.
pub struct Copy(pub PathBuf);

impl Copy {
    pub fn of_dist(name: &str) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("attnlab-{name}-{}", std::process::id()));
        let copy = Self(folder);
        copy_folder(&dist()?, &copy.0)?;
        Ok(copy)
    }

    /// Makes another build of it: the folder of the build and all that names it get another name.
    pub fn rename_build(&self, from: &str, to: &str) -> Result<()> {
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

    /// Takes the files away whose names begin so, or brings them back.
    pub fn hide(&self, beginning: &str, is_hidden: bool) -> Result<()> {
        const HIDDEN: &str = "hidden-";
        let (from, to) = if is_hidden { ("", HIDDEN) } else { (HIDDEN, "") };
        for folder in std::fs::read_dir(&self.0)?.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
            for entry in std::fs::read_dir(&folder)?.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if let Some(rest) = name.strip_prefix(from).filter(|name| name.starts_with(beginning)) {
                    std::fs::rename(entry.path(), folder.join(format!("{to}{rest}")))?;
                }
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
