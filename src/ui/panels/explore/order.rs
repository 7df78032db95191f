//! Order: the tokens in another order, and whether each output moves with its token.

use super::{beside, set};
use crate::attention::{Matrix, Part, labels};
use crate::session::Action;
use crate::study::order::{Compared, can_be_reordered};
use crate::ui::panels::explore::flash::tiny;
use crate::ui::panels::{columns, notice};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, Meaning, SMALL, semibold};
use crate::ui::widgets::matrix::{MatrixView, shortened};
use crate::ui::widgets::{button, heading, live};
use egui::{Align, Align2, CursorIcon, Label, Layout, RichText, Sense, Stroke, StrokeKind, Ui, vec2};

/// More tokens than this are not moved one by one.
const MOST: usize = 24;

/// More than this are not computed in both orders after every edit.
const MOST_COMPARED: usize = 128;

/// A token that can be dragged.
const TILE: egui::Vec2 = vec2(92.0, 32.0);

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    if !can_be_reordered(scene.problem()) {
        ui.add(Label::new(scene.t("order-needs-square")).wrap());
        return;
    }
    if scene.problem().shapes().n > MOST_COMPARED {
        ui.add(Label::new(scene.tf("order-too-large", &[("most", MOST_COMPARED.to_string())])).wrap());
        return;
    }
    columns(ui, scene, &[controls, outputs]);
}

fn order(scene: &Scene) -> Vec<usize> {
    scene.session.view().explore.ordering.of(scene.problem().shapes().n)
}

fn choose(scene: &mut Scene, order: Vec<usize>) {
    set(scene, |explore| explore.ordering.order = order);
}

fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 480.0 });
    let now = order(scene);
    let n = now.len();
    if n <= MOST {
        ui.add(Label::new(RichText::new(scene.t("order-help")).size(SMALL).weak()).wrap());
        row(ui, scene, &now);
    } else {
        ui.label(scene.tf("order-too-many", &[("most", MOST.to_string())]));
    }
    ui.horizontal_wrapped(|ui| {
        let mut presets = vec![("order-reverse", (0..n).rev().collect::<Vec<_>>())];
        let mut swapped: Vec<usize> = (0..n).collect();
        swapped.swap(0, n - 1);
        presets.push(("order-swap", swapped));
        presets.push(("order-own", (0..n).collect()));
        for (key, order) in presets {
            if button::choice(ui, now == order, scene.t(key)).clicked() {
                choose(scene, order);
            }
        }
    });
    verdict(ui, scene, &now);
    let is_own = now.iter().copied().eq(0..n);
    if ui.add_enabled(!is_own, egui::Button::new(scene.t("order-take"))).clicked() {
        scene.act(Action::Reorder(now));
        choose(scene, Vec::new());
    }
}

/// The tokens in the order that is tried, each with its two buttons; a token dragged onto another takes its place.
fn row(ui: &mut Ui, scene: &mut Scene, now: &[usize]) {
    let labels = scene.problem().query_labels();
    let mut chosen = None;
    ui.with_layout(Layout::left_to_right(Align::Min).with_main_wrap(true), |ui| {
        for (place, &token) in now.iter().enumerate() {
            ui.allocate_ui(vec2(TILE.x, TILE.y + 50.0), |ui| {
                ui.vertical(|ui| {
                    if let Some(from) = tile(ui, scene, &shortened(&labels[token]), place) {
                        chosen = Some(moved(now, from, place));
                    }
                    ui.horizontal(|ui| {
                        ui.spacing_mut().item_spacing.x = 4.0;
                        let args = [("token", labels[token].clone()), ("place", (place + 1).to_string())];
                        if button::named(ui, place > 0, "←", &scene.tf("order-left", &args)).clicked() {
                            chosen = Some(moved(now, place, place - 1));
                        }
                        if button::named(ui, place + 1 < now.len(), "→", &scene.tf("order-right", &args)).clicked() {
                            chosen = Some(moved(now, place, place + 1));
                        }
                    });
                });
            });
        }
    });
    if let Some(order) = chosen {
        choose(scene, order);
    }
}

/// The order with the token at `from` taken out and put in at `to`.
fn moved(now: &[usize], from: usize, to: usize) -> Vec<usize> {
    let mut order = now.to_vec();
    let token = order.remove(from);
    order.insert(to, token);
    order
}

/// Draws one token; gives the place of another one that was dropped on it.
fn tile(ui: &mut Ui, scene: &Scene, name: &str, place: usize) -> Option<usize> {
    let (rect, response) = ui.allocate_exact_size(TILE, Sense::drag());
    let response = response.on_hover_cursor(CursorIcon::Grab);
    response.dnd_set_drag_payload(place);
    let is_target = response.dnd_hover_payload::<usize>().is_some();
    let colour = if is_target || response.dragged() { scene.theme.accent() } else { scene.theme.edge() };
    let painter = ui.painter();
    painter.rect_filled(rect, 4.0, scene.theme.raised());
    painter.rect_stroke(rect, 4.0, Stroke::new(1.5, colour), StrokeKind::Inside);
    painter.text(rect.center(), Align2::CENTER_CENTER, name, semibold(BODY), scene.theme.ink(Meaning::Query));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(egui::accesskit::Role::Image);
        node.set_label(format!("{}. {name}", place + 1));
    });
    response.dnd_release_payload::<usize>().map(|from| *from)
}

fn verdict(ui: &mut Ui, scene: &mut Scene, now: &[usize]) {
    let compared = scene.session.order(now.to_vec());
    let (text, meaning) = match compared.as_ref() {
        None => return,
        Some(Err(errors)) => {
            let why: Vec<String> = errors.iter().map(|error| notice::problem_error(scene, error)).collect();
            (why.join("\n"), Meaning::Leak)
        }
        Some(Ok(_)) if now.iter().copied().eq(0..now.len()) => (scene.t("order-is-own"), Meaning::Neutral),
        Some(Ok(compared)) if compared.moves_along => {
            (scene.tf("order-moves-along", &[("difference", tiny(compared.difference))]), Meaning::Passed)
        }
        Some(Ok(compared)) => (changed(scene, compared, now), Meaning::Leak),
    };
    live::live(ui, RichText::new(&text).color(scene.theme.ink(meaning)), &text);
}

/// By how much the outputs change, and why.
fn changed(scene: &Scene, compared: &Compared, now: &[usize]) -> String {
    let most = compared.differences.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(place, _)| place);
    let token = parts::said_token(scene, &scene.problem().query_labels()[now[most]]);
    let difference = scene.format().natural(compared.difference);
    let mut lines = vec![scene.tf("order-changes", &[("difference", difference), ("token", token)])];
    let position = scene.t(&format!("position-{}", scene.problem().family.position.key()));
    let ties = compared.ties.iter();
    lines.extend(ties.map(|tie| scene.tf(&format!("tie-{}", tie.key()), &[("position", position.clone())])));
    lines.join("\n")
}

/// Before and after, side by side.
fn outputs(ui: &mut Ui, scene: &mut Scene) {
    let now = order(scene);
    let compared = scene.session.order(now.clone());
    let Some(Ok(compared)) = compared.as_ref() else { return };
    heading::heading(ui, 3, scene.t("order-outputs"));
    let (before, _) = labels(scene.problem(), Part::Output);
    let after: Vec<String> = now.iter().map(|&token| before[token].clone()).collect();
    beside(ui, scene, |ui| {
        matrix(ui, scene, "order-before", &compared.before, &before);
        matrix(ui, scene, "order-after", &compared.after, &after);
    });
}

fn matrix(ui: &mut Ui, scene: &Scene, key: &str, values: &Matrix, rows: &[String]) {
    let negative = values.iter().any(|value| *value < 0.0);
    let view = MatrixView {
        rows,
        colours: parts::signed(values, negative),
        format: scene.format().just_enough(values.iter().copied()),
        max_size: vec2(280.0, 320.0),
        ..MatrixView::still(ui, key, scene.t(key), values, scene.format(), scene.spoken.words())
    };
    ui.vertical(|ui| view.show(ui).write_numbers(ui));
}
