//! Keeps the page's focus and egui's the same.
//!
//! The page's focus is on a mirrored element; or on eframe's text input while text is typed, so
//! that input methods and the keyboards of phones work; or on the canvas after a click on nothing
//! in particular. Tab is the browser's, in the order of the elements.

use super::dom::{Dom, NODE_ATTRIBUTE};
use super::is_stopped;
use crate::platform::aria::Picture;
use eframe::egui::accesskit::NodeId;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, FocusOptions, HtmlCanvasElement, HtmlElement};

/// A matrix takes the focus a pass after it is asked to, and tells its active cell a pass later.
const PASSES_TO_ARRIVE: u8 = 4;

/// Where the focus is. Cheap to clone: every listener has one.
#[derive(Clone)]
pub struct Focus {
    document: Document,
    canvas: HtmlElement,
    root: HtmlElement,
    state: Rc<State>,
}

#[derive(Default)]
struct State {
    /// The node that has egui's focus.
    in_egui: Cell<Option<NodeId>>,
    /// The mirrored element that last had the page's focus, or egui's.
    last: Cell<Option<NodeId>>,
    /// How many more passes egui may take to follow the user; until then it has no say.
    arriving: Cell<u8>,
    /// While the focus is moved by us, it is no wish of the user's.
    is_moving: Cell<bool>,
    /// Whether egui takes text now.
    is_typing: Cell<bool>,
    /// Whether the text that is typed is a cell of a matrix, where Tab moves on in the matrix.
    is_typing_in_grid: Cell<bool>,
}

impl Focus {
    /// The focus around a canvas and its mirror.
    pub fn new(canvas: &HtmlCanvasElement, root: &HtmlElement) -> Self {
        let focus = Self {
            document: canvas.owner_document().expect("the canvas is in a page"),
            canvas: canvas.clone().unchecked_into(),
            root: root.clone(),
            state: Rc::default(),
        };
        // Reached by a click, not by Tab: what it shows is in the mirror.
        for html in focus.drawing_and_text_input() {
            html.set_tab_index(-1);
        }
        focus
    }

    /// The page that the mirror is in.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The element around the mirrored ones.
    pub fn root(&self) -> &HtmlElement {
        &self.root
    }

    /// Whether the page's focus is with the app, but not where eframe would see it.
    pub fn is_beside_canvas(&self) -> bool {
        let active = self.document.active_element();
        let nowhere = active.as_ref().is_none_or(|active| Some(active) == self.document.body().as_deref());
        let has_focus = self.document.has_focus().unwrap_or(true);
        has_focus && (nowhere || self.root.contains(active.as_deref()))
    }

    /// Whether eframe has the focus: its canvas or its text input.
    pub fn is_with_eframe(&self) -> bool {
        let active = self.document.active_element();
        active.is_some_and(|active| {
            self.drawing_and_text_input().any(|html| *active == **html.unchecked_ref::<Element>())
        })
    }

    /// Whether egui has yet to follow the user to where the page's focus is.
    pub fn is_arriving(&self) -> bool {
        self.state.arriving.get() > 0
    }

    /// Whether a change of focus is our own doing.
    pub fn is_moving(&self) -> bool {
        self.state.is_moving.get()
    }

    /// The node that has egui's focus.
    pub fn in_egui(&self) -> Option<NodeId> {
        self.state.in_egui.get()
    }

    /// The user moved the page's focus to this element.
    pub fn note(&self, id: NodeId) {
        self.state.last.set(Some(id));
        self.state.arriving.set(PASSES_TO_ARRIVE);
    }

    /// Whether Tab moves on within a matrix whose cell is being edited.
    pub fn tab_belongs_to_egui(&self) -> bool {
        self.state.is_typing.get() && self.state.is_typing_in_grid.get()
    }

    /// Text is typed into eframe's input from now on; it bears the text box's name.
    pub fn hand_to_text_input(&self, text_box: &Element) {
        let Some(input) = self.text_input() else {
            return;
        };
        for name in ["aria-label", "aria-description", "aria-placeholder"] {
            match text_box.get_attribute(name) {
                Some(value) => input.set_attribute(name, &value).ok(),
                None => input.remove_attribute(name).ok(),
            };
        }
        self.move_to(&input);
        self.wake_eframe();
    }

    /// eframe looks for the focus only in its passes and when its canvas gets it; a key that came
    /// before would be lost. It must not be called from within a pass, so this waits for its end.
    fn wake_eframe(&self) {
        let canvas = self.canvas.clone();
        wasm_bindgen_futures::spawn_local(async move {
            if !is_stopped()
                && let Ok(event) = Event::new("focus")
            {
                canvas.dispatch_event(&event).ok();
            }
        });
    }

    /// Puts the page's focus where the user was last, so that Tab goes on from there.
    pub fn return_to_mirror(&self) {
        let Some(id) = self.state.in_egui.get().or(self.state.last.get()) else {
            return;
        };
        let selector = format!("[{NODE_ATTRIBUTE}='{}']", id.0);
        if let Ok(Some(html)) = self.root.query_selector(&selector) {
            self.move_to(html.unchecked_ref());
        }
    }

    /// After a pass: the page's focus follows egui's, if the app has the page's focus at all.
    pub fn follow(&self, picture: &Picture, is_typing: bool, dom: &Dom) {
        let state = &self.state;
        let was_typing = state.is_typing.replace(is_typing);
        let before = state.in_egui.replace(picture.focus);
        let arriving = state.arriving.get();
        let has_arrived = picture.focus.is_some() && picture.focus == state.last.get();
        // One pass more once it is there: only then does a widget keep the arrows for itself.
        state.arriving.set(if has_arrived { arriving.min(2) } else { arriving }.saturating_sub(1));
        // On the way to where the user went, egui's focus passes through where it was.
        let moved = before != picture.focus && arriving == 0;
        if let Some(id) = picture.focus {
            if arriving == 0 {
                state.last.set(Some(id));
            }
            state.is_typing_in_grid.set(picture.focus_is_in_grid);
        }
        let with_eframe = self.is_with_eframe();
        if !with_eframe && !self.is_beside_canvas() {
            return;
        }
        let target = picture.focus.and_then(|id| dom.html(id));
        match target {
            // When typing ends egui may have moved on while the last letters are still drawn.
            Some(_) if is_typing && !picture.focus_takes_text() => {}
            Some(html) if is_typing => {
                let is_there = was_typing && !moved && self.is_in_text_input();
                if !is_there {
                    self.hand_to_text_input(html);
                }
            }
            // Only when egui moved it, or when it is where no screen reader looks. Otherwise the
            // user is on the way somewhere that egui does not take the focus to.
            Some(html) if moved || with_eframe => self.move_to(html),
            // Editing has ended and nothing else took the focus: it stays where it was.
            None if with_eframe && was_typing && !is_typing => self.return_to_mirror(),
            _ => {}
        }
    }

    fn move_to(&self, html: &HtmlElement) {
        if self.document.active_element().as_ref() == Some(html.unchecked_ref()) {
            return;
        }
        self.state.is_moving.set(true);
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        html.focus_with_options(&options).ok();
        self.state.is_moving.set(false);
    }

    fn is_in_text_input(&self) -> bool {
        let active = self.document.active_element();
        active.is_some_and(|active| self.text_input().is_some_and(|input| *active == **input))
    }

    fn drawing_and_text_input(&self) -> impl Iterator<Item = HtmlElement> {
        [Some(self.canvas.clone()), self.text_input()].into_iter().flatten()
    }

    /// The hidden input that eframe puts behind its canvas.
    fn text_input(&self) -> Option<HtmlElement> {
        let next = self.canvas.next_element_sibling()?;
        (next.tag_name() == "INPUT").then(|| next.unchecked_into())
    }
}
