//! "Does it match?": numbers that an article or a program claims, compared at the precision they were printed with.

use crate::attention::{Part, labels};
use crate::claim::{CellMatch, Extent, Matches, Reason, Verdict};
use crate::session::{Action, Claimed};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::{MatrixView, shortened};
use crate::ui::widgets::{heading, live};
use egui::{ComboBox, Grid, Id, Label, RichText, TextEdit, Ui};
use std::collections::HashMap;

/// So many departures are listed; the rest is counted.
const MOST: usize = 10;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    super::columns(ui, scene, &[ask, answer]);
}

/// What is being typed, from pass to pass.
#[derive(Clone)]
struct Draft {
    part: Part,
    /// 0 is all rows.
    row: usize,
    text: String,
}

fn ask(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 380.0 });
    heading::heading(ui, 3, scene.t("claim"));
    ui.add(Label::new(RichText::new(scene.t("claim-help")).size(SMALL).weak()).wrap());
    let id = Id::unique("claim draft");
    let steps: Vec<Part> =
        Part::ALL.into_iter().filter(|part| scene.session.trace().get(*part, scene.head()).is_some()).collect();
    let draft = ui.data(|data| data.get_temp::<Draft>(id));
    let mut draft = draft.unwrap_or(Draft { part: Part::Output, row: 0, text: String::new() });
    if !steps.contains(&draft.part) {
        draft.part = Part::Output;
    }
    let (rows, _) = labels(scene.problem(), draft.part);
    draft.row = draft.row.min(rows.len());
    ui.horizontal_wrapped(|ui| {
        let title = step_name(scene, draft.part);
        let combo = ComboBox::from_id_salt("claim step").selected_text(title.clone()).width(150.0).show_ui(ui, |ui| {
            for part in steps {
                ui.selectable_value(&mut draft.part, part, step_name(scene, part));
            }
        });
        let name = scene.t("claim-step");
        ui.ctx().accesskit_node_builder(combo.response.id, |node| {
            node.set_label(name);
            node.set_value(title);
        });
        let row_name = |row: usize| match row.checked_sub(1).and_then(|row| rows.get(row)) {
            Some(label) => scene.tf("claim-row", &[("row", shortened(label))]),
            None => scene.t("claim-all-rows"),
        };
        let title = row_name(draft.row);
        let combo = ComboBox::from_id_salt("claim row").selected_text(title.clone()).width(130.0).show_ui(ui, |ui| {
            for row in 0..=rows.len() {
                ui.selectable_value(&mut draft.row, row, row_name(row));
            }
        });
        let name = scene.t("claim-rows");
        ui.ctx().accesskit_node_builder(combo.response.id, |node| {
            node.set_label(name);
            node.set_value(title);
        });
        if ui.button(scene.t("claim-compare")).clicked() {
            let (part, row, text) = (draft.part, draft.row.checked_sub(1), draft.text.clone());
            scene.act(Action::Claim { part, head: scene.head(), row, text });
        }
        if scene.session.claimed().is_some() && ui.button(scene.t("claim-drop")).clicked() {
            scene.act(Action::DropClaim);
        }
    });
    let response = ui.add(
        TextEdit::multiline(&mut draft.text)
            .id(id.with("text"))
            .desired_rows(4)
            .desired_width(f32::INFINITY)
            .hint_text(scene.t("claim-hint")),
    );
    let name = scene.t("claim-numbers");
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
    ui.data_mut(|data| data.insert_temp(id, draft));
}

/// Several steps may bear one name: where one head is not projected the context is the output.
fn step_name(scene: &Scene, part: Part) -> String {
    scene.t(&format!("part-{}", part.key().replace('_', "-")))
}

fn answer(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 760.0 });
    let Some(claimed) = scene.session.claimed() else { return };
    heading::heading(ui, 3, scene.t("claim-answer"));
    match &claimed.verdict {
        Err(mismatch) => {
            let text = scene.tf(&format!("claim-{}", mismatch.key()), &mismatch.args());
            live::live(ui, RichText::new(&text).color(scene.theme.ink(Meaning::Leak)), &text);
        }
        Ok(verdict) => {
            summary(ui, scene, verdict);
            if claimed.swapped {
                ui.label(RichText::new(scene.t("claim-swapped")).size(SMALL).weak());
            }
            reasons(ui, scene, &claimed);
            if scene.narrow {
                claimed_matrix(ui, scene, &claimed, verdict);
                departures(ui, scene, verdict);
            } else {
                ui.horizontal_top(|ui| {
                    claimed_matrix(ui, scene, &claimed, verdict);
                    ui.add_space(16.0);
                    ui.vertical(|ui| departures(ui, scene, verdict));
                });
            }
        }
    }
}

fn summary(ui: &mut Ui, scene: &Scene, verdict: &Verdict) {
    let departing = verdict.departing().count();
    let counts = [("all", verdict.cells.len().to_string()), ("departing", departing.to_string())];
    let (key, meaning, mark) = if verdict.agrees() {
        ("claim-agrees", Meaning::Passed, "✓")
    } else if verdict.agrees_cut_off() {
        ("claim-agrees-cut-off", Meaning::Passed, "✓")
    } else {
        ("claim-departs", Meaning::Leak, "×")
    };
    let text = scene.tf(key, &counts);
    live::live(ui, RichText::new(format!("{mark} {text}")).color(scene.theme.ink(meaning)), &text);
}

fn reasons(ui: &mut Ui, scene: &mut Scene, claimed: &Claimed) {
    let departs = claimed.verdict.as_ref().is_ok_and(|verdict| !verdict.agrees());
    let Some(found) = &claimed.reasons else {
        if departs && ui.button(scene.t("claim-look")).clicked() {
            scene.act(Action::LookForReasons);
        }
        return;
    };
    if departs && found.is_empty() {
        let text = scene.t("claim-no-reason");
        live::live(ui, RichText::new(&text), &text);
    }
    for (index, explanation) in found.iter().enumerate() {
        let text = explanation.reasons.iter().map(|reason| in_words(scene, reason)).collect::<Vec<_>>().join(" ");
        ui.horizontal_wrapped(|ui| {
            live::live(ui, RichText::new(&text), &text);
            if explanation.apply.is_some() {
                let button = ui.button(scene.t("claim-apply"));
                let name = format!("{} {text}", scene.t("claim-apply"));
                ui.ctx().accesskit_node_builder(button.id, |node| node.set_label(name));
                if button.clicked() {
                    scene.act(Action::ApplyReason(index));
                }
            }
        });
    }
    if departs {
        let key = match claimed.extent {
            Extent::Everything => return,
            Extent::SingleReasons => "claim-single-reasons",
            Extent::CutOffOnly => "claim-cut-off-only",
        };
        ui.label(RichText::new(scene.t(key)).size(SMALL).weak());
    }
}

fn in_words(scene: &Scene, reason: &Reason) -> String {
    scene.tf(&format!("reason-{}", reason.key()), &reason.args())
}

/// The claimed numbers, those that depart framed.
fn claimed_matrix(ui: &mut Ui, scene: &Scene, claimed: &Claimed, verdict: &Verdict) {
    let first = claimed.claim.row.unwrap_or(0);
    let marks: HashMap<(usize, usize), egui::Color32> = verdict
        .departing()
        .map(|cell| ((cell.place.row - first, cell.place.column), scene.theme.mark(Meaning::Leak)))
        .collect();
    let digits = claimed.claim.decimals.iter().filter(|decimals| **decimals <= 12).max().copied().unwrap_or(4);
    let format = crate::writing::NumberFormat { digits: digits.clamp(0, 12) as usize, ..scene.format() };
    let title = scene.tf("claim-claimed", &[("step", step_name(scene, claimed.claim.part))]);
    let view = MatrixView {
        marks: &marks,
        ..MatrixView::still(ui, "claimed", title, &claimed.claim.values, format, scene.spoken.words())
    };
    ui.vertical(|ui| view.show(ui).write_numbers(ui));
}

fn departures(ui: &mut Ui, scene: &mut Scene, verdict: &Verdict) {
    let some: Vec<CellMatch> = verdict.departing().take(MOST).cloned().collect();
    if some.is_empty() {
        return;
    }
    Grid::new("claim departures").spacing([16.0, 2.0]).show(ui, |ui| {
        for head in ["example-cell", "claim-claimed-number", "example-found"] {
            ui.label(RichText::new(scene.t(head)).size(SMALL).weak());
        }
        ui.end_row();
        for cell in &some {
            let mut place = cell.place;
            // Without a projection the output's working stands in the context.
            if place.part == Part::Output && !scene.problem().joins_heads() {
                place.part = Part::Context;
            }
            if ui.link(parts::cell_name(scene, place)).clicked() {
                scene.act(Action::Pin(Some(place)));
            }
            ui.label(cell.claimed.to_string().replace('-', "−"));
            // One digit more than was claimed, so that the difference is seen.
            let digits = (cell.decimals.clamp(0, 11) + 1) as usize;
            ui.label(crate::writing::NumberFormat { digits, ..scene.format() }.fixed(cell.found));
            ui.end_row();
        }
    });
    let departing = verdict.count(Matches::Departs);
    if departing > some.len() {
        let more = scene.tf("example-more", &[("more", (departing - some.len()).to_string())]);
        ui.label(RichText::new(more).size(SMALL).weak());
    }
}
