//! The score against the distance, to twice the trained length, for the encoding that is chosen.

use super::{MOST_HEADS, settings, slopes};
use crate::attention::Position;
use crate::session::{Encoding, Positions};
use crate::study::encoding::{penalty, similarity, table_similarity, untaught_table};
use crate::study::rotary;
use crate::ui::scene::Scene;
use crate::ui::theme::Meaning;
use crate::ui::widgets::heading;
use crate::ui::widgets::plot::{Axis, Chart, Curve};
use egui::Ui;

/// Points of a curve at most.
const MOST_POINTS: usize = 1_024;

/// The seed of the table that stands for one that is not trained yet.
const SEED: u64 = 1;

/// A look for each of several curves, at most `MOST_HEADS` of them.
const LOOKS: [(Meaning, bool); MOST_HEADS] = [
    (Meaning::Query, false),
    (Meaning::Key, true),
    (Meaning::Value, false),
    (Meaning::Leak, true),
    (Meaning::Query, true),
    (Meaning::Key, false),
    (Meaning::Value, true),
    (Meaning::Leak, false),
];

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    let now = settings(scene);
    heading::heading(ui, 3, scene.t("encoding-distance"));
    let curves = curves(scene, now);
    let at = [now.trained - 1, 2 * now.trained - 1];
    let said: Vec<String> = curves.iter().map(|curve| said(scene, curve, at, step(now))).collect();
    Chart {
        id: "encoding-distance",
        x: Axis::linear(scene.t("encoding-axis-distance")).between(0.0, 2.0 * now.trained as f64),
        y: Axis::linear(scene.t("encoding-score")),
        curves,
        bars: Vec::new(),
        here: Some((scene.t("encoding-trained"), now.trained as f64)),
        spoken: format!("{}. {}", scene.t("encoding-distance"), said.join("; ")),
    }
    .show(ui, 480.0);
}

/// From one point of a curve to the next.
fn step(now: Positions) -> usize {
    (2 * now.trained).div_ceil(MOST_POINTS)
}

fn curves(scene: &Scene, now: Positions) -> Vec<Curve> {
    let curve = |name: String, (meaning, dashed): (Meaning, bool), score: &dyn Fn(usize) -> Option<f64>| Curve {
        name,
        colour: scene.theme.mark(meaning),
        dashed,
        points: (0..2 * now.trained).step_by(step(now)).filter_map(|k| Some([k as f64, score(k)?])).collect(),
    };
    match now.encoding {
        Encoding::Sinusoidal => {
            let score = |k: usize| Some(similarity(now.width, now.base, k));
            vec![curve(scene.t("position-sinusoidal"), LOOKS[0], &score)]
        }
        Encoding::Learned => {
            let table = match &scene.problem().family.position {
                Position::Learned { table } => table.clone(),
                _ => untaught_table(now.trained, now.width, SEED),
            };
            vec![curve(scene.t("position-learned"), LOOKS[0], &|k| table_similarity(&table, k))]
        }
        Encoding::Rope => {
            let ropes = now.ropes().into_iter().zip(LOOKS);
            ropes
                .map(|((key, rope), look)| {
                    curve(scene.t(key), look, &|k| Some(rotary::score(&rope, now.head_width, k)))
                })
                .collect()
        }
        Encoding::Alibi => {
            let slopes = slopes(scene, now).into_iter().enumerate();
            // Of more heads the table tells.
            slopes
                .take(MOST_HEADS)
                .map(|(head, slope)| {
                    let name = scene.tf("in-head", &[("head", head.to_string())]);
                    curve(name, LOOKS[head], &|k| Some(penalty(slope, k)))
                })
                .collect()
        }
    }
}

/// A curve at the end of the trained length and at the end of the chart, for the ear.
fn said(scene: &Scene, curve: &Curve, at: [usize; 2], step: usize) -> String {
    let value = |k: usize| {
        let point = curve.points.iter().rev().find(|[x, _]| *x <= k as f64);
        let is_there = curve.points.last().is_some_and(|[x, _]| x + step as f64 > k as f64);
        match point.filter(|_| is_there) {
            Some([_, y]) => scene.format().natural(*y),
            None => scene.t("encoding-nothing"),
        }
    };
    let [near, far] = at;
    format!("{}: {near}: {}, {far}: {}", curve.name, value(near), value(far))
}
