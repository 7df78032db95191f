//! The parts of the screen, one a file. From top to bottom: `header`, `formula`, `notice`, `workbench`, `why` and
//! `checks` beside it; and in the tray below, one open at a time, `mask` (with `leakage`), `heads`, `lines`, `shape`,
//! `variants`, `explore` (studies, one a file), `long` (sequences too long for a matrix), `example`, `claim`, `compare`, `share`, `export`, `paper`, and `import` while a file waits.

pub mod checks;
mod claim;
mod compare;
mod example;
mod explore;
mod export;
pub mod formula;
pub mod header;
mod heads;
mod import;
mod leakage;
mod lines;
pub mod long;
pub mod mask;
pub mod notice;
mod paper;
mod shape;
mod share;
mod variants;
pub mod why;
pub mod workbench;

use super::scene::Scene;
use super::widgets::button;
use crate::session::{Action, Panel};
use egui::Ui;

/// The names of the panels below the workbench; one is open at a time.
pub fn tabs(ui: &mut Ui, scene: &mut Scene) {
    ui.horizontal_wrapped(|ui| {
        // Closer than elsewhere, so that all stand in one row on a usual screen.
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.spacing_mut().button_padding.x = 8.0;
        let has_import = scene.session.import().is_some();
        for panel in Panel::ALL.iter().filter(|panel| **panel != Panel::Import || has_import) {
            let open = scene.session.view().panel == *panel;
            let name = scene.t(&format!("panel-{}", panel.key()));
            if button::choice(ui, open, name).clicked() {
                scene.act(Action::OpenPanel(*panel));
            }
        }
    });
    ui.add_space(4.0);
}

/// The panel that is open.
pub fn open(ui: &mut Ui, scene: &mut Scene) {
    match scene.session.view().panel {
        Panel::Mask => mask::show(ui, scene),
        Panel::Heads => heads::show(ui, scene),
        Panel::Lines => lines::show(ui, scene),
        Panel::Shape => shape::show(ui, scene),
        Panel::Example => example::show(ui, scene),
        Panel::Claim => claim::show(ui, scene),
        Panel::Compare => compare::show(ui, scene),
        Panel::Variants => variants::show(ui, scene),
        Panel::Explore => explore::show(ui, scene),
        Panel::Long => long::show(ui, scene),
        Panel::Share => share::show(ui, scene),
        Panel::Export => export::show(ui, scene),
        Panel::Paper => paper::show(ui, scene),
        Panel::Import => import::show(ui, scene),
    }
}

/// Side by side where there is room, else one below the other.
fn columns(ui: &mut Ui, scene: &mut Scene, parts: &[fn(&mut Ui, &mut Scene)]) {
    if scene.narrow {
        for part in parts {
            ui.vertical(|ui| part(ui, scene));
            ui.add_space(16.0);
        }
        return;
    }
    ui.horizontal_top(|ui| {
        for part in parts {
            ui.vertical(|ui| part(ui, scene));
            ui.add_space(24.0);
        }
    });
}
