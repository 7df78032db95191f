//! Why scores are divided by √d_k: a histogram of dot products with and without it, and what gets through a softmax.

use super::{set, slider};
use crate::session::Laboratory;
use crate::study::laboratory::{self, Draws, Softened, histogram};
use crate::ui::panels::columns;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::heading;
use crate::ui::widgets::plot::{Axis, Bars, Chart};
use egui::{RichText, Ui};
use std::rc::Rc;

/// Queries that are drawn: enough for steady figures, few enough to follow a slider.
const QUERIES: usize = 1_024;

/// A line of the table: its name, and its figure.
type Line = (&'static str, fn(&Softened) -> f64);

/// Bars of the histogram.
const BINS: usize = 25;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[controls, picture]);
}

fn drawn(scene: &Scene) -> (Laboratory, Rc<laboratory::Laboratory>) {
    // A saved session may hold anything.
    let Laboratory { d_k, keys, seed } = scene.session.view().explore.laboratory;
    let now = Laboratory { d_k: d_k.clamp(1, 512), keys: keys.clamp(2, 64), seed };
    let draws = Draws { d_k: now.d_k, keys: now.keys, queries: QUERIES, seed };
    (now, scene.session.laboratory(draws))
}

fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 440.0 });
    let (now, found) = drawn(scene);
    slider::row(ui, |ui| {
        if let Some(d_k) = slider::logarithmic(ui, scene, "laboratory-width", now.d_k, 1..=512) {
            set(scene, |explore| explore.laboratory.d_k = d_k);
        }
        if let Some(keys) = slider::slider(ui, scene, "laboratory-keys", now.keys, 2..=64) {
            set(scene, |explore| explore.laboratory.keys = keys);
        }
    });
    let seed = now.seed.wrapping_add(1);
    if ui.button(scene.tf("laboratory-anew", &[("seed", seed.to_string())])).clicked() {
        set(scene, |explore| explore.laboratory.seed = seed);
    }
    heading::heading(ui, 3, scene.t("laboratory-softmax"));
    let most = (now.keys as f64).ln();
    super::table(ui, "laboratory", |ui| {
        ui.label("");
        for key in ["laboratory-plain", "laboratory-scaled"] {
            ui.label(RichText::new(scene.t(key)).size(SMALL).weak());
        }
        ui.end_row();
        let rows: [Line; 4] = [
            ("laboratory-deviation", |softened| softened.deviation),
            ("laboratory-largest", |softened| softened.largest_weight),
            ("laboratory-entropy", |softened| softened.entropy),
            ("laboratory-gradient", |softened| softened.gradient),
        ];
        for (key, of) in rows {
            let most = ("most", scene.format().natural(most));
            super::line_name(ui, scene, scene.tf(key, &[most]));
            ui.label(format!("{:.3}", of(&found.plain)));
            ui.label(format!("{:.3}", of(&found.scaled)));
            ui.end_row();
        }
    });
}

fn picture(ui: &mut Ui, scene: &mut Scene) {
    let (now, found) = drawn(scene);
    let root = (now.d_k as f64).sqrt();
    let scaled: Vec<f64> = found.scores.iter().map(|score| score / root).collect();
    // Both over the same axis, so that the narrow one is seen to be narrow; as density, for its bars are narrower too.
    let named = |key: &str, meaning: Meaning, values: &[f64], deviation: f64| {
        let most = 3.2 * deviation;
        let step = 2.0 * most / BINS as f64;
        let density = |count: usize| count as f64 / values.len() as f64 / step;
        let counts = histogram(values, most, BINS);
        Bars {
            name: scene.t(key),
            colour: scene.theme.mark(meaning),
            width: step,
            bars: counts
                .iter()
                .enumerate()
                .map(|(bin, count)| (-most + (bin as f64 + 0.5) * step, density(*count)))
                .collect(),
        }
    };
    Chart {
        id: "laboratory",
        x: Axis::linear(scene.t("laboratory-score")),
        y: Axis::linear(scene.t("laboratory-share")),
        curves: Vec::new(),
        bars: vec![
            named("laboratory-plain", Meaning::Leak, &found.scores, root),
            named("laboratory-scaled", Meaning::Passed, &scaled, 1.0),
        ],
        here: None,
        spoken: scene.tf(
            "laboratory-spoken",
            &[
                ("width", now.d_k.to_string()),
                ("plain", format!("{:.2}", found.plain.deviation)),
                ("scaled", format!("{:.2}", found.scaled.deviation)),
            ],
        ),
    }
    .show(ui, 620.0);
}
