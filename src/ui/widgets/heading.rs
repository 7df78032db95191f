//! A heading that is one in the accessibility tree too.

use crate::ui::theme;
use egui::accesskit::Role;
use egui::{Label, Response, RichText, Ui};

/// A heading of level 1 to 3.
pub fn heading(ui: &mut Ui, level: usize, text: impl Into<String>) -> Response {
    let size = [theme::LARGE, theme::BODY, theme::SMALL][level.clamp(1, 3) - 1];
    let text: String = text.into();
    let response = ui.add(Label::new(RichText::new(&text).font(theme::semibold(size))));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Heading);
        node.set_label(text.clone());
        node.set_level(level);
    });
    response
}
