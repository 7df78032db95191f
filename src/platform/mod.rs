//! Where the app runs: a window on a desktop, or a page in a browser.
//!
//! This is the only module that knows. The user interface asks through [`Host`] and must not
//! reach past it; this module in turn must not know what the panels show.
//!
//! Next: [`native`] for the window, `web` for the page, `accessibility` for the tree that the
//! page shows to screen readers.

/// What the accessibility tree becomes in a page: roles, attributes, places. No browser needed.
pub mod aria;

/// A graphics processor for long sequences.
pub mod graphics;

#[cfg(not(target_arch = "wasm32"))]
pub mod native;
#[cfg(not(target_arch = "wasm32"))]
pub mod threads;

#[cfg(target_arch = "wasm32")]
pub mod accessibility;
#[cfg(target_arch = "wasm32")]
pub mod web;

/// What the app may ask of the place where it runs.
pub trait Host {
    /// Keeps a text, so that the next start finds it.
    fn save(&self, slot: Slot, text: &str);
    /// What was kept.
    fn saved(&self, slot: Slot) -> Option<String>;
    /// Hands a file to the user: a download, or a file in the folder for downloads. Says where it is, if it can.
    ///
    /// # Errors
    /// Why it could not be written.
    fn hand_over(&self, file: &File) -> Result<Option<String>, String>;
    /// Hands a drawing (SVG) to the user as a picture of pixels (PNG), as `hand_over` does.
    ///
    /// # Errors
    /// Why it could not be made or written.
    fn hand_over_picture(&self, name: &str, svg: &str) -> Result<Option<String>, String>;
    /// Lets the user choose files; they arrive in `take_files`.
    fn choose_files(&self);
    /// The files that were chosen, or dropped onto the app, since the last call.
    fn take_files(&self, context: &egui::Context) -> Vec<File>;
    /// What stands around the matrices.
    fn surroundings(&self) -> Surroundings;
    /// How high the whole content is, in points; a page around it may want to know.
    fn set_height(&self, height: f32);
    /// The address of this page without its fragment, to which links are made.
    fn address(&self) -> String;
    /// Takes the fragment out of the page's address: the state is the user's own now.
    fn forget_link(&self);
    /// The languages that the user prefers, as BCP 47 tags, best first.
    fn languages(&self) -> Vec<String>;
    /// Whether the user asked for less motion.
    fn reduced_motion(&self) -> bool;
    /// What draws now, and why not something better.
    fn engine(&self) -> Engine;
    /// What computes over long sequences beside the app; `context` is asked for a pass whenever something is done.
    ///
    /// # Errors
    /// Why nothing does, in the words of the place.
    fn hands(&self, context: &egui::Context) -> Result<Box<dyn crate::long::Hands>, String>;
    /// Asks for a graphics processor that computes over long sequences with rows of width d; one in software only where it
    /// is `forced`.
    fn graphics(&self, context: &egui::Context, d: usize, forced: bool) -> graphics::Starting;
    /// Milliseconds since some moment, to share the time between work and drawing.
    fn milliseconds(&self) -> f64;
    /// Tells the surroundings (the page's `lang`, the title) which language is shown.
    fn set_language(&self, tag: &str);
}

/// What stands around the matrices; all of it, unless the app stands inside another page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// The name, the example, undo, language, theme.
    pub header: bool,
    /// The formula with its steps, and what the step does.
    pub formula: bool,
    /// The arithmetic of a cell, and the checks.
    pub why: bool,
    /// The panels below.
    pub panels: bool,
}

impl Surroundings {
    /// Everything.
    pub const ALL: Self = Self { header: true, formula: true, why: true, panels: true };

    /// Those that a list of words names.
    pub fn named(words: &str) -> Self {
        let has = |word: &str| words.split([' ', ',', '+']).any(|named| named == word);
        Self { header: has("header"), formula: has("formula"), why: has("why"), panels: has("panels") }
    }
}

/// What is kept from one visit to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The user's own session.
    Session,
    /// A session that came by a link, with what was changed in it since.
    Linked,
    /// The states that were kept under a name.
    States,
    /// What lay in the place of the session and could not be read: kept for whoever can.
    Unread,
}

/// The user's own session from what was saved, or the first example. What cannot be read is handed to `keep`: the next thing
/// that is done would overwrite it.
pub(crate) fn own_session(saved: Option<String>, keep: impl FnOnce(&str)) -> crate::session::Session {
    let Some(text) = saved else { return crate::session::Session::default() };
    let session = crate::session::Session::restored(&text);
    if session.is_not_restored() {
        keep(&text);
    }
    session
}

/// A file with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The name without folders.
    pub name: String,
    /// What kind it is, as MIME names it; empty where nobody knows.
    pub mime: String,
    /// Its content; empty where the file is far too large.
    pub bytes: Vec<u8>,
    /// How many bytes the file has.
    pub size: u64,
}

impl File {
    /// A file with this content.
    pub fn new(name: String, mime: &str, bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        Self { name, mime: mime.to_owned(), bytes, size }
    }
}

/// What draws the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// What draws now.
    pub name: EngineName,
    /// Why each engine that was tried before did not work, in the raw words of the browser.
    pub tried: Vec<String>,
}

/// The ways in which the app can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineName {
    /// The browser's WebGPU.
    WebGpu,
    /// The browser's WebGL, version 2 or 1.
    WebGl,
    /// A desktop window.
    Native,
}
