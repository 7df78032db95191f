//! A block of numbers, pasted: from a spreadsheet, from NumPy or PyTorch output, from a Markdown table, a LaTeX
//! matrix or an array in C, as JSON or as plain lines.
//!
//! A decimal comma is read only in a single cell and where tabs, semicolons or bars separate; elsewhere a comma
//! separates. Work is bounded: text and cells have the limits of the problem file.

use super::cell::Cell;
use super::{latex, lines, markdown, nested};
use crate::attention::{MOST_BYTES, MOST_WIDTH, Matrix};
use nalgebra::DMatrix;

/// The most cells of a block: no matrix of a problem can hold more.
pub const MOST_CELLS: usize = MOST_WIDTH * MOST_WIDTH;

/// A block as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub kind: BlockKind,
    /// Minus infinity stands only where `content` is `ZeroMinusInfinity`; True is 1, False is 0.
    pub values: Matrix,
    pub content: Content,
    /// Whether a comma was read as a decimal comma.
    pub decimal_comma: bool,
    /// To how many digits after the point each number was printed: 4 for 0.9677, 0 for 2, −3 for 5e3. Half a unit of
    /// the last one is what its printing leaves open.
    pub decimals: DMatrix<i32>,
}

impl Block {
    /// A matrix that did not come as text.
    pub fn of(values: Matrix) -> Self {
        let decimals = DMatrix::from_element(values.nrows(), values.ncols(), EXACT);
        Self { kind: BlockKind::Tensor, values, content: Content::Numbers, decimal_comma: false, decimals }
    }
}

/// The decimals of what is exact: 17 digits are more than an f64 holds.
const EXACT: i32 = 17;

/// The notation that was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Single,
    /// Cells split by tabs, as spreadsheets copy them.
    Spreadsheet,
    Csv,
    Semicolon,
    Whitespace,
    /// `array([[…]])`, or brackets without commas.
    Numpy,
    /// `tensor([[…]], …)`.
    Torch,
    /// Brackets with commas: JSON or a Python list.
    Json,
    /// A table whose cells stand between bars.
    Markdown,
    /// `\begin{bmatrix} … \end{bmatrix}` and its relatives.
    Latex,
    /// `{{1.0f, 2.0f}, …}`, as in C and Mathematica.
    Braces,
    /// No text: a tensor of a file.
    Tensor,
}

impl BlockKind {
    /// Every kind, so that a test can ask each language for all of them.
    pub const ALL: [BlockKind; 12] = [
        BlockKind::Tensor,
        BlockKind::Single,
        BlockKind::Spreadsheet,
        BlockKind::Csv,
        BlockKind::Semicolon,
        BlockKind::Whitespace,
        BlockKind::Numpy,
        BlockKind::Torch,
        BlockKind::Json,
        BlockKind::Markdown,
        BlockKind::Latex,
        BlockKind::Braces,
    ];

    pub fn key(self) -> &'static str {
        match self {
            BlockKind::Tensor => "tensor",
            BlockKind::Single => "single",
            BlockKind::Spreadsheet => "spreadsheet",
            BlockKind::Csv => "csv",
            BlockKind::Semicolon => "semicolon",
            BlockKind::Whitespace => "whitespace",
            BlockKind::Numpy => "numpy",
            BlockKind::Torch => "torch",
            BlockKind::Json => "json",
            BlockKind::Markdown => "markdown",
            BlockKind::Latex => "latex",
            BlockKind::Braces => "braces",
        }
    }
}

/// What the cells are, which is what a mask must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Numbers,
    /// Only 0 and 1: which of them hides must be asked.
    ZeroOne,
    TrueFalse,
    /// The M of the formula: 0 is visible, −∞ hidden.
    ZeroMinusInfinity,
}

/// Why a text is no block. `line` counts lines of the text, `column` cells of a row, both from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    #[error("there are no numbers")]
    Empty,
    #[error("found {found}, expected at most {expected}")]
    TooLarge { found: String, expected: String },
    #[error("line {line}, column {column}: {found} is not a number")]
    NotANumber { line: usize, column: usize, found: String },
    #[error(
        "line {line}, column {column}: {found} is not finite (minus infinity may stand only beside zeros, as a mask)"
    )]
    NotFinite { line: usize, column: usize, found: String },
    /// NumPy and PyTorch print large matrices with dots: the numbers are not in the text.
    #[error(
        "line {line}, column {column}: {found} stands for numbers that are not in the text; print the whole matrix"
    )]
    Elided { line: usize, column: usize, found: String },
    #[error("row {row} has {found} numbers, expected {expected} as in row 1")]
    Ragged { row: usize, found: usize, expected: usize },
    #[error("the shape is {found}, expected {expected}")]
    NotAMatrix { found: String, expected: String },
    #[error("line {line}, column {column}: {found} does not belong there")]
    Unexpected { line: usize, column: usize, found: String },
}

impl BlockError {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 8] =
        ["empty", "too-large", "not-a-number", "not-finite", "elided", "ragged", "not-a-matrix", "unexpected"];

    /// The name under which translations are found, as `block-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            BlockError::Empty => "empty",
            BlockError::TooLarge { .. } => "too-large",
            BlockError::NotANumber { .. } => "not-a-number",
            BlockError::NotFinite { .. } => "not-finite",
            BlockError::Elided { .. } => "elided",
            BlockError::Ragged { .. } => "ragged",
            BlockError::NotAMatrix { .. } => "not-a-matrix",
            BlockError::Unexpected { .. } => "unexpected",
        }
    }

    /// What a translation fills in: `found`, `expected`, `line` and `column`, `row`, each where there is one.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            BlockError::Empty => Vec::new(),
            BlockError::TooLarge { found, expected } | BlockError::NotAMatrix { found, expected } => {
                vec![("found", found.clone()), ("expected", expected.clone())]
            }
            BlockError::NotANumber { line, column, found }
            | BlockError::NotFinite { line, column, found }
            | BlockError::Elided { line, column, found }
            | BlockError::Unexpected { line, column, found } => {
                vec![("line", line.to_string()), ("column", column.to_string()), ("found", found.clone())]
            }
            BlockError::Ragged { row, found, expected } => {
                vec![("row", row.to_string()), ("found", found.to_string()), ("expected", expected.to_string())]
            }
        }
    }
}

/// A cell and where it stood.
pub(super) struct Placed {
    pub(super) cell: Cell,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) text: String,
}

/// Rows of cells, and how they were written.
pub(super) struct Rows {
    pub(super) kind: BlockKind,
    pub(super) rows: Vec<Vec<Placed>>,
    pub(super) decimal_comma: bool,
}

/// Reads a block: one number, tab-, comma-, semicolon- or space-separated lines, nested brackets, NumPy's
/// `array(…)`, PyTorch's `tensor(…)`, a Markdown table, a LaTeX matrix, C's braces. One dimension is one row; leading dimensions of 1 are dropped.
///
/// # Errors
/// When a cell is no finite number, rows differ in length, dots stand for numbers, or there is more than a
/// matrix; each with where and what.
///
/// ```
/// # use attnlab::exchange::{read_block, BlockKind};
/// let block = read_block("tensor([[1., 2.],\n        [3., 4.]], dtype=torch.float64)").unwrap();
/// assert_eq!((block.kind, block.values.shape()), (BlockKind::Torch, (2, 2)));
/// assert_eq!(read_block("1\t0,5\n2").unwrap_err().to_string(), "row 2 has 1 numbers, expected 2 as in row 1");
/// ```
pub fn read_block(text: &str) -> Result<Block, BlockError> {
    if text.len() > MOST_BYTES {
        let (found, expected) = (format!("{} bytes", text.len()), format!("{MOST_BYTES}"));
        return Err(BlockError::TooLarge { found, expected });
    }
    if text.trim().is_empty() {
        return Err(BlockError::Empty);
    }
    let Rows { kind, rows, decimal_comma } = if latex::begins(text) {
        latex::read(text)?
    } else if nested::begins(text) {
        nested::read(text)?
    } else if markdown::begins(text) {
        markdown::read(text)?
    } else {
        lines::read(text)?
    };
    let width = rows.first().map_or(0, Vec::len);
    if width == 0 {
        return Err(BlockError::Empty);
    }
    if let Some((index, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != width) {
        return Err(BlockError::Ragged { row: index + 1, found: row.len(), expected: width });
    }
    let content = content(&rows)?;
    let values = Matrix::from_fn(rows.len(), width, |row, column| match rows[row][column].cell {
        Cell::Number(value) => value,
        Cell::Flag(flag) => f64::from(u8::from(flag)),
        Cell::MinusInfinity => f64::NEG_INFINITY,
    });
    let decimals = DMatrix::from_fn(rows.len(), width, |row, column| decimals(&rows[row][column].text));
    Ok(Block { kind, values, content, decimal_comma, decimals })
}

/// A fraction is exact, and so are words; 17 digits are more than an f64 holds.
fn decimals(text: &str) -> i32 {
    let text = text.trim().trim_matches(['"', '\'']);
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    if !digits.contains(|c: char| c.is_ascii_digit()) || digits.contains('/') {
        return EXACT;
    }
    let after =
        digits.split_once(['.', ',']).map_or(0, |(_, after)| after.chars().filter(char::is_ascii_digit).count());
    let exponent: i32 = exponent.replace('−', "-").parse().unwrap_or(0);
    i32::try_from(after).unwrap_or(EXACT).saturating_sub(exponent).min(EXACT)
}

fn content(rows: &[Vec<Placed>]) -> Result<Content, BlockError> {
    let all = |matches: fn(Cell) -> bool| rows.iter().flatten().all(|placed| matches(placed.cell));
    let first_infinity = rows.iter().flatten().find(|placed| placed.cell == Cell::MinusInfinity);
    if let Some(Placed { line, column, text, .. }) = first_infinity {
        if !all(|cell| matches!(cell, Cell::MinusInfinity) || cell == Cell::Number(0.0)) {
            let found = super::number::cut(text);
            return Err(BlockError::NotFinite { line: *line, column: *column, found });
        }
        return Ok(Content::ZeroMinusInfinity);
    }
    if all(|cell| matches!(cell, Cell::Flag(_))) {
        return Ok(Content::TrueFalse);
    }
    let is_zero_one = all(|cell| cell == Cell::Number(0.0) || cell == Cell::Number(1.0));
    Ok(if is_zero_one { Content::ZeroOne } else { Content::Numbers })
}

/// A number's error, with where it stood.
pub(super) fn cell_error(error: super::NumberError, line: usize, column: usize) -> BlockError {
    use super::NumberError;
    match error {
        NumberError::NotFinite { found } => BlockError::NotFinite { line, column, found },
        NumberError::Empty => BlockError::NotANumber { line, column, found: "\"\"".to_owned() },
        NumberError::NotANumber { found } | NumberError::DividedByZero { found } => {
            BlockError::NotANumber { line, column, found }
        }
    }
}

pub(super) fn too_many() -> BlockError {
    BlockError::TooLarge { found: format!("> {MOST_CELLS}"), expected: MOST_CELLS.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, kind: BlockKind, rows: &[&[f64]]) {
        let block = read_block(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(block.kind, kind, "{text:?}");
        let found = crate::attention::to_rows(&block.values);
        assert_eq!(found, rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>(), "{text:?}");
    }

    #[test]
    fn every_notation_is_recognised() {
        let (two_by_two, row): (&[&[f64]], &[&[f64]]) = (&[&[1.0, 2.5], &[-3.0, 4.0]], &[&[1.0, 2.5]]);
        check("1\t2,5\n-3\t4\n", BlockKind::Spreadsheet, two_by_two);
        check("1\t2.5\r\n−3\t4\r\n", BlockKind::Spreadsheet, two_by_two);
        check("1, 2.5\n-3, 4", BlockKind::Csv, two_by_two);
        check("1; 2,5\n-3; 4\n", BlockKind::Semicolon, two_by_two);
        check("1;2.5;\n-3;4;\n", BlockKind::Semicolon, two_by_two);
        check("  1   2.5\n -3   4\n\n", BlockKind::Whitespace, two_by_two);
        check("[[1, 2.5], [-3, 4]]", BlockKind::Json, two_by_two);
        check("[[ 1.   2.5]\n [-3.   4. ]]", BlockKind::Numpy, two_by_two);
        check("array([[ 1. ,  2.5],\n       [-3. ,  4. ]], dtype=float32)", BlockKind::Numpy, two_by_two);
        check("np.array([[1, 2.5], [-3, 4]])", BlockKind::Numpy, two_by_two);
        check(
            "tensor([[ 1.0, 2.5],\n [-3., 4.]], device='cuda:0', grad_fn=<AddBackward0>)",
            BlockKind::Torch,
            two_by_two,
        );
        check("torch.tensor([[1, 2.5], [-3, 4]], requires_grad=True)", BlockKind::Torch, two_by_two);
        check("Parameter containing:\ntensor([[1, 2.5], [-3, 4]], requires_grad=True)", BlockKind::Torch, two_by_two);
        check("tensor([[[[1, 2.5], [-3, 4]]]])", BlockKind::Torch, two_by_two);
        check("| 1 | 2.5 |\n| -3 | 4 |", BlockKind::Markdown, two_by_two);
        check("| a | b |\n|---|:-:|\n| 1 | 2,5 |\n| -3 | 4 |\n", BlockKind::Markdown, two_by_two);
        check("\n  |   |   |\n  | - | - |\n  | 1 | 2.5 |\n  | −3 | 4 |", BlockKind::Markdown, two_by_two);
        check("a | b\n--- | ---\n1 | 2.5\n-3 | 4", BlockKind::Markdown, two_by_two);
        check("| 1 | 2.5 |\n|--:|---|\n| -3 | 4 |", BlockKind::Markdown, two_by_two);
        check(r"\begin{bmatrix} 1 & 2.5 \\ -3 & 4 \end{bmatrix}", BlockKind::Latex, two_by_two);
        check("$$\n\\begin{pmatrix}\n1 & 2.5 \\\\\n-3 & 4 \\\\\n\\end{pmatrix}\n$$", BlockKind::Latex, two_by_two);
        check(
            r"Q = \left[\begin{array}{c|c} 1 & 2.5 \\[2pt] \hline -3 & 4 \end{array}\right].",
            BlockKind::Latex,
            two_by_two,
        );
        check(r"\[ \begin{matrix} 1 & \frac{5}{2} \\ {-3} & 4.0 \end{matrix} \]", BlockKind::Latex, two_by_two);
        check(
            "\\begin{equation*} % a comment & 3\nW_q = \\begin{smallmatrix} 1 & 25 \\times 10^{-1} \\\\ $-3$ & \\,4 \\end{smallmatrix} \\end{equation*}",
            BlockKind::Latex,
            two_by_two,
        );
        check("{{1, 2.5}, {-3, 4}}", BlockKind::Braces, two_by_two);
        check("{{1.0f, 2.5f}, {-3.f, 4.0F},};", BlockKind::Braces, two_by_two);
        check(
            "static const float a[2][2] = {\n  {1, 2.5}, // first\n  {-3, /* { */ 4},\n};\n",
            BlockKind::Braces,
            two_by_two,
        );
        check("std::vector<std::vector<double>> a{{1, 2.5}, {-3, 4L}};", BlockKind::Braces, two_by_two);
        check("{1, 2.5}", BlockKind::Braces, row);
        check("[1, 2.5]", BlockKind::Json, row);
        check("1 2.5", BlockKind::Whitespace, row);
        check("tensor(2.5)", BlockKind::Torch, &[&[2.5]]);
        check("0,5", BlockKind::Single, &[&[0.5]]);
        check("1.0,2.5", BlockKind::Csv, row);
        check("1/4", BlockKind::Single, &[&[0.25]]);
        assert!(read_block("1\t2,5").unwrap().decimal_comma);
        assert!(!read_block("1, 2.5").unwrap().decimal_comma);
    }

    #[test]
    fn the_printed_precision_is_kept() {
        let block = read_block("0.9677\t2\t5e3\t1/3\n0,50\t-1.\t1.5e-3\tTrue").unwrap();
        let decimals: Vec<i32> = block.decimals.transpose().iter().copied().collect();
        assert_eq!(decimals, [4, 0, -3, 17, 2, 0, 4, 17]);
        let same = [
            "| 0.50 | 2 | 5e3 | 1/3 |",
            r"\begin{matrix} 0.50 & 2 & 5 \cdot 10^{3} & \frac{1}{3} \end{matrix}",
            "{0.50f, 2L, 5e3f, 1/3}",
            "tensor([0.50, 2., 5e3, 1/3], device='cuda:0', dtype=torch.float64, grad_fn=<MulBackward0>)",
        ];
        for text in same {
            let decimals: Vec<i32> = read_block(text).unwrap().decimals.iter().copied().collect();
            assert_eq!(decimals, [2, 0, -3, 17], "{text}");
        }
    }

    #[test]
    fn a_mask_is_told_by_its_content() {
        let cases = [
            ("0 -inf\n0 0", Content::ZeroMinusInfinity),
            ("tensor([[0., -inf],\n        [0., 0.]])", Content::ZeroMinusInfinity),
            ("[[0, -Infinity], [\"-inf\", 0]]", Content::ZeroMinusInfinity),
            ("0\t−∞", Content::ZeroMinusInfinity),
            ("| 0 | −∞ |", Content::ZeroMinusInfinity),
            (r"\begin{matrix} 0 & -\infty \end{matrix}", Content::ZeroMinusInfinity),
            ("{0.0f, -INFINITY}", Content::ZeroMinusInfinity),
            ("{true, false}", Content::TrueFalse),
            ("0 1\n1 1", Content::ZeroOne),
            ("[[True, False]]", Content::TrueFalse),
            ("[[ True False]]", Content::TrueFalse),
            ("TRUE\tFALSE", Content::TrueFalse),
            ("0 2", Content::Numbers),
            ("True 2", Content::Numbers),
        ];
        for (text, content) in cases {
            assert_eq!(read_block(text).unwrap().content, content, "{text}");
        }
        assert_eq!(read_block("0 -inf").unwrap().values[(0, 1)], f64::NEG_INFINITY);
    }

    #[test]
    fn what_is_refused_says_where_and_why() {
        let cases = [
            ("", "there are no numbers"),
            ("[]", "there are no numbers"),
            ("1 2\n3", "row 2 has 1 numbers, expected 2 as in row 1"),
            ("[[1, 2], [3]]", "row 2 has 1 numbers, expected 2 as in row 1"),
            ("1\t2\n3\tx", "line 2, column 2: x is not a number"),
            ("1\t\t3", "line 1, column 2: \"\" is not a number"),
            ("0,5 0,6", "line 1, column 2: 5 0 is not a number"),
            (
                "[[1, 2],\n [3, nan]]",
                "line 2, column 2: nan is not finite (minus infinity may stand only beside zeros, as a mask)",
            ),
            ("1 -inf", "line 1, column 2: -inf is not finite (minus infinity may stand only beside zeros, as a mask)"),
            (
                "[[1, ..., 3]]",
                "line 1, column 2: ... stands for numbers that are not in the text; print the whole matrix",
            ),
            (
                "[[1 ... 3]\n ...\n [4 ... 6]]",
                "line 1, column 2: ... stands for numbers that are not in the text; print the whole matrix",
            ),
            ("[[[1], [2]], [[3], [4]]]", "the shape is 2×2×1, expected n×m | 1×n×m | 1×1×n×m"),
            ("[[[[[1]]]]]", "the shape is 1×1×1×1×1, expected n×m | 1×n×m | 1×1×n×m"),
            ("[[1, 2]", "line 1, column 2: the end of the text does not belong there"),
            ("[[1, 2]] 3", "line 1, column 1: 3 does not belong there"),
            ("[1, [2]]", "line 1, column 2: [ does not belong there"),
            ("[[1], []]", "line 1, column 1: ] does not belong there"),
            ("[[], [1]]", "line 1, column 1: ] does not belong there"),
            ("[[1],, [2]]", "line 1, column 2: , does not belong there"),
            ("| 1 | 2 |\n| x | 3 |", "line 2, column 1: x is not a number"),
            ("| 1 | 2 |\n| 3 |", "row 2 has 1 numbers, expected 2 as in row 1"),
            ("| a | b |\n|---|---|", "there are no numbers"),
            (r"2 \begin{matrix} 1 \end{matrix}", "line 1, column 1: 2 does not belong there"),
            ("\n\\begin{matrix} 1 \\end{matrix}^T", "line 2, column 1: ^T does not belong there"),
            (
                r"\begin{matrix} 1 & \cdots & 2 \end{matrix}",
                "line 1, column 2: \\cdots stands for numbers that are not in the text; print the whole matrix",
            ),
            (r"\begin{matrix} 1 & 2", "line 1, column 1: the end of the text does not belong there"),
            (r"\begin{matrix} 1 & 2 \\ 3 \end{matrix}", "row 2 has 1 numbers, expected 2 as in row 1"),
            ("\\begin{matrix} 1 \\\\\n a \\end{matrix}", "line 2, column 1: a is not a number"),
            ("\\begin{tabular} 1 \\end{tabular}", "line 1, column 1: \\begin{tabular} does not belong there"),
            ("{{1, 2}, {3}}", "row 2 has 1 numbers, expected 2 as in row 1"),
            ("{{1, 2}, {3, 4}} 5", "line 1, column 1: 5 does not belong there"),
            ("{{1, 2}, {3, 4]}", "line 1, column 3: ] does not belong there"),
            ("{\"q\": [[1]]}", "line 1, column 1: q\": is not a number"),
            ("tensor([[1]])\ntensor([[2]])", "line 1, column 1: tensor([[2]]) does not belong there"),
            (
                "tensor([[1., 2., ..., 3.]], dtype=torch.float64)",
                "line 1, column 3: ... stands for numbers that are not in the text; print the whole matrix",
            ),
            ("[1, 2)", "line 1, column 3: ) does not belong there"),
        ];
        for (text, message) in cases {
            assert_eq!(read_block(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn work_is_bounded() {
        assert_eq!(read_block(&"1 ".repeat(MOST_CELLS + 1)).unwrap_err().key(), "too-large");
        assert_eq!(read_block(&"[".repeat(1_000_000)).unwrap_err().key(), "not-a-matrix");
        assert_eq!(read_block(&"1,".repeat(MOST_CELLS + 1)).unwrap_err().key(), "too-large");
        assert_eq!(read_block(&"{".repeat(1_000_000)).unwrap_err().key(), "not-a-matrix");
        assert_eq!(read_block(&"\\begin{math}".repeat(100_000)).unwrap_err().key(), "unexpected");
        let gaps = format!("\\begin{{matrix}}{}\\end{{matrix}}", "1\\\\[".repeat(100_000));
        assert_eq!(read_block(&gaps).unwrap_err().key(), "not-a-number");
        assert_eq!(read_block(&"|1".repeat(MOST_CELLS + 1)).unwrap_err().key(), "too-large");
        assert_eq!(
            read_block(&format!("\\begin{{matrix}}{}", "1&".repeat(MOST_CELLS + 1))).unwrap_err().key(),
            "too-large"
        );
        assert_eq!(read_block(&" ".repeat(MOST_BYTES + 1)).unwrap_err().key(), "too-large");
    }
}
