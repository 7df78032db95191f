//! Worked solutions and worksheets: what they say is what was computed, and a sheet gives no answer away.

#[allow(dead_code)] // The laws use more of it.
#[path = "laws/generate.rs"]
mod generate;

#[path = "solution/arithmetic.rs"]
mod arithmetic;
#[path = "solution/read.rs"]
mod read;

use arithmetic::{unequal, unlike_the_matrix};
use attnlab::attention::{MaskApplied, Matrix, Part, Place, Problem, labels, solve, whole_matrix};
use attnlab::examples::all;
use attnlab::solution::{
    Blanks, Markup, SolutionOptions, WorksheetError, WorksheetOptions, other_numbers, solution, worksheet,
};
use attnlab::writing::{Language, NumberFormat, Rounding};
use proptest::prelude::*;
use read::{doubled_script, first_wrong, given_of_variant, matrices, names_of_variant, number, unbalanced};

fn example(id: &str) -> Problem {
    all().iter().find(|example| example.id == id).unwrap_or_else(|| panic!("no example {id}")).problem.clone()
}

fn written(problem: &Problem, options: &SolutionOptions) -> String {
    solution(problem, &solve(problem).unwrap(), options)
}

/// Every language with every markup.
fn ways() -> impl Iterator<Item = (Language, Markup)> {
    Language::ALL.iter().flat_map(|&language| Markup::ALL.map(move |markup| (language, markup)))
}

/// The built-in examples in every way of applying the mask, and what they leave out.
fn problems() -> Vec<(String, Problem)> {
    let mut problems = Vec::new();
    for example in all() {
        for how in MaskApplied::ALL {
            let mut problem = example.problem.clone();
            problem.mask_applied = how;
            problems.push((format!("{} {how:?}", example.id), problem));
        }
    }
    let more = [
        r#"{"format":"attnlab/1","title":"50% {of} $x_1$ \\ & #1","tokens":["a_b","$"],"memory":["}","\\","^~","<b>"],
            "scale":0.25,"inputs":{"q":[[1,-2],[0.5,3]],"k":[[1,-1],[2,0],[0.1,0.2],[-3,1]],"v":[[1],[-2],[3],[0]]}}"#,
        r#"{"format":"attnlab/1","heads":{"query":2,"key_value":1},"mask":{"allow":[[1,1],[0,0]]},
            "inputs":{"x":[[1,2],[3,4]],"x_kv":[[1],[-1]],"w_q":[[1,0],[0,1]],"w_k":[[2]],"w_v":[[3]],
            "b_q":[1,2],"b_k":[-1],"b_v":[0.5],"w_o":[[1,2,3],[4,5,6]],"b_o":[1,1,1]}}"#,
        // Large scores, tiny weights.
        r#"{"format":"attnlab/1","scale":"none","inputs":{"q":[[40]],"k":[[20],[1],[-20]],"v":[[1],[2],[1e9]]}}"#,
        // Every step that a softmax can have.
        r#"{"format":"attnlab/1","heads":{"query":2,"key_value":1},"tokens":["a","b","c"],"softcap":5,"sink":[1,0.5],
            "score":{"kind":"general","w":[[1,2],[0.5,-1]]},"bias":[[[1,2,0],[3,4,-1]],[[0,1,2],[1,0,-2]]],
            "position":{"kind":"rope","layout":"half_split","offset":-2,"scaling":{"kind":"linear","factor":2}},
            "dropout":{"p":0.4,"seed":1},"mask":{"causal":"lower_right"},
            "inputs":{"q":[[1,2,-1,0.5],[0.3,0.2,1,1]],"k":[[1,0],[0,1],[1,-1]],"v":[[1],[2],[-3]],"w_o":[[1],[2]]}}"#,
        r#"{"format":"attnlab/1","score":{"kind":"concat","w":[[1,0],[0,1],[1,2],[-1,1]],"v":[1,2]},
            "position":{"kind":"alibi","slopes":[0.25]},"bias":[[1,2,0],[3,4,-1]],"mask":{"key_padding":[1,1,0]},
            "inputs":{"q":[[1,2],[0.3,0.2]],"k":[[1,0],[0,1],[1,-1]],"v":[[1],[2],[-3]]}}"#,
        r#"{"format":"attnlab/1","position":{"kind":"rope","base":1e6,"scaling":{"kind":"ntk","factor":16}},
            "normalise":{"kind":"linear","feature_map":"elu_plus_one"},"mask":{"causal":"upper_left"},
            "inputs":{"q":[[1,2,-1,0.5],[0.3,-0.2,1,1]],"k":[[1,0,2,1],[0,1,-1,2]],"v":[[1],[2]]}}"#,
        r#"{"format":"attnlab/1","position":{"kind":"learned","table":[[1,2],[0.5,0.25],[3,-1],[9,9]]},"tokens":["a","b"],
            "normalise":{"kind":"sum"},"mask":{"allow":[[1,1,0],[0,1,1]]},"dropout":{"p":0.5,"seed":4},
            "inputs":{"x":[[1,2],[3,4]],"x_kv":[[1,-2],[-1,1],[0.5,0.5]],"w_q":[[1,0],[0,1]],"w_k":[[2,1],[1,0]],
            "w_v":[[3],[1]]}}"#,
    ];
    problems.extend(more.map(|text| (text.to_owned(), Problem::from_json(text).unwrap())));
    problems
}

#[test]
fn three_tokens_read_like_the_article() {
    for (language, markup) in ways() {
        let options = SolutionOptions { language, markup, ..SolutionOptions::default() };
        let text = written(&example("three-tokens-by-hand"), &options);
        let lines = [
            r"q_{\text{爱}} \cdot k_{\text{我}} &= 0.5 \times 1 = 0.5",
            r"q_{\text{爱}} \cdot k_{\text{爱}} &= 0.5 \times 2 = 1",
            r"q_{\text{爱}} \cdot k_{\text{你}} &= 0.5 \times 0.5 = 0.25",
            r"e^{0.5} = 1.6487",
            r"e^{1} = 2.7183",
            r"e^{0.25} = 1.2840",
            r"1.6487 + 2.7183 + 1.2840 = 5.6510",
            r"\frac{1.6487}{5.6510} = 0.2918",
            r"\frac{2.7183}{5.6510} = 0.4810",
            r"\frac{1.2840}{5.6510} = 0.2272",
            r"0.2918 \times 0.5 + 0.4810 \times 1 + 0.2272 \times 1.5 = 0.1459 + 0.4810 + 0.3408 = 0.9677",
        ];
        for line in lines {
            assert!(text.contains(line), "{language:?} {markup:?}: {line}\n{text}");
        }
        assert!(text.contains("我 爱 你"));
    }
}

#[test]
fn every_number_is_that_of_the_trace() {
    let mut count = 0;
    for (name, problem) in problems() {
        for (language, markup) in ways() {
            for (digits, rounding) in [(2, Rounding::Round), (4, Rounding::Round), (3, Rounding::Truncate)] {
                let format = NumberFormat { digits, rounding };
                let text = written(&problem, &SolutionOptions { language, format, markup, ..Default::default() });
                // Cut off, a number may be a whole unit of its last digit away.
                let digits = digits - usize::from(rounding == Rounding::Truncate);
                assert_eq!(first_wrong(&problem, &text, digits), None, "{name} {language:?} {markup:?}\n{text}");
                assert!(!text.contains("NaN") && !text.contains("[solution"), "{name}\n{text}");
                count +=
                    matrices(&text).iter().map(|(_, rows)| rows.iter().map(Vec::len).sum::<usize>()).sum::<usize>();
            }
        }
    }
    assert!(count > 50_000, "only {count} numbers were compared");
}

/// The control: one digit changed, in any matrix.
#[test]
fn a_changed_digit_goes_red() {
    let problem = example("i-like-cats");
    let text = written(&problem, &SolutionOptions::default());
    assert_eq!(first_wrong(&problem, &text, 4), None);
    for right in ["0.7071 & 0.7071", "0.4011 &"] {
        let at = text.rfind(&format!("{right} ")).unwrap_or_else(|| panic!("{right} is not in\n{text}"));
        let mut wrong = text.clone();
        wrong.replace_range(at + 5..at + 6, "9");
        assert!(first_wrong(&problem, &wrong, 4).is_some(), "{right}");
    }
}

/// The same control in every matrix of every problem: its first number that is not hidden, changed.
#[test]
fn a_changed_number_goes_red_in_every_matrix() {
    let mut count = 0;
    for (name, problem) in problems() {
        let text = written(&problem, &SolutionOptions::default());
        for (at, start) in text.match_indices(" = \\begin{bmatrix}\n") {
            let cell = at + start.len();
            let end = cell + text[cell..].find([' ', '\n']).unwrap();
            if text[cell..end].contains(['\\', 'e']) {
                continue;
            }
            let mut wrong = text.clone();
            wrong.replace_range(cell..end, "77.7777");
            assert!(first_wrong(&problem, &wrong, 4).is_some(), "{name}: {}", &text[at.saturating_sub(20)..end]);
            count += 1;
        }
    }
    assert!(count > 1000, "only {count} matrices");
}

/// Each line of arithmetic ends with the number that it is about.
#[test]
fn every_line_ends_with_its_number() {
    let mut count = 0;
    for (id, part, symbol) in [
        ("three-tokens-by-hand", Part::Weights, "A"),
        ("three-tokens-causal-reversed", Part::Exp, "E"),
        ("i-like-cats", Part::Scaled, "S"),
        ("i-like-cats", Part::Weights, "A"),
    ] {
        let problem = example(id);
        let trace = solve(&problem).unwrap();
        let text = written(&problem, &SolutionOptions::default());
        let (rows, columns) = labels(&problem, part);
        for (row, query) in rows.iter().enumerate() {
            for (column, key) in columns.iter().enumerate() {
                let left = format!("{symbol}_{{\\text{{{query}}},\\text{{{key}}}}} &= ");
                let line = text.split(&left).nth(1).unwrap_or_else(|| panic!("{left} in\n{text}"));
                let last = line.lines().next().unwrap().trim_end_matches("\\\\").rsplit(" = ").next().unwrap();
                let value = trace.get(part, 0).unwrap().value[(row, column)];
                assert!((number(last) - value).abs() <= 0.5001e-4, "{left}{last}, not {value}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 36);
}

#[test]
fn everything_that_is_opened_is_closed() {
    for (name, problem) in problems() {
        for (language, markup) in ways() {
            let text = written(&problem, &SolutionOptions { language, markup, ..Default::default() });
            assert_eq!((unbalanced(&text), doubled_script(&text)), (None, None), "{name}\n{text}");
            let options = WorksheetOptions { language, markup, seed: Some(1), ..Default::default() };
            let made = worksheet(&problem, &options).unwrap();
            assert_eq!((unbalanced(&made.sheet), unbalanced(&made.key)), (None, None), "{name}");
            assert_eq!((doubled_script(&made.sheet), doubled_script(&made.key)), (None, None), "{name}");
            assert!(!(made.sheet.clone() + &made.key).contains("[worksheet"), "{name}");
        }
    }
    for bad in ["\\begin{a}", "\\begin{a}\\end{b}", "{", "}{", "$x", "\\begin{a}\\begin{b}\\end{a}\\end{b}"] {
        assert!(unbalanced(bad).is_some(), "{bad}");
    }
    for bad in ["S_{c}_{0,1}", "K_r_0", "10^{7}^{-0.5}", "a^2^3", "S_{\\text{a}}_{b}"] {
        assert!(doubled_script(bad).is_some(), "{bad}");
    }
    for right in ["S_{c,0}", "{K_r}_0", "K_{r}^T", "(10^{7})^{2}", "x_{a_{b}}", "x_1 + y_2"] {
        assert_eq!(doubled_script(right), None, "{right}");
    }
}

#[test]
fn a_latex_document_chooses_the_class_that_has_its_letters() {
    let latex = SolutionOptions { markup: Markup::Latex, ..Default::default() };
    assert!(written(&example("i-like-cats"), &latex).starts_with("\\documentclass{article}"));
    assert!(written(&example("three-tokens-by-hand"), &latex).contains("\\documentclass{ctexart}"));
    let chinese = SolutionOptions { language: Language::Chinese, ..latex };
    assert!(written(&example("i-like-cats"), &chinese).contains("\\documentclass{ctexart}"));
}

#[test]
fn a_large_problem_says_what_it_leaves_out() {
    let text = written(&example("your-journey-starts"), &SolutionOptions::default());
    assert!(text.contains("Worked out here: row Your, journey."), "{text}");
    assert!(!text.contains("q_{\\text{starts}} \\cdot"));
    let problem = Problem::from_json(&format!(
        r#"{{"format":"attnlab/1","inputs":{{"q":{0},"k":{0},"v":{0}}}}}"#,
        serde_json::json!(vec![vec![0.5; 64]; 100])
    ))
    .unwrap();
    let text = written(&problem, &SolutionOptions::default());
    assert!(text.len() < 100_000 && text.contains("\\cdots") && text.contains("\\vdots"), "{}", text.len());
}

/// Powers that vanish in the digits shown: their quotient is shown with the maximum subtracted, never as 0/0.
#[test]
fn powers_that_vanish_are_not_divided_as_zeros() {
    for scores in ["[-50],[-51]", "[-100],[-120]", "[-800],[-801]", "[-20],[-20.5]", "[800],[799]"] {
        let text = format!(r#"{{"format":"attnlab/1","inputs":{{"q":[[1]],"k":[{scores}],"v":[[1],[2]]}}}}"#);
        let text = written(&Problem::from_json(&text).unwrap(), &SolutionOptions::default());
        assert!(!text.contains("}{0} =") && text.contains("A_{0,0} &="), "{text}");
    }
}

#[test]
fn mistakes_and_empty_rows_are_said_in_words() {
    let english = SolutionOptions::default();
    let never = written(&example("three-tokens-causal-never"), &english);
    assert!(never.contains("nothing is hidden. Every weight on a hidden pair is a leak") && never.contains("L_{"));
    let after = written(&example("three-tokens-causal-after-softmax"), &english);
    assert!(after.contains("the row no longer sums to 1"));
    let empty = written(&example("causal-five-by-two-lower"), &english);
    assert!(empty.contains("Query row 0 sees nothing"));
    let causal = written(&example("three-tokens-causal-before-softmax"), &english);
    assert!(causal.contains("我 $\\to$ 爱, 我 $\\to$ 你, 爱 $\\to$ 你") && !causal.contains("L_{"));
}

/// What a sheet tells beyond what is given, and what is computed before the first blank.
fn told(problem: &Problem, sheet: &str) -> String {
    let mut rest = sheet.to_owned();
    for (name, _) in matrices(sheet) {
        let (before, after) = rest.split_once(&format!("{name} = \\begin{{bmatrix}}\n")).unwrap();
        let (body, after) = after.split_once("\\end{bmatrix}").unwrap();
        let is_told = is_before_the_scores(problem, &name);
        rest = format!("{before}{}{after}", if is_told { "" } else { body });
    }
    rest
}

/// Whether a matrix is given, or computed before the scores: what dropout drew is given, too.
fn is_before_the_scores(problem: &Problem, name: &str) -> bool {
    let given = ["X", "X_{kv}", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O", "M", "\\tilde{M}"];
    if given.contains(&name) || given_of_variant(problem, name).is_some() {
        return true;
    }
    let heads = problem.heads.query;
    let of_variant = (0..heads).flat_map(|head| names_of_variant(problem, (heads > 1).then_some(head)));
    if let Some((_, part)) = of_variant.into_iter().find(|(symbol, _)| symbol == name) {
        return part < Part::Scores || part == Part::Kept;
    }
    ["X_0", "X_{kv,0}", "P"].contains(&name) || name.starts_with(['Q', 'K', 'V'])
}

/// With the steps from the scores on blank, no number of theirs stands anywhere else on the sheet, and in their matrices
/// there are only boxes.
#[test]
fn a_sheet_gives_no_answer_away() {
    let box_of = "\\boxed{\\phantom{0.0000}}\\vphantom{\\Big|}";
    let mut count = 0;
    for (name, problem) in problems() {
        for (language, markup) in ways() {
            for seed in [None, Some(5)] {
                let options = WorksheetOptions { language, markup, seed, ..Default::default() };
                let made = worksheet(&problem, &options).unwrap();
                let trace = solve(&made.problem).unwrap();
                let told = told(&made.problem, &made.sheet).replace(box_of, "");
                for step in &trace.steps {
                    let is_answer = step.part >= Part::Scores && !matches!(step.part, Part::Mask | Part::Kept);
                    for value in step.value.iter().filter(|value| is_answer && value.is_finite()) {
                        let text = options.format.natural(*value).replace('−', "-");
                        // Short numbers are those of sizes and sentences, too.
                        if text.len() >= 6 {
                            let is_of_the_scale =
                                told.matches(&text).count() == told.matches(&format!(" = {text}$")).count();
                            assert!(is_of_the_scale, "{name}: {text} of {:?} in\n{told}", step.part);
                            count += 1;
                        }
                    }
                }
                for (matrix, rows) in matrices(&made.sheet) {
                    let (_, after) = made.sheet.split_once(&format!("\n{matrix} = ")).unwrap();
                    if !is_before_the_scores(&made.problem, &matrix) {
                        let all = rows.iter().flatten().all(|number| number.is_nan());
                        assert!(all, "{name}: {matrix} is not blank: {}", after.lines().take(4).collect::<String>());
                    }
                }
            }
        }
    }
    assert!(count > 5_000, "only {count} numbers were looked for");
}

/// The control: a sheet where one answer was left in is found out by the same search.
#[test]
fn an_answer_that_is_left_in_is_found() {
    let problem = example("three-tokens-by-hand");
    let made = worksheet(&problem, &WorksheetOptions::default()).unwrap();
    assert!(!told(&made.problem, &made.sheet).contains("0.2918"));
    let at = made.sheet.rfind("A = \\begin{bmatrix}\n").unwrap() + "A = \\begin{bmatrix}\n".len();
    let mut leaking = made.sheet.clone();
    leaking.insert_str(at, "0.2918 & ");
    assert!(told(&made.problem, &leaking).contains("0.2918"));
}

#[test]
fn the_key_has_every_blank() {
    for (name, problem) in problems() {
        for share in [1.0, 0.4] {
            let Blanks::Parts { parts, .. } = Blanks::default() else { unreachable!() };
            let options = WorksheetOptions { blanks: Blanks::Parts { parts, share }, ..Default::default() };
            let made = worksheet(&problem, &options).unwrap();
            let boxes = made.sheet.matches("\\boxed").count();
            assert_eq!(first_wrong(&made.problem, &made.key, 4), None, "{name}");
            // Each blank has its line; exponentials and sums have theirs besides.
            let is_help = |line: &&str| line.starts_with("E_") || line.starts_with("\\Sigma_");
            let lines = made
                .key
                .lines()
                .filter(|line| line.contains(" &= ") && !is_help(line))
                .filter(|line| !line.starts_with(" &="));
            assert_eq!(lines.count(), boxes, "{name} {share}\n{}\n{}", made.sheet, made.key);
        }
    }
}

#[test]
fn blanks_that_give_each_other_away_are_blank_together() {
    let problem = example("three-tokens-by-hand");
    let place = |part, row, column| Place { part, head: 0, row, column };
    let cells = |places: &[Place]| WorksheetOptions { blanks: Blanks::Cells(places.to_vec()), ..Default::default() };
    // Later steps are not on the sheet at all.
    let made = worksheet(&problem, &cells(&[place(Part::Scores, 1, 0)])).unwrap();
    assert_eq!(made.sheet.matches("\\boxed").count(), 1);
    assert!(!made.sheet.contains("A = ") && !made.sheet.contains("\nY = \\begin") && !made.sheet.contains("S = "));
    // √1 changes nothing, so the score is the scaled score.
    let made = worksheet(&problem, &cells(&[place(Part::Scaled, 1, 0)])).unwrap();
    assert_eq!(made.sheet.matches("\\boxed").count(), 2);
    // The weights are shown, but at the blank pair.
    let made = worksheet(&problem, &cells(&[place(Part::Scores, 1, 0), place(Part::Weights, 2, 2)])).unwrap();
    assert_eq!(made.sheet.matches("\\boxed").count(), 3);
}

/// Who is to rotate must know by how much, and where the tokens stand; what dropout drew nobody could know.
#[test]
fn a_sheet_says_what_its_first_step_needs() {
    let sheet = |more: &str, parts: &[Part]| {
        let text = format!(
            r#"{{"format":"attnlab/1",{more},"inputs":{{"q":[[1,2]],"k":[[1,0],[0,1],[1,1]],"v":[[1],[2],[3]]}}}}"#
        );
        let blanks = Blanks::Parts { parts: parts.to_vec(), share: 1.0 };
        worksheet(&Problem::from_json(&text).unwrap(), &WorksheetOptions { blanks, ..Default::default() })
    };
    let rotated = sheet(r#""position":{"kind":"rope","offset":3}"#, &[Part::QRotated, Part::KRotated]).unwrap().sheet;
    assert!(rotated.contains("$\\theta_i = 10000^{-2i/2}$") && !rotated.contains("QK"), "{rotated}");
    assert!(rotated.contains("The first query stands at position $5$, the first key at position $3$"), "{rotated}");
    assert_eq!(rotated.matches("\\boxed").count(), 8);
    let penalised = sheet(r#""position":{"kind":"alibi","slopes":[0.5]}"#, &[Part::Biased]).unwrap().sheet;
    assert!(penalised.contains("\\lambda = 0.5") && penalised.contains("The first query stands at position $2$"));
    let dropped = sheet(r#""dropout":{"p":0.5,"seed":3}"#, &[Part::Weights]).unwrap().sheet;
    assert!(dropped.contains("D = \\begin{bmatrix}") && dropped.matches("\\boxed").count() == 3, "{dropped}");
    let kept = sheet(r#""dropout":{"p":0.5,"seed":3}"#, &[Part::Kept]).unwrap_err();
    assert_eq!(kept, WorksheetError::Given(Part::Kept));
}

#[test]
fn what_cannot_be_blank_is_refused() {
    let problem = example("three-tokens-by-hand");
    let refused = |blanks| worksheet(&problem, &WorksheetOptions { blanks, ..Default::default() }).unwrap_err();
    let parts = |parts: &[Part], share| Blanks::Parts { parts: parts.to_vec(), share };
    assert_eq!(refused(parts(&[Part::Q], 1.0)), WorksheetError::Given(Part::Q));
    assert_eq!(refused(parts(&[], 1.0)), WorksheetError::NothingBlank);
    // On a sheet every number must be there, and a page holds only so many.
    let wide = r#"{"format":"attnlab/1","inputs":{"q":[[0]],"k":[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]],
        "v":[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]]}}"#;
    let wide = worksheet(&Problem::from_json(wide).unwrap(), &WorksheetOptions::default());
    assert_eq!(wide.unwrap_err(), WorksheetError::TooLarge { found: 17, most: 16 });
    assert_eq!(refused(parts(&[Part::Scores], 0.0)), WorksheetError::Share(0.0));
    let outside = Place { part: Part::Output, head: 0, row: 3, column: 0 };
    assert_eq!(refused(Blanks::Cells(vec![outside])), WorksheetError::NoSuchCell(outside));
}

#[test]
fn a_seed_draws_other_numbers_of_the_same_difficulty() {
    for example in all() {
        let problem = &example.problem;
        let options = |seed| WorksheetOptions { seed, ..Default::default() };
        let made = |seed| worksheet(problem, &options(seed)).unwrap();
        assert_eq!(made(Some(3)), made(Some(3)), "{}", example.id);
        assert_eq!(made(None).problem, *problem);
        // (Zeros all through hold no other numbers.)
        if all_constant(problem) {
            continue;
        }
        assert_ne!(made(Some(3)).problem, *problem, "{}", example.id);
        let drawn: Vec<Problem> = (0..20).map(|seed| other_numbers(problem, seed)).collect();
        assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]), "{}", example.id);
        for other in &drawn {
            assert_eq!(
                (other.shapes(), &other.mask, &other.tokens),
                (problem.shapes(), &problem.mask, &problem.tokens)
            );
            for part in Part::ALL {
                let (Some(old), Some(new)) = (whole_matrix(problem, part), whole_matrix(other, part)) else { continue };
                assert!(new.min() >= old.min() && new.max() <= old.max(), "{} {part:?}", example.id);
                for steps in [1.0, 2.0, 4.0, 10.0, 100.0] {
                    if is_on(old, steps) {
                        assert!(is_on(new, steps), "{} {part:?} {steps}: {new}", example.id);
                    }
                }
                if old.min() < old.max() {
                    let is_flat = |row: &[f64]| row.len() > 1 && row.iter().all(|number| *number == row[0]);
                    let rows: Vec<Vec<f64>> = new.row_iter().map(|row| row.iter().copied().collect()).collect();
                    assert!(!rows.iter().any(|row| is_flat(row)), "{} {part:?}: {new}", example.id);
                    assert!(rows.len() == 1 || rows.iter().any(|row| *row != rows[0]), "{} {part:?}", example.id);
                }
            }
        }
    }
    // The control: thirds are on none of the grids.
    assert!(!is_on(&Matrix::from_element(1, 1, 1.0 / 3.0), 100.0) && is_on(&Matrix::from_element(1, 1, -0.25), 4.0));
}

/// What a variant brings with it is drawn as well, on its own grid, and the problem is one that the file format takes.
#[test]
fn a_seed_draws_the_numbers_of_a_variant() {
    let mut drawn = 0;
    for (name, problem) in problems() {
        for seed in 0..5 {
            let other = other_numbers(&problem, seed);
            assert_eq!(other, other_numbers(&problem, seed), "{name}");
            assert_eq!(Problem::from_json(&other.to_json()).as_ref(), Ok(&other), "{name}");
            assert_eq!(other.family.keys(), problem.family.keys(), "{name}");
            let (old, new) = (&problem.family, &other.family);
            assert_eq!((&old.softcap, &old.sink, old.dropout.p), (&new.softcap, &new.sink, new.dropout.p), "{name}");
            drawn += old.differing(new).len();
            if let (Some(old), Some(new)) = (&old.bias, &new.bias) {
                let (old, new) = (old.of_head(0).unwrap(), new.of_head(0).unwrap());
                assert!(new.min() >= old.min() && new.max() <= old.max() && (!is_on(&old, 1.0) || is_on(&new, 1.0)));
            }
        }
    }
    assert!(drawn > 30, "only {drawn} parts of variants were drawn");
}

fn is_on(values: &Matrix, steps_in_one: f64) -> bool {
    values.iter().all(|value| (value * steps_in_one - (value * steps_in_one).round()).abs() < 1e-9)
}

fn all_constant(problem: &Problem) -> bool {
    let parts = Part::ALL.into_iter().filter_map(|part| whole_matrix(problem, part));
    parts.into_iter().all(|values| values.min() == values.max())
}

/// With many digits, both sides of every equality are the same number.
#[test]
fn every_line_of_arithmetic_is_right() {
    let format = NumberFormat { digits: 12, rounding: Rounding::Round };
    let mut count = 0;
    for (name, problem) in problems() {
        // Whatever can be worked out.
        let is_given = |part: Part| part.is_input(&problem) || matches!(part, Part::Mask | Part::Kept | Part::Concat);
        let parts = Part::ALL.into_iter().filter(|&part| !is_given(part)).collect();
        let blanks = Blanks::Parts { parts, share: 1.0 };
        let text = written(&problem, &SolutionOptions { format, ..Default::default() });
        let options = WorksheetOptions { format, blanks, ..Default::default() };
        let key = worksheet(&problem, &options).unwrap().key;
        assert_eq!(unlike_the_matrix(&key), None, "{name}");
        for text in [text, key] {
            let (wrong, equalities) = unequal(&text, 1e-7);
            assert_eq!(wrong, None, "{name}");
            count += equalities;
        }
    }
    assert!(count > 20_000, "only {count} equalities");
    // The control.
    for wrong in [
        "a &= \\tanh(1) = 0.8",
        "a &= \\sin(1) = 1",
        "a &= \\cos(1) = 1",
        "a &= 100^{-0.5} = 10",
        "a &= 1 + 2 = 4",
        "a &= 2 \\times (-1) = 2",
        "a &= \\frac{1}{2} = 0.4",
        "a &= 1 = ?",
        "a &= e^{1} = 2.7",
    ] {
        assert!(unequal(wrong, 1e-7).0.is_some(), "{wrong}");
    }
    assert_eq!(
        unequal("a &= \\sin(0) + (4)^{0.5} + 100^{-0.5} \\times 10 = \\cos(0) + 2 + \\tanh(0) = 3", 1e-7).0,
        None
    );
    let right = "a &= \\frac{2}{\\sqrt{4}} + (-1) \\times 2 - \\max(-1, 3) = -4 \\\\\nb &= 0.5 + (-\\infty) = -\\infty";
    assert_eq!(unequal(right, 1e-7).0, None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_problem_can_be_written(problem in prop_oneof![generate::problem(), generate::member()], seed in any::<u64>(), share in 0.1..=1.0) {
        let format = NumberFormat { digits: 12, rounding: Rounding::Round };
        let Blanks::Parts { parts, .. } = Blanks::default() else { unreachable!() };
        let blanks = Blanks::Parts { parts, share };
        let options = WorksheetOptions { format, blanks, seed: Some(seed), ..Default::default() };
        let text = written(&problem, &SolutionOptions { format, ..Default::default() });
        let made = worksheet(&problem, &options).unwrap();
        prop_assert_eq!(first_wrong(&problem, &text, 9), None);
        prop_assert_eq!(first_wrong(&made.problem, &made.key, 9), None);
        // Small powers show two digits at least.
        prop_assert_eq!(unequal(&text, 2e-2).0, None);
        prop_assert_eq!(unequal(&made.key, 2e-2).0, None);
        for text in [text, made.sheet, made.key] {
            prop_assert_eq!((unbalanced(&text), doubled_script(&text)), (None, None));
        }
    }
}
