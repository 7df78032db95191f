//! Shapes and contents: tokens, widths, the scale, optional matrices, fills.

use super::columns;
use crate::attention::{Inputs, Part, Scale, labels};
use crate::exchange::read_number;
use crate::session::{Action, Dimension, Fill, Side};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, Meaning, SMALL};
use crate::ui::widgets::{button, heading, typeset};
use egui::{DragValue, Id, RichText, TextEdit, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[tokens, widths, contents]);
}

fn tokens(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 420.0 });
    heading::heading(ui, 3, scene.t("tokens"));
    let cross = scene.problem().is_cross();
    let shapes = scene.problem().shapes();
    let (queries, keys) = labels(scene.problem(), Part::Weights);
    // In self-attention queries and keys are the same tokens; the shorter list holds the last of them.
    let own = if cross || queries.len() > keys.len() { queries } else { keys.clone() };
    side(ui, scene, Side::Query, "tokens-own", &own);
    if cross {
        side(ui, scene, Side::Key, "tokens-memory", &keys);
    }
    ui.label(
        RichText::new(scene.tf("tokens-count", &[("n", shapes.n.to_string()), ("m", shapes.m.to_string())]))
            .size(SMALL)
            .weak(),
    );
}

fn side(ui: &mut Ui, scene: &mut Scene, side: Side, title: &str, tokens: &[String]) {
    ui.label(RichText::new(scene.t(title)).size(SMALL).weak());
    ui.horizontal_wrapped(|ui| {
        for (index, token) in tokens.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                let name = scene.tf("token-n", &[("index", index.to_string())]);
                if let Some(text) = text_box(ui, Id::unique(("token", side as u8, index)), token, &name, 68.0) {
                    scene.act(Action::SetToken { side, index, text });
                }
                let name = scene.tf("token-remove", &[("token", token.clone())]);
                if button::named(ui, tokens.len() > 1, "×", &name).clicked() {
                    scene.act(Action::RemoveToken { side, index });
                }
            });
        }
        if ui.button(scene.t("token-add")).clicked() {
            scene.act(Action::AddToken(side));
        }
    });
}

/// A text box that hands over its text when it is left or Enter is pressed. Escape takes back.
fn text_box(ui: &mut Ui, id: Id, value: &str, name: &str, width: f32) -> Option<String> {
    let mut text = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_else(|| value.to_owned());
    let escape = ui.memory(|memory| memory.has_focus(id)) && ui.input(|input| input.key_pressed(egui::Key::Escape));
    let response = ui.add(TextEdit::singleline(&mut text).id(id).desired_width(width));
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
    if response.has_focus() {
        ui.data_mut(|data| data.insert_temp(id, text));
        return None;
    }
    ui.data_mut(|data| data.remove::<String>(id));
    (response.lost_focus() && !escape && text != value).then_some(text)
}

fn widths(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("widths"));
    let shapes = scene.problem().shapes();
    dimension(ui, scene, "d_k", Dimension::DK, shapes.d_k);
    dimension(ui, scene, "d_v", Dimension::DV, shapes.d_v);
    if let Some(d_model) = shapes.d_model {
        dimension(ui, scene, "d_model", Dimension::DModel, d_model);
        if scene.problem().is_cross()
            && let Some(d_kv) = shapes.d_kv
        {
            dimension(ui, scene, "d_kv", Dimension::DKv, d_kv);
        }
    }
    if scene.problem().w_o.is_some() {
        dimension(ui, scene, "d_out", Dimension::DOut, shapes.d_out);
    }
    ui.add_space(8.0);
    scale(ui, scene);
}

/// A width that can be typed or dragged.
pub fn dimension(ui: &mut Ui, scene: &mut Scene, name: &str, dimension: Dimension, now: usize) {
    ui.horizontal(|ui| {
        let mut size = now;
        let response = ui.add(DragValue::new(&mut size).range(1..=crate::attention::MOST_WIDTH).speed(0.05));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        ui.label(name);
        if size != now {
            scene.act(Action::Resize { dimension, size });
        }
    });
}

/// A number under the name of a setting, in any notation; what is no number is said.
pub fn number_box(ui: &mut Ui, scene: &mut Scene, key: &'static str, now: f64) -> Option<f64> {
    let name = scene.t(key);
    let typed = ui.horizontal(|ui| {
        ui.label(RichText::new(&name).size(SMALL).weak());
        text_box(ui, Id::unique(("number", key)), &now.to_string(), &name, 84.0)
    });
    match read_number(&typed.inner?) {
        Ok(value) => Some(value),
        Err(error) => {
            scene.act(Action::Refuse(crate::session::Notice::NotASetting { name: key, error }));
            None
        }
    }
}

fn scale(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("scale"));
    let now = scene.problem().scale;
    let factor = match now {
        Scale::InverseSqrt => 1.0 / (scene.problem().shapes().d_k as f64).sqrt(),
        Scale::None => 1.0,
        Scale::Factor(factor) => factor,
    };
    ui.horizontal_wrapped(|ui| {
        let face = typeset::formula("1/√d_k", BODY + 1.0, scene.theme.text());
        let response = button::choice(ui, now == Scale::InverseSqrt, face.clone());
        typeset::bars(ui, &face, response.rect);
        if response.clicked() {
            scene.act(Action::SetScale(Scale::InverseSqrt));
        }
        if button::choice(ui, now == Scale::None, scene.t("scale-none")).clicked() {
            scene.act(Action::SetScale(Scale::None));
        }
        if let Some(factor) = number_box(ui, scene, "scale-factor", factor) {
            scene.act(Action::SetScale(Scale::Factor(factor)));
        }
    });
}

/// Which optional matrices are there, and ready-made contents for the one that is worked on.
fn contents(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("contents"));
    let problem = scene.problem();
    let mut optional = vec![(Part::WO, problem.w_o.is_some())];
    if problem.w_o.is_some() {
        optional.push((Part::BO, problem.b_o.is_some()));
    }
    if let Inputs::Projected(p) = &problem.inputs {
        optional.extend([(Part::BQ, p.b_q.is_some()), (Part::BK, p.b_k.is_some()), (Part::BV, p.b_v.is_some())]);
    }
    ui.horizontal_wrapped(|ui| {
        for (part, present) in optional {
            let mut on = present;
            if ui.checkbox(&mut on, parts::name(scene, part)).changed() {
                scene.act(Action::SetPresent { part, present: on });
            }
        }
    });
    let inputs: Vec<Part> = Part::ALL.into_iter().filter(|part| part.is_input(scene.problem())).collect();
    let there = |part: &Part| parts::shown(scene.problem(), scene.session.trace(), *part, scene.head()).is_some();
    let inputs: Vec<Part> = inputs.into_iter().filter(there).collect();
    egui::Grid::new("fills").spacing([8.0, 4.0]).show(ui, |ui| {
        for part in inputs {
            ui.label(RichText::new(parts::name(scene, part)).color(scene.theme.ink(Meaning::of(part))));
            let fills = [
                ("fill-zeros", Fill::Zeros),
                ("fill-identity", Fill::Identity),
                ("fill-normal", Fill::Normal { seed: seed(ui, part) }),
            ];
            for (key, fill) in fills {
                let name = scene.tf("fill-name", &[("matrix", parts::name(scene, part)), ("fill", scene.t(key))]);
                let response = ui.button(scene.t(key));
                ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
                if response.clicked() {
                    scene.act(Action::Fill { part, head: scene.head(), fill });
                    if matches!(fill, Fill::Normal { .. }) {
                        next_seed(ui, part);
                    }
                }
            }
            ui.label(RichText::new(scene.tf("fill-seed", &[("seed", seed(ui, part).to_string())])).size(SMALL).weak());
            ui.end_row();
        }
    });
}

/// The seed that the next normal fill of a matrix takes; each use counts it up, so that a second click draws anew.
fn seed(ui: &Ui, part: Part) -> u64 {
    ui.data(|data| data.get_temp(Id::unique(("seed", part)))).unwrap_or(1)
}

fn next_seed(ui: &Ui, part: Part) {
    let next = seed(ui, part) + 1;
    ui.data_mut(|data| data.insert_temp(Id::unique(("seed", part)), next));
}
