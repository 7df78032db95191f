//! Three live checks a row, passed or failed in words and colour.

use crate::attention::{Outcome, Part, RowCheck, labels};
use crate::session::Compared;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::shortened;
use crate::ui::widgets::{heading, live};
use egui::{Grid, RichText, Ui};

/// So many rows are listed one by one; the others are summed up.
const MOST_ROWS: usize = 16;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    if scene.compared() != Compared::Now {
        return;
    }
    heading::heading(ui, 2, scene.t("checks"));
    let rows = &scene.session.checks()[scene.head()];
    let failed = rows.iter().filter(|row| any(row, Outcome::Failed)).count();
    let summary = if failed == 0 {
        scene.t("checks-all-passed")
    } else {
        scene.tf("checks-failed", &[("failed", failed.to_string()), ("rows", rows.len().to_string())])
    };
    let colour = scene.theme.ink(if failed == 0 { Meaning::Passed } else { Meaning::Leak });
    live::live(ui, RichText::new(&summary).color(colour), &summary);
    let (names, _) = labels(scene.problem(), Part::Weights);
    // A sink takes its share of the sum.
    let sum = if scene.problem().family.sink.is_some() { "check-sum-with-sink" } else { "check-sum" };
    let questions = [scene.t(sum), scene.t("check-hidden"), scene.t("check-moves")];
    // Rows of text: what follows keeps the height of a finger.
    let height = std::mem::replace(&mut ui.spacing_mut().interact_size.y, 20.0);
    Grid::new("checks").num_columns(4).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("");
        for question in &questions {
            let question = RichText::new(question).size(SMALL - 1.0).weak();
            ui.allocate_ui(egui::vec2(78.0, 32.0), |ui| ui.add(egui::Label::new(question).wrap()));
        }
        ui.end_row();
        for (row, name) in rows.iter().zip(&names).take(MOST_ROWS) {
            ui.label(RichText::new(shortened(name)).color(scene.theme.ink(Meaning::Query)));
            let format = scene.format();
            outcome(ui, scene, row.sums_to_one, &format!("Σ {}", format.natural(row.sum)));
            outcome(ui, scene, row.no_leak, &format.natural(row.leak));
            outcome(ui, scene, row.unmoved, &format!("Δ {}", format.natural(row.moved)));
            ui.end_row();
        }
    });
    ui.spacing_mut().interact_size.y = height;
    if rows.len() > MOST_ROWS {
        ui.label(
            RichText::new(scene.tf("checks-more", &[("more", (rows.len() - MOST_ROWS).to_string())]))
                .size(SMALL)
                .weak(),
        );
    }
    for note in &scene.session.trace().notes {
        let text = scene.tf(&format!("note-{}", note.key()), &note.args());
        ui.add(egui::Label::new(RichText::new(text).size(SMALL)).wrap());
    }
    ui.add(egui::Label::new(RichText::new(scene.t("checks-help")).size(SMALL).weak()).wrap());
}

fn any(row: &RowCheck, outcome: Outcome) -> bool {
    [row.sums_to_one, row.no_leak, row.unmoved].contains(&outcome)
}

fn outcome(ui: &mut Ui, scene: &Scene, outcome: Outcome, figure: &str) {
    let (key, meaning) = match outcome {
        Outcome::Passed => ("passed", Meaning::Passed),
        Outcome::Failed => ("failed", Meaning::Leak),
        Outcome::NothingVisible => ("nothing-visible", Meaning::Neutral),
    };
    let mark = match outcome {
        Outcome::Passed => "✓",
        Outcome::Failed => "×",
        Outcome::NothingVisible => "–",
    };
    let text = format!("{mark} {}", scene.t(key));
    ui.label(RichText::new(text).size(SMALL).color(scene.theme.ink(meaning))).on_hover_text(figure);
}
