//! `attnlab-decode/1`: every step as JSON, one a line.

use serde_json::json;

use super::{Decode, DecodeNote, DecodeStep};
use crate::attention::trace::note_json;

impl Decode {
    /// The file that `attnlab decode` prints.
    ///
    /// `{"format": "attnlab-decode/1", "steps": [ … ], "work": { … }, "bytes_per_token": {"fp32", "fp16"}, "notes": [ … ]}`. A step is
    /// `{"step": 0, "token": "I", "q", "k", "v", "weights", "output", "difference"}`: `q` and `weights` list the query heads, `k` and `v` the
    /// key/value heads, with RoPE after the rotation; `output` is one row; `difference` is its largest distance from the
    /// full computation. `work` counts one head: `rows_without` and `rows_with` a cache are projected, `products_without` and
    /// `products_with` are scores.
    pub fn to_json(&self) -> String {
        let steps: Vec<String> = self.steps.iter().enumerate().map(|(at, step)| step_json(at, step)).collect();
        let own = self.notes.iter().map(decode_note_json);
        let notes: Vec<String> = own.chain(self.of_full.iter().map(note_json)).map(|note| note.to_string()).collect();
        let between = if notes.is_empty() { "" } else { "\n" };
        let work = self.work;
        format!(
            "{{\n\"format\": \"attnlab-decode/1\",\n\"steps\": [\n{}\n],\n\
             \"work\": {{\"rows_without\": {}, \"rows_with\": {}, \"products_without\": {}, \"products_with\": {}}},\n\
             \"bytes_per_token\": {{\"fp32\": {}, \"fp16\": {}}},\n\"notes\": [{between}{}]\n}}\n",
            steps.join(",\n"),
            work.rows_without,
            work.rows_with,
            work.products_without,
            work.products_with,
            self.bytes_per_token[0],
            self.bytes_per_token[1],
            notes.join(",\n"),
        )
    }
}

/// By hand, so that the keys stand in the order in which they are computed.
fn step_json(at: usize, step: &DecodeStep) -> String {
    let DecodeStep { token, keys: _, q, k, v, weights, output, difference } = step;
    format!(
        "{{\"step\": {at}, \"token\": {}, \"q\": {}, \"k\": {}, \"v\": {}, \"weights\": {}, \"output\": {}, \"difference\": {}}}",
        json!(token),
        json!(q),
        json!(k),
        json!(v),
        json!(weights),
        json!(output),
        json!(difference),
    )
}

fn decode_note_json(note: &DecodeNote) -> serde_json::Value {
    let mut json = json!({ "key": note.key(), "text": note.to_string() });
    if let DecodeNote::CachedBefore { keys } = note {
        json["keys"] = (*keys).into();
    }
    json
}
