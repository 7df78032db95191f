//! A learned table, which ends, and ALiBi's penalties.

use super::{MOST_HEADS, note, set, settings, slider, slopes, trained};
use crate::attention::Position;
use crate::session::Positions;
use crate::study::encoding::penalty;
use crate::ui::panels::explore::table;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::live;
use egui::{RichText, Ui};

/// Distances in the table of penalties.
const DISTANCES: [usize; 3] = [1, 16, 512];

pub fn learned(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 400.0 });
    let now = settings(scene);
    if matches!(scene.problem().family.position, Position::Learned { .. }) {
        note(ui, scene, "encoding-learned-own");
    } else {
        trained(ui, scene, now);
        note(ui, scene, "encoding-learned-drawn");
    }
    let rows = [("rows", now.trained.to_string()), ("next", (now.trained + 1).to_string())];
    let text = scene.tf("encoding-learned-ends", &rows);
    live::live(ui, RichText::new(&text).color(scene.theme.ink(Meaning::Leak)), &text);
    note(ui, scene, "encoding-learned-note");
}

pub fn alibi(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 440.0 });
    let now = settings(scene);
    trained(ui, scene, now);
    if !matches!(scene.problem().family.position, Position::Alibi { .. })
        && let Some(heads) = slider::slider(ui, scene, "encoding-heads", now.heads, 1..=MOST_HEADS)
    {
        set(scene, |explore| explore.positions = Positions { heads, ..now });
    }
    let format = scene.format();
    table(ui, "encoding-penalties", |ui| {
        for key in ["encoding-head", "encoding-slope"] {
            ui.label(RichText::new(scene.t(key)).size(SMALL).weak());
        }
        for distance in DISTANCES {
            let distance = scene.tf("encoding-at-distance", &[("distance", distance.to_string())]);
            ui.label(RichText::new(distance).size(SMALL).weak());
        }
        ui.end_row();
        for (head, slope) in slopes(scene, now).into_iter().enumerate() {
            ui.label(head.to_string());
            ui.label(format.natural(slope));
            for distance in DISTANCES {
                ui.label(format.natural(penalty(slope, distance)));
            }
            ui.end_row();
        }
    });
    note(ui, scene, "encoding-alibi-note");
}
