//! What a memory budget holds in training: ways to keep fewer bytes of activations, and the longest sequence of each.
//!
//! The formula is of Korthikanti et al. 2022: s·b·h·(34 + 5·a·s/h) bytes a layer at half precision, twice at fp32.
//! Weights, gradients and the state of the optimizer are not in it.

use crate::attention::cost::{Model, Precision};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As the model is, at its own precision.
    Plain,
    Half,
    Checkpointed,
    HalfCheckpointed,
    /// A token sees at most the model's window of keys: 5·a·s·w in place of 5·a·s².
    Windowed,
    /// The sequence is cut into chunks as long as the window, which do not see each other and are trained one after
    /// another: only one chunk's activations are kept at a time.
    Chunked,
}

impl Way {
    pub const ALL: [Self; 6] =
        [Self::Plain, Self::Half, Self::Checkpointed, Self::HalfCheckpointed, Self::Windowed, Self::Chunked];

    /// Bytes of activations that training keeps.
    ///
    /// ```
    /// # use attnlab::{attention::cost::{Model, PRESETS, Precision}, study::budget::Way};
    /// let model = Model { precision: Precision::Fp32, ..PRESETS[2].1 }; // GPT-2 small, 1024 tokens
    /// assert_eq!(Way::Plain.bytes(&model), 2 * Way::Half.bytes(&model));
    /// ```
    pub fn bytes(self, model: &Model) -> u128 {
        let half = Model { precision: Precision::Fp16, ..*model };
        match self {
            Self::Plain => model.activation_bytes(),
            Self::Half => half.activation_bytes(),
            Self::Checkpointed => model.checkpointed_bytes(),
            Self::HalfCheckpointed => half.checkpointed_bytes(),
            Self::Windowed => model.windowed_activation_bytes(),
            Self::Chunked => {
                let chunk = model.window.map_or(model.n, |window| window.min(model.n));
                Model { n: chunk, ..*model }.activation_bytes()
            }
        }
    }

    /// The longest sequence within the budget, `most` where none up to there is too long; 0 where not one token fits.
    ///
    /// ```
    /// # use attnlab::{attention::cost::PRESETS, study::budget::Way};
    /// assert_eq!(Way::Plain.longest(&PRESETS[2].1, 0, 1_000_000), 0);
    /// ```
    pub fn longest(self, model: &Model, budget: u128, most: usize) -> usize {
        let fits = |n| self.bytes(&Model { n, ..*model }) <= budget;
        // Bytes never fall as n grows: the interval is halved.
        let (mut fitting, mut above) = (0, most + 1);
        while above - fitting > 1 {
            let middle = fitting + (above - fitting) / 2;
            if fits(middle) { fitting = middle } else { above = middle }
        }
        fitting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::cost::PRESETS;

    fn model(n: usize) -> Model {
        Model { n, precision: Precision::Fp32, window: Some(256), ..PRESETS[2].1 }
    }

    #[test]
    fn two_gigabytes_hold_four_times_the_length_with_half_precision_and_checkpoints() {
        let budget = 2_000_000_000;
        let gigabytes = |bytes: u128| (bytes as f64 / 1e7).round() / 100.0;
        assert_eq!(gigabytes(Way::Plain.bytes(&model(1_024))), 2.15);
        assert_eq!(gigabytes(Way::HalfCheckpointed.bytes(&model(4_096))), 1.19);
        assert!(Way::Plain.longest(&model(1), budget, 1_000_000) < 1_024);
        assert!(Way::HalfCheckpointed.longest(&model(1), budget, 1_000_000) >= 4_096);
        // What 6 layers took before does not hold 4096 tokens of 12.
        let six = Way::Plain.bytes(&Model { layers: 6, ..model(1_024) });
        assert!(Way::HalfCheckpointed.longest(&model(1), six, 1_000_000) < 4_096);
    }

    #[test]
    fn the_longest_fits_and_one_more_does_not() {
        for way in Way::ALL {
            let n = way.longest(&model(1), 2_000_000_000, 1_000_000);
            assert!(way.bytes(&model(n)) <= 2_000_000_000, "{way:?}");
            // A chunk is as large however long the sequence is.
            assert_eq!(n == 1_000_000, way == Way::Chunked, "{way:?}");
            assert!(n == 1_000_000 || way.bytes(&model(n + 1)) > 2_000_000_000, "{way:?}");
        }
    }

    #[test]
    fn a_window_and_a_chunk_keep_what_the_formula_says() {
        // 12 layers · (34 · 1024 · 768 + 5 · 12 · 1024 · 256) · 2, and the same with 256 tokens.
        assert_eq!(Way::Windowed.bytes(&model(1_024)), 1_019_215_872);
        assert_eq!(Way::Chunked.bytes(&model(1_024)), 254_803_968);
    }

    #[test]
    fn a_window_as_long_as_the_sequence_saves_nothing() {
        let all = Model { window: Some(5_000), ..model(1_000) };
        assert_eq!(Way::Windowed.bytes(&all), Way::Plain.bytes(&all));
        assert_eq!(Way::Chunked.bytes(&all), Way::Plain.bytes(&all));
        assert!(Way::Chunked.bytes(&model(1_000)) < Way::Windowed.bytes(&model(1_000)));
    }
}
