//! Sinusoidal: the matrix, the waves of its columns, and the linear map from one position to another.

use super::{base, note, set, settings, slider};
use crate::attention::Matrix;
use crate::session::Positions;
use crate::study::encoding::{Moved, linear_map, moved, sinusoidal};
use crate::ui::panels::explore::flash::tiny;
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::matrix::MatrixView;
use crate::ui::widgets::plot::{Axis, Chart, Curve};
use crate::ui::widgets::{heading, live};
use egui::{Label, RichText, Ui, vec2};

/// The positions that the map is tried on.
const TRIED: [usize; 4] = [0, 1, 7, 100];

/// What a map may be off by and still be the map: rounding.
const EXACT: f64 = 1e-12;

pub fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 180.0 });
    let now = settings(scene);
    slider::row(ui, |ui| {
        if let Some(positions) = slider::slider(ui, scene, "encoding-positions", now.positions, 2..=128) {
            set(scene, |explore| explore.positions = Positions { positions, ..now });
        }
        if let Some(width) = slider::slider(ui, scene, "encoding-width", now.width, 2..=128) {
            set(scene, |explore| explore.positions = Positions { width, ..now });
        }
        base(ui, scene, now);
    });
}

/// The 2×2 matrix of a pair and an offset, tried on several positions.
pub fn map(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 480.0 });
    let now = settings(scene);
    heading::heading(ui, 3, scene.t("encoding-map"));
    slider::row(ui, |ui| {
        if let Some(pair) = slider::slider(ui, scene, "encoding-pair", now.pair, 0..=now.width / 2 - 1) {
            set(scene, |explore| explore.positions = Positions { pair, ..now });
        }
        if let Some(offset) = slider::slider(ui, scene, "encoding-offset", now.offset, 0..=64) {
            set(scene, |explore| explore.positions = Positions { offset, ..now });
        }
    });
    let map = linear_map(now.pair, now.width, now.base, now.offset);
    let title = scene.tf("encoding-map-of", &[("pair", now.pair.to_string()), ("k", now.offset.to_string())]);
    let view = MatrixView {
        colours: parts::signed(&map, true),
        ..MatrixView::still(ui, "encoding-map", title, &map, scene.format(), scene.spoken.words())
    };
    ui.vertical(|ui| view.show(ui).write_numbers(ui));
    let tried = moved(&map, &TRIED, now.pair, now.width, now.base, now.offset);
    for one in &tried {
        ui.add(Label::new(RichText::new(line(scene, one, now.offset)).size(SMALL)).wrap());
    }
    let difference = tried.iter().map(Moved::difference).fold(0.0, f64::max);
    let (key, meaning) = if difference <= EXACT {
        ("encoding-map-same", Meaning::Passed)
    } else {
        ("encoding-map-other", Meaning::Leak)
    };
    let text = scene.tf(key, &[("difference", tiny(difference))]);
    live::live(ui, RichText::new(&text).size(SMALL).color(scene.theme.ink(meaning)), &text);
}

/// M · (0.66, 0.75) = (−0.54, 0.84).
fn line(scene: &Scene, moved: &Moved, k: usize) -> String {
    let format = scene.format();
    let pair = |[a, b]: [f64; 2]| format!("({}, {})", format.natural(a), format.natural(b));
    scene.tf(
        "encoding-map-line",
        &[
            ("p", moved.position.to_string()),
            ("from", pair(moved.from)),
            ("mapped", pair(moved.mapped)),
            ("later", (moved.position + k).to_string()),
            ("to", pair(moved.to)),
        ],
    )
}

pub fn matrix(ui: &mut Ui, scene: &mut Scene) {
    let now = settings(scene);
    let values = sinusoidal(now.positions, now.width, now.base);
    let numbers = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
    let (rows, columns) = (numbers(now.positions), numbers(now.width));
    let view = MatrixView {
        rows: &rows,
        columns: &columns,
        row_axis: Some((scene.t("encoding-axis-position"), scene.theme.ink(Meaning::Neutral))),
        column_axis: Some((scene.t("encoding-axis-column"), scene.theme.ink(Meaning::Neutral))),
        colours: parts::signed(&values, true),
        max_size: vec2(if scene.narrow { 300.0 } else { 440.0 }, 420.0),
        ..MatrixView::still(
            ui,
            "encoding-matrix",
            scene.t("encoding-matrix"),
            &values,
            scene.format(),
            scene.spoken.words(),
        )
    };
    ui.vertical(|ui| view.show(ui).write_numbers(ui));
}

pub fn curves(ui: &mut Ui, scene: &mut Scene) {
    let now = settings(scene);
    waves(ui, scene, now, &sinusoidal(now.positions, now.width, now.base));
    note(ui, scene, "encoding-sinusoidal-note");
}

/// The first column, the sine and the cosine of the chosen pair, and the slowest sine.
fn waves(ui: &mut Ui, scene: &Scene, now: Positions, values: &Matrix) {
    heading::heading(ui, 3, scene.t("encoding-waves"));
    let mut shown = vec![
        (0, Meaning::Leak, false),
        (2 * now.pair, Meaning::Query, false),
        (2 * now.pair + 1, Meaning::Key, true),
        (now.width - 2, Meaning::Value, false),
    ];
    shown.dedup_by_key(|(column, ..)| *column);
    let curve = |&(column, meaning, dashed): &(usize, Meaning, bool)| Curve {
        name: scene.tf("encoding-wave", &[("column", column.to_string())]),
        colour: scene.theme.mark(meaning),
        dashed,
        points: (0..values.nrows()).map(|row| [row as f64, values[(row, column)]]).collect(),
    };
    let columns: Vec<String> = shown.iter().map(|(column, ..)| column.to_string()).collect();
    Chart {
        id: "encoding-waves",
        x: Axis::linear(scene.t("encoding-axis-position")),
        y: Axis::linear(scene.t("encoding-value")).between(-1.0, 1.0),
        curves: shown.iter().map(curve).collect(),
        bars: Vec::new(),
        here: None,
        spoken: scene.tf("encoding-waves-spoken", &[("columns", columns.join(", "))]),
    }
    .show(ui, 480.0);
}
