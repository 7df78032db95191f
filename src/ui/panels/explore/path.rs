//! Why not an RNN: a chain of state updates against one look.

use super::{set, slider};
use crate::session::PathLength;
use crate::study::path::{ATTENTION_STEPS, half_life, recurrent_steps, surviving};
use crate::ui::panels::columns;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::plot::{Axis, Chart, Curve};
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[controls, picture]);
}

/// A saved session may hold anything.
fn within_limits(PathLength { n, kept, gate }: PathLength) -> PathLength {
    PathLength { n: n.clamp(2, 100_000), kept: kept.clamp(0.5, 0.999), gate: gate.clamp(0.5, 0.9999) }
}

fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 440.0 });
    let now = within_limits(scene.session.view().explore.path);
    slider::row(ui, |ui| {
        if let Some(n) = slider::logarithmic(ui, scene, "path-length", now.n, 2..=100_000) {
            set(scene, |explore| explore.path.n = n);
        }
        if let Some(kept) = slider::slider(ui, scene, "path-kept", now.kept, 0.5..=0.999) {
            set(scene, |explore| explore.path.kept = kept);
        }
        if let Some(gate) = slider::slider(ui, scene, "path-gate", now.gate, 0.5..=0.9999) {
            set(scene, |explore| explore.path.gate = gate);
        }
    });
    let steps = recurrent_steps(0, now.n - 1);
    let share = |kept: f64| {
        let left = surviving(kept, steps);
        if left < 1e-4 { format!("{left:.1e}").replace('-', "−") } else { format!("{left:.4}") }
    };
    super::table(ui, "path", |ui| {
        for key in ["", "path-rnn", "path-lstm", "path-attention"] {
            let text = if key.is_empty() { String::new() } else { scene.t(key) };
            ui.label(RichText::new(text).size(SMALL).weak());
        }
        ui.end_row();
        let rows = [
            ("path-steps", [steps.to_string(), steps.to_string(), ATTENTION_STEPS.to_string()]),
            ("path-surviving", [share(now.kept), share(now.gate), "1".to_owned()]),
            (
                "path-half",
                [format!("{:.1}", half_life(now.kept)), format!("{:.1}", half_life(now.gate)), "∞".to_owned()],
            ),
            ("path-in-turn", [now.n.to_string(), now.n.to_string(), "1".to_owned()]),
        ];
        for (key, figures) in rows {
            super::line_name(ui, scene, scene.t(key));
            figures.into_iter().for_each(|figure| {
                ui.label(figure);
            });
            ui.end_row();
        }
    });
    ui.add(Label::new(RichText::new(scene.t("path-note")).size(SMALL).weak()).wrap());
}

fn picture(ui: &mut Ui, scene: &mut Scene) {
    let now = within_limits(scene.session.view().explore.path);
    let most = now.n;
    let points = |kept: f64| -> Vec<[f64; 2]> {
        (0..=200)
            .map(|at| {
                let n = 1.0 + (most - 1) as f64 * f64::from(at) / 200.0;
                [n, kept.powf(n - 1.0)]
            })
            .collect()
    };
    let curve = |key: &str, meaning: Meaning, dashed: bool, points| Curve {
        name: scene.t(key),
        colour: scene.theme.mark(meaning),
        dashed,
        points,
    };
    let steps = recurrent_steps(0, most - 1);
    Chart {
        id: "path",
        x: Axis::linear(scene.t("axis-length")),
        y: Axis::linear(scene.t("path-surviving")).between(0.0, 1.0),
        curves: vec![
            curve("path-attention", Meaning::Query, false, vec![[1.0, 1.0], [most as f64, 1.0]]),
            curve("path-lstm", Meaning::Value, true, points(now.gate)),
            curve("path-rnn", Meaning::Leak, false, points(now.kept)),
        ],
        bars: Vec::new(),
        here: None,
        spoken: scene.tf("path-spoken", &[("n", most.to_string()), ("steps", steps.to_string())]),
    }
    .show(ui, 620.0);
}
