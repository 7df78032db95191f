//! The colours of the page, on paper: one colour, one meaning (Okabe and Ito 2008).
//!
//! They are those of `ui/theme.rs`, which the figure must not know; a test compares them. Only the light page is white
//! here: paper has its own tint.

use crate::attention::Part;

/// A colour, as 0xrrggbb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rgb(pub u32);

impl Rgb {
    pub(super) fn channels(self) -> [u8; 3] {
        [(self.0 >> 16) as u8, (self.0 >> 8) as u8, self.0 as u8]
    }

    fn mixed(self, other: Rgb, share: f64) -> Rgb {
        let (from, to) = (self.channels(), other.channels());
        let channel = |i: usize| (f64::from(from[i]) * (1.0 - share) + f64::from(to[i]) * share).round() as u32;
        Rgb(channel(0) << 16 | channel(1) << 8 | channel(2))
    }

    /// Relative luminance (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [r, g, b] = self.channels().map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }
}

/// What a colour means, on paper and on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Query,
    Key,
    Value,
    Output,
    Leak,
    /// A check that passed.
    Passed,
    Neutral,
}

impl Meaning {
    /// The meaning of a whole matrix.
    pub fn of(part: Part) -> Self {
        use Part::*;
        match part {
            WQ | BQ | Q | QRotated | QFeatures | ScoreWQ => Self::Query,
            WK | BK | K | KRotated | KFeatures | KTransformed | ScoreWK => Self::Key,
            WV | BV | V => Self::Value,
            Context | Concat | WO | BO | Output => Self::Output,
            Leak => Self::Leak,
            XGiven | XKvGiven | Table | Position | X | XKv | ScoreW | Hidden | ScoreV | Scores | Scaled | Capped
            | Slopes | Bias | Biased | Mask | Masked | Exp | RowSum | Sink | SinkWeight | Kept | Weights => {
                Self::Neutral
            }
        }
    }
}

/// The colours of one theme.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    pub dark: bool,
}

impl Palette {
    fn choose(self, light: u32, dark: u32) -> Rgb {
        Rgb(if self.dark { dark } else { light })
    }

    pub(super) fn page(self) -> Rgb {
        self.choose(0xffffff, 0x16181d)
    }

    /// A cell without a value: zero on the signed scale.
    pub(super) fn raised(self) -> Rgb {
        self.choose(0xffffff, 0x1f2229)
    }

    pub(super) fn text(self) -> Rgb {
        self.choose(0x1d1f23, 0xe9e7e2)
    }

    pub(super) fn quiet(self) -> Rgb {
        self.choose(0x5c5f66, 0xa9a9a6)
    }

    pub(super) fn line(self) -> Rgb {
        self.choose(0xdcd9d1, 0x363a44)
    }

    /// Under a hidden pair, below its hatch.
    pub(super) fn hidden(self) -> Rgb {
        self.choose(0xe9e7e1, 0x2b2e36)
    }

    pub(super) fn hatch(self) -> Rgb {
        self.choose(0xc4c1b8, 0x4a4e59)
    }

    /// The frame of a leak.
    pub(super) fn leak(self) -> Rgb {
        self.choose(0xd55e00, 0xe2670a)
    }

    /// For text and thin lines of that meaning.
    pub(super) fn ink(self, meaning: Meaning) -> Rgb {
        match meaning {
            Meaning::Query => self.choose(0x8f5f00, 0xe69f00),
            Meaning::Key => self.choose(0x1d6a9a, 0x56b4e9),
            Meaning::Value | Meaning::Passed => self.choose(0x00734f, 0x2bbf94),
            Meaning::Output => self.choose(0xa0406f, 0xcc79a7),
            Meaning::Leak => self.choose(0xb54a00, 0xf07a2b),
            Meaning::Neutral => self.text(),
        }
    }

    /// A signed value between −most and most; zero is the page itself.
    pub(super) fn signed(self, value: f64, most: f64) -> Rgb {
        if !value.is_finite() || most <= 0.0 {
            return self.raised();
        }
        let pole = if value < 0.0 { self.choose(0xd0685a, 0xb3493d) } else { self.choose(0x4a8fc7, 0x2f78b3) };
        self.raised().mixed(pole, (value.abs() / most).clamp(0.0, 1.0) * 0.9)
    }

    /// A weight between 0 and 1.
    pub(super) fn weight(self, value: f64) -> Rgb {
        let colour = colorous::CIVIDIS.eval_continuous(value.clamp(0.0, 1.0));
        Rgb(u32::from(colour.r) << 16 | u32::from(colour.g) << 8 | u32::from(colour.b))
    }

    /// Black or white, whichever reads better on that ground.
    pub(super) fn text_on(self, ground: Rgb) -> Rgb {
        let (black, white) = (Rgb(0x000000), Rgb(0xffffff));
        if contrast(black, ground) >= contrast(white, ground) { black } else { white }
    }
}

/// The contrast of two colours, 1 to 21 (WCAG 2.2).
pub(super) fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (a.luminance(), b.luminance());
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page's colours; the two files must not drift apart.
    const THEME: &str = include_str!("../ui/theme.rs");

    #[test]
    fn the_colours_are_those_of_the_page() {
        let source = include_str!("palette.rs");
        let palette = source.split("#[cfg(test)]").next().unwrap();
        let own: Vec<&str> = palette.match_indices("0x").filter_map(|(at, _)| palette.get(at..at + 8)).collect();
        let own: Vec<&&str> = own.iter().filter(|hex| hex[2..].chars().all(|c| c.is_ascii_hexdigit())).collect();
        assert!(own.len() > 25, "only {} colours found: the search is broken", own.len());
        for hex in own.into_iter().filter(|hex| !["0x000000", "0xffffff"].contains(*hex)) {
            assert!(THEME.contains(*hex), "{hex} is no colour of the page");
        }
        assert!(!THEME.contains("0x123456"));
    }

    #[test]
    fn text_reaches_4_5_and_marks_3_in_both_themes() {
        let meanings = [Meaning::Query, Meaning::Key, Meaning::Value, Meaning::Output, Meaning::Leak, Meaning::Neutral];
        for palette in [Palette { dark: false }, Palette { dark: true }] {
            for ink in meanings.map(|meaning| palette.ink(meaning)).into_iter().chain([palette.quiet()]) {
                assert!(contrast(ink, palette.page()) >= 4.5, "{ink:?}, dark: {}", palette.dark);
            }
            assert!(contrast(palette.leak(), palette.page()) >= 3.0);
            for step in -100..=100 {
                let value = f64::from(step) / 100.0;
                for ground in [palette.signed(value, 1.0), palette.weight(value)] {
                    assert!(contrast(palette.text_on(ground), ground) >= 4.5, "{value} on {ground:?}");
                }
            }
            assert!(contrast(palette.text(), palette.hidden()) >= 4.5);
        }
        assert!((contrast(Rgb(0), Rgb(0xffffff)) - 21.0).abs() < 0.01);
    }

    #[test]
    fn zero_is_the_page_and_a_value_that_is_not_finite_too() {
        let palette = Palette { dark: false };
        assert_eq!(palette.signed(0.0, 2.0), palette.raised());
        assert_eq!(palette.signed(f64::NEG_INFINITY, 2.0), palette.raised());
        assert_ne!(palette.signed(1.0, 2.0), palette.signed(-1.0, 2.0));
    }
}
