//! What leaks: the weight on hidden pairs per row, and the output with the mask right beside what it is now.

use crate::attention::{Causal, Mask, MaskApplied, Matrix, Part, has_rule, labels, matrix};
use crate::session::Action;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::legend::CellColours;
use crate::ui::widgets::matrix::MatrixView;
use crate::ui::widgets::{heading, live};
use egui::{RichText, Sense, Ui, vec2};
use std::collections::HashMap;

/// So many rows get a bar; a longer list is no picture any more.
const MOST_BARS: usize = 32;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("leakage"));
    if !has_rule(&scene.problem().mask) {
        ui.set_max_width(280.0);
        ui.label(RichText::new(scene.t("leakage-no-rule")).size(SMALL));
        if ui.button(scene.t("leakage-ask")).clicked() {
            scene.act(Action::SetMask(Mask { causal: Causal::UpperLeft, ..Mask::default() }));
            scene.act(Action::SetMaskApplied(MaskApplied::Never));
        }
        return;
    }
    let mut off = scene.problem().mask_applied == MaskApplied::Never;
    if ui.checkbox(&mut off, scene.t("mask-off")).changed() {
        scene.act(Action::SetMaskApplied(if off { MaskApplied::Never } else { MaskApplied::BeforeSoftmax }));
    }
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| bars(ui, scene));
        ui.add_space(16.0);
        beside(ui, scene);
    });
}

fn bars(ui: &mut Ui, scene: &Scene) {
    let (names, _) = labels(scene.problem(), Part::Weights);
    let rows = &scene.session.checks()[scene.head()];
    let total: f64 = rows.iter().map(|row| row.leak).sum();
    let format = scene.format();
    let text = scene.tf("leakage-total", &[("total", format.natural(total))]);
    let meaning = if total > 0.0 { Meaning::Leak } else { Meaning::Passed };
    live::live(ui, RichText::new(&text).size(SMALL).color(scene.theme.ink(meaning)), &text);
    ui.spacing_mut().interact_size.y = 20.0;
    for (row, name) in rows.iter().zip(&names).take(MOST_BARS) {
        ui.horizontal(|ui| {
            ui.add_sized([44.0, 18.0], egui::Label::new(RichText::new(name).size(SMALL)).truncate());
            let (rect, response) = ui.allocate_exact_size(vec2(120.0, 14.0), Sense::hover());
            ui.painter().rect_filled(rect, 3.0, scene.theme.hidden());
            let filled = rect.with_max_x(rect.left() + rect.width() * row.leak.clamp(0.0, 1.0) as f32);
            ui.painter().rect_filled(filled, 3.0, scene.theme.mark(Meaning::Leak));
            let label = scene.tf("leakage-row", &[("row", name.clone()), ("leak", format.natural(row.leak))]);
            ui.ctx().accesskit_node_builder(response.id, |node| {
                node.set_role(egui::accesskit::Role::Meter);
                node.set_label(label);
                node.set_numeric_value(row.leak);
                node.set_min_numeric_value(0.0);
                node.set_max_numeric_value(1.0);
            });
            ui.label(RichText::new(format.natural(row.leak)).size(SMALL));
        });
    }
}

fn beside(ui: &mut Ui, scene: &Scene) {
    let part = if scene.problem().joins_heads() { Part::Output } else { Part::Context };
    let number = |trace| matrix(scene.problem(), trace, part, scene.head());
    let (now, then) = (number(scene.session.trace()), number(scene.session.trace_with_mask_right()));
    if let (Some(now), Some(then)) = (now, then) {
        output(ui, scene, "output-now", &now, &then);
        ui.add_space(12.0);
        output(ui, scene, "output-right", &then, &then);
    }
}

/// NaN is the same as nothing.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12
}

fn output(ui: &mut Ui, scene: &Scene, key: &str, values: &Matrix, right: &Matrix) {
    let (rows, _) = labels(scene.problem(), Part::Context);
    let differing = values.iter().zip(right.iter()).enumerate().filter(|(_, (a, b))| !is_same(**a, **b));
    let marks: HashMap<(usize, usize), egui::Color32> = differing
        .map(|(index, _)| ((index % values.nrows(), index / values.nrows()), scene.theme.mark(Meaning::Leak)))
        .collect();
    let most = values.iter().chain(right.iter()).fold(0.0f64, |most, value| most.max(value.abs()));
    let format = scene.format().just_enough(values.iter().copied());
    let view = MatrixView {
        rows: &rows,
        row_axis: Some((format!("{} ↓", scene.t("axis-query")), scene.theme.ink(Meaning::Query))),
        colours: CellColours::Signed {
            most: if most > 0.0 { most } else { 1.0 },
            negative: values.iter().chain(right.iter()).any(|value| *value < 0.0),
        },
        marks: &marks,
        ..MatrixView::still(ui, key, scene.t(key), values, format, scene.spoken.words())
    };
    ui.vertical(|ui| view.show(ui).write_numbers(ui));
}
