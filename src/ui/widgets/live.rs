//! Texts that screen readers say when they change.

use egui::accesskit::Role;
use egui::{Label, Response, RichText, Ui};

/// A text that screen readers say when it changes.
pub fn live(ui: &mut Ui, text: impl Into<RichText>, spoken: &str) -> Response {
    let response = ui.add(Label::new(text.into()).wrap());
    mark_live(ui, &response, spoken);
    response
}

/// Marks what was just drawn as a text to be announced.
pub fn mark_live(ui: &Ui, response: &Response, spoken: &str) {
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Status);
        node.set_label(spoken.to_owned());
        node.set_live(egui::accesskit::Live::Polite);
    });
}
