//! Numbers moved to and from slow memory: of this problem, and of any size.

use super::{set, settings, slider};
use crate::attention::{NumbersMoved, numbers_moved};
use crate::session::Blocks;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::heading;
use crate::ui::widgets::plot::{Axis, Chart, Curve};
use egui::{Grid, Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 420.0 });
    heading::heading(ui, 3, scene.t("flash-moved"));
    let now = settings(scene);
    slider::row(ui, |ui| {
        if let Some(length) = slider::logarithmic(ui, scene, "axis-length", now.length, 1..=65_536) {
            set(scene, |explore| explore.blocks = Blocks { length, ..now });
        }
        if let Some(width) = slider::logarithmic(ui, scene, "flash-width", now.width, 1..=1_024) {
            set(scene, |explore| explore.blocks = Blocks { width, ..now });
        }
        if let Some(height) = slider::logarithmic(ui, scene, "flash-height", now.height, 1..=1_024) {
            set(scene, |explore| explore.blocks = Blocks { height, ..now });
        }
    });
    let shapes = scene.problem().shapes();
    let of_head =
        numbers_moved(shapes.n as u64, shapes.m as u64, shapes.d_k as u64, shapes.d_v as u64, now.rows as u64);
    let here = of_head.times(shapes.heads.query as u64);
    table(ui, scene, here, of_length(now, now.length));
    ui.add(Label::new(RichText::new(scene.t("flash-formula")).size(SMALL).weak()).wrap());
    let key = if here.loses() { "flash-loses" } else { "flash-wins" };
    ui.add(Label::new(RichText::new(scene.t(key)).size(SMALL).weak()).wrap());
}

/// One head of the sliders' width and block height, with n queries and keys.
fn of_length(now: Blocks, n: usize) -> NumbersMoved {
    let [n, d, rows] = [n, now.width, now.height].map(|count| count as u64);
    numbers_moved(n, n, d, d, rows)
}

fn table(ui: &mut Ui, scene: &Scene, here: NumbersMoved, there: NumbersMoved) {
    Grid::new("flash-moved").spacing([16.0, 4.0]).min_row_height(20.0).show(ui, |ui| {
        ui.label("");
        for key in ["flash-plain", "flash-blocks", "flash-ratio"] {
            ui.label(RichText::new(scene.t(key)).size(SMALL).weak());
        }
        ui.end_row();
        for (key, moved) in [("flash-here", here), ("flash-sliders", there)] {
            ui.label(RichText::new(scene.t(key)).size(SMALL));
            ui.label(grouped(moved.plain));
            ui.label(grouped(moved.blocks));
            ui.label(format!("{:.2}", moved.blocks as f64 / moved.plain as f64));
            ui.end_row();
        }
    });
}

/// 4,456,448.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub fn chart(ui: &mut Ui, scene: &mut Scene) {
    let now = settings(scene);
    let lengths = || (4..=16).map(|power| 1_usize << power);
    let curve = |key: &str, meaning: Meaning, dashed: bool, of: fn(NumbersMoved) -> u64| Curve {
        name: scene.t(key),
        colour: scene.theme.mark(meaning),
        dashed,
        points: lengths().map(|n| [n as f64, of(of_length(now, n)) as f64]).collect(),
    };
    let at = of_length(now, now.length);
    Chart {
        id: "flash-moved",
        x: Axis::logarithmic(scene.t("axis-length")),
        y: Axis::logarithmic(scene.t("flash-numbers")),
        curves: vec![
            curve("flash-plain", Meaning::Leak, true, |moved| moved.plain),
            curve("flash-blocks", Meaning::Passed, false, |moved| moved.blocks),
        ],
        bars: Vec::new(),
        here: Some((scene.t("flash-sliders"), now.length as f64)),
        spoken: scene.tf(
            "flash-chart",
            &[("n", now.length.to_string()), ("plain", grouped(at.plain)), ("blocks", grouped(at.blocks))],
        ),
    }
    .show(ui, 420.0);
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_stand_in_threes() {
        let found = [0, 12, 123, 1_234, 123_456, 4_456_448].map(super::grouped);
        assert_eq!(found, ["0", "12", "123", "1,234", "123,456", "4,456,448"]);
    }
}
