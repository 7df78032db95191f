//! Positions: what an encoding is made of, and what a score makes of a distance, to twice the trained length.
//!
//! `sinusoidal` draws the matrix, its waves and its linear map; `rotary` turns arrows, counts angles and shifts positions;
//! `added` tells of learned tables and of ALiBi; `distance` is the chart that all four have.

mod added;
mod distance;
mod rotary;
mod sinusoidal;

use super::{set, slider};
use crate::attention::Position;
use crate::session::{Encoding, Positions};
use crate::study::encoding::alibi_slopes;
use crate::ui::panels::columns;
use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use crate::ui::widgets::button;
use egui::{Label, RichText, Ui};

/// Heads of ALiBi that are told apart in a chart.
const MOST_HEADS: usize = 8;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let now = settings(scene);
    ui.horizontal_wrapped(|ui| {
        for encoding in Encoding::ALL {
            let name = scene.t(&format!("position-{}", encoding.key()));
            if button::choice(ui, now.encoding == encoding, name).clicked() {
                set(scene, |explore| explore.positions.encoding = encoding);
            }
        }
    });
    ui.add_space(4.0);
    match now.encoding {
        Encoding::Sinusoidal => {
            columns(ui, scene, &[sinusoidal::controls, sinusoidal::matrix, sinusoidal::curves]);
            columns(ui, scene, &[sinusoidal::map, distance::show]);
        }
        Encoding::Learned => columns(ui, scene, &[added::learned, distance::show]),
        Encoding::Rope => {
            columns(ui, scene, &[rotary::controls, rotary::pictures]);
            columns(ui, scene, &[rotary::untrained, distance::show]);
        }
        Encoding::Alibi => columns(ui, scene, &[added::alibi, distance::show]),
    }
}

/// The settings, brought into what can be drawn: widths are even.
fn settings(scene: &Scene) -> Positions {
    let now = scene.session.view().explore.positions;
    let width = (now.width.clamp(2, 128) / 2) * 2;
    let trained = match &scene.problem().family.position {
        // The problem's own table was trained on as many positions as it has.
        Position::Learned { table } if now.encoding == Encoding::Learned => table.nrows(),
        _ => now.trained.clamp(16, 4_096),
    };
    Positions {
        positions: now.positions.clamp(2, 128),
        width,
        base: now.base.clamp(2.0, 1e7),
        pair: now.pair.min(width / 2 - 1),
        offset: now.offset.min(64),
        trained,
        factor: now.factor.clamp(1.0, 16.0),
        head_width: (now.head_width.clamp(4, 128) / 2) * 2,
        position: now.position.min(1_024),
        shift: now.shift.min(10_000),
        heads: now.heads.clamp(1, MOST_HEADS),
        ..now
    }
}

fn base(ui: &mut Ui, scene: &mut Scene, now: Positions) {
    if let Some(base) = slider::logarithmic(ui, scene, "position-base", now.base, 10.0..=1e6) {
        set(scene, |explore| explore.positions = Positions { base: base.round(), ..now });
    }
}

fn trained(ui: &mut Ui, scene: &mut Scene, now: Positions) {
    if let Some(trained) = slider::logarithmic(ui, scene, "encoding-trained", now.trained, 16..=4_096) {
        set(scene, |explore| explore.positions = Positions { trained, ..now });
    }
}

/// The slopes of the problem where it has ALiBi, else the paper's for the heads of the settings.
fn slopes(scene: &Scene, now: Positions) -> Vec<f64> {
    match &scene.problem().family.position {
        Position::Alibi { slopes } => slopes.clone(),
        _ => alibi_slopes(now.heads),
    }
}

fn note(ui: &mut Ui, scene: &Scene, key: &str) {
    ui.add(Label::new(RichText::new(scene.t(key)).size(SMALL).weak()).wrap());
}
