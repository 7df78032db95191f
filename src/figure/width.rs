//! How wide a text will be, in parts of its size (em).
//!
//! Nothing can be measured: the figure is drawn where there are no fonts, and read with fonts that are not ours. So
//! the widths are those of wide sans faces (DejaVu Sans, Verdana), and what is placed by them has room to spare.

/// The width of a text in em.
pub(super) fn em(text: &str) -> f64 {
    text.chars().map(em_of).sum()
}

fn em_of(c: char) -> f64 {
    match c {
        '0'..='9' => 0.64,
        '.' | ',' | ':' | ';' | '\'' | '!' | '|' | ' ' | '·' => 0.33,
        'i' | 'j' | 'l' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '/' | '-' => 0.43,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        'a'..='z' => 0.64,
        'A'..='Z' => 0.78,
        '\u{21}'..='\u{7e}' | '−' | '×' => 0.84,
        // European letters, marks and symbols.
        '\u{a0}'..='\u{17ff}' => 0.85,
        // Arrows, infinity, ellipsis; Chinese, Japanese, Korean; emoji are a little wider than their size.
        '\u{1f000}'.. => 1.4,
        _ => 1.0,
    }
}

/// A label as the page shows it: long ones are cut.
pub(super) fn shortened(label: &str) -> String {
    const MOST: usize = 9;
    if label.chars().count() <= MOST { label.to_owned() } else { label.chars().take(MOST - 1).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_is_as_wide_as_it_is_high_and_digits_are_all_the_same() {
        assert_eq!(em("我爱你"), 3.0);
        assert_eq!(em("0123"), em("4567"));
        assert!(em("ill") < em("mmm"));
    }

    #[test]
    fn long_labels_are_cut() {
        assert_eq!(shortened("attention"), "attention");
        assert_eq!(shortened("attentions"), "attentio…");
    }
}
