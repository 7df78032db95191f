//! Numbers that JSON cannot hold, made visible: `NaN`, `Infinity` (Python writes them) and `1e999`.
//!
//! A JSON reader stops at the first of them and can say only the line. Put in quotes and marked, they are
//! read, and each is refused with its place like any other bad number.

/// Begins a marked text; no JSON text can hold it unescaped, so nobody writes it by accident.
const MARK: char = '\u{0}';

/// The number that a marked text stands for, as it was written.
pub(crate) fn unmarked(text: &str) -> Option<&str> {
    text.strip_prefix(MARK)
}

/// The same text with every number that is not finite in quotes and marked; `None` when there is none.
pub(crate) fn marked(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(next) = rest.chars().next() {
        let end = match next {
            '"' => end_of_string(rest),
            _ if is_word(next) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => next.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        if is_word(next) && is_not_finite(token) {
            found = true;
            result.push_str("\"\\u0000");
            result.push_str(token);
            result.push('"');
        } else {
            result.push_str(token);
        }
        rest = after;
    }
    found.then_some(result)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')
}

fn is_not_finite(token: &str) -> bool {
    let is_number = token.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let is_name = matches!(token, "NaN" | "Infinity" | "-Infinity");
    is_name || (is_number && token.parse::<f64>().is_ok_and(f64::is_infinite))
}

/// Where the string at the beginning of the text ends: behind its closing quote.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_are_not_finite_are_marked() {
        let text = r#"{"NaN":[1,-1e999,NaN,"\"Infinity",true]}"#;
        assert_eq!(marked(text).unwrap(), r#"{"NaN":[1,"\u0000-1e999","\u0000NaN","\"Infinity",true]}"#);
        assert_eq!(marked(r#"["NaN", 1e300, "#), None);
        assert_eq!(unmarked("\u{0}NaN"), Some("NaN"));
    }
}
