//! What attention costs: of this problem, and of a model of any size, dense against windowed against linear.

mod budget;

use super::{set, slider};
use crate::attention::cost::{Kind, Model, PRESETS, Precision};
use crate::session::Costing;
use crate::ui::panels::columns;
use crate::ui::panels::explore::flash::grouped;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::plot::{Axis, Chart, Curve, short};
use crate::ui::widgets::{button, heading};
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    presets(ui, scene);
    ui.add_space(4.0);
    columns(ui, scene, &[controls, table, picture]);
}

fn presets(ui: &mut Ui, scene: &mut Scene) {
    let now = scene.session.view().explore.costing.within_limits();
    ui.horizontal_wrapped(|ui| {
        for (name, model) in PRESETS {
            let preset = Costing { batch: now.batch, budget: now.budget, ..Costing::of(model) };
            let fits = Costing { precision: now.precision, window: now.window, ..preset } == now;
            if button::choice(ui, fits, name).clicked() {
                set(scene, |explore| explore.costing = preset);
            }
        }
    });
}

fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 180.0 });
    let now = scene.session.view().explore.costing.within_limits();
    let mut wanted = now;
    let size = |ui: &mut Ui, scene: &Scene, key: &str, value: &mut usize, most: usize| {
        if let Some(chosen) = slider::logarithmic(ui, scene, key, *value, 1..=most) {
            *value = chosen;
        }
    };
    slider::row(ui, |ui| {
        size(ui, scene, "axis-length", &mut wanted.n, Costing::MOST_TOKENS);
        size(ui, scene, "cost-width", &mut wanted.d_model, Costing::MOST_WIDTH);
        size(ui, scene, "cost-heads", &mut wanted.heads, Costing::MOST_HEADS);
        size(ui, scene, "cost-shared", &mut wanted.key_value_heads, Costing::MOST_HEADS);
        size(ui, scene, "cost-layers", &mut wanted.layers, Costing::MOST_LAYERS);
        size(ui, scene, "cost-batch", &mut wanted.batch, Costing::MOST_BATCH);
        size(ui, scene, "cost-window", &mut wanted.window, Costing::MOST_TOKENS);
    });
    ui.horizontal_wrapped(|ui| {
        for precision in Precision::ALL {
            if button::choice(ui, wanted.precision == precision, precision.key()).clicked() {
                wanted.precision = precision;
            }
        }
    });
    let wanted = wanted.within_limits();
    if wanted != now {
        set(scene, |explore| explore.costing = wanted);
    }
}

/// A line of the table: its name, and its figure of a model.
type Line = (&'static str, fn(&Model) -> u128);

const LINES: [Line; 8] = [
    ("cost-parameters", |model| model.parameters()),
    ("cost-projections", |model| model.projection_multiply_adds()),
    ("cost-dense", |model| model.attention_multiply_adds(Kind::Dense)),
    ("cost-windowed", |model| model.attention_multiply_adds(Kind::Windowed)),
    ("cost-linear", |model| model.attention_multiply_adds(Kind::Linear)),
    ("cost-scores", |model| model.score_bytes(Kind::Dense)),
    ("cost-cache-token", |model| model.cache_bytes_a_token()),
    ("cost-activations", |model| model.activation_bytes()),
];

fn table(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 330.0 } else { 420.0 });
    heading::heading(ui, 3, scene.t("cost-table"));
    let costing = scene.session.view().explore.costing.within_limits();
    let model = costing.model();
    // A problem has no window of its own here: it is counted by the pairs that it shows elsewhere.
    let problem = Model { window: Some(costing.window), ..Model::of(scene.problem()) };
    super::table(ui, "cost", |ui| {
        for key in ["", "cost-problem", "cost-model"] {
            let text = if key.is_empty() { String::new() } else { scene.t(key) };
            ui.label(RichText::new(text).size(SMALL).weak());
        }
        ui.end_row();
        let checkpointed: Line = ("cost-checkpointed", |model| model.checkpointed_bytes());
        for (key, of) in LINES.into_iter().chain([checkpointed]) {
            super::line_name(ui, scene, scene.t(key));
            for model in [&problem, &model] {
                let value = of(model);
                // Short enough to be read whole: as published.
                let shown = if value < 10_000_000 { grouped(value as u64) } else { short(value as f64) };
                ui.label(shown).on_hover_text(value.to_string());
            }
            ui.end_row();
        }
    });
    if !model.d_model.is_multiple_of(model.heads) {
        let values = [("width", model.d_model.to_string()), ("heads", model.heads.to_string())];
        let text = scene.tf("cost-not-divisible", &values);
        ui.add(Label::new(RichText::new(text).size(SMALL).color(scene.theme.ink(Meaning::Leak))).wrap());
    }
    ui.add(Label::new(RichText::new(scene.t("cost-note")).size(SMALL).weak()).wrap());
    budget::show(ui, scene);
}

fn picture(ui: &mut Ui, scene: &mut Scene) {
    let costing = scene.session.view().explore.costing.within_limits();
    let at = |n: f64| Model { n: n as usize, ..costing.model() };
    // Four points a doubling, from 2⁴ to 2²⁰.
    let lengths = || (16..=80).map(|step| 2f64.powf(f64::from(step) / 4.0));
    let curve = |key: &str, meaning: Meaning, dashed: bool, of: fn(&Model) -> u128| Curve {
        name: scene.t(key),
        colour: scene.theme.mark(meaning),
        dashed,
        points: lengths().map(|n| [n, of(&at(n)) as f64]).collect(),
    };
    let here = (scene.t("cost-here"), costing.n as f64);
    let chart = |id, y: &str, curves| Chart {
        id,
        x: Axis::logarithmic(scene.t("axis-length")),
        y: Axis::logarithmic(scene.t(y)),
        curves,
        bars: Vec::new(),
        here: Some(here.clone()),
        spoken: scene.tf(&format!("{y}-spoken"), &[("n", costing.n.to_string())]),
    };
    ui.vertical(|ui| {
        chart(
            "cost-time",
            "cost-time",
            vec![
                curve("cost-projections-short", Meaning::Neutral, true, |model| model.projection_multiply_adds()),
                curve("cost-dense-short", Meaning::Leak, false, |model| model.attention_multiply_adds(Kind::Dense)),
                curve("cost-windowed-short", Meaning::Key, false, |model| {
                    model.attention_multiply_adds(Kind::Windowed)
                }),
                curve("cost-linear-short", Meaning::Value, false, |model| model.attention_multiply_adds(Kind::Linear)),
            ],
        )
        .show(ui, 460.0);
        chart(
            "cost-memory",
            "cost-memory",
            vec![
                curve("cost-scores-short", Meaning::Leak, false, |model| model.score_bytes(Kind::Dense)),
                curve("cost-cache-short", Meaning::Key, false, |model| Model { window: None, ..*model }.cache_bytes()),
                curve("cost-activations-short", Meaning::Query, false, |model| model.activation_bytes()),
                curve("cost-checkpointed-short", Meaning::Value, true, |model| model.checkpointed_bytes()),
            ],
        )
        .show(ui, 460.0);
    });
}
