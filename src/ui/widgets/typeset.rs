//! Formulas in egui's text: italic variables, raised and lowered parts.
//!
//! The markup is small: `Q K^T`, `W_q`, `√d_k`, `d_{model}`; text in quotes stays upright, and a group in
//! braces is raised or lowered as a whole.

use crate::ui::theme;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Color32};

/// Appends a formula to a text.
pub fn append(job: &mut LayoutJob, markup: &str, size: f32, colour: Color32) {
    for (text, level) in parse(markup) {
        let (size, valign) = match level {
            Level::Base => (size, Align::Center),
            Level::Raised => (size * 0.66, Align::TOP),
            Level::Lowered => (size * 0.66, Align::BOTTOM),
        };
        job.append(&text, 0.0, TextFormat { font_id: theme::math(size), color: colour, valign, ..Default::default() });
    }
}

/// A formula by itself.
pub fn formula(markup: &str, size: f32, colour: Color32) -> LayoutJob {
    let mut job = LayoutJob::default();
    append(&mut job, markup, size, colour);
    job
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Base,
    Raised,
    Lowered,
}

fn parse(markup: &str) -> Vec<(String, Level)> {
    let mut runs: Vec<(String, Level)> = Vec::new();
    let mut level = Level::Base;
    let (mut upright, mut group) = (false, false);
    for c in markup.chars() {
        match c {
            '"' => upright = !upright,
            '^' => level = Level::Raised,
            '_' => level = Level::Lowered,
            '{' => group = true,
            '}' => (group, level) = (false, Level::Base),
            c => {
                let glyph = if upright || c == 'T' && level == Level::Raised { c } else { italic(c) };
                match runs.last_mut() {
                    Some((text, last)) if *last == level => text.push(glyph),
                    _ => runs.push((glyph.to_string(), level)),
                }
                if !group {
                    level = Level::Base;
                }
            }
        }
    }
    runs
}

/// The mathematical italic of a Latin letter.
fn italic(c: char) -> char {
    let shifted = |from: char, to: u32| char::from_u32(to + (c as u32 - from as u32)).unwrap_or(c);
    match c {
        'h' => 'ℎ',
        'a'..='z' => shifted('a', 0x1d44e),
        'A'..='Z' => shifted('A', 0x1d434),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_and_lowered_parts_and_upright_words() {
        let text = |markup| parse(markup).into_iter().collect::<Vec<_>>();
        assert_eq!(text("K^T"), [("𝐾".to_owned(), Level::Base), ("T".to_owned(), Level::Raised)]);
        assert_eq!(
            text("d_{model}+1"),
            [("𝑑".to_owned(), Level::Base), ("𝑚𝑜𝑑𝑒𝑙".to_owned(), Level::Lowered), ("+1".to_owned(), Level::Base),]
        );
        assert_eq!(text("\"exp\" h"), [("exp ℎ".to_owned(), Level::Base)]);
    }
}
