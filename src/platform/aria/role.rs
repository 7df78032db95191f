//! AccessKit's roles in the words of WAI-ARIA.

use eframe::egui::accesskit::Role;

/// The role's name in a page; `None` where an element without a role says the same.
pub fn role_name(role: Role) -> Option<&'static str> {
    Some(match role {
        Role::Button | Role::DefaultButton | Role::DisclosureTriangle | Role::ColorWell => "button",
        Role::CheckBox => "checkbox",
        Role::Switch => "switch",
        Role::RadioButton => "radio",
        Role::RadioGroup => "radiogroup",
        Role::Slider => "slider",
        Role::SpinButton => "spinbutton",
        Role::ProgressIndicator => "progressbar",
        Role::Meter => "meter",
        Role::ScrollBar => "scrollbar",
        Role::Splitter => "separator",
        Role::SearchInput => "searchbox",
        role if is_text_box(role) => "textbox",
        Role::ComboBox | Role::EditableComboBox => "combobox",
        Role::ListBox | Role::MenuListPopup => "listbox",
        Role::ListBoxOption | Role::MenuListOption => "option",
        Role::Link => "link",
        Role::Heading => "heading",
        Role::Image | Role::Canvas | Role::GraphicsSymbol => "img",
        Role::Application => "application",
        Role::Figure | Role::GraphicsDocument => "figure",
        Role::Paragraph => "paragraph",
        Role::Math => "math",
        Role::Code => "code",
        Role::Note => "note",
        Role::List => "list",
        Role::ListItem => "listitem",
        Role::Table => "table",
        Role::Grid | Role::ListGrid => "grid",
        Role::TreeGrid => "treegrid",
        Role::RowGroup => "rowgroup",
        Role::Row => "row",
        Role::Cell => "cell",
        Role::GridCell => "gridcell",
        Role::RowHeader => "rowheader",
        Role::ColumnHeader => "columnheader",
        Role::Tree => "tree",
        Role::TreeItem => "treeitem",
        Role::TabList => "tablist",
        Role::Tab => "tab",
        Role::TabPanel => "tabpanel",
        Role::Menu => "menu",
        Role::MenuBar => "menubar",
        Role::MenuItem => "menuitem",
        Role::MenuItemCheckBox => "menuitemcheckbox",
        Role::MenuItemRadio => "menuitemradio",
        Role::Toolbar => "toolbar",
        Role::Tooltip => "tooltip",
        Role::Dialog => "dialog",
        Role::AlertDialog => "alertdialog",
        Role::Alert => "alert",
        Role::Status => "status",
        Role::Log => "log",
        Role::Timer => "timer",
        Role::Main => "main",
        Role::Navigation => "navigation",
        Role::Banner | Role::Header => "banner",
        Role::ContentInfo | Role::Footer => "contentinfo",
        Role::Complementary => "complementary",
        Role::Region => "region",
        Role::Search => "search",
        Role::Form => "form",
        Role::Article => "article",
        Role::Group | Role::Pane => "group",
        // The window is the page itself; the rest are containers and plain text.
        _ => return None,
    })
}

/// Whether text is typed into it. A spin button takes text too, but only while it is edited.
pub fn is_text_box(role: Role) -> bool {
    matches!(
        role,
        Role::TextInput
            | Role::MultilineTextInput
            | Role::SearchInput
            | Role::NumberInput
            | Role::PasswordInput
            | Role::EmailInput
            | Role::UrlInput
            | Role::PhoneNumberInput
    )
}
