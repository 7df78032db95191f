//! How large everything is, and where it stands.
//!
//! Lengths are points at scale 1, with numbers of 10 points. A scale is chosen so that the figure is as wide as it was
//! asked to be: large enough to be read from afar where there is room, and never so small that numbers are dust.

use super::FigureOptions;
use super::block::{Axis, Block};
use super::subject::Line;
use super::symbol;
use super::width::{em, shortened};

/// Text sizes.
pub(super) const NUMBER: f64 = 10.0;
pub(super) const LABEL: f64 = 9.0;
pub(super) const TITLE: f64 = 10.0;
pub(super) const SYMBOL: f64 = 13.0;
pub(super) const SMALL: f64 = 8.0;
pub(super) const OPERATOR_SIZE: f64 = 15.0;

/// Around the figure, between blocks, between lines.
const MARGIN: f64 = 8.0;
const GAP: f64 = 12.0;
const LINE_GAP: f64 = 18.0;

/// Between a symbol and the name behind it; the room of the arrow beside the word of an axis.
pub(super) const TITLE_GAP: f64 = 7.0;
pub(super) const AXIS_ARROW: f64 = 10.0;

/// Between the words of two axes.
pub(super) const WORD_GAP: f64 = 6.0;

/// The room of an operator before a matrix.
pub(super) const OPERATOR: f64 = 22.0;

const TITLE_HEIGHT: f64 = 19.0;
const WORD_HEIGHT: f64 = 14.0;
/// The legend and the shape below a matrix.
pub(super) const LEGEND_HEIGHT: f64 = 13.0;
const SHAPE_HEIGHT: f64 = 12.0;

/// The least bar that can be read between the numbers of a legend.
const LEGEND_BAR: f64 = 24.0;

/// A matrix with more rows or columns is drawn as a grid without numbers.
const MOST_NUMBERED: usize = 48;

/// Finer cells than this many points in print (a quarter of a millimetre) are drawn together.
const FINEST: f64 = 0.7;

/// One block in its place. `left` and `top` are those of the grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Placed {
    pub left: f64,
    pub top: f64,
    pub cell: (f64, f64),
    pub numbers: bool,
    /// So many rows and columns are drawn as one cell.
    pub stride: (usize, usize),
    /// The middle of the operator before it.
    pub operator: (f64, f64),
    /// The baselines of the title, of the words of the axes, of the labels of the columns.
    pub title: f64,
    pub axes: f64,
    pub column_labels: f64,
    pub legend_width: f64,
}

impl Placed {
    pub(super) fn size(&self, block: &Block) -> (f64, f64) {
        let (rows, columns) = block.size();
        (self.cell.0 * columns as f64, self.cell.1 * rows as f64)
    }
}

/// A figure laid out: all in points at scale 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub scale: f64,
    pub width: f64,
    pub height: f64,
    /// For each line its blocks.
    pub blocks: Vec<Vec<Placed>>,
    /// For each line with a heading its left end and its baseline.
    pub headings: Vec<Option<(f64, f64)>>,
}

/// Points in a millimetre.
pub(super) const POINTS: f64 = 72.0 / 25.4;

/// The largest scale at which everything has room.
pub(super) fn fit(lines: &[Line], options: &FigureOptions) -> Layout {
    let paper = options.width_mm * POINTS;
    // From 2 downwards; a page that is wider than a sheet of paper gets larger letters.
    let mut scale = 2.0 * (paper / (160.0 * POINTS)).max(1.0);
    while scale >= LEAST {
        let tried = at_scale(lines, options, paper / scale, scale, true);
        if tried.fits && tried.layout.height <= tried.layout.width * tallest(scale) {
            return tried.layout;
        }
        scale -= 0.05;
    }
    // Something is too large for its numbers: it is drawn without them.
    at_scale(lines, options, paper / 0.8, 0.8, false).layout
}

/// Numbers of 4.5 points are the smallest that are printed.
const LEAST: f64 = 0.45;

/// How high a figure may become before smaller letters are tried, in parts of its width: a figure on its page with large
/// letters, a sheet of paper with small ones. Below that nothing is gained.
fn tallest(scale: f64) -> f64 {
    match scale {
        _ if scale > 1.0 => 0.7,
        _ if scale > 0.75 => 1.0,
        _ if scale > 0.6 => 1.35,
        _ => f64::INFINITY,
    }
}

struct Tried {
    layout: Layout,
    fits: bool,
}

/// What a block needs.
struct Measured {
    cell: (f64, f64),
    numbers: bool,
    /// Left of the grid, and right of its left side.
    left: f64,
    right: f64,
    /// Above the grid, and below its upper side.
    above: f64,
    below: f64,
    legend_width: f64,
}

fn at_scale(lines: &[Line], options: &FigureOptions, width: f64, scale: f64, all_numbers: bool) -> Tried {
    let inner = width - 2.0 * MARGIN;
    let mut fits = true;
    let (mut y, mut widest) = (MARGIN, 0.0f64);
    let mut layout = Layout { scale, width, ..Layout::default() };
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            y += LINE_GAP;
        }
        layout.headings.push(line.heading.as_ref().map(|heading| {
            widest = widest.max(em(heading) * TITLE);
            y += TITLE_HEIGHT;
            (MARGIN, y - TITLE_HEIGHT + TITLE + 2.0)
        }));
        let alone = line.blocks.len() == 1;
        let measured: Vec<Measured> =
            line.blocks.iter().map(|block| measure(block, options, inner, alone, all_numbers)).collect();
        let mut placed = Vec::new();
        let mut first = 0;
        while first < measured.len() {
            // As many as the line holds; then the next ones below.
            let (mut x, mut end) = (0.0, first);
            while end < measured.len() {
                let operator = if line.blocks[end].operator.is_empty() { 0.0 } else { OPERATOR };
                let needed = operator + measured[end].left + measured[end].right;
                if end > first && x + GAP + needed > inner {
                    break;
                }
                x += needed + if end > first { GAP } else { 0.0 };
                end += 1;
            }
            fits &= x <= inner;
            widest = widest.max(x);
            if first > 0 {
                y += LINE_GAP;
            }
            y = place(&line.blocks[first..end], &measured[first..end], scale, y, &mut placed);
            first = end;
        }
        layout.blocks.push(placed);
    }
    layout.height = y + MARGIN;
    // What is narrower than the page stands in its middle.
    let shift = ((inner - widest) / 2.0).max(0.0);
    for placed in layout.blocks.iter_mut().flatten() {
        placed.left += shift;
        placed.operator.0 += shift;
    }
    layout.headings.iter_mut().flatten().for_each(|heading| heading.0 += shift);
    Tried { fits, layout }
}

/// Places blocks side by side from y downwards, the middles of their grids on one height, as in an equation; returns
/// where they end.
fn place(blocks: &[Block], measured: &[Measured], scale: f64, y: f64, placed: &mut Vec<Placed>) -> f64 {
    let grid_height = |i: usize| measured[i].cell.1 * blocks[i].size().0 as f64;
    let all = 0..blocks.len();
    let above = all.clone().map(|i| measured[i].above + grid_height(i) / 2.0).fold(0.0, f64::max);
    let below = all.clone().map(|i| measured[i].below - grid_height(i) / 2.0).fold(0.0, f64::max);
    let middle = y + above;
    let mut x = MARGIN;
    for i in all {
        let (block, measure) = (&blocks[i], &measured[i]);
        if i > 0 {
            x += GAP;
        }
        let operator = (x + OPERATOR / 2.0 - GAP / 4.0, middle);
        if !block.operator.is_empty() {
            x += OPERATOR;
        }
        let top = middle - grid_height(i) / 2.0;
        let (labels, axis) = rows_above(block);
        let stride = |size: f64| (FINEST / (size * scale)).ceil().max(1.0) as usize;
        placed.push(Placed {
            left: x + measure.left,
            top,
            cell: measure.cell,
            numbers: measure.numbers,
            stride: (stride(measure.cell.1), stride(measure.cell.0)),
            operator,
            title: top - labels - axis - 6.0,
            axes: top - labels - 4.0,
            column_labels: top - 6.0,
            legend_width: measure.legend_width,
        });
        x += measure.left + measure.right;
    }
    middle + below
}

/// The height of the labels of the columns above a grid, and of the words of the axes above them.
fn rows_above(block: &Block) -> (f64, f64) {
    let labels = if block.columns.is_empty() { 0.0 } else { WORD_HEIGHT };
    let words = if block.row_axis.is_some() || block.column_axis.is_some() { WORD_HEIGHT } else { 0.0 };
    (labels, words)
}

fn measure(block: &Block, options: &FigureOptions, inner: f64, alone: bool, all_numbers: bool) -> Measured {
    let (rows, columns) = block.size();
    let widest = |labels: &[String]| labels.iter().map(|label| em(&shortened(label))).fold(0.0, f64::max);
    let word = |axis: &Option<Axis>| axis.as_ref().map_or(0.0, |axis| em(&axis.text) * SMALL + AXIS_ARROW);
    // Without tokens beside it, the word of the rows stands above the grid.
    let row_labels = if block.rows.is_empty() { 0.0 } else { (widest(&block.rows) * LABEL).max(word(&block.row_axis)) };
    let left = if row_labels > 0.0 { row_labels + 8.0 } else { 0.0 };
    let operator = if block.operator.is_empty() { 0.0 } else { OPERATOR };
    let room = inner - left - operator;

    let mut numbers = options.numbers && block.thumbnail.is_none() && rows <= MOST_NUMBERED && columns <= MOST_NUMBERED;
    let mut cell = (0.0, 0.0);
    if numbers {
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let widest_number = places.map(|(row, column)| em(&block.number(row, column))).fold(0.0, f64::max);
        let width = (widest_number * NUMBER + 6.0).max(widest(&block.columns) * LABEL + 5.0).max(24.0);
        cell = (width, 20.0);
        // At the smallest scale at which all must have its numbers, one that has no room goes without.
        numbers = all_numbers || width * columns as f64 <= room;
    }
    if !numbers {
        // Alone it fills the page; among others, a part of it.
        let (wide, high) = match block.thumbnail {
            Some(across) => (inner / across as f64 - GAP, inner / across as f64 - GAP),
            None if alone => (room, inner * 0.9),
            None => ((inner * 0.3).min(room), inner * 0.3),
        };
        let width = (wide / columns as f64).min(20.0);
        let height = (high / rows as f64).min(20.0);
        // Pairs of tokens are square.
        let square = block.row_axis.is_some() && block.column_axis.is_some();
        cell = if square { (width.min(height), width.min(height)) } else { (width, height) };
    }

    let grid = cell.0 * columns as f64;
    let legend_width = block.legend().map_or(0.0, |ends| {
        let numbers: f64 = ends.iter().map(|end| em(end) * SMALL + 3.0).sum();
        grid.clamp(numbers + LEGEND_BAR, (numbers + LEGEND_BAR).max(160.0))
    });
    let title = symbol::width(&symbol::runs(block.symbol)) * SYMBOL + TITLE_GAP + em(&block.name) * TITLE;
    let above = if block.rows.is_empty() { word(&block.row_axis) + WORD_GAP } else { 0.0 };
    let column_word = word(&block.column_axis) + above;
    let shape = em(&block.shape) * SMALL;
    let right = [grid, legend_width, title, column_word, shape].into_iter().fold(0.0, f64::max);
    let (labels, axis) = rows_above(block);
    let legend = if legend_width > 0.0 { LEGEND_HEIGHT } else { 0.0 };
    Measured {
        cell,
        numbers,
        left,
        right,
        above: TITLE_HEIGHT + labels + axis,
        below: cell.1 * rows as f64 + legend + SHAPE_HEIGHT + 3.0,
        legend_width,
    }
}
