//! The names of widgets, read from the app's own text files, so that no test repeats a sentence.

use std::path::PathBuf;

/// A text of the app in English, by its key in `assets/i18n/en.ftl`.
///
/// # Panics
/// When there is no such key: then the test is out of date.
#[must_use]
pub fn text(key: &str) -> String {
    text_in("en", key)
}

/// A text of the app in English with its `{ $places }` filled.
///
/// # Panics
/// When there is no such key or no such place.
#[must_use]
pub fn text_with(key: &str, values: &[(&str, &str)]) -> String {
    let mut words = text(key);
    for (name, value) in values {
        let place = format!("{{ ${name} }}");
        assert!(words.contains(&place), "{key} has no {place}");
        words = words.replace(&place, value);
    }
    words
}

/// The words of a text up to its first place.
///
/// # Panics
/// When there is no such key, or it begins with a place.
#[must_use]
pub fn beginning(key: &str) -> String {
    let words = text(key);
    let start = words.split("{ $").next().unwrap_or_default();
    assert!(!start.is_empty(), "{key} begins with a place");
    start.to_owned()
}

/// A text of the app in `en` or `zh-CN`.
///
/// # Panics
/// When there is no such key.
#[must_use]
pub fn text_in(language: &str, key: &str) -> String {
    let file = format!("{language}.ftl");
    let content = read(&file);
    let found = messages(&content).into_iter().find(|(known, _)| *known == key);
    let (_, text) = found.unwrap_or_else(|| panic!("{file} has no {key}"));
    text
}

/// A text of the pages that are shown without the app, from `assets/i18n/page.json`.
///
/// # Panics
/// When there is no such key.
#[must_use]
pub fn page_text(language: &str, key: &str) -> String {
    let texts: serde_json::Value = serde_json::from_str(&read("page.json")).expect("page.json");
    let found = texts[language][key].as_str();
    found.unwrap_or_else(|| panic!("page.json has no {key} in {language}")).to_owned()
}

fn read(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/i18n").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Messages of one line or of indented ones: all that the app's texts use of Fluent.
fn messages(content: &str) -> Vec<(&str, String)> {
    let mut messages: Vec<(&str, String)> = Vec::new();
    for line in content.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, text)) = messages.last_mut() {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(line.trim());
            }
        } else if !line.starts_with('#')
            && let Some((key, text)) = line.split_once('=')
        {
            messages.push((key.trim(), text.trim().to_owned()));
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_one_line_and_of_several_are_read() {
        let content = "# a comment\nundo = Undo\nlong =\n    first\n    second\n";
        let expected = [("undo", "Undo".to_owned()), ("long", "first\nsecond".to_owned())];
        assert_eq!(messages(content), expected);
    }
}
