//! Positions in lines of NumPy or PyTorch: encodings that are added, rotated queries and keys, a penalty on distance.

use super::library::Library;
use super::literal::number;
use crate::attention::{Layout, Position, Problem, Rope, Scaling};

/// The functions that the program needs, each followed by an empty line; a learned table.
pub(super) fn definitions(problem: &Problem, library: Library) -> String {
    match &problem.family.position {
        Position::Sinusoidal { base } => sinusoidal(*base, library),
        Position::Rope(rope) => rotation(rope, library),
        Position::Learned { table } => format!("table = {}  # row p belongs to position p\n", library.matrix(table)),
        Position::None | Position::Alibi { .. } => String::new(),
    }
}

/// sin and cos of pos / base^(2i/d), side by side (Vaswani et al. 2017, section 3.5).
fn sinusoidal(base: f64, library: Library) -> String {
    let (np, rows, columns) = (library.module(), library.count_to("rows"), library.count_to("width"));
    let base = number(base);
    format!(
        "def encoding(rows, width):\n    \
         \"\"\"Sinusoidal positions, from 0: sin and cos of position / base^(2i / width).\"\"\"\n    \
         position = {rows}[:, None]\n    \
         column = {columns}\n    \
         angle = position / {base} ** (column // 2 * 2 / width)\n    \
         return {np}.where(column % 2 == 0, {np}.sin(angle), {np}.cos(angle))\n"
    )
}

/// Pairs of columns turned by position · base^(−2i/d) (Su et al. 2021, section 3.2.2).
fn rotation(rope: &Rope, library: Library) -> String {
    let np = library.module();
    let base = match rope.scaling {
        Scaling::Ntk { factor } => {
            format!("{} * {} ** (d / (d - 2))  # NTK-aware scaling", number(rope.base), number(factor))
        }
        Scaling::None | Scaling::Linear { .. } => number(rope.base),
    };
    let position = match rope.scaling {
        Scaling::Linear { factor } => format!("position[:, None] / {}", number(factor)),
        Scaling::None | Scaling::Ntk { .. } => "position[:, None]".to_owned(),
    };
    let scaled = if matches!(rope.scaling, Scaling::Linear { .. }) { "  # linear scaling of positions" } else { "" };
    let (first, second, comment) = match rope.layout {
        Layout::Interleaved => ("0::2", "1::2", "neighbours are a pair"),
        Layout::HalfSplit => (": d // 2", "d // 2 :", "column i and column i + d/2 are a pair"),
    };
    format!(
        "def rotated(vectors, position):\n    \
         \"\"\"RoPE: pair i of d columns is turned by position * base^(-2i / d).\"\"\"\n    \
         d = vectors.shape[-1]\n    \
         base = {base}\n    \
         theta = base ** (-2 * {} / d)\n    \
         angle = {position} * theta{scaled}\n    \
         a, b = vectors[..., {first}], vectors[..., {second}]  # {comment}\n    \
         turned = {np}.empty_like(vectors)\n    \
         turned[..., {first}] = a * {np}.cos(angle) - b * {np}.sin(angle)\n    \
         turned[..., {second}] = a * {np}.sin(angle) + b * {np}.cos(angle)\n    \
         return turned\n",
        library.count_to("d // 2")
    )
}

/// x + P, for a matrix of this name: `rows` and `width` are how the program writes its size.
pub(super) fn added(problem: &Problem, name: &str, rows: &str, width: &str) -> String {
    match problem.family.position {
        Position::Sinusoidal { .. } => format!("{name} = {name} + encoding({rows}, {width})\n"),
        Position::Learned { .. } => format!("{name} = {name} + table[:{rows}]\n"),
        Position::None | Position::Rope(_) | Position::Alibi { .. } => String::new(),
    }
}

/// q and k of every head, turned; `keys` is the name of m.
pub(super) fn rotated(problem: &Problem, library: Library, keys: &str) -> String {
    let Position::Rope(rope) = &problem.family.position else { return String::new() };
    let offset = match rope.offset {
        0.0 => String::new(),
        offset if offset < 0.0 => format!(" - {}", number(-offset)),
        offset => format!(" + {}", number(offset)),
    };
    let (before, comment) = before_the_first_query(problem);
    format!(
        "q = rotated(q, {}{before}{offset}){comment}\nk = rotated(k, {}{offset})\n",
        library.count_to("n"),
        library.count_to(keys)
    )
}

/// How far each query is from each key, n×m, named `distance`.
pub(super) fn distance(problem: &Problem, library: Library, keys: &str) -> String {
    let (before, comment) = before_the_first_query(problem);
    let (queries, keys) = (library.count_to("n"), library.count_to(keys));
    let queries = if before.is_empty() { queries } else { format!("({queries}{before})") };
    format!("distance = {}.abs({queries}[:, None] - {keys}){comment}\n", library.module())
}

/// In self-attention with more keys than queries the last query stands at the last key.
fn before_the_first_query(problem: &Problem) -> (&'static str, &'static str) {
    let shapes = problem.shapes();
    if problem.is_cross() || shapes.n == shapes.m {
        return ("", "");
    }
    (" + (m - n)", "  # the last query stands at the last key")
}
