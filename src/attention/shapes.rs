//! The sizes of a problem, by the names of the paper, and the labels of its rows and columns.
//!
//! Sizes are read off the matrices; whether they fit one another is `validate`'s question.

use super::place::Part;
use super::problem::{Heads, Inputs, Problem};

/// Sizes as the literature names them. `n` queries, `m` keys; `d_k` and `d_v` are one head's widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shapes {
    pub n: usize,
    pub m: usize,
    /// Width of x; absent when q, k and v are given.
    pub d_model: Option<usize>,
    /// Width of x_kv, or of x in self-attention; absent when q, k and v are given.
    pub d_kv: Option<usize>,
    pub d_k: usize,
    pub d_v: usize,
    pub heads: Heads,
    /// Width of the output: w_o's columns, or h_q·d_v without w_o.
    pub d_out: usize,
}

impl Heads {
    /// The key/value head that query head `head` uses: head div (query / key_value), so 0,0,1,1.
    ///
    /// ```
    /// # use attnlab::attention::Heads;
    /// let grouped = Heads { query: 4, key_value: 2 };
    /// assert_eq!([0, 1, 2, 3].map(|head| grouped.key_value_of(head)), [0, 0, 1, 1]);
    /// ```
    pub fn key_value_of(self, head: usize) -> usize {
        let group = (self.query / self.key_value.max(1)).max(1);
        head / group
    }
}

impl Problem {
    /// All sizes of this problem.
    ///
    /// ```
    /// # use attnlab::attention::Problem;
    /// let problem = Problem::from_json(
    ///     r#"{"format":"attnlab/1","inputs":{"q":[[1,2]],"k":[[1,0],[0,1]],"v":[[1],[2]]}}"#).unwrap();
    /// let shapes = problem.shapes();
    /// assert_eq!((shapes.n, shapes.m, shapes.d_k, shapes.d_v), (1, 2, 2, 1));
    /// ```
    pub fn shapes(&self) -> Shapes {
        let query = self.heads.query.max(1);
        let key_value = self.heads.key_value.max(1);
        let (n, m, d_model, d_kv, d_k, d_v) = match &self.inputs {
            Inputs::Direct { q, k, v } => (q.nrows(), k.nrows(), None, None, q.ncols() / query, v.ncols() / key_value),
            Inputs::Projected(projected) => {
                let x_kv = projected.x_kv.as_ref().unwrap_or(&projected.x);
                (
                    projected.x.nrows(),
                    x_kv.nrows(),
                    Some(projected.x.ncols()),
                    Some(x_kv.ncols()),
                    projected.w_q.ncols() / query,
                    projected.w_v.ncols() / key_value,
                )
            }
        };
        let d_out = self.w_o.as_ref().map_or(query * d_v, |w_o| w_o.ncols());
        Shapes { n, m, d_model, d_kv, d_k, d_v, heads: self.heads, d_out }
    }

    /// Whether keys and values come from another sequence: it has labels of its own, or vectors of its own.
    pub fn is_cross(&self) -> bool {
        let own_vectors = matches!(&self.inputs, Inputs::Projected(projected) if projected.x_kv.is_some());
        self.memory.is_some() || own_vectors
    }

    /// Whether heads are joined after the weighted sum: else the context is the output.
    pub fn joins_heads(&self) -> bool {
        self.heads.query > 1 || self.w_o.is_some()
    }

    /// One label a query; "0", "1", … where there are none.
    pub fn query_labels(&self) -> Vec<String> {
        let n = self.shapes().n;
        match &self.tokens {
            // With a label for every key, the queries are the last n of them.
            Some(tokens) if tokens.len() >= n => tokens[tokens.len() - n..].to_vec(),
            _ => numbered(n),
        }
    }

    /// One label a key: `memory` in cross attention; else the tokens, the last key being the last query's own;
    /// a key before the first token is numbered.
    pub fn key_labels(&self) -> Vec<String> {
        let m = self.shapes().m;
        let labels = if self.is_cross() { &self.memory } else { &self.tokens };
        let Some(labels) = labels else { return numbered(m) };
        let label_of = |key: usize| (key + labels.len()).checked_sub(m).and_then(|at| labels.get(at).cloned());
        (0..m).map(|key| label_of(key).unwrap_or_else(|| key.to_string())).collect()
    }
}

/// Labels of the rows and columns of any part, as it is drawn: tokens where a row or column is a token,
/// numbers where it is a feature. (A head's own columns are numbered from 0.)
pub fn labels(problem: &Problem, part: Part) -> (Vec<String>, Vec<String>) {
    let Shapes { n: _, m: _, d_model, d_kv, d_k, d_v, heads, d_out } = problem.shapes();
    let queries = || problem.query_labels();
    let keys = || problem.key_labels();
    let d_model = d_model.unwrap_or(0);
    let d_kv = d_kv.unwrap_or(0);
    match part {
        Part::X | Part::XGiven | Part::Position => (queries(), numbered(d_model)),
        Part::XKv | Part::XKvGiven => (keys(), numbered(d_kv)),
        Part::Table => {
            let rows = super::input::whole_matrix(problem, part).map_or(0, |table| table.nrows());
            (numbered(rows), numbered(d_model))
        }
        // q's rows first, then k's, where one matrix takes both.
        Part::ScoreW => match problem.family.score.hidden_width() {
            Some(d_a) => (numbered(2 * d_k), numbered(d_a)),
            None => (numbered(d_k), numbered(d_k)),
        },
        Part::ScoreWQ | Part::ScoreWK => (numbered(d_k), numbered(problem.family.score.hidden_width().unwrap_or(0))),
        Part::ScoreV => (numbered(1), numbered(problem.family.score.hidden_width().unwrap_or(0))),
        Part::Slopes | Part::Sink => (numbered(1), numbered(heads.query)),
        Part::WQ => (numbered(d_model), numbered(d_k)),
        Part::WK => (numbered(d_kv), numbered(d_k)),
        Part::WV => (numbered(d_kv), numbered(d_v)),
        Part::BQ | Part::BK => (numbered(1), numbered(d_k)),
        Part::BV => (numbered(1), numbered(d_v)),
        Part::Q | Part::QRotated | Part::QFeatures => (queries(), numbered(d_k)),
        Part::K | Part::KRotated | Part::KFeatures | Part::KTransformed => (keys(), numbered(d_k)),
        Part::V => (keys(), numbered(d_v)),
        // As it is drawn: the features of key 0, then those of key 1, …
        Part::Hidden => {
            let d_a = problem.family.score.hidden_width().unwrap_or(0);
            let of_key = |key: String| (0..d_a).map(move |a| format!("{key}·{a}"));
            (queries(), keys().into_iter().flat_map(of_key).collect())
        }
        Part::Scores
        | Part::Scaled
        | Part::Capped
        | Part::Bias
        | Part::Biased
        | Part::Mask
        | Part::Masked
        | Part::Exp
        | Part::Kept
        | Part::Weights => (queries(), keys()),
        Part::RowSum | Part::SinkWeight | Part::Leak => (queries(), numbered(1)),
        Part::Context => (queries(), numbered(d_v)),
        Part::Concat => (queries(), numbered(heads.query * d_v)),
        Part::WO => (numbered(heads.query * d_v), numbered(d_out)),
        Part::BO => (numbered(1), numbered(d_out)),
        Part::Output => (queries(), numbered(d_out)),
    }
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|index| index.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cached(tokens: &str, memory: &str) -> Problem {
        let text = format!(
            r#"{{"format":"attnlab/1",{tokens}{memory}"inputs":{{"q":[[0,1]],"k":[[1,1],[0,1],[1,2]],"v":[[1],[1],[2]]}}}}"#
        );
        Problem::from_json(&text).unwrap()
    }

    #[test]
    fn the_last_tokens_are_the_queries() {
        let every_key = cached(r#""tokens":["a","b","c"],"#, "");
        assert_eq!(every_key.query_labels(), ["c"]);
        assert_eq!(every_key.key_labels(), ["a", "b", "c"]);
        let queries_only = cached(r#""tokens":["c"],"#, "");
        assert_eq!(queries_only.query_labels(), ["c"]);
        assert_eq!(queries_only.key_labels(), ["0", "1", "c"]);
    }

    #[test]
    fn cross_attention_labels_keys_by_memory() {
        let cross = cached(r#""tokens":["c"],"#, r#""memory":["x","y","z"],"#);
        assert!(cross.is_cross());
        assert_eq!(cross.key_labels(), ["x", "y", "z"]);
        assert_eq!(cached("", "").key_labels(), ["0", "1", "2"]);
    }
}
