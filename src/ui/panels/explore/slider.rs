//! A slider under its name, named for the ear too. In a row that wraps it keeps to a column of the row.

use crate::exchange::read_whole;
use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use egui::emath::Numeric;
use egui::{Align, Layout, RichText, Slider, Ui, Vec2, vec2};
use std::ops::RangeInclusive;

/// Of a slider with its name and its number, in a row.
const ROOM: Vec2 = vec2(172.0, 56.0);

/// A slider under the text of `key`; gives the value that was chosen, if another.
pub fn slider<N: Numeric>(ui: &mut Ui, scene: &Scene, key: &str, now: N, range: RangeInclusive<N>) -> Option<N> {
    shown(ui, scene, key, now, range, false)
}

/// Sliders side by side as far as they have room.
pub fn row(ui: &mut Ui, sliders: impl FnOnce(&mut Ui)) {
    ui.with_layout(Layout::left_to_right(Align::Min).with_main_wrap(true), sliders);
}

/// The same on a logarithmic scale, for sizes.
pub fn logarithmic<N: Numeric>(ui: &mut Ui, scene: &Scene, key: &str, now: N, range: RangeInclusive<N>) -> Option<N> {
    shown(ui, scene, key, now, range, true)
}

fn shown<N: Numeric>(
    ui: &mut Ui,
    scene: &Scene,
    key: &str,
    now: N,
    range: RangeInclusive<N>,
    logarithmic: bool,
) -> Option<N> {
    let name = scene.t(key);
    let mut value = now;
    let draw = |ui: &mut Ui| {
        ui.label(RichText::new(&name).size(SMALL).weak());
        // What is being typed is not yet a number that anyone meant: others would be cut to it.
        let slider = Slider::new(&mut value, range).logarithmic(logarithmic).update_while_editing(false);
        let slider = ui.add(if N::INTEGRAL { slider.custom_parser(whole) } else { slider });
        ui.ctx().accesskit_node_builder(slider.id, |node| node.set_label(name));
    };
    if ui.layout().is_horizontal() {
        super::roomy(ui, ROOM, draw);
    } else {
        ui.vertical(draw);
    }
    (value != now).then_some(value)
}

/// For a field of a whole number: what is none changes nothing.
pub fn whole(text: &str) -> Option<f64> {
    read_whole(text).ok()
}
