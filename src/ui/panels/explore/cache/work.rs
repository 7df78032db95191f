//! What is computed with a cache and without, and what a token takes in it.

use super::{decoded, set, settings, slider};
use crate::attention::{DecodeWork, decode_work};
use crate::session::Caching;
use crate::ui::panels::explore::flash::grouped;
use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use crate::ui::widgets::heading;
use egui::{Grid, Label, RichText, Ui};

/// The longest prefix that is counted.
pub const LONGEST: usize = 4_096;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 440.0 });
    heading::heading(ui, 3, scene.t("cache-work"));
    let now = settings(scene);
    slider::row(ui, |ui| {
        if let Some(first) = slider::logarithmic(ui, scene, "cache-first", now.first, 1..=LONGEST) {
            set(scene, |explore| explore.caching = Caching { first, last: now.last.max(first), ..now });
        }
        if let Some(last) = slider::logarithmic(ui, scene, "cache-last", now.last, 1..=LONGEST) {
            set(scene, |explore| explore.caching = Caching { last, first: now.first.min(last), ..now });
        }
    });
    table(ui, scene, decode_work(now.first as u64, now.last as u64));
    ui.add(Label::new(RichText::new(scene.t("cache-work-help")).size(SMALL).weak()).wrap());
    let Some(decode) = decoded(scene) else { return };
    let Ok(decode) = &*decode else { return };
    let [fp32, fp16] = decode.bytes_per_token;
    let text = scene.tf("cache-bytes", &[("fp32", grouped(fp32)), ("fp16", grouped(fp16))]);
    ui.add(Label::new(RichText::new(text).size(SMALL)).wrap());
}

fn table(ui: &mut Ui, scene: &Scene, work: DecodeWork) {
    Grid::new("cache-work").spacing([16.0, 4.0]).min_row_height(20.0).show(ui, |ui| {
        ui.label("");
        for key in ["cache-without", "cache-with"] {
            ui.label(RichText::new(scene.t(key)).size(SMALL).weak());
        }
        ui.end_row();
        let rows = [
            ("cache-rows", work.rows_without, work.rows_with),
            ("cache-products", work.products_without, work.products_with),
        ];
        for (key, without, with) in rows {
            ui.label(RichText::new(scene.t(key)).size(SMALL));
            ui.label(grouped(without));
            ui.label(grouped(with));
            ui.end_row();
        }
    });
}
