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
        // Other letters are typed into something: on a slow machine a cell's editor may only just be opening.
        let is_typed = |text: &str| !text.chars().all(|letter| "nbpNBP".contains(letter));
        let others = input.events.iter().any(|event| matches!(event, egui::Event::Text(text) if is_typed(text)));
        let is_typing = others || input.key_pressed(Key::Enter) || input.key_pressed(Key::F2);
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
        let mut count = |key| input.count_and_consume_key(Modifiers::NONE, key);
        let (forward, back) = (count(Key::N) + count(Key::PageDown), count(Key::B) + count(Key::PageUp));
        actions.extend(std::iter::repeat_n(Action::StepBy(1), forward));
        actions.extend(std::iter::repeat_n(Action::StepBy(-1), back));
        if count(Key::P) % 2 == 1 {
            *play = !*play;
        }
    });
    actions
}
