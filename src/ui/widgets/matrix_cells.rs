//! How a matrix is painted, and what of it stands in the accessibility tree.

use super::legend::CellColours;
use super::matrix::{Grid, MatrixEvent, MatrixView, Measures, WINDOW, shortened};
use super::matrix_input::State;
use super::matrix_names::{self, Header};
use crate::ui::theme::{BODY, Meaning, SMALL, Theme};
use egui::accesskit::{self, Action, Role};
use egui::{Align2, Color32, FontId, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder, pos2};

/// Paints what can be seen of it. The numbers are handed back, so that whatever is drawn over the heatmap stays
/// below them.
pub(super) fn paint(
    ui: &Ui,
    view: &MatrixView,
    outer: Rect,
    grid: &Grid,
    measures: &Measures,
    state: &State,
    focused: bool,
) -> Vec<Shape> {
    let theme = Theme::of(ui.ctx());
    let painter = ui.painter();
    let visible = painter.clip_rect().intersect(grid.rect());
    let range = |low: f32, high: f32, start: f32, step: f32, most: usize| {
        let first = ((low - start) / step).floor().max(0.0) as usize;
        let last = (((high - start) / step).ceil().max(0.0) as usize).min(most);
        first.min(last)..last
    };
    let rows = range(visible.top(), visible.bottom(), grid.origin.y, grid.cell_size.y, grid.rows);
    let columns = range(visible.left(), visible.right(), grid.origin.x, grid.cell_size.x, grid.columns);
    let mut numbers = Vec::new();
    for row in rows.clone() {
        for column in columns.clone() {
            numbers.extend(cell(ui, view, theme, grid, measures, (row, column)));
        }
    }
    painter.rect_stroke(grid.rect(), 2.0, Stroke::new(1.0, theme.line()), StrokeKind::Outside);
    labels(ui, view, theme, outer, grid, measures);
    let frame = |(row, column): (usize, usize), stroke: Stroke| {
        painter.rect_stroke(grid.cell(row, column), 2.0, stroke, StrokeKind::Inside);
    };
    if !view.veiled {
        for (cell, colour) in view.marks {
            frame(*cell, Stroke::new(2.5, *colour));
        }
    }
    if let Some(pinned) = view.pinned {
        frame(pinned, Stroke::new(3.0, theme.text()));
    }
    if focused {
        let cell = grid.cell(state.active.0, state.active.1).expand(1.5);
        painter.rect_stroke(cell, 3.0, Stroke::new(2.0, theme.accent()), StrokeKind::Outside);
    }
    numbers
}

fn cell(
    ui: &Ui,
    view: &MatrixView,
    theme: Theme,
    grid: &Grid,
    measures: &Measures,
    (row, column): (usize, usize),
) -> Option<Shape> {
    let painter = ui.painter();
    let rect = grid.cell(row, column);
    let value = view.values[(row, column)];
    let inner = rect.shrink(0.5);
    if view.veiled {
        painter.rect_filled(inner, 0.0, theme.hidden().gamma_multiply(0.6));
        return None;
    }
    let hidden = view.hidden.is_some_and(|hidden| hidden[(row, column)]);
    let weights = matches!(view.colours, CellColours::Weights(_));
    // A weight on a hidden pair leaks: it keeps its colour and gets a frame.
    let leaks = hidden && weights && value != 0.0;
    let ground = match view.colours {
        _ if hidden && !leaks => theme.hidden(),
        CellColours::Weights(scale) => theme.weight(value, scale),
        CellColours::Signed { most, .. } => theme.signed(value, most),
        CellColours::Plain => theme.raised(),
    };
    painter.rect_filled(inner, 0.0, ground);
    if hidden && !leaks {
        hatch(ui, rect, theme.hatch());
    }
    if leaks {
        painter.rect_stroke(rect.shrink(1.0), 1.0, Stroke::new(2.5, theme.mark(Meaning::Leak)), StrokeKind::Inside);
    }
    if let Some((before, strength)) = view.before
        && before.shape() == view.values.shape()
        && before[(row, column)].to_bits() != value.to_bits()
    {
        let glow = Stroke::new(3.0, theme.accent().gamma_multiply(strength));
        painter.rect_stroke(rect, 2.0, glow, StrokeKind::Inside);
    }
    measures.numbers.then(|| {
        let colour = if hidden && !leaks { theme.text() } else { theme.text_on(ground) };
        let text = painter.layout_no_wrap(view.number(row, column), FontId::proportional(BODY), colour);
        let at = pos2(rect.right() - 8.0 - text.size().x, rect.center().y - text.size().y / 2.0);
        Shape::galley(at, text, colour)
    })
}

/// Lines from corner to corner, so that a hidden pair is not told by colour alone.
fn hatch(ui: &Ui, rect: Rect, colour: Color32) {
    let painter = ui.painter_at(rect.shrink(0.5).intersect(ui.clip_rect()));
    let (step, reach) = (7.0, rect.height());
    let mut x = rect.left() - reach;
    while x < rect.right() {
        painter.line_segment([pos2(x, rect.bottom()), pos2(x + reach, rect.top())], Stroke::new(1.0, colour));
        x += step;
    }
}

fn labels(ui: &Ui, view: &MatrixView, theme: Theme, outer: Rect, grid: &Grid, measures: &Measures) {
    let painter = ui.painter();
    let font = FontId::proportional(SMALL);
    let clip = painter.clip_rect();
    if measures.numbers || grid.cell_size.y >= 12.0 {
        // Small cells are labelled as densely as the letters allow.
        let every = |size: f32, needed: f32| (needed / size).ceil().max(1.0) as usize;
        for (row, label) in view.rows.iter().enumerate().step_by(every(grid.cell_size.y, 14.0)) {
            let at = pos2(grid.origin.x - 6.0, grid.cell(row, 0).center().y);
            if clip.y_range().contains(at.y) {
                painter.text(at, Align2::RIGHT_CENTER, shortened(label), font.clone(), theme.quiet());
            }
        }
        for (column, label) in view.columns.iter().enumerate().step_by(every(grid.cell_size.x, 38.0)) {
            let at = pos2(grid.cell(0, column).center().x, grid.origin.y - 3.0);
            if clip.x_range().contains(at.x) {
                painter.text(at, Align2::CENTER_BOTTOM, shortened(label), font.clone(), theme.quiet());
            }
        }
    }
    threads(ui, view, grid);
    // The words stand above, rows' first, so that a narrow matrix stays narrow.
    let mut at = outer.min;
    for (axis, colour) in view.row_axis.iter().chain(&view.column_axis) {
        let drawn = painter.text(at, Align2::LEFT_TOP, axis, FontId::proportional(SMALL - 1.0), *colour);
        at.x = drawn.right() + 8.0;
    }
    if view.lit {
        let line =
            [pos2(grid.origin.x, grid.rect().bottom() + 2.5), pos2(grid.rect().right(), grid.rect().bottom() + 2.5)];
        painter.line_segment(line, Stroke::new(3.0, theme.accent()));
    }
}

/// From each query's token a thread runs into its row, from each key's token one down into its column; those of
/// the cell that is looked at run on to the cell.
fn threads(ui: &Ui, view: &MatrixView, grid: &Grid) {
    let (Some((_, query)), Some((_, key))) = (&view.row_axis, &view.column_axis) else { return };
    // Cells too small for numbers stand too close for threads.
    if grid.rows.max(grid.columns) > WINDOW {
        return;
    }
    let painter = ui.painter();
    for row in 0..grid.rows {
        let y = grid.cell(row, 0).center().y;
        painter.hline(grid.origin.x - 5.0..=grid.origin.x, y, Stroke::new(2.0, *query));
    }
    for column in 0..grid.columns {
        let x = grid.cell(0, column).center().x;
        painter.vline(x, grid.origin.y - 4.0..=grid.origin.y, Stroke::new(2.0, *key));
    }
    if let Some((row, column)) = view.looked.filter(|_| !view.veiled) {
        let cell = grid.cell(row, column);
        painter.hline(grid.origin.x..=cell.left(), cell.bottom() - 1.0, Stroke::new(2.0, *query));
        painter.vline(cell.right() - 1.0, grid.origin.y..=cell.top(), Stroke::new(2.0, *key));
    }
}

/// The grid with its headers and a window of its cells in the accessibility tree; answers its actions.
pub(super) fn nodes(
    ui: &mut Ui,
    view: &MatrixView,
    response: &Response,
    outer: Rect,
    grid: &Grid,
    state: &mut State,
    events: &mut Vec<MatrixEvent>,
) {
    if !ui.ctx().has_accesskit_node(response.id) && ui.ctx().accesskit_node_builder(response.id, |_| ()).is_none() {
        return;
    }
    let window = |active: usize, all: usize| {
        let first = active.saturating_sub(WINDOW / 2).min(all.saturating_sub(WINDOW));
        first..(first + WINDOW).min(all)
    };
    let (rows, columns) = (window(state.active.0, grid.rows), window(state.active.1, grid.columns));
    let cell_id = |row: usize, column: usize| response.id.with((row, column));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Grid);
        node.set_label(view.name.clone());
        node.set_row_count(grid.rows + 1);
        node.set_column_count(grid.columns + 1);
    });
    // Row 0 holds the column headers, column 0 the row headers.
    for row in std::iter::once(0).chain(rows.start + 1..rows.end + 1) {
        let builder = UiBuilder::new().id_salt((view.id, "row", row)).max_rect(outer).accessibility_parent(response.id);
        let line = ui.new_child(builder);
        line.ctx().accesskit_node_builder(line.unique_id(), |node| {
            node.set_role(Role::Row);
            node.set_row_index(row);
        });
        for column in std::iter::once(0).chain(columns.start + 1..columns.end + 1) {
            let rect = header_or_cell(grid, outer, row, column);
            let id = cell_id(row, column);
            line.interact(rect, id, Sense::hover());
            match (row, column) {
                (0, 0) => (),
                (0, _) => answer_name(ui, view, id, Header::Column(column - 1)),
                (_, 0) => answer_name(ui, view, id, Header::Row(row - 1)),
                _ => answer(ui, view, response, id, (row - 1, column - 1), state, events),
            }
            line.ctx().accesskit_node_builder(id, |node| {
                node.set_bounds(bounds(rect));
                node.set_column_index(column);
                describe(node, view, state, row, column);
            });
        }
    }
    if response.has_focus() {
        let active = cell_id(state.active.0 + 1, state.active.1 + 1).accesskit_id();
        ui.ctx().accesskit_node_builder(response.id, |node| node.set_active_descendant(active));
    }
}

fn answer(
    ui: &Ui,
    view: &MatrixView,
    response: &Response,
    id: egui::Id,
    cell: (usize, usize),
    state: &mut State,
    events: &mut Vec<MatrixEvent>,
) {
    let asked = |action| ui.input(|input| input.has_accesskit_action_request(id, action));
    if asked(Action::Focus) {
        state.active = cell;
        response.request_focus();
    }
    if asked(Action::Click) {
        response.request_focus();
        state.press(view, cell, events);
    }
}

fn answer_name(ui: &Ui, view: &MatrixView, id: egui::Id, header: Header) {
    if ui.input(|input| input.has_accesskit_action_request(id, Action::Click)) {
        matrix_names::begin(ui, view, header);
    }
}

fn describe(node: &mut accesskit::Node, view: &MatrixView, state: &State, row: usize, column: usize) {
    let label = |labels: &[String], index: usize| labels.get(index).cloned().unwrap_or_else(|| index.to_string());
    match (row, column) {
        (0, 0) => {
            node.set_role(Role::ColumnHeader);
            let axis = |axis: &Option<(String, Color32)>| axis.as_ref().map_or(String::new(), |(text, _)| text.clone());
            node.set_label(format!("{} {}", axis(&view.row_axis), axis(&view.column_axis)).trim().to_owned());
        }
        (0, _) => {
            node.set_role(Role::ColumnHeader);
            node.set_label(label(view.columns, column - 1));
            if view.columns_are_tokens {
                node.set_description(view.words.rename);
                node.add_action(Action::Click);
            }
        }
        (_, 0) => {
            node.set_role(Role::RowHeader);
            node.set_label(label(view.rows, row - 1));
            if view.rows_are_tokens {
                node.set_description(view.words.rename);
                node.add_action(Action::Click);
            }
        }
        _ => {
            let cell = (row - 1, column - 1);
            node.set_role(Role::GridCell);
            node.set_label(if view.veiled { view.words.veiled.to_owned() } else { view.number(cell.0, cell.1) });
            let hidden = view.hidden.is_some_and(|hidden| hidden[cell]);
            let mut said = Vec::new();
            if hidden {
                said.push(view.words.hidden);
            }
            if view.pinned == Some(cell) {
                said.push(view.words.pinned);
                node.set_selected(true);
            }
            if view.editable {
                said.push(view.words.edit);
            }
            if !said.is_empty() {
                node.set_description(said.join(", "));
            }
            node.add_action(Action::Click);
            if cell == state.active {
                node.add_action(Action::Focus);
            }
        }
    }
}

fn header_or_cell(grid: &Grid, outer: Rect, row: usize, column: usize) -> Rect {
    let cell = grid.cell(row.saturating_sub(1), column.saturating_sub(1));
    let x = if column == 0 { outer.left()..=grid.origin.x } else { cell.left()..=cell.right() };
    let y = if row == 0 { outer.top()..=grid.origin.y } else { cell.top()..=cell.bottom() };
    Rect::from_x_y_ranges(x, y)
}

fn bounds(rect: Rect) -> accesskit::Rect {
    accesskit::Rect { x0: rect.left().into(), y0: rect.top().into(), x1: rect.right().into(), y1: rect.bottom().into() }
}
