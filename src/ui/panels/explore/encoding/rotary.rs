//! RoPE: arrows that turn with the position, the pairs that meet angles never trained, and a shift of all positions.

use super::{base, note, set, settings, slider, trained};
use crate::attention::Rope;
use crate::session::Positions;
use crate::study::rotary::{PairAngles, angle, pair_angles, turned};
use crate::ui::panels::explore::flash::tiny;
use crate::ui::panels::explore::{beside, table};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::MatrixView;
use crate::ui::widgets::{heading, live};
use egui::accesskit::Role;
use egui::{Align2, Color32, FontId, Pos2, RichText, Sense, Stroke, Ui, vec2};

/// The width of the vector whose pairs are drawn.
const DRAWN: usize = 8;

/// A circle with what stands below it.
const CIRCLE: egui::Vec2 = vec2(132.0, 150.0);
const RADIUS: f32 = 48.0;

/// What rounding may change in the largest score, relative to it: angles grow with the shift.
const ROUNDING: f64 = 1e-9;

pub fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 360.0 });
    let now = settings(scene);
    slider::row(ui, |ui| {
        base(ui, scene, now);
        if let Some(position) = slider::slider(ui, scene, "encoding-position", now.position, 0..=1_024) {
            set(scene, |explore| explore.positions = Positions { position, ..now });
        }
        if let Some(head_width) = slider::slider(ui, scene, "encoding-head-width", now.head_width, 4..=128) {
            set(scene, |explore| explore.positions = Positions { head_width, ..now });
        }
        trained(ui, scene, now);
        if let Some(factor) = slider::slider(ui, scene, "encoding-factor", now.factor, 1.0..=16.0) {
            set(scene, |explore| explore.positions = Positions { factor, ..now });
        }
    });
    note(ui, scene, "encoding-rope-note");
}

/// Which pairs meet angles never trained.
pub fn untrained(ui: &mut Ui, scene: &mut Scene) {
    let now = settings(scene);
    let asked = 2 * now.trained;
    let lengths = [("trained", now.trained.to_string()), ("asked", asked.to_string())];
    heading::heading(ui, 3, scene.tf("encoding-untrained", &lengths));
    table(ui, "encoding-untrained", |ui| {
        for key in ["encoding-scaling", "encoding-pairs", "encoding-which", "encoding-times"] {
            ui.label(RichText::new(scene.t(key)).size(SMALL).weak());
        }
        ui.end_row();
        for (key, rope) in now.ropes() {
            let all = pair_angles(&rope, now.head_width, now.trained, asked);
            let new: Vec<&PairAngles> = all.iter().filter(|pair| pair.is_new()).collect();
            let times = new.iter().map(|pair| pair.times()).fold(0.0, f64::max);
            let count = [("new", new.len().to_string()), ("all", all.len().to_string())];
            ui.label(scene.t(key));
            ui.label(scene.tf("encoding-some-of", &count));
            ui.label(match (new.first(), new.last()) {
                (Some(first), Some(last)) => format!("{}–{}", first.pair, last.pair),
                _ => "–".to_owned(),
            });
            ui.label(if new.is_empty() { "–".to_owned() } else { format!("{times:.1}") });
            ui.end_row();
        }
    });
}

pub fn pictures(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 340.0 });
    let now = settings(scene);
    heading::heading(ui, 3, scene.tf("encoding-arrows", &[("position", now.position.to_string())]));
    let rope = now.rope(crate::attention::Scaling::None);
    ui.horizontal_wrapped(|ui| {
        for pair in 0..DRAWN / 2 {
            circle(ui, scene, &rope, pair, now.position);
        }
    });
    shift(ui, scene, now);
}

/// One pair as an arrow: pale where it stood at position 0, and turned.
fn circle(ui: &mut Ui, scene: &Scene, rope: &Rope, pair: usize, position: usize) {
    let (rect, response) = ui.allocate_exact_size(CIRCLE, Sense::hover());
    let centre = rect.center_top() + vec2(0.0, RADIUS + 4.0);
    let painter = ui.painter();
    painter.circle_stroke(centre, RADIUS, Stroke::new(1.0, scene.theme.line()));
    let by = angle(rope, pair, DRAWN, position as f64);
    let [a, b] = turned([1.0, 0.0], by);
    // Up is where b grows.
    let tip = |a: f64, b: f64| centre + RADIUS * vec2(a as f32, -b as f32);
    arrow(ui, centre, tip(1.0, 0.0), scene.theme.quiet().gamma_multiply(0.5), 1.5);
    arrow(ui, centre, tip(a, b), scene.theme.mark(Meaning::Query), 2.5);
    let theta = scene.format().natural(rope.theta(pair, DRAWN));
    let degrees = format!("{:.1}°", by.to_degrees());
    let lines = [scene.tf("encoding-pair-theta", &[("pair", pair.to_string()), ("theta", theta)]), degrees];
    for (at, line) in lines.iter().enumerate() {
        let below = rect.center_top() + vec2(0.0, 2.0 * RADIUS + 12.0 + 16.0 * at as f32);
        painter.text(below, Align2::CENTER_TOP, line, FontId::proportional(SMALL - 1.0), scene.theme.text());
    }
    let label = lines.join(", ");
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Image);
        node.set_label(label);
    });
}

fn arrow(ui: &Ui, from: Pos2, to: Pos2, colour: Color32, width: f32) {
    let painter = ui.painter();
    let stroke = Stroke::new(width, colour);
    painter.line_segment([from, to], stroke);
    let along = (to - from).normalized() * 8.0;
    for side in [along.rot90(), -along.rot90()] {
        painter.line_segment([to, to - along + side * 0.5], stroke);
    }
}

/// All positions shifted, and the scores the same.
fn shift(ui: &mut Ui, scene: &mut Scene, now: Positions) {
    heading::heading(ui, 3, scene.t("encoding-shift"));
    if let Some(shift) = slider::slider(ui, scene, "encoding-shift-by", now.shift, 0..=10_000) {
        set(scene, |explore| explore.positions = Positions { shift, ..now });
    }
    let (is_own, shifted) = scene.session.shifted(scene.head(), now.shift);
    note(ui, scene, if is_own { "encoding-shift-own" } else { "encoding-shift-fixed" });
    let Some(Ok(shifted)) = shifted.as_ref() else { return };
    beside(ui, scene, |ui| {
        for (name, scores) in [("encoding-unshifted", &shifted.before), ("encoding-shifted", &shifted.after)] {
            let view = MatrixView {
                colours: parts::signed(scores, true),
                max_size: vec2(300.0, 200.0),
                ..MatrixView::still(ui, name, scene.t(name), scores, scene.format(), scene.spoken.words())
            };
            ui.vertical(|ui| view.show(ui).write_numbers(ui));
        }
    });
    let (key, meaning) = if shifted.difference <= ROUNDING * shifted.size.max(1.0) {
        ("encoding-shift-same", Meaning::Passed)
    } else {
        ("encoding-shift-other", Meaning::Leak)
    };
    let text = scene.tf(key, &[("difference", tiny(shifted.difference)), ("shift", now.shift.to_string())]);
    live::live(ui, RichText::new(&text).size(SMALL).color(scene.theme.ink(meaning)), &text);
}
