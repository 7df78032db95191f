//! Compare: a state A is held, B is changed; every matrix shows A, B or B − A.

use crate::attention::{Causal, Mask, MaskApplied, Part, Scale, labels};
use crate::session::{Action, Change, Compared, changes};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use crate::ui::widgets::{button, heading, live};
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("compare"));
    let Some((held, _)) = scene.session.held() else {
        ui.add(Label::new(scene.t("compare-help")).wrap());
        if ui.button(scene.t("compare-hold")).clicked() {
            scene.act(Action::Hold);
        }
        return;
    };
    let list = changes(held, scene.problem());
    ui.horizontal_wrapped(|ui| {
        for compared in Compared::ALL {
            let name = scene.t(&format!("compare-{}", compared.key()));
            if button::choice(ui, scene.compared() == *compared, name).clicked() {
                scene.act(Action::ShowCompared(*compared));
            }
        }
        ui.add_space(16.0);
        if ui.button(scene.t("compare-hold-anew")).clicked() {
            scene.act(Action::Hold);
        }
        if ui.button(scene.t("compare-release")).clicked() {
            scene.act(Action::Release);
        }
    });
    ui.add_space(8.0);
    heading::heading(ui, 3, scene.t("compare-changes"));
    let lines: Vec<String> = list.iter().map(|change| in_words(scene, change)).collect();
    let text = if lines.is_empty() { scene.t("compare-no-change") } else { lines.join("\n") };
    live::live(ui, RichText::new(&text), &text);
    ui.add(Label::new(RichText::new(scene.t("compare-note")).size(SMALL).weak()).wrap());
}

/// A change as a sentence.
fn in_words(scene: &Scene, change: &Change) -> String {
    let number = |value: f64| value.to_string().replace('-', "−");
    let shape = |(rows, columns): (usize, usize)| format!("{rows}×{columns}");
    let matrix = |part: Part| ("matrix", parts::name(scene, part));
    let values = match change {
        Change::Title | Change::Tokens | Change::Form => Vec::new(),
        Change::Mask { from, to } => vec![("from", rules(scene, from)), ("to", rules(scene, to))],
        Change::Heads { from, to } => vec![
            ("from", format!("{} / {}", from.query, from.key_value)),
            ("to", format!("{} / {}", to.query, to.key_value)),
        ],
        Change::Scale { from, to } => vec![("from", scale(scene, *from)), ("to", scale(scene, *to))],
        Change::Family { key } => vec![("key", (*key).to_owned())],
        Change::Added(part) | Change::Removed(part) => vec![matrix(*part)],
        Change::Shape { part, from, to } => vec![matrix(*part), ("from", shape(*from)), ("to", shape(*to))],
        Change::Cell { part, row, column, from, to } => {
            let (rows, _) = labels(scene.problem(), *part);
            let row = rows.get(*row).cloned().unwrap_or_else(|| row.to_string());
            let cell = format!("{}[{row}, {column}]", parts::name(scene, *part));
            vec![("cell", cell), ("from", number(*from)), ("to", number(*to))]
        }
        Change::Cells { part, count, most } => {
            vec![matrix(*part), ("count", count.to_string()), ("most", scene.format().natural(*most))]
        }
        Change::MaskApplied { from, to } => vec![("from", applied(scene, *from)), ("to", applied(scene, *to))],
    };
    scene.tf(&format!("change-{}", change.key()), &values)
}

/// The rules of a mask, in the words of the mask panel.
fn rules(scene: &Scene, mask: &Mask) -> String {
    let mut said = match mask.causal {
        Causal::None => Vec::new(),
        Causal::UpperLeft => vec![scene.t("mask-preset-causal")],
        Causal::LowerRight => vec![scene.t("mask-preset-lower-right")],
    };
    if let Some(window) = mask.window {
        let side = |side: Option<usize>| side.map_or("∞".to_owned(), |side| side.to_string());
        said.push(format!("{} {} / {}", scene.t("mask-preset-window"), side(window.left), side(window.right)));
    }
    if mask.key_padding.as_ref().is_some_and(|real| real.contains(&false)) {
        said.push(scene.t("compare-padding"));
    }
    if mask.allow.is_some() {
        said.push(scene.t("compare-painted"));
    }
    if said.is_empty() { scene.t("mask-preset-none") } else { said.join(" + ") }
}

fn scale(scene: &Scene, scale: Scale) -> String {
    match scale {
        Scale::InverseSqrt => "1/√d_k".to_owned(),
        Scale::None => scene.t("scale-none"),
        Scale::Factor(factor) => factor.to_string(),
    }
}

fn applied(scene: &Scene, applied: MaskApplied) -> String {
    scene.t(&format!("applied-{}", applied.key().replace('_', "-")))
}
