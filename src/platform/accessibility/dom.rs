//! Writes the tree into the page. Only what changed is touched: a screen reader reads every
//! change, and an idle page must cost nothing.

use crate::platform::aria::{Element, Picture};
use eframe::egui::accesskit::NodeId;
use std::collections::HashMap;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, HtmlCanvasElement, HtmlElement};

/// The attribute that says which node an element is.
pub const NODE_ATTRIBUTE: &str = "data-node";

/// The elements of the page and what they show now.
pub struct Dom {
    document: Document,
    root: HtmlElement,
    shown: HashMap<NodeId, Shown>,
}

struct Shown {
    html: HtmlElement,
    element: Element,
}

impl Dom {
    /// An empty mirror over the canvas.
    pub fn new(canvas: &HtmlCanvasElement) -> Result<Self, JsValue> {
        let document = canvas.owner_document().ok_or("the canvas has no document")?;
        let root: HtmlElement = document.create_element("div")?.unchecked_into();
        root.set_class_name("mirror");
        let around = canvas.parent_node().ok_or("the canvas is not in a page")?;
        // After the canvas and eframe's text input, which is put right behind the canvas: so Tab
        // goes from either of them into the mirror.
        around.append_child(&root)?;
        Ok(Self { document, root, shown: HashMap::new() })
    }

    /// The element around all others.
    pub fn root(&self) -> &HtmlElement {
        &self.root
    }

    /// The element of a node.
    pub fn html(&self, id: NodeId) -> Option<&HtmlElement> {
        self.shown.get(&id).map(|shown| &shown.html)
    }

    /// Makes the page show this picture.
    pub fn show(&mut self, picture: &Picture) {
        let mut parents_to_order = Vec::new();
        for (id, element) in &picture.elements {
            match self.shown.get_mut(id) {
                Some(shown) if shown.element == *element => {}
                Some(shown) => {
                    if shown.element.children != element.children {
                        parents_to_order.push(*id);
                    }
                    change(&shown.html, &shown.element, element);
                    shown.element = element.clone();
                }
                None => {
                    let Some(html) = self.create(*id, element) else {
                        continue;
                    };
                    let element = element.clone();
                    self.shown.insert(*id, Shown { html, element });
                    parents_to_order.push(*id);
                }
            }
        }
        // Before anything is removed, so that what only moved keeps its element and its focus.
        for id in parents_to_order {
            self.order_children(id);
        }
        self.shown.retain(|id, shown| {
            let stays = picture.elements.contains_key(id);
            if !stays {
                shown.html.remove();
            }
            stays
        });
        if let Some(outermost) = self.shown.get(&picture.root)
            && outermost.html.parent_node().is_none()
        {
            self.root.append_child(&outermost.html).ok();
        }
    }

    fn create(&self, id: NodeId, element: &Element) -> Option<HtmlElement> {
        let html: HtmlElement = self.document.create_element("div").ok()?.unchecked_into();
        html.set_attribute(NODE_ATTRIBUTE, &id.0.to_string()).ok()?;
        change(&html, &Element::default(), element);
        Some(html)
    }

    /// Puts the children into their order, moving as few as possible.
    fn order_children(&self, id: NodeId) {
        let parent = &self.shown[&id];
        let mut next = parent.html.first_element_child();
        for child in &parent.element.children {
            let Some(child) = self.shown.get(child) else {
                continue;
            };
            if next.as_ref() == Some(child.html.unchecked_ref()) {
                next = child.html.next_element_sibling();
            } else {
                let before = next.as_ref().map(|next| next.unchecked_ref());
                parent.html.insert_before(&child.html, before).ok();
            }
        }
    }
}

/// Writes the difference between two states of an element.
fn change(html: &HtmlElement, old: &Element, new: &Element) {
    for (name, value) in &new.attributes {
        if !old.attributes.iter().any(|(n, v)| n == name && v == value) {
            html.set_attribute(name, value).ok();
        }
    }
    for (name, _) in &old.attributes {
        if !new.attributes.iter().any(|(n, _)| n == name) {
            html.remove_attribute(name).ok();
        }
    }
    if old.text != new.text && new.children.is_empty() {
        html.set_text_content(new.text.as_deref());
    }
    if old.place != new.place {
        let sides = ["left", "top", "width", "height"];
        for (index, side) in sides.into_iter().enumerate() {
            let value = new.place.map(|place| format!("{}px", place[index]));
            // Through the style object: the page's policy forbids a style attribute.
            html.style().set_property(side, value.as_deref().unwrap_or("")).ok();
        }
    }
}
