//! How a matrix is used: arrows, typing, Enter, Tab, Escape, paste, copy, clicks and drags.

use super::matrix::{Grid, MatrixEvent, MatrixView};
use crate::session::PointerMode;
use crate::ui::theme::BODY;
use egui::{Event, EventFilter, Id, Key, Modifiers, Response, TextEdit, Ui};

/// What the widget remembers from frame to frame.
#[derive(Clone, Default)]
pub(super) struct State {
    pub active: (usize, usize),
    pub editing: Option<Editing>,
    drag: Option<Drag>,
}

#[derive(Clone)]
pub(super) struct Editing {
    pub cell: (usize, usize),
    text: String,
    /// The first frame takes the focus and puts the cursor.
    fresh: bool,
    select_all: bool,
}

#[derive(Clone, Copy)]
struct Drag {
    cell: (usize, usize),
    from: f64,
    /// Whether it has changed the number already: the first change begins what one undo takes back.
    begun: bool,
}

impl State {
    pub fn load(ui: &Ui, view: &MatrixView, rows: usize, columns: usize) -> Self {
        let mut state: Self = ui.data(|data| data.get_temp(view.id)).unwrap_or_default();
        state.active = (state.active.0.min(rows.saturating_sub(1)), state.active.1.min(columns.saturating_sub(1)));
        state
    }

    pub fn store(self, ui: &Ui, view: &MatrixView) {
        ui.data_mut(|data| data.insert_temp(view.id, self));
    }

    /// A click or tap: it pins; on the cell that is active and pinned already, it edits.
    pub fn press(&mut self, view: &MatrixView, cell: (usize, usize), events: &mut Vec<MatrixEvent>) {
        let again = self.active == cell && view.pinned == Some(cell);
        self.active = cell;
        if again && view.editable && !view.veiled {
            self.begin(view, None);
        } else if view.paintable && view.mode == PointerMode::Paint {
            events.push(MatrixEvent::Paint { row: cell.0, column: cell.1, begins: true });
        } else {
            events.push(MatrixEvent::Pin(cell.0, cell.1));
        }
    }

    /// Opens the active cell, with what was typed or with what is there.
    fn begin(&mut self, view: &MatrixView, typed: Option<String>) {
        let select_all = typed.is_none();
        // Every digit that is stored, not only those shown: an edit that changes nothing changes nothing.
        let text = typed.unwrap_or_else(|| format!("{}", view.values[self.active]));
        self.editing = Some(Editing { cell: self.active, text, fresh: true, select_all });
    }
}

/// Clicks, drags, and the keys of a matrix that is not being edited.
pub(super) fn handle(
    ui: &Ui,
    view: &MatrixView,
    response: &Response,
    grid: &Grid,
    state: &mut State,
) -> Vec<MatrixEvent> {
    let mut events = Vec::new();
    let pointed = response.interact_pointer_pos().and_then(|position| grid.at(position));
    if response.clicked()
        && let Some(cell) = pointed
    {
        response.request_focus();
        state.press(view, cell, &mut events);
    }
    if response.double_clicked()
        && pointed == Some(state.active)
        && view.editable
        && !view.veiled
        && state.editing.is_none()
    {
        state.begin(view, None);
    }
    drag(ui, view, response, grid, state, &mut events);
    let focused = response.has_focus() || regain_focus(ui, response);
    if focused && state.editing.is_none() {
        keys(ui, view, response, grid, state, &mut events);
    }
    events
}

/// In the pass after the focus came, egui does not know yet that arrows stay here, and moves on with one.
fn regain_focus(ui: &Ui, response: &Response) -> bool {
    let arrows = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
    let stolen = response.lost_focus() && ui.input(|input| arrows.iter().any(|arrow| input.key_pressed(*arrow)));
    if stolen {
        response.request_focus();
    }
    stolen
}

fn drag(
    ui: &Ui,
    view: &MatrixView,
    response: &Response,
    grid: &Grid,
    state: &mut State,
    events: &mut Vec<MatrixEvent>,
) {
    let painting = view.paintable && view.mode == PointerMode::Paint;
    // A drag is known as one only when the pointer has moved: it belongs to the cell where it was pressed.
    let pressed = ui.input(|input| input.pointer.press_origin()).and_then(|position| grid.at(position));
    if response.drag_started()
        && let Some(cell) = pressed
    {
        state.active = cell;
        response.request_focus();
        state.drag = Some(Drag { cell, from: view.values[cell], begun: false });
        if painting {
            events.push(MatrixEvent::Paint { row: cell.0, column: cell.1, begins: true });
        }
    }
    if response.dragged()
        && let Some(drag) = &mut state.drag
    {
        let pointed = response.interact_pointer_pos().and_then(|position| grid.at(position));
        if painting {
            if let Some(cell) = pointed.filter(|cell| *cell != state.active) {
                state.active = cell;
                events.push(MatrixEvent::Paint { row: cell.0, column: cell.1, begins: false });
            }
        } else if let Some(delta) = response.total_drag_delta() {
            // A hundred points are a unit; with Shift a tenth of it. Steps of 0.01 keep the numbers readable.
            let fine = ui.input(|input| input.modifiers.shift);
            let value = drag.from + f64::from(delta.x - delta.y) * if fine { 0.001 } else { 0.01 };
            let step = if fine { 1e3 } else { 1e2 };
            let value = (value * step).round() / step;
            if value != view.values[drag.cell] {
                let begins = !std::mem::replace(&mut drag.begun, true);
                events.push(MatrixEvent::Drag { row: drag.cell.0, column: drag.cell.1, value, begins });
            }
        }
    }
    if response.drag_stopped() {
        state.drag = None;
    }
}

/// The keys of one pass, in the order in which they came: on a slow machine one pass may hold the key that opens
/// the editor, all that is typed into it, and the key that ends it.
fn keys(
    ui: &Ui,
    view: &MatrixView,
    response: &Response,
    grid: &Grid,
    state: &mut State,
    events: &mut Vec<MatrixEvent>,
) {
    // Arrows and Escape stay here; Tab leaves, always.
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, escape: true, tab: false };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let before = state.active;
    let mut copy = false;
    ui.input_mut(|input| {
        input.events.retain(|event| {
            let taken = match &state.editing {
                None => state.command(view, grid, event, events, &mut copy),
                Some(_) => state.write(grid, event, events),
            };
            !taken
        });
    });
    if state.editing.is_none() && !events.is_empty() {
        response.request_focus();
    }
    if before != state.active {
        ui.scroll_to_rect(grid.cell(state.active.0, state.active.1), None);
    }
    if copy {
        ui.ctx().copy_text(tab_separated(view));
    }
}

impl State {
    /// What an event asks of a matrix that is not being edited; whether it was for the matrix.
    fn command(
        &mut self,
        view: &MatrixView,
        grid: &Grid,
        event: &Event,
        events: &mut Vec<MatrixEvent>,
        copy: &mut bool,
    ) -> bool {
        let (row, column) = self.active;
        let edits = view.editable && !view.veiled;
        match event {
            Event::Text(text) if edits && text.starts_with(|c: char| c.is_ascii_digit() || "+-−.,".contains(c)) => {
                self.begin(view, Some(text.clone()));
            }
            Event::Paste(text) => events.push(MatrixEvent::Paste { row, column, text: text.clone() }),
            Event::Copy => *copy = true,
            Event::Key { key, pressed: true, modifiers: Modifiers::NONE, .. } => match key {
                Key::ArrowRight => self.active.1 = (column + 1).min(grid.columns - 1),
                Key::ArrowLeft => self.active.1 = column.saturating_sub(1),
                Key::ArrowDown => self.active.0 = (row + 1).min(grid.rows - 1),
                Key::ArrowUp => self.active.0 = row.saturating_sub(1),
                Key::Home => self.active.1 = 0,
                Key::End => self.active.1 = grid.columns - 1,
                Key::Escape => events.push(MatrixEvent::Unpin),
                Key::Enter | Key::F2 if edits => self.begin(view, None),
                Key::Backspace | Key::Delete if edits => self.begin(view, Some(String::new())),
                Key::Space if view.paintable => events.push(MatrixEvent::Paint { row, column, begins: true }),
                Key::Enter | Key::F2 | Key::Space => events.push(MatrixEvent::Pin(row, column)),
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    /// What an event does to the editor in the pass that opened it, before the text box has the focus.
    fn write(&mut self, grid: &Grid, event: &Event, events: &mut Vec<MatrixEvent>) -> bool {
        let Some(editing) = &mut self.editing else { return false };
        let (row, column) = editing.cell;
        match event {
            Event::Text(text) => {
                if std::mem::take(&mut editing.select_all) {
                    editing.text.clear();
                }
                editing.text.push_str(text);
            }
            Event::Key { key: Key::Backspace, pressed: true, .. } => {
                if std::mem::take(&mut editing.select_all) {
                    editing.text.clear();
                }
                editing.text.pop();
            }
            Event::Key { key: Key::A, pressed: true, modifiers, .. } if modifiers.command => editing.select_all = true,
            Event::Key { key: Key::Escape, pressed: true, .. } => self.editing = None,
            Event::Key { key: key @ (Key::Enter | Key::Tab), pressed: true, modifiers, .. } => {
                events.push(MatrixEvent::Type { row, column, text: std::mem::take(&mut editing.text) });
                self.editing = None;
                self.active = next_cell(grid, (row, column), *key, modifiers.shift);
            }
            _ => return false,
        }
        true
    }
}

/// Where a commit goes on: Enter goes down, Tab to the right, with Shift to the left.
fn next_cell(grid: &Grid, (row, column): (usize, usize), key: Key, shift: bool) -> (usize, usize) {
    match (key, shift) {
        (Key::Enter, _) => ((row + 1).min(grid.rows - 1), column),
        (_, true) => (row, column.saturating_sub(1)),
        _ => (row, (column + 1).min(grid.columns - 1)),
    }
}

/// The numbers with all their digits, as spreadsheets take them.
fn tab_separated(view: &MatrixView) -> String {
    let number = |value: &f64| if *value == f64::NEG_INFINITY { "-inf".to_owned() } else { value.to_string() };
    let line = |row: usize| view.values.row(row).iter().map(number).collect::<Vec<_>>().join("\t");
    (0..view.values.nrows()).map(line).collect::<Vec<_>>().join("\n")
}

/// The text box over the cell that is being edited.
pub(super) fn edit(
    ui: &mut Ui,
    view: &MatrixView,
    response: &Response,
    grid: &Grid,
    state: &mut State,
    events: &mut Vec<MatrixEvent>,
) {
    let Some(mut editing) = state.editing.take() else { return };
    let (row, column) = editing.cell;
    if row >= grid.rows || column >= grid.columns {
        return;
    }
    let id = view.id.with("editor");
    let focused = ui.memory(|memory| memory.has_focus(id));
    // A pasted block is not text for one cell.
    let block = focused.then(|| take_block(ui)).flatten();
    if let Some(text) = block {
        events.push(MatrixEvent::Paste { row, column, text });
        response.request_focus();
        return;
    }
    // Taken whether or not the focus is still here: in the editor's first passes egui may drop it on the same key.
    let key = |ui: &Ui, modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
    let enter = key(ui, Modifiers::NONE, Key::Enter);
    let tab = key(ui, Modifiers::NONE, Key::Tab);
    let back = key(ui, Modifiers::SHIFT, Key::Tab);
    let escape = key(ui, Modifiers::NONE, Key::Escape);
    let rect = grid.cell(row, column);
    let rect = rect.with_max_x(rect.left() + rect.width().max(72.0));
    let name = format!("{} {} {}", view.name, label(view.rows, row), label(view.columns, column));
    let filter = EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true };
    let text_edit = TextEdit::singleline(&mut editing.text)
        .id(id)
        .font(egui::FontId::proportional(BODY))
        .margin(egui::Margin::symmetric(6, 4))
        .event_filter(filter)
        .return_key(None)
        .desired_width(rect.width());
    let output = ui.scope_builder(egui::UiBuilder::new().max_rect(rect), |ui| text_edit.show(ui)).inner;
    ui.ctx().accesskit_node_builder(id, |node| node.set_label(name));
    if editing.fresh {
        output.response.response.request_focus();
        place_cursor(ui, id, &editing);
        editing.fresh = false;
        state.editing = Some(editing);
        return;
    }
    let mut commit = |text: String| events.push(MatrixEvent::Type { row, column, text });
    if escape {
        response.request_focus();
    } else if enter || tab || back {
        commit(editing.text);
        state.active = next_cell(grid, (row, column), if enter { Key::Enter } else { Key::Tab }, back);
        response.request_focus();
    } else if output.response.response.lost_focus() {
        commit(editing.text);
    } else {
        state.editing = Some(editing);
    }
}

fn take_block(ui: &Ui) -> Option<String> {
    let is_block = |text: &str| text.trim().contains(['\n', '\t', '[', ';', '{']) || text.trim().contains(' ');
    let mut block = None;
    ui.input_mut(|input| {
        input.events.retain(|event| match event {
            Event::Paste(text) if is_block(text) => {
                block = Some(text.clone());
                false
            }
            _ => true,
        });
    });
    block
}

fn place_cursor(ui: &Ui, id: Id, editing: &Editing) {
    use egui::text::{CCursor, CCursorRange};
    let end = CCursor::new(editing.text.chars().count());
    let start = if editing.select_all { CCursor::new(0) } else { end };
    let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    state.cursor.set_char_range(Some(CCursorRange::two(start, end)));
    TextEdit::store_state(ui.ctx(), id, state);
}

fn label(labels: &[String], index: usize) -> String {
    labels.get(index).cloned().unwrap_or_else(|| index.to_string())
}
