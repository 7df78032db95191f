//! Long sequences: a map of n×n that is computed where it is looked at. `state` is the desk with its pictures, `engine` who
//! works for it, `controls` say
//! what lies on it, `map` draws and moves it, `reading` says what is under the cursor, `standing` how far everything is,
//! `naive` how far n×n would get.

mod axes;
mod controls;
mod engine;
pub mod error;
mod legend;
mod map;
mod minimap;
mod moves;
mod naive;
mod place;
mod reading;
mod standing;
mod state;

use super::columns;
use crate::session::{Action, Long};
use crate::ui::scene::Scene;
use crate::ui::theme::BODY;
use egui::{Label, RichText, Ui};

pub use reading::told;
pub use state::State;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let width = ui.available_width().min(if scene.narrow { 332.0 } else { 1200.0 });
    ui.scope(|ui| {
        ui.set_max_width(width);
        ui.add(Label::new(RichText::new(scene.t("long-lead")).size(BODY)).wrap());
    });
    ui.add_space(4.0);
    columns(ui, scene, &[controls::show, map::show, reading::show]);
}

fn now(scene: &Scene) -> Long {
    scene.session.view().long.within_limits()
}

fn set(scene: &mut Scene, long: Long) {
    scene.act(Action::SetLong(Box::new(long)));
}
