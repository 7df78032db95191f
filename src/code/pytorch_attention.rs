//! From queries, keys and values to the context in PyTorch: in one call where the library has it, else step by step.

use super::library::Library;
use super::literal;
use super::mask::{self, MaskMeaning};
use super::normalise::{dropped, over_sum, rest_can_vanish, with_sink};
use super::{position, score};
use crate::attention::{MaskApplied, Normalise, Problem, Scale, Score};

pub(super) struct Attention<'a> {
    problem: &'a Problem,
    meaning: MaskMeaning,
    /// What the program calls the number of keys.
    keys: &'a str,
}

impl<'a> Attention<'a> {
    pub fn of(problem: &'a Problem, meaning: MaskMeaning, keys: &'a str) -> Self {
        Attention { problem, meaning, keys }
    }

    /// Whether `scaled_dot_product_attention` gives these numbers.
    pub fn is_expressible(&self) -> bool {
        let is_after =
            matches!(self.problem.mask_applied, MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised)
                && mask::is_used(self.problem);
        let family = &self.problem.family;
        let is_of_a_product = matches!(family.score, Score::Dot | Score::General { .. });
        let is_softmax = family.normalise == Normalise::Softmax && family.sink.is_none() && family.softcap.is_none();
        let is_plain = is_of_a_product && is_softmax && family.dropout.p == 0.0;
        is_plain && !is_after && !mask::has_empty_row(self.problem)
    }

    /// From q, k, v (… , tokens, width) and the mask to the context, under this name.
    pub fn lines(&self, name: &str) -> String {
        let mut text = position::rotated(self.problem, Library::PyTorch, self.keys);
        text += score::features(self.problem);
        text + &if self.is_expressible() { self.in_one_call(name) } else { self.written_out(name) }
    }

    fn in_one_call(&self, name: &str) -> String {
        let (mut before, mut arguments) = (String::new(), String::new());
        // The function takes True as visible, or numbers that are added to the scores.
        let is_turned = (self.meaning == MaskMeaning::Hidden) != self.is_inverted();
        let is_used = mask::is_used(self.problem);
        if score::adds_bias(self.problem) {
            before += &score::biased(self.problem, Library::PyTorch, None, "added", self.keys);
            if is_used {
                before += &format!("added = added.masked_fill({}, float(\"-inf\"))\n", self.left_out());
            }
            arguments += ", attn_mask=added";
        } else if is_used {
            arguments += &format!(", attn_mask={}{}", if is_turned { "~" } else { "" }, self.meaning.name());
        }
        match self.problem.scale {
            Scale::InverseSqrt => {}
            Scale::None => arguments += ", scale=1.0",
            Scale::Factor(factor) => arguments += &format!(", scale={}", literal::number(factor)),
        }
        let q = if self.problem.family.score == Score::Dot { "q" } else { "q @ score_w" };
        let comment = if self.is_inverted() { "  # keep and drop swapped: a mistake" } else { "" };
        format!("{before}{name} = F.scaled_dot_product_attention({q}, k, v{arguments}){comment}\n")
    }

    fn is_inverted(&self) -> bool {
        self.problem.mask_applied == MaskApplied::Inverted
    }

    /// True where a pair takes no part in the softmax.
    fn left_out(&self) -> &'static str {
        if self.is_inverted() { self.visible() } else { self.hidden() }
    }

    fn hidden(&self) -> &'static str {
        if self.meaning == MaskMeaning::Hidden { "hidden" } else { "~visible" }
    }

    fn visible(&self) -> &'static str {
        if self.meaning == MaskMeaning::Hidden { "~hidden" } else { "visible" }
    }

    fn written_out(&self, name: &str) -> String {
        let is_linear = self.problem.family.normalise == Normalise::Linear;
        let scale = match self.problem.scale {
            _ if is_linear => String::new(),
            Scale::InverseSqrt => " / q.shape[-1] ** 0.5".to_owned(),
            Scale::None => String::new(),
            Scale::Factor(factor) => format!(" * {}", literal::number(factor)),
        };
        let mut text = score::scores(self.problem, Library::PyTorch, "k.transpose(-2, -1)", &scale);
        text += &score::capped(self.problem, Library::PyTorch, "scores", "scores");
        text += &score::biased(self.problem, Library::PyTorch, Some("scores"), "scores", self.keys);
        let (is_used, how) = (mask::is_used(self.problem), self.problem.mask_applied);
        let is_after = matches!(how, MaskApplied::AfterSoftmax | MaskApplied::AfterSoftmaxRenormalised);
        if is_used && !is_after {
            let comment = if self.is_inverted() { "  # keep and drop swapped: a mistake" } else { "" };
            let value = if self.problem.family.normalise == Normalise::Softmax { "float(\"-inf\")" } else { "0.0" };
            text += &format!("scores = scores.masked_fill({}, {value}){comment}\n", self.left_out());
        }
        text += &self.normalised(is_used && !is_after);
        if is_used && is_after {
            let comment = if how == MaskApplied::AfterSoftmax {
                "  # hidden after the softmax, and not renormalised: a mistake"
            } else {
                ""
            };
            text += &format!("weights = weights.masked_fill({}, 0.0){comment}\n", self.hidden());
            if how == MaskApplied::AfterSoftmaxRenormalised {
                text += "rest = weights.sum(dim=-1, keepdim=True)\n";
                let filled = if rest_can_vanish(self.problem) { ".masked_fill(rest == 0, 1.0)" } else { "" };
                text += &format!("weights = weights / rest{filled}\n");
            }
        }
        text += dropped(self.problem);
        text + &format!("{name} = weights @ v\n")
    }

    /// From the scores to weights whose rows sum to 1.
    fn normalised(&self, is_masked: bool) -> String {
        let family = &self.problem.family;
        if family.normalise != Normalise::Softmax {
            return over_sum(self.problem, Library::PyTorch, "scores");
        }
        if family.sink.is_some() {
            return with_sink(Library::PyTorch, "scores");
        }
        let mut text = "weights = torch.softmax(scores, dim=-1)\n".to_owned();
        if is_masked {
            text += "weights = torch.nan_to_num(weights)  # a row that sees nothing has weights of zero\n";
        }
        text
    }
}
