//! KV cache: decoding token by token. `steps` shows the new rows and the cache, `work` counts, `pages` draws how a
//! paged cache lies in memory.

mod pages;
mod steps;
mod work;

use super::{set, slider, stepper};
use crate::attention::{Decode, DecodeStep, ProblemError, TOLERANCE};
use crate::session::Caching;
use crate::ui::panels::{columns, notice};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL};
use crate::ui::widgets::live;
use egui::{Label, RichText, Ui};
use std::rc::Rc;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    columns(ui, scene, &[controls, steps::show, steps::cache]);
    columns(ui, scene, &[work::show, pages::show]);
}

/// The settings, brought into what this problem has.
fn settings(scene: &Scene) -> Caching {
    let now = scene.session.view().explore.caching;
    let shapes = scene.problem().shapes();
    let first = now.first.clamp(1, work::LONGEST);
    Caching {
        step: now.step.min(shapes.n - 1),
        first,
        last: now.last.clamp(first, work::LONGEST),
        block_size: now.block_size.clamp(1, pages::LARGEST),
        shared: now.shared.min(shapes.m),
        longest: now.longest.clamp(1, pages::LONGEST),
    }
}

/// What is stepped through; nothing where the problem cannot be decoded.
fn decoded(scene: &Scene) -> Option<Rc<Result<Decode, Vec<ProblemError>>>> {
    Some(scene.session.decode()).filter(|decode| decode.is_ok())
}

fn controls(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 260.0 });
    let now = settings(scene);
    match &*scene.session.decode() {
        Ok(decode) => stepping(ui, scene, decode, now),
        Err(errors) => {
            let why: Vec<String> = errors.iter().map(|error| notice::problem_error(scene, error)).collect();
            let why = why.join("\n");
            live::live(ui, RichText::new(&why).color(scene.theme.ink(Meaning::Leak)), &why);
        }
    }
}

fn stepping(ui: &mut Ui, scene: &mut Scene, decode: &Decode, now: Caching) {
    let step = &decode.steps[now.step];
    let standing = scene.tf(
        "cache-standing",
        &[
            ("step", (now.step + 1).to_string()),
            ("steps", decode.steps.len().to_string()),
            ("token", parts::said_token(scene, &step.token)),
            ("keys", step.keys.to_string()),
        ],
    );
    if let Some(step) = stepper::stepper(ui, scene, "cache", now.step, decode.steps.len(), &standing) {
        set(scene, |explore| explore.caching = Caching { step, ..now });
    }
    equality(ui, scene, step);
    let own = decode.notes.iter().map(|note| (format!("decode-note-{}", note.key()), note.args()));
    let of_full = decode.of_full.iter().map(|note| (format!("note-{}", note.key()), note.args()));
    for (key, args) in own.chain(of_full) {
        ui.add(Label::new(RichText::new(scene.tf(&key, &args)).size(SMALL).weak()).wrap());
    }
}

/// Whether this step is the row of the full computation, and by how much it is not.
fn equality(ui: &mut Ui, scene: &Scene, step: &DecodeStep) {
    let size = step.output.iter().fold(1.0, |most: f64, value| most.max(value.abs()));
    let is_same = step.difference <= TOLERANCE * size;
    let (key, meaning) = if is_same { ("cache-same", Meaning::Passed) } else { ("cache-other", Meaning::Leak) };
    let text = scene.tf(key, &[("difference", super::flash::tiny(step.difference))]);
    live::live(ui, RichText::new(&text).size(SMALL).color(scene.theme.ink(meaning)), &text);
}
