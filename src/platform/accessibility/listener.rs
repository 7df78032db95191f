//! An event listener that goes away with its value.

use super::is_stopped;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, EventTarget};

/// Listens until it is dropped.
pub struct Listener {
    target: EventTarget,
    kind: &'static str,
    capture: bool,
    closure: Closure<dyn Fn(Event)>,
}

impl Listener {
    /// Calls `act` for every event of this kind that reaches the target. With `capture` it comes
    /// before the listeners of the elements within.
    pub fn new<E: JsCast>(
        target: &EventTarget,
        kind: &'static str,
        capture: bool,
        act: impl Fn(&E) + 'static,
    ) -> Result<Self, JsValue> {
        let closure = Closure::<dyn Fn(Event)>::new(move |event: Event| {
            if !is_stopped() {
                act(event.unchecked_ref());
            }
        });
        target.add_event_listener_with_callback_and_bool(kind, closure.as_ref().unchecked_ref(), capture)?;
        Ok(Self { target: target.clone(), kind, capture, closure })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let callback = self.closure.as_ref().unchecked_ref();
        self.target.remove_event_listener_with_callback_and_bool(self.kind, callback, self.capture).ok();
    }
}
