//! Where the panels stand, on a wide screen and on a narrow one.

use super::scene::Scene;
use super::{panels, theme};
use crate::platform::Surroundings;
use egui::containers::panel::PanelState;
use egui::scroll_area::ScrollSource;
use egui::{Frame, IdSalt, Panel, ScrollArea, Ui, UiBuilder};

/// A drag over what is not dragged itself scrolls, by mouse or finger. (By default egui waits until it has seen a
/// touch, and so misses the first.)
pub const DRAGGED: ScrollSource = ScrollSource::ALL;

/// The whole screen.
pub fn show(ui: &mut Ui, scene: &mut Scene) {
    panels::notice::keys(ui, scene);
    if scene.narrow { narrow(ui, scene) } else { wide(ui, scene) }
}

fn wide(ui: &mut Ui, scene: &mut Scene) {
    let Surroundings { header, formula, why, panels } = scene.surroundings;
    let top = ui.available_rect_before_wrap().top();
    if header {
        let bar = Frame::new().fill(scene.theme.raised()).inner_margin(egui::Margin::symmetric(16, 8));
        Panel::top("header").frame(bar).show(ui, |ui| panels::header::show(ui, scene));
    }
    if formula {
        let bar = Frame::new().fill(scene.theme.page()).inner_margin(egui::Margin::symmetric(16, 8));
        Panel::top("formula").frame(bar).show(ui, |ui| panels::formula::show(ui, scene));
    }
    // Panels take their room from the edges inwards, but are read from the middle outwards: the workbench comes
    // first in the accessibility tree, so it is laid out first, in the room that the others took last time.
    let sized = |ui: &Ui, name: &str| {
        PanelState::load(ui, ui.scope_id().with_salt(IdSalt::new(name))).map(|state| state.size())
    };
    let (tray_name, tray_default) = tray_of(scene);
    let tray_height = if panels { sized(ui, tray_name).map_or(tray_default, |size| size.y) } else { 0.0 };
    let area = ui.available_rect_before_wrap();
    let upper = area.with_max_y(area.bottom() - tray_height);
    let mut upper = ui.new_child(UiBuilder::new().id_salt("upper").max_rect(upper));
    let why_width = if why { sized(&upper, "why").map_or(WHY, |size| size.x) } else { 0.0 };
    let middle = upper.max_rect();
    let middle = middle.with_max_x(middle.right() - why_width);
    let mut content = workbench(&mut upper.new_child(UiBuilder::new().id_salt("middle").max_rect(middle)), scene);
    if why {
        content = content.max(working(&mut upper, scene));
    }
    scene.height = area.top() - top + content + tray_height;
    if panels {
        tray(ui, scene);
    }
}

/// The arithmetic and the checks; gives the height of both.
fn working(ui: &mut Ui, scene: &mut Scene) -> f32 {
    let page = Frame::new().fill(scene.theme.page()).inner_margin(16);
    let panel = Panel::right("why").resizable(true).default_size(WHY).size_range(240.0..=520.0).frame(page);
    let shown = panel.show(ui, |ui| {
        ScrollArea::vertical().id_salt("why").scroll_source(DRAGGED).auto_shrink(false).show(ui, |ui| {
            panels::why::show(ui, scene);
            ui.add_space(16.0);
            panels::checks::show(ui, scene);
        })
    });
    name_splitter(ui, "why", "why", scene);
    shown.inner.content_size.y + 32.0
}

/// A study needs more room than the other panels, and keeps a height of its own.
fn tray_of(scene: &Scene) -> (&'static str, f32) {
    match scene.session.view().panel {
        crate::session::Panel::Explore => ("explore", EXPLORE),
        crate::session::Panel::Long => ("long", LONG),
        _ => ("tray", TRAY),
    }
}

fn tray(ui: &mut Ui, scene: &mut Scene) {
    let tray = Frame::new().fill(scene.theme.raised()).inner_margin(egui::Margin::symmetric(16, 8));
    let (name, height) = tray_of(scene);
    Panel::bottom(name).resizable(true).default_size(height).size_range(96.0..=2000.0).frame(tray).show(ui, |ui| {
        panels::tabs(ui, scene);
        ScrollArea::both()
            .id_salt(name)
            .scroll_source(DRAGGED)
            .auto_shrink(false)
            .show(ui, |ui| panels::open(ui, scene));
    });
    name_splitter(ui, name, "tray", scene);
}

/// egui calls the edge of every panel "Resize panel"; here it is named in the language of the page.
fn name_splitter(ui: &Ui, panel: &str, name: &str, scene: &Scene) {
    let edge = ui.scope_id().with_salt(IdSalt::new(panel)).with("__resize");
    let name = scene.t(&format!("resize-{name}"));
    ui.ctx().accesskit_node_builder(edge, |node| node.set_label(name));
}

/// Heights and widths of the panels around the workbench, until they are dragged.
const TRAY: f32 = 250.0;
const EXPLORE: f32 = 440.0;
const LONG: f32 = 600.0;
const WHY: f32 = 316.0;
/// A long list of errors scrolls.
const NOTICE: f32 = 200.0;

/// The matrices; gives the height that they need.
fn workbench(ui: &mut Ui, scene: &mut Scene) -> f32 {
    ui.painter().rect_filled(ui.max_rect(), 0.0, scene.theme.page());
    // Below the matrices: what is said must not move what is looked at.
    let mut said = 0.0;
    if scene.session.notice().is_some() {
        let strip = Frame::new().fill(scene.theme.page()).inner_margin(egui::Margin::symmetric(16, 4));
        let shown = Panel::bottom("notice").resizable(false).frame(strip).show(ui, |ui| {
            ScrollArea::vertical()
                .id_salt("notice")
                .max_height(NOTICE)
                .min_scrolled_height(NOTICE)
                .show(ui, |ui| panels::notice::show(ui, scene));
        });
        said = shown.response.rect.height();
    }
    let shown = Frame::new().inner_margin(16).show(ui, |ui| {
        ScrollArea::vertical()
            .id_salt("workbench")
            .scroll_source(DRAGGED)
            .auto_shrink(false)
            .show(ui, |ui| panels::workbench::show(ui, scene))
    });
    shown.inner.content_size.y + 32.0 + said
}

fn narrow(ui: &mut Ui, scene: &mut Scene) {
    let Surroundings { header, formula, why, panels } = scene.surroundings;
    ui.spacing_mut().interact_size = egui::Vec2::splat(theme::TOUCH);
    let area = ui.available_rect_before_wrap();
    let sheet = PanelState::load(ui, ui.scope_id().with_salt(IdSalt::new("sheet")));
    let sheet_height = if why { sheet.map_or(SHEET, |state| state.size().y) } else { 0.0 };
    let page = area.with_max_y(area.bottom() - sheet_height);
    let mut page = ui.new_child(UiBuilder::new().id_salt("page").max_rect(page));
    page.painter().rect_filled(area, 0.0, scene.theme.page());
    let shown = Frame::new().inner_margin(egui::Margin::symmetric(12, 8)).show(&mut page, |ui| {
        ScrollArea::vertical().id_salt("page").scroll_source(DRAGGED).auto_shrink(false).show(ui, |ui| {
            if header {
                panels::header::show(ui, scene);
                ui.separator();
            }
            if formula {
                panels::formula::show(ui, scene);
            }
            if !why {
                panels::notice::show(ui, scene);
            }
            panels::workbench::show(ui, scene);
            if why {
                ui.add_space(16.0);
                panels::checks::show(ui, scene);
            }
            if panels {
                ui.add_space(16.0);
                panels::tabs(ui, scene);
                panels::open(ui, scene);
                ui.add_space(48.0);
            }
        })
    });
    scene.height = shown.inner.content_size.y + 16.0 + sheet_height;
    if !why {
        return;
    }
    // A sheet of its own, and always there: it covers no cell, and nothing jumps when a cell is pointed at.
    let sheet = Frame::new().fill(scene.theme.raised()).inner_margin(egui::Margin::symmetric(12, 8));
    Panel::bottom("sheet").resizable(true).default_size(SHEET).size_range(80.0..=320.0).frame(sheet).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| panels::formula::controls(ui, scene));
        ScrollArea::vertical().id_salt("sheet").scroll_source(DRAGGED).auto_shrink(false).show(ui, |ui| {
            // In the sheet it moves no matrix, and is seen wherever the page is.
            panels::notice::show(ui, scene);
            if scene.session.view().panel == crate::session::Panel::Long {
                panels::long::told(ui, scene);
            }
            panels::formula::told(ui, scene);
            ui.add_space(8.0);
            panels::why::show(ui, scene);
        });
    });
    name_splitter(ui, "sheet", "sheet", scene);
}

/// Height of the arithmetic's sheet on a narrow screen.
const SHEET: f32 = 208.0;
