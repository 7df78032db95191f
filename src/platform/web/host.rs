//! What the page answers when the app asks.

use super::workers::Workers;
use super::{tell_page, tell_page_of};
use crate::long::gpu::GpuError;
use crate::platform::graphics::{self, Starting};
use crate::platform::{Engine, EngineName, File, Host, Slot, Surroundings};
use eframe::egui;
use std::sync::Mutex;

/// Where a slot is kept; `web/trouble.js` has the same names.
fn key(slot: Slot) -> &'static str {
    match slot {
        Slot::Session => "attnlab.session",
        Slot::Linked => "attnlab.linked",
        Slot::States => "attnlab.states",
        Slot::Unread => "attnlab.unread",
    }
}

/// What was saved in this browser, if anything was; inside another page nothing is.
pub fn saved(slot: Slot) -> Option<String> {
    if is_embedded() {
        return None;
    }
    storage()?.get_item(key(slot)).ok()?
}

/// Keeps a text in this browser; inside another page that page is told that there is something new.
pub fn save(slot: Slot, text: &str) {
    if is_embedded() {
        tell_page("changed", "");
        return;
    }
    let saved = storage().map(|storage| storage.set_item(key(slot), text));
    if !matches!(saved, Some(Ok(()))) {
        log::warn!("the browser does not let this page keep anything: a reload starts anew");
    }
}

/// The browser's storage; a browser may forbid it.
fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// The fragment of the page's address without `#`; empty where there is none.
pub fn fragment() -> String {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok());
    hash.unwrap_or_default().trim_start_matches('#').to_owned()
}

/// A parameter of the page's address.
pub fn parameter(name: &str) -> Option<String> {
    let search = web_sys::window()?.location().search().ok()?;
    web_sys::UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// Whether the page stands inside another one.
pub fn is_embedded() -> bool {
    parameter("embed").is_some()
}

/// Files that the page handed in and the app has not taken yet.
static FILES: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// Keeps a file until the app takes it.
pub fn put_file(file: File) {
    FILES.lock().expect("no panic while it is held").push(file);
}

/// Whether this browser knows WebGPU at all.
fn has_webgpu() -> bool {
    let gpu = web_sys::window().map(|window| js_sys::Reflect::get(&window.navigator(), &"gpu".into()));
    gpu.is_some_and(|gpu| gpu.is_ok_and(|gpu| !gpu.is_undefined() && !gpu.is_null()))
}

fn milliseconds() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// The page as the app's host.
pub struct WebHost {
    engine: Engine,
}

impl WebHost {
    /// The host of an app that is drawn by this engine.
    pub fn new(name: EngineName, tried: Vec<String>) -> Self {
        Self { engine: Engine { name, tried } }
    }
}

impl Host for WebHost {
    fn hands(&self, context: &egui::Context) -> Result<Box<dyn crate::long::Hands>, String> {
        let address = super::worker_address().ok_or("the page did not say where its Worker lies")?;
        Ok(Box::new(Workers::new(&address, context)?))
    }

    fn graphics(&self, context: &egui::Context, d: usize, forced: bool) -> Starting {
        let (starting, context) = (Starting::default(), context.clone());
        if !has_webgpu() {
            starting.put(&context, Err(GpuError::Absent));
            return starting;
        }
        let here = starting.clone();
        wasm_bindgen_futures::spawn_local(async move {
            let outcome = graphics::start(&context, d, forced, &milliseconds).await;
            here.put(&context, outcome);
        });
        starting
    }

    fn milliseconds(&self) -> f64 {
        milliseconds()
    }

    fn save(&self, slot: Slot, text: &str) {
        save(slot, text);
    }

    fn saved(&self, slot: Slot) -> Option<String> {
        saved(slot)
    }

    fn hand_over(&self, file: &File) -> Result<Option<String>, String> {
        let bytes = js_sys::Uint8Array::from(file.bytes.as_slice());
        let (name, mime) = (file.name.as_str(), file.mime.as_str());
        tell_page_of("file", &js_sys::Array::of3(&name.into(), &mime.into(), &bytes));
        Ok(None)
    }

    fn hand_over_picture(&self, name: &str, svg: &str) -> Result<Option<String>, String> {
        tell_page_of("picture", &js_sys::Array::of2(&name.into(), &svg.into()));
        Ok(None)
    }

    fn choose_files(&self) {
        tell_page("choose-files", "");
    }

    fn take_files(&self, _context: &egui::Context) -> Vec<File> {
        std::mem::take(&mut FILES.lock().expect("no panic while it is held"))
    }

    fn surroundings(&self) -> Surroundings {
        if is_embedded() {
            Surroundings::named(&parameter("show").unwrap_or_else(|| "formula why".to_owned()))
        } else {
            Surroundings::ALL
        }
    }

    fn set_height(&self, height: f32) {
        tell_page("height", &height.to_string());
    }

    fn address(&self) -> String {
        let href = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
        href.split('#').next().unwrap_or_default().to_owned()
    }

    fn forget_link(&self) {
        tell_page("forget-link", "");
    }

    fn languages(&self) -> Vec<String> {
        let Some(window) = web_sys::window() else {
            return Vec::new();
        };
        let languages = window.navigator().languages();
        parameter("lang").into_iter().chain(languages.iter().filter_map(|tag| tag.as_string())).collect()
    }

    fn reduced_motion(&self) -> bool {
        web_sys::window()
            .and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok()?)
            .is_some_and(|query| query.matches())
    }

    fn engine(&self) -> Engine {
        self.engine.clone()
    }

    fn set_language(&self, tag: &str) {
        tell_page("language", tag);
    }
}
