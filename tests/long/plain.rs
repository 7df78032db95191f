//! The textbook way in f64, one row at a time.

use attnlab::long::Asked;

pub struct Plain {
    /// n×d.
    pub output: Vec<f64>,
    pub maximum: Vec<f64>,
    pub sum: Vec<f64>,
    /// The largest scaled score that anyone sees, by magnitude.
    pub largest_score: f64,
}

impl Plain {
    pub fn new(asked: &Asked) -> Self {
        let (n, d) = (asked.sequence().n(), asked.sequence().d());
        let mut plain = Plain { output: vec![0.0; n * d], maximum: vec![], sum: vec![], largest_score: 0.0 };
        for row in 0..n {
            let scaled = scaled(asked, row);
            let maximum = scaled.iter().fold(f64::NEG_INFINITY, |most, &(_, s)| most.max(s));
            let shares: Vec<(usize, f64)> = scaled.iter().map(|&(key, s)| (key, (s - maximum).exp())).collect();
            let sum: f64 = shares.iter().map(|(_, share)| share).sum();
            for (key, share) in shares {
                for (output, &v) in plain.output[row * d..].iter_mut().zip(asked.sequence().v(key)) {
                    *output += share / sum * f64::from(v);
                }
            }
            plain.largest_score = scaled.iter().fold(plain.largest_score, |most, (_, s)| most.max(s.abs()));
            plain.maximum.push(maximum);
            plain.sum.push(sum);
        }
        plain
    }

    /// What rounding may cost: 10⁻⁵ while scores are within ±30, and 10⁻⁶ of the largest more beyond.
    pub fn allowed(&self) -> f64 {
        if self.largest_score <= 30.0 { 1e-5 } else { 1e-5 + 1e-6 * self.largest_score }
    }
}

/// The keys that a row sees, with their scaled scores. Visibility is written out here, pair by pair.
pub fn scaled(asked: &Asked, row: usize) -> Vec<(usize, f64)> {
    let (sequence, rule) = (asked.sequence(), asked.rule());
    let sees = |key: usize| {
        (!rule.causal || key <= row)
            && rule.left.is_none_or(|left| key + left >= row)
            && rule.right.is_none_or(|right| key <= row + right)
            && rule.real.is_none_or(|real| key < real)
    };
    let score = |key: usize| {
        let pairs = sequence.q(row).iter().zip(sequence.k(key));
        pairs.map(|(&q, &k)| f64::from(q) * f64::from(k)).sum::<f64>() * f64::from(asked.scale())
    };
    (0..sequence.n()).filter(|&key| sees(key)).map(|key| (key, score(key))).collect()
}
