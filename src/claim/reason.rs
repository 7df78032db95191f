//! The usual reasons why printed numbers depart.
//!
//! `usual` is the one place where they are listed, simplest first. A new variant of attention adds its mistakes to
//! the enum, to `usual`, and to `changed` (or, where no problem can say it, to `twist`).

use super::rounding::Allowance;
use crate::attention::{Causal, Part};

/// Why claimed numbers are not those of the problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The further digits were cut off, not rounded.
    Truncated,
    /// The scores were not scaled.
    ScaleLeftOut,
    /// The scores were scaled by 1/√d_k, and the problem does otherwise.
    UsualScale,
    /// 1/√d_model in place of 1/√d_k.
    DModelForDk,
    /// 1/d_k in place of 1/√d_k.
    DkForRoot,
    /// The mask was not applied.
    MaskNever,
    /// Zeroed after the softmax, not renormalised.
    MaskAfterSoftmax,
    /// Keep and drop swapped.
    MaskInverted,
    /// The causal triangle the wrong way round.
    MaskReversed,
    /// The mask was applied as it should be, and the problem does otherwise.
    MaskBeforeSoftmax,
    /// A causal rule of this alignment, where the problem has none.
    CausalOn(Causal),
    /// No causal rule; the other rules stand.
    CausalOff,
    /// The causal rule aligned to the other corner.
    CausalAlignment(Causal),
    /// No bias was added anywhere.
    BiasesLeftOut,
    /// X Wᵀ in place of X W, for this matrix.
    WeightsTransposed(Part),
    /// The same for w_q, w_k and w_v, as when the weights of `nn.Linear` are taken as they are stored.
    ProjectionsTransposed,
    /// Query heads 0,1,2,3 use key/value heads 0,1,0,1, not 0,0,1,1.
    HeadsShuffled,
    /// Rows and columns of the printed matrix are swapped.
    Transposed,
    /// The softmax was taken over the queries of a key, not over the keys of a query.
    SoftmaxDownTheColumns,
    /// The weights were rounded before they multiplied the values.
    WeightsRounded { decimals: i32 },
    /// The same, with the last digits chosen so that each row still sums to 1.
    WeightsRoundedToOne { decimals: i32 },
    /// The given numbers are rounded themselves: what half a unit of each leaves open is enough. Each departing cell
    /// is listed.
    InputsRounded { cells: Vec<Allowance> },
    /// Another factor, the simplest that matches.
    OtherScale(f64),
    /// No dropout, as when a trained model is used.
    DropoutLeftOut,
    /// The scores were not capped.
    SoftcapLeftOut,
    /// No positions: no encoding, no rotation, no penalty on distance.
    PositionLeftOut,
    /// The numbers that are added to the scores were left out.
    ScoreBiasLeftOut,
    /// No sink in the sum of the softmax.
    SinkLeftOut,
    /// RoPE turns the other pairs of columns.
    OtherLayout,
    /// Another base of the angles, of RoPE or of the sinusoidal encoding.
    OtherBase(f64),
    /// The first token stands at this position.
    PositionsFrom(f64),
    /// ALiBi with every slope 1.
    SlopesLeftOut,
    /// ALiBi adds the penalty in place of subtracting it.
    PenaltyReversed,
}

/// Bases that are in use, and those of small examples.
const BASES: [f64; 5] = [1e4, 5e5, 1e6, 100.0, 10.0];

/// Reasons of one kind exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Reading,
    Scale,
    Mask,
    Causal,
    Biases,
    Projections,
    Heads,
    Softmax,
    Rounding,
    Dropout,
    Softcap,
    Position,
    ScoreBias,
    Sink,
}

impl Reason {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 33] = [
        "truncated",
        "scale-left-out",
        "usual-scale",
        "d-model-for-d-k",
        "d-k-for-root",
        "mask-never",
        "mask-after-softmax",
        "mask-inverted",
        "mask-reversed",
        "mask-before-softmax",
        "causal-on",
        "causal-off",
        "causal-alignment",
        "biases-left-out",
        "weights-transposed",
        "projections-transposed",
        "heads-shuffled",
        "transposed",
        "softmax-down-the-columns",
        "weights-rounded",
        "weights-rounded-to-one",
        "inputs-rounded",
        "other-scale",
        "dropout-left-out",
        "softcap-left-out",
        "position-left-out",
        "score-bias-left-out",
        "sink-left-out",
        "other-layout",
        "other-base",
        "positions-from",
        "slopes-left-out",
        "penalty-reversed",
    ];

    /// The name under which its sentence is found, as `reason-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            Reason::Truncated => "truncated",
            Reason::ScaleLeftOut => "scale-left-out",
            Reason::UsualScale => "usual-scale",
            Reason::DModelForDk => "d-model-for-d-k",
            Reason::DkForRoot => "d-k-for-root",
            Reason::MaskNever => "mask-never",
            Reason::MaskAfterSoftmax => "mask-after-softmax",
            Reason::MaskInverted => "mask-inverted",
            Reason::MaskReversed => "mask-reversed",
            Reason::MaskBeforeSoftmax => "mask-before-softmax",
            Reason::CausalOn(_) => "causal-on",
            Reason::CausalOff => "causal-off",
            Reason::CausalAlignment(_) => "causal-alignment",
            Reason::BiasesLeftOut => "biases-left-out",
            Reason::WeightsTransposed(_) => "weights-transposed",
            Reason::ProjectionsTransposed => "projections-transposed",
            Reason::HeadsShuffled => "heads-shuffled",
            Reason::Transposed => "transposed",
            Reason::SoftmaxDownTheColumns => "softmax-down-the-columns",
            Reason::WeightsRounded { .. } => "weights-rounded",
            Reason::WeightsRoundedToOne { .. } => "weights-rounded-to-one",
            Reason::InputsRounded { .. } => "inputs-rounded",
            Reason::OtherScale(_) => "other-scale",
            Reason::DropoutLeftOut => "dropout-left-out",
            Reason::SoftcapLeftOut => "softcap-left-out",
            Reason::PositionLeftOut => "position-left-out",
            Reason::ScoreBiasLeftOut => "score-bias-left-out",
            Reason::SinkLeftOut => "sink-left-out",
            Reason::OtherLayout => "other-layout",
            Reason::OtherBase(_) => "other-base",
            Reason::PositionsFrom(_) => "positions-from",
            Reason::SlopesLeftOut => "slopes-left-out",
            Reason::PenaltyReversed => "penalty-reversed",
        }
    }

    /// What a translation fills in, in a notation that needs no translation: `rule`, `matrix`, `decimals`, `factor`,
    /// `base`, `first`.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            Reason::CausalOn(causal) | Reason::CausalAlignment(causal) => {
                let rule = if *causal == Causal::LowerRight { "j ≤ i + (m − n)" } else { "j ≤ i" };
                vec![("rule", rule.to_owned())]
            }
            Reason::WeightsTransposed(part) => vec![("matrix", part.key().to_owned())],
            Reason::WeightsRounded { decimals } | Reason::WeightsRoundedToOne { decimals } => {
                vec![("decimals", decimals.to_string())]
            }
            Reason::OtherScale(factor) => vec![("factor", factor.to_string())],
            Reason::OtherBase(base) => vec![("base", base.to_string())],
            Reason::PositionsFrom(first) => vec![("first", first.to_string())],
            _ => Vec::new(),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Reason::Truncated | Reason::Transposed => Kind::Reading,
            Reason::ScaleLeftOut
            | Reason::UsualScale
            | Reason::DModelForDk
            | Reason::DkForRoot
            | Reason::OtherScale(_) => Kind::Scale,
            Reason::MaskNever
            | Reason::MaskAfterSoftmax
            | Reason::MaskInverted
            | Reason::MaskReversed
            | Reason::MaskBeforeSoftmax => Kind::Mask,
            Reason::CausalOn(_) | Reason::CausalOff | Reason::CausalAlignment(_) => Kind::Causal,
            Reason::BiasesLeftOut => Kind::Biases,
            Reason::WeightsTransposed(_) | Reason::ProjectionsTransposed => Kind::Projections,
            Reason::HeadsShuffled => Kind::Heads,
            Reason::SoftmaxDownTheColumns => Kind::Softmax,
            Reason::WeightsRounded { .. } | Reason::WeightsRoundedToOne { .. } | Reason::InputsRounded { .. } => {
                Kind::Rounding
            }
            Reason::DropoutLeftOut => Kind::Dropout,
            Reason::SoftcapLeftOut => Kind::Softcap,
            Reason::ScoreBiasLeftOut => Kind::ScoreBias,
            Reason::SinkLeftOut => Kind::Sink,
            Reason::PositionLeftOut
            | Reason::OtherLayout
            | Reason::OtherBase(_)
            | Reason::PositionsFrom(_)
            | Reason::SlopesLeftOut
            | Reason::PenaltyReversed => Kind::Position,
        }
    }

    /// Whether the changed problem is one that the reader would want in place of his own.
    pub(super) fn can_be_applied(&self) -> bool {
        // The problem that computes shuffled heads has a key/value head for every query head.
        *self != Reason::HeadsShuffled
    }

    /// Whether it may move no more than a last digit or two: one number that is off by that is a slip, not a reason.
    pub(super) fn may_move_little(&self) -> bool {
        matches!(self, Reason::OtherBase(_) | Reason::SoftcapLeftOut)
    }
}

/// The reasons that are tried by themselves and in pairs, simplest first. Some do nothing to this problem; those that
/// are solved for (another scale, the rounding of the inputs) are not among them.
pub(super) fn usual() -> Vec<Reason> {
    let mut reasons = vec![
        Reason::Truncated,
        Reason::ScaleLeftOut,
        Reason::UsualScale,
        Reason::DkForRoot,
        Reason::DModelForDk,
        Reason::MaskNever,
        Reason::MaskAfterSoftmax,
        Reason::MaskInverted,
        Reason::MaskReversed,
        Reason::MaskBeforeSoftmax,
    ];
    for causal in [Causal::UpperLeft, Causal::LowerRight] {
        reasons.extend([Reason::CausalOn(causal), Reason::CausalAlignment(causal)]);
    }
    reasons.extend([Reason::CausalOff, Reason::BiasesLeftOut, Reason::Transposed]);
    reasons.extend([Reason::DropoutLeftOut, Reason::SoftcapLeftOut, Reason::PositionLeftOut]);
    reasons.extend([Reason::ScoreBiasLeftOut, Reason::SinkLeftOut, Reason::SlopesLeftOut, Reason::PenaltyReversed]);
    reasons.push(Reason::OtherLayout);
    reasons.extend([0.0, 1.0].map(Reason::PositionsFrom));
    reasons.extend(BASES.map(Reason::OtherBase));
    reasons.extend([Part::WQ, Part::WK, Part::WV, Part::WO].map(Reason::WeightsTransposed));
    reasons.extend([Reason::ProjectionsTransposed, Reason::HeadsShuffled, Reason::SoftmaxDownTheColumns]);
    for decimals in 1..=4 {
        reasons.extend([Reason::WeightsRounded { decimals }, Reason::WeightsRoundedToOne { decimals }]);
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_key_of_its_own_in_the_list() {
        let solved_for = [Reason::InputsRounded { cells: Vec::new() }, Reason::OtherScale(0.5)];
        let mut keys: Vec<&str> = usual().iter().chain(&solved_for).map(Reason::key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut listed = Reason::KEYS;
        listed.sort_unstable();
        assert_eq!(keys, listed);
    }
}
