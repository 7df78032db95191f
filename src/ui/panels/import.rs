//! The tensors of a file: which is q, k, v, x or a weight, which axes are batch and heads, and which slice is taken.

use super::notice::take_error;
use crate::exchange::{Pick, Role, Tensor, shape_after, shape_before};
use crate::session::{Action, Import};
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::{heading, live};
use egui::{ComboBox, DragValue, Label, RichText, Ui};

/// So many tensors are shown at once; a search narrows them.
const MOST: usize = 60;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let Some(import) = scene.session.import() else { return };
    heading::heading(ui, 3, scene.tf("import", &[("name", import.name.clone())]));
    outcome(ui, scene, &import);
    ui.add_space(8.0);
    let wanted = search(ui, scene, &import);
    let found: Vec<usize> = (0..import.tensors.len())
        .filter(|index| import.tensors[*index].name.to_lowercase().contains(&wanted))
        .collect();
    for index in found.iter().copied().take(MOST) {
        tensor(ui, scene, &import, index);
    }
    if found.len() > MOST {
        let more = scene.tf("import-more", &[("more", (found.len() - MOST).to_string())]);
        ui.label(RichText::new(more).size(SMALL).weak());
    }
}

fn search(ui: &mut Ui, scene: &Scene, import: &Import) -> String {
    let id = egui::Id::unique("import search");
    let mut wanted = ui.data(|data| data.get_temp::<String>(id)).unwrap_or_default();
    if import.tensors.len() > 8 {
        let name = scene.t("import-search");
        let response = ui.add(egui::TextEdit::singleline(&mut wanted).id(id.with("box")).hint_text(&name));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        ui.data_mut(|data| data.insert_temp(id, wanted.clone()));
        return wanted.to_lowercase();
    }
    String::new()
}

/// What the picks make together, and the button that takes it.
fn outcome(ui: &mut Ui, scene: &mut Scene, import: &Import) {
    match &import.problem {
        Ok(problem) => {
            let shapes = problem.shapes();
            let values = [
                ("n", shapes.n.to_string()),
                ("m", shapes.m.to_string()),
                ("d_k", shapes.d_k.to_string()),
                ("heads", shapes.heads.query.to_string()),
                ("shared", shapes.heads.key_value.to_string()),
            ];
            let text = scene.tf("import-makes", &values);
            live::live(ui, RichText::new(&text).color(scene.theme.ink(Meaning::Passed)), &text);
            if import.picks.iter().any(|pick| pick.role == Role::Weights) {
                ui.add(Label::new(RichText::new(scene.t("import-weights-help")).size(SMALL).weak()).wrap());
            }
        }
        Err(error) => {
            let text = if import.picks.is_empty() { scene.t("import-help") } else { take_error(scene, error) };
            live::live(ui, RichText::new(&text), &text);
        }
    }
    ui.horizontal_wrapped(|ui| {
        if ui.add_enabled(import.problem.is_ok(), egui::Button::new(scene.t("import-take"))).clicked() {
            scene.act(Action::TakeImport);
        }
        let has = |role: Role| import.picks.iter().any(|pick| pick.role == role);
        if [Role::Q, Role::K, Role::V].into_iter().all(has) && ui.button(scene.t("import-give")).clicked() {
            scene.act(Action::GiveImport);
        }
        if ui.button(scene.t("import-drop")).clicked() {
            scene.act(Action::DropImport);
        }
    });
}

fn tensor(ui: &mut Ui, scene: &mut Scene, import: &Import, index: usize) {
    let tensor = &import.tensors[index];
    let pick = import.pick(index);
    ui.horizontal_wrapped(|ui| {
        let shape = tensor.shape.iter().map(usize::to_string).collect::<Vec<_>>().join("×");
        ui.label(RichText::new(&tensor.name).color(scene.theme.text()));
        ui.label(RichText::new(format!("({shape}) {}", tensor.element.key())).size(SMALL).weak());
        role(ui, scene, import, index, pick);
        if let Some(pick) = pick {
            axes(ui, scene, tensor, pick);
        }
    });
    if let Some(pick) = pick {
        ui.horizontal_wrapped(|ui| {
            ui.add_space(24.0);
            slice(ui, scene, tensor, pick);
            shapes(ui, scene, tensor, pick);
            let put = pick.role != Role::Weights && ui.button(scene.t("import-put")).clicked();
            if put {
                scene.act(Action::PutTensor(index));
            }
        });
    }
}

fn role_name(scene: &Scene, role: Option<Role>) -> String {
    match role {
        None => scene.t("import-not-used"),
        Some(Role::Weights) => scene.t("import-weights"),
        Some(role) => scene.t(&format!("part-{}", role.key().replace('_', "-"))),
    }
}

fn role(ui: &mut Ui, scene: &mut Scene, import: &Import, index: usize, pick: Option<&Pick>) {
    let now = pick.map(|pick| pick.role);
    let title = role_name(scene, now);
    let combo = ComboBox::from_id_salt(("role", index)).selected_text(title.clone()).width(150.0).show_ui(ui, |ui| {
        for role in std::iter::once(None).chain(Role::ALL.map(Some)) {
            if ui.selectable_label(role == now, role_name(scene, role)).clicked() && role != now {
                let pick = role.map(|role| import.suggestion(index, role));
                scene.act(Action::SetPick { tensor: index, pick });
            }
        }
    });
    let name = scene.tf("import-role", &[("name", import.tensors[index].name.clone())]);
    ui.ctx().accesskit_node_builder(combo.response.id, |node| {
        node.set_label(name);
        node.set_value(title);
    });
}

/// What each axis is: one index of a batch, the heads, or one of the two of the matrix.
fn axes(ui: &mut Ui, scene: &mut Scene, tensor: &Tensor, pick: &Pick) {
    if tensor.shape.len() < 3 {
        return;
    }
    for (axis, size) in tensor.shape.iter().copied().enumerate() {
        let index = pick.batch.iter().find(|(at, _)| *at == axis).map(|(_, index)| *index);
        let is_head = pick.head == Some(axis);
        let key = match (index, is_head) {
            (Some(_), _) => "axis-batch",
            (None, true) => "axis-heads",
            (None, false) => "axis-matrix",
        };
        let title = scene.t(key);
        let name = scene.tf("axis-n", &[("axis", axis.to_string()), ("size", size.to_string())]);
        ui.label(RichText::new(&name).size(SMALL).weak());
        let id = ("axis", pick.tensor, axis);
        let combo = ComboBox::from_id_salt(id).selected_text(title.clone()).width(90.0).show_ui(ui, |ui| {
            for choice in ["axis-matrix", "axis-heads", "axis-batch"] {
                if ui.selectable_label(choice == key, scene.t(choice)).clicked() && choice != key {
                    let mut changed = pick.clone();
                    changed.batch.retain(|(at, _)| *at != axis);
                    if is_head {
                        changed.head = None;
                    }
                    match choice {
                        "axis-heads" => changed.head = Some(axis),
                        "axis-batch" => changed.batch.push((axis, 0)),
                        _ => {}
                    }
                    changed.take_all(tensor);
                    scene.act(Action::SetPick { tensor: pick.tensor, pick: Some(changed) });
                }
            }
        });
        ui.ctx().accesskit_node_builder(combo.response.id, |node| {
            node.set_label(name.clone());
            node.set_value(title);
        });
        if let Some(index) = index {
            let mut wanted = index;
            let response = ui.add(DragValue::new(&mut wanted).range(0..=size.saturating_sub(1)).speed(0.05));
            let name = scene.tf("axis-index", &[("axis", axis.to_string())]);
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
            if wanted != index {
                let mut changed = pick.clone();
                for (at, index) in &mut changed.batch {
                    if *at == axis {
                        *index = wanted;
                    }
                }
                scene.act(Action::SetPick { tensor: pick.tensor, pick: Some(changed) });
            }
        }
    }
}

/// Which rows and columns are taken, whether they are swapped, and how many heads lie side by side.
fn slice(ui: &mut Ui, scene: &mut Scene, tensor: &Tensor, pick: &Pick) {
    let mut changed = pick.clone();
    if let Ok((rows, columns)) = shape_before(tensor, pick) {
        let (rows, columns) = if pick.transpose { (columns, rows) } else { (rows, columns) };
        let bound = |ui: &mut Ui, value: &mut usize, most: usize, key: &str| {
            let response = ui.add(DragValue::new(value).range(0..=most).speed(0.1));
            let name = format!("{}: {}", tensor.name, scene.t(key));
            ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
        };
        if !pick.role.is_bias() {
            ui.label(RichText::new(scene.t("import-rows")).size(SMALL));
            bound(ui, &mut changed.rows.start, rows, "import-rows-from");
            ui.label("…");
            bound(ui, &mut changed.rows.end, rows, "import-rows-to");
        }
        ui.label(RichText::new(scene.t("import-columns")).size(SMALL));
        bound(ui, &mut changed.columns.start, columns, "import-columns-from");
        ui.label("…");
        bound(ui, &mut changed.columns.end, columns, "import-columns-to");
    }
    if !pick.role.is_bias() && ui.checkbox(&mut changed.transpose, scene.t("import-transpose")).changed() {
        changed.take_all(tensor);
    }
    if pick.head.is_none() && !matches!(pick.role, Role::X | Role::XKv | Role::BO) {
        ui.label(RichText::new(scene.t("import-heads")).size(SMALL));
        let response = ui.add(DragValue::new(&mut changed.heads).range(1..=64).speed(0.05));
        let name = format!("{}: {}", tensor.name, scene.t("import-heads"));
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
    }
    if changed != *pick {
        scene.act(Action::SetPick { tensor: pick.tensor, pick: Some(changed) });
    }
}

fn shapes(ui: &mut Ui, scene: &Scene, tensor: &Tensor, pick: &Pick) {
    let shape = |(rows, columns): (usize, usize)| format!("{rows}×{columns}");
    let text = RichText::new(match (shape_before(tensor, pick), shape_after(tensor, pick)) {
        (Ok(before), Ok(after)) => scene.tf("import-shapes", &[("before", shape(before)), ("after", shape(after))]),
        (Err(error), _) | (_, Err(error)) => {
            let why = take_error(scene, &error);
            ui.label(RichText::new(why).size(SMALL));
            return;
        }
    });
    // Both shapes on one line, even if it is the next.
    ui.add(Label::new(text.size(SMALL)).extend());
}
