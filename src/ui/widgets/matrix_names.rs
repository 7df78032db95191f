//! Renaming in place: a click on the name of a row or a column opens it.

use super::matrix::{Grid, MatrixEvent, MatrixView};
use crate::ui::theme::SMALL;
use egui::{FontId, Id, Key, Modifiers, Rect, Response, TextEdit, Ui, vec2};

/// Whose name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    Row(usize),
    Column(usize),
}

/// The height in which the names of columns stand.
pub(super) const COLUMN_NAMES: f32 = 20.0;

#[derive(Clone)]
struct Renaming {
    header: Header,
    text: String,
    /// The first pass takes the focus.
    fresh: bool,
}

impl MatrixView<'_> {
    fn name_of(&self, header: Header) -> Option<&String> {
        match header {
            Header::Row(row) if self.rows_are_tokens => self.rows.get(row),
            Header::Column(column) if self.columns_are_tokens => self.columns.get(column),
            _ => None,
        }
    }
}

/// The name under a point.
fn named_at(view: &MatrixView, grid: &Grid, outer: Rect, at: egui::Pos2) -> Option<Header> {
    if !grid.clip.contains(at) {
        return None;
    }
    let cell = |header| match header {
        Header::Row(row) => grid.cell(row, 0).with_min_x(outer.left()).with_max_x(grid.origin.x),
        Header::Column(column) => {
            let cell = grid.cell(0, column);
            cell.with_min_y(grid.origin.y - COLUMN_NAMES).with_max_y(grid.origin.y)
        }
    };
    let rows = (0..view.rows.len()).map(Header::Row);
    let columns = (0..view.columns.len()).map(Header::Column);
    rows.chain(columns).find(|header| view.name_of(*header).is_some() && cell(*header).contains(at))
}

/// Opens a name; the accessibility tree asks for it too.
pub(super) fn begin(ui: &Ui, view: &MatrixView, header: Header) {
    if let Some(name) = view.name_of(header) {
        let renaming = Renaming { header, text: name.clone(), fresh: true };
        ui.data_mut(|data| data.insert_temp(view.id.with("name"), renaming));
    }
}

/// Whether names can be changed here: the cursor says so.
pub(super) fn is_over(view: &MatrixView, response: &Response, grid: &Grid, outer: Rect) -> bool {
    response.hover_pos().is_some_and(|at| named_at(view, grid, outer, at).is_some())
}

/// Takes clicks on names, and shows the text box over the one that is open.
pub(super) fn edit(
    ui: &mut Ui,
    view: &MatrixView,
    response: &Response,
    grid: &Grid,
    outer: Rect,
    events: &mut Vec<MatrixEvent>,
) {
    if response.clicked()
        && let Some(header) = response.interact_pointer_pos().and_then(|at| named_at(view, grid, outer, at))
    {
        begin(ui, view, header);
    }
    let memory = view.id.with("name");
    let Some(mut renaming) = ui.data(|data| data.get_temp::<Renaming>(memory)) else { return };
    ui.data_mut(|data| data.remove::<Renaming>(memory));
    if view.name_of(renaming.header).is_none() {
        return;
    }
    let at = match renaming.header {
        Header::Row(row) => Rect::from_min_size(egui::pos2(outer.left(), grid.cell(row, 0).top()), grid.cell_size),
        Header::Column(column) => {
            let cell = grid.cell(0, column);
            Rect::from_min_size(cell.left_top() - vec2(0.0, 24.0), vec2(cell.width(), 24.0))
        }
    };
    let id = view.id.with("name editor");
    let key = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let (enter, escape) = (key(Key::Enter), key(Key::Escape));
    let width = at.width().max(96.0);
    let text_edit = TextEdit::singleline(&mut renaming.text)
        .id(id)
        .font(FontId::proportional(SMALL))
        .margin(egui::Margin::symmetric(4, 3))
        .return_key(None)
        .desired_width(width);
    let place = at.with_max_x(at.left() + width);
    let output = ui.scope_builder(egui::UiBuilder::new().max_rect(place), |ui| text_edit.show(ui)).inner;
    ui.ctx().accesskit_node_builder(id, |node| node.set_label(view.words.rename));
    if renaming.fresh {
        output.response.response.request_focus();
        select_all(ui, id, &renaming.text);
        renaming.fresh = false;
    } else if escape {
        response.request_focus();
        return;
    } else if enter || output.response.response.lost_focus() {
        if view.name_of(renaming.header) != Some(&renaming.text) {
            events.push(MatrixEvent::Rename { header: renaming.header, text: renaming.text });
        }
        if enter {
            response.request_focus();
        }
        return;
    }
    ui.data_mut(|data| data.insert_temp(memory, renaming));
}

fn select_all(ui: &Ui, id: Id, text: &str) {
    use egui::text::{CCursor, CCursorRange};
    let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    let all = CCursorRange::two(CCursor::new(0), CCursor::new(text.chars().count()));
    state.cursor.set_char_range(Some(all));
    TextEdit::store_state(ui.ctx(), id, state);
}
