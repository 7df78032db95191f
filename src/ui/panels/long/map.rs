//! The map: the part of n×n that is looked at, moved by drag, wheel, pinch, double click and keys.

use super::state::Paint;
use super::{now, set};
use crate::long::{Standing, Tile};
use crate::session::{ColourScale, Long, Shown};
use crate::ui::panels::explore::slider::whole;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL, Theme};
use crate::ui::widgets::button;
use egui::accesskit::Role;
use egui::{
    Align2, Color32, DragValue, EventFilter, FontId, Key, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui, pos2,
    vec2,
};
use std::ops::Range;

/// Pixels of a tile.
const PIXELS: usize = 128;
/// Of the picture of the whole.
const MINIMAP: f32 = 88.0;
/// Above and left of the map stand the numbers of its axes.
const AXIS: egui::Vec2 = vec2(58.0, 34.0);
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
    let moved = moved(ui, scene, &response, &place);
    let tiles = tiles(&long, side * ui.pixels_per_point());
    let (wanted, drawn) = draw(ui, scene, &place, tiles);
    let was_drawn = std::mem::replace(&mut scene.long.is_drawn, drawn == Drawn::Whole);
    scene.long.tiles.clone_from(&wanted);
    if scene.long.is_drawn && !was_drawn {
        scene.long.narrow_colours(ui.ctx());
    }
    axes(ui, scene, &place);
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
        if let Some(moved) = minimap(ui, scene, &long) {
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
                        wanted = Some(followed(long.zoomed(factor, row, key), cursor));
                    }
                }
                if ui.button(scene.t("long-whole")).clicked() {
                    wanted = Some(Long { side: f64::MAX, ..long }.within_limits());
                }
            });
            if let Some(cursor) = typed(ui, scene, &long) {
                scene.long.hold(cursor);
                wanted = Some(followed(long, Some(cursor)));
            }
            ui.add(egui::Label::new(egui::RichText::new(scene.t("long-keys")).size(SMALL).weak()).wrap());
        });
    });
    if let Some(wanted) = wanted.filter(|wanted| *wanted != long) {
        set(scene, wanted);
    }
}

/// The query and the key of the cursor, to be typed; gives another pair that was chosen.
fn typed(ui: &mut Ui, scene: &Scene, long: &Long) -> Option<(usize, usize)> {
    let before = scene.long.cursor.unwrap_or_default();
    let mut now = before;
    ui.horizontal_wrapped(|ui| {
        for (name, at) in [("axis-query", &mut now.0), ("axis-key", &mut now.1)] {
            let name = scene.t(name);
            ui.label(egui::RichText::new(&name).size(SMALL).weak());
            let field = DragValue::new(at).range(0..=long.n - 1).update_while_editing(false).custom_parser(whole);
            let field = ui.add(field);
            ui.ctx().accesskit_node_builder(field.id, |node| node.set_label(name));
        }
    });
    (now != before).then_some(now)
}

/// Where the part that is looked at lies on the screen.
struct Place {
    rect: Rect,
    long: Long,
}

impl Place {
    /// Points a token.
    fn scale(&self) -> f64 {
        f64::from(self.rect.width()) / self.long.side
    }

    /// What is looked at of an axis, from here on.
    fn seen(&self, from: f64) -> Range<usize> {
        from as usize..((from + self.long.side).ceil() as usize).min(self.long.n)
    }

    fn rows(&self) -> Range<usize> {
        self.seen(self.long.row)
    }

    fn at(&self, row: f64, key: f64) -> Pos2 {
        let offset = vec2(((key - self.long.key) * self.scale()) as f32, ((row - self.long.row) * self.scale()) as f32);
        self.rect.min + offset
    }

    /// The query and the key under a point, with fractions.
    fn under(&self, point: Pos2) -> (f64, f64) {
        let offset = point - self.rect.min;
        let at = |from: f64, offset: f32| from + f64::from(offset) / self.scale();
        (at(self.long.row, offset.y), at(self.long.key, offset.x))
    }

    fn rect_of(&self, rows: &Range<usize>, keys: &Range<usize>) -> Rect {
        Rect::from_min_max(self.at(rows.start as f64, keys.start as f64), self.at(rows.end as f64, keys.end as f64))
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

/// The numbers of some queries and keys, and which axis is which.
fn axes(ui: &Ui, scene: &Scene, place: &Place) {
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

/// What hand and keys do to the part that is looked at.
fn moved(ui: &mut Ui, scene: &mut Scene, response: &Response, place: &Place) -> Option<Long> {
    let mut long = place.long;
    let tokens = |points: f32| f64::from(points) / place.scale();
    if response.clicked() || response.drag_started() {
        response.request_focus();
    }
    // egui counts what is a little beside it as well.
    if let Some(point) = response.hover_pos().filter(|point| place.rect.contains(*point)) {
        let (row, key) = place.under(point);
        let token = |at: f64| (at.max(0.0) as usize).min(long.n - 1);
        let pointed = Some((token(row), token(key)));
        if response.clicked() {
            // A second click on the same pair lets go of it.
            scene.long.is_held = !scene.long.is_held || scene.long.cursor != pointed;
            scene.long.cursor = pointed;
        }
        // A pointer that rests must not take the cursor from the keys.
        let is_moved = ui.input(|input| input.pointer.delta() != egui::Vec2::ZERO || input.pointer.any_pressed());
        if is_moved && !scene.long.is_held {
            scene.long.cursor = pointed;
        }
        let (wheel, pinch) = ui.input_mut(|input| {
            // Taken, so that the page does not scroll as well.
            (std::mem::take(&mut input.smooth_scroll_delta).y, input.zoom_delta())
        });
        let factor = f64::from((-wheel * 0.004).exp() / pinch);
        if (factor - 1.0).abs() > 1e-6 {
            long = long.zoomed(factor, row, key);
        }
        if response.double_clicked() {
            long = long.zoomed(0.5, row, key);
        }
    }
    if response.dragged() {
        let delta = response.drag_delta();
        long = long.moved(-tokens(delta.y), -tokens(delta.x));
    }
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        long = keys(ui, scene, long);
    }
    Some(long)
}

/// Arrows move the cursor by a hundredth of what is seen, with shift by a tenth; the part follows.
fn keys(ui: &Ui, scene: &mut Scene, long: Long) -> Long {
    // Several presses may come in one pass.
    let presses = |key| ui.input(|input| input.num_presses(key));
    let middle = |from: f64| ((from + long.side / 2.0) as usize).min(long.n - 1);
    let (mut row, mut key) = scene.long.cursor.unwrap_or((middle(long.row), middle(long.key)));
    let part = if ui.input(|input| input.modifiers.shift) { 10.0 } else { 100.0 };
    let step = ((long.side / part) as usize).max(1);
    let before = (row, key);
    let walked = |at: usize, back: Key, forth: Key| {
        (at + step * presses(forth)).min(long.n - 1).saturating_sub(step * presses(back))
    };
    row = walked(row, Key::ArrowUp, Key::ArrowDown);
    key = walked(key, Key::ArrowLeft, Key::ArrowRight);
    let mut long = long;
    let nearer = presses(Key::Plus) + presses(Key::Equals);
    let farther = presses(Key::Minus);
    // With the command key the browser zooms its page.
    if nearer != farther && !ui.input(|input| input.modifiers.command) {
        let factor = 2f64.powi(farther as i32 - nearer as i32);
        long = long.zoomed(factor, row as f64 + 0.5, key as f64 + 0.5);
    }
    if presses(Key::Escape) > 0 {
        scene.long.is_held = false;
    }
    if presses(Key::Home) > 0 {
        long = Long { side: f64::MAX, ..long }.within_limits();
    }
    if (row, key) != before || scene.long.cursor.is_none() {
        scene.long.cursor = Some((row, key));
    }
    if (row, key) != before || nearer != farther {
        long = followed(long, Some((row, key)));
    }
    long
}

/// Moved as little as it takes for all of the cursor's pair to be in sight.
fn followed(long: Long, cursor: Option<(usize, usize)>) -> Long {
    let Some((row, key)) = cursor else { return long };
    let follow = |from: f64, at: usize| from.min(at as f64).max(at as f64 + 1.0 - long.side);
    Long { row: follow(long.row, row), key: follow(long.key, key), ..long }.within_limits()
}

/// The whole, what of it is visible, and the part that is looked at; a press goes there.
fn minimap(ui: &mut Ui, scene: &Scene, long: &Long) -> Option<Long> {
    let (rect, response) = ui.allocate_exact_size(vec2(MINIMAP, MINIMAP), Sense::CLICK | Sense::DRAG);
    let painter = ui.painter();
    painter.rect_filled(rect, 0.0, scene.theme.hidden());
    let setting = long.setting();
    let scale = rect.width() / long.n as f32;
    let strips = 44;
    for strip in 0..strips {
        let row = (long.n - 1) * strip / (strips - 1);
        let visible = setting.rule.visible(row, long.n);
        let y = rect.top() + rect.height() * strip as f32 / strips as f32;
        let x = |key: usize| rect.left() + key as f32 * scale;
        let seen = Rect::from_min_max(
            pos2(x(visible.start), y),
            pos2(x(visible.end).max(x(visible.start) + 1.0), y + rect.height() / strips as f32),
        );
        painter.rect_filled(seen, 0.0, scene.theme.mark(Meaning::Key).gamma_multiply(0.35));
    }
    let corner = rect.min + vec2(long.key as f32, long.row as f32) * scale;
    let part = Rect::from_min_size(corner, egui::Vec2::splat((long.side as f32 * scale).max(3.0)));
    painter.rect_stroke(part, 0.0, Stroke::new(2.0, scene.theme.accent()), StrokeKind::Inside);
    painter.rect_stroke(rect, 0.0, Stroke::new(1.0, scene.theme.edge()), StrokeKind::Outside);
    let name = scene.t("long-minimap");
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Image);
        node.set_label(name);
    });
    let pressed = (response.clicked() || response.dragged()).then(|| response.interact_pointer_pos()).flatten()?;
    let at = |offset: f32| f64::from(offset / scale) - long.side / 2.0;
    let offset = pressed - rect.min;
    Some(Long { row: at(offset.y), key: at(offset.x), ..*long }.within_limits())
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

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 8192.0), [0, 2000, 4000, 6000, 8000]);
        assert_eq!(ticks(17.5, 4.0), [18, 19, 20, 21]);
        assert_eq!(ticks(0.0, 65_536.0), [0, 20_000, 40_000, 60_000]);
    }
}
