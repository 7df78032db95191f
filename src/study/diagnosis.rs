//! When weights look uniform, or stuck: what each row of weights looks like, and keys that take too much.

use super::laboratory::entropy;
use crate::attention::{Dropout, Family, Matrix, Part, Problem, Trace, solve, visible};

/// From when on a row or a key is named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Uniform above this share of the largest entropy.
    pub uniform: f64,
    /// Saturated with a weight above this.
    pub saturated: f64,
    /// A sink above this share of the weight of the rows that see it.
    pub sink: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { uniform: 0.95, saturated: 0.99, sink: 0.5 }
    }
}

/// One query row of one head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowDiagnosis {
    /// Keys that the rules let it see.
    pub visible: usize,
    /// −Σ w ln w over them.
    pub entropy: f64,
    /// ln of the number of visible keys.
    pub most: f64,
    pub largest_weight: f64,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It sees one key or none: there is nothing to choose.
    NotJudged,
    Uniform,
    Saturated,
    Neither,
}

impl Verdict {
    pub const ALL: [Self; 4] = [Self::NotJudged, Self::Uniform, Self::Saturated, Self::Neither];

    /// The name in texts, as `verdict-<key>`.
    pub fn key(self) -> &'static str {
        match self {
            Self::NotJudged => "not-judged",
            Self::Uniform => "uniform",
            Self::Saturated => "saturated",
            Self::Neither => "neither",
        }
    }
}

/// One head.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadDiagnosis {
    pub rows: Vec<RowDiagnosis>,
    /// Keys that take too much, with their share of the weight of the rows that see them. A key that only one row
    /// with a choice sees is no sink.
    pub sinks: Vec<(usize, f64)>,
    /// The mean of entropy over its maximum, over the rows that are judged.
    pub relative_entropy: Option<f64>,
}

/// Each head's diagnosis; `None` where weights are negative (divided by the sum), for then there is no entropy.
///
/// What is judged is how a row divides its weight among the keys that it sees: the share of a sink, and what leaks, are
/// left out, and dropout is not yet applied.
pub fn diagnosis(problem: &Problem, trace: &Trace, thresholds: Thresholds) -> Option<Vec<HeadDiagnosis>> {
    let sees = visible(problem);
    let undropped =
        Problem { family: Family { dropout: Dropout::default(), ..problem.family.clone() }, ..problem.clone() };
    let before_dropout;
    let trace = if problem.family.dropout.p > 0.0 {
        before_dropout = solve(&undropped).ok()?;
        &before_dropout
    } else {
        trace
    };
    (0..problem.heads.query)
        .map(|head| {
            let weights = &trace.get(Part::Weights, head)?.value;
            weights.iter().all(|weight| *weight >= 0.0).then(|| head_diagnosis(weights, &sees, thresholds))
        })
        .collect()
}

fn head_diagnosis(weights: &Matrix, sees: &nalgebra::DMatrix<bool>, thresholds: Thresholds) -> HeadDiagnosis {
    let (n, m) = weights.shape();
    let rows: Vec<RowDiagnosis> = (0..n)
        .map(|row| {
            let seen: Vec<f64> = (0..m).filter(|&key| sees[(row, key)]).map(|key| weights[(row, key)]).collect();
            let sum: f64 = seen.iter().sum();
            let shares: Vec<f64> = seen.iter().map(|weight| if sum > 0.0 { weight / sum } else { 0.0 }).collect();
            row_diagnosis(&shares, thresholds)
        })
        .collect();
    let has_choice = |row: usize| rows[row].visible > 1;
    let share = |key: usize| {
        let of: Vec<f64> =
            (0..n).filter(|&row| sees[(row, key)] && has_choice(row)).map(|row| weights[(row, key)]).collect();
        (of.len() > 1).then(|| of.iter().sum::<f64>() / of.len() as f64)
    };
    let sinks = (0..m).filter_map(|key| Some((key, share(key)?))).filter(|(_, share)| *share > thresholds.sink);
    let judged: Vec<f64> = rows.iter().filter(|row| row.visible > 1).map(|row| row.entropy / row.most).collect();
    let relative_entropy = (!judged.is_empty()).then(|| judged.iter().sum::<f64>() / judged.len() as f64);
    HeadDiagnosis { sinks: sinks.collect(), relative_entropy, rows }
}

fn row_diagnosis(seen: &[f64], thresholds: Thresholds) -> RowDiagnosis {
    let (entropy, most) = (entropy(seen), (seen.len().max(1) as f64).ln());
    let largest_weight = seen.iter().copied().fold(0.0, f64::max);
    let verdict = if seen.len() <= 1 {
        Verdict::NotJudged
    } else if entropy > thresholds.uniform * most {
        Verdict::Uniform
    } else if largest_weight > thresholds.saturated {
        Verdict::Saturated
    } else {
        Verdict::Neither
    };
    RowDiagnosis { visible: seen.len(), entropy, most, largest_weight, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scores: &str, mask: &str) -> Vec<HeadDiagnosis> {
        // With k the identity and no scale q is the scores themselves.
        let text = format!(
            r#"{{"format":"attnlab/1","scale":"none",{mask}"inputs":{{"q":{scores},"k":[[1,0,0],[0,1,0],[0,0,1]],"v":[[1],[2],[3]]}}}}"#
        );
        let problem = Problem::from_json(&text).unwrap();
        diagnosis(&problem, &solve(&problem).unwrap(), Thresholds::default()).unwrap()
    }

    #[test]
    fn uniform_saturated_and_neither_are_told_apart() {
        let heads = of("[[0,0,0.1],[9,0,0],[1,0,0]]", "");
        let verdicts: Vec<Verdict> = heads[0].rows.iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, [Verdict::Uniform, Verdict::Saturated, Verdict::Neither]);
        assert!((heads[0].rows[0].most - 3f64.ln()).abs() <= 1e-15);
    }

    #[test]
    fn a_row_with_one_visible_key_is_not_judged_and_the_maximum_counts_visible_keys() {
        let heads = of("[[0,0,0],[0,0,0],[0,0,0]]", r#""mask":{"causal":"upper_left"},"#);
        let rows = &heads[0].rows;
        assert_eq!(rows[0].verdict, Verdict::NotJudged);
        assert!((rows[1].most - 2f64.ln()).abs() <= 1e-15);
        assert_eq!((rows[1].verdict, rows[2].verdict), (Verdict::Uniform, Verdict::Uniform));
        assert!(heads[0].relative_entropy.is_some_and(|share| (share - 1.0).abs() <= 1e-15));
    }

    #[test]
    fn a_key_that_takes_over_half_is_a_sink() {
        let heads = of("[[3,0,0],[2,0,0],[1,0,0]]", "");
        let keys: Vec<usize> = heads[0].sinks.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, [0]);
        assert!(of("[[0,0,0],[0,0,0],[0,0,0]]", "")[0].sinks.is_empty());
    }

    #[test]
    fn a_sink_and_dropout_are_not_held_against_a_row() {
        let uniform = "[[0,0,0],[0,0,0],[0,0,0]]";
        for extra in [r#""sink":[3],"#, r#""sink":[-0.331],"#, r#""dropout":{"p":0.6,"seed":3},"#] {
            for row in &of(uniform, extra)[0].rows {
                assert!((row.entropy - 3f64.ln()).abs() <= 1e-12 && row.verdict == Verdict::Uniform, "{extra} {row:?}");
            }
        }
    }

    #[test]
    fn negative_weights_have_no_entropy() {
        let text =
            r#"{"format":"attnlab/1","normalise":{"kind":"sum"},"inputs":{"q":[[1]],"k":[[3],[-1]],"v":[[1],[2]]}}"#;
        let problem = Problem::from_json(text).unwrap();
        assert_eq!(diagnosis(&problem, &solve(&problem).unwrap(), Thresholds::default()), None);
    }
}
