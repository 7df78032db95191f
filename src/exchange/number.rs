//! One number as people type it: `0.5`, `0,5`, `1e-3`, `1/3`, `−2`.

/// Why a text is no number. Each has a `key` for translations (`number-<key>`) and its `args`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    #[error("there is no number")]
    Empty,
    #[error("{found} is not a number")]
    NotANumber { found: String },
    /// Infinities and NaN, and numbers too large for an f64: a hidden pair belongs into the mask.
    #[error("{found} is not finite; to hide a pair, use the mask")]
    NotFinite { found: String },
    #[error("{found} divides by zero")]
    DividedByZero { found: String },
}

impl NumberError {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 4] = ["empty", "not-a-number", "not-finite", "divided-by-zero"];

    pub fn key(&self) -> &'static str {
        match self {
            NumberError::Empty => "empty",
            NumberError::NotANumber { .. } => "not-a-number",
            NumberError::NotFinite { .. } => "not-finite",
            NumberError::DividedByZero { .. } => "divided-by-zero",
        }
    }

    /// What a translation fills in: `found`, where there is a text.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            NumberError::Empty => Vec::new(),
            NumberError::NotANumber { found }
            | NumberError::NotFinite { found }
            | NumberError::DividedByZero { found } => vec![("found", found.clone())],
        }
    }
}

/// Reads one number: with a decimal point or a decimal comma, an exponent, as a fraction, with the sign U+2212.
///
/// # Errors
/// When there is none, or it is not finite.
///
/// ```
/// # use attnlab::exchange::{read_number, NumberError};
/// assert_eq!(read_number(" 0,5 "), Ok(0.5));
/// assert_eq!(read_number("−2"), Ok(-2.0));
/// assert_eq!(read_number("1/3"), Ok(1.0 / 3.0));
/// assert_eq!(read_number("-inf").unwrap_err().key(), "not-finite");
/// ```
pub fn read_number(text: &str) -> Result<f64, NumberError> {
    // A decimal comma only where it is the one mark: 1,5 but not 1,000.5 or 1,2,3.
    let has_decimal_comma = text.matches(',').count() == 1 && !text.contains(['.', '/']);
    if has_decimal_comma { read_plain(&text.replace(',', ".")) } else { read_plain(text) }
}

/// Reads a whole number; thousands may be set apart.
///
/// # Errors
/// When there is none, or it is not whole.
///
/// ```
/// # use attnlab::exchange::read_whole;
/// assert_eq!(read_whole("65,536"), Ok(65_536.0));
/// assert!(read_whole("0,5").is_err());
/// ```
pub fn read_whole(text: &str) -> Result<f64, NumberError> {
    let text = text.trim();
    let groups: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '，' | '_' | '’' | '\'')).collect();
    let are_thousands = groups[1..].iter().all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()));
    let value = if are_thousands { read_plain(&groups.concat())? } else { read_number(text)? };
    if value.fract() == 0.0 { Ok(value) } else { Err(NumberError::NotANumber { found: cut(text) }) }
}

/// One number without the decimal comma, for blocks in which a comma separates.
pub(super) fn read_plain(text: &str) -> Result<f64, NumberError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(NumberError::Empty);
    }
    let value = match trimmed.split_once('/') {
        None => decimal(trimmed)?,
        Some((above, below)) => {
            let (above, below) = (decimal(above.trim())?, decimal(below.trim())?);
            if below == 0.0 {
                return Err(NumberError::DividedByZero { found: cut(trimmed) });
            }
            above / below
        }
    };
    if value.is_finite() { Ok(value) } else { Err(NumberError::NotFinite { found: cut(trimmed) }) }
}

fn decimal(text: &str) -> Result<f64, NumberError> {
    let ascii = text.replace('\u{2212}', "-");
    let magnitude = ascii.trim_start_matches(['+', '-']).to_ascii_lowercase();
    if ["inf", "infinity", "∞", "nan"].contains(&magnitude.as_str()) {
        return Err(NumberError::NotFinite { found: cut(text) });
    }
    let is_plain = ascii.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    let parsed = ascii.parse().ok().filter(|_| is_plain);
    parsed.ok_or_else(|| NumberError::NotANumber { found: cut(text) })
}

/// Short enough for a message.
pub(super) fn cut(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ways_to_write_a_number() {
        let cases = [
            ("0.5", 0.5),
            ("0,5", 0.5),
            ("-0,5", -0.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e-3", 1e-3),
            ("1,5e2", 150.0),
            ("1E+2", 100.0),
            ("+3", 3.0),
            ("−2", -2.0),
            ("1e−3", 1e-3),
            ("1/3", 1.0 / 3.0),
            ("−1 / 4", -0.25),
            ("\t7\u{a0}", 7.0),
        ];
        for (text, expected) in cases {
            assert_eq!(read_number(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_read_as_people_write_them() {
        for text in ["65536", "65,536", "65 536", "65，536", "65'536", "6.5536e4", " 65536.0 "] {
            assert_eq!(read_whole(text), Ok(65_536.0), "{text}");
        }
        assert_eq!(read_whole("−3"), Ok(-3.0));
        for text in ["abc", "", "1,5", "0,5", "6,55,36", "1,2345", "inf"] {
            assert!(read_whole(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_refused_and_why() {
        let cases = [
            ("", "empty"),
            ("  ", "empty"),
            ("a", "not-a-number"),
            ("1,2,3", "not-a-number"),
            ("1,000.5", "not-a-number"),
            ("1 2", "not-a-number"),
            ("--1", "not-a-number"),
            ("0x10", "not-a-number"),
            ("1/2/3", "not-a-number"),
            ("/", "not-a-number"),
            ("1/0", "divided-by-zero"),
            ("-inf", "not-finite"),
            ("−∞", "not-finite"),
            ("NaN", "not-finite"),
            ("Infinity", "not-finite"),
            ("1e999", "not-finite"),
            ("1e300/1e-300", "not-finite"),
        ];
        for (text, key) in cases {
            assert_eq!(read_number(text).unwrap_err().key(), key, "{text}");
        }
    }
}
