//! The name, the example, undo, language, theme, settings, and the engine in use.

use crate::examples;
use crate::platform::EngineName;
use crate::session::{Action, ColourScale, PointerMode, ThemeChoice};
use crate::ui::scene::Scene;
use crate::ui::theme::{self, SMALL};
use crate::ui::widgets::{button, heading};
use crate::writing::{Language, Rounding};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{ComboBox, Label, PopupCloseBehavior, RichText, Ui};

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    ui.horizontal_wrapped(|ui| {
        heading::heading(ui, 1, scene.t("app-name"));
        example(ui, scene);
        if button::named(ui, scene.session.can_undo(), RichText::new("↶").size(theme::LARGE), &scene.t("undo"))
            .clicked()
        {
            scene.act(Action::Undo);
        }
        if button::named(ui, scene.session.can_redo(), RichText::new("↷").size(theme::LARGE), &scene.t("redo"))
            .clicked()
        {
            scene.act(Action::Redo);
        }
        language(ui, scene);
        theme_choice(ui, scene);
        settings(ui, scene);
        let engine = scene.t(match scene.engine.name {
            EngineName::WebGpu => "engine-web-gpu",
            EngineName::WebGl => "engine-web-gl",
            EngineName::Native => "engine-native",
        });
        let why = if scene.engine.tried.is_empty() { scene.t("engine-first") } else { scene.engine.tried.join("\n") };
        ui.label(RichText::new(scene.tf("engine", &[("engine", engine)])).size(SMALL).weak()).on_hover_text(why);
    });
}

/// The title of an example: ours for those we know, else what the problem calls itself.
pub fn example_title(scene: &Scene, id: &str) -> String {
    scene.t(&format!("example-{id}"))
}

fn example(ui: &mut Ui, scene: &mut Scene) {
    let chosen = match (&scene.session.view().example, &scene.problem().title) {
        (Some(id), _) => example_title(scene, id),
        (None, Some(title)) => title.clone(),
        (None, None) => scene.t("example-own"),
    };
    let width = if scene.narrow { 220.0 } else { 260.0 };
    let combo = ComboBox::from_id_salt("example").selected_text(chosen.clone()).width(width).height(440.0).truncate();
    let response = combo.show_ui(ui, |ui| {
        for example in examples::all() {
            let on = scene.session.view().example.as_deref() == Some(&example.id);
            if ui.selectable_label(on, example_title(scene, &example.id)).clicked() {
                scene.act(Action::LoadExample(example.id.clone()));
            }
        }
    });
    let name = scene.t("example");
    ui.ctx().accesskit_node_builder(response.response.id, |node| {
        node.set_label(name);
        node.set_value(chosen);
    });
}

fn language(ui: &mut Ui, scene: &mut Scene) {
    // Each language is offered in its own words.
    let (face, other) = match scene.texts.language() {
        Language::English => ("中文", Language::Chinese),
        Language::Chinese => ("English", Language::English),
    };
    if ui.button(face).clicked() {
        scene.act(Action::SetLanguage(other));
    }
}

fn theme_choice(ui: &mut Ui, scene: &mut Scene) {
    let next = if scene.theme.dark { ThemeChoice::Light } else { ThemeChoice::Dark };
    let name = scene.t(&format!("theme-to-{}", next.key()));
    if button::named(ui, true, RichText::new("◐").size(theme::LARGE), &name).clicked() {
        scene.act(Action::SetTheme(next));
    }
}

fn settings(ui: &mut Ui, scene: &mut Scene) {
    // It stays open while several things are set.
    let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    MenuButton::new(scene.t("settings")).config(stays).ui(ui, |ui| {
        ui.set_width(if scene.narrow { 280.0 } else { 340.0 });
        let view = scene.session.view().clone();
        ui.label(scene.t("digits"));
        let mut digits = view.digits;
        let slider = ui.add(egui::Slider::new(&mut digits, 0..=8));
        let name = scene.t("digits");
        ui.ctx().accesskit_node_builder(slider.id, |node| node.set_label(name));
        if digits != view.digits {
            scene.act(Action::SetDigits(digits));
        }
        choices(ui, scene, "rounding", Rounding::ALL, view.rounding, Rounding::key, Action::SetRounding);
        choices(
            ui,
            scene,
            "weight-colours",
            ColourScale::ALL,
            view.weight_colours,
            ColourScale::key,
            Action::SetWeightColours,
        );
        choices(ui, scene, "pointer", PointerMode::ALL, view.pointer, PointerMode::key, Action::SetPointerMode);
        choices(ui, scene, "theme", ThemeChoice::ALL, view.theme, ThemeChoice::key, Action::SetTheme);
        let mut exponentials = view.exponentials;
        if ui.checkbox(&mut exponentials, scene.t("exponentials")).changed() {
            scene.act(Action::ShowExponentials(exponentials));
        }
        let mut projector = view.projector;
        if ui.checkbox(&mut projector, scene.t("projector")).changed() {
            scene.act(Action::SetProjector(projector));
        }
        ui.separator();
        ui.add(Label::new(RichText::new(scene.t("keys-help")).size(SMALL).weak()).wrap().halign(egui::Align::LEFT));
    });
}

/// A question and its answers side by side.
pub fn choices<T: Copy + PartialEq>(
    ui: &mut Ui,
    scene: &mut Scene,
    question: &str,
    all: &[T],
    now: T,
    key: fn(T) -> &'static str,
    action: fn(T) -> Action,
) {
    ui.label(scene.t(question));
    ui.horizontal_wrapped(|ui| {
        for value in all {
            let answer = scene.t(&format!("{question}-{}", key(*value)));
            if button::choice(ui, now == *value, answer).clicked() {
                scene.act(action(*value));
            }
        }
    });
}
