//! Linear attention: sums that grow token by token in place of the matrix of weights.

use super::{beside, set, slider, stepper, table};
use crate::attention::{Causal, Expr, Matrix, Normalise, Part, TOLERANCE, labels};
use crate::session::Summing;
use crate::study::running_state::Running;
use crate::ui::panels::explore::flash::{grouped, tiny};
use crate::ui::panels::{columns, notice};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{BODY, Meaning, SMALL};
use crate::ui::widgets::legend::CellColours;
use crate::ui::widgets::matrix::MatrixView;
use crate::ui::widgets::{button, heading, live};
use crate::writing::arithmetic;
use egui::{Label, RichText, Ui, vec2};

/// More terms than this are not written out.
const MOST_TERMS: usize = 16;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[controls, state, weights]);
}

/// The settings, brought into what this problem has.
fn settings(scene: &Scene) -> Summing {
    let now = scene.session.view().explore.summing;
    let shapes = scene.problem().shapes();
    Summing { query: now.query.min(shapes.n - 1), column: now.column.min(shapes.d_v - 1), ..now }
}

/// Whether a query sees the keys up to its own place only.
fn is_causal(scene: &Scene) -> bool {
    let of_problem = scene.problem().mask.causal != Causal::None;
    !scene.problem().is_cross() && scene.session.view().explore.summing.causal.unwrap_or(of_problem)
}

/// Hands on what was computed, if anything.
fn with_running(ui: &mut Ui, scene: &mut Scene, show: fn(&mut Ui, &mut Scene, &Running)) {
    let now = settings(scene);
    let running = scene.session.running(scene.head(), is_causal(scene), now.query);
    if let Some(Ok(running)) = running.as_ref() {
        show(ui, scene, running);
    }
}

fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(320.0);
    let now = settings(scene);
    if !scene.problem().is_cross() {
        ui.horizontal_wrapped(|ui| {
            for (key, causal) in [("linear-causal", true), ("linear-all", false)] {
                if button::choice(ui, is_causal(scene) == causal, scene.t(key)).clicked() {
                    set(scene, |explore| explore.summing = Summing { causal: Some(causal), ..now });
                }
            }
        });
    }
    let running = scene.session.running(scene.head(), is_causal(scene), now.query);
    match running.as_ref() {
        Some(Ok(running)) => stepping(ui, scene, running, now),
        Some(Err(errors)) => {
            let why: Vec<String> = errors.iter().map(|error| notice::problem_error(scene, error)).collect();
            let why = why.join("\n");
            live::live(ui, RichText::new(&why).color(scene.theme.ink(Meaning::Leak)), &why);
        }
        None => {}
    }
}

fn stepping(ui: &mut Ui, scene: &mut Scene, running: &Running, now: Summing) {
    let labels = scene.problem().query_labels();
    let standing = scene.tf(
        "linear-standing",
        &[
            ("step", (now.query + 1).to_string()),
            ("steps", labels.len().to_string()),
            ("token", parts::said_token(scene, &labels[now.query])),
            ("keys", running.state.keys.to_string()),
        ],
    );
    if let Some(query) = stepper::stepper(ui, scene, "linear", now.query, labels.len(), &standing) {
        set(scene, |explore| explore.summing = Summing { query, ..now });
    }
    let size = running.output.amax().max(1.0);
    let is_same = running.difference <= TOLERANCE * size;
    let (key, meaning) = if is_same { ("linear-same", Meaning::Passed) } else { ("linear-other", Meaning::Leak) };
    let text = scene.tf(key, &[("difference", tiny(running.difference))]);
    live::live(ui, RichText::new(&text).size(SMALL).color(scene.theme.ink(meaning)), &text);
    let columns = running.v.ncols();
    if columns > 1
        && let Some(column) = slider::slider(ui, scene, "linear-column", now.column, 0..=columns - 1)
    {
        set(scene, |explore| explore.summing = Summing { column, ..now });
    }
    worked(ui, scene, running, now);
    sizes(ui, scene, running);
    if scene.problem().family.normalise != Normalise::Linear {
        note(ui, scene.t("linear-as-if"));
    }
    if !running.left_out.is_empty() {
        note(ui, scene.tf("linear-left-out", &[("keys", running.left_out.join(", "))]));
    }
}

fn note(ui: &mut Ui, text: String) {
    ui.add(Label::new(RichText::new(text).size(SMALL).weak()).wrap());
}

/// The arithmetic of one number of the output.
fn worked(ui: &mut Ui, scene: &Scene, running: &Running, now: Summing) {
    let query: Vec<f64> = running.q.row(now.query).iter().copied().collect();
    heading::heading(ui, 3, scene.tf("linear-worked", &[("column", now.column.to_string())]));
    if query.len() > MOST_TERMS {
        note(ui, scene.tf("linear-too-wide", &[("most", MOST_TERMS.to_string())]));
        return;
    }
    let Some(expression) = running.state.arithmetic(&query, now.column) else { return };
    let text = written(scene, &expression);
    live::live(ui, RichText::new(&text).size(BODY), &text);
}

fn written(scene: &Scene, expression: &Expr) -> String {
    let format = scene.format();
    let lines = arithmetic::lines(expression, &|value| format.natural(value));
    let worked: Vec<String> = lines.iter().map(|line| arithmetic::spoken(line)).collect();
    format!("{} = {}", scene.t("linear-formula"), worked.join(" = "))
}

/// How many numbers are held: the state, in place of a weight for each pair.
fn sizes(ui: &mut Ui, scene: &Scene, running: &Running) {
    let [n, m, d_k, d_v] = [running.q.nrows(), running.k.nrows(), running.q.ncols(), running.v.ncols()];
    let count = |numbers: usize| grouped(numbers as u64);
    table(ui, "linear-sizes", |ui| {
        for (key, shape, numbers) in [
            ("linear-state-size", format!("{d_k}·{d_v} + {d_k}"), d_k * d_v + d_k),
            ("linear-matrix-size", format!("{n}·{m}"), n * m),
        ] {
            ui.label(RichText::new(scene.t(key)).size(SMALL));
            ui.label(format!("{shape} = {}", count(numbers)));
            ui.end_row();
        }
    });
    note(ui, scene.t("linear-sizes-note"));
}

fn state(ui: &mut Ui, scene: &mut Scene) {
    with_running(ui, scene, |ui, scene, running| {
        let now = settings(scene);
        heading::heading(ui, 3, scene.tf("linear-state", &[("keys", running.state.keys.to_string())]));
        if scene.problem().heads.query > 1 {
            ui.label(RichText::new(scene.tf("in-head", &[("head", scene.head().to_string())])).size(SMALL).weak());
        }
        let z = Matrix::from_column_slice(running.state.z.len(), 1, &running.state.z);
        beside(ui, scene, |ui| {
            matrix(ui, scene, "linear-s", &running.state.s, None);
            matrix(ui, scene, "linear-z", &z, None);
        });
        let q = running.q.rows(now.query, 1).into_owned();
        let output = running.output.rows(now.query, 1).into_owned();
        beside(ui, scene, |ui| {
            matrix(ui, scene, "linear-q", &q, None);
            matrix(ui, scene, "linear-output", &output, None);
        });
    });
}

/// Its weights beside softmax's on the same numbers.
fn weights(ui: &mut Ui, scene: &mut Scene) {
    with_running(ui, scene, |ui, scene, running| {
        heading::heading(ui, 3, scene.t("linear-weights"));
        let colours = CellColours::Weights(scene.session.view().weight_colours);
        beside(ui, scene, |ui| {
            matrix(ui, scene, "linear-weights-linear", &running.weights, Some(colours));
            matrix(ui, scene, "linear-weights-softmax", &running.softmax, Some(colours));
        });
        note(ui, scene.t("linear-weights-note"));
    });
}

fn matrix(ui: &mut Ui, scene: &Scene, key: &str, values: &Matrix, weights: Option<CellColours>) {
    let (rows, columns) =
        if weights.is_some() { labels(scene.problem(), Part::Weights) } else { (Vec::new(), Vec::new()) };
    let negative = values.iter().any(|value| *value < 0.0);
    let view = MatrixView {
        rows: &rows,
        columns: &columns,
        colours: weights.unwrap_or_else(|| parts::signed(values, negative)),
        format: scene.format().just_enough(values.iter().copied()),
        max_size: vec2(280.0, 260.0),
        ..MatrixView::still(ui, key, scene.t(key), values, scene.format(), scene.spoken.words())
    };
    ui.vertical(|ui| view.show(ui).write_numbers(ui));
}
