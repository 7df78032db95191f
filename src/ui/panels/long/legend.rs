//! What the colours of the map mean.

use crate::session::{Long, Pooled, Shown};
use crate::ui::scene::Scene;
use crate::ui::theme::{SMALL, weight_position};
use crate::ui::widgets::legend::{CellColours, legend};
use egui::{Label, RichText, Sense, Stroke, StrokeKind, Ui, vec2};

/// The bar of the colours, `indent` points from the left; for weights also where an even row stands, and what hidden is.
pub fn show(ui: &mut Ui, scene: &Scene, long: &Long, indent: f32) {
    let is_weights = long.shown == Shown::Weights;
    let colours = match is_weights {
        true => CellColours::Weights(long.colours),
        false => CellColours::Signed { most: f64::from(scene.long.most), negative: true },
    };
    let bar = ui.horizontal(|ui| {
        ui.add_space(indent);
        ui.vertical(|ui| legend(ui, colours, scene.format(), 200.0)).inner
    });
    let said = |ui: &mut Ui, text: String| {
        ui.horizontal(|ui| {
            ui.add_space(indent);
            ui.add(Label::new(RichText::new(text).size(SMALL - 1.0).color(scene.theme.quiet())).wrap());
        });
    };
    let Some(bar) = bar.inner.filter(|_| is_weights) else {
        if long.causal || long.window > 0 {
            said(ui, scene.t("long-scores-all"));
        }
        return;
    };
    // A sum is of many pairs, and 1/n of one.
    let even = (long.pooled != Pooled::Sum).then_some(1.0 / long.n as f64);
    if let Some(even) = even {
        let x = bar.left() + bar.width() * weight_position(even, long.colours) as f32;
        ui.painter().vline(x, bar.top() - 3.0..=bar.bottom() + 3.0, Stroke::new(1.5, scene.theme.text()));
    }
    ui.horizontal(|ui| {
        ui.add_space(indent);
        let small = |text: String| Label::new(RichText::new(text).size(SMALL - 1.0).color(scene.theme.quiet()));
        if let Some(even) = even {
            ui.add(small(format!("| 1/n = {}", super::reading::number(even))));
            ui.add_space(8.0);
        }
        if long.causal || long.window > 0 {
            let (swatch, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
            ui.painter().rect_filled(swatch, 2.0, scene.theme.hidden());
            ui.painter().rect_stroke(swatch, 2.0, Stroke::new(1.0, scene.theme.edge()), StrokeKind::Inside);
            ui.add(small(scene.t("cell-hidden")));
        }
    });
    if long.pooled == Pooled::Sum {
        said(ui, scene.t("long-sum-colours"));
    }
}
