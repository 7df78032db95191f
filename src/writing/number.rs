//! How numbers are written.

use super::Rounding;

/// Digits after the point, and what happens to the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberFormat {
    pub digits: usize,
    pub rounding: Rounding,
}

impl NumberFormat {
    /// Exactly `digits` digits, a true minus sign, −∞ and ∞ as such.
    pub fn fixed(self, value: f64) -> String {
        if value == f64::NEG_INFINITY {
            return "−∞".to_owned();
        }
        if !value.is_finite() {
            return if value.is_nan() { "NaN" } else { "∞" }.to_owned();
        }
        if value.abs() >= 1e7 {
            return format!("{value:.*e}", self.digits.min(4)).replace('-', "−");
        }
        let text = match self.rounding {
            Rounding::Round => format!("{value:.*}", self.digits),
            Rounding::Truncate => truncated(value, self.digits),
        };
        // −0.0000 says nothing that 0.0000 does not.
        match text.strip_prefix('-') {
            Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
            Some(rest) => format!("−{rest}"),
            None => text,
        }
    }

    /// Without the zeros at the end that say nothing.
    pub fn short(self, value: f64) -> String {
        let text = self.fixed(value);
        if text.contains('.') && !text.contains('e') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    }

    /// All digits where some were dropped, else no more than it has: 1.2840 for exp(¼), but 0.25 for a quarter.
    pub fn natural(self, value: f64) -> String {
        if self.is_exact(value) { self.short(value) } else { self.fixed(value) }
    }

    /// The same, but 1.51e−5 for what would come out as 0 and is not.
    pub fn told(self, value: f64) -> String {
        let text = self.natural(value);
        let is_lost = value.is_finite() && !self.is_exact(value) && text.chars().all(|c| matches!(c, '0' | '.'));
        if is_lost { format!("{value:.2e}").replace('-', "−") } else { text }
    }

    /// Whether the digits shown are the whole number (but for the last bits of f64 arithmetic).
    fn is_exact(self, value: f64) -> bool {
        let scale = 10f64.powi(self.digits as i32);
        let shown = (value * scale).round() / scale;
        (shown - value).abs() <= 1e-12 * value.abs().max(1e-3)
    }

    /// As few digits as show every one of the values as well as `self` does, so that columns align at the point.
    pub fn just_enough(self, values: impl Iterator<Item = f64>) -> Self {
        let digits_of =
            |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.find('e').unwrap_or(digits.len()));
        let needed = |value: f64| digits_of(&self.natural(value));
        let mut digits = 0;
        for value in values {
            digits = digits.max(needed(value));
            if digits >= self.digits {
                break;
            }
        }
        Self { digits, ..self }
    }
}

/// Cuts the exact decimal expansion rather than a product that may itself round up.
fn truncated(value: f64, digits: usize) -> String {
    // The shortest text that reads back as the same number is what a person would cut: 0.3 stays 0.3,
    // though the stored value lies just below it.
    let text = format!("{value}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut fraction: String = fraction.chars().take(digits).collect();
    while fraction.len() < digits {
        fraction.push('0');
    }
    if digits == 0 { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(digits: usize, rounding: Rounding) -> NumberFormat {
        NumberFormat { digits, rounding }
    }

    #[test]
    fn rounds_or_truncates() {
        assert_eq!(format(4, Rounding::Round).fixed(0.28396), "0.2840");
        assert_eq!(format(4, Rounding::Truncate).fixed(0.28399), "0.2839");
        assert_eq!(format(1, Rounding::Truncate).fixed(0.3), "0.3");
        assert_eq!(format(0, Rounding::Truncate).fixed(-2.9), "−2");
        assert_eq!(format(2, Rounding::Truncate).fixed(1e-300), "0.00");
    }

    #[test]
    fn minus_signs_and_infinities_are_typographic() {
        assert_eq!(format(2, Rounding::Round).fixed(-1.5), "−1.50");
        assert_eq!(format(2, Rounding::Round).fixed(-0.001), "0.00");
        assert_eq!(format(2, Rounding::Round).fixed(f64::NEG_INFINITY), "−∞");
    }

    #[test]
    fn a_matrix_shows_just_enough_digits() {
        let four = format(4, Rounding::Round);
        assert_eq!(four.just_enough([0.5, 1.0, 0.25].into_iter()).digits, 2);
        assert_eq!(four.just_enough([1.0, 2.0].into_iter()).digits, 0);
        assert_eq!(four.just_enough([1e23, 1.0].into_iter()).digits, 4);
        assert_eq!(four.just_enough([1.0 / 3.0].into_iter()).digits, 4);
        assert_eq!(four.short(0.1 + 0.2), "0.3");
        assert_eq!(four.natural(0.1 + 0.2), "0.3");
        assert_eq!(four.natural(0.25f64.exp()), "1.2840");
        // What rounding left of a difference is nothing; a small weight is something.
        let told = [1.51e-5, -2e-9, 0.0, 0.1 + 0.2 - 0.3, 0.00005, 0.25].map(|value| four.told(value));
        assert_eq!(told, ["1.51e−5", "−2.00e−9", "0", "0", "0.0001", "0.25"]);
    }
}
