//! What is wrong with a long sequence, in the language of the page.

use crate::long::LongError;
use crate::ui::scene::Scene;
use crate::ui::widgets::plot::short;

pub fn text(scene: &Scene, error: &LongError) -> String {
    let number = |number: &usize| number.to_string();
    match error {
        LongError::Memory { bytes } => scene.tf("long-error-memory", &[("bytes", super::standing::bytes_of(*bytes))]),
        LongError::Failed { why } => scene.tf("long-error-failed", &[("why", why.clone())]),
        LongError::Empty => scene.t("long-error-empty"),
        LongError::Width { found } => scene.tf("long-error-width", &[("found", number(found))]),
        LongError::Widths { query, key } => {
            scene.tf("long-error-widths", &[("query", number(query)), ("key", number(key))])
        }
        LongError::ManyHeads { found } => scene.tf("long-error-many-heads", &[("found", number(found))]),
        LongError::Heads { query, key, value } => {
            scene.tf("long-error-heads", &[("query", number(query)), ("key", number(key)), ("value", number(value))])
        }
        LongError::Length { place, found, expected } => {
            let values = [("place", (*place).to_owned()), ("found", number(found)), ("expected", number(expected))];
            scene.tf("long-error-length", &values)
        }
        LongError::Rows { key, value } => {
            scene.tf("long-error-rows", &[("key", number(key)), ("value", number(value))])
        }
        LongError::NotFinite { place, row, column, found } => {
            let place = format!("{place}[{row}][{column}]");
            scene.tf("long-error-not-finite", &[("place", place), ("found", short(*found))])
        }
        LongError::Overflow { found, .. } => scene.tf("long-error-overflow", &[("found", short(*found))]),
        other => scene.tf("long-error-other", &[("why", other.to_string())]),
    }
}
