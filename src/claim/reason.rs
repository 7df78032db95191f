//! The usual reasons why printed numbers depart, and the changed problem of each.
//!
//! `usual` is the one place where they are listed, simplest first. A new variant of attention adds its mistakes to
//! the enum, to `usual`, and to `changed` (or, where no problem can say it, to `twist`).

use super::rounding::Allowance;
use crate::attention::{Causal, Heads, Inputs, MaskApplied, Matrix, Part, Problem, Scale, has_rule};

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
}

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
}

impl Reason {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 23] = [
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
        }
    }

    /// What a translation fills in, in a notation that needs no translation: `rule`, `matrix`, `decimals`, `factor`.
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
        }
    }

    /// Whether the changed problem is one that the reader would want in place of his own.
    pub(super) fn can_be_applied(&self) -> bool {
        // The problem that computes shuffled heads has a key/value head for every query head.
        *self != Reason::HeadsShuffled
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
    reasons.extend([Part::WQ, Part::WK, Part::WV, Part::WO].map(Reason::WeightsTransposed));
    reasons.extend([Reason::ProjectionsTransposed, Reason::HeadsShuffled, Reason::SoftmaxDownTheColumns]);
    for decimals in 1..=4 {
        reasons.extend([Reason::WeightsRounded { decimals }, Reason::WeightsRoundedToOne { decimals }]);
    }
    reasons
}

/// The problem in which this mistake is made; `None` where it changes nothing, or no problem can say it.
pub(super) fn changed(problem: &Problem, reason: &Reason) -> Option<Problem> {
    let mut changed = problem.clone();
    let shapes = problem.shapes();
    let d_k = shapes.d_k as f64;
    let has_mask = has_rule(&problem.mask);
    match reason {
        Reason::ScaleLeftOut => changed.scale = Scale::None,
        Reason::UsualScale => changed.scale = Scale::InverseSqrt,
        Reason::DkForRoot if shapes.d_k > 1 => changed.scale = Scale::Factor(1.0 / d_k),
        Reason::DModelForDk => {
            let d_model = shapes.d_model.unwrap_or(shapes.heads.query * shapes.d_k) as f64;
            changed.scale = Scale::Factor(1.0 / d_model.sqrt());
        }
        Reason::OtherScale(factor) => changed.scale = Scale::Factor(*factor),
        Reason::MaskNever if has_mask => changed.mask_applied = MaskApplied::Never,
        Reason::MaskAfterSoftmax if has_mask => changed.mask_applied = MaskApplied::AfterSoftmax,
        Reason::MaskInverted if has_mask => changed.mask_applied = MaskApplied::Inverted,
        Reason::MaskReversed if problem.mask.causal != Causal::None => changed.mask_applied = MaskApplied::Reversed,
        Reason::MaskBeforeSoftmax => changed.mask_applied = MaskApplied::BeforeSoftmax,
        // With as many keys as queries both alignments are one.
        Reason::CausalOn(Causal::LowerRight) if shapes.n == shapes.m => return None,
        Reason::CausalOn(causal) if problem.mask.causal == Causal::None => changed.mask.causal = *causal,
        Reason::CausalAlignment(causal) if problem.mask.causal != Causal::None => changed.mask.causal = *causal,
        Reason::CausalOff => {
            changed.mask.causal = Causal::None;
            // Without any rule left it is the mask that was not applied.
            if !has_rule(&changed.mask) {
                return None;
            }
        }
        Reason::BiasesLeftOut => {
            changed.b_o = None;
            if let Inputs::Projected(given) = &mut changed.inputs {
                (given.b_q, given.b_k, given.b_v) = (None, None, None);
            }
        }
        Reason::WeightsTransposed(part) => transpose(&mut changed, *part)?,
        Reason::ProjectionsTransposed => {
            for part in [Part::WQ, Part::WK, Part::WV] {
                transpose(&mut changed, part)?;
            }
        }
        Reason::HeadsShuffled => shuffle(&mut changed)?,
        _ => return None,
    }
    // With equal heads or n = m some changes are none.
    (changed != *problem).then_some(changed)
}

/// Only square matrices can be taken for their transpose.
fn transpose(problem: &mut Problem, part: Part) -> Option<()> {
    let whole = crate::attention::whole_matrix_mut(problem, part).filter(|whole| whole.is_square())?;
    *whole = whole.transpose();
    Some(())
}

/// Gives every query head a key/value head of its own: a copy of head h mod h_kv.
fn shuffle(problem: &mut Problem) -> Option<()> {
    let Heads { query, key_value } = problem.heads;
    if key_value == 1 || key_value == query {
        return None;
    }
    let shapes = problem.shapes();
    let copied = |whole: &Matrix, d: usize| {
        Matrix::from_fn(whole.nrows(), query * d, |row, column| {
            let head = (column / d) % key_value;
            whole[(row, head * d + column % d)]
        })
    };
    let copied_bias = |bias: &mut Option<Vec<f64>>, d: usize| {
        if let Some(bias) = bias {
            *bias = copied(&Matrix::from_row_slice(1, bias.len(), bias), d).iter().copied().collect();
        }
    };
    match &mut problem.inputs {
        Inputs::Direct { k, v, .. } => {
            *k = copied(k, shapes.d_k);
            *v = copied(v, shapes.d_v);
        }
        Inputs::Projected(given) => {
            given.w_k = copied(&given.w_k, shapes.d_k);
            given.w_v = copied(&given.w_v, shapes.d_v);
            copied_bias(&mut given.b_k, shapes.d_k);
            copied_bias(&mut given.b_v, shapes.d_v);
        }
    }
    problem.heads.key_value = query;
    Some(())
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
