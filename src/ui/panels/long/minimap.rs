//! The whole in small, and where the part that is looked at lies in it.

use crate::session::Long;
use crate::ui::scene::Scene;
use crate::ui::theme::Meaning;
use egui::accesskit::Role;
use egui::{Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

/// Points of its side.
const SIDE: f32 = 88.0;

/// The whole, what of it is visible, and the part that is looked at; a press goes there.
pub fn show(ui: &mut Ui, scene: &Scene, long: &Long) -> Option<Long> {
    let (rect, response) = ui.allocate_exact_size(vec2(SIDE, SIDE), Sense::CLICK | Sense::DRAG);
    let painter = ui.painter();
    painter.rect_filled(rect, 0.0, scene.theme.hidden());
    let setting = long.setting();
    let scale = rect.width() / long.n as f32;
    let strips = 44;
    for strip in 0..strips {
        let row = (long.n - 1) * strip / (strips - 1);
        let visible = setting.rule.visible(row, long.n);
        let y = rect.top() + rect.height() * strip as f32 / strips as f32;
        let x = |key: usize| rect.left() + key as f32 * scale;
        let seen = Rect::from_min_max(
            pos2(x(visible.start), y),
            pos2(x(visible.end).max(x(visible.start) + 1.0), y + rect.height() / strips as f32),
        );
        painter.rect_filled(seen, 0.0, scene.theme.mark(Meaning::Key).gamma_multiply(0.35));
    }
    let corner = rect.min + vec2(long.key as f32, long.row as f32) * scale;
    let part = Rect::from_min_size(corner, egui::Vec2::splat((long.side as f32 * scale).max(3.0)));
    painter.rect_stroke(part, 0.0, Stroke::new(2.0, scene.theme.accent()), StrokeKind::Inside);
    painter.rect_stroke(rect, 0.0, Stroke::new(1.0, scene.theme.edge()), StrokeKind::Outside);
    let name = scene.t("long-minimap");
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Image);
        node.set_label(name);
    });
    let pressed = (response.clicked() || response.dragged()).then(|| response.interact_pointer_pos()).flatten()?;
    let at = |offset: f32| f64::from(offset / scale) - long.side / 2.0;
    let offset = pressed - rect.min;
    Some(Long { row: at(offset.y), key: at(offset.x), ..*long }.within_limits())
}
