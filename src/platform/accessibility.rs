//! The accessibility tree in the page, for screen readers and for the browser tests.
//!
//! egui draws on a canvas, which says nothing to a screen reader. Its accessibility tree is
//! therefore mirrored into elements that lie over the canvas at the widgets' places: invisible,
//! transparent to the pointer, and with the page's real focus. What is done to them goes back to
//! egui. [`super::aria`] says what each element is, [`dom`] writes it, [`events`] listens,
//! [`focus`] keeps egui's focus and the page's the same.
//!
//! Rejected: `aria-activedescendant` on the canvas, which is a keyboard trap, and real form
//! controls, which have a state of their own that drifts away from egui's.

mod dom;
mod events;
mod focus;
mod keys;
mod listener;

use super::aria;
use dom::Dom;
use eframe::egui;
use events::{Events, Inbox};
use focus::Focus;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::HtmlCanvasElement;

thread_local! {
    /// The mirror of the app that runs. A plugin must be `Send`, which elements are not.
    static MIRROR: RefCell<Option<Parts>> = const { RefCell::new(None) };
    static STOPPED: Cell<bool> = const { Cell::new(false) };
}

struct Parts {
    dom: Dom,
    focus: Focus,
    inbox: Rc<Inbox>,
    _events: Events,
}

/// After a panic nothing here does anything any more.
pub fn stop() {
    STOPPED.set(true);
}

fn is_stopped() -> bool {
    STOPPED.get()
}

/// The plugin that keeps the page's tree the same as egui's.
pub struct Mirror;

impl Mirror {
    /// Lays the mirror over a canvas that is in the page.
    ///
    /// # Errors
    /// When the page lets no element be made.
    pub fn new(canvas: &HtmlCanvasElement, context: &egui::Context) -> Result<Self, String> {
        let parts = Parts::new(canvas, context).map_err(|why| format!("{why:?}"))?;
        MIRROR.replace(Some(parts));
        Ok(Self)
    }
}

impl Parts {
    fn new(canvas: &HtmlCanvasElement, context: &egui::Context) -> Result<Self, wasm_bindgen::JsValue> {
        let dom = Dom::new(canvas)?;
        let focus = Focus::new(canvas, dom.root());
        let inbox = Rc::new(Inbox::new(context.clone()));
        let _events = Events::listen(&focus, &inbox)?;
        Ok(Self { dom, focus, inbox, _events })
    }
}

impl egui::Plugin for Mirror {
    fn debug_name(&self) -> &'static str {
        "accessibility mirror"
    }

    fn setup(&mut self, context: &egui::Context) {
        context.enable_accesskit();
    }

    fn on_exit(&mut self, _context: &egui::Context) {
        if let Some(parts) = MIRROR.take() {
            parts.dom.root().remove();
        }
    }

    fn input_hook(&mut self, _context: &egui::Context, input: &mut egui::RawInput) {
        MIRROR.with_borrow(|parts| {
            let Some(parts) = parts else { return };
            if parts.focus.is_beside_canvas() {
                // eframe knows only of the canvas; for egui the app has the focus all the same.
                input.focused = true;
                let lost = |event: &egui::Event| matches!(event, egui::Event::WindowFocused(_));
                input.events.retain(|event| !lost(event));
            }
            input.events.append(&mut parts.inbox.take(parts.focus.is_arriving()));
        });
    }

    fn output_hook(&mut self, context: &egui::Context, output: &mut egui::FullOutput) {
        let platform = &mut output.platform_output;
        let Some(update) = platform.accesskit_update.take() else {
            return;
        };
        let zoom = f64::from(context.zoom_factor());
        let Some(picture) = aria::picture(&update, zoom) else {
            return;
        };
        let is_typing = platform.ime.is_some();
        // Taken out while it works: moving the focus calls the listeners at once, and they must
        // not find it borrowed.
        if let Some(mut parts) = MIRROR.take() {
            parts.dom.show(&picture);
            parts.focus.follow(&picture, is_typing, &parts.dom);
            parts.inbox.ask_for_pass_if_filled();
            MIRROR.replace(Some(parts));
        }
    }
}
