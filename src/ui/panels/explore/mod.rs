//! Explore: studies around the problem, one open at a time, one a file.
//!
//! The studies' names stand left, then controls, then pictures (`columns`), for the room is wide and low; on a narrow
//! screen one below the other. A study's title, and a sentence on what it shows, are the texts `study-<key>` and
//! `study-<key>-lead`.

mod cache;
mod cost;
mod diagnosis;
mod encoding;
mod flash;
mod forgetting;
mod gradient;
mod heads;
mod laboratory;
mod linear;
mod order;
mod path;
mod reach;
pub mod slider;
mod stepper;

use crate::session::{Action, Explore, Study};
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, SMALL};
use crate::ui::widgets::{button, heading};
use egui::{Align, Grid, Label, Layout, RichText, ScrollArea, Ui, Vec2, vec2};

/// Of the names beside a study. With this height all are seen at once where the tray has its usual one.
const NAME: Vec2 = vec2(168.0, 26.0);
/// The height of a line of a table: nothing in it is pressed.
const LINE: f32 = 20.0;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    if scene.narrow {
        ui.horizontal_wrapped(|ui| names(ui, scene));
        ui.add_space(8.0);
        study(ui, scene);
        return;
    }
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.spacing_mut().interact_size.y = NAME.y;
            ui.spacing_mut().button_padding.y = 1.0;
            names(ui, scene);
        });
        ui.add_space(16.0);
        ui.vertical(|ui| study(ui, scene));
    });
}

fn names(ui: &mut Ui, scene: &mut Scene) {
    let open = scene.session.view().explore.study;
    for study in Study::ALL {
        let name = scene.t(&format!("study-{}", study.key()));
        let chosen = open == study;
        let name = if scene.narrow { button::choice(ui, chosen, name) } else { button::line(ui, chosen, name, NAME) };
        if name.clicked() {
            set(scene, |explore| explore.study = study);
        }
    }
}

fn study(ui: &mut Ui, scene: &mut Scene) {
    let open = scene.session.view().explore.study;
    let key = open.key();
    heading::heading(ui, 2, scene.t(&format!("study-{key}")));
    let width = ui.available_width().min(if scene.narrow { 332.0 } else { 960.0 });
    ui.scope(|ui| {
        ui.set_max_width(width);
        ui.add(Label::new(RichText::new(scene.t(&format!("study-{key}-lead"))).size(BODY)).wrap());
    });
    ui.add_space(4.0);
    match open {
        Study::Laboratory => laboratory::show(ui, scene),
        Study::Gradient => gradient::show(ui, scene),
        Study::Diagnosis => diagnosis::show(ui, scene),
        Study::Path => path::show(ui, scene),
        Study::Reach => reach::show(ui, scene),
        Study::Heads => heads::show(ui, scene),
        Study::Cost => cost::show(ui, scene),
        Study::Forgetting => forgetting::show(ui, scene),
        Study::Flash => flash::show(ui, scene),
        Study::Cache => cache::show(ui, scene),
        Study::Order => order::show(ui, scene),
        Study::Encoding => encoding::show(ui, scene),
        Study::Linear => linear::show(ui, scene),
    }
}

/// A block in a row that wraps, in at least this room: what is smaller for now jumps nowhere, and what does not fit
/// beside the others stands below them.
fn roomy(ui: &mut Ui, room: Vec2, content: impl FnOnce(&mut Ui)) {
    ui.allocate_ui_with_layout(room, Layout::top_down(Align::Min), |ui| {
        ui.set_min_size(room);
        content(ui);
    });
}

/// Matrices side by side where there is room, else one below the other.
fn beside(ui: &mut Ui, scene: &Scene, content: impl FnOnce(&mut Ui)) {
    if scene.narrow { content(ui) } else { ui.horizontal_top(content).inner }
}

/// A table that may be wider than a phone: it scrolls by itself, so that what stands below keeps to the page.
fn table(ui: &mut Ui, name: &str, rows: impl FnOnce(&mut Ui)) {
    let area = ScrollArea::horizontal().id_salt(name).scroll_source(crate::ui::layout::DRAGGED);
    area.show(ui, |ui| {
        ui.spacing_mut().interact_size.y = LINE;
        Grid::new(name).spacing([12.0, 4.0]).show(ui, rows);
    });
}

/// What a line of a table shows; it wraps, so that the figures beside it are on the screen.
fn line_name(ui: &mut Ui, scene: &Scene, name: String) {
    ui.scope(|ui| {
        ui.set_max_width(if scene.narrow { 116.0 } else { 236.0 });
        ui.add(Label::new(RichText::new(name).size(SMALL)).wrap());
    });
}

/// What a column of a table shows; on a phone it wraps, so that the columns are no wider than their figures.
fn column_name(ui: &mut Ui, scene: &Scene, name: String) {
    ui.scope(|ui| {
        ui.set_max_width(if scene.narrow { 68.0 } else { 200.0 });
        ui.add(Label::new(RichText::new(name).size(SMALL).weak()).wrap());
    });
}

/// Changes a setting of a study.
fn set(scene: &mut Scene, change: impl FnOnce(&mut Explore)) {
    let mut explore = scene.session.view().explore.clone();
    change(&mut explore);
    scene.act(Action::SetExplore(Box::new(explore)));
}
