//! The figure: GFLOP/s against n, a line an engine, both axes logarithmic.

use super::engines::{Device, ENGINES, Engine};
use super::row::Row;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;

const PANEL: (u32, u32) = (600, 430);
const LEGEND_LINE: u32 = 22;
const FONT: &str = "sans-serif";

/// Colours that differ for every kind of eye (Okabe and Ito), by name in the order of the engines.
const COLOURS: [RGBColor; 7] = [
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(160, 70, 140),
    RGBColor(90, 90, 90),
    RGBColor(86, 180, 233),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// One engine with its threads. Points are log₂ n and log₂ of GFLOP/s.
struct Line {
    label: String,
    colour: RGBColor,
    /// Several threads: the dots are filled.
    is_filled: bool,
    points: Vec<(f64, f64)>,
}

/// The SVG, or nothing where no result is right.
pub fn svg(rows: &[Row]) -> Result<Option<String>> {
    let titles = [(Device::Cpu, "Processor, in WebAssembly"), (Device::WebGpu, "WebGPU")];
    let panels = titles.map(|(device, title)| (title, lines(rows, device)));
    let panels: Vec<_> = panels.into_iter().filter(|(_, lines)| !lines.is_empty()).collect();
    let Some(most) = panels.iter().map(|(_, lines)| lines.len()).max() else { return Ok(None) };
    let size = (PANEL.0 * panels.len() as u32, PANEL.1 + LEGEND_LINE * (most as u32 + 1));
    let mut text = String::new();
    let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
    root.fill(&WHITE).map_err(trouble)?;
    for (area, (title, lines)) in root.split_evenly((1, panels.len())).iter().zip(&panels) {
        let (upper, lower) = area.split_vertically(PANEL.1);
        chart(&upper, title, lines)?;
        legend(&lower, lines)?;
    }
    root.present().map_err(trouble)?;
    drop(root);
    Ok(Some(text))
}

/// Those of a device that were right somewhere.
fn lines(rows: &[Row], device: Device) -> Vec<Line> {
    let rows = || rows.iter().filter(|row| row.engine.device == device);
    let mut engines: Vec<&Engine> = Vec::new();
    for row in rows() {
        if !engines.contains(&row.engine) {
            engines.push(row.engine);
        }
    }
    let mut lines = Vec::new();
    for engine in engines {
        for &threads in engine.threads {
            let own = rows().filter(|row| row.engine == engine && row.threads == threads);
            let mut points: Vec<_> =
                own.filter_map(|row| Some(((row.n as f64).log2(), row.gflops()?.log2()))).collect();
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            if !points.is_empty() {
                lines.push(Line {
                    label: engine.label(threads),
                    colour: colour(engine),
                    is_filled: threads > 1,
                    points,
                });
            }
        }
    }
    lines
}

/// The same in both panels, and whatever else is drawn.
fn colour(engine: &Engine) -> RGBColor {
    let mut names: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    let at = names.iter().position(|name| *name == engine.name).unwrap_or_default();
    COLOURS[at % COLOURS.len()]
}

fn chart(area: &Area, title: &str, lines: &[Line]) -> Result<()> {
    let (across, up) = (range(lines, |point| point.0), range(lines, |point| point.1));
    let ticks = |range: &Range<f64>| (range.end - range.start) as usize + 1;
    let (x_labels, y_labels) = (ticks(&across), ticks(&up));
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 22))
        .margin(12)
        .margin_right(28)
        .x_label_area_size(46)
        .y_label_area_size(64)
        .build_cartesian_2d(across, up)
        .map_err(trouble)?;
    chart
        .configure_mesh()
        .x_labels(x_labels)
        .y_labels(y_labels)
        .x_label_formatter(&|n| format!("{:.0}", n.exp2()))
        .y_label_formatter(&|gflops| gflops.exp2().to_string())
        .x_desc("n, tokens of the sequence")
        .y_desc("GFLOP/s")
        .label_style((FONT, 16))
        .axis_desc_style((FONT, 18))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()
        .map_err(trouble)?;
    for line in lines {
        let path = PathElement::new(line.points.clone(), line.colour.stroke_width(2));
        chart.draw_series([path]).map_err(trouble)?;
        // Hollow dots are filled with the paper, so that no line runs through them.
        let dots = |size, style: ShapeStyle| line.points.iter().map(move |&point| Circle::new(point, size, style));
        chart.draw_series(dots(5, line.colour.filled())).map_err(trouble)?;
        if !line.is_filled {
            chart.draw_series(dots(3, WHITE.filled())).map_err(trouble)?;
        }
    }
    Ok(())
}

fn legend(area: &Area, lines: &[Line]) -> Result<()> {
    for (at, line) in lines.iter().enumerate() {
        let y = (LEGEND_LINE * at as u32 + LEGEND_LINE / 2) as i32;
        let stroke = PathElement::new([(76, y), (116, y)], line.colour.stroke_width(2));
        area.draw(&stroke).map_err(trouble)?;
        area.draw(&Circle::new((96, y), 5, line.colour.filled())).map_err(trouble)?;
        if !line.is_filled {
            area.draw(&Circle::new((96, y), 3, WHITE.filled())).map_err(trouble)?;
        }
        area.draw(&Text::new(line.label.clone(), (126, y - 8), (FONT, 17))).map_err(trouble)?;
    }
    Ok(())
}

/// From power of two to power of two, around all points.
fn range(lines: &[Line], of: fn(&(f64, f64)) -> f64) -> Range<f64> {
    let numbers = || lines.iter().flat_map(|line| line.points.iter().map(of));
    let low = numbers().fold(f64::INFINITY, f64::min).floor();
    let high = numbers().fold(f64::NEG_INFINITY, f64::max).ceil();
    low..high.max(low + 1.0)
}

/// An error of plotters holds what cannot be sent to another thread.
fn trouble(why: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("the figure cannot be drawn: {why}")
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;

    #[test]
    fn only_what_is_right_is_drawn() {
        let wrong = row("tfjs", 1, 1024, 1.0, 0.5);
        assert!(svg(std::slice::from_ref(&wrong)).unwrap().is_none());
        let text = svg(&[wrong, row("ours", 2, 1024, 1.0, 1e-7), row("jax-webgpu", 1, 1024, 9.0, 1e-7)]).unwrap();
        let text = text.unwrap();
        for found in ["Attention Lab, relaxed SIMD, 2 threads", "jax-js", "GFLOP/s", "1024", "</svg>"] {
            assert!(text.contains(found), "{found} is not in the figure");
        }
        assert!(!text.contains("TensorFlow.js"));
    }
}
