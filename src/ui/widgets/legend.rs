//! What the colours of a matrix mean: a thin bar with numbers at its ends.

use crate::session::ColourScale;
use crate::ui::theme::{SMALL, Theme};
use crate::writing::NumberFormat;
use egui::{Align2, FontId, Sense, Ui, vec2};

/// How the cells of a matrix are coloured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellColours {
    /// Zero fixed, the same reach on both sides; where nothing is negative only the upper half is shown.
    Signed { most: f64, negative: bool },
    /// From 0 to 1.
    Weights(ColourScale),
    /// No colour.
    Plain,
}

/// How tall the bar stands, numbers and all.
pub const HEIGHT: f32 = 14.0;

/// A bar as wide as the matrix above it. Gives the place of the bar without its numbers.
pub fn legend(ui: &mut Ui, colours: CellColours, format: NumberFormat, width: f32) -> Option<egui::Rect> {
    let theme = Theme::of(ui.ctx());
    let (ends, colour): ([String; 2], Box<dyn Fn(f64) -> egui::Color32>) = match colours {
        CellColours::Plain => return None,
        CellColours::Signed { most, negative } => {
            // Ends are for orientation: two digits say enough, and leave room for the bar.
            let format = NumberFormat { digits: format.digits.min(2), ..format };
            let low = if negative { -1.0 } else { 0.0 };
            let colour = move |t: f64| theme.signed((low + t * (1.0 - low)) * most, most);
            ([format.short(low * most), format.short(most)], Box::new(colour))
        }
        CellColours::Weights(scale) => {
            let low = if scale == ColourScale::Log { "10⁻⁶" } else { "0" };
            let linear = ColourScale::Linear;
            ([low.to_owned(), "1".to_owned()], Box::new(move |t| theme.weight(t, linear)))
        }
    };
    let font = FontId::proportional(SMALL - 2.0);
    let room: f32 =
        ends.iter().map(|end| ui.painter().layout_no_wrap(end.clone(), font.clone(), theme.quiet()).size().x).sum();
    let (rect, _) = ui.allocate_exact_size(vec2(width.max(room + 32.0), HEIGHT), Sense::hover());
    let painter = ui.painter();
    let left = painter.text(rect.left_center(), Align2::LEFT_CENTER, &ends[0], font.clone(), theme.quiet());
    let right = painter.text(rect.right_center(), Align2::RIGHT_CENTER, &ends[1], font, theme.quiet());
    let bar = egui::Rect::from_x_y_ranges(
        left.right() + 4.0..=right.left() - 4.0,
        rect.center().y - 3.0..=rect.center().y + 3.0,
    );
    const PIECES: usize = 32;
    for i in 0..PIECES {
        let at = |i: usize| bar.left() + bar.width() * i as f32 / PIECES as f32;
        let piece = egui::Rect::from_x_y_ranges(at(i)..=(at(i + 1) + 0.6).min(bar.right()), bar.y_range());
        painter.rect_filled(piece, 0.0, colour(i as f64 / (PIECES - 1) as f64));
    }
    painter.rect_stroke(bar, 0.0, egui::Stroke::new(0.5, theme.line()), egui::StrokeKind::Outside);
    Some(bar)
}
