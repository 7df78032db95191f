//! Reads a solution or a sheet again: its matrices, what their names stand for, and whether LaTeX would take it.
//!
//! Names are written here once more, beside those of the module itself.

use attnlab::attention::{Matrix, Normalise, Part, Position, Problem, Score, Trace, matrix, solve, whole_matrix};

/// Every `name = matrix` of a text, in order.
pub fn matrices(text: &str) -> Vec<(String, Vec<Vec<f64>>)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" = \\begin{bmatrix}\n") {
        let name = before.lines().last().unwrap_or_default().to_owned();
        let (body, after) = after.split_once("\n\\end{bmatrix}").expect("a matrix ends");
        let rows = body.lines().map(|row| row.trim_end_matches("\\\\").split('&').map(number).collect()).collect();
        found.push((name, rows));
        rest = after;
    }
    found
}

/// NaN for anything that is no number.
pub fn number(text: &str) -> f64 {
    match text.trim() {
        "-\\infty" => f64::NEG_INFINITY,
        text => match text.split_once(" \\cdot 10^{") {
            Some((digits, power)) => format!("{digits}e{}", power.trim_end_matches('}')).parse().unwrap_or(f64::NAN),
            None => text.parse().unwrap_or(f64::NAN),
        },
    }
}

/// What only variants have: the same for all heads, or this head's.
pub fn given_of_variant(problem: &Problem, name: &str) -> Option<Matrix> {
    let family = &problem.family;
    let row = |values: &Vec<f64>| Matrix::from_row_slice(1, values.len(), values);
    match (&family.score, name) {
        (Score::General { w } | Score::Concat { w, .. }, "W") => return Some(w.clone()),
        (Score::Concat { v, .. } | Score::Additive { v, .. }, "v") => return Some(row(v)),
        (Score::Additive { w_q, .. }, "W_1") => return Some(w_q.clone()),
        (Score::Additive { w_k, .. }, "W_2") => return Some(w_k.clone()),
        _ => {}
    }
    if let (Position::Learned { table }, "T") = (&family.position, name) {
        let shapes = problem.shapes();
        return Some(table.rows(0, shapes.n.max(shapes.m)).into_owned());
    }
    let matrices = family.bias.as_ref()?.matrices();
    if let [one] = &matrices[..] {
        return (name == "B").then(|| one.clone());
    }
    matrices.into_iter().enumerate().find(|(head, _)| name == format!("B_{{{head}}}")).map(|(_, bias)| bias)
}

/// The names of the steps of one head that only variants have, and of those that they name otherwise.
pub fn names_of_variant(problem: &Problem, head: Option<usize>) -> Vec<(String, Part)> {
    let own = |symbol: &str, index: &str| match (index, head) {
        ("", None) => symbol.to_owned(),
        ("", Some(head)) => format!("{symbol}_{{{head}}}"),
        (index, None) => format!("{symbol}_{{{index}}}"),
        (index, Some(head)) => format!("{symbol}_{{{index},{head}}}"),
    };
    let family = &problem.family;
    let is_rope = matches!(family.position, Position::Rope(_));
    let is_linear = family.normalise == Normalise::Linear;
    let compared = |symbol: &str| {
        let vector = own(symbol, if is_rope { "r" } else { "" });
        if is_linear { format!("\\varphi({vector})") } else { vector }
    };
    let (q, k) = (compared("Q"), compared("K"));
    let scores = match family.score {
        Score::Dot => format!("{q} {k}^T"),
        Score::General { .. } => format!("{q} W {k}^T"),
        _ => own("R", ""),
    };
    let mut before = own("S", if family.softcap.is_some() { "c" } else { "" });
    let mut names = vec![(scores.clone(), Part::Scores), (own("S", "c"), Part::Capped)];
    if matches!(family.position, Position::Alibi { .. }) {
        before += &format!(" - {} \\Delta", own("\\lambda", ""));
    }
    match &family.bias {
        Some(bias) if bias.heads().is_none() => before += " + B",
        Some(_) => before += &format!(" + {}", own("B", "")),
        None => {}
    }
    names.push((before.clone(), Part::Biased));
    let before = if is_linear { scores } else { before };
    for mask in ["M", "\\tilde{M}"] {
        names.push((
            match family.normalise {
                Normalise::Softmax => format!("{before} + {mask}"),
                _ if before.contains(' ') => format!("({before}) \\odot {mask}"),
                _ => format!("{before} \\odot {mask}"),
            },
            Part::Masked,
        ));
    }
    names.extend([
        (own("Q", "r"), Part::QRotated),
        (own("K", "r"), Part::KRotated),
        (q, Part::QFeatures),
        (k.clone(), Part::KFeatures),
        (format!("{k} W^T"), Part::KTransformed),
        (own("H", ""), Part::Hidden),
        (own("D", ""), Part::Kept),
        (own("Z", ""), Part::SinkWeight),
    ]);
    names
}

/// What the matrix of this name holds, written beside the names of the module itself.
pub fn value_of(problem: &Problem, trace: &Trace, name: &str) -> Option<Matrix> {
    if let Some(given) = given_of_variant(problem, name) {
        return Some(given);
    }
    let heads = problem.heads.query;
    for head in 0..heads {
        let names = names_of_variant(problem, (heads > 1).then_some(head));
        let of_name = names.into_iter().filter(|(symbol, _)| symbol == name);
        // (Without a rotation Q_r is not there, without a cap S_c.)
        if let Some(found) = of_name.filter_map(|(_, part)| Some(trace.get(part, head)?.value.clone())).next() {
            return Some(found);
        }
    }
    for (symbol, part) in [("X", Part::X), ("X_{kv}", Part::XKv), ("P", Part::Position)] {
        if name == symbol && problem.is_encoded() {
            return matrix(problem, trace, part, 0);
        }
    }
    let given = [
        ("X_0", Part::XGiven),
        ("X_{kv,0}", Part::XKvGiven),
        ("X", Part::X),
        ("X_{kv}", Part::XKv),
        ("W_Q", Part::WQ),
        ("W_K", Part::WK),
        ("W_V", Part::WV),
    ];
    let whole = [("Q", Part::Q), ("K", Part::K), ("V", Part::V)];
    for (symbol, part) in given.into_iter().chain(whole).chain([("W_O", Part::WO)]) {
        if name == symbol && part.is_input(problem) {
            return whole_matrix(problem, part).cloned();
        }
    }
    let is_softmax = problem.family.normalise == Normalise::Softmax;
    let (seen, hidden) = if is_softmax { (0.0, f64::NEG_INFINITY) } else { (1.0, 0.0) };
    let minus = |pairs: nalgebra::DMatrix<bool>| pairs.map(|pair| if pair { seen } else { hidden });
    match name {
        "M" => return Some(minus(attnlab::attention::visible(problem))),
        "\\tilde{M}" => return Some(minus(attnlab::attention::applied(problem))),
        "C" => return matrix(problem, trace, Part::Concat, 0),
        "Y" => return matrix(problem, trace, Part::Output, 0),
        _ => {}
    }
    for head in 0..heads {
        let own = |symbol: &str| if heads == 1 { symbol.to_owned() } else { format!("{symbol}_{{{head}}}") };
        let parts = [
            (own("Q"), Part::Q),
            (own("K"), Part::K),
            (own("V"), Part::V),
            (own("S"), Part::Scaled),
            (own("E"), Part::Exp),
            (own("\\Sigma"), Part::RowSum),
            (own("A"), Part::Weights),
            (own("L"), Part::Leak),
            (format!("{} {}", own("A"), own("V")), Part::Context),
            (format!("W_Q^{{({head})}}"), Part::WQ),
            (format!("W_K^{{({head})}}"), Part::WK),
            (format!("W_V^{{({head})}}"), Part::WV),
            (format!("b_Q^{{({head})}}"), Part::BQ),
            (format!("b_K^{{({head})}}"), Part::BK),
            (format!("b_V^{{({head})}}"), Part::BV),
        ];
        if let Some((_, part)) = parts.into_iter().find(|(symbol, _)| symbol == name) {
            return matrix(problem, trace, part, head);
        }
    }
    let biases = [("b_Q", Part::BQ), ("b_K", Part::BK), ("b_V", Part::BV), ("b_O", Part::BO)];
    let (_, part) = biases.into_iter().find(|(symbol, _)| *symbol == name)?;
    let bias = attnlab::attention::whole_bias(problem, part)?;
    Some(Matrix::from_row_slice(1, bias.len(), bias))
}

/// The first number of a text that is not what the trace says, within the printed digits.
pub fn first_wrong(problem: &Problem, text: &str, digits: usize) -> Option<String> {
    let trace = solve(problem).unwrap();
    for (name, rows) in matrices(text) {
        let Some(values) = value_of(problem, &trace, &name) else { return Some(format!("what is {name}?")) };
        if (rows.len(), rows.first().map_or(0, Vec::len)) != values.shape() {
            return Some(format!("the shape of {name}"));
        }
        for (row, found) in rows.iter().enumerate() {
            for (column, &found) in found.iter().enumerate() {
                let value = values[(row, column)];
                // Large numbers are written with at most four digits and a power of ten.
                let is_large = value.abs() >= 1e7;
                let unit = if is_large {
                    1e-4f64.max(10f64.powi(-(digits as i32))) * value.abs()
                } else {
                    10f64.powi(-(digits as i32))
                };
                if !(found == value || (found - value).abs() <= 0.5001 * unit) {
                    return Some(format!("{name}[{row}][{column}] is {found}, not {value}"));
                }
            }
        }
    }
    None
}

/// What a program that reads the text would trip over.
pub fn unbalanced(text: &str) -> Option<String> {
    let mut open = Vec::new();
    for (at, _) in text.match_indices('\\') {
        for (word, is_begin) in [("\\begin{", true), ("\\end{", false)] {
            let Some(name) = text[at..].strip_prefix(word).and_then(|rest| rest.split('}').next()) else { continue };
            if is_begin {
                open.push(name);
            } else if open.pop() != Some(name) {
                return Some(format!("\\end{{{name}}}"));
            }
        }
    }
    let mut depth = 0i32;
    let mut is_escaped = false;
    for c in text.chars() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return Some("}".to_owned());
        }
    }
    let dollars = text.replace("\\$", "").matches('$').count();
    (depth != 0 || !open.is_empty() || !dollars.is_multiple_of(2)).then(|| format!("{depth} {open:?} {dollars}"))
}

/// A group with two subscripts, or two superscripts, one behind the other: LaTeX refuses it.
pub fn doubled_script(text: &str) -> Option<String> {
    // The script that each open brace belongs to, and the script of the group that was closed last.
    let (mut open, mut closed) = (Vec::new(), None);
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        if (c == '_' || c == '^') && closed == Some(c) && last != '\\' {
            return Some(text[..=at].chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect());
        }
        let script = if last == '_' || last == '^' { Some(last) } else { None };
        match c {
            '{' => open.push(script),
            '}' => closed = open.pop().flatten(),
            // One sign is a script without braces.
            _ if script.is_some() => closed = script,
            '_' | '^' => {}
            _ => closed = None,
        }
        last = c;
    }
    None
}
