//! Blocks in brackets: JSON, Python lists, NumPy and PyTorch output; C's arrays, in braces.
//!
//! One pass over the text, without recursion: the depth of the brackets is the dimension, and leaves of the
//! innermost one are a row.

use super::block::{BlockError, BlockKind, MOST_CELLS, Placed, Rows, cell_error, too_many};
use super::cell::{Comma, read_cell};
use super::number::cut;

/// Prefixes of a call, each with the program that prints or takes it.
const CALLS: [(&str, BlockKind); 8] = [
    ("array(", BlockKind::Numpy),
    ("np.array(", BlockKind::Numpy),
    ("numpy.array(", BlockKind::Numpy),
    ("matrix(", BlockKind::Numpy),
    ("tensor(", BlockKind::Torch),
    ("torch.tensor(", BlockKind::Torch),
    ("torch.Tensor(", BlockKind::Torch),
    ("Tensor(", BlockKind::Torch),
];
const PARAMETER: &str = "Parameter containing:";
/// Batch, heads, rows, columns; one more is looked at only to name the shape.
const MOST_DIMENSIONS: usize = 5;
const EXPECTED: &str = "n×m | 1×n×m | 1×1×n×m";

pub(super) fn begins(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('[') || call(text).is_some() || text.starts_with(PARAMETER) || braces(text).is_some()
}

/// Where the braces begin: at once, or after a declaration such as `const float a[2][2] =`.
fn braces(text: &str) -> Option<usize> {
    let at = text.find('{')?;
    let may_declare = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_<>[]:*&=,".contains(c);
    let before = text[..at].trim_start();
    let is_declaration = before.starts_with(|c: char| c.is_alphabetic() || c == '_') && before.chars().all(may_declare);
    (before.is_empty() || is_declaration).then_some(at)
}

/// A text in braces without its comments, each replaced by spaces so that lines stay where they are.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, after) = rest.split_at(at);
        let end = match after.as_bytes().get(1) {
            Some(b'/') => after.find('\n').unwrap_or(after.len()),
            Some(b'*') => after[2..].find("*/").map_or(after.len(), |end| end + 4),
            _ => 0,
        };
        code.push_str(before);
        if end == 0 {
            code.push('/');
        }
        code.extend(after[..end].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &after[end.max(1)..];
    }
    code + rest
}

fn read_braces(text: &str, begin: usize) -> Result<Rows, BlockError> {
    let first_line = 1 + text[..begin].matches('\n').count();
    let mut reader = Reader::new(first_line, false);
    reader.brackets = ('{', '}');
    let body = without_comments(&text[begin..]);
    reader.read_all(body.trim_end().trim_end_matches(';'))?;
    Ok(Rows { kind: BlockKind::Braces, rows: reader.finish()?, decimal_comma: false })
}

fn call(text: &str) -> Option<(&str, BlockKind)> {
    CALLS.into_iter().find_map(|(prefix, kind)| text.strip_prefix(prefix).map(|rest| (rest, kind)))
}

pub(super) fn read(text: &str) -> Result<Rows, BlockError> {
    let trimmed = text.trim_start();
    if let Some(begin) = braces(text).filter(|_| !trimmed.starts_with('[') && call(trimmed).is_none()) {
        return read_braces(text, begin);
    }
    let after = trimmed.strip_prefix(PARAMETER).map_or(trimmed, str::trim_start);
    let (body, called) = call(after).map_or((after, None), |(body, kind)| (body, Some(kind)));
    let first_line = 1 + text[..text.len() - body.len()].matches('\n').count();
    let mut reader = Reader::new(first_line, called.is_some());
    reader.read_all(body)?;
    let kind = called.unwrap_or(if reader.has_comma || reader.cells <= 1 { BlockKind::Json } else { BlockKind::Numpy });
    let rows = reader.finish()?;
    Ok(Rows { kind, rows, decimal_comma: false })
}

struct Reader {
    line: usize,
    is_call: bool,
    /// Which characters open and close a dimension.
    brackets: (char, char),
    /// Items so far of each bracket that is open.
    open: Vec<usize>,
    /// The size of each dimension, from the first bracket of it that closed.
    sizes: Vec<Option<usize>>,
    /// At which depth numbers stand, once one was seen (a call may hold a bare number: depth 0).
    leaf_depth: Option<usize>,
    rows: Vec<Vec<Placed>>,
    cells: usize,
    has_comma: bool,
    /// A comma must follow an item.
    may_comma: bool,
    is_closed: bool,
}

impl Reader {
    fn new(line: usize, is_call: bool) -> Self {
        Reader {
            line,
            is_call,
            brackets: ('[', ']'),
            open: Vec::new(),
            sizes: Vec::new(),
            leaf_depth: None,
            rows: Vec::new(),
            cells: 0,
            has_comma: false,
            may_comma: false,
            is_closed: false,
        }
    }

    fn read_all(&mut self, body: &str) -> Result<(), BlockError> {
        let mut rest = body;
        while let Some(next) = rest.chars().next() {
            let mut width = next.len_utf8();
            if self.is_closed && self.is_call && !next.is_whitespace() {
                // dtype=…, device=…, grad_fn=<…>) say nothing about the numbers; a second tensor does.
                let second =
                    rest.find('[').map(|at| rest[..at].rfind(char::is_whitespace).map_or(0, |space| space + 1));
                return match second {
                    Some(at) => Err(self.misplaced(cut(rest[at..].trim()))),
                    None if matches!(next, ',' | ')') => Ok(()),
                    None => Err(self.unexpected(next)),
                };
            }
            match next {
                '\n' => self.line += 1,
                _ if next.is_whitespace() => {}
                _ if self.is_closed => return Err(self.unexpected_word(rest)),
                _ if next == self.brackets.0 => self.open_bracket()?,
                _ if next == self.brackets.1 => self.close_bracket()?,
                ',' if self.may_comma && !self.open.is_empty() => {
                    self.has_comma = true;
                    self.may_comma = false;
                }
                // A bare number in a call: tensor(2.5, dtype=…).
                ',' | ')' if self.is_call && self.open.is_empty() && self.cells == 1 => return Ok(()),
                ',' | '(' | ')' | '[' | ']' | '{' | '}' => return Err(self.unexpected(next)),
                _ => {
                    let word = word_of(rest);
                    width = word.len();
                    self.number(word)?;
                }
            }
            rest = &rest[width..];
        }
        let is_whole = self.is_closed && !self.is_call;
        if is_whole { Ok(()) } else { Err(self.misplaced("the end of the text".to_owned())) }
    }

    fn open_bracket(&mut self) -> Result<(), BlockError> {
        if self.leaf_depth.is_some_and(|depth| self.open.len() >= depth) {
            return Err(self.unexpected(self.brackets.0));
        }
        if self.open.len() == MOST_DIMENSIONS {
            let found = format!("{}…", "1×".repeat(MOST_DIMENSIONS));
            return Err(BlockError::NotAMatrix { found, expected: EXPECTED.to_owned() });
        }
        self.open.push(0);
        self.sizes.resize(self.sizes.len().max(self.open.len()), None);
        self.may_comma = false;
        Ok(())
    }

    fn close_bracket(&mut self) -> Result<(), BlockError> {
        let depth = self.open.len();
        // An empty row among others would otherwise be dropped without a word; `[]` alone is an empty block.
        if self.open.last() == Some(&0) && depth > 1 {
            return Err(self.unexpected(self.brackets.1));
        }
        let Some(found) = self.open.pop() else { return Err(self.unexpected(self.brackets.1)) };
        // A row is judged with its number by the caller; a whole matrix of another size is ragged here.
        let is_row = self.leaf_depth == Some(depth);
        let expected = *self.sizes[depth - 1].get_or_insert(found);
        if found != expected && !is_row {
            return Err(BlockError::Ragged { row: self.rows.len(), found, expected });
        }
        match self.open.last_mut() {
            Some(count) => *count += 1,
            None => self.is_closed = true,
        }
        self.may_comma = true;
        Ok(())
    }

    fn number(&mut self, word: &str) -> Result<(), BlockError> {
        let depth = self.open.len();
        let is_bare = depth == 0 && self.is_call && self.cells == 0;
        if self.leaf_depth.is_some_and(|leaf| leaf != depth) || (depth == 0 && !is_bare) {
            return Err(self.unexpected_word(word));
        }
        self.leaf_depth = Some(depth);
        let column = self.column();
        if matches!(word, "..." | "…") {
            return Err(BlockError::Elided { line: self.line, column, found: word.to_owned() });
        }
        let word = if self.brackets.0 == '{' { without_suffix(word) } else { word };
        let cell = read_cell(word, Comma::Separates).map_err(|error| cell_error(error, self.line, column))?;
        self.cells += 1;
        if self.cells > MOST_CELLS {
            return Err(too_many());
        }
        let placed = Placed { cell, line: self.line, column, text: cut(word) };
        match self.rows.last_mut() {
            Some(row) if column > 1 => row.push(placed),
            _ => self.rows.push(vec![placed]),
        }
        if let Some(count) = self.open.last_mut() {
            *count += 1;
        }
        self.may_comma = true;
        Ok(())
    }

    fn finish(self) -> Result<Vec<Vec<Placed>>, BlockError> {
        let dimensions = self.leaf_depth.unwrap_or(self.sizes.len());
        let sizes: Vec<usize> = self.sizes.iter().map(|size| size.unwrap_or(0)).collect();
        let leading = &sizes[..dimensions.saturating_sub(2).min(sizes.len())];
        if dimensions > 4 || leading.iter().any(|&size| size != 1) {
            let found = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join("×");
            return Err(BlockError::NotAMatrix { found, expected: EXPECTED.to_owned() });
        }
        Ok(self.rows)
    }

    /// The item that comes next in the innermost bracket, from 1.
    fn column(&self) -> usize {
        self.open.last().map_or(1, |count| count + 1)
    }

    fn misplaced(&self, found: String) -> BlockError {
        BlockError::Unexpected { line: self.line, column: self.column(), found }
    }

    fn unexpected(&self, found: char) -> BlockError {
        self.misplaced(found.to_string())
    }

    fn unexpected_word(&self, rest: &str) -> BlockError {
        self.misplaced(cut(word_of(rest)))
    }
}

/// Up to the next bracket, comma or space (never empty: a lone delimiter is its own word).
fn word_of(rest: &str) -> &str {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '{' | '}' | ',' | '(' | ')');
    let end = rest.find(is_end).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    &rest[..end.max(first)]
}

/// C marks the type of a number behind it: 1.0f, 2L, 3u.
fn without_suffix(word: &str) -> &str {
    let bare = word.trim_end_matches(['f', 'F', 'l', 'L', 'u', 'U']);
    if bare.ends_with(|c: char| c.is_ascii_digit() || c == '.') { bare } else { word }
}
