//! What the page answers when the app asks.

use super::tell_page;
use crate::platform::{Engine, EngineName, Host};

/// Where the session is kept; `web/trouble.js` has the same name.
const SESSION_KEY: &str = "attnlab.session";

/// The session that was saved in this browser, if there is one.
pub fn saved_session() -> Option<String> {
    storage()?.get_item(SESSION_KEY).ok()?
}

/// The browser's storage; a browser may forbid it.
fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
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
    fn save(&self, session: &str) {
        let saved = storage().map(|storage| storage.set_item(SESSION_KEY, session));
        if !matches!(saved, Some(Ok(()))) {
            log::warn!("the browser does not let this page keep anything: a reload starts anew");
        }
    }

    fn languages(&self) -> Vec<String> {
        let Some(window) = web_sys::window() else {
            return Vec::new();
        };
        let languages = window.navigator().languages();
        languages.iter().filter_map(|tag| tag.as_string()).collect()
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
