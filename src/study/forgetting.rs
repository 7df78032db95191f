//! Why the start of a long document fades: one key against more and more others.

/// The weight of one key whose score is `gap` above the equal scores of n − 1 others: e^Δ / (e^Δ + n − 1).
/// `n` is at least 1.
///
/// ```
/// # use attnlab::study::forgetting::share;
/// let figures = [(10, 0.9428), (1_000, 0.1293), (65_536, 0.0023)];
/// assert!(figures.iter().all(|&(n, printed)| (share(5.0, n) - printed).abs() <= 0.00005));
/// ```
pub fn share(gap: f64, n: usize) -> f64 {
    // Divided by e^Δ, so that no exponential of a large gap is taken.
    1.0 / (1.0 + n.saturating_sub(1) as f64 * (-gap).exp())
}

/// The gap at which that key keeps this share (between 0 and 1) among n: Δ = ln((n − 1) · share / (1 − share)).
///
/// ```
/// # use attnlab::study::forgetting::{gap, share};
/// assert!((share(gap(0.5, 65_536), 65_536) - 0.5).abs() <= 1e-12);
/// ```
pub fn gap(share: f64, n: usize) -> f64 {
    (n.saturating_sub(1) as f64 * share / (1.0 - share)).ln()
}

/// The share that is left within a window of `width` keys that end at the last of n: nothing once the key lies outside.
pub fn share_in_window(gap: f64, n: usize, width: usize) -> f64 {
    if n > width { 0.0 } else { share(gap, n) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::{Part, Problem, solve};

    #[test]
    fn it_is_what_attention_computes() {
        for n in [1, 2, 7, 40] {
            let keys: Vec<[f64; 1]> = (0..n).map(|key| [if key == 0 { 3.5 } else { 0.5 }]).collect();
            let problem = serde_json::json!({ "format": "attnlab/1", "scale": "none",
                "inputs": { "q": [[1.0]], "k": keys, "v": keys } });
            let trace = solve(&Problem::from_json(&problem.to_string()).unwrap()).unwrap();
            let weight = trace.get(Part::Weights, 0).unwrap().value[(0, 0)];
            assert!((weight - share(3.0, n)).abs() <= 1e-14, "{n}: {weight}");
        }
    }

    #[test]
    fn a_window_forgets_at_once_and_no_gap_is_too_large() {
        assert!(share_in_window(5.0, 10, 10) > 0.9 && share_in_window(5.0, 11, 10) == 0.0);
        assert_eq!(share(1e6, 1_000), 1.0);
        assert_eq!(share(-1e6, 1_000), 0.0);
    }
}
