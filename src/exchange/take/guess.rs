//! What a tensor probably is, by its name and the number of its axes. A guess: the reader of the window decides.

use super::{Pick, Role};
use crate::exchange::tensor::Tensor;

/// The pick that a tensor's name and axes suggest; `None` when they suggest nothing. Four axes are (batch, heads,
/// seq, d), three (heads, seq, d), of x (batch, seq, d).
///
/// ```
/// # use attnlab::exchange::{guess, Element, Role, Tensor};
/// let named = |name: &str, shape: &[usize]| Tensor {
///     name: name.to_owned(), shape: shape.to_vec(), element: Element::F32, values: vec![0.0; shape.iter().product()],
/// };
/// let pick = guess(&named("query", &[1, 12, 5, 64])).unwrap();
/// assert_eq!((pick.role, pick.batch, pick.head), (Role::Q, vec![(0, 0)], Some(1)));
/// let pick = guess(&named("h.0.attn.k_proj.weight", &[64, 64])).unwrap();
/// assert_eq!((pick.role, pick.transpose), (Role::WK, true));
/// assert_eq!(guess(&named("wte.weight", &[50, 64])), None);
/// ```
pub fn guess(tensor: &Tensor) -> Option<Pick> {
    let name = tensor.name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let role = role(&words)?;
    let (batch, head) = match (tensor.shape.len(), role) {
        (1, role) if role.is_bias() => (vec![], None),
        (2, role) if role.is_bias() => (vec![], Some(0)),
        (_, role) if role.is_bias() => return None,
        (2, _) => (vec![], None),
        (3, Role::X | Role::XKv) => (vec![(0, 0)], None),
        (3, _) => (vec![], Some(0)),
        (4, Role::Q | Role::K | Role::V | Role::Weights) => (vec![(0, 0)], Some(1)),
        _ => return None,
    };
    let mut pick = Pick::whole(tensor, role, batch, head);
    pick.transpose = role.is_projection() && words.last() == Some(&"weight") && head.is_none();
    pick.take_all(tensor);
    Some(pick)
}

/// A guess for each tensor, the first one of each role.
pub fn guess_all(tensors: &[Tensor]) -> Vec<Pick> {
    let mut picks: Vec<Pick> = Vec::new();
    for (index, tensor) in tensors.iter().enumerate() {
        if let Some(pick) = guess(tensor).filter(|pick| picks.iter().all(|other| other.role != pick.role)) {
            picks.push(Pick { tensor: index, ..pick });
        }
    }
    picks
}

fn role(words: &[&str]) -> Option<Role> {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let is_attention = has(&["attn", "attention", "self", "cross"]);
    let is_output = has(&["o", "out"]) || (is_attention && has(&["output", "dense"]));
    let which =
        [has(&["q", "query", "queries"]), has(&["k", "key", "keys"]), has(&["v", "value", "values"]), is_output];
    let pick = |roles: [Option<Role>; 4]| which.iter().zip(roles).find_map(|(&is, role)| role.filter(|_| is));
    let projections = [Role::WQ, Role::WK, Role::WV, Role::WO].map(Some);
    let biases = [Role::BQ, Role::BK, Role::BV, Role::BO].map(Some);
    let last = *words.last()?;
    match last {
        "wq" => return Some(Role::WQ),
        "wk" => return Some(Role::WK),
        "wv" => return Some(Role::WV),
        "wo" => return Some(Role::WO),
        "bq" => return Some(Role::BQ),
        "bk" => return Some(Role::BK),
        "bv" => return Some(Role::BV),
        "bo" => return Some(Role::BO),
        _ => {}
    }
    if last == "bias" || has(&["b"]) {
        return pick(biases);
    }
    if last == "weight" || has(&["w", "proj"]) {
        return pick(projections);
    }
    if has(&["encoder"]) && has(&["hidden"]) || has(&["memory"]) || (has(&["x"]) && has(&["kv"])) {
        return Some(Role::XKv);
    }
    if has(&["x", "hidden", "input", "inputs", "embedding", "embeddings"]) {
        return Some(Role::X);
    }
    // An activation has no role for the output: it is computed.
    let found = pick([Some(Role::Q), Some(Role::K), Some(Role::V), None]);
    let is_map = has(&["weights", "attn", "attention", "attentions", "probs", "map", "maps"]);
    found.or(is_map.then_some(Role::Weights))
}
