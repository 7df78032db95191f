//! The map: the part of n×n that is looked at, as tiles, with what is drawn over them. `place` is where it lies on the screen,
//! `axes` what stands beside it, `moves` what moves it, `minimap` the whole.

use super::axes::{self, AXIS};
use super::place::Place;
use super::state::Paint;
use super::{minimap, moves, now, set};
use crate::long::{Standing, Tile};
use crate::session::{ColourScale, Long, Shown};
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL, Theme};
use crate::ui::widgets::button;
use egui::accesskit::Role;
use egui::{Align2, Color32, FontId, Rect, Response, Sense, Stroke, StrokeKind, Ui, pos2, vec2};
use std::ops::Range;

/// Pixels of a tile.
const PIXELS: usize = 128;
/// A needle smaller than this is ringed.
const RINGED: f64 = 8.0;
/// A pair this large is written out.
const WRITTEN: f32 = 56.0;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let side = if scene.narrow { 272.0 } else { 340.0 };
    let long = now(scene);
    // A long sentence below must not push the next column away.
    ui.set_max_width(AXIS.x + side);
    let (outer, _) = ui.allocate_exact_size(AXIS + vec2(side, side), Sense::hover());
    let rect = Rect::from_min_size(outer.min + AXIS, vec2(side, side));
    // Nothing can be dragged of the whole: there a finger scrolls the page.
    let sense = if long.side < long.n as f64 { Sense::click_and_drag() } else { Sense::click() };
    let response = ui.interact(rect, ui.scope_id().with("long map"), sense);
    let place = Place { rect, long };
    let moved = moves::moved(ui, scene, &response, &place);
    let tiles = tiles(&long, side * ui.pixels_per_point());
    let (wanted, drawn) = draw(ui, scene, &place, tiles);
    let was_drawn = std::mem::replace(&mut scene.long.is_drawn, drawn == Drawn::Whole);
    scene.long.tiles.clone_from(&wanted);
    if scene.long.is_drawn && !was_drawn {
        scene.long.narrow_colours(ui.ctx());
    }
    axes::show(ui, scene, &place);
    needle(ui, scene, &place);
    cursor(ui, scene, &place, &response);
    let mut all = super::reading::profiles(scene, &long);
    all.extend(wanted);
    scene.long.desk.want(all);
    let shown = scene.tf(
        "long-part",
        &[
            ("rows", super::reading::span(long.row, long.side, long.n)),
            ("keys", super::reading::span(long.key, long.side, long.n)),
        ],
    );
    ui.ctx().accesskit_node_builder(response.id, |node| {
        // It has keys of its own: a screen reader hands them on.
        node.set_role(Role::Application);
        node.set_label(format!("{} {shown}", scene.t("long-map")));
    });
    super::legend::show(ui, scene, &long, AXIS.x);
    let grows = long.shown == Shown::Weights && matches!(scene.long.desk.standing(), Standing::Attending { .. });
    let state = match drawn {
        Drawn::Whole => "long-exact",
        Drawn::Sampled if grows => "long-sampled-growing",
        Drawn::Sampled => "long-sampled",
        Drawn::Nothing => "long-picture-comes",
    };
    ui.scope(|ui| {
        if super::standing::trouble(scene).is_none() {
            let text = egui::RichText::new(scene.t(state)).size(SMALL).color(scene.theme.quiet());
            ui.add(egui::Label::new(text).wrap());
        }
    });
    let mut wanted = moved;
    ui.horizontal(|ui| {
        if let Some(moved) = minimap::show(ui, scene, &long) {
            wanted = Some(moved);
        }
        ui.vertical(|ui| {
            ui.horizontal_wrapped(|ui| {
                // Towards the cursor, where it is in sight.
                let is_in_sight = |at: usize, from: f64| from <= at as f64 && at as f64 + 1.0 <= from + long.side;
                let cursor =
                    scene.long.cursor.filter(|&(row, key)| is_in_sight(row, long.row) && is_in_sight(key, long.key));
                let (row, key) = match cursor {
                    Some((row, key)) => (row as f64 + 0.5, key as f64 + 0.5),
                    None => (long.row + long.side / 2.0, long.key + long.side / 2.0),
                };
                for (face, name, factor) in [("+", "long-nearer", 0.5), ("−", "long-farther", 2.0)] {
                    if button::named(ui, true, face, &scene.t(name)).clicked() {
                        wanted = Some(moves::followed(long.zoomed(factor, row, key), cursor));
                    }
                }
                if ui.button(scene.t("long-whole")).clicked() {
                    wanted = Some(Long { side: f64::MAX, ..long }.within_limits());
                }
            });
            if let Some(cursor) = moves::typed(ui, scene, &long) {
                scene.long.hold(cursor);
                wanted = Some(moves::followed(long, Some(cursor)));
            }
            ui.add(egui::Label::new(egui::RichText::new(scene.t("long-keys")).size(SMALL).weak()).wrap());
        });
    });
    if let Some(wanted) = wanted.filter(|wanted| *wanted != long) {
        set(scene, wanted);
    }
}

/// The tiles that cover the part that is looked at: of powers of two, so that they are the same wherever it begins, and
/// none with pixels smaller than the screen's `side`, which would not be seen.
fn tiles(long: &Long, side: f32) -> Vec<Tile> {
    let level = (long.side / f64::from(side)).log2().ceil().max(0.0) as u32;
    let cells = PIXELS << level;
    let runs = |from: f64| {
        let last = ((from + long.side).ceil() as usize).min(long.n);
        (from as usize / cells..last.div_ceil(cells)).map(|tile| tile * cells..((tile + 1) * cells).min(long.n))
    };
    let pixels = |run: &Range<usize>| run.len().div_ceil(1 << level);
    runs(long.row)
        .flat_map(|rows| runs(long.key).map(move |keys| (rows.clone(), keys)))
        .map(|(rows, keys)| Tile {
            height: pixels(&rows),
            width: pixels(&keys),
            rows,
            keys,
            pool: long.pool(),
            of: long.of(),
        })
        .collect()
}

/// What there is of a picture.
#[derive(PartialEq)]
enum Drawn {
    Nothing,
    /// Some of its pixels stand for one of their pairs.
    Sampled,
    Whole,
}

/// Draws what there is. Returns the tiles that are worth computing.
fn draw(ui: &mut Ui, scene: &mut Scene, place: &Place, tiles: Vec<Tile>) -> (Vec<Tile>, Drawn) {
    let painter = ui.painter().with_clip_rect(place.rect.intersect(ui.clip_rect()));
    painter.rect_filled(place.rect, 0.0, scene.theme.hidden());
    let setting = place.long.setting();
    let logarithmic = place.long.colours == ColourScale::Log;
    let paint = Paint { theme: scene.theme, logarithmic, rule: setting.rule, n: setting.n };
    let is_weights = place.long.shown == Shown::Weights;
    let seen = |tile: &Tile| !(is_weights && paint.is_hidden(&tile.rows, &tile.keys));
    let tiles: Vec<Tile> = tiles.into_iter().filter(seen).collect();
    // Where nothing is visible, nothing is said to be counted before the numbers are there.
    let mut all_whole = match scene.long.desk.standing() {
        Standing::Ready => true,
        Standing::Attending { .. } => !is_weights,
        Standing::Nothing | Standing::Making { .. } => false,
    };
    let mut any = false;
    for tile in &tiles {
        let picture = scene.long.picture(ui.ctx(), tile, &paint);
        all_whole &= picture.as_ref().is_some_and(|(_, is_whole)| *is_whole);
        let rect = place.rect_of(&tile.rows, &tile.keys);
        match picture {
            Some((texture, _)) => {
                any = true;
                let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                painter.image(texture.id(), rect, whole, Color32::WHITE);
            }
            None => {
                painter.rect_filled(rect, 0.0, scene.theme.raised());
            }
        }
    }
    scene.long.written = 0..0;
    if place.scale() as f32 >= WRITTEN {
        if is_weights {
            scene.long.written = place.rows();
        }
        written(&painter, scene, place);
    }
    painter.rect_stroke(place.rect, 0.0, Stroke::new(1.0, scene.theme.edge()), StrokeKind::Outside);
    let drawn = match (all_whole, any) {
        (true, _) => Drawn::Whole,
        (false, true) => Drawn::Sampled,
        (false, false) => Drawn::Nothing,
    };
    (tiles, drawn)
}

/// Single pairs, with their numbers.
fn written(painter: &egui::Painter, scene: &Scene, place: &Place) {
    let long = &place.long;
    if scene.long.written.clone().any(|row| scene.long.desk.is_rough(row)) {
        painter.ctx().request_repaint();
    }
    for row in place.rows() {
        for key in place.seen(long.key) {
            let Some(pair) = scene.long.desk.pair(row, key) else { return };
            let rect = place.rect_of(&(row..row + 1), &(key..key + 1));
            let (text, ground) = match long.shown {
                Shown::Weights if !pair.is_visible => ("–".to_owned(), scene.theme.hidden()),
                Shown::Weights => match pair.weight {
                    Some(weight) => (super::reading::number(weight), scene.theme.weight(weight, long.colours)),
                    None => continue,
                },
                Shown::Scores => (super::reading::number(pair.score), signed(scene.theme, pair.score, scene)),
                Shown::Scaled => (super::reading::number(pair.scaled), signed(scene.theme, pair.scaled, scene)),
            };
            let ink = scene.theme.text_on(ground);
            let text = painter.layout_no_wrap(text, FontId::proportional(SMALL - 1.0), ink);
            let place_of_text = Align2::CENTER_CENTER.anchor_size(rect.center(), text.size());
            // Half a number would be another one.
            if place.rect.contains_rect(place_of_text) {
                painter.galley(place_of_text.min, text, ink);
            }
        }
    }
}

fn signed(theme: Theme, value: f64, scene: &Scene) -> Color32 {
    theme.signed(value, f64::from(scene.long.most))
}

/// A ring around the needle, which from afar is less than a pixel.
fn needle(ui: &Ui, scene: &Scene, place: &Place) {
    let Some((row, key)) = place.long.needle().filter(|_| place.scale() < RINGED) else { return };
    let centre = place.rect_of(&(row..row + 1), &(key..key + 1)).center();
    if place.rect.contains(centre) {
        let painter = ui.painter().with_clip_rect(place.rect.intersect(ui.clip_rect()));
        // Seen on any ground.
        painter.circle_stroke(centre, 8.0, Stroke::new(4.0, scene.theme.page()));
        painter.circle_stroke(centre, 8.0, Stroke::new(2.0, scene.theme.accent()));
    }
}

/// The lines through the pair that is looked at.
fn cursor(ui: &Ui, scene: &Scene, place: &Place, response: &Response) {
    let painter = ui.painter().with_clip_rect(place.rect.intersect(ui.clip_rect()));
    if let Some((row, key)) = scene.long.cursor {
        let rect = place.rect_of(&(row..row + 1), &(key..key + 1));
        let centre = rect.center();
        let line = |meaning| Stroke::new(1.0, scene.theme.mark(meaning));
        // Nothing strikes numbers through.
        if (place.scale() as f32) < WRITTEN {
            painter.hline(place.rect.x_range(), centre.y, line(Meaning::Query));
            painter.vline(centre.x, place.rect.y_range(), line(Meaning::Key));
            painter.rect_stroke(rect.expand(1.0), 0.0, Stroke::new(1.5, scene.theme.accent()), StrokeKind::Outside);
        } else {
            // Seen on any ground.
            painter.rect_stroke(rect, 0.0, Stroke::new(4.0, scene.theme.accent()), StrokeKind::Inside);
            painter.rect_stroke(rect.shrink(1.0), 0.0, Stroke::new(1.5, scene.theme.page()), StrokeKind::Inside);
        }
    }
    if response.has_focus() {
        ui.painter().rect_stroke(
            place.rect.expand(2.0),
            0.0,
            Stroke::new(2.0, scene.theme.accent()),
            StrokeKind::Outside,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_what_is_looked_at_and_stay_where_they_are() {
        let whole = Long { n: 5000, ..Long::default() }.within_limits();
        let of_whole = tiles(&whole, 400.0);
        assert_eq!(of_whole.iter().map(|tile| tile.rows.len() * tile.keys.len()).sum::<usize>(), 5000 * 5000);
        for (row, key, side) in [(0.0, 0.0, 5000.0), (17.5, 4000.25, 700.0), (4990.0, 3.0, 10.0), (4996.0, 4996.0, 4.0)]
        {
            let long = Long { row, key, side, ..whole }.within_limits();
            let tiles = tiles(&long, 400.0);
            assert!(tiles.len() <= 36, "{} tiles", tiles.len());
            for tile in &tiles {
                assert!(tile.check(5000).is_ok(), "{tile:?}");
                assert_eq!((tile.rows.start % PIXELS, tile.keys.start % PIXELS), (0, 0));
                // A pixel smaller than the screen's would not be seen.
                let is_seen = |cells: usize, pixels: usize| cells.div_ceil(pixels) as f64 >= side / 400.0;
                assert!(is_seen(tile.rows.len(), tile.height) && is_seen(tile.keys.len(), tile.width), "{tile:?}");
            }
            let covers = |at: f64, of: fn(&Tile) -> &Range<usize>| {
                tiles.iter().any(|tile| of(tile).start as f64 <= at && at < of(tile).end as f64)
            };
            for part in [0.0, 0.5, 0.999] {
                assert!(covers(long.row + part * long.side, |tile| &tile.rows), "{long:?}");
                assert!(covers(long.key + part * long.side, |tile| &tile.keys), "{long:?}");
            }
        }
    }
}
