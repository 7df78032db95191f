//! A sheet to be filled in, and the key to it. Which numbers are blank is in `blanks`.

use std::collections::BTreeSet;

use super::blanks::{Blanks, blanks, is_given, is_shown};
use super::board::Board;
use super::markup::Markup;
use super::other_numbers::other_numbers;
use super::tex::MOST_ROWS;
use crate::attention::{
    MaskApplied, Part, Place, Problem, ProblemError, applied, has_rule, labels, solve, visible, whole_matrix,
};
use crate::writing::{Language, NumberFormat, Rounding};

/// How a worksheet is made.
#[derive(Clone, Debug, PartialEq)]
pub struct WorksheetOptions {
    pub language: Language,
    pub format: NumberFormat,
    pub markup: Markup,
    pub blanks: Blanks,
    /// `None` keeps the numbers; a seed draws others, of the same difficulty.
    pub seed: Option<u64>,
}

impl Default for WorksheetOptions {
    fn default() -> Self {
        let format = NumberFormat { digits: 4, rounding: Rounding::Round };
        let (language, markup) = (Language::English, Markup::Markdown);
        WorksheetOptions { language, format, markup, blanks: Blanks::default(), seed: None }
    }
}

/// A sheet, its answers, and the problem they are about.
#[derive(Clone, Debug, PartialEq)]
pub struct Worksheet {
    pub sheet: String,
    pub key: String,
    pub problem: Problem,
}

/// Why there is no worksheet.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorksheetError {
    /// A step overflows.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problem(Vec<ProblemError>),
    #[error("nothing would be blank: choose steps that this problem has")]
    NothingBlank,
    #[error("{} is given: nobody could know it, so it cannot be blank", .0.key())]
    Given(Part),
    #[error("{}, head {}, row {}, column {}: there is no such number", .0.part.key(), .0.head, .0.row, .0.column)]
    NoSuchCell(Place),
    /// A sheet must show every number.
    #[error("a matrix has {found} rows or columns, expected at most {most} on a worksheet")]
    TooLarge { found: usize, most: usize },
    #[error("the share of blanks is {0}, expected more than 0 and at most 1")]
    Share(f64),
}

impl WorksheetError {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 6] = ["problem", "nothing-blank", "given", "no-such-cell", "too-large", "share"];

    /// The name under which translations are found, as `worksheet-error-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            WorksheetError::Problem(_) => "problem",
            WorksheetError::NothingBlank => "nothing-blank",
            WorksheetError::Given(_) => "given",
            WorksheetError::NoSuchCell(_) => "no-such-cell",
            WorksheetError::TooLarge { .. } => "too-large",
            WorksheetError::Share(_) => "share",
        }
    }

    /// What a translation fills in.
    pub fn args(&self) -> Vec<(&'static str, String)> {
        match self {
            WorksheetError::Problem(_) => vec![("errors", self.to_string())],
            WorksheetError::NothingBlank => Vec::new(),
            WorksheetError::Given(part) => vec![("part", part.key().to_owned())],
            WorksheetError::NoSuchCell(Place { part, head, row, column }) => vec![
                ("part", part.key().to_owned()),
                ("head", head.to_string()),
                ("row", row.to_string()),
                ("column", column.to_string()),
            ],
            WorksheetError::TooLarge { found, most } => vec![("found", found.to_string()), ("most", most.to_string())],
            WorksheetError::Share(share) => vec![("share", share.to_string())],
        }
    }
}

/// The problem as a worksheet. The same options give the same sheet.
///
/// # Errors
/// Where nothing would be blank, a blank is given or does not exist, a matrix is too large for a page, or a step
/// overflows.
///
/// ```
/// # use attnlab::{attention::Problem, solution::{worksheet, WorksheetOptions}};
/// let problem = Problem::from_json(r#"{"format":"attnlab/1",
///     "inputs":{"q":[[0.5]],"k":[[1],[2],[0.5]],"v":[[0.5],[1],[1.5]]}}"#).unwrap();
/// let made = worksheet(&problem, &WorksheetOptions::default()).unwrap();
/// assert!(made.key.contains("0.9677") && !made.sheet.contains("0.9677"));
/// ```
pub fn worksheet(problem: &Problem, options: &WorksheetOptions) -> Result<Worksheet, WorksheetError> {
    let problem = match options.seed {
        Some(seed) => other_numbers(problem, seed),
        None => problem.clone(),
    };
    let largest = largest_side(&problem);
    if largest > MOST_ROWS {
        return Err(WorksheetError::TooLarge { found: largest, most: MOST_ROWS });
    }
    let trace = solve(&problem).map_err(WorksheetError::Problem)?;
    let blanks = blanks(&problem, &trace, options)?;
    let board = || Board::new(&problem, &trace, options.language, options.format, options.markup);
    let sheet = sheet(board(), &blanks, options.format);
    let key = key(board(), &blanks);
    Ok(Worksheet { sheet, key, problem })
}

/// The most rows or columns of any matrix.
fn largest_side(problem: &Problem) -> usize {
    let sides = Part::ALL.into_iter().flat_map(|part| {
        let (rows, columns) = labels(problem, part);
        let whole = whole_matrix(problem, part).map_or(0, |whole| whole.ncols());
        [rows.len(), columns.len(), whole]
    });
    sides.chain(of_score_function(problem)).max().unwrap_or(0)
}

/// The sides of what a score function brings with it, and of its hidden layer.
fn of_score_function(problem: &Problem) -> impl Iterator<Item = usize> {
    let shapes = problem.shapes();
    let hidden = problem.family.score.hidden_width();
    let layer = hidden.into_iter().flat_map(move |d_a| [d_a * shapes.m, 2 * shapes.d_k]);
    layer.chain([shapes.d_k])
}

fn sheet(mut board: Board<'_>, blanks: &BTreeSet<Place>, format: NumberFormat) -> String {
    board.title("worksheet-title");
    board.say("worksheet-how", &[]);
    board.say("worksheet-digits", &[("digits", format.digits.to_string())]);
    board.given();
    board.formula();
    board.say_how_positions_enter();
    board.say_scale();
    say_mask(&mut board);
    let zeros = "0".repeat(format.digits);
    // The strut keeps the boxes of two rows apart.
    let empty = format!("\\boxed{{\\phantom{{0.{zeros}}}}}\\vphantom{{\\Big|}}");
    in_order(&mut board, |board, part, head| {
        if !is_shown(board.problem, blanks, part) {
            return;
        }
        let has_blank = blanks.iter().any(|place| place.part == part && place.head == head);
        let name = board.plain(&board.t(&format!("part-{}", part.key().replace('_', "-"))));
        if has_blank {
            board.say("worksheet-fill", &[("matrix", name)]);
        }
        board.matrix_with(part, head, |place| blanks.contains(&place).then(|| empty.clone()));
        if has_blank {
            board.say("worksheet-work", &[]);
            board.page.room();
        }
    });
    board.page.finish()
}

fn key(mut board: Board<'_>, blanks: &BTreeSet<Place>) -> String {
    board.title("worksheet-key-title");
    board.given();
    board.formula();
    board.say_how_positions_enter();
    board.say_scale();
    say_mask(&mut board);
    in_order(&mut board, |board, part, head| {
        let places: Vec<Place> =
            blanks.iter().copied().filter(|place| place.part == part && place.head == head).collect();
        if places.is_empty() {
            return;
        }
        let name = board.plain(&board.t(&format!("part-{}", part.key().replace('_', "-"))));
        board.page.heading_below(&name);
        let of = |part| places.iter().map(move |place| Place { part, ..*place });
        if part == Part::Weights && board.is_softmax() {
            // A quotient is of powers and their sum: where these are not blank themselves, they are worked out here.
            let sums: BTreeSet<Place> = of(Part::RowSum).map(|place| Place { column: 0, ..place }).collect();
            board.work(of(Part::Exp).filter(|place| !blanks.contains(place)));
            board.work(sums.into_iter().filter(|place| !blanks.contains(place)));
        }
        board.work(of(part));
        board.matrix(part, head);
    });
    board.page.finish()
}

fn say_mask(board: &mut Board<'_>) {
    let how = board.problem.mask_applied;
    if has_rule(&board.problem.mask) {
        board.say_mask_how();
        board.mask("M", &visible(board.problem));
    }
    if how != MaskApplied::BeforeSoftmax {
        let words = board.plain(&board.t(&format!("applied-{}", how.key().replace('_', "-"))));
        board.say("worksheet-mask-how", &[("how", words)]);
    }
    // What is swapped or turned is another matrix than the rules', with a name of its own.
    if matches!(how, MaskApplied::Inverted | MaskApplied::Reversed) {
        board.say("solution-mask-as-applied", &[]);
        let symbol = board.names.applied_mask();
        board.mask(symbol, &applied(board.problem));
    }
}

/// Every computed step: what comes before the heads, head by head, then what joins them.
fn in_order(board: &mut Board<'_>, mut step: impl FnMut(&mut Board<'_>, Part, usize)) {
    let computed = |board: &Board<'_>, is_per_head: bool| {
        let problem = board.problem;
        let is_step = move |part: &Part| part.is_per_head() == is_per_head && !is_given(problem, *part);
        Part::ALL.into_iter().filter(is_step).collect::<Vec<_>>()
    };
    let (before, after): (Vec<Part>, Vec<Part>) = computed(board, false).into_iter().partition(|part| *part < Part::Q);
    for part in before {
        step(board, part, 0);
    }
    for head in 0..board.problem.heads.query {
        board.say_head(head);
        for part in computed(board, true) {
            step(board, part, head);
        }
    }
    let heading = board.t("solution-join");
    if board.problem.joins_heads() {
        board.page.heading(&heading);
    }
    for part in after {
        step(board, part, 0);
    }
}
