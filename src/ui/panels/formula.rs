//! The formula as navigation: its parts are the steps.

use crate::attention::{Normalise, Position, Scale, Score};
use crate::session::{Action, PointerMode, Stage};
use crate::ui::layout::DRAGGED;
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{self, BODY, Meaning};
use crate::ui::widgets::{button, live, typeset};
use egui::text::LayoutJob;
use egui::{Button, Color32, RichText, ScrollArea, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.horizontal_wrapped(|ui| {
        let area = ScrollArea::horizontal().id_salt("formula").scroll_source(DRAGGED).max_width(ui.available_width());
        if scene.narrow {
            area.show(ui, |ui| ui.horizontal(|ui| formula(ui, scene)));
        } else {
            ui.scope(|ui| formula(ui, scene));
            ui.add_space(16.0);
            controls(ui, scene);
        }
    });
    if !scene.narrow {
        told(ui, scene);
    }
}

/// What the current step does; on a narrow screen it stands with the controls.
pub fn told(ui: &mut Ui, scene: &Scene) {
    let sentence = sentence(scene);
    live::live(ui, RichText::new(&sentence).size(BODY), &sentence);
}

fn formula(ui: &mut Ui, scene: &mut Scene) {
    ui.spacing_mut().item_spacing.x = 0.0;
    ui.spacing_mut().button_padding.x = if scene.narrow { 2.0 } else { 4.0 };
    let stages = scene.session.stages();
    let projected = matches!(scene.shown_problem().inputs, crate::attention::Inputs::Projected(_));
    let given = if projected { "Q, K, V = X W" } else { "Q, K, V" };
    piece(ui, scene, Stage::Project, &[(given, None)]);
    piece(ui, scene, Stage::Project, &[("→", None)]);
    if stages.contains(&Stage::Join) {
        piece(ui, scene, Stage::Join, &[("\"Concat\"(", None)]);
    }
    let family = scene.shown_problem().family.clone();
    let normaliser = if family.normalise == Normalise::Softmax { "\"softmax\"(" } else { "\"normalise\"(" };
    piece(ui, scene, Stage::Softmax, &[(normaliser, None)]);
    // A sink's logit stands beside the scores of a row and takes part in its sum.
    if family.sink.is_some() {
        piece(ui, scene, Stage::Softmax, &[("[", None)]);
    }
    if let Some(cap) = family.softcap {
        let cap = format!("\"cap\"_{{{}}}(", scene.format().natural(cap));
        piece(ui, scene, Stage::Scale, &[(&cap, None)]);
    }
    piece(ui, scene, Stage::Scores, &parts::score(&family));
    let scale = match scene.shown_problem().scale {
        Scale::InverseSqrt => "/ √d_k".to_owned(),
        Scale::None => "× 1".to_owned(),
        Scale::Factor(factor) => format!("× {}", scene.format().natural(factor)),
    };
    // Linear attention takes no scale.
    if family.normalise != Normalise::Linear {
        piece(ui, scene, Stage::Scale, &[(&scale, None)]);
    }
    if family.softcap.is_some() {
        piece(ui, scene, Stage::Scale, &[(")", None)]);
    }
    if family.bias.is_some() || matches!(family.position, Position::Alibi { .. }) {
        piece(ui, scene, Stage::Scale, &[("+ B", None)]);
    }
    let mask = format!("{} M", parts::mask_operator(scene.shown_problem()));
    piece(ui, scene, Stage::Mask, &[(&mask, None)]);
    if family.sink.is_some() {
        piece(ui, scene, Stage::Softmax, &[(", z]", None)]);
    }
    piece(ui, scene, Stage::Softmax, &[(")", None)]);
    piece(ui, scene, Stage::Weigh, &[("V", Some(Meaning::Value))]);
    if stages.contains(&Stage::Join) {
        let last = if scene.shown_problem().w_o.is_some() { ") W_O" } else { ")" };
        piece(ui, scene, Stage::Join, &[(last, Some(Meaning::Output))]);
    }
}

/// One part of the formula, which leads to its step.
fn piece(ui: &mut Ui, scene: &mut Scene, stage: Stage, parts: &[(&str, Option<Meaning>)]) {
    let current = scene.session.view().stage;
    let later = current.is_some_and(|current| stage > current);
    let mut job = LayoutJob::default();
    for (markup, meaning) in parts {
        let colour = match meaning {
            _ if later => scene.theme.quiet(),
            Some(meaning) => scene.theme.ink(*meaning),
            None => scene.theme.text(),
        };
        typeset::append(&mut job, markup, if scene.narrow { theme::LARGE - 2.0 } else { theme::LARGE + 2.0 }, colour);
    }
    let lit = current == Some(stage);
    let fill = if lit { scene.theme.accent().gamma_multiply(0.22) } else { Color32::TRANSPARENT };
    let response = ui.add(Button::new(job.clone()).fill(fill).stroke(egui::Stroke::NONE));
    typeset::bars(ui, &job, response.rect);
    if lit {
        let rect = response.rect;
        ui.painter().hline(
            rect.x_range().shrink(3.0),
            rect.bottom() - 1.0,
            egui::Stroke::new(2.5, scene.theme.accent()),
        );
    }
    let name = stage_title(scene, stage);
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_label(name.clone());
        node.set_toggled(if lit { egui::accesskit::Toggled::True } else { egui::accesskit::Toggled::False });
    });
    if response.on_hover_text(name).clicked() {
        scene.act(Action::SelectStage(if lit { None } else { Some(stage) }));
    }
}

/// "Step 3 of 6: divide by √d_k".
fn stage_title(scene: &Scene, stage: Stage) -> String {
    let stages = scene.session.stages();
    let number = stages.iter().position(|s| *s == stage).unwrap_or(0) + 1;
    let what = scene.t(&format!("stage-{}", stage.key()));
    scene.tf("step-of", &[("step", number.to_string()), ("steps", stages.len().to_string()), ("what", what)])
}

/// Back, play, forward, and which head; on a narrow screen they stand where a thumb reaches them.
pub fn controls(ui: &mut Ui, scene: &mut Scene) {
    let stages = scene.session.stages();
    let stage = scene.session.view().stage;
    let back = button::named(ui, stage != stages.first().copied(), "←", &scene.t("step-back"));
    if back.clicked() {
        scene.act(Action::StepBy(-1));
    }
    let (face, name) = if scene.playing { ("■", "stop") } else { ("▶", "play") };
    let label = format!("{face} {}", scene.t(name));
    if button::named(ui, true, label, &scene.t(name)).clicked() {
        scene.toggle_play = true;
    }
    if button::named(ui, stage.is_some(), "→", &scene.t("step-forward")).clicked() {
        scene.act(Action::StepBy(1));
    }
    heads(ui, scene);
    mode(ui, scene);
    if stage.is_some() && ui.button(scene.t("show-all")).clicked() {
        scene.act(Action::SelectStage(None));
    }
}

/// Which head the matrices show.
fn heads(ui: &mut Ui, scene: &mut Scene) {
    let heads = scene.shown_problem().heads.query;
    if heads == 1 {
        return;
    }
    ui.label(scene.t("head"));
    for head in 0..heads.min(MOST_HEAD_BUTTONS) {
        let name = scene.tf("head-n", &[("head", head.to_string())]);
        let response = button::choice(ui, scene.head() == head, head.to_string());
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        if response.clicked() {
            scene.act(Action::SelectHead(head));
        }
    }
}

/// More heads than this are chosen in their own panel.
const MOST_HEAD_BUTTONS: usize = 8;

/// A drag that does not scroll must be seen to be on, and be ended with one press.
fn mode(ui: &mut Ui, scene: &mut Scene) {
    let key = match scene.session.view().pointer {
        PointerMode::Point => return,
        PointerMode::Paint => "mode-paint",
        PointerMode::Drag => "mode-drag",
    };
    if button::choice(ui, true, scene.t(key)).clicked() {
        scene.act(Action::SetPointerMode(PointerMode::Point));
    }
}

/// What the current step does, in words and with its sizes.
fn sentence(scene: &Scene) -> String {
    let shapes = scene.shown_problem().shapes();
    let Some(stage) = scene.session.view().stage else {
        return scene.t("sentence-all");
    };
    let applied = &scene.shown_problem().mask_applied;
    let family = &scene.shown_problem().family;
    let is_dot = family.score == Score::Dot && family.normalise != Normalise::Linear;
    let key = match stage {
        Stage::Project if matches!(scene.shown_problem().inputs, crate::attention::Inputs::Projected(_)) => {
            "project-projected".to_owned()
        }
        Stage::Scale if scene.shown_problem().scale != Scale::InverseSqrt => "scale-other".to_owned(),
        Stage::Mask if family.normalise != Normalise::Softmax => "mask-times".to_owned(),
        Stage::Mask if !crate::attention::has_rule(&scene.shown_problem().mask) => "mask-none".to_owned(),
        Stage::Mask if *applied != crate::attention::MaskApplied::BeforeSoftmax => "mask-wrong".to_owned(),
        Stage::Join if scene.shown_problem().w_o.is_none() => "join-only".to_owned(),
        Stage::Scores if !is_dot => "scores-other".to_owned(),
        Stage::Softmax if scene.shown_problem().family.normalise != Normalise::Softmax => "softmax-other".to_owned(),
        stage => stage.key().to_owned(),
    };
    let root = scene.format().natural((shapes.d_k as f64).sqrt());
    let what = scene.tf(
        &format!("sentence-{key}"),
        &[
            ("n", shapes.n.to_string()),
            ("m", shapes.m.to_string()),
            ("d_k", shapes.d_k.to_string()),
            ("d_v", shapes.d_v.to_string()),
            ("root", root),
            ("heads", shapes.heads.query.to_string()),
        ],
    );
    format!("{} — {what}", stage_title(scene, stage))
}
