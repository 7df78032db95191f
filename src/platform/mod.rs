//! Where the app runs: a window on a desktop, or a page in a browser.
//!
//! This is the only module that knows. The user interface asks through [`Host`] and must not
//! reach past it; this module in turn must not know what the panels show.
//!
//! Next: [`native`] for the window, `web` for the page, `accessibility` for the tree that the
//! page shows to screen readers.

/// What the accessibility tree becomes in a page: roles, attributes, places. No browser needed.
pub mod aria;

#[cfg(not(target_arch = "wasm32"))]
pub mod native;

#[cfg(target_arch = "wasm32")]
pub mod accessibility;
#[cfg(target_arch = "wasm32")]
pub mod web;

/// What the app may ask of the place where it runs.
pub trait Host {
    /// Keeps the session, as text, so that the next start finds it. Called after every action.
    fn save(&self, session: &str);
    /// The languages that the user prefers, as BCP 47 tags, best first.
    fn languages(&self) -> Vec<String>;
    /// Whether the user asked for less motion.
    fn reduced_motion(&self) -> bool;
    /// What draws now, and why not something better.
    fn engine(&self) -> Engine;
    /// Tells the surroundings (the page's `lang`, the title) which language is shown.
    fn set_language(&self, tag: &str);
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
