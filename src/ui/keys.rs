//! Keys that work everywhere but in a text box.

use crate::session::Action;
use egui::{Context, Key, KeyboardShortcut, Modifiers};

/// What the keys of this pass ask for. `play` is toggled by P.
pub fn actions(ctx: &Context, play: &mut bool) -> Vec<Action> {
    if ctx.text_edit_focused() {
        return Vec::new();
    }
    let mut actions = Vec::new();
    ctx.input_mut(|input| {
        let mut pressed = |modifiers, key| input.consume_shortcut(&KeyboardShortcut::new(modifiers, key));
        let with_shift = Modifiers::COMMAND | Modifiers::SHIFT;
        // The longer shortcut first: the shorter one would take it too.
        if pressed(with_shift, Key::Z) || pressed(Modifiers::COMMAND, Key::Y) {
            actions.push(Action::Redo);
        }
        if pressed(Modifiers::COMMAND, Key::Z) {
            actions.push(Action::Undo);
        }
        if pressed(Modifiers::NONE, Key::N) || pressed(Modifiers::NONE, Key::PageDown) {
            actions.push(Action::StepBy(1));
        }
        if pressed(Modifiers::NONE, Key::B) || pressed(Modifiers::NONE, Key::PageUp) {
            actions.push(Action::StepBy(-1));
        }
        if pressed(Modifiers::NONE, Key::P) {
            *play = !*play;
        }
    });
    actions
}
