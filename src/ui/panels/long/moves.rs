//! What moves the part that is looked at, and the cursor: drag, wheel, pinch, double click, keys, numbers that are typed.

use super::place::Place;
use crate::session::Long;
use crate::ui::panels::explore::slider::whole;
use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use egui::{DragValue, EventFilter, Key, Response, RichText, Ui};

/// The query and the key of the cursor, to be typed; gives another pair that was chosen.
pub fn typed(ui: &mut Ui, scene: &Scene, long: &Long) -> Option<(usize, usize)> {
    let before = scene.long.cursor.unwrap_or_default();
    let mut now = before;
    ui.horizontal_wrapped(|ui| {
        for (name, at) in [("axis-query", &mut now.0), ("axis-key", &mut now.1)] {
            let name = scene.t(name);
            ui.label(RichText::new(&name).size(SMALL).weak());
            let field = DragValue::new(at).range(0..=long.n - 1).update_while_editing(false).custom_parser(whole);
            let field = ui.add(field);
            ui.ctx().accesskit_node_builder(field.id, |node| node.set_label(name));
        }
    });
    (now != before).then_some(now)
}

/// What hand and keys do to the part that is looked at.
pub fn moved(ui: &mut Ui, scene: &mut Scene, response: &Response, place: &Place) -> Option<Long> {
    let mut long = place.long;
    let tokens = |points: f32| f64::from(points) / place.scale();
    if response.clicked() || response.drag_started() {
        response.request_focus();
    }
    // egui counts what is a little beside it as well.
    if let Some(point) = response.hover_pos().filter(|point| place.rect.contains(*point)) {
        let (row, key) = place.under(point);
        let token = |at: f64| (at.max(0.0) as usize).min(long.n - 1);
        let pointed = Some((token(row), token(key)));
        if response.clicked() {
            // A second click on the same pair lets go of it.
            scene.long.is_held = !scene.long.is_held || scene.long.cursor != pointed;
            scene.long.cursor = pointed;
        }
        // A pointer that rests must not take the cursor from the keys.
        let is_moved = ui.input(|input| input.pointer.delta() != egui::Vec2::ZERO || input.pointer.any_pressed());
        if is_moved && !scene.long.is_held {
            scene.long.cursor = pointed;
        }
        let (wheel, pinch) = ui.input_mut(|input| {
            // Taken, so that the page does not scroll as well.
            (std::mem::take(&mut input.smooth_scroll_delta).y, input.zoom_delta())
        });
        let factor = f64::from((-wheel * 0.004).exp() / pinch);
        if (factor - 1.0).abs() > 1e-6 {
            long = long.zoomed(factor, row, key);
        }
        if response.double_clicked() {
            long = long.zoomed(0.5, row, key);
        }
    }
    if response.dragged() {
        let delta = response.drag_delta();
        long = long.moved(-tokens(delta.y), -tokens(delta.x));
    }
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        long = keys(ui, scene, long);
    }
    Some(long)
}

/// Arrows move the cursor by a hundredth of what is seen, with shift by a tenth; the part follows.
fn keys(ui: &Ui, scene: &mut Scene, long: Long) -> Long {
    // Several presses may come in one pass.
    let presses = |key| ui.input(|input| input.num_presses(key));
    let middle = |from: f64| ((from + long.side / 2.0) as usize).min(long.n - 1);
    let (mut row, mut key) = scene.long.cursor.unwrap_or((middle(long.row), middle(long.key)));
    let part = if ui.input(|input| input.modifiers.shift) { 10.0 } else { 100.0 };
    let step = ((long.side / part) as usize).max(1);
    let before = (row, key);
    let walked = |at: usize, back: Key, forth: Key| {
        (at + step * presses(forth)).min(long.n - 1).saturating_sub(step * presses(back))
    };
    row = walked(row, Key::ArrowUp, Key::ArrowDown);
    key = walked(key, Key::ArrowLeft, Key::ArrowRight);
    let mut long = long;
    let nearer = presses(Key::Plus) + presses(Key::Equals);
    let farther = presses(Key::Minus);
    // With the command key the browser zooms its page.
    if nearer != farther && !ui.input(|input| input.modifiers.command) {
        let factor = 2f64.powi(farther as i32 - nearer as i32);
        long = long.zoomed(factor, row as f64 + 0.5, key as f64 + 0.5);
    }
    if presses(Key::Escape) > 0 {
        scene.long.is_held = false;
    }
    if presses(Key::Home) > 0 {
        long = Long { side: f64::MAX, ..long }.within_limits();
    }
    if (row, key) != before || scene.long.cursor.is_none() {
        scene.long.cursor = Some((row, key));
    }
    if (row, key) != before || nearer != farther {
        long = followed(long, Some((row, key)));
    }
    long
}

/// Moved as little as it takes for all of the cursor's pair to be in sight.
pub fn followed(long: Long, cursor: Option<(usize, usize)>) -> Long {
    let Some((row, key)) = cursor else { return long };
    let follow = |from: f64, at: usize| from.min(at as f64).max(at as f64 + 1.0 - long.side);
    Long { row: follow(long.row, row), key: follow(long.key, key), ..long }.within_limits()
}
