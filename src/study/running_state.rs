//! Linear attention as a running state: sums of φ(k)ᵀ v and of φ(k) in place of the matrix of weights.
//!
//! Katharopoulos et al. 2020, "Transformers are RNNs", section 3.4: S_t = Σ φ(k_j)ᵀ v_j and z_t = Σ φ(k_j) over the keys
//! up to t; the output of a query is φ(q) S_t / (φ(q) · z_t). φ = elu + 1.

use crate::attention::{
    Causal, Dropout, Expr, Family, Mask, MaskApplied, Matrix, Normalise, Part, Position, Problem, ProblemError, Score,
    Trace, largest_distance, solve,
};

/// The problem as if its normaliser were linear, and what linear attention does not take of it: keys of the problem
/// file. A running state takes no mask but the causal one, so every other rule goes too.
///
/// ```
/// # use attnlab::{attention::{Normalise, Problem}, study::running_state::as_linear};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1","softcap":5,
///     "inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#).unwrap();
/// let (linear, left_out) = as_linear(&problem, true);
/// assert_eq!((linear.family.normalise, left_out), (Normalise::Linear, vec!["softcap"]));
/// ```
pub fn as_linear(problem: &Problem, causal: bool) -> (Problem, Vec<&'static str>) {
    let given = &problem.family;
    let position = match &given.position {
        Position::Alibi { .. } => Position::None,
        other => other.clone(),
    };
    let family = Family { position, normalise: Normalise::Linear, ..Family::default() };
    let mut left_out = Vec::new();
    for (key, goes) in [
        ("score", given.score != Score::Dot),
        ("softcap", given.softcap.is_some()),
        ("position", family.position != given.position),
        ("bias", given.bias.is_some()),
        ("sink", given.sink.is_some()),
        ("mask", Mask { causal: Causal::None, ..problem.mask.clone() } != Mask::default()),
        ("mask_applied", problem.mask_applied != MaskApplied::default()),
        ("dropout", given.dropout != Dropout { p: 0.0, ..given.dropout }),
    ] {
        if goes {
            left_out.push(key);
        }
    }
    let causal = if causal { Causal::LowerRight } else { Causal::None };
    let mask = Mask { causal, ..Mask::default() };
    (Problem { family, mask, mask_applied: MaskApplied::default(), ..problem.clone() }, left_out)
}

/// What a query reads from: the sums over the keys that it sees.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Σ φ(k)ᵀ v: d_k×d_v.
    pub s: Matrix,
    /// Σ φ(k): d_k.
    pub z: Vec<f64>,
    /// How many keys are in it.
    pub keys: usize,
}

impl State {
    /// Nothing seen yet.
    pub fn empty(d_k: usize, d_v: usize) -> Self {
        Self { s: Matrix::zeros(d_k, d_v), z: vec![0.0; d_k], keys: 0 }
    }

    /// Adds one key (d_k features) and its value (d_v).
    ///
    /// ```
    /// # use attnlab::study::running_state::State;
    /// let mut state = State::empty(2, 1);
    /// state.add(&[1.0, 2.0], &[10.0]);
    /// assert_eq!((state.s.as_slice(), &state.z[..], state.keys), (&[10.0, 20.0][..], &[1.0, 2.0][..], 1));
    /// assert_eq!(state.read(&[1.0, 1.0]), [10.0]);
    /// ```
    pub fn add(&mut self, key: &[f64], value: &[f64]) {
        for (row, feature) in key.iter().enumerate() {
            self.z[row] += feature;
            for (column, v) in value.iter().enumerate() {
                self.s[(row, column)] += feature * v;
            }
        }
        self.keys += 1;
    }

    /// φ(q) S / (φ(q) · z); zeros where nothing was seen.
    pub fn read(&self, query: &[f64]) -> Vec<f64> {
        let below: f64 = query.iter().zip(&self.z).map(|(q, z)| q * z).sum();
        let above = |column: usize| -> f64 { query.iter().enumerate().map(|(row, q)| q * self.s[(row, column)]).sum() };
        (0..self.s.ncols()).map(|column| if below == 0.0 { 0.0 } else { above(column) / below }).collect()
    }

    /// The arithmetic of one number that a query reads.
    pub fn arithmetic(&self, query: &[f64], column: usize) -> Option<Expr> {
        if column >= self.s.ncols() || query.len() != self.z.len() {
            return None;
        }
        let product = |(a, b): (f64, f64)| Expr::Product(vec![Expr::Number(a), Expr::Number(b)]);
        let above = query.iter().enumerate().map(|(row, q)| product((*q, self.s[(row, column)])));
        let below = query.iter().zip(&self.z).map(|(q, z)| product((*q, *z)));
        Some(Expr::Quotient(Box::new(Expr::Sum(above.collect())), Box::new(Expr::Sum(below.collect()))))
    }
}

/// One head of a problem by its running state, up to the query that is looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// What linear attention does not take of the problem: keys of the problem file.
    pub left_out: Vec<&'static str>,
    /// φ(q) of all queries (n×d_k), φ(k) of all keys (m×d_k), v (m×d_v).
    pub q: Matrix,
    pub k: Matrix,
    pub v: Matrix,
    /// The state that the query reads.
    pub state: State,
    /// Every query's output: n×d_v.
    pub output: Matrix,
    /// The weights that would give the same, and softmax's on the same numbers under the same rule: n×m each.
    pub weights: Matrix,
    pub softmax: Matrix,
    /// The largest difference from the same problem solved with its matrix of weights.
    pub difference: f64,
}

/// Goes through the keys one by one and reads each query's output from the sums. `causal`: a query sees the keys up to
/// its own place (in cross attention, where there is no such place, every query sees all); else all keys. `None` where
/// the head or the query is not there.
///
/// # Errors
/// A step that overflows, with the linear normaliser or with softmax.
///
/// ```
/// # use attnlab::{attention::Problem, study::running_state::running};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[1,0],[0,1]],"k":[[1,0],[0,1]],"v":[[1],[5]]}}"#).unwrap();
/// let found = running(&problem, 0, true, 1).unwrap().unwrap();
/// assert_eq!((found.state.keys, &found.state.z[..]), (2, &[3.0, 3.0][..]));
/// assert!(found.difference <= 1e-12);
/// ```
pub fn running(
    problem: &Problem,
    head: usize,
    causal: bool,
    query: usize,
) -> Option<Result<Running, Vec<ProblemError>>> {
    let shapes = problem.shapes();
    let causal = causal && !problem.is_cross();
    if head >= shapes.heads.query || query >= shapes.n {
        return None;
    }
    let (linear, left_out) = as_linear(problem, causal);
    let softmax =
        Problem { family: Family { normalise: Normalise::Softmax, ..linear.family.clone() }, ..linear.clone() };
    Some(solve(&linear).and_then(|linear| Ok((linear, solve(&softmax)?))).map(|(linear, softmax)| {
        let of =
            |trace: &Trace, part| trace.get(part, head).map_or_else(|| Matrix::zeros(0, 0), |step| step.value.clone());
        let [q, k, v] = [Part::QFeatures, Part::KFeatures, Part::V].map(|part| of(&linear, part));
        let (output, state) = read_all(&q, &k, &v, causal, query);
        let difference = largest_distance(&output, &of(&linear, Part::Context));
        let (weights, softmax) = (of(&linear, Part::Weights), of(&softmax, Part::Weights));
        Running { left_out, q, k, v, state, output, weights, softmax, difference }
    }))
}

/// Every query's output, and the state that `query` reads. One state is held at a time: d_k×d_v and d_k numbers.
fn read_all(q: &Matrix, k: &Matrix, v: &Matrix, causal: bool, query: usize) -> (Matrix, State) {
    let row = |matrix: &Matrix, row: usize| matrix.row(row).iter().copied().collect::<Vec<f64>>();
    let (n, m) = (q.nrows(), k.nrows());
    let mut output = Matrix::zeros(n, v.ncols());
    let mut state = State::empty(k.ncols(), v.ncols());
    let mut of_query = state.clone();
    for at in 0..n {
        // The last query sees all keys, as a cached step does.
        let seen = if causal { (at + m + 1).saturating_sub(n) } else { m };
        while state.keys < seen {
            state.add(&row(k, state.keys), &row(v, state.keys));
        }
        output.row_mut(at).copy_from_slice(&state.read(&row(q, at)));
        if at == query {
            of_query = state.clone();
        }
    }
    (output, of_query)
}
