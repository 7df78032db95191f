//! Gradients: how one output, or a loss on its row, moves with every number on the way.

use super::set;
use crate::attention::gradient::Gradient;
use crate::attention::{Part, Place, labels};
use crate::session::Differentiating;
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::MatrixView;
use crate::ui::widgets::{button, heading, live};
use egui::{ComboBox, Label, RichText, Ui, vec2};

/// More pairs than this are not differentiated in every pass of a drag.
const MOST_PAIRS: usize = 64 * 64;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let shapes = scene.problem().shapes();
    if shapes.n * shapes.m > MOST_PAIRS {
        ui.add(Label::new(scene.tf("gradient-too-large", &[("most", MOST_PAIRS.to_string())])).wrap());
        return;
    }
    let now = clamped(scene);
    controls(ui, scene, now);
    let Some(gradient) = scene.session.gradient(now.target()).as_ref().clone() else { return };
    let cell = parts::cell_name(scene, Place { part: Part::Output, head: 0, row: now.row, column: now.column });
    let key = if now.cross_entropy { "gradient-loss" } else { "gradient-of" };
    let text = scene.tf(key, &[("cell", cell), ("value", scene.format().natural(gradient.value))]);
    live::live(ui, RichText::new(&text), &text);
    let head = scene.head().to_string();
    let many = scene.problem().heads.query > 1;
    let title = scene.tf(if many { "gradient-matrices-head" } else { "gradient-matrices" }, &[("head", head)]);
    heading::heading(ui, 3, title);
    let all: Vec<Part> = Part::ALL.into_iter().filter(|part| is_shown(*part)).collect();
    if scene.narrow {
        all.into_iter().for_each(|part| matrix(ui, scene, &gradient, part));
    } else {
        let (given, steps) = all.into_iter().partition::<Vec<_>, _>(|part| part.is_input(scene.problem()));
        for row in [given, steps] {
            ui.horizontal_top(|ui| row.into_iter().for_each(|part| matrix(ui, scene, &gradient, part)));
        }
    }
    ui.add(Label::new(RichText::new(scene.t("gradient-note")).size(SMALL).weak()).wrap());
}

/// The cell may be gone since it was chosen.
fn clamped(scene: &Scene) -> Differentiating {
    let now = scene.session.view().explore.differentiating;
    let shapes = scene.problem().shapes();
    Differentiating { row: now.row.min(shapes.n - 1), column: now.column.min(shapes.d_out - 1), ..now }
}

fn controls(ui: &mut Ui, scene: &mut Scene, now: Differentiating) {
    ui.horizontal_wrapped(|ui| {
        let (rows, _) = labels(scene.problem(), Part::Output);
        ui.label(RichText::new(scene.t("gradient-row")).size(SMALL).weak());
        let chosen = choose(ui, scene, "gradient-row", &rows, now.row);
        set_if(scene, chosen, |settings, row| settings.row = row);
        let columns: Vec<String> = (0..scene.problem().shapes().d_out).map(|column| column.to_string()).collect();
        ui.label(RichText::new(scene.t("gradient-column")).size(SMALL).weak());
        let chosen = choose(ui, scene, "gradient-column", &columns, now.column);
        set_if(scene, chosen, |settings, column| settings.column = column);
        for (key, cross_entropy) in [("gradient-cell", false), ("gradient-cross-entropy", true)] {
            if button::choice(ui, now.cross_entropy == cross_entropy, scene.t(key)).clicked() {
                set(scene, |explore| explore.differentiating.cross_entropy = cross_entropy);
            }
        }
    });
}

fn set_if(scene: &mut Scene, chosen: Option<usize>, change: fn(&mut Differentiating, usize)) {
    if let Some(chosen) = chosen {
        set(scene, |explore| change(&mut explore.differentiating, chosen));
    }
}

fn choose(ui: &mut Ui, scene: &Scene, key: &str, names: &[String], now: usize) -> Option<usize> {
    let mut chosen = None;
    let shown = names.get(now).cloned().unwrap_or_default();
    let response = ComboBox::from_id_salt(key).selected_text(shown.clone()).width(96.0).show_ui(ui, |ui| {
        for (at, name) in names.iter().enumerate() {
            if ui.selectable_label(at == now, name).clicked() {
                chosen = Some(at);
            }
        }
    });
    let name = scene.t(key);
    ui.ctx().accesskit_node_builder(response.response.id, |node| {
        node.set_label(name);
        node.set_value(shown);
    });
    chosen
}

/// Not what is only shown, nor the mask, which is no number that moves.
fn is_shown(part: Part) -> bool {
    use Part::*;
    !matches!(part, Mask | Masked | Exp | RowSum | Leak | SinkWeight | Kept | Hidden | Position)
}

/// The gradient by one matrix, where there is one.
fn matrix(ui: &mut Ui, scene: &Scene, gradient: &Gradient, part: Part) {
    let head = scene.head();
    let (rows, columns) = labels(scene.problem(), part);
    if rows.len() * columns.len() > MOST_PAIRS {
        return;
    }
    let Some(values) = gradient.matrix(scene.problem(), scene.session.trace(), part, head) else { return };
    let (row_axis, column_axis) = parts::axes(part);
    let none = Vec::new();
    // K is drawn as it is computed here, a token a row.
    let row_axis = if part == Part::K { Some(Meaning::Key) } else { row_axis };
    let column_axis = if part == Part::K { None } else { column_axis };
    let hidden = parts::hidden(scene.problem(), part);
    let view = MatrixView {
        rows: if row_axis.is_some() || matches!(part, Part::X | Part::XKv | Part::XGiven) { &rows } else { &none },
        columns: if column_axis.is_some() { &columns } else { &none },
        colours: parts::signed(&values, true),
        hidden: hidden.as_ref(),
        format: scene.format().just_enough(values.iter().copied().take(512)),
        max_size: vec2(if scene.narrow { 320.0 } else { 420.0 }, 300.0),
        ..MatrixView::still(
            ui,
            &format!("gradient {}", part.key()),
            scene.tf("gradient-by", &[("matrix", parts::name(scene, part))]),
            &values,
            scene.format(),
            scene.spoken.words(),
        )
    };
    ui.vertical(|ui| view.show(ui).write_numbers(ui));
}
