//! FlashAttention: the problem's scores block by block, with the running maximum, sum and output of each row.
//!
//! `numbers` writes a block out, `traffic` counts what moves.

mod numbers;
mod traffic;

use super::{set, slider, stepper};
use crate::attention::{Flash, Part, TOLERANCE, applied};
use crate::session::Blocks;
use crate::ui::panels::{columns, notice};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::live;
use crate::ui::widgets::matrix::{MatrixEvent, MatrixView};
use egui::{Id, Label, RichText, Stroke, StrokeKind, Ui};
use std::ops::Range;
use std::rc::Rc;

pub use traffic::grouped;

/// Of a column.
const WIDTH: f32 = 320.0;
/// Of the picture of all scores.
const SCORES: f32 = 396.0;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[controls, scores, numbers::show]);
    columns(ui, scene, &[traffic::show, traffic::chart]);
}

/// The settings, brought into what this problem has.
fn settings(scene: &Scene) -> Blocks {
    let now = scene.session.view().explore.blocks;
    let shapes = scene.problem().shapes();
    let (rows, keys) = (now.rows.clamp(1, shapes.n), now.keys.clamp(1, shapes.m));
    let last = shapes.n.div_ceil(rows) * shapes.m.div_ceil(keys) - 1;
    let at = now.at.min(last);
    let first = at / shapes.m.div_ceil(keys) * rows;
    Blocks { rows, keys, at, row: now.row.min(rows.min(shapes.n - first) - 1), ..now }
}

/// What is stepped through; nothing where the problem cannot be.
fn stepped(scene: &Scene) -> Option<Rc<Result<Flash, Vec<crate::attention::ProblemError>>>> {
    let now = settings(scene);
    Some(scene.session.flash(now.rows, now.keys)).filter(|flash| flash.is_ok())
}

/// The head that is shown; the workbench chooses it.
fn head(scene: &Scene) -> usize {
    scene.session.view().head.min(scene.problem().heads.query - 1)
}

fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { WIDTH } else { 200.0 });
    let now = settings(scene);
    let shapes = scene.problem().shapes();
    slider::row(ui, |ui| {
        if let Some(rows) = slider::slider(ui, scene, "flash-rows", now.rows, 1..=shapes.n) {
            set(scene, |explore| explore.blocks = Blocks { rows, at: 0, ..now });
        }
        if let Some(keys) = slider::slider(ui, scene, "flash-keys", now.keys, 1..=shapes.m) {
            set(scene, |explore| explore.blocks = Blocks { keys, at: 0, ..now });
        }
    });
    let flash = scene.session.flash(now.rows, now.keys);
    let flash = match &*flash {
        Ok(flash) => flash,
        Err(errors) => {
            let why: Vec<String> = errors.iter().map(|error| notice::problem_error(scene, error)).collect();
            let why = why.join("\n");
            live::live(ui, RichText::new(&why).color(scene.theme.ink(Meaning::Leak)), &why);
            return;
        }
    };
    let blocks = &flash.heads[head(scene)].blocks;
    let block = &blocks[now.at];
    let standing = scene.tf(
        "flash-standing",
        &[
            ("block", (now.at + 1).to_string()),
            ("blocks", blocks.len().to_string()),
            ("rows", span(scene, &scene.problem().query_labels(), &block.rows)),
            ("keys", span(scene, &scene.problem().key_labels(), &block.keys)),
        ],
    );
    if let Some(at) = stepper::stepper(ui, scene, "flash", now.at, blocks.len(), &standing) {
        set(scene, |explore| explore.blocks = Blocks { at, ..now });
    }
    equality(ui, scene, flash);
}

/// "我 … 你", or the one label.
fn span(scene: &Scene, labels: &[String], range: &Range<usize>) -> String {
    let label = |at: usize| labels.get(at).map_or_else(|| at.to_string(), |label| parts::said_token(scene, label));
    if range.len() == 1 { label(range.start) } else { format!("{} … {}", label(range.start), label(range.end - 1)) }
}

/// Whether the output is that of the plain way, and by how much it is not.
fn equality(ui: &mut Ui, scene: &Scene, flash: &Flash) {
    let size = flash.output.amax().max(1.0);
    let is_same = flash.difference <= TOLERANCE * size;
    let (key, meaning) = if is_same { ("flash-same", Meaning::Passed) } else { ("flash-other", Meaning::Leak) };
    let text = scene.tf(key, &[("difference", tiny(flash.difference))]);
    live::live(ui, RichText::new(&text).size(SMALL).color(scene.theme.ink(meaning)), &text);
}

/// A difference that is next to nothing: 2.2e−16, and 0 where it is nothing.
pub fn tiny(difference: f64) -> String {
    if difference == 0.0 { "0".to_owned() } else { format!("{difference:.1e}").replace('-', "−") }
}

/// All scores of the head, with the block lit: what lies behind is computed, what lies ahead is not there yet.
fn scores(ui: &mut Ui, scene: &mut Scene) {
    let width = if scene.narrow { WIDTH } else { SCORES };
    ui.set_max_width(width);
    let now = settings(scene);
    let Some(flash) = stepped(scene) else { return };
    let Ok(flash) = &*flash else { return };
    let (head, blocks) = (head(scene), &flash.heads[head(scene)].blocks);
    let Some(step) = scene.session.trace().get(Part::before_mask(scene.problem()), head) else { return };
    let pairs = applied(scene.problem());
    let hidden = pairs.map(|pair| !pair);
    let values = step.value.zip_map(&pairs, |score, pair| if pair { score } else { f64::NEG_INFINITY });
    let finite = &step.value;
    let view = MatrixView {
        id: Id::unique("flash-scores"),
        rows: &step.rows,
        columns: &step.columns,
        row_axis: Some((format!("{} ↓", scene.t("axis-query")), scene.theme.ink(Meaning::Query))),
        column_axis: Some((format!("{} →", scene.t("axis-key")), scene.theme.ink(Meaning::Key))),
        colours: parts::signed(finite, finite.iter().any(|value| *value < 0.0)),
        hidden: Some(&hidden),
        max_size: egui::vec2(width - 20.0, 300.0),
        format: scene.format().just_enough(finite.iter().copied()),
        ..MatrixView::still(ui, "flash-scores", scene.t("flash-scores"), &values, scene.format(), scene.spoken.words())
    };
    let mut output = view.show(ui);
    let grid = output.grid;
    let painter = ui.painter().with_clip_rect(grid.clip);
    let area = |rows: Range<usize>, keys: Range<usize>| {
        grid.cell(rows.start, keys.start).union(grid.cell(rows.end - 1, keys.end - 1))
    };
    // Still to come: the blocks to the right in these rows, and all rows below.
    let block = &blocks[now.at];
    let (n, m) = values.shape();
    let veil = scene.theme.raised().gamma_multiply(0.7);
    if block.keys.end < m {
        painter.rect_filled(area(block.rows.clone(), block.keys.end..m), 0.0, veil);
    }
    if block.rows.end < n {
        painter.rect_filled(area(block.rows.end..n, 0..m), 0.0, veil);
    }
    let frame = Stroke::new(3.0, scene.theme.accent());
    painter.rect_stroke(area(block.rows.clone(), block.keys.clone()), 2.0, frame, StrokeKind::Inside);
    output.write_numbers(ui);
    ui.add(Label::new(RichText::new(scene.t("flash-scores-help")).size(SMALL).weak()).wrap());
    for event in output.events {
        if let MatrixEvent::Pin(row, key) = event {
            let at = blocks.iter().position(|block| block.rows.contains(&row) && block.keys.contains(&key));
            let at = at.unwrap_or(now.at);
            let row = row - blocks[at].rows.start;
            set(scene, |explore| explore.blocks = Blocks { at, row, ..now });
        }
    }
}
