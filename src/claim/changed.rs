//! The changed problem of each reason: what was asked, had the mistake been asked for.

use super::changed_family::changed_family;
use super::reason::Reason;
use crate::attention::{Causal, Heads, Inputs, MaskApplied, Matrix, Part, Problem, Scale, has_rule};

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
        reason => changed.family = changed_family(problem, reason)?,
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
