//! Which sequence lies on the desk, and what of it is drawn.

use super::{now, set};
use crate::session::{Action, ColourScale, Long, Pooled, Shown, Topic};
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
            if topic == Topic::Given && now.topic != topic {
                continue;
            }
            if button::choice(ui, now.topic == topic, scene.t(&format!("long-topic-{}", topic.key()))).clicked() {
                wanted = of_topic(topic, wanted);
            }
        }
    });
    note(ui, scene.t(&format!("long-topic-{}-help", now.topic.key())));
    if now.needle().is_some_and(|(query, key)| !now.setting().rule.sees(query, key, now.n)) {
        note(ui, scene.t("long-needle-hidden"));
    }
    if scene.session.can_give() && ui.button(scene.t("long-give")).clicked() {
        scene.act(Action::GiveWorkbench);
    }
    let is_given = now.topic == Topic::Given;
    slider::row(ui, |ui| {
        if let Some(n) = slider::logarithmic(ui, scene, "axis-length", now.n, Long::TOKENS) {
            wanted = Long { n, side: f64::MAX, ..wanted };
        }
        if !is_given {
            if let Some(d) = slider::logarithmic(ui, scene, "long-width", now.d, 1..=256) {
                wanted.d = d;
            }
            if let Some(heads) = slider::logarithmic(ui, scene, "long-heads", now.heads, Long::HEADS) {
                wanted.heads = heads;
            }
        }
        if now.heads > 1
            && let Some(head) = slider::slider(ui, scene, "long-head", now.head, 0..=now.heads - 1)
        {
            wanted.head = head;
        }
        if !is_given && !matches!(now.topic, Topic::Rope | Topic::Random) {
            let key = format!("long-size-{}", now.topic.key());
            let sizes = if now.topic == Topic::Needle { 0..=now.n - 1 } else { 1..=now.n };
            if let Some(size) = slider::logarithmic(ui, scene, &key, now.size, sizes) {
                wanted.size = size;
            }
        }
        let window = if now.causal { "long-window" } else { "long-window-both" };
        if let Some(window) = slider::logarithmic(ui, scene, window, now.window, 0..=now.n) {
            wanted.window = window;
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.add(Checkbox::new(&mut wanted.causal, scene.t("mask-preset-causal")));
        if is_given {
            ui.label(RichText::new(scale_text(scene, now)).size(SMALL).weak());
            return;
        }
        let mut is_scaled = now.scale.is_none();
        if ui.add(Checkbox::new(&mut is_scaled, scene.t("long-scaled"))).changed() {
            wanted.scale = (!is_scaled).then_some(1.0);
        }
        let seed = now.seed.wrapping_add(1);
        if ui.button(scene.tf("laboratory-anew", &[("seed", seed.to_string())])).clicked() {
            wanted.seed = seed;
        }
    });
    // Below the sliders: what comes and goes must not move them.
    if let Some(pair) = now.needle()
        && ui.button(scene.t("long-needle-go")).clicked()
    {
        scene.long.hold(pair);
        wanted = wanted.around(pair);
    }
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
    // Always there, so that nothing moves; scores have one way to be coloured.
    ui.add_enabled_ui(now.shown == Shown::Weights, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(scene.t("weight-colours")).size(SMALL).weak());
            for &scale in ColourScale::ALL {
                let name = scene.t(&format!("weight-colours-{}", scale.key()));
                if button::choice(ui, now.colours == scale, name).clicked() {
                    wanted.colours = scale;
                }
            }
        });
    });
    note(ui, scene.t(&format!("long-shown-{}-help", now.shown.key())));
    if wanted != now {
        set(scene, wanted.within_limits());
    }
}

/// What the scores of given rows are multiplied by.
fn scale_text(scene: &Scene, long: Long) -> String {
    match long.scale {
        None => scene.t("long-scale-usual"),
        Some(scale) => scene.tf("long-scale-is", &[("scale", super::reading::number(scale))]),
    }
}

/// Another topic, with a size with which there is something to see, and nothing of rows that were given.
fn of_topic(topic: Topic, now: Long) -> Long {
    let now = match now.topic {
        // Their length, width and rule were the workbench's or a file's: nothing may be left to find with these.
        Topic::Given => {
            let Long { shown, pooled, colours, computing, .. } = now;
            Long { shown, pooled, colours, computing, ..Long::default() }
        }
        _ => now,
    };
    Long { topic, size: usual_size(topic, now.n), ..now }
}

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
