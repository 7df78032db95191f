//! From queries and keys to what the mask is laid on, in lines of NumPy or PyTorch: the score function, the feature map
//! of linear attention, softcap, and what is added to the scores.

use super::library::Library;
use super::literal::number;
use super::normalise::kept;
use super::position;
use crate::attention::{Normalise, Position, Problem, Score};

/// The function that linear attention needs.
pub(super) fn definitions(problem: &Problem, library: Library) -> String {
    if problem.family.normalise != Normalise::Linear {
        return String::new();
    }
    let np = library.module();
    format!(
        "def phi(x):\n    \
         \"\"\"elu(x) + 1: x + 1 above zero, exp(x) below.\"\"\"\n    \
         return {np}.where(x > 0, x + 1.0, {np}.exp(x.clip(max=0.0)))\n"
    )
}

/// The numbers of the score function, of what is added to the scores, and what dropout keeps.
pub(super) fn numbers(problem: &Problem, library: Library) -> String {
    let family = &problem.family;
    let mut text = String::new();
    let mut array = |name: &str, values: String, comment: &str| text += &format!("{name} = {values}{comment}\n");
    match &family.score {
        Score::Dot => {}
        Score::General { w } => array("score_w", library.matrix(w), ""),
        Score::Concat { w, v } => {
            array("score_w", library.matrix(w), "  # the rows of the query first, then those of the key");
            array("score_v", library.list(v), "");
        }
        Score::Additive { w_q, w_k, v } => {
            array("score_w_q", library.matrix(w_q), "");
            array("score_w_k", library.matrix(w_k), "");
            array("score_v", library.list(v), "");
        }
    }
    if let (Position::Alibi { slopes }, true) = (&family.position, problem.heads.query > 1) {
        array("slopes", format!("{}[:, None, None]", library.list(slopes)), "  # ALiBi: one slope a head");
    }
    match &family.bias {
        None => {}
        Some(bias) => match &bias.matrices()[..] {
            [one] => array("bias", library.matrix(one), ""),
            heads => array("bias", library.matrices(heads), "  # one matrix a head"),
        },
    }
    if let Some(sink) = &family.sink {
        let each = if problem.heads.query > 1 { "[:, None, None]" } else { "" };
        array("sink", format!("{}{each}", library.list(sink)), "  # a logit a head that takes weight to nowhere");
    }
    text + &kept(problem, library)
}

/// φ(q) and φ(k), with `linear` only.
pub(super) fn features(problem: &Problem) -> &'static str {
    if problem.family.normalise == Normalise::Linear { "q, k = phi(q), phi(k)\n" } else { "" }
}

/// `scores`, from q and k; `then` is written behind the last expression.
pub(super) fn scores(problem: &Problem, library: Library, transposed: &str, then: &str) -> String {
    let hidden = |before: &str, of_q: &str, of_k: &str, comment: &str| {
        format!(
            "{before}of_q, of_k = {of_q}, {of_k}{comment}\n\
             layer = {}.tanh(of_q[..., :, None, :] + of_k[..., None, :, :])  # every query with every key\n\
             scores = layer @ score_v{then}\n",
            library.module()
        )
    };
    match &problem.family.score {
        Score::Dot => format!("scores = q @ {transposed}{then}\n"),
        Score::General { .. } => format!("scores = q @ score_w @ {transposed}{then}\n"),
        Score::Concat { .. } => {
            let split = "d_k = q.shape[-1]\n";
            hidden(split, "q @ score_w[:d_k]", "k @ score_w[d_k:]", "  # together they are [q; k] @ score_w")
        }
        Score::Additive { .. } => hidden("", "q @ score_w_q", "k @ score_w_k", ""),
    }
}

/// c · tanh(s / c).
pub(super) fn capped(problem: &Problem, library: Library, from: &str, to: &str) -> String {
    let cap = |cap| {
        let (np, cap) = (library.module(), number(cap));
        format!("{to} = {cap} * {np}.tanh({from} / {cap})  # softcap\n")
    };
    problem.family.softcap.map_or_else(String::new, cap)
}

/// The penalty on distance and the bias, added to `from` where that is given; `keys` is the name of m.
pub(super) fn biased(problem: &Problem, library: Library, from: Option<&str>, to: &str, keys: &str) -> String {
    let mut text = String::new();
    let mut before = from.map(str::to_owned);
    if let Position::Alibi { slopes } = &problem.family.position {
        text += &position::distance(problem, library, keys);
        let slope = if slopes.len() == 1 { number(slopes[0]) } else { "slopes".to_owned() };
        text += &match before {
            Some(before) => format!("{to} = {before} - {slope} * distance  # ALiBi\n"),
            None => format!("{to} = -{slope} * distance  # ALiBi\n"),
        };
        before = Some(to.to_owned());
    }
    if problem.family.bias.is_some() {
        text += &before.map_or_else(|| format!("{to} = bias\n"), |before| format!("{to} = {before} + bias\n"));
    }
    text
}

/// Whether anything is added to the scores.
pub(super) fn adds_bias(problem: &Problem) -> bool {
    problem.family.bias.is_some() || matches!(problem.family.position, Position::Alibi { .. })
}
