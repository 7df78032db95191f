//! Which sequence lies on the desk, and what of it is drawn.

use super::{now, set};
use crate::session::{ColourScale, Long, Pooled, Shown, Topic};
use crate::ui::panels::explore::slider;
use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use crate::ui::widgets::{button, heading};
use egui::{Checkbox, Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 352.0 });
    let now = now(scene);
    let mut wanted = now;
    heading::heading(ui, 3, scene.t("long-sequence"));
    ui.horizontal_wrapped(|ui| {
        for &topic in Topic::ALL {
            if button::choice(ui, now.topic == topic, scene.t(&format!("long-topic-{}", topic.key()))).clicked() {
                wanted = Long { topic, size: usual_size(topic, now.n), ..wanted };
            }
        }
    });
    note(ui, scene.t(&format!("long-topic-{}-help", now.topic.key())));
    slider::row(ui, |ui| {
        if let Some(n) = slider::logarithmic(ui, scene, "axis-length", now.n, Long::TOKENS) {
            wanted = Long { n, side: f64::MAX, ..wanted };
        }
        if let Some(d) = slider::logarithmic(ui, scene, "long-width", now.d, 1..=256) {
            wanted.d = d;
        }
        if !matches!(now.topic, Topic::Rope | Topic::Random) {
            let key = format!("long-size-{}", now.topic.key());
            if let Some(size) = slider::logarithmic(ui, scene, &key, now.size, 1..=now.n) {
                wanted.size = size;
            }
        }
        if let Some(window) = slider::logarithmic(ui, scene, "long-window", now.window, 0..=now.n) {
            wanted.window = window;
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.add(Checkbox::new(&mut wanted.causal, scene.t("mask-preset-causal")));
        let seed = now.seed.wrapping_add(1);
        if ui.button(scene.tf("laboratory-anew", &[("seed", seed.to_string())])).clicked() {
            wanted.seed = seed;
        }
    });
    heading::heading(ui, 3, scene.t("long-picture"));
    ui.horizontal_wrapped(|ui| {
        for &shown in Shown::ALL {
            if button::choice(ui, now.shown == shown, scene.t(&format!("part-{}", shown.key()))).clicked() {
                wanted.shown = shown;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(scene.t("long-pooled")).size(SMALL).weak());
        for &pooled in Pooled::ALL {
            if button::choice(ui, now.pooled == pooled, scene.t(&format!("long-pooled-{}", pooled.key()))).clicked() {
                wanted.pooled = pooled;
            }
        }
    });
    if now.shown == Shown::Weights {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(scene.t("weight-colours")).size(SMALL).weak());
            for &scale in ColourScale::ALL {
                let name = scene.t(&format!("weight-colours-{}", scale.key()));
                if button::choice(ui, now.colours == scale, name).clicked() {
                    wanted.colours = scale;
                }
            }
        });
    }
    if wanted != now {
        set(scene, wanted.within_limits());
    }
}

/// A size with which there is something to see.
fn usual_size(topic: Topic, n: usize) -> usize {
    match topic {
        Topic::Needle => n / 3,
        Topic::Local => (n / 32).max(1),
        _ => (n / 8).max(1),
    }
}

fn note(ui: &mut Ui, text: String) {
    ui.add(Label::new(RichText::new(text).size(SMALL).weak()).wrap());
}
