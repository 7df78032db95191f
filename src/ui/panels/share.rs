//! Keep and share: a link, a file, states under a name.

use super::columns;
use crate::platform::File;
use crate::session::{Action, LinkError};
use crate::ui::scene::{Request, Scene};
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::{button, heading, live};
use egui::{Id, Label, RichText, TextEdit, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[link, file, states]);
}

fn link(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 360.0 });
    heading::heading(ui, 3, scene.t("link"));
    match scene.session.to_link() {
        Ok(fragment) => {
            let link = format!("{}#{fragment}", scene.address);
            ui.horizontal_wrapped(|ui| {
                if ui.button(scene.t("link-copy")).clicked() {
                    scene.ask(Request::Copy(link.clone()));
                }
                let length = scene.tf("link-length", &[("length", link.chars().count().to_string())]);
                ui.label(RichText::new(length).size(SMALL).weak());
            });
            let mut shown = link.as_str();
            let response = ui.add(TextEdit::singleline(&mut shown).desired_width(f32::INFINITY));
            let name = scene.t("link");
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        }
        Err(error @ LinkError::TooLong { .. }) => {
            let text = scene.tf("link-offers-file", &error.args());
            live::live(ui, RichText::new(&text).color(scene.theme.ink(Meaning::Leak)), &text);
        }
        Err(error) => {
            let text = scene.tf(&format!("link-{}", error.key()), &error.args());
            live::live(ui, RichText::new(&text), &text);
        }
    }
    ui.add(Label::new(RichText::new(scene.t("link-help")).size(SMALL).weak()).wrap());
}

fn file(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 260.0 });
    heading::heading(ui, 3, scene.t("file"));
    ui.horizontal_wrapped(|ui| {
        if ui.button(scene.t("file-save")).clicked() {
            let bytes = scene.problem().to_json().into_bytes();
            scene.ask(Request::HandOver(File::new(file_name(scene), "application/json", bytes)));
        }
        if ui.button(scene.t("file-open")).clicked() {
            scene.ask(Request::ChooseFiles);
        }
    });
    ui.add(Label::new(RichText::new(scene.t("file-help")).size(SMALL).weak()).wrap());
}

/// Named after the example or the title, in letters that every system takes.
fn file_name(scene: &Scene) -> String {
    let title = scene.session.view().example.clone().or_else(|| scene.problem().title.clone()).unwrap_or_default();
    let safe: String = title.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '-' }).take(60).collect();
    let stem = safe.trim_matches('-');
    format!("{}.json", if stem.is_empty() { "attention" } else { stem })
}

fn states(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 380.0 });
    heading::heading(ui, 3, scene.t("states"));
    ui.horizontal_wrapped(|ui| {
        let id = Id::unique("state name");
        let mut name = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_default();
        let hint = scene.tf("state-n", &[("number", (scene.session.shelf().kept().len() + 1).to_string())]);
        let response = ui.add(TextEdit::singleline(&mut name).id(id.with("box")).hint_text(&hint).desired_width(150.0));
        let label = scene.t("state-name");
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(label));
        let entered = response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if ui.button(scene.t("state-keep")).clicked() || entered {
            let name = if name.trim().is_empty() { hint } else { name.trim().to_owned() };
            scene.act(Action::KeepState(name));
            ui.data_mut(|data| data.remove::<String>(id));
        } else {
            ui.data_mut(|data| data.insert_temp(id, name));
        }
    });
    let names: Vec<String> = scene.session.shelf().kept().iter().map(|kept| kept.name.clone()).collect();
    if names.is_empty() {
        ui.add(Label::new(RichText::new(scene.t("states-none")).size(SMALL).weak()).wrap());
    }
    for (index, name) in names.iter().enumerate() {
        ui.horizontal(|ui| {
            let said = scene.tf("state-throw", &[("name", name.clone())]);
            if button::named(ui, true, "×", &said).clicked() {
                scene.act(Action::ThrowState(index));
            }
            let said = scene.tf("state-open", &[("name", name.clone())]);
            if button::named(ui, true, name.as_str(), &said).clicked() {
                scene.act(Action::OpenState(index));
            }
        });
    }
    ui.horizontal_wrapped(|ui| {
        if !names.is_empty() && ui.button(scene.t("states-throw")).clicked() {
            scene.act(Action::ThrowStates);
        }
        if let Some(thrown) = scene.session.shelf().thrown() {
            let text = scene.tf("states-take-back", &[("thrown", thrown.to_string())]);
            if ui.button(text).clicked() {
                scene.act(Action::TakeBackStates);
            }
        }
    });
}
