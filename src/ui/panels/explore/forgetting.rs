//! Forgetting the start: one key against more and more others.

use super::{set, slider};
use crate::session::Forgetting;
use crate::study::forgetting::{share, share_in_window};
use crate::ui::panels::columns;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::plot::{Axis, Chart, Curve, short};
use egui::{Label, RichText, Ui};

/// The lengths in the table.
const LENGTHS: [usize; 4] = [10, 1_000, 65_536, 1_000_000];

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[controls, chart]);
}

fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 400.0 });
    let now = scene.session.view().explore.forgetting;
    slider::row(ui, |ui| {
        if let Some(gap) = slider::slider(ui, scene, "forgetting-gap", now.gap, 0.0..=16.0) {
            set(scene, |explore| explore.forgetting.gap = gap);
        }
        if let Some(window) = slider::logarithmic(ui, scene, "forgetting-window", now.window, 1..=65_536) {
            set(scene, |explore| explore.forgetting.window = window);
        }
        if let Some(trained) = slider::logarithmic(ui, scene, "forgetting-trained", now.trained, 1..=1_000_000) {
            set(scene, |explore| explore.forgetting.trained = trained);
        }
    });
    table(ui, scene, now);
    ui.add(Label::new(RichText::new(scene.t("forgetting-note")).size(SMALL).weak()).wrap());
}

fn chart(ui: &mut Ui, scene: &mut Scene) {
    let now = scene.session.view().explore.forgetting;
    // Eight points a doubling, from 2 to 2²⁰.
    let lengths = || (8..=160).map(|step| 2f64.powf(f64::from(step) / 8.0) as usize);
    let curve = |key: &str, meaning: Meaning, dashed: bool, points: Vec<[f64; 2]>| Curve {
        name: scene.t(key),
        colour: scene.theme.mark(meaning),
        dashed,
        points,
    };
    let all = lengths().map(|n| [n as f64, share(now.gap, n)]).collect();
    let windowed = lengths().map(|n| [n as f64, share_in_window(now.gap, n, now.window)]).collect();
    let seen = lengths().filter(|n| *n <= now.trained).map(|n| [n as f64, share(now.gap, n)]).collect();
    let figures: Vec<String> =
        LENGTHS.iter().map(|&n| format!("n = {n}: {}", scene.format().natural(share(now.gap, n)))).collect();
    Chart {
        id: "forgetting",
        x: Axis::logarithmic(scene.t("axis-length")),
        y: Axis::linear(scene.t("forgetting-share")).between(0.0, 1.0),
        curves: vec![
            curve("forgetting-all", Meaning::Query, false, all),
            curve("forgetting-windowed", Meaning::Leak, true, windowed),
            curve("forgetting-learned", Meaning::Key, false, seen),
        ],
        bars: Vec::new(),
        here: None,
        spoken: format!("{}. {}", scene.t("study-forgetting"), figures.join("; ")),
    }
    .show(ui, 620.0);
}

fn table(ui: &mut Ui, scene: &Scene, now: Forgetting) {
    let format = scene.format();
    super::table(ui, "forgetting-table", |ui| {
        for key in ["axis-length", "forgetting-all", "forgetting-windowed", "forgetting-learned"] {
            super::column_name(ui, scene, scene.t(key));
        }
        ui.end_row();
        for n in LENGTHS {
            ui.label(short(n as f64));
            ui.label(format.natural(share(now.gap, n)));
            ui.label(format.natural(share_in_window(now.gap, n, now.window)));
            // A learned table has no position there: no number, rather than a wrong one.
            if n <= now.trained {
                ui.label(format.natural(share(now.gap, n)));
            } else {
                super::column_name(ui, scene, scene.t("forgetting-none"));
            }
            ui.end_row();
        }
    });
}
