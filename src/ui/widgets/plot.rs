//! Curves and bars over labelled axes, still: a drag scrolls the page, and everything is always in the picture.

use crate::ui::theme::{SMALL, Theme};
use egui::accesskit::Role;
use egui::{
    Align, Color32, Id, Label, Layout, RichText, Sense, Stroke, TextStyle, TextWrapMode, Ui, Vec2, WidgetText, vec2,
};
use egui_plot::{AxisHints, Bar, BarChart, GridInput, GridMark, HoverPosition, Line, LineStyle, Plot, VLine};

/// The room that a label takes on its axis; narrower ones are not drawn.
const X_LABEL: f32 = 64.0;
const Y_LABEL: f32 = 36.0;
/// A label at the right end of the x axis reaches so far beyond it.
const HALF_A_LABEL: f32 = 20.0;
/// A piece of a line in the legend, and the gap between it and its name.
const LINE: Vec2 = vec2(22.0, 18.0);
const LINE_GAP: f32 = 8.0;

/// A line through points (x, y).
pub struct Curve {
    pub name: String,
    pub colour: Color32,
    /// What is not there in the same way (a limit, a rival) is dashed: colour is never alone.
    pub dashed: bool,
    pub points: Vec<[f64; 2]>,
}

/// Bars of one width over an axis of numbers: (middle, height).
pub struct Bars {
    pub name: String,
    pub colour: Color32,
    pub width: f64,
    pub bars: Vec<(f64, f64)>,
}

/// A picture with two axes.
pub struct Chart {
    pub id: &'static str,
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
    pub bars: Vec<Bars>,
    /// Where the problem stands on the x axis.
    pub here: Option<(String, f64)>,
    /// What the picture shows, in a sentence with its figures, for the ear.
    pub spoken: String,
}

pub struct Axis {
    pub name: String,
    /// Powers of ten at equal distances; what is not above zero is left out.
    pub logarithmic: bool,
    /// The least and the most that is shown; `None`: as the numbers need.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    pub fn linear(name: String) -> Self {
        Self { name, logarithmic: false, range: None }
    }

    pub fn logarithmic(name: String) -> Self {
        Self { name, logarithmic: true, range: None }
    }

    pub fn between(self, least: f64, most: f64) -> Self {
        Self { range: Some((least, most)), ..self }
    }

    fn place(&self, value: f64) -> Option<f64> {
        if !self.logarithmic {
            return Some(value);
        }
        (value > 0.0).then(|| value.log10())
    }

    fn number(&self, place: f64) -> String {
        short(if self.logarithmic { 10f64.powf(place) } else { place })
    }

    fn mark(&self, mark: GridMark) -> String {
        // Between powers of ten the lines of the grid say enough.
        if self.logarithmic && (mark.value - mark.value.round()).abs() > 1e-6 {
            return String::new();
        }
        let text = self.number(mark.value);
        let is_same = |other: f64| self.number(other) == text;
        if self.logarithmic || !(is_same(mark.value - mark.step_size) || is_same(mark.value + mark.step_size)) {
            return text;
        }
        // Two marks must not be called the same.
        let decimals = (-mark.step_size.log10().floor()).clamp(0.0, 17.0) as usize;
        format!("{:.decimals$}", mark.value).replace('-', "−")
    }
}

/// A number for an axis: 0.25, 1,024, 65.5 k, 4.3 G.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let (divisor, unit) = match size {
        size if size >= 1e21 => return format!("{value:.1e}").replace(".0e", "e").replace('-', "−"),
        size if size >= 1e18 => (1e18, " E"),
        size if size >= 1e15 => (1e15, " P"),
        size if size >= 1e12 => (1e12, " T"),
        size if size >= 1e9 => (1e9, " G"),
        size if size >= 1e6 => (1e6, " M"),
        size if size >= 1e4 => (1e3, " k"),
        _ => (1.0, ""),
    };
    let value = value / divisor;
    let decimals = match value.abs() {
        0.0 => 0,
        size if size < 1e-3 => return format!("{value:.1e}").replace(".0e", "e").replace('-', "−"),
        size if size < 10.0 => 3,
        size if size < 1000.0 => 1,
        _ => 0,
    };
    let digits = format!("{value:.decimals$}");
    let digits = if decimals > 0 { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{}{unit}", digits.replace('-', "−"))
}

impl Chart {
    /// Draws it, `width` wide at most.
    pub fn show(self, ui: &mut Ui, width: f32) {
        let theme = Theme::of(ui.ctx());
        let width = ui.available_width().min(width).max(200.0);
        let height = (width * 0.5).clamp(160.0, 200.0);
        let (x, y) = (&self.x, &self.y);
        ui.scope(|ui| self.legend(ui, theme));
        // The names of the axes stand outside: egui_plot would write them across the numbers.
        let axis = |name: String| RichText::new(name).size(SMALL).color(theme.quiet());
        ui.label(axis(format!("{} ↑", y.name)));
        let mut plot = Plot::new(Id::unique(self.id))
            .width(width - HALF_A_LABEL)
            .height(height)
            .allow_drag(false)
            .allow_zoom(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_axis_zoom_drag(false)
            .allow_double_click_reset(false)
            .y_axis_min_width(44.0)
            .show_background(false)
            .set_margin_fraction(vec2(0.02, 0.06))
            .grid_color(theme.line())
            .custom_x_axes(vec![
                AxisHints::new_x().formatter(|mark, _| x.mark(mark)).label_spacing(egui::Rangef::new(32.0, 60.0)),
            ])
            .y_axis_formatter(|mark, _| y.mark(mark))
            .label_formatter(|position| match position {
                HoverPosition::NearDataPoint { plot_name, position, .. } => {
                    let (x, y) = (x.number(position.x), y.number(position.y));
                    Some(format!("{plot_name}\n{x} · {y}"))
                }
                HoverPosition::Elsewhere { .. } => None,
            });
        plot = plot.x_grid_spacer(marks(x.logarithmic, width / X_LABEL));
        plot = plot.y_grid_spacer(marks(y.logarithmic, height / Y_LABEL));
        if let Some((least, most)) = y.range {
            plot = plot.include_y(y.place(least).unwrap_or(least)).include_y(y.place(most).unwrap_or(most));
        }
        if let Some((least, most)) = x.range {
            plot = plot.include_x(x.place(least).unwrap_or(least)).include_x(x.place(most).unwrap_or(most));
        }
        let response = plot.show(ui, |drawn| {
            for Bars { name, colour, width, bars } in &self.bars {
                let bars = bars.iter().map(|&(at, height)| Bar::new(at, height).width(*width)).collect();
                drawn.bar_chart(BarChart::new(name.clone(), bars).color(colour.gamma_multiply(0.6)));
            }
            for Curve { name, colour, dashed, points } in &self.curves {
                let points: Vec<[f64; 2]> =
                    points.iter().filter_map(|&[at, value]| Some([x.place(at)?, y.place(value)?])).collect();
                let style = if *dashed { LineStyle::dashed_loose() } else { LineStyle::Solid };
                drawn.line(Line::new(name.clone(), points).color(*colour).width(2.0).style(style));
            }
            if let Some((name, at)) = &self.here
                && let Some(at) = x.place(*at)
            {
                drawn.vline(VLine::new(name.clone(), at).color(theme.quiet()).style(LineStyle::dotted_dense()));
            }
        });
        ui.ctx().accesskit_node_builder(response.response.id, |node| {
            node.set_role(Role::Image);
            node.set_label(self.spoken.clone());
        });
        ui.allocate_ui_with_layout(vec2(width, SMALL), Layout::right_to_left(Align::Center), |ui| {
            ui.label(axis(format!("{} →", x.name)));
        });
    }
}

/// Where an axis has lines and labels: at most so many that their labels have room. On a logarithmic one at whole powers of
/// ten, else at multiples of 1, 2 or 5 at their power of ten.
fn marks(logarithmic: bool, most: f32) -> impl Fn(GridInput) -> Vec<GridMark> {
    move |input| {
        let (from, to) = input.bounds;
        let least = (to - from) / f64::from(most.max(1.0));
        let step = if logarithmic { least.ceil().max(1.0) } else { round_above(least) };
        if !step.is_normal() {
            return Vec::new();
        }
        let (first, last) = ((from / step).ceil() as i64, (to / step).floor() as i64);
        (first..=last).map(|at| GridMark { value: at as f64 * step, step_size: step }).collect()
    }
}

/// 1, 2, 5 or 10 at its power of ten, the first that is not below.
fn round_above(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= least).unwrap_or(0.0)
}

impl Chart {
    /// The names beside a piece of their line: above the picture, where they cover nothing.
    fn legend(&self, ui: &mut Ui, theme: Theme) {
        let curves = self.curves.iter().map(|curve| (&curve.name, curve.colour, if curve.dashed { 5.0 } else { 0.0 }));
        let bars = self.bars.iter().map(|bars| (&bars.name, bars.colour.gamma_multiply(0.6), 0.0));
        let here = self.here.iter().map(|(name, _)| (name, theme.quiet(), 2.0));
        let all: Vec<_> = curves.chain(bars).chain(here).collect();
        if all.len() < 2 {
            return;
        }
        ui.spacing_mut().interact_size.y = LINE.y;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(16.0, 2.0);
            for (name, colour, dash) in all {
                let text = RichText::new(name).size(SMALL);
                let width = WidgetText::from(text.clone())
                    .into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Body)
                    .size()
                    .x;
                let entry = vec2(LINE.x + LINE_GAP + width, LINE.y);
                // In one piece, so that a name never wraps away from its line.
                ui.allocate_ui_with_layout(entry, Layout::left_to_right(Align::Center), |ui| {
                    ui.spacing_mut().item_spacing.x = LINE_GAP;
                    let (rect, _) = ui.allocate_exact_size(LINE, Sense::hover());
                    let line = [rect.left_center(), rect.right_center()];
                    let stroke = Stroke::new(2.5, colour);
                    if dash > 0.0 {
                        ui.painter().extend(egui::Shape::dashed_line(&line, stroke, dash, 3.0));
                    } else {
                        ui.painter().line_segment(line, stroke);
                    }
                    ui.add(Label::new(text).extend());
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_an_axis_are_round_and_have_room() {
        let marks = |from: f64, to: f64| {
            let input = GridInput { bounds: (from, to), base_step_size: 1.0 };
            super::marks(false, 4.0)(input).iter().map(|mark| mark.value).collect::<Vec<_>>()
        };
        assert_eq!(marks(0.0, 8191.0), [0.0, 5000.0]);
        assert_eq!(marks(-0.3, 7.0), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(marks(0.0, 0.0998), [0.0, 0.05]);
        assert_eq!(marks(60_100.0, 60_200.0), [60_100.0, 60_150.0, 60_200.0]);
        assert!(marks(1.0, 1.0).is_empty());
    }

    #[test]
    fn marks_near_each_other_are_told_apart() {
        let axis = Axis::linear(String::new());
        let marks = |from: f64, step: f64| {
            [0.0, 1.0, 2.0].map(|at| axis.mark(GridMark { value: from + at * step, step_size: step }))
        };
        assert_eq!(marks(65_510.0, 10.0), ["65510", "65520", "65530"]);
        assert_eq!(marks(60_000.0, 1000.0), ["60 k", "61 k", "62 k"]);
        assert_eq!(marks(1.00001, 0.00001), ["1.00001", "1.00002", "1.00003"]);
    }

    #[test]
    fn numbers_on_an_axis_are_short() {
        let found = [0.0, 0.25, 1.0, 1_024.0, 65_536.0, 4_294_967_296.0, -0.5, 0.00001, 0.00015, 4e60].map(short);
        assert_eq!(found, ["0", "0.25", "1", "1024", "65.5 k", "4.295 G", "−0.5", "1e−5", "1.5e−4", "4e60"]);
    }
}
