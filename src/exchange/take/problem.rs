//! Picks become a problem: q, k and v; or x and its projections; or attention maps alone.

use super::{Pick, Role, TakeError, to_matrix};
use crate::attention::{
    Heads, Inputs, MOST_HEADS, MOST_TOKENS, MOST_WIDTH, Mask, MaskApplied, Matrix, Problem, Projected, Scale,
};
use crate::exchange::tensor::Tensor;

/// What a weight of zero becomes: e^−10000 is zero in an f64, and unlike ln 0 it is a number.
const LN_OF_ZERO: f64 = -10_000.0;
/// How far a row of an attention map may be from 1: what half precision and printing leave.
const ROW_SUM: f64 = 1e-3;

/// The problem that the picks make together, validated.
///
/// Either q, k and v, or x, w_q, w_k and w_v (with x_kv and biases where there are), each with w_o and b_o; the heads
/// are those of the picks. Or attention maps alone: then q is the logarithm of the weights, row by row, one key/value
/// head is shared whose k and v are the m×m identity, and nothing is scaled. So the scores are ln w, the softmax gives
/// the weights back (up to the last digits: a relative |ln w|·2⁻⁵³), and the context shows them once more. (A row that does not sum to exactly 1 comes back divided by
/// its sum; a weight of 0 has the score −10000. Heads × m must not exceed the widest matrix.)
///
/// # Errors
/// When a pick cannot be taken, a role is there twice or missing, heads or shapes do not fit one another, a limit is
/// exceeded, or a row of an attention map does not sum to 1.
///
/// ```
/// # use attnlab::attention::{solve, Part};
/// # use attnlab::exchange::{guess_all, to_problem, Element, Tensor};
/// let values = vec![0.75, 0.25, 1.0, 0.0];
/// let maps = [Tensor { name: "attention".into(), shape: vec![2, 1, 2], element: Element::F32, values }];
/// let problem = to_problem(&maps, &guess_all(&maps)).unwrap();
/// let trace = solve(&problem).unwrap();
/// assert_eq!(trace.get(Part::Weights, 1).unwrap().value.as_slice(), [1.0, 0.0]);
/// ```
pub fn to_problem(tensors: &[Tensor], picks: &[Pick]) -> Result<Problem, TakeError> {
    let given = Given::of(tensors, picks)?;
    let problem = match given.get(Role::Weights) {
        Some(maps) => of_maps(&given, maps)?,
        None => of_inputs(given)?,
    };
    problem.validate().map_err(TakeError::Problem)?;
    Ok(problem)
}

struct Taken {
    role: Role,
    name: String,
    matrix: Matrix,
    heads: usize,
}

struct Given(Vec<Taken>);

impl Given {
    fn of(tensors: &[Tensor], picks: &[Pick]) -> Result<Given, TakeError> {
        let mut given: Vec<Taken> = Vec::new();
        for pick in picks {
            let role = pick.role;
            if given.iter().any(|taken| taken.role == role) {
                let (found, expected) = (format!("2 × {}", role.key()), format!("1 × {}", role.key()));
                return Err(TakeError::Roles { found, expected });
            }
            let Some(tensor) = tensors.get(pick.tensor) else {
                let expected = tensors.len().to_string();
                return Err(TakeError::NoTensor { found: pick.tensor, expected });
            };
            let (matrix, heads) = to_matrix(tensor, pick)?;
            given.push(Taken { role, name: tensor.name.clone(), matrix, heads });
        }
        Ok(Given(given))
    }

    fn get(&self, role: Role) -> Option<&Taken> {
        self.0.iter().find(|taken| taken.role == role)
    }

    /// All of `needed` and no others than these and `allowed`.
    fn has_only(&self, needed: &[Role], allowed: &[Role]) -> Result<(), TakeError> {
        let fits = needed.iter().all(|&role| self.get(role).is_some())
            && self.0.iter().all(|taken| needed.contains(&taken.role) || allowed.contains(&taken.role));
        let names = |roles: &[Role]| roles.iter().map(|role| role.key()).collect::<Vec<_>>().join(", ");
        if fits {
            return Ok(());
        }
        let found = names(&self.0.iter().map(|taken| taken.role).collect::<Vec<_>>());
        let expected = match allowed {
            [] => names(needed),
            allowed => format!("{} ({})", names(needed), names(allowed)),
        };
        Err(TakeError::Roles { found: if found.is_empty() { "0".to_owned() } else { found }, expected })
    }

    fn take(&mut self, role: Role) -> Option<Matrix> {
        let at = self.0.iter().position(|taken| taken.role == role)?;
        Some(self.0.swap_remove(at).matrix)
    }

    fn bias(&mut self, role: Role) -> Option<Vec<f64>> {
        self.take(role).map(|row| row.as_slice().to_vec())
    }

    /// Query heads, and the key/value heads, of which k and v have equally many.
    fn heads(&self, [q, k, v]: [Role; 3]) -> Result<Heads, TakeError> {
        let of = |role| self.get(role).map_or(1, |taken| taken.heads);
        if of(k) != of(v) {
            let place = self.get(v).map_or_else(String::new, |taken| taken.name.clone());
            return Err(TakeError::Heads { place, found: of(v), expected: of(k) });
        }
        Ok(Heads { query: of(q), key_value: of(k) })
    }
}

fn of_inputs(mut given: Given) -> Result<Problem, TakeError> {
    let is_projected = given.get(Role::X).is_some();
    let (needed, allowed, projections): (&[Role], &[Role], [Role; 3]) = if is_projected {
        let needed = &[Role::X, Role::WQ, Role::WK, Role::WV];
        let allowed = &[Role::XKv, Role::BQ, Role::BK, Role::BV, Role::WO, Role::BO];
        (needed, allowed, [Role::WQ, Role::WK, Role::WV])
    } else {
        (&[Role::Q, Role::K, Role::V], &[Role::WO, Role::BO], [Role::Q, Role::K, Role::V])
    };
    given.has_only(needed, allowed)?;
    let heads = given.heads(projections)?;
    let missing = || TakeError::Roles { found: "0".to_owned(), expected: "1".to_owned() };
    let w_o = given.take(Role::WO);
    let b_o = given.bias(Role::BO);
    let inputs = if is_projected {
        Inputs::Projected(Projected {
            x: given.take(Role::X).ok_or_else(missing)?,
            x_kv: given.take(Role::XKv),
            w_q: given.take(Role::WQ).ok_or_else(missing)?,
            w_k: given.take(Role::WK).ok_or_else(missing)?,
            w_v: given.take(Role::WV).ok_or_else(missing)?,
            b_q: given.bias(Role::BQ),
            b_k: given.bias(Role::BK),
            b_v: given.bias(Role::BV),
        })
    } else {
        Inputs::Direct {
            q: given.take(Role::Q).ok_or_else(missing)?,
            k: given.take(Role::K).ok_or_else(missing)?,
            v: given.take(Role::V).ok_or_else(missing)?,
        }
    };
    Ok(Problem { w_o, b_o, ..problem(inputs, heads, Scale::InverseSqrt) })
}

fn of_maps(given: &Given, maps: &Taken) -> Result<Problem, TakeError> {
    given.has_only(&[Role::Weights], &[])?;
    let Taken { name, matrix, heads, .. } = maps;
    let heads = *heads;
    if !matrix.ncols().is_multiple_of(heads) {
        return Err(TakeError::Heads { place: name.clone(), found: matrix.ncols(), expected: heads });
    }
    let keys = matrix.ncols() / heads;
    if keys > MOST_TOKENS || heads > MOST_HEADS {
        let (found, expected) = (format!("h·m = {heads}·{keys}"), format!("m ≤ {MOST_TOKENS}, h·m ≤ {MOST_WIDTH}"));
        return Err(TakeError::TooLarge { place: name.clone(), found, expected });
    }
    for (row, head) in (0..matrix.nrows()).flat_map(|row| (0..heads).map(move |head| (row, head))) {
        let weights = matrix.view((row, head * keys), (1, keys));
        let sum: f64 = weights.iter().sum();
        let negative = weights.iter().find(|&&weight| weight < 0.0);
        if negative.is_some() || (sum - 1.0).abs() > ROW_SUM {
            let found = negative.map_or(sum.to_string(), |weight| format!("{sum} ({weight})"));
            return Err(TakeError::RowSum { place: name.clone(), head, row, found });
        }
    }
    let q = matrix.map(|weight| if weight > 0.0 { weight.ln() } else { LN_OF_ZERO });
    let identity = Matrix::identity(keys, keys);
    let inputs = Inputs::Direct { q, k: identity.clone(), v: identity };
    Ok(problem(inputs, Heads { query: heads, key_value: 1 }, Scale::None))
}

fn problem(inputs: Inputs, heads: Heads, scale: Scale) -> Problem {
    Problem {
        title: None,
        tokens: None,
        memory: None,
        inputs,
        w_o: None,
        b_o: None,
        heads,
        scale,
        family: Default::default(),
        mask: Mask::default(),
        mask_applied: MaskApplied::default(),
    }
}
