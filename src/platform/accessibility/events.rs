//! What is done to the mirrored elements, handed to egui: clicks, focus, keys, the clipboard.
//!
//! The body counts as one of them: after loading, and after a click on nothing, the page's focus
//! is there, and a paste or a key is meant for the app all the same.

use super::dom::NODE_ATTRIBUTE;
use super::focus::Focus;
use super::keys;
use super::listener::Listener;
use eframe::egui;
use eframe::egui::accesskit::{Action, ActionRequest, NodeId, TreeId};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ClipboardEvent, Element, Event, EventTarget, KeyboardEvent};

/// Events that wait for egui's next pass.
pub struct Inbox {
    context: egui::Context,
    events: RefCell<Vec<egui::Event>>,
}

impl Inbox {
    /// An empty inbox of this app.
    pub fn new(context: egui::Context) -> Self {
        Self { context, events: RefCell::default() }
    }

    /// What came in since the last pass. While the focus is on its way, keys wait for it: they are
    /// meant for where it goes, not for where it was.
    pub fn take(&self, focus_is_arriving: bool) -> Vec<egui::Event> {
        let is_action = |event: &egui::Event| matches!(event, egui::Event::AccessKitActionRequest(_));
        let (now, later) = self.events.take().into_iter().partition(|event| !focus_is_arriving || is_action(event));
        self.events.replace(later);
        now
    }

    /// Sees to it that what waits is taken soon.
    pub fn ask_for_pass_if_filled(&self) {
        if !self.events.borrow().is_empty() {
            self.context.request_repaint();
        }
    }

    fn put(&self, events: impl IntoIterator<Item = egui::Event>) {
        self.events.borrow_mut().extend(events);
        self.context.request_repaint();
    }

    fn ask(&self, action: Action, id: NodeId) {
        self.put([egui::Event::AccessKitActionRequest(ActionRequest {
            action,
            target_tree: TreeId::ROOT,
            target_node: id,
            data: None,
        })]);
    }
}

/// All listeners of the mirror; they go away with it.
pub struct Events {
    _listeners: Vec<Listener>,
}

impl Events {
    /// Begins to listen.
    pub fn listen(focus: &Focus, inbox: &Rc<Inbox>) -> Result<Self, JsValue> {
        let mut listeners = Vec::new();
        clicks(focus, inbox, &mut listeners)?;
        focus_moves(focus, inbox, &mut listeners)?;
        keyboard(focus, inbox, &mut listeners)?;
        clipboard(focus, inbox, &mut listeners)?;
        Ok(Self { _listeners: listeners })
    }
}

type Listeners = Vec<Listener>;

/// A click on an element is what a screen reader does to press it; the mouse goes to the canvas.
fn clicks(focus: &Focus, inbox: &Rc<Inbox>, listeners: &mut Listeners) -> Result<(), JsValue> {
    let inbox = inbox.clone();
    listeners.push(Listener::new(focus.root(), "click", false, move |event: &Event| {
        if let Some((id, _)) = node_of(event.target()) {
            inbox.ask(Action::Click, id);
        }
    })?);
    Ok(())
}

/// The user moved the focus by Tab or by a screen reader: egui takes it there too.
fn focus_moves(focus: &Focus, inbox: &Rc<Inbox>, listeners: &mut Listeners) -> Result<(), JsValue> {
    let (listening, inbox) = (focus.clone(), inbox.clone());
    listeners.push(Listener::new(focus.root(), "focusin", false, move |event: &Event| {
        let Some((id, html)) = node_of(event.target()) else {
            return;
        };
        if listening.is_moving() {
            return;
        }
        listening.note(id);
        inbox.ask(Action::Focus, id);
        inbox.ask(Action::ScrollIntoView, id);
        // At once, not after the next pass: a phone shows its keyboard only within the event.
        if is_text_box(&html) {
            listening.hand_to_text_input(&html);
        }
    })?);
    Ok(())
}

fn keyboard(focus: &Focus, inbox: &Rc<Inbox>, listeners: &mut Listeners) -> Result<(), JsValue> {
    let document: &EventTarget = focus.document();
    // eframe keeps Tab for itself on its canvas and in its text input, always. It is taken here
    // before eframe sees it, and the browser goes on from the element that was last in use.
    let tab = focus.clone();
    listeners.push(Listener::new(document, "keydown", true, move |event: &KeyboardEvent| {
        if event.key() == "Tab" && tab.is_with_eframe() && !tab.tab_belongs_to_egui() {
            event.stop_propagation();
            tab.return_to_mirror();
        }
    })?);
    let (pressed, pressed_inbox) = (focus.clone(), inbox.clone());
    listeners.push(Listener::new(document, "keydown", false, move |event: &KeyboardEvent| {
        if !pressed.is_beside_canvas() || event.key() == "Tab" || event.is_composing() {
            return;
        }
        let node = node_of(event.target());
        // After Escape egui has no focus, but the page still has: the next key brings it back.
        if let Some((id, html)) = &node
            && pressed.in_egui() != Some(*id)
            && event.key() != "Escape"
        {
            pressed_inbox.ask(Action::Focus, *id);
            if is_text_box(html) {
                pressed.hand_to_text_input(html);
                return; // the key itself goes on into the text input
            }
        }
        let events = keys::pressed(event);
        if !events.is_empty() {
            if keys::is_ours(event) {
                event.prevent_default();
            }
            pressed_inbox.put(events);
        }
    })?);
    let (released, released_inbox) = (focus.clone(), inbox.clone());
    listeners.push(Listener::new(document, "keyup", false, move |event: &KeyboardEvent| {
        if released.is_beside_canvas() {
            released_inbox.put(keys::released(event));
        }
    })?);
    Ok(())
}

fn clipboard(focus: &Focus, inbox: &Rc<Inbox>, listeners: &mut Listeners) -> Result<(), JsValue> {
    let document: &EventTarget = focus.document();
    let (pasted, pasted_inbox) = (focus.clone(), inbox.clone());
    listeners.push(Listener::new(document, "paste", false, move |event: &ClipboardEvent| {
        if !pasted.is_beside_canvas() {
            return; // eframe sees it
        }
        let data = event.clipboard_data();
        let text = data.and_then(|data| data.get_data("text").ok());
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            event.prevent_default();
            pasted_inbox.put([egui::Event::Paste(text.replace("\r\n", "\n"))]);
        }
    })?);
    for (kind, meaning) in [("copy", egui::Event::Copy), ("cut", egui::Event::Cut)] {
        let (copied, copied_inbox) = (focus.clone(), inbox.clone());
        listeners.push(Listener::new(document, kind, false, move |event: &ClipboardEvent| {
            if copied.is_beside_canvas() {
                // egui answers in its next pass, and eframe then fills the clipboard: within
                // the time that a browser grants after a key press.
                event.prevent_default();
                copied_inbox.put([meaning.clone()]);
            }
        })?);
    }
    Ok(())
}

/// The node whose element this is, or lies in.
fn node_of(target: Option<EventTarget>) -> Option<(NodeId, Element)> {
    let target: Element = target?.dyn_into().ok()?;
    let html = target.closest(&format!("[{NODE_ATTRIBUTE}]")).ok()??;
    let id = html.get_attribute(NODE_ATTRIBUTE)?.parse().ok()?;
    Some((NodeId(id), html))
}

fn is_text_box(html: &Element) -> bool {
    matches!(html.get_attribute("role").as_deref(), Some("textbox" | "searchbox"))
}
