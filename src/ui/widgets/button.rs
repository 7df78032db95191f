//! Buttons whose names differ from what is drawn on them.

use egui::accesskit::Toggled;
use egui::{Button, Response, Ui, WidgetText};

/// A button with a symbol on it and a name for the ear and for the tooltip.
pub fn named(ui: &mut Ui, enabled: bool, face: impl Into<WidgetText>, name: &str) -> Response {
    let response =
        ui.add_enabled(enabled, Button::new(face.into()).min_size(egui::Vec2::splat(ui.spacing().interact_size.y)));
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name.to_owned()));
    response.on_hover_text(name)
}

/// A button that stays down while its choice holds.
pub fn choice(ui: &mut Ui, chosen: bool, face: impl Into<WidgetText>) -> Response {
    let response = ui.add(Button::selectable(chosen, face.into()).frame_when_inactive(true));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_toggled(if chosen { Toggled::True } else { Toggled::False });
    });
    response
}
