//! One block in numbers: its scores and exponentials, m, rescale, l and o of each row, and the arithmetic of one row.

use super::{head, set, settings, stepped};
use crate::attention::{Block, Expr, FlashHead, Matrix, Part};
use crate::session::Blocks;
use crate::ui::panels::explore::roomy;
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, SMALL};
use crate::ui::widgets::matrix::{MatrixView, shortened};
use crate::ui::widgets::{button, heading, live};
use crate::writing::{NumberFormat, arithmetic};
use egui::{Grid, RichText, Ui};

/// So many rows are listed, and so many columns of o are worked out; a block may have hundreds.
const MOST_ROWS: usize = 16;
const MOST_COLUMNS: usize = 4;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 400.0 });
    let now = settings(scene);
    let Some(flash) = stepped(scene) else { return };
    let Ok(flash) = &*flash else { return };
    let of_head = &flash.heads[head(scene)];
    let block = &of_head.blocks[now.at];
    let queries = scene.problem().query_labels();
    let queries = &queries[block.rows.clone()];
    matrices(ui, scene, of_head, now);
    table(ui, scene, block, queries, now.rows);
    // Also where the last block has one row only: what stands below must not jump.
    if now.rows > 1 {
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

/// Scores, exponentials and o, in the room of the largest block, so that nothing jumps at a smaller one.
fn matrices(ui: &mut Ui, scene: &Scene, of_head: &FlashHead, now: Blocks) {
    let block = &of_head.blocks[now.at];
    let queries = &scene.problem().query_labels()[block.rows.clone()];
    let keys = &scene.problem().key_labels()[block.keys.clone()];
    let features: Vec<String> = (0..block.o.ncols()).map(|c| c.to_string()).collect();
    let hidden = block.takes_part.map(|part| !part);
    let largest = &of_head.blocks[0];
    let all = |of: fn(&Block) -> &Matrix| of_head.blocks.iter().flat_map(move |block| of(block).iter().copied());
    let format = scene.format();
    let scores = format.just_enough(all(|block| &block.scores));
    ui.horizontal_wrapped(|ui| {
        let room = Room {
            largest: largest.scores.shape(),
            format: scores,
            widest: widest(scores, all(|block| &block.scores)),
        };
        labelled(ui, scene, "flash-block-scores", &block.shown_scores(), (queries, keys), Some(&hidden), room);
        let room = Room { largest: largest.exp.shape(), format, widest: 1.0 };
        labelled(ui, scene, "flash-block-exp", &block.exp, (queries, keys), Some(&hidden), room);
        let room = Room { largest: largest.o.shape(), format, widest: widest(format, all(|block| &block.o)) };
        labelled(ui, scene, "flash-block-o", &block.o, (queries, &features), None, room);
    });
}

/// The number that takes most room: the largest or the smallest, for all have the same digits after the point. (Every
/// number of hundreds of blocks written out in each pass would take too long.)
fn widest(format: NumberFormat, numbers: impl Iterator<Item = f64>) -> f64 {
    let ends = numbers.fold([0.0f64; 2], |[least, most], number| [least.min(number), most.max(number)]);
    ends.into_iter().max_by_key(|number| format.fixed(*number).chars().count()).unwrap_or(0.0)
}

/// What the same matrix of the largest block takes.
struct Room {
    largest: (usize, usize),
    format: NumberFormat,
    widest: f64,
}

fn labelled(
    ui: &mut Ui,
    scene: &Scene,
    key: &str,
    values: &Matrix,
    (rows, columns): (&[String], &[String]),
    hidden: Option<&nalgebra::DMatrix<bool>>,
    room: Room,
) {
    let finite = values.map(|value| if value.is_finite() { value } else { 0.0 });
    let colours = parts::signed(&finite, finite.iter().any(|value| *value < 0.0));
    let words = scene.spoken.words();
    let of = |values, rows, columns| MatrixView {
        rows,
        columns,
        colours,
        ..MatrixView::still(ui, key, scene.t(key), values, room.format, words)
    };
    let (n, m) = room.largest;
    let filled = |labels: &[String], count: usize| {
        (0..count).map(|at| labels.get(at).or(labels.first()).cloned().unwrap_or_default()).collect::<Vec<_>>()
    };
    let (full, full_rows, full_columns) =
        (Matrix::from_element(n, m, room.widest), filled(rows, n), filled(columns, m));
    let size = of(&full, &full_rows, &full_columns).size(ui);
    let view = MatrixView { hidden, ..of(values, rows, columns) };
    roomy(ui, size, |ui| view.show(ui).write_numbers(ui));
}

fn table(ui: &mut Ui, scene: &Scene, block: &Block, queries: &[String], most: usize) {
    const LINE: f32 = 20.0;
    let format = scene.format();
    ui.scope(|ui| {
        ui.set_min_height((most.min(MOST_ROWS) + 1) as f32 * (LINE + 4.0));
        Grid::new("flash-table").spacing([16.0, 4.0]).min_row_height(LINE).show(ui, |ui| {
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
    });
}

/// Every number of the chosen row, with its working, as one text that is spoken when it changes.
fn worked(ui: &mut Ui, scene: &Scene, of_head: &FlashHead, now: Blocks, label: &str) {
    let Some(v) = scene.session.trace().get(Part::V, head(scene)) else { return };
    let Some(row) = of_head.arithmetic(now.at, now.row, &v.value) else { return };
    let block = &of_head.blocks[now.at];
    heading::heading(ui, 3, scene.tf("flash-working", &[("row", parts::said_token(scene, label))]));
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
