//! The texts, in the language that was chosen.
//!
//! Every sentence for people lives in `assets/i18n/*.ftl`. One test fails on a literal `.t("…")` key
//! that has no text, another on the keys that are put together at run time, a third where the languages differ.

use crate::session::Language;
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};

const ENGLISH: &str = include_str!("../../assets/i18n/en.ftl");
const CHINESE: &str = include_str!("../../assets/i18n/zh-CN.ftl");

/// The texts of one language.
pub struct Texts {
    language: Language,
    bundle: FluentBundle<FluentResource>,
}

impl Texts {
    /// # Panics
    /// If a text file is not valid Fluent, which a test rules out.
    pub fn new(language: Language) -> Self {
        let source = match language {
            Language::English => ENGLISH,
            Language::Chinese => CHINESE,
        };
        let resource = FluentResource::try_new(source.to_owned())
            .map_err(|(_, errors)| errors)
            .expect("the texts are valid Fluent");
        let tag = language.key().parse().expect("a language key is a language tag");
        let mut bundle = FluentBundle::new(vec![tag]);
        // The marks that isolate inserted text are tofu in most fonts.
        bundle.set_use_isolating(false);
        bundle.add_resource(resource).expect("no message stands twice");
        Self { language, bundle }
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// The text of a key.
    pub fn t(&self, key: &str) -> String {
        self.tf(key, &[])
    }

    /// The text of a key with values filled in. A missing key shows itself, so that it is seen.
    pub fn tf(&self, key: &str, values: &[(&str, String)]) -> String {
        let Some(pattern) = self.bundle.get_message(key).and_then(|message| message.value()) else {
            return format!("[{key}]");
        };
        let mut args = FluentArgs::new();
        for (name, value) in values {
            args.set(*name, FluentValue::from(value.as_str()));
        }
        let mut errors = Vec::new();
        self.bundle.format_pattern(pattern, Some(&args), &mut errors).into_owned()
    }

    /// Whether there is a text for the key.
    pub fn has(&self, key: &str) -> bool {
        self.bundle.has_message(key)
    }

    /// The best of the languages that we have for what a browser prefers, best first.
    pub fn language_for(preferred: &[String]) -> Language {
        let known = |tag: &String| match tag.split('-').next().map(str::to_ascii_lowercase).as_deref() {
            Some("zh") => Some(Language::Chinese),
            Some("en") => Some(Language::English),
            _ => None,
        };
        preferred.iter().find_map(known).unwrap_or(Language::English)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Message names and the variables that each uses.
    fn messages(source: &str) -> BTreeMap<String, Vec<String>> {
        let mut messages: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut current = String::new();
        for line in source.lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, _)) = line.split_once(" =").filter(|_| !line.starts_with(' ')) {
                current = name.to_owned();
                messages.entry(current.clone()).or_default();
            }
            for variable in line.split("{ $").skip(1).filter_map(|rest| rest.split([' ', '}']).next()) {
                let variables = messages.entry(current.clone()).or_default();
                if !variables.contains(&variable.to_owned()) {
                    variables.push(variable.to_owned());
                }
            }
        }
        messages.values_mut().for_each(|variables| variables.sort());
        messages
    }

    #[test]
    fn both_languages_have_the_same_messages_with_the_same_variables() {
        assert_eq!(messages(ENGLISH), messages(CHINESE));
        Texts::new(Language::English);
        Texts::new(Language::Chinese);
    }

    #[test]
    fn every_key_that_the_sources_use_is_there() {
        let texts = Texts::new(Language::English);
        let mut missing = Vec::new();
        let mut found = 0;
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/ui"))];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                    continue;
                }
                // This file asks for a key that is not there.
                if entry.ends_with("text.rs") {
                    continue;
                }
                let source = std::fs::read_to_string(&entry).unwrap();
                for call in [".t(\"", ".tf(\"", ".tf(\n"] {
                    for rest in source.split(call).skip(1) {
                        let rest = rest.trim_start().trim_start_matches('"');
                        let Some(key) = rest.split('"').next().filter(|key| !key.contains(['{', '&', ' ', '\\']))
                        else {
                            continue;
                        };
                        found += 1;
                        if !texts.has(key) {
                            missing.push(format!("{key} in {}", entry.display()));
                        }
                    }
                }
            }
        }
        assert!(found > 100, "only {found} keys found: the search is broken");
        assert!(missing.is_empty(), "{missing:#?}");
    }

    /// Keys that are put together at run time cannot be found in the sources.
    #[test]
    fn every_error_note_part_step_and_example_has_a_text() {
        use crate::attention::{ErrorKind, MaskRule, Note, Part};
        use crate::exchange::{BlockError, BlockKind, NumberError};
        use crate::session::{ColourScale, Panel, PointerMode, Rounding, Session, ThemeChoice};
        let named = |prefix: &str, keys: &[&str]| keys.iter().map(|key| format!("{prefix}-{key}")).collect::<Vec<_>>();
        let mut keys = named("error", &ErrorKind::KEYS);
        keys.extend(named("note", &Note::KEYS));
        keys.extend(named("number", &NumberError::KEYS));
        keys.extend(named("block", &BlockError::KEYS));
        keys.extend(BlockKind::ALL.map(|kind| format!("block-kind-{}", kind.key())));
        keys.extend(Part::ALL.map(|part| format!("part-{}", part.key().replace('_', "-"))));
        keys.extend(crate::examples::all().iter().map(|example| format!("example-{}", example.id)));
        keys.extend(Panel::ALL.iter().map(|panel| format!("panel-{}", panel.key())));
        keys.extend(PointerMode::ALL.iter().map(|mode| format!("pointer-{}", mode.key())));
        keys.extend(Rounding::ALL.iter().map(|rounding| format!("rounding-{}", rounding.key())));
        keys.extend(ColourScale::ALL.iter().map(|scale| format!("weight-colours-{}", scale.key())));
        keys.extend(ThemeChoice::ALL.iter().map(|theme| format!("theme-{}", theme.key())));
        let two_heads = crate::examples::all().iter().find(|example| example.id == "two-heads").unwrap();
        for stage in Session::of_example(two_heads).stages() {
            keys.extend([format!("stage-{}", stage.key()), format!("sentence-{}", stage.key())]);
        }
        keys.extend(MaskRule::ALL.map(|rule| format!("hidden-by-{}", rule.key().replace('_', "-"))));
        for (_, applied) in crate::ui::panels::mask::APPLIED {
            keys.extend([format!("applied-{applied}"), format!("applied-{applied}-help")]);
        }
        let texts = Texts::new(Language::English);
        let missing: Vec<_> = keys.iter().filter(|key| !texts.has(key)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn a_missing_key_shows_itself() {
        assert_eq!(Texts::new(Language::English).t("no-such-text"), "[no-such-text]");
    }

    #[test]
    fn the_browser_s_first_known_language_wins() {
        let of = |tags: &[&str]| Texts::language_for(&tags.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["fr", "zh-TW", "en"]), Language::Chinese);
        assert_eq!(of(&["en-GB", "zh"]), Language::English);
        assert_eq!(of(&["fr"]), Language::English);
    }
}
