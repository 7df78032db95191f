//! Whether the parts of a problem fit one another: shapes, limits, finite numbers.
//!
//! `parse` and every edit ask here. A `Draft` may have holes, so that a text with one broken matrix still has
//! its other errors named.

use super::error::{ErrorKind, Errors, ProblemError};
use super::family::Family;
use super::problem::{Heads, Inputs, Matrix, Problem, Projected, Scale};
use super::validate_family::check_family;

/// Most queries, and most keys.
pub const MOST_TOKENS: usize = 512;
/// Most columns (and, for a projection, rows) of any matrix.
pub const MOST_WIDTH: usize = 1024;
/// Most query heads.
pub const MOST_HEADS: usize = 64;
/// Most scores of all heads together: h_q·n·m.
pub const MOST_PAIRS: usize = 1 << 22;

impl Problem {
    /// Checks shapes, limits and that every number is finite.
    ///
    /// # Errors
    /// All of them, each with its place in the problem file, what was found and what was expected.
    ///
    /// ```
    /// # use attnlab::attention::Problem;
    /// let mut problem = Problem::from_json(
    ///     r#"{"format":"attnlab/1","inputs":{"q":[[1]],"k":[[1]],"v":[[1]]}}"#).unwrap();
    /// problem.b_o = Some(vec![1.0]);
    /// assert_eq!(problem.validate().unwrap_err()[0].to_string(), "inputs.b_o: b_o needs w_o, which is not there");
    /// ```
    pub fn validate(&self) -> Result<(), Vec<ProblemError>> {
        let mut errors = Errors::default();
        Draft::of(self).check(&mut errors);
        errors.into_result()
    }
}

/// What could be read of one key.
#[derive(Clone, Copy)]
pub(super) enum Slot<T> {
    Absent,
    /// It is there, and its error has been named: nothing that depends on it can be checked.
    Broken,
    Read(T),
}

impl<T> Slot<T> {
    pub(super) fn read(self) -> Option<T> {
        match self {
            Slot::Read(value) => Some(value),
            Slot::Absent | Slot::Broken => None,
        }
    }

    pub(super) fn as_ref(&self) -> Slot<&T> {
        match self {
            Slot::Absent => Slot::Absent,
            Slot::Broken => Slot::Broken,
            Slot::Read(value) => Slot::Read(value),
        }
    }

    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Slot<U> {
        match self {
            Slot::Absent => Slot::Absent,
            Slot::Broken => Slot::Broken,
            Slot::Read(value) => Slot::Read(change(value)),
        }
    }

    fn of(value: Option<T>) -> Self {
        value.map_or(Slot::Absent, Slot::Read)
    }
}

/// A problem of which parts may be missing; what is missing is checked by nothing.
pub(super) struct Draft<'a> {
    pub(super) inputs: DraftInputs<'a>,
    pub(super) w_o: Slot<&'a Matrix>,
    pub(super) b_o: Slot<&'a Vec<f64>>,
    pub(super) heads: Option<Heads>,
    pub(super) scale: Option<Scale>,
    pub(super) family: &'a Family,
    /// Numbers of labels.
    pub(super) tokens: Option<usize>,
    pub(super) memory: Option<usize>,
    pub(super) global: &'a [usize],
    pub(super) key_padding: Option<usize>,
    pub(super) allow: Option<(usize, usize)>,
    pub(super) is_cross: bool,
}

pub(super) enum DraftInputs<'a> {
    Direct {
        q: Slot<&'a Matrix>,
        k: Slot<&'a Matrix>,
        v: Slot<&'a Matrix>,
    },
    Projected(Box<DraftProjected<'a>>),
    /// Neither form could be made out.
    Unknown,
}

pub(super) struct DraftProjected<'a> {
    pub(super) x: Slot<&'a Matrix>,
    pub(super) x_kv: Slot<&'a Matrix>,
    pub(super) w: [Slot<&'a Matrix>; 3],
    pub(super) b: [Slot<&'a Vec<f64>>; 3],
}

/// Sizes as far as they are known.
pub(super) struct Sizes {
    pub(super) n: Option<usize>,
    pub(super) m: Option<usize>,
    pub(super) d_k: Option<usize>,
    pub(super) d_model: Option<usize>,
    pub(super) d_kv: Option<usize>,
    /// q, k and v are given, and no x.
    pub(super) is_direct: bool,
    /// h_q.
    pub(super) heads: Option<usize>,
    /// h_q·d_v, the width of concat.
    concat: Option<usize>,
}

impl<'a> Draft<'a> {
    fn of(problem: &'a Problem) -> Self {
        let inputs = match &problem.inputs {
            Inputs::Direct { q, k, v } => DraftInputs::Direct { q: Slot::Read(q), k: Slot::Read(k), v: Slot::Read(v) },
            Inputs::Projected(Projected { x, x_kv, w_q, w_k, w_v, b_q, b_k, b_v }) => {
                DraftInputs::Projected(Box::new(DraftProjected {
                    x: Slot::Read(x),
                    x_kv: Slot::of(x_kv.as_ref()),
                    w: [w_q, w_k, w_v].map(Slot::Read),
                    b: [b_q, b_k, b_v].map(|bias| Slot::of(bias.as_ref())),
                }))
            }
        };
        Draft {
            inputs,
            w_o: Slot::of(problem.w_o.as_ref()),
            b_o: Slot::of(problem.b_o.as_ref()),
            heads: Some(problem.heads),
            scale: Some(problem.scale),
            family: &problem.family,
            tokens: problem.tokens.as_ref().map(Vec::len),
            memory: problem.memory.as_ref().map(Vec::len),
            global: &problem.mask.global,
            key_padding: problem.mask.key_padding.as_ref().map(Vec::len),
            allow: problem.mask.allow.as_ref().map(|allow| allow.shape()),
            is_cross: problem.is_cross(),
        }
    }

    pub(super) fn check(&self, errors: &mut Errors) {
        let heads = self.heads.filter(|&heads| check_heads(heads, errors));
        let sizes = match &self.inputs {
            DraftInputs::Direct { q, k, v } => check_direct(*q, *k, *v, heads, errors),
            DraftInputs::Projected(given) => given.check(heads, errors),
            DraftInputs::Unknown => Sizes {
                n: None,
                m: None,
                d_k: None,
                d_model: None,
                d_kv: None,
                is_direct: false,
                heads: None,
                concat: None,
            },
        };
        self.check_output(&sizes, errors);
        if let Some(Scale::Factor(factor)) = self.scale {
            check_finite("scale", factor, errors);
        }
        if let (Some(n), Some(m), Some(heads)) = (sizes.n, sizes.m, heads)
            && heads.query.saturating_mul(n).saturating_mul(m) > MOST_PAIRS
        {
            let found = format!("{}·{n}·{m}", heads.query);
            errors.push("heads.query", ErrorKind::OutOfRange { found, expected: format!("h·n·m ≤ {MOST_PAIRS}") });
        }
        self.check_labels(&sizes, errors);
        self.check_mask(&sizes, errors);
        check_family(self.family, &sizes, errors);
    }

    fn check_output(&self, sizes: &Sizes, errors: &mut Errors) {
        // Shared values are copied for every query head, so concat may be wider than any matrix of the file.
        if let Some(concat) = sizes.concat.filter(|&concat| concat > MOST_WIDTH) {
            let expected = format!("h·d_v ≤ {MOST_WIDTH}");
            errors.push("heads.query", ErrorKind::OutOfRange { found: concat.to_string(), expected });
        }
        check_matrix("inputs.w_o", self.w_o, sizes.concat, None, MOST_WIDTH, errors);
        check_bias("inputs.b_o", self.b_o, self.w_o.read().map(|w_o| w_o.ncols()), errors);
        if matches!(self.b_o, Slot::Read(_) | Slot::Broken) && matches!(self.w_o, Slot::Absent) {
            let (found, expected) = ("b_o".to_owned(), "w_o".to_owned());
            errors.push("inputs.b_o", ErrorKind::Needs { found, expected });
        }
    }

    fn check_labels(&self, sizes: &Sizes, errors: &mut Errors) {
        if let (Some(found), Some(n), Some(m)) = (self.tokens, sizes.n, sizes.m) {
            let may_name_keys = !self.is_cross && m > n;
            if found != n && !(may_name_keys && found == m) {
                let expected = if may_name_keys { format!("{n} | {m}") } else { n.to_string() };
                errors.push("tokens", ErrorKind::Length { found, expected });
            }
        }
        check_length("memory", self.memory, sizes.m, errors);
    }

    fn check_mask(&self, sizes: &Sizes, errors: &mut Errors) {
        check_length("mask.key_padding", self.key_padding, sizes.m, errors);
        if let (Some(found), Some(n), Some(m)) = (self.allow, sizes.n, sizes.m)
            && found != (n, m)
        {
            errors.push("mask.allow", shape_error(found, Some(n), Some(m)));
        }
        let (Some(n), Some(m)) = (sizes.n, sizes.m) else { return };
        let positions = if self.is_cross { n.max(m) } else { m };
        for (index, &global) in self.global.iter().enumerate() {
            if global >= positions {
                let expected = format!("0…{}", positions.saturating_sub(1));
                errors.push(
                    format!("mask.global[{index}]"),
                    ErrorKind::OutOfRange { found: global.to_string(), expected },
                );
            }
        }
    }
}

impl DraftProjected<'_> {
    fn check(&self, heads: Option<Heads>, errors: &mut Errors) -> Sizes {
        check_matrix("inputs.x", self.x, None, None, MOST_TOKENS, errors);
        check_matrix("inputs.x_kv", self.x_kv, None, None, MOST_TOKENS, errors);
        let keys_from = match self.x_kv {
            Slot::Absent => self.x,
            given => given,
        };
        let d_model = self.x.read().map(|x| x.ncols());
        let d_kv = keys_from.read().map(|x_kv| x_kv.ncols());
        let [w_q, w_k, w_v] = self.w;
        let d_k = w_q.read().and_then(|w_q| divided("inputs.w_q", w_q, heads?.query, errors));
        let key_width = d_k.zip(heads).map(|(d_k, heads)| heads.key_value * d_k);
        check_matrix("inputs.w_q", w_q, d_model, None, MOST_WIDTH, errors);
        check_matrix("inputs.w_k", w_k, d_kv, key_width, MOST_WIDTH, errors);
        check_matrix("inputs.w_v", w_v, d_kv, None, MOST_WIDTH, errors);
        let d_v = w_v.read().and_then(|w_v| divided("inputs.w_v", w_v, heads?.key_value, errors));
        for ((name, b), w) in ["inputs.b_q", "inputs.b_k", "inputs.b_v"].into_iter().zip(self.b).zip(self.w) {
            check_bias(name, b, w.read().map(|w| w.ncols()), errors);
        }
        Sizes {
            n: self.x.read().map(|x| x.nrows()),
            m: keys_from.read().map(|x_kv| x_kv.nrows()),
            d_k,
            d_model,
            d_kv,
            is_direct: false,
            heads: heads.map(|heads| heads.query),
            concat: d_v.zip(heads).map(|(d_v, heads)| heads.query * d_v),
        }
    }
}

fn check_direct(
    q: Slot<&Matrix>,
    k: Slot<&Matrix>,
    v: Slot<&Matrix>,
    heads: Option<Heads>,
    errors: &mut Errors,
) -> Sizes {
    let m = k.read().map(|k| k.nrows());
    let d_k = q.read().and_then(|q| divided("inputs.q", q, heads?.query, errors));
    let key_width = d_k.zip(heads).map(|(d_k, heads)| heads.key_value * d_k);
    check_matrix("inputs.q", q, None, None, MOST_TOKENS, errors);
    check_matrix("inputs.k", k, None, key_width, MOST_TOKENS, errors);
    check_matrix("inputs.v", v, m, None, MOST_TOKENS, errors);
    let d_v = v.read().and_then(|v| divided("inputs.v", v, heads?.key_value, errors));
    let n = q.read().map(|q| q.nrows());
    Sizes {
        n,
        m,
        d_k,
        d_model: None,
        d_kv: None,
        is_direct: true,
        heads: heads.map(|heads| heads.query),
        concat: d_v.zip(heads).map(|(d_v, heads)| heads.query * d_v),
    }
}

fn check_heads(heads: Heads, errors: &mut Errors) -> bool {
    let mut in_range = true;
    for (place, found) in [("heads.query", heads.query), ("heads.key_value", heads.key_value)] {
        in_range &= check_range(place, found, MOST_HEADS, errors);
    }
    if in_range && !heads.query.is_multiple_of(heads.key_value) {
        errors.push("heads.query", ErrorKind::NotDivisible { found: heads.query, expected: heads.key_value });
        return false;
    }
    in_range
}

/// The width of one head, or an error when the heads do not divide the width of all.
fn divided(place: &str, whole: &Matrix, heads: usize, errors: &mut Errors) -> Option<usize> {
    if !whole.ncols().is_multiple_of(heads) {
        errors.push(place, ErrorKind::NotDivisible { found: whole.ncols(), expected: heads });
        return None;
    }
    Some(whole.ncols() / heads)
}

/// Shape (where the rows or columns are known), limits, and that every number is finite.
pub(super) fn check_matrix(
    place: &str,
    matrix: Slot<&Matrix>,
    rows: Option<usize>,
    columns: Option<usize>,
    most_rows: usize,
    errors: &mut Errors,
) {
    let Some(matrix) = matrix.read() else { return };
    let found = matrix.shape();
    let rows_fit = rows.is_none_or(|rows| rows == found.0);
    let columns_fit = columns.is_none_or(|columns| columns == found.1);
    if !rows_fit || !columns_fit {
        errors.push(place, shape_error(found, rows, columns));
    }
    let has_rows = check_range(place, found.0, most_rows, errors);
    if has_rows {
        check_range(&format!("{place}[0]"), found.1, MOST_WIDTH, errors);
    }
    for row in 0..found.0 {
        for column in 0..found.1 {
            if !matrix[(row, column)].is_finite() {
                check_finite(&format!("{place}[{row}][{column}]"), matrix[(row, column)], errors);
            }
        }
    }
}

pub(super) fn check_bias(place: &str, bias: Slot<&Vec<f64>>, columns: Option<usize>, errors: &mut Errors) {
    let Some(bias) = bias.read() else { return };
    check_length(place, Some(bias.len()), columns, errors);
    for (index, &value) in bias.iter().enumerate() {
        if !value.is_finite() {
            check_finite(&format!("{place}[{index}]"), value, errors);
        }
    }
}

pub(super) fn check_length(place: &str, found: Option<usize>, expected: Option<usize>, errors: &mut Errors) {
    if let (Some(found), Some(expected)) = (found, expected)
        && found != expected
    {
        errors.push(place, ErrorKind::Length { found, expected: expected.to_string() });
    }
}

pub(super) fn check_finite(place: &str, value: f64, errors: &mut Errors) {
    if !value.is_finite() {
        errors.push(place, ErrorKind::NotFinite { found: value.to_string() });
    }
}

/// 1…most, for a count.
pub(super) fn check_range(place: &str, found: usize, most: usize, errors: &mut Errors) -> bool {
    let fits = (1..=most).contains(&found);
    if !fits {
        errors.push(place, ErrorKind::OutOfRange { found: found.to_string(), expected: format!("1…{most}") });
    }
    fits
}

pub(super) fn shape_error(found: (usize, usize), rows: Option<usize>, columns: Option<usize>) -> ErrorKind {
    let side = |size: Option<usize>| size.map_or("·".to_owned(), |size| size.to_string());
    ErrorKind::Shape {
        found: format!("{}×{}", found.0, found.1),
        expected: format!("{}×{}", side(rows), side(columns)),
    }
}
