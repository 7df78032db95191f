//! The name of one number: which matrix, which head, which row and column.
//!
//! Everything that can be pointed at, edited, explained or compared is named by a `Place`. This file knows
//! names only; `input` finds the number behind one, `explain` says where it came from.

use super::family::Normalise;
use super::position::Position;
use super::problem::{Inputs, Problem};
use super::score::Score;

/// Every matrix of the pipeline, inputs and steps alike, in the order in which they are computed and drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// x before an encoding is added: there only where one is, and then the input in place of x.
    XGiven,
    XKvGiven,
    /// The rows of learned positions.
    Table,
    Position,
    X,
    XKv,
    WQ,
    BQ,
    Q,
    WK,
    BK,
    K,
    WV,
    BV,
    V,
    QRotated,
    KRotated,
    QFeatures,
    KFeatures,
    /// The matrices and the vector of a score function with weights of its own.
    ScoreW,
    KTransformed,
    ScoreWQ,
    ScoreWK,
    Hidden,
    ScoreV,
    Scores,
    Scaled,
    Capped,
    /// One a query head (ALiBi).
    Slopes,
    Bias,
    Biased,
    Mask,
    Masked,
    Exp,
    RowSum,
    /// One logit a query head.
    Sink,
    SinkWeight,
    Kept,
    Weights,
    Leak,
    Context,
    Concat,
    WO,
    BO,
    Output,
}

impl Part {
    /// All parts, in the order in which they are computed.
    pub const ALL: [Part; 45] = [
        Part::XGiven,
        Part::XKvGiven,
        Part::Table,
        Part::Position,
        Part::X,
        Part::XKv,
        Part::WQ,
        Part::BQ,
        Part::Q,
        Part::WK,
        Part::BK,
        Part::K,
        Part::WV,
        Part::BV,
        Part::V,
        Part::QRotated,
        Part::KRotated,
        Part::QFeatures,
        Part::KFeatures,
        Part::ScoreW,
        Part::KTransformed,
        Part::ScoreWQ,
        Part::ScoreWK,
        Part::Hidden,
        Part::ScoreV,
        Part::Scores,
        Part::Scaled,
        Part::Capped,
        Part::Slopes,
        Part::Bias,
        Part::Biased,
        Part::Mask,
        Part::Masked,
        Part::Exp,
        Part::RowSum,
        Part::Sink,
        Part::SinkWeight,
        Part::Kept,
        Part::Weights,
        Part::Leak,
        Part::Context,
        Part::Concat,
        Part::WO,
        Part::BO,
        Part::Output,
    ];

    /// The name that the problem file and the trace file use.
    ///
    /// ```
    /// # use attnlab::attention::Part;
    /// assert_eq!(Part::RowSum.key(), "row_sum");
    /// assert_eq!(Part::from_key("w_q"), Some(Part::WQ));
    /// ```
    pub fn key(self) -> &'static str {
        match self {
            Part::XGiven => "x_given",
            Part::XKvGiven => "x_kv_given",
            Part::Table => "table",
            Part::Position => "position",
            Part::X => "x",
            Part::XKv => "x_kv",
            Part::WQ => "w_q",
            Part::BQ => "b_q",
            Part::Q => "q",
            Part::WK => "w_k",
            Part::BK => "b_k",
            Part::K => "k",
            Part::WV => "w_v",
            Part::BV => "b_v",
            Part::V => "v",
            Part::QRotated => "q_rotated",
            Part::KRotated => "k_rotated",
            Part::QFeatures => "q_features",
            Part::KFeatures => "k_features",
            Part::ScoreW => "score_w",
            Part::KTransformed => "k_transformed",
            Part::ScoreWQ => "score_w_q",
            Part::ScoreWK => "score_w_k",
            Part::Hidden => "hidden",
            Part::ScoreV => "score_v",
            Part::Scores => "scores",
            Part::Scaled => "scaled",
            Part::Capped => "capped",
            Part::Slopes => "slopes",
            Part::Bias => "bias",
            Part::Biased => "biased",
            Part::Mask => "mask",
            Part::Masked => "masked",
            Part::Exp => "exp",
            Part::RowSum => "row_sum",
            Part::Sink => "sink",
            Part::SinkWeight => "sink_weight",
            Part::Kept => "kept",
            Part::Weights => "weights",
            Part::Leak => "leak",
            Part::Context => "context",
            Part::Concat => "concat",
            Part::WO => "w_o",
            Part::BO => "b_o",
            Part::Output => "output",
        }
    }

    /// The part of that name; `None` for any other text.
    pub fn from_key(key: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.key() == key)
    }

    /// The last step before the mask.
    pub fn before_mask(problem: &Problem) -> Part {
        let family = &problem.family;
        match family.normalise {
            Normalise::Linear => Part::Scores,
            _ if family.adds_bias() => Part::Biased,
            _ if family.softcap.is_some() => Part::Capped,
            _ => Part::Scaled,
        }
    }

    /// What the score function takes of a query and of a key: after rotation and feature map.
    pub fn compared(problem: &Problem) -> (Part, Part) {
        let family = &problem.family;
        match (family.normalise, family.position.rope()) {
            (Normalise::Linear, _) => (Part::QFeatures, Part::KFeatures),
            (_, Some(_)) => (Part::QRotated, Part::KRotated),
            _ => (Part::Q, Part::K),
        }
    }

    /// Whether every query head has its own; the others are there once, at head 0.
    pub fn is_per_head(self) -> bool {
        !matches!(
            self,
            Part::XGiven
                | Part::XKvGiven
                | Part::Table
                | Part::Position
                | Part::X
                | Part::XKv
                | Part::ScoreW
                | Part::ScoreWQ
                | Part::ScoreWK
                | Part::ScoreV
                | Part::Slopes
                | Part::Mask
                | Part::Sink
                | Part::Concat
                | Part::WO
                | Part::BO
                | Part::Output
        )
    }

    /// Whether this problem gives it (so it can be edited): q, k and v in the direct form, x and the
    /// projections in the other, w_o, b_o and what the variants bring in both; an optional one only where it is present.
    pub fn is_input(self, problem: &Problem) -> bool {
        match (self, &problem.inputs) {
            (Part::WO, _) => problem.w_o.is_some(),
            (Part::BO, _) => problem.b_o.is_some(),
            (Part::Q | Part::K | Part::V, Inputs::Direct { .. }) => true,
            (Part::WQ | Part::WK | Part::WV, Inputs::Projected(_)) => true,
            (Part::X, Inputs::Projected(_)) => !problem.is_encoded(),
            (Part::XKv, Inputs::Projected(projected)) => projected.x_kv.is_some() && !problem.is_encoded(),
            (Part::XGiven, _) => problem.is_encoded(),
            (Part::XKvGiven, Inputs::Projected(projected)) => projected.x_kv.is_some() && problem.is_encoded(),
            (Part::BQ, Inputs::Projected(projected)) => projected.b_q.is_some(),
            (Part::BK, Inputs::Projected(projected)) => projected.b_k.is_some(),
            (Part::BV, Inputs::Projected(projected)) => projected.b_v.is_some(),
            (Part::Table, _) => matches!(problem.family.position, Position::Learned { .. }),
            (Part::Slopes, _) => matches!(problem.family.position, Position::Alibi { .. }),
            (Part::ScoreW, _) => matches!(problem.family.score, Score::General { .. } | Score::Concat { .. }),
            (Part::ScoreWQ | Part::ScoreWK, _) => matches!(problem.family.score, Score::Additive { .. }),
            (Part::ScoreV, _) => problem.family.score.hidden_width().is_some(),
            (Part::Bias, _) => problem.family.bias.is_some(),
            (Part::Sink, _) => problem.family.sink.is_some(),
            _ => false,
        }
    }
}

impl Part {
    /// Whether only a variant brings it: the matrices of a score function, learned positions, slopes, bias, sink.
    pub fn is_of_variant(self) -> bool {
        use Part::*;
        matches!(self, Table | ScoreW | ScoreWQ | ScoreWK | ScoreV | Slopes | Bias | Sink)
    }
}

/// One number. `head` is a query head for what is per head (w_q, b_q, q, k, … context: the head's own columns,
/// so w_k at head h is the columns of the key/value head that h uses), and 0 for what is there once
/// (x, x_kv, position, mask, concat, w_o, b_o, output).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Place {
    pub part: Part,
    pub head: usize,
    pub row: usize,
    pub column: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_leads_back_to_its_part_and_is_the_name_that_serde_writes() {
        for part in Part::ALL {
            assert_eq!(Part::from_key(part.key()), Some(part));
            assert_eq!(serde_json::to_value(part).unwrap(), part.key());
        }
        assert!(Part::ALL.is_sorted(), "the list is in the order of the declaration");
        assert_eq!(Part::from_key("nothing"), None);
    }
}
