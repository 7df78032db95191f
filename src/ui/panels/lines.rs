//! The weights as lines between the tokens, thick as the weight, and as ribbons into the output.

use crate::attention::{Part, labels, matrix, visible};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, Meaning, SMALL};
use crate::ui::widgets::matrix::shortened;
use crate::ui::widgets::{curve, heading};
use egui::{Align2, FontId, Pos2, RichText, Sense, Ui, pos2, vec2};

/// Between two tokens.
const STEP: f32 = 30.0;

/// More tokens than this are not read as lines any more.
const MOST: usize = 32;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.tf("lines-title", &[("head", scene.head().to_string())]));
    let (queries, keys) = labels(scene.problem(), Part::Weights);
    let short = |labels: Vec<String>| labels.iter().map(|label| shortened(label)).collect::<Vec<_>>();
    let (queries, keys) = (short(queries), short(keys));
    let Some(weights) = matrix(scene.problem(), scene.session.trace(), Part::Weights, scene.head()) else { return };
    if queries.len() > MOST || keys.len() > MOST {
        ui.label(scene.tf("lines-too-many", &[("most", MOST.to_string())]));
        return;
    }
    ui.label(RichText::new(scene.t("lines-help")).size(SMALL).weak());
    let height = STEP * queries.len().max(keys.len()) as f32 + 28.0;
    let width = ui.available_width().clamp(300.0, 760.0);
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let x = |share: f32| rect.left() + rect.width() * share;
    let (left, right, far) = (x(0.18), x(0.56), x(0.82));
    let y = |index: usize| rect.top() + 28.0 + STEP * (index as f32 + 0.5);
    let painter = ui.painter();
    let theme = scene.theme;
    let head = |at: f32, align: Align2, key: &str, meaning: Meaning| {
        painter.text(pos2(at, rect.top() + 8.0), align, scene.t(key), FontId::proportional(SMALL), theme.ink(meaning));
    };
    head(left, Align2::RIGHT_CENTER, "axis-query", Meaning::Query);
    head(right, Align2::LEFT_CENTER, "axis-key", Meaning::Key);
    head(far, Align2::LEFT_CENTER, "part-output", Meaning::Output);
    // The row under the pointer, else the one whose cell is looked at.
    let pointed = response
        .hover_pos()
        .filter(|at| at.x < (left + right) / 2.0)
        .map(|at| ((at.y - rect.top() - 28.0) / STEP).max(0.0) as usize);
    let pointed = pointed.filter(|row| *row < queries.len());
    let looked = scene.looked.filter(|place| parts::axes(place.part).0 == Some(Meaning::Query)).map(|place| place.row);
    let row = pointed.or(looked).filter(|row| *row < queries.len());
    let shown = visible(scene.problem());
    for query in 0..queries.len() {
        for key in 0..keys.len() {
            let weight = weights[(query, key)];
            if weight == 0.0 {
                continue;
            }
            let meaning = if shown[(query, key)] { Meaning::Query } else { Meaning::Leak };
            let strength = if row.is_none_or(|row| row == query) { 0.85 } else { 0.12 };
            let thickness = 0.75 + 10.0 * weight.clamp(0.0, 1.0) as f32;
            let ends: [Pos2; 2] = [pos2(left + 6.0, y(query)), pos2(right - 6.0, y(key))];
            curve::across(painter, ends[0], ends[1], thickness, theme.mark(meaning).gamma_multiply(strength));
        }
    }
    for (query, token) in queries.iter().enumerate() {
        let strong = row == Some(query);
        let font = if strong { crate::ui::theme::semibold(BODY) } else { FontId::proportional(BODY) };
        painter.text(pos2(left, y(query)), Align2::RIGHT_CENTER, token, font, theme.ink(Meaning::Query));
    }
    for (key, token) in keys.iter().enumerate() {
        painter.text(
            pos2(right, y(key)),
            Align2::LEFT_CENTER,
            token,
            FontId::proportional(BODY),
            theme.ink(Meaning::Key),
        );
    }
    // Ribbons begin behind the longest token, with room for the weight.
    let widths = keys
        .iter()
        .map(|token| painter.layout_no_wrap(token.clone(), FontId::proportional(BODY), theme.text()).size().x);
    let ribbons = (right + widths.fold(0.0f32, f32::max) + 68.0).min(far - 40.0);
    let mut said = Vec::new();
    if let Some(row) = row {
        let target = pos2(far - 6.0, y(row));
        for (key, token) in keys.iter().enumerate() {
            let weight = weights[(row, key)];
            let number = scene.format().natural(weight);
            said.push(format!("{} → {token} {number}", queries[row]));
            if weight > 0.0 {
                let thickness = 0.75 + 16.0 * weight.clamp(0.0, 1.0) as f32;
                let from = pos2(ribbons, y(key));
                curve::across(painter, from, target, thickness, theme.mark(Meaning::Value).gamma_multiply(0.6));
                painter.text(
                    from - vec2(4.0, 0.0),
                    Align2::RIGHT_CENTER,
                    number,
                    FontId::proportional(SMALL),
                    theme.text(),
                );
            }
        }
        output(ui, scene, target, row);
    }
    let label =
        if said.is_empty() { scene.t("lines-name") } else { format!("{}: {}", scene.t("lines-name"), said.join(", ")) };
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(egui::accesskit::Role::Image);
        node.set_label(label);
    });
    if let Some(row) = pointed {
        scene.pointed = Some(crate::attention::Place { part: Part::Weights, head: scene.head(), row, column: 0 });
    }
}

/// The numbers that the ribbons run into.
fn output(ui: &Ui, scene: &Scene, at: Pos2, row: usize) {
    let Some(context) = matrix(scene.problem(), scene.session.trace(), Part::Context, scene.head()) else { return };
    let format = scene.format();
    let mut numbers: Vec<String> = context.row(row).iter().take(4).map(|value| format.natural(*value)).collect();
    if context.ncols() > 4 {
        numbers.push("…".to_owned());
    }
    ui.painter().text(
        at + vec2(8.0, 0.0),
        Align2::LEFT_CENTER,
        numbers.join("  "),
        crate::ui::theme::semibold(BODY),
        scene.theme.ink(Meaning::Output),
    );
}
