//! One block in numbers: its scores and exponentials, m, rescale, l and o of each row, and the arithmetic of one row.

use super::{head, labelled, set, settings, stepped};
use crate::attention::{Block, Expr, FlashHead, Part};
use crate::session::Blocks;
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, SMALL};
use crate::ui::widgets::matrix::shortened;
use crate::ui::widgets::{button, heading, live};
use crate::writing::arithmetic;
use egui::{Grid, RichText, Ui};

/// So many rows are listed, and so many columns of o are worked out; a block may have hundreds.
const MOST_ROWS: usize = 16;
const MOST_COLUMNS: usize = 4;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 460.0 });
    let now = settings(scene);
    let Some(flash) = stepped(scene) else { return };
    let Ok(flash) = &*flash else { return };
    let of_head = &flash.heads[head(scene)];
    let block = &of_head.blocks[now.at];
    let (queries, keys) = (scene.problem().query_labels(), scene.problem().key_labels());
    let (queries, keys) = (&queries[block.rows.clone()], &keys[block.keys.clone()]);
    matrices(ui, scene, block, queries, keys);
    table(ui, scene, block, queries);
    if queries.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(scene.t("flash-row")).size(SMALL).weak());
            for (row, label) in queries.iter().enumerate().take(MOST_ROWS) {
                if button::choice(ui, row == now.row, shortened(label)).clicked() {
                    set(scene, |explore| explore.blocks = Blocks { row, ..now });
                }
            }
        });
    }
    worked(ui, scene, of_head, now, &queries[now.row]);
}

fn matrices(ui: &mut Ui, scene: &Scene, block: &Block, queries: &[String], keys: &[String]) {
    let hidden = block.takes_part.map(|part| !part);
    let features: Vec<String> = (0..block.o.ncols()).map(|c| c.to_string()).collect();
    ui.horizontal_wrapped(|ui| {
        labelled(ui, scene, "flash-block-scores", &block.shown_scores(), queries, keys, Some(&hidden));
        labelled(ui, scene, "flash-block-exp", &block.exp, queries, keys, Some(&hidden));
        labelled(ui, scene, "flash-block-o", &block.o, queries, &features, None);
    });
}

fn table(ui: &mut Ui, scene: &Scene, block: &Block, queries: &[String]) {
    let format = scene.format();
    Grid::new("flash-table").spacing([16.0, 4.0]).show(ui, |ui| {
        for key in ["axis-query", "flash-m", "flash-rescale", "flash-l"] {
            ui.label(RichText::new(scene.t(key)).size(SMALL).weak());
        }
        ui.end_row();
        for (row, label) in queries.iter().enumerate().take(MOST_ROWS) {
            ui.label(shortened(label));
            for value in [block.m[row], block.rescale[row], block.l[row]] {
                ui.label(format.natural(value));
            }
            ui.end_row();
        }
    });
}

/// Every number of the chosen row, with its working, as one text that is spoken when it changes.
fn worked(ui: &mut Ui, scene: &Scene, of_head: &FlashHead, now: Blocks, label: &str) {
    let Some(v) = scene.session.trace().get(Part::V, head(scene)) else { return };
    let Some(row) = of_head.arithmetic(now.at, now.row, &v.value) else { return };
    let block = &of_head.blocks[now.at];
    heading::heading(ui, 3, scene.tf("flash-working", &[("row", shortened(label))]));
    let mut lines = Vec::new();
    if block.takes_part.row(now.row).iter().all(|&part| !part) {
        lines.push(scene.t("flash-nothing"));
    }
    lines.extend(stage(scene, &row.m, &row.rescale, &row.l, &row.o));
    // After the last block of keys the row is done.
    let query = block.rows.start + now.row;
    if block.keys.end == scene.problem().shapes().m {
        if let Some(sink) = of_head.sink_arithmetic(query) {
            lines.push(scene.t("flash-sink"));
            lines.extend(stage(scene, &sink.m, &sink.rescale, &sink.l, &sink.o));
        }
        lines.push(scene.t("flash-done"));
        lines.extend(columns(scene, "o / l", &of_head.output_arithmetic(query).unwrap_or_default()));
    }
    let text = lines.join("\n");
    live::live(ui, RichText::new(&text).size(BODY), &text);
}

/// m, rescale, l and o.
fn stage(scene: &Scene, m: &Expr, rescale: &Expr, l: &Expr, o: &[Expr]) -> Vec<String> {
    let names = [("m".to_owned(), m), (scene.t("flash-rescale"), rescale), ("l".to_owned(), l)];
    let mut lines: Vec<String> = names.iter().map(|(name, expression)| line(scene, name, expression)).collect();
    lines.extend(columns(scene, "o", o));
    lines
}

/// One line a column of v.
fn columns(scene: &Scene, name: &str, columns: &[Expr]) -> Vec<String> {
    let named = |c: usize| if columns.len() == 1 { name.to_owned() } else { format!("{name}[{c}]") };
    let shown = columns.iter().enumerate().take(MOST_COLUMNS);
    let mut lines: Vec<String> = shown.map(|(c, expression)| line(scene, &named(c), expression)).collect();
    if columns.len() > MOST_COLUMNS {
        let more = (columns.len() - MOST_COLUMNS).to_string();
        lines.push(scene.tf("flash-more-columns", &[("more", more)]));
    }
    lines
}

/// m = max(0.25, 1) = 1.
fn line(scene: &Scene, name: &str, expression: &Expr) -> String {
    let format = scene.format();
    let lines = arithmetic::lines(expression, &|value| format.natural(value));
    let worked: Vec<String> = lines.iter().map(|line| arithmetic::spoken(line)).collect();
    format!("{name} = {}", worked.join(" = "))
}
