//! Keys that are pressed on a mirrored element, as egui's events.

use eframe::egui::{Event, Key, Modifiers};
use web_sys::KeyboardEvent;

/// What a key press means to egui; empty when it means nothing.
pub fn pressed(event: &KeyboardEvent) -> Vec<Event> {
    let mut events: Vec<Event> = key(event, true).into_iter().collect();
    let text = event.key();
    if !is_command(event) && text.chars().count() == 1 {
        events.push(Event::Text(text));
    }
    events
}

/// What letting a key go means to egui.
pub fn released(event: &KeyboardEvent) -> Option<Event> {
    key(event, false)
}

/// Whether the browser must not do what it would do with the key: scroll, go back, search.
pub fn is_ours(event: &KeyboardEvent) -> bool {
    let key = event.key();
    let is_function_key = key.len() > 1 && key.starts_with('F');
    let is_undo = matches!(key.as_str(), "z" | "Z" | "y" | "Y");
    if is_command(event) { is_undo } else { !is_function_key }
}

fn key(event: &KeyboardEvent, pressed: bool) -> Option<Event> {
    let physical_key = Key::from_name(&event.code());
    Some(Event::Key {
        key: Key::from_name(&event.key()).or(physical_key)?,
        physical_key,
        pressed,
        repeat: false, // egui finds out
        modifiers: modifiers(event),
    })
}

fn modifiers(event: &KeyboardEvent) -> Modifiers {
    Modifiers {
        alt: event.alt_key(),
        ctrl: event.ctrl_key(),
        shift: event.shift_key(),
        mac_cmd: event.meta_key(),
        command: event.ctrl_key() || event.meta_key(),
    }
}

/// Held with a key, these make a command of it rather than text. AltGr, which types, counts as
/// Ctrl and Alt together on some systems.
fn is_command(event: &KeyboardEvent) -> bool {
    (event.ctrl_key() || event.meta_key()) != event.alt_key() || event.meta_key()
}
