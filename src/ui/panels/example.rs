//! The example's source, and its printed numbers checked live.

use super::header::example_title;
use crate::examples::{self, Comparison, Digits};
use crate::session::Action;
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::{heading, live};
use egui::{Grid, Label, RichText, Ui};

/// So many departures are listed; the rest is counted.
const MOST: usize = 12;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let id = scene.session.view().example.clone();
    let Some(example) = examples::all().iter().find(|example| Some(&example.id) == id.as_ref()) else {
        ui.label(scene.t("example-none"));
        return;
    };
    heading::heading(ui, 3, example_title(scene, &example.id));
    ui.add(
        Label::new(RichText::new(scene.tf("example-source", &[("source", example.source.clone())])).size(SMALL)).wrap(),
    );
    let note = format!("example-{}-note", example.id);
    if scene.texts.has(&note) {
        ui.add(Label::new(RichText::new(scene.t(&note)).size(SMALL)).wrap());
    }
    let changed = *scene.problem() != example.problem;
    if changed {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(scene.t("example-changed")).color(scene.theme.ink(Meaning::Leak)));
            if ui.button(scene.t("example-reset")).clicked() {
                scene.act(Action::LoadExample(example.id.clone()));
            }
        });
    }
    let all = examples::compare(example, scene.session.trace());
    if all.is_empty() {
        ui.label(RichText::new(scene.t("example-prints-nothing")).weak());
        return;
    }
    for (printed, key) in [(true, "example-printed"), (false, "example-ours")] {
        let some: Vec<&Comparison> = all.iter().filter(|c| c.printed_by_source == printed).collect();
        if !some.is_empty() {
            compared(ui, scene, key, &some, example.tolerance);
        }
    }
}

/// Within the tolerance, and the same digits: rounded, or cut off where the source cut.
fn reproduced(comparison: &Comparison) -> bool {
    comparison.agrees && comparison.digits != Digits::Depart
}

fn compared(ui: &mut Ui, scene: &mut Scene, key: &str, all: &[&Comparison], tolerance: f64) {
    let agreeing = all.iter().filter(|comparison| reproduced(comparison)).count();
    let departs = agreeing < all.len();
    let counts =
        [("agreeing", agreeing.to_string()), ("all", all.len().to_string()), ("tolerance", tolerance.to_string())];
    let text = format!(
        "{}: {}",
        scene.t(key),
        scene.tf(if departs { "example-departs" } else { "example-reproduced" }, &counts)
    );
    let meaning = if departs { Meaning::Leak } else { Meaning::Passed };
    live::live(
        ui,
        RichText::new(format!("{} {text}", if departs { "×" } else { "✓" })).color(scene.theme.ink(meaning)),
        &text,
    );
    if !departs {
        return;
    }
    Grid::new(("departures", key)).spacing([16.0, 2.0]).show(ui, |ui| {
        for head in ["example-cell", "example-expected", "example-found"] {
            ui.label(RichText::new(scene.t(head)).size(SMALL).weak());
        }
        ui.end_row();
        for comparison in all.iter().filter(|comparison| !reproduced(comparison)).take(MOST) {
            let name = parts::cell_name(scene, comparison.place);
            if ui.link(name).clicked() {
                scene.act(Action::Pin(Some(comparison.place)));
            }
            ui.label(scene.format().natural(comparison.expected));
            ui.label(scene.format().fixed(comparison.found));
            ui.end_row();
        }
    });
    let departing = all.len() - agreeing;
    if departing > MOST {
        ui.label(
            RichText::new(scene.tf("example-more", &[("more", (departing - MOST).to_string())])).size(SMALL).weak(),
        );
    }
}
