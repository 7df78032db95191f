//! Buttons whose names differ from what is drawn on them.

use egui::accesskit::Toggled;
use egui::{Atom, Button, Response, Ui, Vec2, WidgetText};

/// A button with a symbol on it and a name for the ear and for the tooltip.
pub fn named(ui: &mut Ui, enabled: bool, face: impl Into<WidgetText>, name: &str) -> Response {
    let response =
        ui.add_enabled(enabled, Button::new(face.into()).min_size(Vec2::splat(ui.spacing().interact_size.y)));
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name.to_owned()));
    response.on_hover_text(name)
}

/// A button that stays down while its choice holds.
pub fn choice(ui: &mut Ui, chosen: bool, face: impl Into<WidgetText>) -> Response {
    toggled(ui, chosen, Button::selectable(chosen, face.into()).frame_when_inactive(true))
}

/// The same as a line of a list: as wide as the list, framed only while it holds.
pub fn line(ui: &mut Ui, chosen: bool, face: impl Into<WidgetText>, size: Vec2) -> Response {
    toggled(ui, chosen, Button::selectable(chosen, (face.into(), Atom::grow())).min_size(size))
}

fn toggled(ui: &mut Ui, chosen: bool, button: Button) -> Response {
    let response = ui.add(button);
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_toggled(if chosen { Toggled::True } else { Toggled::False });
    });
    response
}
