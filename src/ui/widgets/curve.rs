//! Curves from one place to another, as thin as a thread or as wide as a weight.

use egui::epaint::CubicBezierShape;
use egui::{Color32, Painter, Pos2, Stroke};

/// A curve that leaves and arrives horizontally.
pub fn across(painter: &Painter, from: Pos2, to: Pos2, width: f32, colour: Color32) {
    let reach = ((to.x - from.x).abs() * 0.5).max(24.0);
    let points = [from, from + egui::vec2(reach, 0.0), to - egui::vec2(reach, 0.0), to];
    draw(painter, points, width, colour);
}

/// A curve that arcs above both ends, so that the numbers between them stay readable.
pub fn above(painter: &Painter, from: Pos2, to: Pos2, width: f32, colour: Color32) {
    let lift = 18.0 + 0.08 * from.distance(to);
    let points = [from, from - egui::vec2(0.0, lift), to - egui::vec2(0.0, lift), to];
    draw(painter, points, width, colour);
}

fn draw(painter: &Painter, points: [Pos2; 4], width: f32, colour: Color32) {
    painter.add(CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, Stroke::new(width, colour)));
}
