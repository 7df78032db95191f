//! On paper: the worked solution, a worksheet with its key, and figures for print.

use crate::attention::Part;
use crate::figure::{self, FigureOptions, Subject};
use crate::platform::File;
use crate::session::{Action, Notice};
use crate::solution::{Markup, SolutionOptions, WorksheetOptions, solution, worksheet};
use crate::ui::scene::{Request, Scene};
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::{button, heading, live};
use egui::{DragValue, Id, Label, RichText, ScrollArea, TextEdit, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    super::columns(ui, scene, &[written, drawn, preview]);
}

/// What was chosen, from pass to pass.
#[derive(Clone, Copy)]
struct Choice {
    markup: Markup,
    kind: Kind,
    /// 0 keeps the numbers of the page.
    seed: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Solution,
    Sheet,
    Key,
}

const KINDS: [(Kind, &str); 3] =
    [(Kind::Solution, "solution"), (Kind::Sheet, "worksheet"), (Kind::Key, "worksheet-key")];

fn choice(ui: &Ui) -> Choice {
    let default = Choice { markup: Markup::Markdown, kind: Kind::Solution, seed: 0 };
    ui.data(|data| data.get_temp(Id::unique("paper"))).unwrap_or(default)
}

fn written(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 380.0 });
    heading::heading(ui, 3, scene.t("paper-written"));
    let mut chosen = choice(ui);
    ui.horizontal_wrapped(|ui| {
        for (kind, key) in KINDS {
            if button::choice(ui, chosen.kind == kind, scene.t(&format!("paper-{key}"))).clicked() {
                chosen.kind = kind;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        for (markup, name) in [(Markup::Markdown, "Markdown"), (Markup::Latex, "LaTeX")] {
            if button::choice(ui, chosen.markup == markup, name).clicked() {
                chosen.markup = markup;
            }
        }
        if chosen.kind != Kind::Solution {
            let name = scene.t("paper-seed");
            ui.label(RichText::new(&name).size(SMALL));
            let response = ui.add(DragValue::new(&mut chosen.seed).range(0..=999_999).speed(0.1));
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        }
    });
    ui.data_mut(|data| data.insert_temp(Id::unique("paper"), chosen));
    match text(scene, chosen) {
        Ok(text) => {
            let key = KINDS.iter().find(|(kind, _)| *kind == chosen.kind).map_or("solution", |(_, key)| *key);
            let ending = if chosen.markup == Markup::Markdown { "md" } else { "tex" };
            ui.horizontal_wrapped(|ui| {
                if button::named(ui, true, scene.t("copy"), &scene.t("paper-copy")).clicked() {
                    scene.ask(Request::Copy(text.clone()));
                }
                if button::named(ui, true, scene.t("save"), &scene.t("paper-save")).clicked() {
                    scene.ask(Request::HandOver(File::new(format!("{key}.{ending}"), "text/plain", text.into_bytes())));
                }
                if chosen.kind != Kind::Solution && chosen.seed > 0 && ui.button(scene.t("paper-open")).clicked() {
                    let options = WorksheetOptions { seed: Some(chosen.seed), ..worksheet_options(scene, chosen) };
                    if let Ok(made) = worksheet(scene.problem(), &options) {
                        scene.act(Action::LoadProblem(Box::new(made.problem)));
                    }
                }
            });
            let help = if chosen.kind == Kind::Solution { "paper-solution-help" } else { "paper-worksheet-help" };
            ui.add(Label::new(RichText::new(scene.t(help)).size(SMALL).weak()).wrap());
        }
        Err(why) => {
            live::live(ui, RichText::new(&why).color(scene.theme.ink(Meaning::Leak)), &why);
        }
    }
}

fn worksheet_options(scene: &Scene, chosen: Choice) -> WorksheetOptions {
    WorksheetOptions {
        language: scene.texts.language(),
        format: scene.format(),
        markup: chosen.markup,
        seed: (chosen.seed > 0).then_some(chosen.seed),
        ..WorksheetOptions::default()
    }
}

fn text(scene: &Scene, chosen: Choice) -> Result<String, String> {
    if chosen.kind == Kind::Solution {
        let options = SolutionOptions {
            language: scene.texts.language(),
            format: scene.format(),
            markup: chosen.markup,
            ..SolutionOptions::default()
        };
        return Ok(solution(scene.problem(), scene.session.trace(), &options));
    }
    match worksheet(scene.problem(), &worksheet_options(scene, chosen)) {
        Ok(made) if chosen.kind == Kind::Sheet => Ok(made.sheet),
        Ok(made) => Ok(made.key),
        Err(error) => Err(scene.tf(&format!("worksheet-error-{}", error.key()), &error.args())),
    }
}

/// The text as it will be saved.
fn preview(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 460.0 });
    let Ok(text) = text(scene, choice(ui)) else { return };
    heading::heading(ui, 3, scene.t("paper-preview"));
    ScrollArea::both().id_salt("paper preview").max_height(360.0).show(ui, |ui| {
        let mut shown = text.as_str();
        let response = ui.add(TextEdit::multiline(&mut shown).desired_width(440.0).desired_rows(8));
        let name = scene.t("paper-preview");
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
    });
}

/// What a figure shows.
#[derive(Clone, Copy, PartialEq)]
enum Drawing {
    Step,
    Heads,
    Pipeline,
}

fn drawn(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 300.0 });
    heading::heading(ui, 3, scene.t("figure"));
    let id = Id::unique("figure");
    let (mut drawing, mut dark, mut width) =
        ui.data(|data| data.get_temp(id)).unwrap_or((Drawing::Pipeline, false, 160.0_f64));
    ui.horizontal_wrapped(|ui| {
        for (one, key) in [(Drawing::Pipeline, "pipeline"), (Drawing::Step, "step"), (Drawing::Heads, "heads")] {
            if button::choice(ui, drawing == one, scene.t(&format!("figure-{key}"))).clicked() {
                drawing = one;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.checkbox(&mut dark, scene.t("figure-dark"));
        let name = scene.t("figure-print-width");
        ui.label(RichText::new(&name).size(SMALL));
        let response = ui.add(DragValue::new(&mut width).range(40.0..=1000.0).suffix(" mm"));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
    });
    ui.data_mut(|data| data.insert_temp(id, (drawing, dark, width)));
    let head = scene.head();
    let looked = scene.session.view().pinned.map_or(Part::Weights, |place| place.part);
    let (subject, name) = match drawing {
        Drawing::Pipeline => (Subject::Pipeline { head }, "attention".to_owned()),
        Drawing::Step => (Subject::Step { part: looked, head }, looked.key().to_owned()),
        Drawing::Heads => (Subject::Heads, "heads".to_owned()),
    };
    let options = FigureOptions {
        language: scene.texts.language(),
        dark,
        format: scene.format(),
        width_mm: width,
        ..FigureOptions::default()
    };
    let mut wanted = None;
    ui.horizontal_wrapped(|ui| {
        for kind in ["SVG", "PNG"] {
            let said = scene.tf("figure-save", &[("kind", kind.to_owned())]);
            if button::named(ui, true, kind, &said).clicked() {
                wanted = Some(kind);
            }
        }
    });
    if drawing == Drawing::Step {
        let step = scene.t(&format!("part-{}", looked.key().replace('_', "-")));
        let text = scene.tf("figure-step-help", &[("step", step)]);
        ui.add(Label::new(RichText::new(text).size(SMALL).weak()).wrap());
    }
    let Some(kind) = wanted else { return };
    // Drawn only when asked for: a large figure takes a while.
    match figure::svg(scene.problem(), scene.session.trace(), &subject, &options) {
        Ok(svg) if kind == "SVG" => {
            scene.ask(Request::HandOver(File::new(format!("{name}.svg"), "image/svg+xml", svg.into_bytes())));
        }
        Ok(svg) => scene.ask(Request::HandOverPicture { name: format!("{name}.png"), svg }),
        Err(why) => {
            let why = scene.tf(&format!("figure-{}", why.key()), &why.args());
            scene.act(Action::Refuse(Notice::NotHandedOver(why)));
        }
    }
}
