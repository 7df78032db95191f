//! Why this number: the arithmetic of the cell that is looked at.

use crate::attention::{Expr, MaskApplied, Note, Part, Place, SoftmaxForm};
use crate::session::{Action, Compared};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, LARGE, Meaning, SMALL, semibold};
use crate::ui::widgets::{button, heading, live};
use crate::writing::arithmetic::{self, Piece};
use egui::text::{LayoutJob, TextFormat};
use egui::{FontId, Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 2, scene.t("why"));
    let Some(place) = scene.looked else {
        ui.add(Label::new(RichText::new(scene.t("why-nothing")).weak()).wrap());
        return;
    };
    let veiled = scene.session.view().stage.is_some_and(|stage| crate::session::Stage::of_part(place.part) > stage);
    if veiled {
        ui.label(RichText::new(scene.t("why-veiled")).weak());
        return;
    }
    if scene.compared() == Compared::Difference {
        difference(ui, scene, place);
        return;
    }
    if place.part == Part::Mask {
        mask_cell(ui, scene, place);
        return;
    }
    let explanation = scene.explain(place).filter(|explanation| !matches!(explanation.expression, Expr::Given(_)));
    let Some(explanation) = explanation else {
        given(ui, scene, place);
        return;
    };
    let format = scene.format();
    let name = parts::cell_name(scene, place);
    let lines = arithmetic::lines(&explanation.expression, &|value| format.told(value));
    let mut spoken = name.clone();
    let mut job = LayoutJob::default();
    let text = |colour| TextFormat {
        font_id: FontId::proportional(BODY + 1.0),
        color: colour,
        line_height: Some(25.0),
        ..Default::default()
    };
    let bold = TextFormat {
        font_id: semibold(BODY + 1.0),
        line_height: Some(25.0),
        ..text(scene.theme.ink(Meaning::of(place.part)))
    };
    job.append(&name, 0.0, bold.clone());
    let last = lines.len() - 1;
    for (index, line) in lines.iter().enumerate() {
        job.append("\n= ", 0.0, text(scene.theme.quiet()));
        spoken = format!("{spoken} = {}", arithmetic::spoken(line));
        for piece in line {
            match piece {
                Piece::Text(plain) if index == last => job.append(
                    plain,
                    0.0,
                    TextFormat { color: scene.theme.text(), font_id: semibold(LARGE), ..bold.clone() },
                ),
                Piece::Text(plain) => job.append(plain, 0.0, text(scene.theme.text())),
                Piece::Cell(source, number) => {
                    let colour = match Meaning::of(source.part) {
                        Meaning::Neutral => scene.theme.accent(),
                        meaning => scene.theme.ink(meaning),
                    };
                    let font_id = semibold(BODY + 1.0);
                    job.append(number, 0.0, TextFormat { font_id, ..text(colour) });
                }
            }
        }
    }
    job.wrap.max_width = ui.available_width();
    let response = ui.add(Label::new(job).wrap());
    live::mark_live(ui, &response, &spoken);
    ui.horizontal_wrapped(|ui| {
        colours_used(ui, scene, &explanation.sources);
        pin(ui, scene, place);
    });
    rules(ui, scene, place);
    empty_row(ui, scene, place);
    if matches!(place.part, Part::Weights | Part::Exp | Part::RowSum) {
        forms(ui, scene, place, &explanation.expression);
    }
}

/// A cell of B − A: both numbers, and one less the other.
fn difference(ui: &mut Ui, scene: &mut Scene, place: Place) {
    let now = crate::attention::value(scene.session.problem(), scene.session.trace(), place);
    let held = scene.session.held().and_then(|(problem, trace)| crate::attention::value(problem, trace, place));
    let format = scene.format();
    let name = parts::cell_name(scene, place);
    let written = |value: Option<f64>| value.map_or("–".to_owned(), |value| format.told(value));
    let mut text = format!("{name}\nA: {}\nB: {}", written(held), written(now));
    if let (Some(held), Some(now)) = (held, now) {
        text += &format!("\nB − A = {}", format.told(if held == now { 0.0 } else { now - held }));
    }
    live::live(ui, RichText::new(&text).size(BODY + 1.0), &text);
    pin(ui, scene, place);
}

/// A cell of M is 0 or −∞ (1 or 0 where it multiplies); the trace keeps 1 for visible and 0 for hidden.
fn mask_cell(ui: &mut Ui, scene: &mut Scene, place: Place) {
    let is_visible = crate::attention::hidden_by(scene.shown_problem(), place.row, place.column).is_empty();
    let text = format!("{} = {}", parts::cell_name(scene, place), parts::mask_entry(scene.shown_problem(), is_visible));
    live::live(ui, RichText::new(&text).size(BODY + 1.0), &text);
    if is_visible {
        ui.add(
            Label::new(
                RichText::new(scene.t(if parts::mask_operator(scene.shown_problem()) == "+" {
                    "mask-visible"
                } else {
                    "mask-visible-times"
                }))
                .weak(),
            )
            .wrap(),
        );
    }
    rules(ui, scene, place);
    pin(ui, scene, place);
}

/// A number that was given: nothing to compute, but something to change.
fn given(ui: &mut Ui, scene: &mut Scene, place: Place) {
    let value =
        scene.shown_problem().get_input(place).map_or(String::new(), |value| value.to_string().replace('-', "−"));
    let name = parts::cell_name(scene, place);
    let text = format!("{name} = {value}");
    live::live(ui, RichText::new(&text).size(BODY + 1.0).color(scene.theme.ink(Meaning::of(place.part))), &text);
    ui.add(Label::new(RichText::new(scene.t("why-given")).weak()).wrap());
    pin(ui, scene, place);
}

/// Which matrices the coloured numbers come from.
fn colours_used(ui: &mut Ui, scene: &Scene, sources: &[Place]) {
    let mut used: Vec<Part> = sources.iter().map(|place| place.part).collect();
    used.sort();
    used.dedup();
    for part in used {
        let colour = match Meaning::of(part) {
            Meaning::Neutral => scene.theme.accent(),
            meaning => scene.theme.ink(meaning),
        };
        ui.label(RichText::new(format!("■ {}", parts::name(scene, part))).size(SMALL).color(colour));
    }
}

/// Why a pair is hidden; where the mask is not applied as it should be, which rules would hide it.
fn rules(ui: &mut Ui, scene: &Scene, place: Place) {
    if !matches!(place.part, Part::Mask | Part::Masked | Part::Exp | Part::Weights) {
        return;
    }
    let is_right = scene.shown_problem().mask_applied == MaskApplied::BeforeSoftmax;
    if !is_right && place.part != Part::Mask {
        ui.add(Label::new(RichText::new(scene.t("hidden-otherwise")).size(SMALL)).wrap());
    }
    for rule in crate::attention::hidden_by(scene.shown_problem(), place.row, place.column) {
        let key = format!("hidden-by-{}", rule.key().replace('_', "-"));
        ui.label(RichText::new(scene.t(&key)).size(SMALL).color(scene.theme.quiet()));
    }
}

/// Why everything in a row is zero.
fn empty_row(ui: &mut Ui, scene: &Scene, place: Place) {
    let is_of_a_query = parts::axes(place.part).0 == Some(Meaning::Query);
    let note =
        scene.shown_trace().notes.iter().find(|note| matches!(note, Note::EmptyRow { row } if *row == place.row));
    if let Some(note) = note.filter(|_| is_of_a_query) {
        ui.add(Label::new(RichText::new(scene.tf(&format!("note-{}", note.key()), &note.args())).size(SMALL)).wrap());
    }
}

/// The same quotient with the row's maximum subtracted first.
fn forms(ui: &mut Ui, scene: &mut Scene, place: Place, expression: &Expr) {
    let mut shifted = !scene.is_plain();
    if ui.checkbox(&mut shifted, scene.t("softmax-shifted")).changed() {
        scene.act(Action::SetSoftmaxForm(if shifted { SoftmaxForm::Shifted } else { SoftmaxForm::Plain }));
    }
    if shifted && place.part == Part::Weights {
        let plain = crate::attention::explain(scene.shown_problem(), scene.shown_trace(), place, SoftmaxForm::Plain);
        let format = scene.format();
        if let Some(plain) = plain {
            let values =
                [("shifted", format.told(expression.evaluate())), ("plain", format.told(plain.expression.evaluate()))];
            ui.label(RichText::new(scene.tf("softmax-same", &values)).size(SMALL).weak());
        }
    }
}

fn pin(ui: &mut Ui, scene: &mut Scene, place: Place) {
    let pinned = scene.session.view().pinned == Some(place);
    let name = scene.t(if pinned { "unpin" } else { "pin" });
    if button::choice(ui, pinned, name).clicked() {
        scene.act(Action::Pin((!pinned).then_some(place)));
    }
}
