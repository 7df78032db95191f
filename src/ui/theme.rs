//! Colours, type and spacing: one colour, one meaning, everywhere.
//!
//! The hues are Okabe and Ito's (2008), which colour-blind eyes can tell apart. Each comes in two strengths:
//! for text (contrast at least 4.5 : 1) and for marks (at least 3 : 1).

pub use crate::figure::Meaning;

use crate::session::ColourScale;
use egui::{Color32, FontData, FontDefinitions, FontFamily, FontId, TextStyle, Visuals};
use std::sync::Arc;

/// Text sizes, in points. There are three.
pub const SMALL: f32 = 13.0;
pub const BODY: f32 = 15.0;
pub const LARGE: f32 = 20.0;

/// A finger's width.
pub const TOUCH: f32 = 44.0;

/// Below this width the page is one column.
pub const NARROW: f32 = 700.0;

/// The colours of one theme.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    pub dark: bool,
}

impl Theme {
    pub fn of(ctx: &egui::Context) -> Self {
        Self { dark: ctx.theme() == egui::Theme::Dark }
    }

    pub fn page(self) -> Color32 {
        if self.dark { rgb(0x16181d) } else { rgb(0xfbfaf7) }
    }

    /// What lies on the page: cards, headers.
    pub fn raised(self) -> Color32 {
        if self.dark { rgb(0x1f2229) } else { rgb(0xffffff) }
    }

    pub fn text(self) -> Color32 {
        if self.dark { rgb(0xe9e7e2) } else { rgb(0x1d1f23) }
    }

    pub fn quiet(self) -> Color32 {
        if self.dark { rgb(0xa9a9a6) } else { rgb(0x5c5f66) }
    }

    pub fn line(self) -> Color32 {
        if self.dark { rgb(0x363a44) } else { rgb(0xdcd9d1) }
    }

    /// The edge of what can be pressed.
    pub fn edge(self) -> Color32 {
        if self.dark { rgb(0x747a87) } else { rgb(0x8f8c84) }
    }

    /// The one accent: what is current, and what can be pressed.
    pub fn accent(self) -> Color32 {
        if self.dark { rgb(0x8ab4f8) } else { rgb(0x2457a6) }
    }

    /// For text and thin lines of that meaning.
    pub fn ink(self, meaning: Meaning) -> Color32 {
        let (light, dark) = match meaning {
            Meaning::Query => (0x8f5f00, 0xe69f00),
            Meaning::Key => (0x1d6a9a, 0x56b4e9),
            Meaning::Value => (0x00734f, 0x2bbf94),
            Meaning::Output => (0xa0406f, 0xcc79a7),
            Meaning::Leak => (0xb54a00, 0xf07a2b),
            Meaning::Passed => (0x00734f, 0x2bbf94),
            Meaning::Neutral => return self.text(),
        };
        rgb(if self.dark { dark } else { light })
    }

    /// For borders, arcs and bars of that meaning.
    pub fn mark(self, meaning: Meaning) -> Color32 {
        let (light, dark) = match meaning {
            Meaning::Query => (0xbd8200, 0xe69f00),
            Meaning::Key => (0x2a8cc7, 0x56b4e9),
            Meaning::Value => (0x009e73, 0x009e73),
            Meaning::Output => (0xbd659a, 0xcc79a7),
            Meaning::Leak => (0xd55e00, 0xe2670a),
            Meaning::Passed => (0x009e73, 0x009e73),
            Meaning::Neutral => return self.quiet(),
        };
        rgb(if self.dark { dark } else { light })
    }

    /// A signed value between −most and most; zero is the page itself.
    pub fn signed(self, value: f64, most: f64) -> Color32 {
        if !value.is_finite() || most <= 0.0 {
            return self.raised();
        }
        let pole = match (value < 0.0, self.dark) {
            (false, false) => rgb(0x4a8fc7),
            (true, false) => rgb(0xd0685a),
            (false, true) => rgb(0x2f78b3),
            (true, true) => rgb(0xb3493d),
        };
        self.raised().lerp_to_gamma(pole, ((value.abs() / most) as f32).clamp(0.0, 1.0) * 0.9)
    }

    /// A weight between 0 and 1. The log scale has a floor of 10⁻⁶.
    pub fn weight(self, value: f64, scale: ColourScale) -> Color32 {
        let colour = colorous::CIVIDIS.eval_continuous(weight_position(value, scale));
        Color32::from_rgb(colour.r, colour.g, colour.b)
    }

    /// Under a hidden pair, below its hatch.
    pub fn hidden(self) -> Color32 {
        if self.dark { rgb(0x2b2e36) } else { rgb(0xe9e7e1) }
    }

    pub fn hatch(self) -> Color32 {
        if self.dark { rgb(0x4a4e59) } else { rgb(0xc4c1b8) }
    }

    /// Dark or light text, whichever reads better on that ground.
    pub fn text_on(self, ground: Color32) -> Color32 {
        if contrast(Color32::BLACK, ground) >= contrast(Color32::WHITE, ground) {
            Color32::BLACK
        } else {
            Color32::WHITE
        }
    }
}

/// Where a weight lies on its colour scale, from 0 to 1.
pub fn weight_position(value: f64, scale: ColourScale) -> f64 {
    match scale {
        ColourScale::Linear => value.clamp(0.0, 1.0),
        ColourScale::Log => (value.max(1e-6).log10() / 6.0 + 1.0).clamp(0.0, 1.0),
    }
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance).
pub fn contrast(a: Color32, b: Color32) -> f32 {
    let luminance = |c: Color32| {
        let linear = |v: u8| {
            let v = f32::from(v) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(c.r()) + 0.7152 * linear(c.g()) + 0.0722 * linear(c.b())
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The bold face of the text.
pub fn semibold(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("semibold".into()))
}

/// The face for formulas.
pub fn math(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("math".into()))
}

/// Installs the fonts, and the style of both themes.
pub fn install(ctx: &egui::Context) {
    ctx.set_fonts(fonts());
    for theme in [egui::Theme::Light, egui::Theme::Dark] {
        ctx.style_mut_of(theme, |style| set_style(style, Theme { dark: theme == egui::Theme::Dark }));
    }
}

/// Two faces, subset; what they lack (Chinese) comes from the system.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let faces: [(&str, &'static [u8]); 3] = [
        ("plex", include_bytes!("../../assets/fonts/plex-regular.ttf")),
        ("plex-semibold", include_bytes!("../../assets/fonts/plex-semibold.ttf")),
        ("stix", include_bytes!("../../assets/fonts/stix-math.ttf")),
    ];
    for (name, bytes) in faces {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let families = [
        (FontFamily::Proportional, ["plex", "stix", "plex-semibold"]),
        (FontFamily::Monospace, ["plex", "stix", "plex-semibold"]),
        (FontFamily::Name("semibold".into()), ["plex-semibold", "plex", "stix"]),
        (FontFamily::Name("math".into()), ["stix", "plex", "plex-semibold"]),
    ];
    for (family, order) in families {
        fonts.families.insert(family, order.map(str::to_owned).to_vec());
    }
    fonts
}

fn set_style(style: &mut egui::Style, theme: Theme) {
    style.text_styles = [
        (TextStyle::Small, FontId::proportional(SMALL)),
        (TextStyle::Body, FontId::proportional(BODY)),
        (TextStyle::Button, FontId::proportional(BODY)),
        (TextStyle::Monospace, FontId::monospace(BODY)),
        (TextStyle::Heading, semibold(LARGE)),
    ]
    .into();
    style.spacing.item_spacing = egui::vec2(8.0, 8.0);
    style.spacing.button_padding = egui::vec2(10.0, 5.0);
    style.spacing.interact_size.y = 32.0;
    style.interaction.selectable_labels = false;
    style.visuals = if theme.dark { Visuals::dark() } else { Visuals::light() };
    let visuals = &mut style.visuals;
    visuals.override_text_color = Some(theme.text());
    visuals.weak_text_color = Some(theme.quiet());
    visuals.panel_fill = theme.page();
    visuals.window_fill = theme.raised();
    visuals.extreme_bg_color = theme.raised();
    visuals.faint_bg_color = theme.raised();
    visuals.hyperlink_color = theme.accent();
    visuals.selection.bg_fill = theme.accent().gamma_multiply(0.28);
    visuals.selection.stroke = egui::Stroke::new(1.5, theme.accent());
    // A blinking cursor would repaint an idle page for ever.
    visuals.text_cursor.blink = false;
    visuals.widgets.noninteractive.bg_stroke = egui::Stroke::new(1.0, theme.line());
    for widget in [
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
        &mut visuals.widgets.open,
    ] {
        widget.corner_radius = 6.into();
        widget.weak_bg_fill = theme.raised();
        widget.bg_fill = theme.line();
        widget.bg_stroke = egui::Stroke::new(1.0, theme.edge());
        widget.expansion = 0.0;
    }
    visuals.widgets.hovered.bg_stroke = egui::Stroke::new(1.0, theme.accent());
    visuals.widgets.active.bg_stroke = egui::Stroke::new(2.0, theme.accent());
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEANINGS: [Meaning; 7] = [
        Meaning::Query,
        Meaning::Key,
        Meaning::Value,
        Meaning::Output,
        Meaning::Leak,
        Meaning::Passed,
        Meaning::Neutral,
    ];

    #[test]
    fn text_reaches_4_5_and_marks_3_in_both_themes() {
        for theme in [Theme { dark: false }, Theme { dark: true }] {
            for ground in [theme.page(), theme.raised()] {
                for ink in
                    MEANINGS.map(|m| theme.ink(m)).into_iter().chain([theme.text(), theme.quiet(), theme.accent()])
                {
                    let found = contrast(ink, ground);
                    assert!(found >= 4.5, "{ink:?} on {ground:?} in dark {}: {found}", theme.dark);
                }
                for mark in MEANINGS.map(|m| theme.mark(m)).into_iter().chain([theme.edge()]) {
                    let found = contrast(mark, ground);
                    assert!(found >= 3.0, "{mark:?} on {ground:?} in dark {}: {found}", theme.dark);
                }
            }
        }
    }

    #[test]
    fn numbers_on_heatmaps_reach_4_5() {
        for theme in [Theme { dark: false }, Theme { dark: true }] {
            for i in -100..=100 {
                let value = f64::from(i) / 100.0;
                for ground in [theme.signed(value, 1.0), theme.weight(value.abs(), ColourScale::Linear), theme.hidden()]
                {
                    let found = contrast(theme.text_on(ground), ground);
                    assert!(found >= 4.5, "{value} on {ground:?}: {found}");
                }
            }
        }
    }

    #[test]
    fn black_on_white_is_21_and_a_colour_on_itself_1() {
        assert!((contrast(Color32::BLACK, Color32::WHITE) - 21.0).abs() < 0.01);
        assert!((contrast(Color32::GRAY, Color32::GRAY) - 1.0).abs() < 0.01);
    }
}
