//! Counts egui's passes: an idle page must run none, and the tests look.

use eframe::egui;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);
static PANIC: AtomicBool = AtomicBool::new(false);

/// How many passes have run.
pub fn count() -> u32 {
    COUNT.load(Ordering::Relaxed)
}

/// Makes the next pass panic.
pub fn panic_in_next() {
    PANIC.store(true, Ordering::Relaxed);
}

/// The plugin that counts.
pub struct Passes;

impl egui::Plugin for Passes {
    fn debug_name(&self) -> &'static str {
        "passes"
    }

    fn on_begin_pass(&mut self, _ui: &mut egui::Ui) {
        COUNT.fetch_add(1, Ordering::Relaxed);
        assert!(!PANIC.load(Ordering::Relaxed), "a panic that was asked for, within a frame");
    }
}
