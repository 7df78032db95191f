//! The cache in pages: physical blocks with their slots, the tables of two sequences that begin alike, and what is empty.

use super::{set, settings, slider};
use crate::attention::{Fragmentation, PagedCache};
use crate::session::Caching;
use crate::study::paging::{Paging, two_sequences};
use crate::ui::parts;
use crate::ui::scene::Scene;
use crate::ui::theme::{Meaning, SMALL, semibold};
use crate::ui::widgets::{heading, live};
use egui::accesskit::Role;
use egui::{Align2, FontId, Label, Rect, RichText, Sense, Stroke, StrokeKind, Ui, vec2};

/// The names of the two sequences.
const NAMES: [&str; 2] = ["A", "B"];

/// A slot, and the line above the slots of a block.
const SLOT: egui::Vec2 = vec2(64.0, 26.0);
const TITLE: f32 = 18.0;

/// The largest block, and the longest sequence that can be planned for.
pub const LARGEST: usize = 8;
pub const LONGEST: usize = 4_096;

/// More blocks than this are only counted.
const MOST_BLOCKS: usize = 24;

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.set_max_width(if scene.narrow { 320.0 } else { 420.0 });
    heading::heading(ui, 3, scene.t("pages-title"));
    ui.add(Label::new(RichText::new(scene.t("pages-lead")).size(SMALL).weak()).wrap());
    let now = settings(scene);
    if let Some(block_size) = slider::slider(ui, scene, "pages-size", now.block_size, 1..=LARGEST) {
        set(scene, |explore| explore.caching = Caching { block_size, ..now });
    }
    let tokens = scene.problem().key_labels();
    let most = tokens.len();
    slider::row(ui, |ui| {
        if let Some(shared) = slider::slider(ui, scene, "pages-shared", now.shared, 0..=most) {
            set(scene, |explore| explore.caching = Caching { shared, ..now });
        }
        if let Some(longest) = slider::logarithmic(ui, scene, "pages-longest", now.longest, 1..=LONGEST) {
            set(scene, |explore| explore.caching = Caching { longest, ..now });
        }
    });
    // As many tokens as the step has; in cross attention, where nothing is decoded, all of them.
    let shapes = scene.problem().shapes();
    let length =
        if shapes.m >= shapes.n && !scene.problem().is_cross() { shapes.m - shapes.n + now.step + 1 } else { most };
    let Ok(paging) = two_sequences(&tokens, length, now.shared, now.block_size) else { return };
    tables(ui, scene, &paging);
    told(ui, scene, &paging);
    blocks(ui, scene, &paging.cache);
    fragmentation(ui, scene, paging.cache.fragmentation(now.longest), now.longest);
}

/// A: 0, 1, 3 — the physical blocks of each sequence, in order.
fn tables(ui: &mut Ui, scene: &Scene, paging: &Paging) {
    for (&sequence, name) in paging.sequences.iter().zip(NAMES) {
        let table = &paging.cache.tables()[sequence];
        let blocks = table.blocks.iter().take(MOST_BLOCKS).map(usize::to_string).collect::<Vec<_>>().join(", ");
        let args = [("name", name.to_owned()), ("blocks", blocks), ("length", table.length.to_string())];
        ui.add(Label::new(RichText::new(scene.tf("pages-table", &args)).size(SMALL)).wrap());
    }
    if paging.sequences.len() == 1 {
        // The line of B is kept, so that nothing jumps when it comes.
        ui.label(RichText::new(scene.t("pages-together")).size(SMALL).weak());
    }
}

/// Where the last token went, and whether a block was copied for it.
fn told(ui: &mut Ui, scene: &Scene, paging: &Paging) {
    let mut lines = Vec::new();
    for (written, name) in paging.written.iter().zip(NAMES) {
        let token = &paging.cache.blocks()[written.block].tokens[written.slot];
        let args = [
            ("name", name.to_owned()),
            ("token", parts::said_token(scene, token)),
            ("block", written.block.to_string()),
            ("slot", written.slot.to_string()),
            ("from", written.copied_from.map_or(String::new(), |from| from.to_string())),
        ];
        let key = if written.copied_from.is_some() { "pages-copied" } else { "pages-written" };
        lines.push(scene.tf(key, &args));
    }
    let text = lines.join("\n");
    // The line of B is kept here too.
    let shown = if lines.len() == 1 { format!("{text}\n ") } else { text.clone() };
    live::live(ui, RichText::new(shown).size(SMALL), &text);
}

fn blocks(ui: &mut Ui, scene: &Scene, cache: &PagedCache) {
    ui.horizontal_wrapped(|ui| {
        for block in 0..cache.blocks().len().min(MOST_BLOCKS) {
            drawn(ui, scene, cache, block);
        }
    });
    if cache.blocks().len() > MOST_BLOCKS {
        let more = (cache.blocks().len() - MOST_BLOCKS).to_string();
        ui.label(RichText::new(scene.tf("pages-more", &[("more", more)])).size(SMALL).weak());
    }
}

/// One physical block: whose it is, and its slots. Two slots stand side by side, so that it fits a narrow screen.
fn drawn(ui: &mut Ui, scene: &Scene, cache: &PagedCache, at: usize) {
    let block = &cache.blocks()[at];
    let size = cache.block_size();
    let (across, down) = (size.min(2), size.div_ceil(2));
    let room = vec2(SLOT.x * across.max(2) as f32, TITLE + SLOT.y * down as f32);
    let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
    let tables = cache.tables().iter().zip(NAMES).filter(|(table, _)| table.blocks.contains(&at));
    let owners: Vec<&str> = tables.map(|(_, name)| name).collect();
    let colour = match owners[..] {
        [] => scene.theme.line(),
        [one] if one == NAMES[0] => scene.theme.mark(Meaning::Query),
        [_] => scene.theme.mark(Meaning::Value),
        _ => scene.theme.mark(Meaning::Key),
    };
    let owner = if owners.is_empty() { scene.t("pages-free") } else { owners.join(" + ") };
    let title = scene.tf("pages-block", &[("block", at.to_string()), ("owner", owner)]);
    let painter = ui.painter();
    painter.text(rect.left_top(), Align2::LEFT_TOP, &title, semibold(SMALL - 1.0), scene.theme.quiet());
    for slot in 0..size {
        let corner = rect.min + vec2((slot % 2) as f32 * SLOT.x, TITLE + (slot / 2) as f32 * SLOT.y);
        let cell = Rect::from_min_size(corner, SLOT).shrink(1.0);
        let token = block.tokens.get(slot);
        let ground = if token.is_some() { scene.theme.raised() } else { scene.theme.hidden() };
        painter.rect_filled(cell, 2.0, ground);
        painter.rect_stroke(cell, 2.0, Stroke::new(1.5, colour), StrokeKind::Inside);
        if let Some(token) = token {
            let font = FontId::proportional(SMALL - 1.0);
            painter.text(cell.center(), Align2::CENTER_CENTER, cut(token), font, scene.theme.text_on(ground));
        }
    }
    let held = if block.tokens.is_empty() { scene.t("pages-empty") } else { block.tokens.join(", ") };
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Image);
        node.set_label(format!("{title}: {held}"));
    });
}

/// A token that fits a slot, its apostrophe kept.
fn cut(token: &str) -> String {
    const MOST: usize = 7;
    if token.chars().count() <= MOST {
        return token.to_owned();
    }
    let ending = if token.ends_with('\'') { "…'" } else { "…" };
    token.chars().take(MOST - 1).collect::<String>() + ending
}

fn fragmentation(ui: &mut Ui, scene: &Scene, found: Fragmentation, longest: usize) {
    let pages = [("empty", found.empty.to_string()), ("slots", found.slots.to_string())];
    let piece = [
        ("empty", found.contiguous_empty.to_string()),
        ("slots", found.contiguous_slots.to_string()),
        ("longest", longest.to_string()),
    ];
    for text in [scene.tf("pages-waste", &pages), scene.tf("pages-waste-contiguous", &piece)] {
        ui.add(Label::new(RichText::new(text).size(SMALL)).wrap());
    }
}
