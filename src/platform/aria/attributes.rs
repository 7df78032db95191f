//! A node's name and states as attributes of an element.

use super::role::{is_text_box, role_name};
use eframe::egui::accesskit::{HasPopup, Invalid, Live, Node, Orientation, Role, Toggled};

/// All attributes but `tabindex`, in a fixed order. A state that was not set is left out: "not
/// selected" and "cannot be selected" are different things.
pub fn attributes(node: &Node, name: &str) -> Vec<(&'static str, String)> {
    let mut list = List(Vec::new());
    name_and_role(node, name, &mut list);
    states(node, &mut list);
    numbers(node, &mut list);
    table(node, &mut list);
    list.0
}

struct List(Vec<(&'static str, String)>);

impl List {
    fn add(&mut self, name: &'static str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.push((name, value.to_string()));
        }
    }

    fn add_if(&mut self, name: &'static str, condition: bool) {
        self.add(name, condition.then_some("true"));
    }
}

fn name_and_role(node: &Node, name: &str, list: &mut List) {
    // Plain text is named by its text; a role would only hide it.
    let is_text = matches!(node.role(), Role::Label | Role::Window);
    let role = role_name(node.role());
    let named = !name.is_empty() && !is_text;
    // An element without a role may have no name, so a named container is a group.
    list.add("role", role.or(named.then_some("group")));
    list.add("aria-label", named.then_some(name));
    let description = match node.description() {
        Some(description) => Some(description),
        // The text is drawn, not in an input of the page: so it is told.
        None if is_text_box(node.role()) => node.value(),
        None => node.state_description(),
    };
    list.add("aria-description", description);
    list.add("lang", node.language());
    list.add("aria-placeholder", node.placeholder());
    let level = (node.role() == Role::Heading).then(|| node.level().unwrap_or(2));
    list.add("aria-level", level);
    list.add(
        "aria-live",
        match node.live() {
            Some(Live::Polite) => Some("polite"),
            Some(Live::Assertive) => Some("assertive"),
            Some(Live::Off) | None => None,
        },
    );
    list.add_if("aria-atomic", node.is_live_atomic());
}

fn states(node: &Node, list: &mut List) {
    let toggled = node.toggled().map(|toggled| match toggled {
        Toggled::True => "true",
        Toggled::False => "false",
        Toggled::Mixed => "mixed",
    });
    match node.role() {
        // Those that must always say it.
        Role::CheckBox | Role::RadioButton | Role::Switch => {
            list.add("aria-checked", Some(toggled.unwrap_or("false")));
        }
        Role::MenuItemCheckBox | Role::MenuItemRadio => list.add("aria-checked", toggled),
        // egui says of a tab or an option that it is toggled where a page says selected.
        Role::Tab | Role::ListBoxOption | Role::TreeItem | Role::GridCell | Role::Row => {
            list.add("aria-selected", toggled);
        }
        Role::Button => list.add("aria-pressed", toggled),
        _ => {}
    }
    if toggled.is_none() {
        list.add("aria-selected", node.is_selected());
    }
    list.add("aria-expanded", node.is_expanded());
    list.add_if("aria-disabled", node.is_disabled());
    list.add_if("aria-readonly", node.is_read_only());
    list.add_if("aria-required", node.is_required());
    list.add_if("aria-modal", node.is_modal());
    list.add_if("aria-busy", node.is_busy());
    list.add_if("aria-multiline", node.role() == Role::MultilineTextInput);
    let invalid = node.invalid().map(|invalid| match invalid {
        Invalid::True => "true",
        Invalid::Grammar => "grammar",
        Invalid::Spelling => "spelling",
    });
    list.add("aria-invalid", invalid);
    let popup = node.has_popup().map(|popup| match popup {
        HasPopup::Menu => "menu",
        HasPopup::Listbox => "listbox",
        HasPopup::Tree => "tree",
        HasPopup::Grid => "grid",
        HasPopup::Dialog => "dialog",
    });
    list.add("aria-haspopup", popup);
}

fn numbers(node: &Node, list: &mut List) {
    let numeric =
        [Role::Slider, Role::SpinButton, Role::ProgressIndicator, Role::Meter, Role::ScrollBar, Role::Splitter];
    if !numeric.contains(&node.role()) {
        return;
    }
    list.add("aria-valuenow", node.numeric_value());
    list.add("aria-valuemin", node.min_numeric_value());
    list.add("aria-valuemax", node.max_numeric_value());
    list.add("aria-valuetext", node.value());
    let orientation = node.orientation().map(|orientation| match orientation {
        Orientation::Horizontal => "horizontal",
        Orientation::Vertical => "vertical",
    });
    list.add("aria-orientation", orientation);
}

/// Counts and places in a table. AccessKit counts from 0, a page from 1.
fn table(node: &Node, list: &mut List) {
    list.add("aria-rowcount", node.row_count());
    list.add("aria-colcount", node.column_count());
    list.add("aria-rowindex", node.row_index().map(|index| index + 1));
    list.add("aria-colindex", node.column_index().map(|index| index + 1));
    list.add("aria-rowspan", node.row_span());
    list.add("aria-colspan", node.column_span());
}
