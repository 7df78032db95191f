//! A slider under its name, named for the ear too.

use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use egui::emath::Numeric;
use egui::{RichText, Slider, Ui};
use std::ops::RangeInclusive;

/// A slider under the text of `key`; gives the value that was chosen, if another.
pub fn slider<N: Numeric>(ui: &mut Ui, scene: &Scene, key: &str, now: N, range: RangeInclusive<N>) -> Option<N> {
    shown(ui, scene, key, now, range, false)
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
    ui.vertical(|ui| {
        ui.label(RichText::new(&name).size(SMALL).weak());
        let slider = ui.add(Slider::new(&mut value, range).logarithmic(logarithmic));
        ui.ctx().accesskit_node_builder(slider.id, |node| node.set_label(name));
    });
    (value != now).then_some(value)
}
