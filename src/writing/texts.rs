//! The texts, in the language that was chosen.
//!
//! Every sentence for people lives in `assets/i18n/*.ftl`. In `tests/texts.rs` one test fails on a literal `.t("…")`
//! key that has no text, another on the keys that are put together at run time, a third where the languages differ.

use super::Language;
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

    /// Whether there is a text for the key. Tests ask for keys that are put together at run time.
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
