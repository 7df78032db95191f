//! The rules of a mask as lines of NumPy or PyTorch: a triangle where there is one, an array where there is none.

use super::library::Library;
use super::literal::{flag, row, rows};
use crate::attention::{Causal, Mask, MaskApplied, Problem, Window, applied, carried, has_rule};

/// What True says in a mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MaskMeaning {
    /// True: this key may be seen, as in `scaled_dot_product_attention`.
    #[default]
    Visible,
    /// True: this key is hidden, as in `nn.MultiheadAttention` and `masked_fill`.
    Hidden,
}

impl MaskMeaning {
    pub const ALL: [Self; 2] = [Self::Visible, Self::Hidden];

    /// What the variable is called in the programs.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::Hidden => "hidden",
        }
    }
}

/// Whether a mask takes part at all. `inverted` hides everything where no rule stands.
pub(super) fn is_used(problem: &Problem) -> bool {
    match problem.mask_applied {
        MaskApplied::Never => false,
        MaskApplied::Inverted => true,
        _ => has_rule(&problem.mask),
    }
}

/// Whether some query takes part in no sum: its weights must be zero and not 0/0.
pub(super) fn has_empty_row(problem: &Problem) -> bool {
    [applied(problem), carried(problem)].iter().any(|pairs| pairs.row_iter().any(|row| row.iter().all(|&pair| !pair)))
}

/// Lines that make the mask: n×m, named `visible` or `hidden` after what True says in it.
///
/// `n` and `m` must be defined before them.
pub(super) fn lines(problem: &Problem, library: Library, meaning: MaskMeaning) -> String {
    let writer = Writer { problem, library, meaning };
    let name = meaning.name();
    let rules: Vec<Rule> = writer.rules();
    let Some((first, others)) = rules.split_first() else {
        return format!("{name} = {}  # no rule hides anything\n", writer.full(meaning == MaskMeaning::Visible));
    };
    let mut text = first.before.clone();
    // A rule that is one row for all queries needs the others' rows beside it.
    let base = if first.is_one_row { writer.full(meaning == MaskMeaning::Visible) } else { String::new() };
    let join = if meaning == MaskMeaning::Visible { "&" } else { "|" };
    if first.is_one_row {
        text += &format!("{name} = {base} {join} {}  # {}\n", first.code, first.comment);
    } else {
        text += &first.assigned(&format!("{name} ="));
    }
    for rule in others {
        text += &rule.before;
        text += &rule.assigned(&format!("{name} {join}="));
    }
    text
}

/// One rule as an expression.
struct Rule {
    /// Lines that it needs before it.
    before: String,
    code: String,
    comment: &'static str,
    is_one_row: bool,
}

impl Rule {
    fn assigned(&self, to: &str) -> String {
        // What does not fit beside its comment stands below it.
        if self.code.contains('\n') || self.code.len() + self.comment.len() > 90 {
            return format!("# {}\n{to} {}\n", self.comment, self.code);
        }
        format!("{to} {}  # {}\n", self.code, self.comment)
    }
}

struct Writer<'a> {
    problem: &'a Problem,
    library: Library,
    meaning: MaskMeaning,
}

impl Writer<'_> {
    fn rules(&self) -> Vec<Rule> {
        let Mask { causal, window, global: _, key_padding, allow } = &self.problem.mask;
        let mut rules = Vec::new();
        rules.extend(self.causal(*causal));
        rules.extend(window.and_then(|window| self.window(window)));
        rules.extend(key_padding.as_ref().map(|real| {
            let flags = row(real, |&real| flag(self.means(real)).to_owned());
            let comment = match self.meaning {
                MaskMeaning::Visible => "False: padding",
                MaskMeaning::Hidden => "True: padding",
            };
            Rule { before: String::new(), code: self.array(&flags), comment, is_one_row: true }
        }));
        rules.extend(allow.as_ref().map(|allow| {
            let flags = rows(allow, |&pair| u8::from(self.means(pair)).to_string());
            Rule { before: String::new(), code: self.array(&flags), comment: "painted by hand", is_one_row: false }
        }));
        rules
    }

    /// A visible pair as the mask says it.
    fn means(&self, visible: bool) -> bool {
        visible == (self.meaning == MaskMeaning::Visible)
    }

    /// The lower triangle is visible: `j ≤ i + diagonal`. Turned round: `j ≥ i + diagonal`.
    fn causal(&self, causal: Causal) -> Option<Rule> {
        let (shift, comment) = match (causal, self.meaning) {
            (Causal::None, _) => return None,
            (Causal::UpperLeft, MaskMeaning::Visible) => ("", "causal: query i sees key j if j <= i"),
            (Causal::UpperLeft, MaskMeaning::Hidden) => ("", "causal: key j is hidden from query i if j > i"),
            (Causal::LowerRight, MaskMeaning::Visible) => ("m - n", "causal: query i sees key j if j <= i + (m - n)"),
            (Causal::LowerRight, MaskMeaning::Hidden) => {
                ("m - n", "causal: key j is hidden from query i if j > i + (m - n)")
            }
        };
        let is_reversed = self.problem.mask_applied == MaskApplied::Reversed;
        let comment = if is_reversed { "the causal triangle the wrong way round: a mistake" } else { comment };
        let (function, beyond) = match (self.meaning, is_reversed) {
            (MaskMeaning::Visible, false) => ("tril", ""),
            (MaskMeaning::Visible, true) => ("triu", ""),
            (MaskMeaning::Hidden, false) => ("triu", "1"),
            (MaskMeaning::Hidden, true) => ("tril", "-1"),
        };
        let diagonal = match (shift, beyond) {
            ("", beyond) => beyond.to_owned(),
            (shift, "") => shift.to_owned(),
            (shift, "1") => format!("{shift} + 1"),
            (shift, _) => format!("{shift} - 1"),
        };
        let ones = self.full(true);
        let code = match (self.library, diagonal.as_str()) {
            (Library::NumPy, "") => format!("np.{function}({ones})"),
            (Library::NumPy, k) => format!("np.{function}({ones}, k={k})"),
            (Library::PyTorch, "") => format!("{ones}.{function}()"),
            (Library::PyTorch, diagonal) => format!("{ones}.{function}({diagonal})"),
        };
        Some(Rule { before: String::new(), code, comment, is_one_row: false })
    }

    /// A side as wide as the whole hides nothing, and is left out; so is a window without sides.
    fn window(&self, window: Window) -> Option<Rule> {
        let shapes = self.problem.shapes();
        let bounded = |side: Option<usize>| side.filter(|&side| side < shapes.n + shapes.m);
        let is_visible = self.meaning == MaskMeaning::Visible;
        let left = bounded(window.left).map(|left| format!("(j {} i - {left})", if is_visible { ">=" } else { "<" }));
        let right =
            bounded(window.right).map(|right| format!("(j {} i + {right})", if is_visible { "<=" } else { ">" }));
        let sides: Vec<String> = left.into_iter().chain(right).collect();
        if sides.is_empty() {
            return None;
        }
        let mut code = sides.join(if is_visible { " & " } else { " | " });
        let mut comment = "window";
        let global = &self.problem.mask.global;
        if !global.is_empty() {
            let list = row(global, ToString::to_string);
            let is_global = |at: &str| match self.library {
                Library::NumPy => format!("np.isin({at}, {list})"),
                Library::PyTorch => format!("torch.isin({at}, torch.tensor({list}))"),
            };
            let any = format!("{} | {}", is_global("i"), is_global("j"));
            let code_of_window = if sides.len() > 1 { format!("({code})") } else { code };
            code =
                if is_visible { format!("{code_of_window} | {any}") } else { format!("{code_of_window} & ~({any})") };
            comment = "window, of which global positions are free";
        }
        // In self-attention the last query stands at the last key.
        let stands_last = !self.problem.is_cross() && shapes.n != shapes.m;
        let shift = if stands_last { " + (m - n)  # the last query stands at the last key" } else { "" };
        let library = self.library.module();
        let before = format!("i = {library}.arange(n)[:, None]{shift}\nj = {library}.arange(m)[None, :]\n");
        Some(Rule { before, code, comment, is_one_row: false })
    }

    fn full(&self, value: bool) -> String {
        let function = if value { "ones" } else { "zeros" };
        match self.library {
            Library::NumPy => format!("np.{function}((n, m), dtype=bool)"),
            Library::PyTorch => format!("torch.{function}(n, m, dtype=torch.bool)"),
        }
    }

    fn array(&self, flags: &str) -> String {
        match self.library {
            Library::NumPy => format!("np.array({flags}, dtype=bool)"),
            Library::PyTorch => format!("torch.tensor({flags}, dtype=torch.bool)"),
        }
    }
}
