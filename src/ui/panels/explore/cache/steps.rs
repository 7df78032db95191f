//! The new rows of a step, what the cache holds after it, the row of weights and the output.

use super::{decoded, settings};
use crate::attention::Matrix;
use crate::ui::panels::explore::roomy;
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::heading;
use crate::ui::widgets::legend::CellColours;
use crate::ui::widgets::matrix::MatrixView;
use egui::{Id, RichText, Ui, vec2};
use std::collections::HashMap;

/// The query head that the workbench shows, and the key/value head that it uses.
fn heads(scene: &Scene) -> (usize, usize) {
    let heads = scene.problem().heads;
    let head = scene.session.view().head.min(heads.query - 1);
    (head, heads.key_value_of(head))
}

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let Some(decode) = decoded(scene) else { return };
    let Ok(decode) = &*decode else { return };
    let step = &decode.steps[settings(scene).step];
    let (head, group) = heads(scene);
    heading::heading(ui, 3, scene.t("cache-new"));
    if scene.problem().heads.query > 1 {
        ui.label(RichText::new(scene.tf("in-head", &[("head", head.to_string())])).size(SMALL).weak());
    }
    ui.horizontal_wrapped(|ui| {
        row(ui, scene, "cache-q", &step.q[head], &[], None);
        row(ui, scene, "cache-k", &step.k[group], &[], None);
        row(ui, scene, "cache-v", &step.v[group], &[], None);
    });
    let keys = scene.problem().key_labels();
    let weights = CellColours::Weights(scene.session.view().weight_colours);
    row(ui, scene, "cache-weights", &step.weights[head], &keys[..step.keys], Some(weights));
    row(ui, scene, "cache-output", &step.output, &[], None);
}

/// One row of numbers.
fn row(ui: &mut Ui, scene: &Scene, key: &str, numbers: &[f64], columns: &[String], colours: Option<CellColours>) {
    let values = Matrix::from_row_slice(1, numbers.len(), numbers);
    let negative = numbers.iter().any(|value| *value < 0.0);
    let view = MatrixView {
        columns,
        colours: colours.unwrap_or_else(|| parts::signed(&values, negative)),
        format: scene.format().just_enough(numbers.iter().copied()),
        ..MatrixView::still(ui, key, scene.t(key), &values, scene.format(), scene.spoken.words())
    };
    let size = view.size(ui);
    roomy(ui, size, |ui| view.show(ui).write_numbers(ui));
}

/// K and V as the cache holds them, the new row framed. The room for the rows to come is kept, so that nothing jumps.
pub fn cache(ui: &mut Ui, scene: &mut Scene) {
    let Some(decode) = decoded(scene) else { return };
    let Ok(decode) = &*decode else { return };
    let at = settings(scene).step;
    let (_, group) = heads(scene);
    let (Some((k, v)), Some((all_k, all_v))) =
        (decode.cache_after(at, group), decode.cache_after(decode.steps.len() - 1, group))
    else {
        return;
    };
    heading::heading(ui, 3, scene.t("cache-held"));
    ui.horizontal_wrapped(|ui| {
        held(ui, scene, "cache-keys", &k, &all_k, Meaning::Key);
        held(ui, scene, "cache-values", &v, &all_v, Meaning::Value);
    });
}

fn held(ui: &mut Ui, scene: &Scene, key: &str, values: &Matrix, all: &Matrix, meaning: Meaning) {
    let labels = scene.problem().key_labels();
    let last = values.nrows() - 1;
    let marks: HashMap<_, _> = (0..values.ncols()).map(|c| ((last, c), scene.theme.mark(meaning))).collect();
    let words = scene.spoken.words();
    // One width for every step: the format and the labels are those of the full cache.
    let format = scene.format().just_enough(all.iter().copied());
    let negative = all.iter().any(|value| *value < 0.0);
    let of = |values, rows| MatrixView {
        id: Id::unique(key),
        rows,
        colours: parts::signed(all, negative),
        format,
        max_size: vec2(280.0, 260.0),
        ..MatrixView::still(ui, key, scene.t(key), values, format, words)
    };
    let room = of(all, &labels).size(ui);
    let view = MatrixView { marks: &marks, ..of(values, &labels[..=last]) };
    roomy(ui, room, |ui| view.show(ui).write_numbers(ui));
}
