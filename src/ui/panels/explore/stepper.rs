//! Back and forward through the steps of a study, and where it stands.

use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use crate::ui::widgets::live;
use egui::{Button, RichText, Ui};

/// Two buttons and a sentence under them that is spoken when it changes; gives the step that was chosen. The texts are
/// `<key>-back` and `<key>-forward`.
pub fn stepper(ui: &mut Ui, scene: &Scene, key: &str, at: usize, count: usize, standing: &str) -> Option<usize> {
    let mut chosen = None;
    ui.horizontal_wrapped(|ui| {
        if ui.add_enabled(at > 0, Button::new(scene.t(&format!("{key}-back")))).clicked() {
            chosen = Some(at.saturating_sub(1));
        }
        if ui.add_enabled(at + 1 < count, Button::new(scene.t(&format!("{key}-forward")))).clicked() {
            chosen = Some(at + 1);
        }
    });
    live::live(ui, RichText::new(standing).size(SMALL), standing);
    chosen
}
