//! Where the text goes: a Markdown page with mathematics in `$$`, or a LaTeX document.

/// What the text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// With `$…$` and `$$…$$`, as GitHub, Jupyter and Obsidian read it.
    Markdown,
    /// A whole document.
    Latex,
}

impl Markup {
    pub const ALL: [Self; 2] = [Self::Markdown, Self::Latex];

    /// Plain text, with every character that the markup would take for its own made harmless.
    pub(super) fn escape(self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            match (self, c) {
                (_, c) if c.is_control() => escaped.push(' '),
                (Self::Markdown, c) if "\\`*_{}[]#|<>$~&".contains(c) => escaped.extend(['\\', c]),
                (Self::Latex, '\\') => escaped.push_str("\\textbackslash{}"),
                (Self::Latex, '~') => escaped.push_str("\\textasciitilde{}"),
                (Self::Latex, '^') => escaped.push_str("\\textasciicircum{}"),
                (Self::Latex, '<') => escaped.push_str("\\textless{}"),
                (Self::Latex, '>') => escaped.push_str("\\textgreater{}"),
                (Self::Latex, c) if "{}$&#_%".contains(c) => escaped.extend(['\\', c]),
                // Characters that the usual fonts of LaTeX lack.
                (Self::Latex, '−') => escaped.push_str("$-$"),
                (Self::Latex, '∞') => escaped.push_str("$\\infty$"),
                (Self::Latex, '√') => escaped.push_str("$\\surd$"),
                (Self::Latex, '→') => escaped.push_str("$\\to$"),
                (Self::Latex, '×') => escaped.push_str("$\\times$"),
                (_, c) => escaped.push(c),
            }
        }
        escaped
    }
}

/// One line of arithmetic: a name, and what it equals, one equality after the other.
pub(super) struct Line {
    pub left: String,
    pub right: Vec<String>,
}

/// What a page holds beside a name, in digits. Longer equalities are broken, each onto a line of its own; a longer sum
/// goes on below.
const WIDEST_LINE: usize = 95;

/// About how wide this stands on the page, in digits. (Fractions are narrower.)
fn width(tex: &str) -> usize {
    let mut width = 0;
    let mut rest = tex.chars().peekable();
    while let Some(c) = rest.next() {
        width += match c {
            '\\' => {
                let mut word = String::new();
                while let Some(letter) = rest.next_if(char::is_ascii_alphabetic) {
                    word.push(letter);
                }
                // Signs stand between spaces.
                if matches!(word.as_str(), "times" | "cdot") {
                    3
                } else {
                    usize::from(word != "text" && word != "frac")
                }
            }
            '+' | '=' => 3,
            '{' | '}' | '^' | '_' | ' ' | '&' => 0,
            c if c.is_ascii() => 1,
            _ => 2,
        };
    }
    width
}

/// A sum in pieces that fit, broken before a plus that stands in no bracket.
fn in_pieces(sum: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut depth = 0;
    for term in sum.split(" + ") {
        let last = pieces.last_mut().expect("there is always a piece");
        if last.is_empty() {
            *last = term.to_owned();
        } else if depth == 0 && width(last) + width(term) > WIDEST_LINE {
            pieces.push(term.to_owned());
        } else {
            *last += &format!(" + {term}");
        }
        let count = |signs: [char; 2]| term.matches(signs).count();
        depth += count(['(', '{']);
        depth -= count([')', '}']);
    }
    pieces
}

/// A text that grows from top to bottom. What it is given is already written in its markup.
pub(super) struct Page {
    pub markup: Markup,
    text: String,
}

impl Page {
    pub fn new(markup: Markup) -> Self {
        Page { markup, text: String::new() }
    }

    pub fn title(&mut self, title: &str) {
        self.text += &match self.markup {
            Markup::Markdown => format!("# {title}\n\n"),
            Markup::Latex => format!("\\section*{{{title}}}\n\n"),
        };
    }

    pub fn heading(&mut self, heading: &str) {
        self.text += &match self.markup {
            Markup::Markdown => format!("## {heading}\n\n"),
            Markup::Latex => format!("\\subsection*{{{heading}}}\n\n"),
        };
    }

    pub fn heading_below(&mut self, heading: &str) {
        self.text += &match self.markup {
            Markup::Markdown => format!("### {heading}\n\n"),
            Markup::Latex => format!("\\subsubsection*{{{heading}}}\n\n"),
        };
    }

    pub fn paragraph(&mut self, text: &str) {
        self.text += &format!("{text}\n\n");
    }

    /// Mathematics on lines of its own.
    pub fn math(&mut self, math: &str) {
        self.text += &match self.markup {
            Markup::Markdown => format!("$$\n{math}\n$$\n\n"),
            Markup::Latex => format!("\\[\n{math}\n\\]\n\n"),
        };
    }

    /// Lines of arithmetic, one below the other at their equals signs.
    pub fn lines(&mut self, lines: &[Line]) {
        if lines.is_empty() {
            return;
        }
        let rows = lines.iter().map(|line| {
            let widths = line.right.iter().map(|side| width(side) + width("="));
            let is_wide = widths.sum::<usize>() > WIDEST_LINE;
            let sides: Vec<String> = line.right.iter().map(|side| in_pieces(side).join(" \\\\\n &\\quad + ")).collect();
            format!("{} &= {}", line.left, sides.join(if is_wide { " \\\\\n &= " } else { " = " }))
        });
        let rows = rows.collect::<Vec<_>>().join(" \\\\\n");
        match self.markup {
            Markup::Markdown => self.math(&format!("\\begin{{aligned}}\n{rows}\n\\end{{aligned}}")),
            // Unlike `aligned`, it may go over the end of a page.
            Markup::Latex => self.text += &format!("\\begin{{align*}}\n{rows}\n\\end{{align*}}\n\n"),
        }
    }

    /// White space to work in.
    pub fn room(&mut self) {
        self.text += match self.markup {
            Markup::Markdown => "<br><br><br><br>\n\n",
            Markup::Latex => "\\vspace{4cm}\n\n",
        };
    }

    /// The whole text. In LaTeX anything but Latin letters needs the Chinese class, whatever the language.
    pub fn finish(self) -> String {
        let Page { markup, text } = self;
        if markup == Markup::Markdown {
            return format!("{}\n", text.trim_end());
        }
        let class = if text.chars().all(|c| (c as u32) < 0x250) {
            "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n"
        } else {
            "% Compile with XeLaTeX.\n\\documentclass{ctexart}\n"
        };
        format!(
            "{class}\\usepackage{{amsmath}}\n\\usepackage[margin=2cm]{{geometry}}\n\
             \\setcounter{{MaxMatrixCols}}{{32}}\n\\allowdisplaybreaks\n\\setlength{{\\parindent}}{{0pt}}\n\
             \\setlength{{\\parskip}}{{6pt}}\n\n\\begin{{document}}\n\n{}\n\n\\end{{document}}\n",
            text.trim_end()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sum_goes_on_below_but_never_within_brackets() {
        assert_eq!(width("\\frac{1}{2} \\times 0.25 + e^{-3}"), 2 + 3 + 4 + 3 + 3);
        let terms = vec!["0.125"; 20].join(" + ");
        let pieces = in_pieces(&terms);
        assert_eq!((pieces.len(), pieces.join(" + ")), (2, terms.clone()));
        assert!(pieces.iter().all(|piece| width(piece) <= WIDEST_LINE));
        assert_eq!(in_pieces(&format!("\\tanh({terms})")).len(), 1);
    }

    #[test]
    fn a_token_is_harmless_in_either_markup() {
        assert_eq!(Markup::Latex.escape("50% {a_b} \\x"), "50\\% \\{a\\_b\\} \\textbackslash{}x");
        assert_eq!(Markup::Markdown.escape("*a* $x$\n#"), "\\*a\\* \\$x\\$ \\#");
    }
}
