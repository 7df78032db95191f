//! Heads: what each count costs, and the reshape that cuts the columns, with the wrong order beside it.

use crate::attention::cost::Model;
use crate::attention::{Heads, Matrix, Part, matrix};
use crate::session::Action;
use crate::study::reshape::{Source, mixed_rows, transposed, viewed};
use crate::ui::panels::columns;
use crate::ui::panels::explore::roomy;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::{MatrixView, shortened};
use crate::ui::widgets::{button, heading, live};
use egui::{Color32, Grid, Label, RichText, Ui, vec2};
use std::collections::HashMap;

/// More than this is no picture any more.
const MOST_HEADS: usize = 8;
const MOST_TOKENS: usize = 16;
const MOST_WIDTH: usize = 64;

/// A way of cutting (n, heads, d): of each head and token, where each number comes from.
type Way = fn(usize, usize, usize) -> Vec<Vec<Vec<Source>>>;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[counts, whole]);
    columns(ui, scene, &[right, wrong]);
}

/// What each number of key/value heads takes, on the same weights.
fn counts(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 330.0 } else { 400.0 });
    heading::heading(ui, 3, scene.t("heads-counts"));
    let now = scene.problem().heads;
    let m = scene.problem().shapes().m;
    let model = Model::of(scene.problem());
    ui.spacing_mut().interact_size.y = if scene.narrow { ui.spacing().interact_size.y } else { 26.0 };
    Grid::new("heads-counts").spacing([12.0, 4.0]).show(ui, |ui| {
        for key in ["heads-key-value", "heads-shared-weights", "heads-all-weights", "heads-cache"] {
            let text = scene.tf(key, &[("tokens", m.to_string())]);
            ui.allocate_ui(vec2(84.0, 34.0), |ui| ui.add(Label::new(RichText::new(text).size(SMALL).weak()).wrap()));
        }
        ui.end_row();
        for key_value in (1..=now.query).rev().filter(|count| now.query.is_multiple_of(*count)) {
            let kind = match key_value {
                all if all == now.query => "MHA",
                1 => "MQA",
                _ => "GQA",
            };
            if button::choice(ui, now.key_value == key_value, format!("{key_value} · {kind}")).clicked() {
                scene.act(Action::SetHeads(Heads { query: now.query, key_value }));
            }
            let of = Model { key_value_heads: key_value, ..model };
            ui.label(of.key_value_parameters().to_string());
            ui.label(of.parameters().to_string());
            ui.label((2 * m * key_value * of.d_head).to_string());
            ui.end_row();
        }
    });
    ui.add(Label::new(RichText::new(scene.t("heads-counts-note")).size(SMALL).weak()).wrap());
}

/// Each head in a colour of its own; with the number beside it, for colour is never alone.
fn colour(scene: &Scene, index: usize) -> Color32 {
    let meanings = [Meaning::Query, Meaning::Key, Meaning::Value, Meaning::Output, Meaning::Leak, Meaning::Neutral];
    scene.theme.mark(meanings[index % meanings.len()])
}

/// q of all heads side by side, and W_q where there is one, its columns framed by head.
fn whole(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("reshape-whole"));
    if let Some(reason) = too_large(scene) {
        ui.label(reason);
        return;
    }
    for part in [Part::WQ, Part::Q] {
        let Some(values) = side_by_side(scene, part) else { continue };
        let d = scene.problem().shapes().d_k;
        let marks = (0..values.nrows())
            .flat_map(|row| (0..values.ncols()).map(move |column| (row, column)))
            .map(|(row, column)| ((row, column), colour(scene, column / d)))
            .collect();
        let columns: Vec<String> = (0..values.ncols()).map(|column| format!("{}·{}", column / d, column % d)).collect();
        let rows = if part == Part::Q { tokens(scene) } else { Vec::new() };
        let title = scene.t(&format!("part-{}", part.key().replace('_', "-")));
        let view = MatrixView {
            rows: &rows,
            columns: &columns,
            marks: &marks,
            format: scene.format().just_enough(values.iter().copied().take(512)),
            max_size: vec2(if scene.narrow { 320.0 } else { 560.0 }, 320.0),
            ..MatrixView::still(
                ui,
                &format!("whole {}", part.key()),
                title,
                &values,
                scene.format(),
                scene.spoken.words(),
            )
        };
        view.show(ui).write_numbers(ui);
    }
    let shapes = scene.problem().shapes();
    let values = [
        ("n", shapes.n.to_string()),
        ("width", (shapes.heads.query * shapes.d_k).to_string()),
        ("heads", shapes.heads.query.to_string()),
        ("d", shapes.d_k.to_string()),
    ];
    ui.label(RichText::new(scene.tf("reshape-shapes", &values)).size(SMALL));
}

fn too_large(scene: &Scene) -> Option<String> {
    let shapes = scene.problem().shapes();
    let fits =
        shapes.heads.query <= MOST_HEADS && shapes.n <= MOST_TOKENS && shapes.heads.query * shapes.d_k <= MOST_WIDTH;
    let values =
        [("heads", MOST_HEADS.to_string()), ("tokens", MOST_TOKENS.to_string()), ("width", MOST_WIDTH.to_string())];
    (!fits).then(|| scene.tf("reshape-too-large", &values))
}

fn tokens(scene: &Scene) -> Vec<String> {
    scene.problem().query_labels()
}

/// All heads' own columns, one after another.
fn side_by_side(scene: &Scene, part: Part) -> Option<Matrix> {
    let heads = scene.problem().heads.query;
    let own: Option<Vec<Matrix>> =
        (0..heads).map(|head| matrix(scene.problem(), scene.session.trace(), part, head)).collect();
    let own = own?;
    let (rows, d) = own.first()?.shape();
    Some(Matrix::from_fn(rows, heads * d, |row, column| own[column / d][(row, column % d)]))
}

fn right(ui: &mut Ui, scene: &mut Scene) {
    cut(ui, scene, "reshape-right", transposed);
}

fn wrong(ui: &mut Ui, scene: &mut Scene) {
    let Some(placed) = cut(ui, scene, "reshape-wrong", viewed) else { return };
    let mixed = mixed_rows(&placed);
    let rows: usize = placed.iter().map(Vec::len).sum();
    let values = [("mixed", mixed.to_string()), ("rows", rows.to_string())];
    let text = scene.tf("reshape-mixed", &values);
    let meaning = if mixed == 0 { Meaning::Passed } else { Meaning::Leak };
    live::live(ui, RichText::new(&text).size(SMALL).color(scene.theme.ink(meaning)), &text);
}

/// The rows of every head, as this way of cutting places the numbers.
fn cut(ui: &mut Ui, scene: &Scene, key: &str, way: Way) -> Option<Vec<Vec<Vec<Source>>>> {
    if too_large(scene).is_some() {
        return None;
    }
    let shapes = scene.problem().shapes();
    let placed = way(shapes.n, shapes.heads.query, shapes.d_k);
    ui.set_max_width(if scene.narrow { 320.0 } else { 500.0 });
    heading::heading(ui, 3, scene.t(key));
    ui.horizontal_wrapped(|ui| {
        for (head, rows) in placed.iter().enumerate() {
            one_head(ui, scene, key, head, rows);
        }
    });
    Some(placed)
}

/// One head's rows, each number by the token and the column that it came from.
fn one_head(ui: &mut Ui, scene: &Scene, key: &str, head: usize, rows: &[Vec<Source>]) {
    let Some(whole) = side_by_side(scene, Part::Q) else { return };
    let values = Matrix::from_fn(rows.len(), rows[0].len(), |row, column| whole[rows[row][column]]);
    let names = tokens(scene);
    let write = |row: usize, column: usize| {
        let (token, from) = rows[row][column];
        format!("{}·{from}", shortened(&names[token]))
    };
    // A number of another token is framed as a mistake.
    let marks: HashMap<(usize, usize), Color32> = rows
        .iter()
        .enumerate()
        .flat_map(|(token, row)| row.iter().enumerate().map(move |(column, from)| (token, column, *from)))
        .map(|(token, column, (from, at))| {
            let meant = if from == token { colour(scene, at / rows[0].len()) } else { scene.theme.mark(Meaning::Leak) };
            ((token, column), meant)
        })
        .collect();
    let title = scene.tf("head-n-short", &[("head", head.to_string())]);
    let view = MatrixView {
        rows: &names,
        marks: &marks,
        write: Some(&write),
        max_size: vec2(320.0, 320.0),
        ..MatrixView::still(ui, &format!("{key} {head}"), title, &values, scene.format(), scene.spoken.words())
    };
    let size = view.size(ui);
    roomy(ui, size, |ui| view.show(ui).write_numbers(ui));
}
