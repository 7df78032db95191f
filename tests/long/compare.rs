//! An engine's result against plain f64.

use attnlab::long::{Asked, Attended};

use super::plain::Plain;

/// The largest error over the largest number; NaN where a number is NaN.
pub fn largest_error(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let errors = found.iter().zip(expected).map(|(&found, &expected)| (f64::from(found) - expected).abs());
    let error = errors.fold(0.0_f64, |most, x| if x <= most { most } else { x });
    if error == 0.0 { 0.0 } else { error / largest }
}

/// The output, the maximum and the sum of every row. Returns the largest error of the output.
pub fn compare(asked: &Asked, attended: &Attended) -> Result<f64, String> {
    let plain = Plain::new(asked);
    let allowed = plain.allowed();
    let error = largest_error(&attended.output, &plain.output);
    require(error, allowed, "the output")?;
    for row in 0..asked.sequence().n() {
        let (maximum, sum) = (f64::from(attended.maximum[row]), f64::from(attended.sum[row]));
        if plain.sum[row] == 0.0 {
            let is_empty = maximum == f64::NEG_INFINITY && sum == 0.0;
            require(if is_empty { 0.0 } else { f64::NAN }, 0.0, "a row that sees nothing")?;
        } else {
            require((maximum - plain.maximum[row]).abs(), allowed, &format!("the maximum of row {row}"))?;
            require((sum / plain.sum[row] - 1.0).abs(), allowed, &format!("the sum of row {row}"))?;
        }
    }
    Ok(error)
}

fn require(difference: f64, allowed: f64, what: &str) -> Result<(), String> {
    let is_within = difference <= allowed;
    if !is_within { Err(format!("{what} is off by {difference:e}, allowed {allowed:e}")) } else { Ok(()) }
}
