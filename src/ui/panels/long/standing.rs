//! How far the work is, who does it, and what memory it takes beside n×n.

use super::engine::Refused;
use super::{error, now, set};
use crate::long::gpu::GpuError;
use crate::long::{Build, Standing};
use crate::session::{Computing, Long};
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::plot::short;
use crate::ui::widgets::{button, heading, live};
use egui::{Label, ProgressBar, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("long-work"));
    if let Some(why) = trouble(scene) {
        live::live(ui, RichText::new(&why).color(scene.theme.ink(Meaning::Leak)), &why);
        // Rows that are gone do not come back by themselves.
        if !scene.long.no_rows && ui.button(scene.t("long-again")).clicked() {
            scene.long.again();
            ui.ctx().request_repaint();
        }
    } else {
        progress(ui, scene);
    }
    for text in [Some(memory(scene)), engine(scene), refused(scene)].into_iter().flatten() {
        ui.add(Label::new(RichText::new(text).size(SMALL)).wrap());
    }
    choice(ui, scene);
}

/// One message for what went wrong.
pub(super) fn trouble(scene: &Scene) -> Option<String> {
    if let Some(why) = &scene.long.engine.no_hands {
        return Some(scene.tf("long-no-hands", &[("why", why.clone())]));
    }
    if scene.long.engine.is_silent {
        return Some(scene.t("long-no-answer"));
    }
    if scene.long.no_rows {
        return Some(scene.t("long-no-rows"));
    }
    scene.long.trouble().map(|trouble| error::text(scene, trouble))
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
        Standing::Ready => (1.0, scene.t(if scene.long.is_drawn { "long-ready" } else { "long-ready-drawing" })),
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

/// Floating-point operations a second, four times the width a pair, and what part that is of what the hands come to at most.
fn speed(ui: &Ui, scene: &Scene, done: u64) -> String {
    let Some(rate) = rate(ui, scene, done) else { return "…".to_owned() };
    let operations = rate * 4.0 * now(scene).d as f64;
    let speed = if operations < 1e9 {
        format!("{:.0} MFLOP/s", operations / 1e6)
    } else {
        format!("{:.1} GFLOP/s", operations / 1e9)
    };
    match scene.long.engine.hands.as_ref().and_then(|hands| hands.peak()) {
        Some(peak) => {
            let percent = format!("{:.0}", 100.0 * operations / peak);
            scene.tf("long-speed-of-peak", &[("speed", speed), ("percent", percent)])
        }
        None => speed,
    }
}

fn memory(scene: &Scene) -> String {
    let (n, heads) = (now(scene).n as u64, now(scene).heads as u64);
    let held = scene.long.desk.bytes() + scene.long.engine.hands.as_ref().map_or(0, |hands| hands.bytes());
    scene.tf("long-memory", &[("all", bytes_of(4 * n * n * heads)), ("held", bytes_of(held))])
}

pub fn bytes_of(bytes: u64) -> String {
    let number = short(bytes as f64);
    if number.contains(' ') { format!("{number}B") } else { format!("{number} B") }
}

/// What computes.
fn engine(scene: &Scene) -> Option<String> {
    if scene.long.engine.starts() {
        return Some(scene.t("long-engine-tested"));
    }
    let hands = scene.long.engine.hands.as_ref()?;
    let count = [("count", hands.count().to_string())];
    Some(match hands.build() {
        Build::Threads => scene.tf("long-engine-threads", &count),
        Build::Relaxed => scene.tf("long-engine-relaxed", &count),
        Build::Simd => scene.tf("long-engine-simd", &count),
        Build::Starting => scene.tf("long-engine-starts", &count),
        Build::Graphics { name, difference } => {
            let name = if name.is_empty() { String::new() } else { format!(" ({name})") };
            scene.tf("long-engine-graphics", &[("name", name), ("difference", format!("{difference:.1e}"))])
        }
    })
}

/// Why no graphics processor computes.
fn refused(scene: &Scene) -> Option<String> {
    Some(match scene.long.engine.refused()? {
        Refused::TooLong { most, .. } => scene.tf("long-refused-too-long", &[("most", short(*most as f64))]),
        Refused::Silent => scene.t("long-refused-silent"),
        Refused::Gpu(GpuError::Absent) => scene.t("long-refused-absent"),
        Refused::Gpu(GpuError::Missing { why }) => scene.tf("long-refused-missing", &[("why", why.clone())]),
        Refused::Gpu(GpuError::Software { .. }) => scene.t("long-refused-software"),
        Refused::Gpu(GpuError::Lost { why }) => scene.tf("long-refused-lost", &[("why", why.clone())]),
        Refused::Gpu(GpuError::Wrong { why }) => scene.tf("long-refused-wrong", &[("why", why.clone())]),
    })
}

/// The switch.
fn choice(ui: &mut Ui, scene: &mut Scene) {
    let now = now(scene);
    let mut wanted = now.computing;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(scene.t("long-computing")).size(SMALL).weak());
        for &computing in Computing::ALL {
            let name = scene.t(&format!("long-computing-{}", computing.key()));
            if button::choice(ui, now.computing == computing, name).clicked() {
                wanted = computing;
            }
        }
    });
    if wanted != now.computing {
        set(scene, Long { computing: wanted, ..now });
    }
}
