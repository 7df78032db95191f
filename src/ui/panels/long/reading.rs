//! What is under the cursor: one pair in numbers, and its row and its column as curves.

use super::now;
use super::state::Taking;
use crate::long::desk::Cut;
use crate::long::{Of, Tile};
use crate::session::{Action, Long, Shown};
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, Meaning, SMALL};
use crate::ui::widgets::plot::{Axis, Chart, Curve};
use crate::ui::widgets::{heading, live};
use egui::{Label, RichText, Ui};
use std::ops::Range;

/// Points of a curve.
const POINTS: usize = 200;
/// Queries and keys that the workbench takes over.
const TAKEN: usize = 16;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 300.0 });
    // Where all stands in one column, what is pointed at stands next to the map.
    if scene.narrow {
        under_cursor(ui, scene);
        super::standing::show(ui, scene);
    } else {
        super::standing::show(ui, scene);
        under_cursor(ui, scene);
    }
    let long = now(scene);
    let tiles = profiles(scene, &long);
    for (tile, (id, key, meaning)) in tiles
        .iter()
        .zip([("long-row", "long-profile-row", Meaning::Query), ("long-column", "long-profile-key", Meaning::Key)])
    {
        curve(ui, scene, tile, id, key, meaning);
    }
    super::naive::show(ui, scene);
}

/// The pair under the cursor in a line of its own, for a screen on which it would stand far from the map.
pub fn told(ui: &mut Ui, scene: &Scene) {
    if scene.long.cursor.is_some() {
        ui.add(Label::new(RichText::new(pair(scene)).size(SMALL)).wrap());
    }
}

fn under_cursor(ui: &mut Ui, scene: &mut Scene) {
    // The next pass has the weight in 64 bits.
    if scene.long.cursor.is_some_and(|(row, _)| scene.long.desk.is_rough(row)) {
        ui.ctx().request_repaint();
    }
    heading::heading(ui, 3, scene.t("long-pair"));
    let text = pair(scene);
    live::live(ui, RichText::new(&text).size(BODY), &text);
    // In a place of its own: what comes and goes must not make other widgets of those below, which may have the focus.
    ui.scope(|ui| {
        let held = scene.long.is_held.then(|| scene.t("long-held"));
        for text in pixel(scene).into_iter().chain(held) {
            ui.add(Label::new(RichText::new(text).size(SMALL).weak()).wrap());
        }
    });
    take_over(ui, scene);
}

/// "Query 12, key 7: score 1.5, scaled 0.53, weight 0.0123", or what to do.
fn pair(scene: &Scene) -> String {
    let Some((row, key)) = scene.long.cursor else { return scene.t("long-point") };
    let Some(pair) = scene.long.desk.pair(row, key) else { return scene.t("long-not-made") };
    let values = [
        ("row", row.to_string()),
        ("key", key.to_string()),
        ("score", number(pair.score)),
        ("scaled", number(pair.scaled)),
        ("weight", pair.weight.map_or_else(|| "…".to_owned(), number)),
    ];
    scene.tf(if pair.is_visible { "long-pair-is" } else { "long-pair-hidden" }, &values)
}

/// What the map shows where the cursor is, if that is more than the pair.
fn pixel(scene: &Scene) -> Option<String> {
    let (rows, keys, value) = scene.long.pixel().filter(|(rows, keys, _)| rows.len() * keys.len() > 1)?;
    let values = [
        ("rows", rows.len().to_string()),
        ("keys", keys.len().to_string()),
        ("pool", pool(scene)),
        ("value", number(f64::from(value))),
    ];
    Some(scene.tf("long-pixel", &values))
}

fn pool(scene: &Scene) -> String {
    scene.t(&format!("long-pooled-{}", now(scene).pooled.key()))
}

/// The part around the cursor as a problem for the workbench.
fn take_over(ui: &mut Ui, scene: &mut Scene) {
    let long = now(scene);
    let Some((row, key)) = scene.long.cursor else { return };
    if scene.long.desk.pair(row, key).is_none() {
        return;
    }
    if ui.button(scene.t("long-take")).clicked() {
        let around = |at: usize| {
            let from = at.saturating_sub(TAKEN / 2).min(long.n - TAKEN.min(long.n));
            from..(from + TAKEN).min(long.n)
        };
        let cutting = scene.long.desk.begin_cut(around(row), around(key)).ok();
        scene.long.taking = cutting.map(|cutting| Taking { pair: (row, key), cutting, cut: None });
        ui.ctx().request_repaint();
    }
    let text = match &scene.long.taking {
        Some(taking) => scene.tf("long-taking", &[("percent", format!("{:.0}", 100.0 * taking.cutting.progress()))]),
        None => scene.t("long-take-help"),
    };
    ui.add(Label::new(RichText::new(text).size(SMALL).weak()).wrap());
    if let Some((cut, pair)) = taken(scene) {
        scene.act(Action::TakePart { cut: Box::new(cut), rest: scene.t("long-rest-key"), pair });
    }
}

/// The part that is ready to be shown in the workbench, and the pair that it was taken for.
fn taken(scene: &mut Scene) -> Option<(Cut, (usize, usize))> {
    let Taking { pair, cut, .. } = scene.long.taking.take_if(|taking| taking.cut.is_some())?;
    Some((cut?, pair))
}

/// Three figures or more that mean something: 0.01234, 3.21e−5, 1.23e9.
pub fn number(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        0.0 => "0".to_owned(),
        size if !(1e-3..1e8).contains(&size) => format!("{value:.2e}"),
        size if size < 0.1 => format!("{value:.*}", (3.0 - size.log10().floor()) as usize),
        size if size < 10.0 => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    };
    text.replace('-', "−")
}

/// "0–8191".
pub fn span(from: f64, side: f64, n: usize) -> String {
    let last = ((from + side).ceil() as usize).clamp(1, n) - 1;
    format!("{}–{last}", from as usize)
}

fn seen(from: f64, long: &Long) -> Range<usize> {
    let end = ((from + long.side).ceil() as usize).min(long.n);
    (from as usize).min(end - 1)..end
}

/// The row and the column of the cursor within what is seen, as tiles one pixel high and one pixel wide.
pub fn profiles(scene: &Scene, long: &Long) -> Vec<Tile> {
    let Some((row, key)) = scene.long.cursor.filter(|&(row, key)| row < long.n && key < long.n) else {
        return Vec::new();
    };
    let (rows, keys) = (seen(long.row, long), seen(long.key, long));
    let of = |rows: Range<usize>, keys: Range<usize>| Tile {
        height: rows.len().min(POINTS),
        width: keys.len().min(POINTS),
        rows,
        keys,
        pool: long.pool(),
        of: long.of(),
    };
    vec![of(row..row + 1, keys), of(rows, key..key + 1)]
}

fn curve(ui: &mut Ui, scene: &Scene, tile: &Tile, id: &'static str, key: &str, meaning: Meaning) {
    let along = if tile.rows.len() == 1 { (&tile.keys, tile.width) } else { (&tile.rows, tile.height) };
    let found = scene.long.desk.tile(tile).filter(|(_, is_whole)| *is_whole).map(|(pixels, _)| pixels);
    let Some(pixels) = found else {
        ui.add(Label::new(RichText::new(scene.t("long-curve-comes")).size(SMALL).weak()).wrap());
        return;
    };
    // The middle of the tokens below a pixel; of one token, its own number.
    let place =
        |pixel: usize| along.0.start as f64 + (pixel as f64 + 0.5) * along.0.len() as f64 / along.1 as f64 - 0.5;
    let points = pixels.iter().enumerate().map(|(at, value)| [place(at), f64::from(*value)]).collect();
    let (of, axis) = if tile.rows.len() == 1 { (tile.rows.start, "axis-key") } else { (tile.keys.start, "axis-query") };
    let mut name = scene.tf(key, &[("at", of.to_string())]);
    let count = along.0.len().div_ceil(along.1);
    if count > 1 {
        let values = [("name", name), ("pool", pool(scene)), ("count", count.to_string())];
        name = scene.tf("long-profile-pooled", &values);
    }
    let largest = pixels.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let y = Axis::linear(scene.t(match tile.of {
        Of::Scores => "part-scores",
        Of::Scaled => "part-scaled",
        Of::Weights => "part-weights",
    }));
    ui.label(RichText::new(&name).size(SMALL));
    Chart {
        id,
        x: Axis::linear(scene.t(axis)),
        y: if now(scene).shown == Shown::Weights { y.between(0.0, f64::from(largest.max(1e-6))) } else { y },
        curves: vec![Curve { name: name.clone(), colour: scene.theme.mark(meaning), dashed: false, points }],
        bars: Vec::new(),
        here: None,
        spoken: scene.tf("long-profile-spoken", &[("name", name), ("largest", number(f64::from(largest)))]),
    }
    .show(ui, 300.0);
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_say_what_they_can() {
        let found = [0.0, 1.0, 0.9677, 0.000_032_1, -12.345, -0.5].map(super::number);
        assert_eq!(found, ["0", "1.0000", "0.9677", "3.21e−5", "−12.35", "−0.5000"]);
        assert_eq!(super::span(0.0, 8192.0, 8192), "0–8191");
        assert_eq!(super::span(17.5, 4.0, 100), "17–21");
    }
}
