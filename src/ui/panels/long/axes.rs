//! The numbers of the axes of the map.

use super::place::Place;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use egui::{Align2, FontId, Stroke, Ui, Vec2, pos2, vec2};

/// The room that they take above and left of the map.
pub const AXIS: Vec2 = vec2(58.0, 34.0);

/// The numbers of some queries and keys, and which axis is which.
pub fn show(ui: &Ui, scene: &Scene, place: &Place) {
    let painter = ui.painter();
    let font = FontId::proportional(SMALL - 1.0);
    let top = place.rect.min - AXIS;
    let (query, key) = (scene.theme.ink(Meaning::Query), scene.theme.ink(Meaning::Key));
    let words = painter.text(top, Align2::LEFT_TOP, format!("{} ↓", scene.t("axis-query")), font.clone(), query);
    let beside = pos2(words.right() + 8.0, top.y);
    painter.text(beside, Align2::LEFT_TOP, format!("{} →", scene.t("axis-key")), font.clone(), key);
    // Of large cells the middle is marked.
    let half = if place.scale() >= 4.0 { 0.5 } else { 0.0 };
    let of = |from: f64| ticks((from - half).max(0.0), place.long.side + half);
    let (rows, keys) = (of(place.long.row), of(place.long.key));
    for row in rows {
        let at = place.at(row as f64 + 0.5, place.long.key);
        let y = if place.scale() >= 4.0 { at.y } else { place.at(row as f64, 0.0).y };
        if !place.rect.y_range().contains(y) {
            continue;
        }
        painter.hline(place.rect.left() - 4.0..=place.rect.left(), y, Stroke::new(1.5, query));
        let text = pos2(place.rect.left() - 6.0, y.clamp(place.rect.top() + 6.0, place.rect.bottom() - 6.0));
        painter.text(text, Align2::RIGHT_CENTER, row.to_string(), font.clone(), scene.theme.quiet());
    }
    for column in keys {
        let at = place.at(place.long.row, column as f64 + 0.5);
        let x = if place.scale() >= 4.0 { at.x } else { place.at(0.0, column as f64).x };
        if !place.rect.x_range().contains(x) {
            continue;
        }
        painter.vline(x, place.rect.top() - 4.0..=place.rect.top(), Stroke::new(1.5, key));
        let text = pos2(x.clamp(place.rect.left() + 4.0, place.rect.right() - 18.0), place.rect.top() - 5.0);
        painter.text(text, Align2::CENTER_BOTTOM, column.to_string(), font.clone(), scene.theme.quiet());
    }
}

/// Round numbers, about five of them.
fn ticks(from: f64, side: f64) -> Vec<usize> {
    let rough = (side / 5.0).max(1.0);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(rough).max(1.0);
    let first = (from / step).ceil();
    (0..8).map(|at| (first + f64::from(at)) * step).take_while(|at| *at < from + side).map(|at| at as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 8192.0), [0, 2000, 4000, 6000, 8000]);
        assert_eq!(ticks(17.5, 4.0), [18, 19, 20, 21]);
        assert_eq!(ticks(0.0, 65_536.0), [0, 20_000, 40_000, 60_000]);
    }
}
