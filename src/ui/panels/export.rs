//! Take away: any matrix, the whole trace, and programs that compute the same numbers.

use super::columns;
use crate::attention::Part;
use crate::code::{self, MaskMeaning, PyTorchOptions};
use crate::exchange::{MatrixFormat, trace_npz, write_matrix};
use crate::platform::File;
use crate::ui::parts;
use crate::ui::scene::{Request, Scene};
use crate::ui::theme::SMALL;
use crate::ui::widgets::{button, heading};
use egui::{ComboBox, Id, Label, RichText, ScrollArea, TextEdit, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[matrix, program]);
}

fn matrix(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 340.0 });
    heading::heading(ui, 3, scene.t("export-matrix"));
    let there = |part: &Part| parts::shown(scene.problem(), scene.session.trace(), *part, scene.head()).is_some();
    let all: Vec<Part> = Part::ALL.into_iter().filter(there).collect();
    let id = Id::unique("export part");
    let looked = scene.session.view().pinned.map(|place| match place.part {
        // Where heads are not joined the context is shown as the output.
        Part::Context if !scene.problem().joins_heads() => Part::Output,
        part => part,
    });
    let chosen = ui.data(|data| data.get_temp::<Part>(id)).or(looked);
    let mut part = chosen.filter(|part| all.contains(part)).unwrap_or(Part::Weights);
    let title = step_name(scene, part);
    let combo = ComboBox::from_id_salt("export part").selected_text(title.clone()).width(180.0).show_ui(ui, |ui| {
        for one in all {
            if ui.selectable_label(one == part, step_name(scene, one)).clicked() {
                part = one;
                ui.data_mut(|data| data.insert_temp(id, one));
            }
        }
    });
    let name = scene.t("export-which");
    ui.ctx().accesskit_node_builder(combo.response.id, |node| {
        node.set_label(name);
        node.set_value(title);
    });
    let Some(shown) = parts::shown(scene.problem(), scene.session.trace(), part, scene.head()) else { return };
    let several_heads = part.is_per_head() && scene.problem().heads.query > 1;
    let id = Id::unique("export format");
    let mut format = ui.data(|data| data.get_temp::<MatrixFormat>(id)).unwrap_or(MatrixFormat::Csv);
    ui.horizontal_wrapped(|ui| {
        for one in MatrixFormat::ALL {
            if button::choice(ui, one == format, scene.t(&format!("format-{}", one.key()))).clicked() {
                format = one;
            }
        }
    });
    ui.data_mut(|data| data.insert_temp(id, format));
    let written = with_digits(format, scene);
    let head = if several_heads { format!("_{}", scene.head()) } else { String::new() };
    let file = format!("{}{head}.{}", part.key(), format.extension());
    ui.horizontal(|ui| {
        let kind = scene.t(&format!("format-{}", format.key()));
        let save = button::named(ui, true, scene.t("save"), &scene.tf("save-as", &[("kind", kind.clone())]));
        if save.clicked() {
            let bytes = write_matrix(&shown.values, written);
            scene.ask(Request::HandOver(File::new(file.clone(), format.mime(), bytes)));
        }
        let is_text = format != MatrixFormat::Npy;
        if button::named(ui, is_text, scene.t("copy"), &scene.tf("copy-as", &[("kind", kind)])).clicked() {
            let text = String::from_utf8_lossy(&write_matrix(&shown.values, written)).into_owned();
            scene.ask(Request::Copy(text));
        }
        ui.label(RichText::new(file).size(SMALL).weak());
    });
    ui.add_space(8.0);
    heading::heading(ui, 3, scene.t("export-trace"));
    ui.horizontal_wrapped(|ui| {
        if button::named(ui, true, "JSON", &scene.tf("export-trace-as", &[("kind", "JSON".to_owned())])).clicked() {
            let bytes = scene.session.trace().to_json().into_bytes();
            scene.ask(Request::HandOver(File::new("trace.json".to_owned(), "application/json", bytes)));
        }
        if button::named(ui, true, ".npz", &scene.tf("export-trace-as", &[("kind", ".npz".to_owned())])).clicked() {
            let bytes = trace_npz(scene.session.trace());
            scene.ask(Request::HandOver(File::new("trace.npz".to_owned(), "application/zip", bytes)));
        }
    });
    ui.add(Label::new(RichText::new(scene.t("export-help")).size(SMALL).weak()).wrap());
}

/// For people the digits that are shown; for programs all of them.
fn with_digits(format: MatrixFormat, scene: &Scene) -> MatrixFormat {
    let digits = Some(usize::from(scene.session.view().digits));
    match format {
        MatrixFormat::Markdown { .. } => MatrixFormat::Markdown { digits },
        MatrixFormat::Latex { .. } => MatrixFormat::Latex { digits },
        other => other,
    }
}

fn step_name(scene: &Scene, part: Part) -> String {
    scene.t(&format!("part-{}", part.key().replace('_', "-")))
}

/// The programs, by what they are written for.
#[derive(Clone, Copy, PartialEq)]
enum Program {
    NumPy,
    PyTorch,
    Rust,
}

fn program(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 760.0 });
    heading::heading(ui, 3, scene.t("code"));
    let id = Id::unique("export program");
    let (mut program, mut mask) = ui.data(|data| data.get_temp(id)).unwrap_or((Program::NumPy, MaskMeaning::Visible));
    let mut wanted = None;
    ui.horizontal_wrapped(|ui| {
        for (one, name) in [(Program::NumPy, "NumPy"), (Program::PyTorch, "PyTorch"), (Program::Rust, "Rust")] {
            if button::choice(ui, program == one, name).clicked() {
                program = one;
            }
        }
        wanted = Some((ui.button(scene.t("code-copy")).clicked(), ui.button(scene.t("code-save")).clicked()));
    });
    if program == Program::PyTorch && crate::attention::has_rule(&scene.problem().mask) {
        ui.horizontal_wrapped(|ui| {
            for (one, key) in [(MaskMeaning::Visible, "mask-one-visible"), (MaskMeaning::Hidden, "mask-true-hidden")] {
                if button::choice(ui, mask == one, scene.t(key)).clicked() {
                    mask = one;
                }
            }
        });
    }
    ui.data_mut(|data| data.insert_temp(id, (program, mask)));
    let (text, file) = match program {
        Program::NumPy => (code::numpy(scene.problem()), "attention.py"),
        Program::PyTorch => (code::pytorch(scene.problem(), &PyTorchOptions { mask }), "attention_torch.py"),
        Program::Rust => (code::rust(scene.problem()), "attention.rs"),
    };
    ScrollArea::both().id_salt("code").max_height(420.0).show(ui, |ui| {
        let mut shown = text.as_str();
        let response = ui.add(TextEdit::multiline(&mut shown).desired_width(f32::INFINITY).desired_rows(12));
        let name = scene.t("code");
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(name));
    });
    match wanted {
        Some((true, _)) => scene.ask(Request::Copy(text)),
        Some((_, true)) => scene.ask(Request::HandOver(File::new(file.to_owned(), "text/plain", text.into_bytes()))),
        _ => {}
    }
}
