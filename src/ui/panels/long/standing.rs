//! How far the work is, who does it, and what memory it takes beside n×n.

use super::now;
use crate::long::{LongError, Standing};
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::plot::short;
use crate::ui::widgets::{heading, live};
use egui::{Label, ProgressBar, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("long-work"));
    if let Some(why) = trouble(scene) {
        live::live(ui, RichText::new(&why).color(scene.theme.ink(Meaning::Leak)), &why);
        if ui.button(scene.t("long-again")).clicked() {
            scene.long.again();
            ui.ctx().request_repaint();
        }
    } else {
        progress(ui, scene);
    }
    for text in [memory(scene), engine(scene)] {
        ui.add(Label::new(RichText::new(text).size(SMALL)).wrap());
    }
}

/// One message for what went wrong.
fn trouble(scene: &Scene) -> Option<String> {
    if let Some(why) = &scene.long.no_hands {
        return Some(scene.tf("long-no-hands", &[("why", why.clone())]));
    }
    let trouble = scene.long.trouble()?;
    Some(match trouble {
        LongError::Memory { bytes } => scene.tf("long-error-memory", &[("bytes", bytes_of(*bytes))]),
        LongError::Failed { why } => scene.tf("long-error-failed", &[("why", why.clone())]),
        other => scene.tf("long-error-other", &[("why", other.to_string())]),
    })
}

fn progress(ui: &mut Ui, scene: &mut Scene) {
    let standing = scene.long.desk.standing();
    let (share, text) = match standing {
        Standing::Nothing => (0.0, String::new()),
        Standing::Making { done, all } => (done as f64 / all as f64, scene.t("long-making")),
        Standing::Attending { done, all } => {
            let share = done as f64 / all as f64;
            let percent = format!("{:.0}", 100.0 * share);
            let values =
                [("percent", percent), ("left", left(ui, scene, done, all)), ("speed", speed(ui, scene, done))];
            (share, scene.tf("long-attending", &values))
        }
        Standing::Ready => (1.0, scene.t("long-ready")),
    };
    let bar =
        ui.add(ProgressBar::new(share as f32).desired_width(ui.available_width().min(320.0)).desired_height(10.0));
    let name = scene.t("long-work");
    ui.ctx().accesskit_node_builder(bar.id, |node| node.set_label(name));
    // Kept in one line's room, so that nothing jumps while it counts.
    ui.add(Label::new(RichText::new(&text).size(SMALL)).wrap());
    let rests = scene.long.desk.rests;
    if matches!(standing, Standing::Attending { .. }) || rests {
        let key = if rests { "long-go-on" } else { "long-rest" };
        if ui.button(scene.t(key)).clicked() {
            scene.long.desk.rests = !rests;
            scene.long.began = None;
            ui.ctx().request_repaint();
        }
    }
}

/// Pairs a second since the work began.
fn rate(ui: &Ui, scene: &Scene, done: u64) -> Option<f64> {
    let (since, before) = scene.long.began?;
    let seconds = ui.input(|input| input.time) - since;
    (seconds > 0.3 && done > before).then(|| (done - before) as f64 / seconds)
}

fn left(ui: &Ui, scene: &Scene, done: u64, all: u64) -> String {
    rate(ui, scene, done).map_or_else(|| "…".to_owned(), |rate| format!("{:.0}", ((all - done) as f64 / rate).ceil()))
}

/// Floating-point operations a second: four times the width a pair.
fn speed(ui: &Ui, scene: &Scene, done: u64) -> String {
    let operations = 4.0 * now(scene).d as f64;
    rate(ui, scene, done).map_or_else(|| "…".to_owned(), |rate| format!("{:.1}", rate * operations / 1e9))
}

fn memory(scene: &Scene) -> String {
    let n = now(scene).n as u64;
    scene.tf("long-memory", &[("all", bytes_of(4 * n * n)), ("held", bytes_of(scene.long.desk.bytes()))])
}

fn bytes_of(bytes: u64) -> String {
    let number = short(bytes as f64);
    if number.contains(' ') { format!("{number}B") } else { format!("{number} B") }
}

fn engine(scene: &Scene) -> String {
    let Some(hands) = &scene.long.hands else { return String::new() };
    let build = hands.build();
    let key = match build.as_str() {
        "threads" => "long-engine-threads",
        "relaxed" => "long-engine-relaxed",
        "simd" => "long-engine-simd",
        _ => "long-engine-starts",
    };
    scene.tf(key, &[("count", hands.count().to_string())])
}
