//! Diagnosis: rows that look uniform or stuck, keys that take too much, and what would change it.

use super::{set, slider};
use crate::attention::{Part, labels};
use crate::study::diagnosis::Verdict;
use crate::ui::panels::columns;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::shortened;
use crate::ui::widgets::{heading, live};
use egui::accesskit::Role;
use egui::{Label, RichText, Sense, Ui, vec2};

/// So many rows are listed.
const MOST_ROWS: usize = 16;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[rows, findings]);
}

fn rows(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 500.0 });
    let heads = scene.session.diagnosis();
    let Some(heads) = &*heads else {
        ui.add(Label::new(scene.t("diagnosis-negative")).wrap());
        return;
    };
    let head = &heads[scene.head()];
    heading::heading(ui, 3, scene.tf("diagnosis-rows", &[("head", scene.head().to_string())]));
    let (names, _) = labels(scene.problem(), Part::Weights);
    let format = scene.format();
    super::table(ui, "diagnosis", |ui| {
        for key in ["axis-query", "diagnosis-entropy", "diagnosis-largest", "diagnosis-verdict"] {
            super::column_name(ui, scene, scene.t(key));
        }
        ui.end_row();
        for (row, name) in head.rows.iter().zip(&names).take(MOST_ROWS) {
            ui.label(RichText::new(shortened(name)).color(scene.theme.ink(Meaning::Query)));
            let figures = format!("{} / {}", format.natural(row.entropy), format.natural(row.most));
            let share = if row.most > 0.0 { (row.entropy / row.most).clamp(0.0, 1.0) } else { 0.0 };
            let label = scene.tf("diagnosis-meter", &[("row", name.clone()), ("figures", figures.clone())]);
            let of_row = |ui: &mut Ui| {
                ui.add(Label::new(figures).extend());
                meter(ui, scene, share, label);
            };
            // Below the figures on a phone, so that the verdict is on the screen.
            if scene.narrow {
                ui.vertical(of_row)
            } else {
                ui.horizontal(of_row)
            };
            ui.label(format.natural(row.largest_weight));
            let named = matches!(row.verdict, Verdict::Uniform | Verdict::Saturated);
            let colour = scene.theme.ink(if named { Meaning::Leak } else { Meaning::Neutral });
            ui.label(RichText::new(scene.t(&format!("verdict-{}", row.verdict.key()))).color(colour));
            ui.end_row();
        }
    });
    if head.rows.len() > MOST_ROWS {
        let more = (head.rows.len() - MOST_ROWS).to_string();
        ui.label(RichText::new(scene.tf("checks-more", &[("more", more)])).size(SMALL).weak());
    }
    ui.add(Label::new(RichText::new(scene.t("diagnosis-note")).size(SMALL).weak()).wrap());
}

/// A bar that is full where the entropy is at its maximum.
fn meter(ui: &mut Ui, scene: &Scene, share: f64, label: String) {
    let (rect, response) = ui.allocate_exact_size(vec2(96.0, if scene.narrow { 6.0 } else { 12.0 }), Sense::hover());
    ui.painter().rect_filled(rect, 3.0, scene.theme.hidden());
    let filled = rect.with_max_x(rect.left() + rect.width() * share as f32);
    ui.painter().rect_filled(filled, 3.0, scene.theme.mark(Meaning::Query));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Meter);
        node.set_label(label);
        node.set_numeric_value(share);
        node.set_min_numeric_value(0.0);
        node.set_max_numeric_value(1.0);
    });
}

fn findings(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 440.0 });
    let heads = scene.session.diagnosis();
    let Some(heads) = &*heads else { return };
    heading::heading(ui, 3, scene.t("diagnosis-heads"));
    let format = scene.format();
    let (_, keys) = labels(scene.problem(), Part::Weights);
    let mut seen = [false; 3];
    let mut lines = Vec::new();
    for (number, head) in heads.iter().enumerate() {
        let count = |verdict| head.rows.iter().filter(|row| row.verdict == verdict).count();
        let (uniform, saturated) = (count(Verdict::Uniform), count(Verdict::Saturated));
        let relative = head.relative_entropy.map_or("–".to_owned(), |share| format.natural(share));
        lines.push(scene.tf(
            "diagnosis-head",
            &[
                ("head", number.to_string()),
                ("entropy", relative),
                ("uniform", uniform.to_string()),
                ("saturated", saturated.to_string()),
            ],
        ));
        for (key, share) in &head.sinks {
            let values = [("key", keys[*key].clone()), ("share", format.natural(*share))];
            lines.push(scene.tf("diagnosis-sink", &values));
        }
        seen = [seen[0] || uniform > 0, seen[1] || saturated > 0, seen[2] || !head.sinks.is_empty()];
    }
    let text = lines.join("\n");
    live::live(ui, RichText::new(&text), &text);
    for (seen, key) in seen.into_iter().zip(["diagnosis-if-uniform", "diagnosis-if-saturated", "diagnosis-if-sink"]) {
        if seen {
            ui.add(Label::new(RichText::new(scene.t(key)).size(SMALL)).wrap());
        }
    }
    heading::heading(ui, 3, scene.t("diagnosis-thresholds"));
    let now = scene.session.view().explore.diagnosing;
    slider::row(ui, |ui| {
        if let Some(uniform) = slider::slider(ui, scene, "diagnosis-uniform-above", now.uniform, 0.5..=1.0) {
            set(scene, |explore| explore.diagnosing.uniform = uniform);
        }
        if let Some(saturated) = slider::slider(ui, scene, "diagnosis-saturated-above", now.saturated, 0.5..=1.0) {
            set(scene, |explore| explore.diagnosing.saturated = saturated);
        }
        if let Some(sink) = slider::slider(ui, scene, "diagnosis-sink-above", now.sink, 0.1..=1.0) {
            set(scene, |explore| explore.diagnosing.sink = sink);
        }
    });
}
