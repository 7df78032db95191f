//! The list of built-in examples, in the order in which they are offered.

use std::sync::OnceLock;

use super::read::{Example, read};

macro_rules! examples {
    ($($id:literal),* $(,)?) => {
        [$(($id, include_str!(concat!("../../assets/examples/", $id, ".json")))),*]
    };
}

/// The hand-worked one first, as it is what a newcomer should see; then our own; then the published ones
/// by topic.
const FILES: [(&str, &str); 38] = examples![
    "three-tokens-by-hand",
    "four-tokens-causal",
    "shapes-two-heads-of-four",
    "who-hits-whom",
    "translation-alignment",
    "heads-four-shared",
    "window-ten-tokens",
    "three-tokens-causal-before-softmax",
    "three-tokens-causal-never",
    "three-tokens-causal-after-softmax",
    "three-tokens-causal-inverted",
    "three-tokens-causal-reversed",
    "i-like-cats",
    "i-like-cats-causal",
    "i-like-cats-mask-off",
    "i-like-cats-mask-after",
    "i-like-cats-today",
    "i-like-cats-cached-step",
    "cat-sat-mat-causal",
    "two-heads",
    "shared-key-value",
    "illustrated-self-attention",
    "your-journey-starts",
    "your-journey-weights",
    "your-journey-causal",
    "your-journey-sum",
    "identity-two",
    "window-two-left",
    "causal-three-by-four-upper",
    "causal-three-by-four-lower",
    "causal-five-by-two-lower",
    "rope-one-pair",
    "rope-interleaved",
    "rope-half-split",
    "alibi-half",
    "additive-identity",
    "linear-elu",
    "sinusoidal-base-100",
];

/// All examples, read once.
///
/// ```
/// assert_eq!(attnlab::examples::all()[0].id, "three-tokens-by-hand");
/// ```
pub fn all() -> &'static [Example] {
    static ALL: OnceLock<Vec<Example>> = OnceLock::new();
    ALL.get_or_init(|| {
        let read = |&(id, text): &(&str, &str)| read(text).unwrap_or_else(|error| panic!("example {id}: {error}"));
        FILES.iter().map(read).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_in_the_list_under_its_own_name() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut files: Vec<String> = names.map(|name| name.to_str().unwrap().replace(".json", "")).collect();
        files.sort();
        let mut listed: Vec<&str> = FILES.iter().map(|(id, _)| *id).collect();
        listed.sort_unstable();
        assert_eq!(files, listed);
        for (example, (id, _)) in all().iter().zip(FILES) {
            assert_eq!(example.id, id);
        }
    }
}
