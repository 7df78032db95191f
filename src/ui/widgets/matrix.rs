//! A matrix: numbers over a heatmap, one tab stop, editable in place.
//!
//! It is one egui widget. Its cells are nodes of the accessibility tree, not widgets, and above 16×16 only a
//! window of them around the active cell is there. Painting is in `matrix_cells`, keys and editing in
//! `matrix_input`, renaming of rows and columns in `matrix_names`.

use super::legend::{CellColours, HEIGHT as LEGEND, legend};
use super::matrix_names::{COLUMN_NAMES, Header};
use super::{matrix_cells, matrix_input, matrix_names};
use crate::attention::Matrix;
use crate::session::PointerMode;
use crate::ui::theme::{SMALL, Theme};
use crate::writing::NumberFormat;
use egui::text::LayoutJob;
use egui::{Color32, Id, Pos2, Rect, RichText, ScrollArea, Sense, Ui, Vec2, vec2};
use nalgebra::DMatrix;
use std::collections::HashMap;
use std::sync::LazyLock;

/// How many cells a side the accessibility tree holds at most.
pub(super) const WINDOW: usize = 16;

/// Beyond this many rows or columns cells are drawn small, without numbers.
const SMALL_ABOVE: usize = 20;

/// Between the parts of a block.
const SPACING: f32 = 2.0;

/// The line with the words on the axes.
pub(super) const AXES: f32 = 16.0;

/// Text size of the shape.
const CAPTION: f32 = SMALL - 1.0;

/// What is shown.
pub struct MatrixView<'a> {
    pub id: Id,
    /// For the ear.
    pub name: String,
    pub title: LayoutJob,
    pub values: &'a Matrix,
    pub rows: &'a [String],
    pub columns: &'a [String],
    /// Whether the names of rows, and of columns, are tokens, which can be renamed.
    pub rows_are_tokens: bool,
    pub columns_are_tokens: bool,
    /// The words on the axes, e.g. query and key.
    pub row_axis: Option<(String, Color32)>,
    pub column_axis: Option<(String, Color32)>,
    /// What stands below: the shape.
    pub caption: String,
    pub colours: CellColours,
    pub hidden: Option<&'a DMatrix<bool>>,
    pub format: NumberFormat,
    /// How a cell is written where it is no plain number: 0 and −∞, True and False.
    pub write: Option<&'a dyn Fn(usize, usize) -> String>,
    pub editable: bool,
    /// Whether a drag paints here in the paint mode.
    pub paintable: bool,
    pub veiled: bool,
    pub lit: bool,
    pub marks: &'a HashMap<(usize, usize), Color32>,
    pub pinned: Option<(usize, usize)>,
    /// The cell whose arithmetic is shown, where it is in this matrix.
    pub looked: Option<(usize, usize)>,
    /// What the numbers were a moment ago, and how strongly what changed glows (0 to 1).
    pub before: Option<(&'a Matrix, f32)>,
    pub mode: PointerMode,
    /// Texts for the ear.
    pub words: Words<'a>,
    pub touch: bool,
    pub max_size: Vec2,
}

static NO_MARKS: LazyLock<HashMap<(usize, usize), Color32>> = LazyLock::new(HashMap::new);

impl<'a> MatrixView<'a> {
    /// A matrix to be looked at only, without labels or colours: what else it has is set on top.
    pub fn still(
        ui: &Ui,
        key: &str,
        title: String,
        values: &'a Matrix,
        format: NumberFormat,
        words: Words<'a>,
    ) -> Self {
        let text = Theme::of(ui.ctx()).text();
        Self {
            id: Id::unique(("still", key)),
            name: title.clone(),
            title: LayoutJob::simple_singleline(title, egui::FontId::proportional(SMALL), text),
            values,
            rows: &[],
            columns: &[],
            rows_are_tokens: false,
            columns_are_tokens: false,
            row_axis: None,
            column_axis: None,
            caption: format!("{}×{}", values.nrows(), values.ncols()),
            colours: CellColours::Plain,
            hidden: None,
            format,
            write: None,
            editable: false,
            paintable: false,
            veiled: false,
            lit: false,
            marks: &NO_MARKS,
            pinned: None,
            looked: None,
            before: None,
            mode: PointerMode::Point,
            words,
            touch: false,
            max_size: vec2(300.0, 300.0),
        }
    }
}

/// Words that only the ear meets.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    pub veiled: &'a str,
    pub hidden: &'a str,
    pub pinned: &'a str,
    pub edit: &'a str,
    pub rename: &'a str,
}

/// What was done to it.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixEvent {
    Pin(usize, usize),
    Unpin,
    Type {
        row: usize,
        column: usize,
        text: String,
    },
    Paste {
        row: usize,
        column: usize,
        text: String,
    },
    /// A value dragged to, and whether the drag begins.
    Drag {
        row: usize,
        column: usize,
        value: f64,
        begins: bool,
    },
    /// A cell painted over, and whether the stroke begins.
    Paint {
        row: usize,
        column: usize,
        begins: bool,
    },
    Rename {
        header: Header,
        text: String,
    },
}

/// What came of it.
pub struct MatrixOutput {
    pub events: Vec<MatrixEvent>,
    pub hovered: Option<(usize, usize)>,
    pub focused: bool,
    pub active: (usize, usize),
    pub grid: Grid,
    numbers: Vec<egui::Shape>,
}

impl MatrixOutput {
    /// Writes the numbers, over whatever was drawn in between.
    pub fn write_numbers(&mut self, ui: &Ui) {
        ui.painter().with_clip_rect(self.grid.clip).extend(std::mem::take(&mut self.numbers));
    }
}

/// Where the cells lie.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// The corner of the first cell.
    pub origin: Pos2,
    pub cell_size: Vec2,
    pub rows: usize,
    pub columns: usize,
    /// What can be seen of it.
    pub clip: Rect,
}

impl Grid {
    pub fn cell(&self, row: usize, column: usize) -> Rect {
        Rect::from_min_size(self.origin + vec2(column as f32, row as f32) * self.cell_size, self.cell_size)
    }

    pub fn rect(&self) -> Rect {
        Rect::from_min_size(self.origin, vec2(self.columns as f32, self.rows as f32) * self.cell_size)
    }

    pub fn at(&self, position: Pos2) -> Option<(usize, usize)> {
        let offset = (position - self.origin) / self.cell_size;
        let inside = offset.x >= 0.0 && offset.y >= 0.0 && self.clip.contains(position);
        let (row, column) = (offset.y as usize, offset.x as usize);
        (inside && row < self.rows && column < self.columns).then_some((row, column))
    }
}

/// Sizes of one matrix.
pub(super) struct Measures {
    pub cell: Vec2,
    pub row_labels: f32,
    pub column_labels: f32,
    pub numbers: bool,
}

impl MatrixView<'_> {
    pub(super) fn number(&self, row: usize, column: usize) -> String {
        match self.write {
            Some(write) => write(row, column),
            None => self.format.fixed(self.values[(row, column)]),
        }
    }

    fn measures(&self, ui: &Ui) -> Measures {
        let font = egui::FontId::proportional(crate::ui::theme::BODY);
        let width = |text: &str, font: &egui::FontId| {
            ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x
        };
        let (n, m) = self.values.shape();
        let numbers = n <= SMALL_ABOVE && m <= SMALL_ABOVE;
        let widest = if numbers {
            let cells = (0..n).flat_map(|row| (0..m).map(move |column| (row, column)));
            cells.map(|(row, column)| self.number(row, column)).max_by_key(|text| text.chars().count())
        } else {
            None
        };
        let small = egui::FontId::proportional(SMALL);
        let labels =
            |labels: &[String]| labels.iter().map(|text| width(&shortened(text), &small)).fold(0.0f32, f32::max);
        let height = if self.touch { crate::ui::theme::TOUCH } else { 28.0 };
        let cell = match &widest {
            Some(text) => {
                let label = labels(self.columns).min(64.0) + 8.0;
                vec2(
                    (width(text, &font) + 16.0).max(38.0).max(label).max(if self.touch {
                        crate::ui::theme::TOUCH
                    } else {
                        0.0
                    }),
                    height,
                )
            }
            None => vec2(12.0, 12.0),
        };
        let row_labels = if self.rows.is_empty() { 0.0 } else { labels(self.rows) + 10.0 };
        let axes = if self.row_axis.is_some() || self.column_axis.is_some() { AXES } else { 0.0 };
        let column_labels = axes + if self.columns.is_empty() { 0.0 } else { COLUMN_NAMES };
        Measures { cell, row_labels, column_labels, numbers }
    }

    /// The size of the whole block, for laying blocks out before they are drawn.
    pub fn size(&self, ui: &Ui) -> Vec2 {
        let Measures { cell, row_labels, column_labels, .. } = self.measures(ui);
        let (n, m) = self.values.shape();
        let grid = vec2(row_labels + cell.x * m as f32, column_labels + cell.y * n as f32);
        let title = ui.painter().layout_job(self.title.clone()).size();
        let caption = ui
            .painter()
            .layout_no_wrap(self.caption.clone(), egui::FontId::proportional(CAPTION), Color32::WHITE)
            .size();
        let legend = if self.colours == CellColours::Plain { 0.0 } else { LEGEND + SPACING };
        let height = title.y + SPACING + grid.y.min(self.max_size.y) + SPACING + legend + caption.y;
        vec2(grid.x.min(self.max_size.x).max(title.x).max(caption.x), height)
    }

    /// Draws the block: title, axis, grid, legend, shape; all but the numbers, which `write_numbers` adds.
    pub fn show(self, ui: &mut Ui) -> MatrixOutput {
        let theme = Theme::of(ui.ctx());
        let measures = self.measures(ui);
        ui.spacing_mut().item_spacing.y = SPACING;
        ui.spacing_mut().interact_size.y = 0.0;
        ui.add(egui::Label::new(self.title.clone()).extend());
        let (n, m) = self.values.shape();
        let full =
            vec2(measures.row_labels + measures.cell.x * m as f32, measures.column_labels + measures.cell.y * n as f32);
        let output = if full.x > self.max_size.x || full.y > self.max_size.y {
            let area = ScrollArea::both()
                .id_salt(self.id.with("scroll"))
                .scroll_source(egui::scroll_area::ScrollSource::ALL)
                .max_width(self.max_size.x)
                .max_height(self.max_size.y)
                // Within a page that scrolls itself there is always room below.
                .min_scrolled_height(self.max_size.y.min(full.y));
            area.show(ui, |ui| self.grid(ui, &measures, full)).inner
        } else {
            self.grid(ui, &measures, full)
        };
        let width = (measures.cell.x * m as f32).clamp(76.0, 200.0).min(full.x.max(76.0));
        if self.colours != CellColours::Plain {
            if self.veiled {
                ui.add_space(LEGEND);
            } else {
                legend(ui, self.colours, self.format, width);
            }
        }
        ui.add(egui::Label::new(RichText::new(&self.caption).size(CAPTION).color(theme.quiet())).extend());
        output
    }

    fn grid(&self, ui: &mut Ui, measures: &Measures, full: Vec2) -> MatrixOutput {
        let dragging =
            (self.editable && self.mode == PointerMode::Drag) || (self.paintable && self.mode == PointerMode::Paint);
        let sense = if dragging { Sense::click_and_drag() } else { Sense::click() };
        let (outer, _) = ui.allocate_exact_size(full, Sense::hover());
        let response = ui.interact(outer, self.id, sense);
        let (n, m) = self.values.shape();
        let grid = Grid {
            origin: outer.min + vec2(measures.row_labels, measures.column_labels),
            cell_size: measures.cell,
            rows: n,
            columns: m,
            clip: ui.clip_rect(),
        };
        let mut state = matrix_input::State::load(ui, self, n, m);
        let mut events = matrix_input::handle(ui, self, &response, &grid, &mut state);
        matrix_cells::nodes(ui, self, &response, outer, &grid, &mut state, &mut events);
        let numbers = matrix_cells::paint(ui, self, outer, &grid, measures, &state, response.has_focus());
        matrix_input::edit(ui, self, &response, &grid, &mut state, &mut events);
        matrix_names::edit(ui, self, &response, &grid, outer, &mut events);
        let types = self.editable && !self.veiled || matrix_names::is_over(self, &response, &grid, outer);
        let response = if types { response.on_hover_cursor(egui::CursorIcon::Text) } else { response };
        let hovered = response.hover_pos().and_then(|position| grid.at(position));
        let focused = response.has_focus() || state.editing.is_some();
        let active = state.active;
        state.store(ui, self);
        MatrixOutput { events, hovered, focused, active, grid, numbers }
    }
}

/// A label that fits above a column.
pub fn shortened(label: &str) -> String {
    const MOST: usize = 9;
    if label.chars().count() <= MOST { label.to_owned() } else { label.chars().take(MOST - 1).chain(['…']).collect() }
}
