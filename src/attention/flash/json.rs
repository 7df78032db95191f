//! `attnlab-flash/1`: every block as JSON, one a line.

use serde_json::{Value, json};

use super::{Block, Flash, FlashHead};
use crate::attention::matrix::to_rows;
use crate::attention::problem::Matrix;

impl Flash {
    /// The file that `attnlab flash` prints.
    ///
    /// `{"format": "attnlab-flash/1", "rows": R, "keys": C, "heads": [ … ], "output": [[…]],
    /// "numbers_moved": {"plain": …, "blocks": …}}`. A head is `{"head": 0, "blocks": [ … ], "output": [[…]]}`, and with a sink
    /// `"sink": {"logit", "m", "rescale", "l", "o"}` of all its rows stands before `output`. A block is `{"rows": [first, end],
    /// "keys": [first, end], "scores": [[…]], "m": […], "rescale": […], "l": […], "o": [[…]]}`: the end is not in it, and
    /// m, l and o are those after the block. Minus infinity is `"-inf"`: a hidden score, and m as long as nothing was seen.
    pub fn to_json(&self) -> String {
        let heads: Vec<String> = self.heads.iter().enumerate().map(|(at, head)| head_json(at, head)).collect();
        format!(
            "{{\n\"format\": \"attnlab-flash/1\",\n\"rows\": {},\n\"keys\": {},\n\"heads\": [\n{}\n],\n\"output\": {},\n\
             \"numbers_moved\": {{\"plain\": {}, \"blocks\": {}}}\n}}\n",
            self.rows,
            self.keys,
            heads.join(",\n"),
            matrix(&self.output),
            self.numbers_moved.plain,
            self.numbers_moved.blocks,
        )
    }
}

fn head_json(at: usize, head: &FlashHead) -> String {
    let blocks: Vec<String> = head.blocks.iter().map(block_json).collect();
    let sink = head.sink.as_ref().map_or_else(String::new, |sink| {
        format!(
            "\"sink\": {{\"logit\": {}, \"m\": {}, \"rescale\": {}, \"l\": {}, \"o\": {}}},\n",
            json!(sink.logit),
            list(&sink.m),
            list(&sink.rescale),
            list(&sink.l),
            matrix(&sink.o)
        )
    });
    format!("{{\"head\": {at}, \"blocks\": [\n{}\n],\n{sink}\"output\": {}}}", blocks.join(",\n"), matrix(&head.output))
}

/// By hand, so that the keys stand in the order in which they are computed.
fn block_json(block: &Block) -> String {
    format!(
        "{{\"rows\": {}, \"keys\": {}, \"scores\": {}, \"m\": {}, \"rescale\": {}, \"l\": {}, \"o\": {}}}",
        json!([block.rows.start, block.rows.end]),
        json!([block.keys.start, block.keys.end]),
        matrix(&block.shown_scores()),
        list(&block.m),
        list(&block.rescale),
        list(&block.l),
        matrix(&block.o),
    )
}

fn number(value: f64) -> Value {
    if value == f64::NEG_INFINITY { "-inf".into() } else { value.into() }
}

fn list(values: &[f64]) -> Value {
    values.iter().copied().map(number).collect()
}

fn matrix(matrix: &Matrix) -> Value {
    to_rows(matrix).iter().map(|row| list(row)).collect()
}
