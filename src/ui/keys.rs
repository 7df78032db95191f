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
        // A letter among others is being typed: on a slow machine a cell's editor may only just be opening.
        let texts = input.events.iter().filter(|event| matches!(event, egui::Event::Text(_))).count();
        let is_typing = texts > 1 || input.key_pressed(Key::Enter) || input.key_pressed(Key::F2);
        let mut pressed = |modifiers, key| input.consume_shortcut(&KeyboardShortcut::new(modifiers, key));
        let with_shift = Modifiers::COMMAND | Modifiers::SHIFT;
        // The longer shortcut first: the shorter one would take it too.
        if pressed(with_shift, Key::Z) || pressed(Modifiers::COMMAND, Key::Y) {
            actions.push(Action::Redo);
        }
        if pressed(Modifiers::COMMAND, Key::Z) {
            actions.push(Action::Undo);
        }
        if is_typing {
            return;
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
