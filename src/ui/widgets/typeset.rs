//! Formulas in egui's text: italic variables, raised and lowered parts.
//!
//! The markup is small: `Q K^T`, `W_q`, `√d_k`, `d_{model}`; text in quotes stays upright, and a group in
//! braces is raised or lowered as a whole.

use crate::ui::theme;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Color32, Rect, Stroke, Ui};

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

/// Draws the bar of each root over what stands under it, up to the next space or bracket, in a formula that was drawn
/// in the middle of `rect`.
pub fn bars(ui: &Ui, job: &LayoutJob, rect: Rect) {
    let painter = ui.painter();
    let galley = painter.layout_job(job.clone());
    let corner = rect.center() - galley.size() / 2.0;
    // Roots stand on the line, in the size and colour in which the formula begins.
    let Some(format) = job.sections.first().map(|section| &section.format) else { return };
    let glyphs: Vec<_> = galley.rows.iter().flat_map(|row| &row.row.glyphs).collect();
    for (at, root) in glyphs.iter().enumerate().filter(|(_, glyph)| glyph.chr == '√') {
        let under = glyphs[at + 1..].iter().take_while(|glyph| !" )".contains(glyph.chr));
        let Some(last) = under.last() else { continue };
        let y = corner.y + root.pos.y - format.font_id.size * ROOT_HEIGHT;
        let (left, right) = (root.pos.x + root.advance_width, last.pos.x + last.advance_width);
        let stroke = Stroke::new((format.font_id.size * 0.055).max(1.0), format.color);
        painter.hline(corner.x + left - 0.5..=corner.x + right + 1.0, y, stroke);
    }
}

/// How high the root of the mathematical face rises above the base line, in parts of the text size.
const ROOT_HEIGHT: f32 = 0.93;

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
