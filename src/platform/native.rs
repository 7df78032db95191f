//! The window on a desktop.

use super::graphics::{self, Starting};
use super::{Engine, EngineName, File, Host, Slot, Surroundings};
use crate::session::Session;
use crate::ui::app::App;
use eframe::egui;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::LazyLock;
use std::time::Instant;

/// Opens the window and returns when it is closed.
///
/// # Errors
/// When no window can be opened or nothing can draw in it.
pub fn run() -> eframe::Result {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size([1280.0, 800.0]).with_min_inner_size([360.0, 480.0]),
        renderer: eframe::Renderer::Wgpu,
        ..Default::default()
    };
    eframe::run_native(
        "Attention Lab",
        options,
        Box::new(|creation| {
            let session = Rc::new(RefCell::new(saved_session()));
            let host: Rc<dyn Host> = Rc::new(Desktop);
            Ok(Box::new(App::new(&creation.egui_ctx, session, host)))
        }),
    )
}

/// A saved session that cannot be read is no reason not to start.
fn saved_session() -> Session {
    super::own_session(Desktop.saved(Slot::Session), |text| Desktop.save(Slot::Unread, text))
}

/// Where this system keeps the data of a user's programs.
fn data_file(slot: Slot) -> Option<PathBuf> {
    let name = match slot {
        Slot::Session => "session.json",
        Slot::Linked => "linked.json",
        Slot::States => "states.json",
        Slot::Unread => "unread.json",
    };
    let data = if cfg!(target_os = "windows") {
        PathBuf::from(std::env::var_os("APPDATA")?)
    } else if cfg!(target_os = "macos") {
        std::env::home_dir()?.join("Library/Application Support")
    } else {
        match std::env::var_os("XDG_DATA_HOME") {
            Some(data) => PathBuf::from(data),
            None => std::env::home_dir()?.join(".local/share"),
        }
    };
    Some(data.join("attnlab").join(name))
}

fn milliseconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64() * 1e3
}

struct Desktop;

impl Host for Desktop {
    fn hands(&self, context: &egui::Context) -> Result<Box<dyn crate::long::Hands>, String> {
        Ok(Box::new(super::threads::Threads::new(context)))
    }

    fn graphics(&self, context: &egui::Context, d: usize, forced: bool) -> Starting {
        let (starting, context) = (Starting::default(), context.clone());
        let here = starting.clone();
        std::thread::spawn(move || {
            let outcome = pollster::block_on(graphics::start(&context, d, forced, &milliseconds));
            here.put(&context, outcome);
        });
        starting
    }

    fn milliseconds(&self) -> f64 {
        milliseconds()
    }

    fn save(&self, slot: Slot, text: &str) {
        let Some(path) = data_file(slot) else { return };
        let folder = path.parent().expect("the file lies in a folder");
        let saved = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        if let Err(why) = saved {
            log::warn!("{} cannot be written: {why}", path.display());
        }
    }

    fn saved(&self, slot: Slot) -> Option<String> {
        std::fs::read_to_string(data_file(slot)?).ok()
    }

    /// Into the folder for downloads; a name that is taken gets a number.
    fn hand_over(&self, file: &File) -> Result<Option<String>, String> {
        let home = std::env::home_dir().ok_or("there is no home folder")?;
        let downloads = home.join("Downloads");
        let folder = if downloads.is_dir() { downloads } else { home };
        let (stem, ending) = file.name.split_once('.').unwrap_or((&file.name, ""));
        let numbered = |number: usize| match number {
            0 => folder.join(&file.name),
            _ => folder.join(format!("{stem}-{number}.{ending}")),
        };
        let path = (0..).map(numbered).find(|path| !path.exists()).expect("some number is free");
        std::fs::write(&path, &file.bytes).map_err(|why| format!("{}: {why}", path.display()))?;
        Ok(Some(path.display().to_string()))
    }

    fn hand_over_picture(&self, name: &str, svg: &str) -> Result<Option<String>, String> {
        let bytes = crate::figure::png(svg, 300).map_err(|why| why.to_string())?;
        self.hand_over(&File::new(name.to_owned(), "image/png", bytes))
    }

    fn choose_files(&self) {} // files are dropped onto the window

    fn take_files(&self, context: &egui::Context) -> Vec<File> {
        let dropped = context.input_mut(|input| std::mem::take(&mut input.raw.dropped_files));
        let read = |file: egui::DroppedFileHandle| {
            let name = file.path().file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
            match file.bytes() {
                Ok(bytes) => Some(File::new(name, "", bytes)),
                Err(why) => {
                    log::warn!("{name}: {why}");
                    None
                }
            }
        };
        dropped.into_iter().filter_map(read).collect()
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings::ALL
    }

    fn set_height(&self, _height: f32) {}

    fn address(&self) -> String {
        String::new() // a window has none: what is copied is the fragment
    }

    fn forget_link(&self) {}

    fn languages(&self) -> Vec<String> {
        let variables = ["LC_ALL", "LC_MESSAGES", "LANG"];
        let set = variables.iter().filter_map(|name| std::env::var(name).ok());
        set.filter_map(|locale| language_tag(&locale)).collect()
    }

    fn reduced_motion(&self) -> bool {
        false // no desktop tells it in one way
    }

    fn engine(&self) -> Engine {
        Engine { name: EngineName::Native, tried: Vec::new() }
    }

    fn set_language(&self, _tag: &str) {} // a window has no language
}

/// `zh_CN.UTF-8` is `zh-CN`; `C` and `POSIX` are no languages.
fn language_tag(locale: &str) -> Option<String> {
    let name = locale.split(['.', '@']).next().unwrap_or_default();
    let known = !matches!(name, "" | "C" | "POSIX");
    known.then(|| name.replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_become_language_tags() {
        assert_eq!(language_tag("zh_CN.UTF-8").as_deref(), Some("zh-CN"));
        assert_eq!(language_tag("en").as_deref(), Some("en"));
        assert_eq!(language_tag("C.UTF-8"), None);
        assert_eq!(language_tag(""), None);
    }
}
