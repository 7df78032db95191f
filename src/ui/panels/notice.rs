//! What the last action has to say: one strip that covers nothing.

use crate::attention::ProblemError;
use crate::exchange::{FileError, TakeError};
use crate::session::{Action, LinkError, MaskMeaning, Notice, Panel, Pasted};
use crate::ui::parts;
use crate::ui::scene::{Request, Scene};
use crate::ui::theme::Meaning;
use crate::ui::widgets::{button, live};
use egui::{Frame, RichText, Stroke, Ui};

/// So many errors are listed; the rest is counted.
const MOST: usize = 6;

/// Escape takes a paste back, Enter takes one that waits. Before the matrices, which know these keys too.
pub fn keys(ui: &Ui, scene: &mut Scene) {
    if ui.ctx().text_edit_focused() {
        return;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key));
    match scene.session.notice() {
        Some(Notice::Pasted(_)) if pressed(egui::Key::Escape) => scene.act(Action::Undo),
        Some(Notice::Waiting { .. }) if pressed(egui::Key::Enter) => scene.act(Action::TakePaste),
        Some(Notice::Waiting { .. }) if pressed(egui::Key::Escape) => scene.act(Action::DismissNotice),
        _ => {}
    }
}

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let Some(notice) = scene.session.notice().cloned() else { return };
    let good = matches!(
        notice,
        Notice::Pasted(_)
            | Notice::MaskMeaning(_)
            | Notice::Waiting { .. }
            | Notice::Linked
            | Notice::Kept(_)
            | Notice::HandedOver(_)
            | Notice::SetAside { .. }
            | Notice::CameBack(_)
            | Notice::PartTaken { .. }
    );
    let colour = scene.theme.mark(if good { Meaning::Passed } else { Meaning::Leak });
    let frame =
        Frame::new().fill(scene.theme.raised()).stroke(Stroke::new(1.5, colour)).corner_radius(6).inner_margin(10);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let text = text(scene, &notice);
        live::live(ui, RichText::new(&text), &text);
        ui.horizontal_wrapped(|ui| {
            match notice {
                Notice::Pasted(_) if ui.button(scene.t("paste-take-back")).clicked() => scene.act(Action::Undo),
                Notice::Waiting { .. } if ui.button(scene.t("paste-take")).clicked() => {
                    scene.act(Action::TakePaste);
                }
                Notice::Linked => {
                    if ui.button(scene.t("link-keep")).clicked() {
                        scene.act(Action::KeepLinked);
                    }
                    if ui.button(scene.t("link-leave")).clicked() {
                        scene.ask(Request::LeaveLink);
                    }
                }
                Notice::PartTaken { .. } if ui.button(scene.t("part-back")).clicked() => {
                    scene.act(Action::OpenPanel(Panel::Long));
                }
                Notice::MaskMeaning(_) => {
                    if ui.button(scene.t("mask-one-visible")).clicked() {
                        scene.act(Action::PasteMask(MaskMeaning::OneIsVisible));
                    }
                    if ui.button(scene.t("mask-true-hidden")).clicked() {
                        scene.act(Action::PasteMask(MaskMeaning::OneIsHidden));
                    }
                }
                _ => {}
            }
            if button::named(ui, true, scene.t("dismiss"), &scene.t("dismiss")).clicked() {
                scene.act(Action::DismissNotice);
            }
        });
    });
    ui.add_space(8.0);
}

/// Parts of the formula by their names.
fn listed(scene: &Scene, keys: &[&str]) -> String {
    let names: Vec<String> = keys.iter().map(|key| scene.t(&format!("family-{key}"))).collect();
    names.join(", ")
}

fn text(scene: &Scene, notice: &Notice) -> String {
    let filled = |key: &str, args: Vec<(&'static str, String)>| scene.tf(key, &args);
    match notice {
        Notice::NotRestored(why) => scene.tf("not-restored", &[("why", why.clone())]),
        Notice::Refused(errors) => {
            let mut lines: Vec<String> = errors.iter().take(MOST).map(|error| problem_error(scene, error)).collect();
            if errors.len() > MOST {
                lines.push(scene.tf("errors-more", &[("more", (errors.len() - MOST).to_string())]));
            }
            format!("{}\n{}", scene.t("refused"), lines.join("\n"))
        }
        Notice::NotABlock(error) => {
            format!("{} {}", scene.t("not-a-block"), filled(&format!("block-{}", error.key()), error.args()))
        }
        Notice::Pasted(pasted) => how_read(scene, "pasted", pasted),
        Notice::Waiting { pasted, .. } => how_read(scene, "waiting", pasted),
        Notice::NotLinked(error) => {
            let mut lines =
                vec![scene.tf("not-linked", &[("why", filled(&format!("link-{}", error.key()), error.args()))])];
            if let LinkError::Problem { errors } = error {
                lines.extend(errors.iter().take(MOST).map(|error| problem_error(scene, error)));
            }
            lines.join("\n")
        }
        Notice::Linked => scene.t("linked"),
        Notice::Kept(name) => scene.tf("state-kept", &[("name", name.clone())]),
        Notice::HandedOver(path) => scene.tf("handed-over", &[("path", path.clone())]),
        Notice::NotHandedOver(why) => scene.tf("not-handed-over", &[("why", why.clone())]),
        Notice::NotAFile { name, error } => {
            let why = match error {
                FileError::Block(error) => {
                    format!("{name}: {}", filled(&format!("block-{}", error.key()), error.args()))
                }
                error => filled(&format!("file-{}", error.key()), error.args()),
            };
            scene.tf("not-a-file", &[("why", why)])
        }
        Notice::NotTaken(error) => take_error(scene, error),
        Notice::PartTaken { rows, keys } => {
            let span = |range: &std::ops::Range<usize>| format!("{}–{}", range.start, range.end - 1);
            scene.tf("part-taken", &[("rows", span(rows)), ("keys", span(keys))])
        }
        Notice::NotGiven(error) => super::long::error::text(scene, error),
        Notice::MaskMeaning(block) => {
            let (rows, columns) = block.values.shape();
            scene.tf("mask-meaning", &[("rows", rows.to_string()), ("columns", columns.to_string())])
        }
        Notice::NotANumber { place, error } => {
            let why = filled(&format!("number-{}", error.key()), error.args());
            format!("{}: {why}", parts::cell_name(scene, *place))
        }
        Notice::NotASetting { name, error } => {
            format!("{}: {}", scene.t(name), filled(&format!("number-{}", error.key()), error.args()))
        }
        Notice::NotDivisible { matrix, width, heads } => scene.tf(
            "not-divisible",
            &[
                ("matrix", scene.t(&format!("divided-{matrix}"))),
                ("width", width.to_string()),
                ("heads", heads.to_string()),
            ],
        ),
        Notice::NotEditable(part) => scene.tf("not-editable", &[("matrix", parts::name(scene, *part))]),
        Notice::MaskShape { found, expected } => scene.tf(
            "mask-shape",
            &[("found", format!("{}×{}", found.0, found.1)), ("expected", format!("{}×{}", expected.0, expected.1))],
        ),
        Notice::SetAside { variant, parts } => scene.tf(
            "set-aside",
            &[("variant", scene.t(&format!("normalise-{}", variant.key()))), ("parts", listed(scene, parts))],
        ),
        Notice::CameBack(parts) => scene.tf("came-back", &[("parts", listed(scene, parts))]),
        Notice::NotAMask => scene.t("not-a-mask"),
        Notice::NoSuchSize { found, least, most } => scene.tf(
            "no-such-size",
            &[("found", found.to_string()), ("least", least.to_string()), ("most", most.to_string())],
        ),
    }
}

/// Why tensors make no problem.
pub fn take_error(scene: &Scene, error: &TakeError) -> String {
    let mut lines = vec![scene.tf(&format!("take-{}", error.key()), &error.args())];
    if let TakeError::Problem(errors) = error {
        lines.extend(errors.iter().take(MOST).map(|error| problem_error(scene, error)));
    }
    lines.join("\n")
}

/// One thing that is wrong with a problem, and where.
pub fn problem_error(scene: &Scene, error: &ProblemError) -> String {
    let why = scene.tf(&format!("error-{}", error.kind.key()), &error.kind.args());
    format!("{}: {why}", error.place)
}

/// How a pasted block was read, and where it went.
fn how_read(scene: &Scene, key: &str, pasted: &Pasted) -> String {
    let format = scene.format();
    let first = pasted.first.iter().map(|value| format.natural(*value)).collect::<Vec<_>>().join("  ");
    let kind = scene.t(&format!("block-kind-{}", pasted.kind.key()));
    let text = scene.tf(
        key,
        &[
            ("kind", kind),
            ("shape", format!("{}×{}", pasted.rows, pasted.columns)),
            ("cell", parts::cell_name(scene, pasted.place)),
            ("first", first),
        ],
    );
    let text = if pasted.decimal_comma { format!("{text} {}", scene.t("pasted-comma")) } else { text };
    match pasted.grown_to {
        Some((rows, columns)) => {
            let shape = format!("{rows}×{columns}");
            format!("{text} {}", scene.tf(&format!("{key}-grown"), &[("shape", shape)]))
        }
        None => text,
    }
}
