//! Every member of the attention family on the same numbers: how a query meets a key, where positions come in, what real
//! models add, and how scores become weights.

use super::columns;
use super::shape::{dimension, number_box};
use crate::attention::{Dropout, Family, Inputs, Layout, Normalise, Position, Rope, Scaling, Score};
use crate::session::{Action, BiasFor, Descent, Dimension, VariantChange};
use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use crate::ui::widgets::{button, heading};
use egui::{Button, DragValue, Label, RichText, Slider, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[scores, positions, additions, normaliser]);
}

fn change(scene: &mut Scene, change: VariantChange) {
    scene.act(Action::ChangeVariant(change));
}

fn family<'a>(scene: &Scene<'a>) -> &'a Family {
    &scene.session.problem().family
}

fn width(ui: &mut Ui, scene: &Scene, wide: f32) {
    ui.set_max_width(if scene.narrow { 320.0 } else { wide });
}

fn help(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).size(SMALL).weak()).wrap());
}

/// A choice that is there, or the reason why it is not.
fn offer(ui: &mut Ui, chosen: bool, face: String, why_not: Option<String>) -> bool {
    let button = Button::selectable(chosen, face).frame_when_inactive(true);
    let response = ui.add_enabled(why_not.is_none() || chosen, button);
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_toggled(if chosen { egui::accesskit::Toggled::True } else { egui::accesskit::Toggled::False });
        if let Some(why) = &why_not {
            node.set_description(why.clone());
        }
    });
    let clicked = response.clicked() && !chosen;
    if let Some(why) = why_not {
        response.on_disabled_hover_text(why);
    }
    clicked
}

/// Why linear attention has no place for something.
fn not_with_linear(scene: &Scene) -> Option<String> {
    (family(scene).normalise == Normalise::Linear).then(|| scene.t("variants-not-linear"))
}

fn scores(ui: &mut Ui, scene: &mut Scene) {
    width(ui, scene, 290.0);
    heading::heading(ui, 3, scene.t("descent"));
    let stage = Descent::of(scene.problem());
    let why_not = not_with_linear(scene);
    ui.horizontal_wrapped(|ui| {
        for one in Descent::ALL {
            let why_not = if one == Descent::Additive { why_not.clone() } else { None };
            if offer(ui, stage == Some(one), scene.t(&format!("descent-{}", one.key())), why_not) {
                change(scene, VariantChange::Descent(one));
            }
        }
    });
    help(ui, &scene.t(&format!("descent-{}-help", stage.map_or("none", Descent::key))));
    heading::heading(ui, 3, scene.t("score"));
    let now = family(scene).score.key();
    ui.horizontal_wrapped(|ui| {
        for kind in Score::KINDS {
            let why_not = if kind == "dot" { None } else { not_with_linear(scene) };
            if offer(ui, now == kind, scene.t(&format!("score-{kind}")), why_not) {
                change(scene, VariantChange::Score(kind));
            }
        }
    });
    help(ui, &scene.t(&format!("score-{now}-help")));
    if let Some(d_a) = family(scene).score.hidden_width() {
        dimension(ui, scene, "d_a", Dimension::DA, d_a);
    }
}

fn positions(ui: &mut Ui, scene: &mut Scene) {
    width(ui, scene, 290.0);
    heading::heading(ui, 3, scene.t("positions"));
    let now = family(scene).position.key();
    ui.horizontal_wrapped(|ui| {
        for kind in Position::KINDS {
            let why_not = not_this_position(scene, kind);
            if offer(ui, now == kind, scene.t(&format!("position-{kind}")), why_not) {
                change(scene, VariantChange::Position(kind));
            }
        }
    });
    help(ui, &scene.t(&format!("position-{now}-help")));
    match family(scene).position.clone() {
        Position::Sinusoidal { base } => {
            if let Some(base) = number_box(ui, scene, "position-base", base) {
                change(scene, VariantChange::Base(base));
            }
        }
        Position::Rope(rope) => rotary(ui, scene, rope),
        Position::None | Position::Learned { .. } | Position::Alibi { .. } => {}
    }
    // A reason that stands only in a tooltip is not seen on a phone.
    let reasons: Vec<String> = Position::KINDS
        .into_iter()
        .filter_map(|kind| {
            Some(format!("{}: {}", scene.t(&format!("position-{kind}")), not_this_position(scene, kind)?))
        })
        .collect();
    if !reasons.is_empty() {
        help(ui, &reasons.join("\n"));
    }
}

fn not_this_position(scene: &Scene, kind: &str) -> Option<String> {
    let d_k = scene.problem().shapes().d_k;
    let is_direct = matches!(scene.problem().inputs, Inputs::Direct { .. });
    match kind {
        "sinusoidal" | "learned" if is_direct => Some(scene.t("variants-needs-x")),
        "rope" if !d_k.is_multiple_of(2) => Some(scene.tf("variants-needs-even", &[("width", d_k.to_string())])),
        "alibi" => not_with_linear(scene),
        _ => None,
    }
}

fn rotary(ui: &mut Ui, scene: &mut Scene, rope: Rope) {
    ui.horizontal_wrapped(|ui| {
        for (layout, key) in [(Layout::Interleaved, "rope-interleaved"), (Layout::HalfSplit, "rope-half-split")] {
            if button::choice(ui, rope.layout == layout, scene.t(key)).clicked() {
                change(scene, VariantChange::Rope(Rope { layout, ..rope }));
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        if let Some(base) = number_box(ui, scene, "position-base", rope.base) {
            change(scene, VariantChange::Rope(Rope { base, ..rope }));
        }
        if let Some(offset) = number_box(ui, scene, "rope-offset", rope.offset) {
            change(scene, VariantChange::Rope(Rope { offset, ..rope }));
        }
    });
    let factor = match rope.scaling {
        Scaling::None => 2.0,
        Scaling::Linear { factor } | Scaling::Ntk { factor } => factor,
    };
    let d_k = scene.problem().shapes().d_k;
    ui.horizontal_wrapped(|ui| {
        let kinds = [
            ("rope-unscaled", Scaling::None),
            ("rope-linear", Scaling::Linear { factor }),
            ("rope-ntk", Scaling::Ntk { factor }),
        ];
        for (key, scaling) in kinds {
            let is_ntk = matches!(scaling, Scaling::Ntk { .. });
            let why_not = (is_ntk && d_k <= 2).then(|| scene.t("variants-needs-wide"));
            if offer(ui, rope.scaling == scaling, scene.t(key), why_not) {
                change(scene, VariantChange::Rope(Rope { scaling, ..rope }));
            }
        }
    });
    if rope.scaling != Scaling::None
        && let Some(factor) = number_box(ui, scene, "rope-factor", factor)
    {
        let scaling = match rope.scaling {
            Scaling::Ntk { .. } => Scaling::Ntk { factor },
            _ => Scaling::Linear { factor },
        };
        change(scene, VariantChange::Rope(Rope { scaling, ..rope }));
    }
}

/// Softcap, bias, sink: what real models put between the scores and the weights.
fn additions(ui: &mut Ui, scene: &mut Scene) {
    width(ui, scene, 268.0);
    heading::heading(ui, 3, scene.t("additions"));
    let Family { softcap, bias, sink, .. } = family(scene).clone();
    let not_linear = not_with_linear(scene);
    if tick(ui, scene, "softcap", softcap.is_some(), not_linear.clone()) {
        change(scene, VariantChange::Softcap(softcap.is_none()));
    }
    if let Some(cap) = softcap
        && let Some(cap) = number_box(ui, scene, "softcap-value", cap)
    {
        change(scene, VariantChange::Cap(cap));
    }
    if tick(ui, scene, "bias", bias.is_some(), not_linear) {
        change(scene, VariantChange::Bias(if bias.is_some() { None } else { Some(BiasFor::All) }));
    }
    if let Some(bias) = bias.filter(|_| scene.problem().heads.query > 1) {
        ui.horizontal_wrapped(|ui| {
            for (whose, key, on) in [
                (BiasFor::All, "bias-all", bias.heads().is_none()),
                (BiasFor::EachHead, "bias-each", bias.heads().is_some()),
            ] {
                if button::choice(ui, on, scene.t(key)).clicked() {
                    change(scene, VariantChange::Bias(Some(whose)));
                }
            }
        });
    }
    let only_softmax = (family(scene).normalise != Normalise::Softmax).then(|| scene.t("variants-only-softmax"));
    if tick(ui, scene, "sink", sink.is_some(), only_softmax) {
        change(scene, VariantChange::Sink(sink.is_none()));
    }
}

/// A tick with what it is for; true when it was pressed.
fn tick(ui: &mut Ui, scene: &Scene, key: &str, now: bool, why_not: Option<String>) -> bool {
    let mut on = now;
    let response = ui.add_enabled(why_not.is_none() || now, egui::Checkbox::new(&mut on, scene.t(key)));
    let changed = response.changed();
    help(ui, &why_not.unwrap_or_else(|| scene.t(&format!("{key}-help"))));
    changed
}

fn normaliser(ui: &mut Ui, scene: &mut Scene) {
    width(ui, scene, 268.0);
    heading::heading(ui, 3, scene.t("normaliser"));
    let now = family(scene).normalise;
    ui.horizontal_wrapped(|ui| {
        for one in Normalise::ALL {
            if button::choice(ui, now == one, scene.t(&format!("normalise-{}", one.key()))).clicked() {
                change(scene, VariantChange::Normalise(one));
            }
        }
    });
    help(ui, &scene.t(&format!("normalise-{}-help", now.key())));
    heading::heading(ui, 3, scene.t("dropout"));
    let Dropout { p, seed } = family(scene).dropout;
    let (mut share, mut draw) = (p, seed);
    ui.horizontal_wrapped(|ui| {
        let slider = ui.add(Slider::new(&mut share, 0.0..=0.9).step_by(0.05));
        let name = scene.t("dropout-p");
        ui.ctx().accesskit_node_builder(slider.id, |node| node.set_label(name));
        ui.label(RichText::new(scene.t("dropout-seed")).size(SMALL).weak());
        let seed = ui.add(DragValue::new(&mut draw).speed(0.1));
        let name = scene.t("dropout-seed");
        ui.ctx().accesskit_node_builder(seed.id, |node| node.set_label(name));
    });
    if (share, draw) != (p, seed) {
        change(scene, VariantChange::Dropout(Dropout { p: share, seed: draw }));
    }
    help(ui, &scene.t("dropout-help"));
}
