//! The mask as an object: presets, padding, painting, how it is applied, and the conventions of code.

use super::{columns, leakage};
use crate::attention::{Causal, Mask, MaskApplied, Matrix, Normalise, Part, Window, has_rule, labels, visible};
use crate::session::{Action, PointerMode};
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::MatrixView;
use crate::ui::widgets::{button, heading, live};
use egui::{DragValue, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[rules, applied, leakage::show]);
    ui.add_space(16.0);
    conventions(ui, scene);
}

fn rules(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(300.0);
    heading::heading(ui, 3, scene.t("mask-rules"));
    let mask = scene.problem().mask.clone();
    let set = |causal| Mask { causal, ..mask.clone() };
    let shapes = scene.problem().shapes();
    ui.horizontal_wrapped(|ui| {
        let preset = |ui: &mut Ui, scene: &mut Scene, on: bool, key: &str, mask: Mask| {
            if button::choice(ui, on, scene.t(key)).clicked() {
                scene.act(Action::SetMask(mask));
            }
        };
        preset(ui, scene, !has_rule(&mask), "mask-preset-none", Mask::default());
        preset(ui, scene, mask.causal == Causal::UpperLeft, "mask-preset-causal", set(Causal::UpperLeft));
        if shapes.n != shapes.m {
            preset(ui, scene, mask.causal == Causal::LowerRight, "mask-preset-lower-right", set(Causal::LowerRight));
        }
        let window = Mask { window: Some(Window { left: Some(1), right: Some(0) }), ..mask.clone() };
        preset(
            ui,
            scene,
            mask.window.is_some(),
            "mask-preset-window",
            if mask.window.is_some() { Mask { window: None, global: Vec::new(), ..mask.clone() } } else { window },
        );
        let mut painting = scene.session.view().pointer == PointerMode::Paint;
        if ui.checkbox(&mut painting, scene.t("mask-paint")).changed() {
            scene.act(Action::SetPointerMode(if painting { PointerMode::Paint } else { PointerMode::Point }));
        }
    });
    if let Some(window) = mask.window {
        window_sides(ui, scene, &mask, window);
    }
    padding(ui, scene, &mask);
}

fn window_sides(ui: &mut Ui, scene: &mut Scene, mask: &Mask, window: Window) {
    ui.horizontal_wrapped(|ui| {
        let side = |ui: &mut Ui, scene: &mut Scene, key: &str, now: Option<usize>| {
            let mut value = now.unwrap_or(0);
            ui.label(scene.t(key));
            let name = scene.t(key);
            let response = ui.add(DragValue::new(&mut value).range(0..=crate::attention::MOST_TOKENS - 1));
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
            (value != now.unwrap_or(0)).then_some(value)
        };
        if let Some(left) = side(ui, scene, "window-left", window.left) {
            let window = Some(Window { left: Some(left), ..window });
            scene.act(Action::SetMask(Mask { window, ..mask.clone() }));
        }
        if let Some(right) = side(ui, scene, "window-right", window.right) {
            let window = Some(Window { right: Some(right), ..window });
            scene.act(Action::SetMask(Mask { window, ..mask.clone() }));
        }
    });
}

/// One tick a key: a real token, or padding that nobody sees; within a window also who is global.
fn padding(ui: &mut Ui, scene: &mut Scene, mask: &Mask) {
    let (_, keys) = labels(scene.problem(), Part::Weights);
    ui.label(RichText::new(scene.t("mask-padding")).size(SMALL).weak());
    ui.horizontal_wrapped(|ui| {
        for (index, key) in keys.iter().enumerate() {
            let mut real = mask.key_padding.as_ref().is_none_or(|padding| padding[index]);
            if ui.checkbox(&mut real, key).changed() {
                let mut padding = mask.key_padding.clone().unwrap_or_else(|| vec![true; keys.len()]);
                padding[index] = real;
                let key_padding = padding.contains(&false).then_some(padding);
                scene.act(Action::SetMask(Mask { key_padding, ..mask.clone() }));
            }
        }
    });
    if mask.window.is_some() {
        ui.label(RichText::new(scene.t("mask-global")).size(SMALL).weak());
        ui.horizontal_wrapped(|ui| {
            for (index, key) in keys.iter().enumerate() {
                let mut global = mask.global.contains(&index);
                let name = scene.tf("mask-global-token", &[("token", key.clone())]);
                if ui.checkbox(&mut global, name).changed() {
                    let mut all: Vec<usize> = mask.global.iter().copied().filter(|other| *other != index).collect();
                    if global {
                        all.push(index);
                        all.sort_unstable();
                    }
                    scene.act(Action::SetMask(Mask { global: all, ..mask.clone() }));
                }
            }
        });
    }
}

/// The right way, the named mistakes, and the detour.
fn applied(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 400.0 });
    heading::heading(ui, 3, scene.t("mask-applied"));
    let now = scene.problem().mask_applied;
    let is_softmax = scene.problem().family.normalise == Normalise::Softmax;
    let times = if is_softmax { "" } else { "-times" };
    ui.horizontal_wrapped(|ui| {
        for applied in MaskApplied::ALL {
            // Where no exponential is taken, M is 1 and 0.
            let key = match (applied, times) {
                (MaskApplied::Inverted, "-times") => "applied-inverted-times".to_owned(),
                _ => format!("applied-{}", text_key(applied)),
            };
            if button::choice(ui, now == applied, scene.t(&key)).clicked() {
                scene.act(Action::SetMaskApplied(applied));
            }
        }
    });
    let text = if has_rule(&scene.problem().mask) {
        scene.t(&match now {
            MaskApplied::BeforeSoftmax => format!("applied-before-softmax-help{times}"),
            now => format!("applied-{}-help", text_key(now)),
        })
    } else {
        scene.t("applied-no-rule")
    };
    live::live(ui, RichText::new(&text).size(SMALL), &text);
}

fn text_key(applied: MaskApplied) -> String {
    applied.key().replace('_', "-")
}

/// The same mask as two libraries write it.
fn conventions(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("mask-conventions"));
    let shown = visible(scene.problem());
    let drop = shown.map(|visible| if visible { 0.0 } else { 1.0 });
    let keep = shown.map(|visible| if visible { 1.0 } else { 0.0 });
    ui.horizontal_top(|ui| {
        small(ui, scene, "mask-true-hidden", &drop, &|value| if value == 1.0 { "True" } else { "False" });
        ui.add_space(12.0);
        small(ui, scene, "mask-one-visible", &keep, &|value| if value == 1.0 { "1" } else { "0" });
    });
}

fn small(ui: &mut Ui, scene: &Scene, key: &str, values: &Matrix, word: &dyn Fn(f64) -> &'static str) {
    let (rows, columns) = labels(scene.problem(), Part::Weights);
    let write = |row: usize, column: usize| word(values[(row, column)]).to_owned();
    let hidden = visible(scene.problem()).map(|visible| !visible);
    let view = MatrixView {
        rows: &rows,
        columns: &columns,
        row_axis: Some((format!("{} ↓", scene.t("axis-query")), scene.theme.ink(Meaning::Query))),
        column_axis: Some((format!("{} →", scene.t("axis-key")), scene.theme.ink(Meaning::Key))),
        caption: format!("(1, 1, {}, {})", values.nrows(), values.ncols()),
        hidden: Some(&hidden),
        write: Some(&write),
        ..MatrixView::still(ui, key, scene.t(key), values, scene.format(), scene.spoken.words())
    };
    ui.vertical(|ui| view.show(ui).write_numbers(ui));
}
