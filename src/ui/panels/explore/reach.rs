//! Windows, global tokens and block patterns: what they cost, and what can reach what after several layers.

use super::{set, slider};
use crate::attention::{Causal, Mask, Matrix, Part, Window, labels, visible};
use crate::session::Action;
use crate::study::reach::{Pattern, pairs};
use crate::ui::panels::columns;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::MatrixView;
use crate::ui::widgets::{heading, live};
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[presets, picture]);
}

fn presets(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 420.0 });
    heading::heading(ui, 3, scene.t("reach-presets"));
    let (n, m) = visible(scene.problem()).shape();
    let window = |global: Vec<usize>| Mask {
        causal: Causal::LowerRight,
        window: Some(Window { left: Some(2), right: Some(0) }),
        global,
        ..Mask::default()
    };
    let pattern = |pattern: Pattern| Mask { allow: Some(pattern.pairs(n, true)), ..Mask::default() };
    let mut all = vec![("reach-window", window(Vec::new())), ("reach-global", window(vec![0]))];
    // A pattern is drawn pair by pair, so queries and keys must be the same tokens.
    if n == m {
        all.extend([
            ("reach-blocks", pattern(Pattern::Blocks(2))),
            ("reach-strided", pattern(Pattern::Strided(3))),
            ("reach-powers", pattern(Pattern::Powers)),
        ]);
    }
    ui.horizontal_wrapped(|ui| {
        for (key, mask) in all {
            if ui.button(scene.t(key)).clicked() {
                scene.act(Action::SetMask(mask));
            }
        }
        if ui.button(scene.t("mask-preset-causal")).clicked() {
            scene.act(Action::SetMask(Mask { causal: Causal::LowerRight, ..Mask::default() }));
        }
    });
    let layers = scene.session.view().explore.reaching.layers;
    if let Some(layers) = slider::slider(ui, scene, "reach-layers", layers, 1..=16) {
        set(scene, |explore| explore.reaching.layers = layers);
    }
    let sees = visible(scene.problem());
    let (some, all) = (pairs(&sees), n * m);
    let text = scene.tf("reach-pairs", &[("pairs", some.to_string()), ("all", all.to_string())]);
    live::live(ui, RichText::new(&text).size(SMALL), &text);
    ui.add(Label::new(RichText::new(scene.t("reach-note")).size(SMALL).weak()).wrap());
}

fn picture(ui: &mut Ui, scene: &mut Scene) {
    let sees = visible(scene.problem());
    if sees.nrows() != sees.ncols() || scene.problem().is_cross() {
        ui.add(Label::new(scene.t("reach-needs-square")).wrap());
        return;
    }
    let layers = scene.session.view().explore.reaching.layers;
    let needed = scene.session.layers_needed();
    let values: Matrix = needed.map(|needed| needed.map_or(0.0, |needed| needed as f64));
    let beyond = needed.map(|needed| needed.is_none_or(|needed| needed > layers));
    let write = |row: usize, column: usize| match needed[(row, column)] {
        Some(needed) if needed <= layers => needed.to_string(),
        _ => "–".to_owned(),
    };
    let (rows, columns) = labels(scene.problem(), Part::Weights);
    let view = MatrixView {
        rows: &rows,
        columns: &columns,
        row_axis: Some((format!("{} ↓", scene.t("axis-query")), scene.theme.ink(Meaning::Query))),
        column_axis: Some((format!("{} →", scene.t("axis-key")), scene.theme.ink(Meaning::Key))),
        hidden: Some(&beyond),
        write: Some(&write),
        max_size: egui::vec2(if scene.narrow { 320.0 } else { 560.0 }, 420.0),
        ..MatrixView::still(ui, "reach", scene.t("reach-matrix"), &values, scene.format(), scene.spoken.words())
    };
    ui.vertical(|ui| {
        view.show(ui).write_numbers(ui);
        let furthest = (0..needed.nrows())
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .filter(|cell| !beyond[*cell])
            .map(|(i, j)| i - j)
            .max()
            .unwrap_or(0);
        let text = scene.tf("reach-furthest", &[("layers", layers.to_string()), ("back", furthest.to_string())]);
        live::live(ui, RichText::new(&text), &text);
    });
}
