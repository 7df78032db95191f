//! One heatmap a head, side by side; which key/value head each one shares.

use crate::attention::{Heads, Part, matrix, visible};
use crate::session::Action;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::{button, heading};
use egui::{Rect, RichText, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

/// The side of a thumbnail.
const SIDE: f32 = 116.0;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let heads = scene.problem().heads;
    heading::heading(ui, 3, scene.t("heads-title"));
    numbers(ui, scene, heads);
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        ui.add_space(6.0);
        for head in 0..heads.query {
            thumbnail(ui, scene, head, heads);
        }
    });
}

/// The head counts, chosen among those that divide the width.
fn numbers(ui: &mut Ui, scene: &mut Scene, heads: Heads) {
    let shapes = scene.problem().shapes();
    let (width, concat) = (heads.query * shapes.d_k, heads.query * shapes.d_v);
    ui.horizontal_wrapped(|ui| {
        ui.label(scene.tf("heads-query", &[("width", width.to_string())]));
        let fits = |count: &usize| width.is_multiple_of(*count) && concat.is_multiple_of(*count);
        for query in (1..=64).filter(fits) {
            if button::choice(ui, heads.query == query, query.to_string()).clicked() {
                scene.act(Action::SetHeads(Heads { query, key_value: query }));
            }
        }
        // Any other count can be asked for; what does not divide says so.
        let name = scene.t("heads-other");
        let mut query = heads.query;
        let response = ui.add(egui::DragValue::new(&mut query).range(1..=64).speed(0.05)).on_hover_text(&name);
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        if query != heads.query {
            scene.act(Action::SetHeads(Heads { query, key_value: query }));
        }
    });
    if heads.query > 1 {
        ui.horizontal_wrapped(|ui| {
            ui.label(scene.t("heads-key-value"));
            for key_value in (1..=heads.query).filter(|count| heads.query.is_multiple_of(*count)) {
                let kind = match key_value {
                    all if all == heads.query => "MHA",
                    1 => "MQA",
                    _ => "GQA",
                };
                if button::choice(ui, heads.key_value == key_value, format!("{key_value} · {kind}")).clicked() {
                    scene.act(Action::SetHeads(Heads { query: heads.query, key_value }));
                }
            }
        });
    }
}

fn thumbnail(ui: &mut Ui, scene: &mut Scene, head: usize, heads: Heads) {
    let Some(weights) = matrix(scene.problem(), scene.session.trace(), Part::Weights, head) else { return };
    let hidden = visible(scene.problem()).map(|visible| !visible);
    let (n, m) = weights.shape();
    let shared = head / (heads.query / heads.key_value);
    let chosen = scene.head() == head;
    ui.vertical(|ui| {
        ui.set_width(SIDE + 8.0);
        let title = scene.tf("head-title", &[("head", head.to_string()), ("shared", shared.to_string())]);
        let (rect, response) = ui.allocate_exact_size(vec2(SIDE, SIDE), Sense::click());
        let cell = vec2(SIDE / m as f32, SIDE / n as f32);
        let scale = scene.session.view().weight_colours;
        for row in 0..n {
            for column in 0..m {
                let at = Rect::from_min_size(rect.min + vec2(column as f32, row as f32) * cell, cell);
                let value = weights[(row, column)];
                let quiet = hidden[(row, column)] && value == 0.0;
                let colour = if quiet { scene.theme.hidden() } else { scene.theme.weight(value, scale) };
                ui.painter().rect_filled(at.shrink(if cell.x > 6.0 { 0.5 } else { 0.0 }), 0.0, colour);
                if hidden[(row, column)] && value != 0.0 && cell.x > 6.0 {
                    let stroke = Stroke::new(1.5, scene.theme.mark(Meaning::Leak));
                    ui.painter().rect_stroke(at.shrink(1.0), 0.0, stroke, StrokeKind::Inside);
                }
            }
        }
        let frame = if chosen { Stroke::new(3.0, scene.theme.accent()) } else { Stroke::new(1.0, scene.theme.line()) };
        ui.painter().rect_stroke(rect, 2.0, frame, StrokeKind::Outside);
        if response.has_focus() {
            ui.painter().rect_stroke(
                rect.expand(4.0),
                4.0,
                Stroke::new(2.0, scene.theme.accent()),
                StrokeKind::Outside,
            );
        }
        let said = title.clone();
        ui.ctx().accesskit_node_builder(response.id, |node| {
            node.set_role(egui::accesskit::Role::Button);
            node.set_label(said);
            node.add_action(egui::accesskit::Action::Click);
            node.set_toggled(if chosen { egui::accesskit::Toggled::True } else { egui::accesskit::Toggled::False });
        });
        if response.clicked() {
            scene.act(Action::SelectHead(head));
        }
        // Heads that share keys and values bear the same bar.
        let hue = [Meaning::Key, Meaning::Value, Meaning::Query, Meaning::Output][shared % 4];
        let bar = Rect::from_min_max(pos2(rect.left(), rect.bottom() + 4.0), pos2(rect.right(), rect.bottom() + 8.0));
        ui.painter().rect_filled(bar, 2.0, scene.theme.mark(hue));
        ui.add_space(10.0);
        ui.label(RichText::new(title).size(SMALL));
    });
}
