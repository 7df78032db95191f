//! Draws what was laid out: cells, hatch, frames, legends, and all the text.

use super::block::{Axis, Block};
use super::canvas::{Anchor, Canvas, Segment, Type, document};
use super::layout::{
    AXIS_ARROW, LABEL, LEGEND_HEIGHT, Layout, NUMBER, OPERATOR_SIZE, Placed, SMALL, SYMBOL, TITLE, TITLE_GAP, WORD_GAP,
};
use super::palette::{Meaning, Palette, Rgb};
use super::subject::Line;
use super::symbol::{self, runs};
use super::width::{em, shortened};
use super::{FigureError, FigureOptions};

/// White between two cells.
const BETWEEN: f64 = 0.6;

/// From hatch line to hatch line.
const HATCH: f64 = 5.5;

/// The longest outline of leaks, in edges of cells.
const MOST_EDGES: usize = 20_000;

/// Pieces of a legend.
const PIECES: usize = 32;

/// A baseline this far below the middle of a line puts digits and capitals in its middle, in parts of the text size.
const MIDDLE: f64 = 0.35;

/// The document.
pub(super) fn figure(lines: &[Line], layout: &Layout, options: &FigureOptions) -> Result<String, FigureError> {
    let palette = Palette { dark: options.dark };
    let names: Vec<&str> = lines.iter().flat_map(|line| &line.blocks).map(|block| block.name.as_str()).collect();
    document(layout, options.width_mm, options.language.key(), &names.join(", "), |canvas| {
        canvas.rect((0.0, 0.0), (layout.width, layout.height), palette.page())?;
        for ((line, placed), heading) in lines.iter().zip(&layout.blocks).zip(&layout.headings) {
            if let (Some(text), Some(at)) = (&line.heading, heading) {
                let colour = palette.text();
                canvas.text(*at, text, Type { size: TITLE, anchor: Anchor::Start, colour, full: None });
            }
            for (block, placed) in line.blocks.iter().zip(placed) {
                draw(canvas, block, placed, palette)?;
            }
        }
        Ok(())
    })
}

fn draw(canvas: &mut Canvas, block: &Block, placed: &Placed, palette: Palette) -> Result<(), FigureError> {
    let quiet = palette.quiet();
    let (left, top) = (placed.left, placed.top);
    let (width, height) = placed.size(block);
    if !block.operator.is_empty() {
        let (x, y) = placed.operator;
        let at = (x, y + OPERATOR_SIZE * MIDDLE);
        canvas.text(
            at,
            block.operator,
            Type { size: OPERATOR_SIZE, anchor: Anchor::Middle, colour: quiet, full: None },
        );
    }
    let runs = runs(block.symbol);
    let colour = palette.ink(Meaning::of(block.part));
    let mut at = (left, placed.title);
    if !runs.is_empty() {
        canvas.symbol(at, &runs, Type { size: SYMBOL, anchor: Anchor::Start, colour, full: None });
        at.0 += symbol::width(&runs) * SYMBOL + TITLE_GAP;
    }
    canvas.text(at, &block.name, Type { size: TITLE, anchor: Anchor::Start, colour: palette.text(), full: None });

    if placed.numbers {
        numbered_cells(canvas, block, placed, palette)?;
    } else {
        fine_cells(canvas, block, placed, palette);
    }
    // The line lies around the cells, not on them.
    canvas.frame((left - 0.6, top - 0.6), (left + width + 0.6, top + height + 0.6), palette.line(), 0.6)?;
    labels(canvas, block, placed, palette)?;

    let mut below = top + height;
    if let Some(ends) = block.legend() {
        legend(canvas, block, placed, palette, &ends)?;
        below += LEGEND_HEIGHT;
    }
    let at = (left, below + SMALL + 2.0);
    canvas.text(at, &block.shape, Type { size: SMALL, anchor: Anchor::Start, colour: quiet, full: None });
    Ok(())
}

/// Cells with their numbers, aligned at the decimal point: all have the same digits after it.
fn numbered_cells(canvas: &mut Canvas, block: &Block, placed: &Placed, palette: Palette) -> Result<(), FigureError> {
    let (rows, columns) = block.size();
    let (width, height) = placed.cell;
    let corner = |row: usize, column: usize| (placed.left + column as f64 * width, placed.top + row as f64 * height);
    let places: Vec<(usize, usize)> = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
    let half = BETWEEN / 2.0;
    let edges = |row, column| {
        let (x, y) = corner(row, column);
        ((x + half, y + half), (x + width - half, y + height - half))
    };
    for &(row, column) in &places {
        let (from, to) = edges(row, column);
        canvas.rect(from, to, block.ground(row, column, palette))?;
    }
    for (from, to) in hatch(block, placed) {
        canvas.line(from, to, palette.hatch(), 0.7)?;
    }
    let widest = places.iter().map(|&(row, column)| em(&block.number(row, column))).fold(0.0, f64::max) * NUMBER;
    for (row, column) in places {
        let (from, to) = edges(row, column);
        if block.leaks(row, column) {
            canvas.frame(from, to, palette.leak(), 1.8)?;
        }
        let ground = block.ground(row, column, palette);
        let colour = if block.is_hidden(row, column) { palette.text() } else { palette.text_on(ground) };
        // A width that is estimated for wide faces is more than most have: a little less keeps numbers in the middle.
        let at = ((from.0 + to.0 + 0.93 * widest) / 2.0, (from.1 + to.1) / 2.0 + NUMBER * MIDDLE);
        canvas.text(at, &block.number(row, column), Type { size: NUMBER, anchor: Anchor::End, colour, full: None });
    }
    Ok(())
}

/// Cells without numbers. Where they would be finer than print shows, the largest of a few stands for them: an average
/// would lose the one weight that matters.
fn fine_cells(canvas: &mut Canvas, block: &Block, placed: &Placed, palette: Palette) {
    let (rows, columns) = block.size();
    let (down, across) = placed.stride;
    let drawn = (rows.div_ceil(down), columns.div_ceil(across));
    let (width, height) = placed.size(block);
    let colour = |row: usize, column: usize| -> Rgb {
        let mut best = (f64::NEG_INFINITY, (row * down, column * across));
        for at_row in row * down..((row + 1) * down).min(rows) {
            for at_column in column * across..((column + 1) * across).min(columns) {
                let value = block.values[(at_row, at_column)].abs();
                if !block.is_hidden(at_row, at_column) && value.is_finite() && value > best.0 {
                    best = (value, (at_row, at_column));
                }
            }
        }
        block.ground(best.1.0, best.1.1, palette)
    };
    let cell = (width / drawn.1 as f64, height / drawn.0 as f64);
    canvas.grid((placed.left, placed.top), cell, drawn, colour);
    canvas.lines(&hatch(block, placed), palette.hatch(), 0.5);
    canvas.lines(&leak_outline(block, placed), palette.leak(), 1.2);
}

/// The outline of where weight leaks: frames around single cells would be all that is seen of small ones. A mask that is
/// scattered over a large matrix goes without, as its outline would cover the weights and be larger than the figure.
fn leak_outline(block: &Block, placed: &Placed) -> Vec<Segment> {
    let (rows, columns) = block.size();
    let leaks = |row: usize, column: usize| row < rows && column < columns && block.leaks(row, column);
    let at = |row: usize, column: usize| {
        (placed.left + column as f64 * placed.cell.0, placed.top + row as f64 * placed.cell.1)
    };
    let mut segments = Vec::new();
    for row in 0..rows {
        for column in (0..columns).filter(|column| block.leaks(row, *column)) {
            if !leaks(row.wrapping_sub(1), column) {
                segments.push((at(row, column), at(row, column + 1)));
            }
            if !leaks(row + 1, column) {
                segments.push((at(row + 1, column), at(row + 1, column + 1)));
            }
            if !leaks(row, column.wrapping_sub(1)) {
                segments.push((at(row, column), at(row + 1, column)));
            }
            if !leaks(row, column + 1) {
                segments.push((at(row, column + 1), at(row + 1, column + 1)));
            }
        }
    }
    if segments.len() > MOST_EDGES { Vec::new() } else { segments }
}

/// Slanted lines over all hidden cells, so that a hidden pair is not told by colour alone. They run through
/// neighbouring cells as one line.
fn hatch(block: &Block, placed: &Placed) -> Vec<Segment> {
    let (rows, columns) = block.size();
    let (width, height) = placed.cell;
    let mut segments: Vec<Segment> = Vec::new();
    if block.hidden.is_none() {
        return segments;
    }
    // On each line x + y is the same; it is walked upwards, row by row.
    let (right, bottom) = (columns as f64 * width, rows as f64 * height);
    let lines = ((right + bottom) / HATCH) as usize;
    for sum in (1..=lines).map(|line| line as f64 * HATCH) {
        let mut open: Option<Segment> = None;
        for row in (0..rows).rev() {
            let (above, below) = (row as f64 * height, (row + 1) as f64 * height);
            let (from, to) = ((sum - below).max(0.0), (sum - above).min(right));
            if to <= from {
                continue;
            }
            let last = ((to / width).ceil() as usize).min(columns);
            for column in (from / width) as usize..last {
                let x = (from.max(column as f64 * width), to.min((column + 1) as f64 * width));
                if x.1 <= x.0 || !block.is_hidden(row, column) {
                    segments.extend(open.take().filter(|_| x.1 > x.0));
                    continue;
                }
                let start = open.map_or((x.0, sum - x.0), |open| open.0);
                open = Some((start, (x.1, sum - x.1)));
            }
        }
        segments.extend(open);
    }
    let moved = |(x, y): (f64, f64)| (x + placed.left, y + placed.top);
    segments.into_iter().map(|(from, to)| (moved(from), moved(to))).collect()
}

/// Tokens beside rows and above columns, each with a thread in the colour of its side; the words of the axes.
fn labels(canvas: &mut Canvas, block: &Block, placed: &Placed, palette: Palette) -> Result<(), FigureError> {
    let (left, top) = (placed.left, placed.top);
    let (width, height) = placed.cell;
    let quiet = palette.quiet();
    // Small cells are labelled as densely as the letters allow.
    let every = |size: f64, needed: f64| (needed / size).ceil().max(1.0) as usize;
    let is_pair = block.row_axis.is_some() && block.column_axis.is_some();
    for (row, label) in block.rows.iter().enumerate().step_by(every(height, LABEL + 1.0)) {
        let middle = top + (row as f64 + 0.5) * height;
        token(canvas, (left - 6.0, middle + LABEL * MIDDLE), label, Anchor::End, quiet);
        if is_pair {
            canvas.line((left - 4.5, middle), (left - 1.2, middle), palette.ink(Meaning::Query), 1.2)?;
        }
    }
    let widest = block.columns.iter().map(|label| em(&shortened(label))).fold(0.0, f64::max) * LABEL;
    // A label that is wider than its cell stays above the grid, so the first may be moved by half its width.
    let step = if widest + 4.0 <= width { 1 } else { every(width, 1.5 * widest + 4.0) };
    for (column, label) in block.columns.iter().enumerate().step_by(step) {
        let middle = left + (column as f64 + 0.5) * width;
        let half = em(&shortened(label)) * LABEL / 2.0;
        let at = middle.min(left + width * block.columns.len() as f64 - half).max(left + half);
        token(canvas, (at, placed.column_labels), label, Anchor::Middle, quiet);
        if is_pair {
            canvas.line((middle, top - 3.4), (middle, top - 1.2), palette.ink(Meaning::Key), 1.2)?;
        }
    }
    axes(canvas, block, placed, palette)
}

/// The words of the axes, each with an arrow in the way it runs: that of the rows beside the corner of the grid, that of
/// the columns above it. The arrows are drawn, as few text faces have them.
fn axes(canvas: &mut Canvas, block: &Block, placed: &Placed, palette: Palette) -> Result<(), FigureError> {
    let baseline = placed.axes;
    let mut left = placed.left;
    let mut word = |axis: &Axis, x: f64, anchor: Anchor| {
        let colour = palette.ink(axis.meaning);
        canvas.text((x, baseline), &axis.text, Type { size: SMALL, anchor, colour, full: None });
        colour
    };
    let mut arrows = Vec::new();
    if let Some(axis) = &block.row_axis {
        let (x, colour) = if block.rows.is_empty() {
            let x = left + 3.0;
            left += AXIS_ARROW + em(&axis.text) * SMALL + WORD_GAP;
            (x, word(axis, x + AXIS_ARROW - 3.0, Anchor::Start))
        } else {
            (left - 9.0, word(axis, left - 5.0 - AXIS_ARROW, Anchor::End))
        };
        let low = baseline + 0.5;
        let lines = [((x, low - 7.0), (x, low)), ((x - 2.2, low - 2.2), (x, low)), ((x + 2.2, low - 2.2), (x, low))];
        arrows.extend(lines.map(|line| (line, colour)));
    }
    if let Some(axis) = &block.column_axis {
        let colour = word(axis, left + AXIS_ARROW, Anchor::Start);
        let (y, end) = (baseline - 2.8, left + 7.5);
        let lines = [((left + 0.5, y), (end, y)), ((end - 2.2, y - 2.2), (end, y)), ((end - 2.2, y + 2.2), (end, y))];
        arrows.extend(lines.map(|line| (line, colour)));
    }
    for ((from, to), colour) in arrows {
        canvas.line(from, to, colour, 0.8)?;
    }
    Ok(())
}

/// A label; a shortened one keeps its full name as a tooltip, and for whoever cannot see.
fn token(canvas: &mut Canvas, at: (f64, f64), label: &str, anchor: Anchor, colour: Rgb) {
    let short = shortened(label);
    let full = (short != label).then_some(label);
    canvas.text(at, &short, Type { size: LABEL, anchor, colour, full });
}

/// A thin bar with numbers at its ends.
fn legend(
    canvas: &mut Canvas,
    block: &Block,
    placed: &Placed,
    palette: Palette,
    [low, high]: &[String; 2],
) -> Result<(), FigureError> {
    let Some((least, most)) = block.colours.ends() else { return Ok(()) };
    let top = placed.top + placed.size(block).1 + 5.0;
    let bottom = top + 5.0;
    let (left, right) =
        (placed.left + em(low) * SMALL + 3.0, placed.left + placed.legend_width - em(high) * SMALL - 3.0);
    for piece in 0..PIECES {
        let at = |piece: usize| left + (right - left) * piece as f64 / PIECES as f64;
        let value = least + (most - least) * piece as f64 / (PIECES - 1) as f64;
        // To the end each time: pieces that only touched would show their seams.
        canvas.rect((at(piece), top), (right, bottom), block.colours.ground(value, palette))?;
    }
    canvas.frame((left - 0.4, top - 0.4), (right + 0.4, bottom + 0.4), palette.line(), 0.4)?;
    let baseline = (top + bottom) / 2.0 + SMALL * MIDDLE;
    let set = |anchor| Type { size: SMALL, anchor, colour: palette.quiet(), full: None };
    canvas.text((left - 3.0, baseline), low, set(Anchor::End));
    canvas.text((right + 3.0, baseline), high, set(Anchor::Start));
    Ok(())
}
