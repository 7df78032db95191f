//! What a memory budget holds, way by way.

use crate::session::Costing;
use crate::study::budget::Way;
use crate::ui::panels::explore::flash::grouped;
use crate::ui::panels::explore::{line_name, set, slider, table};
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::heading;
use crate::ui::widgets::plot::short;
use egui::{Label, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.add_space(8.0);
    heading::heading(ui, 3, scene.t("budget"));
    let now = scene.session.view().explore.costing.within_limits();
    if let Some(budget) = slider::logarithmic(ui, scene, "budget-megabytes", now.budget, 1..=Costing::MOST_BUDGET) {
        set(scene, |explore| explore.costing = Costing { budget, ..now });
    }
    let model = now.model();
    let bytes = now.budget as u128 * 1_000_000;
    table(ui, "budget", |ui| {
        for key in ["budget-way", "budget-bytes", "budget-verdict", "budget-longest"] {
            ui.label(RichText::new(scene.t(key)).size(SMALL).weak());
        }
        ui.end_row();
        for way in Way::ALL {
            line_name(ui, scene, scene.t(name(way)));
            let kept = way.bytes(&model);
            ui.label(short(kept as f64)).on_hover_text(kept.to_string());
            let (verdict, meaning) =
                if kept <= bytes { ("budget-fits", Meaning::Passed) } else { ("budget-too-much", Meaning::Leak) };
            ui.label(RichText::new(scene.t(verdict)).color(scene.theme.ink(meaning)));
            ui.label(longest(scene, way.longest(&model, bytes, Costing::MOST_TOKENS)));
            ui.end_row();
        }
    });
    for note in ["budget-formula", "budget-ways", "budget-report"] {
        ui.add(Label::new(RichText::new(scene.t(note)).size(SMALL).weak()).wrap());
    }
}

/// Beyond what the slider can set every length is as good as any.
fn longest(scene: &Scene, n: usize) -> String {
    if n < Costing::MOST_TOKENS { grouped(n as u64) } else { scene.t("budget-any") }
}

fn name(way: Way) -> &'static str {
    match way {
        Way::Plain => "budget-plain",
        Way::Half => "budget-half",
        Way::Checkpointed => "budget-checkpointed",
        Way::HalfCheckpointed => "budget-half-checkpointed",
        Way::Windowed => "budget-windowed",
        Way::Chunked => "budget-chunked",
    }
}
