//! A sheet to be filled in, and the key to it.
//!
//! What follows the first blank step is on the sheet only where it is blank itself, so no later number gives an answer
//! away; and where two steps hold the same numbers, a blank in one is a blank in the other.

use std::collections::BTreeSet;

use super::board::Board;
use super::markup::Markup;
use super::other_numbers::other_numbers;
use super::tex::MOST_ROWS;
use crate::attention::{
    MaskApplied, Matrix, Part, Place, Problem, ProblemError, SplitMix64, Trace, applied, has_rule, labels, matrix,
    solve, visible, whole_matrix,
};
use crate::writing::{Language, NumberFormat, Rounding};

/// Which numbers are left blank.
#[derive(Clone, Debug, PartialEq)]
pub enum Blanks {
    /// Of these steps (those that the problem has, `masked` only where there is a mask) this share of the numbers: 1 is all of them.
    Parts { parts: Vec<Part>, share: f64 },
    /// These numbers.
    Cells(Vec<Place>),
}

impl Default for Blanks {
    fn default() -> Self {
        let parts = vec![Part::Scores, Part::Scaled, Part::Masked, Part::Weights, Part::Output];
        Blanks::Parts { parts, share: 1.0 }
    }
}

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
    /// The working of this variant is not written yet.
    #[error("no worksheet is written yet for {}", .0.join(", "))]
    NotYet(Vec<&'static str>),
}

impl WorksheetError {
    /// Every `key`, so that a test can ask each language for all of them.
    pub const KEYS: [&'static str; 7] =
        ["problem", "nothing-blank", "given", "no-such-cell", "too-large", "share", "not-yet"];

    /// The name under which translations are found, as `worksheet-error-<key>`.
    pub fn key(&self) -> &'static str {
        match self {
            WorksheetError::Problem(_) => "problem",
            WorksheetError::NothingBlank => "nothing-blank",
            WorksheetError::Given(_) => "given",
            WorksheetError::NoSuchCell(_) => "no-such-cell",
            WorksheetError::TooLarge { .. } => "too-large",
            WorksheetError::Share(_) => "share",
            WorksheetError::NotYet(_) => "not-yet",
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
            WorksheetError::NotYet(keys) => vec![("keys", keys.join(", "))],
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
    if !problem.family.is_plain() {
        return Err(WorksheetError::NotYet(problem.family.keys()));
    }
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
    sides.max().unwrap_or(0)
}

fn sheet(mut board: Board<'_>, blanks: &BTreeSet<Place>, format: NumberFormat) -> String {
    board.title("worksheet-title");
    board.say("worksheet-how", &[]);
    board.say("worksheet-digits", &[("digits", format.digits.to_string())]);
    board.given();
    board.formula();
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
        if part == Part::Weights {
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
        board.say("solution-mask-how", &[]);
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

/// Every computed step, head by head, then what joins them.
fn in_order(board: &mut Board<'_>, mut step: impl FnMut(&mut Board<'_>, Part, usize)) {
    let computed = |board: &Board<'_>, is_per_head: bool| {
        let problem = board.problem;
        let is_step =
            move |part: &Part| part.is_per_head() == is_per_head && !part.is_input(problem) && *part != Part::Mask;
        Part::ALL.into_iter().filter(is_step).collect::<Vec<_>>()
    };
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
    for part in computed(board, false) {
        step(board, part, 0);
    }
}

/// Whether a computed step is on the sheet: it is blank, or stands before everything blank.
fn is_shown(problem: &Problem, blanks: &BTreeSet<Place>, part: Part) -> bool {
    let is_blank = |part| blanks.iter().any(|place| place.part == part);
    let is_before = blanks.first().is_some_and(|first| part < first.part);
    // Without w_o, context and concat are the output.
    let is_the_output = matches!(part, Part::Context | Part::Concat) && problem.w_o.is_none();
    let adds_nothing = part == Part::Masked && !uses_mask(problem);
    is_blank(part) || (is_before && !is_the_output && !adds_nothing)
}

/// Whether anything is added to the scores.
fn uses_mask(problem: &Problem) -> bool {
    has_rule(&problem.mask) || problem.mask_applied == MaskApplied::Inverted
}

/// Which numbers are blank, in the order of the computation.
fn blanks(problem: &Problem, trace: &Trace, options: &WorksheetOptions) -> Result<BTreeSet<Place>, WorksheetError> {
    let given = |part: Part| part.is_input(problem) || part == Part::Mask;
    let mut blanks = BTreeSet::new();
    match &options.blanks {
        Blanks::Cells(places) => {
            for &place in places {
                let shape = matrix(problem, trace, place.part, place.head).map_or((0, 0), |values| values.shape());
                if given(place.part) {
                    return Err(WorksheetError::Given(place.part));
                }
                let is_once = !place.part.is_per_head() && place.head > 0;
                if is_once || place.row >= shape.0 || place.column >= shape.1 {
                    return Err(WorksheetError::NoSuchCell(place));
                }
                blanks.insert(place);
            }
        }
        Blanks::Parts { parts, share } => {
            if !(*share > 0.0 && *share <= 1.0) {
                return Err(WorksheetError::Share(*share));
            }
            if let Some(&part) = parts.iter().find(|&&part| given(part)) {
                return Err(WorksheetError::Given(part));
            }
            for &part in parts.iter().filter(|part| **part != Part::Masked || uses_mask(problem)) {
                let heads = if part.is_per_head() { problem.heads.query } else { 1 };
                for head in 0..heads {
                    let Some(values) = trace.get(part, head).map(|step| &step.value) else { continue };
                    blanks.extend(chosen(part, head, values, *share, options.seed.unwrap_or(0)));
                }
            }
        }
    }
    same_numbers(problem, &mut blanks);
    if blanks.is_empty() { Err(WorksheetError::NothingBlank) } else { Ok(blanks) }
}

/// A share of the numbers of a step, at least one. Steps of one shape are blank at the same cells.
fn chosen(part: Part, head: usize, values: &Matrix, share: f64, seed: u64) -> Vec<Place> {
    let (rows, columns) = values.shape();
    let of_row = |row| (0..columns).map(move |column| Place { part, head, row, column });
    let mut places: Vec<Place> = (0..rows).flat_map(of_row).collect();
    let count = ((places.len() as f64 * share).round() as usize).clamp(1, places.len().max(1));
    let mut random = SplitMix64(seed);
    // Fisher and Yates: the first `count` are a fair draw.
    for index in 0..count.min(places.len()) {
        let rest = (places.len() - index) as u64;
        places.swap(index, index + (random.next() % rest) as usize);
    }
    places.truncate(count);
    places
}

/// What is blank in one step must be blank in the other steps on the sheet that give it away.
fn same_numbers(problem: &Problem, blanks: &mut BTreeSet<Place>) {
    let chosen = blanks.clone();
    loop {
        let twins = blanks.iter().flat_map(|&place| twins(problem, place));
        let is_new = |twin: &Place| is_shown(problem, &chosen, twin.part) && !blanks.contains(twin);
        let more: Vec<Place> = twins.filter(is_new).collect();
        if more.is_empty() {
            return;
        }
        blanks.extend(more);
    }
}

/// The places that hold the same number, or one at the same pair of tokens that leads straight back to it.
fn twins(problem: &Problem, place: Place) -> Vec<Place> {
    const OF_PAIRS: [Part; 5] = [Part::Scores, Part::Scaled, Part::Masked, Part::Exp, Part::Weights];
    let Place { part, head, row, column } = place;
    let mut twins = Vec::new();
    if let Some(at) = OF_PAIRS.iter().position(|&of_pairs| of_pairs == part) {
        twins.extend(OF_PAIRS[at + 1..].iter().map(|&part| Place { part, ..place }));
    }
    // A scale of 1 changes nothing.
    if part == Part::Scaled && problem.scale.apply(1.0, problem.shapes().d_k) == 1.0 {
        twins.push(Place { part: Part::Scores, ..place });
    }
    // Concat is the contexts side by side, and without w_o the output, too.
    let d_v = problem.shapes().d_v;
    let joined = match part {
        Part::Context => Some(head * d_v + column),
        Part::Concat => Some(column),
        Part::Output if problem.w_o.is_none() => Some(column),
        _ => None,
    };
    if let Some(column) = joined {
        twins.push(Place { part: Part::Context, head: column / d_v, row, column: column % d_v });
        twins.push(Place { part: Part::Concat, head: 0, row, column });
        if problem.w_o.is_none() {
            twins.push(Place { part: Part::Output, head: 0, row, column });
        }
    }
    twins
}
