//! Figures: what stands in them, where it stands, whether it can be read, and that it is well-formed.
//!
//! Where texts lie is asked of usvg with real fonts, not of the widths that the figure was laid out with.

use attnlab::attention::{MaskApplied, Normalise, Part, Problem, Trace, labels, matrix, solve};
use attnlab::figure::{FigureError, FigureOptions, Subject, png, svg, symbol_of};
use attnlab::writing::{Language, Texts};
use resvg::tiny_skia::Pixmap;
use resvg::usvg::{self, Node, fontdb};
use std::sync::{Arc, OnceLock};

fn options(language: Language, dark: bool) -> FigureOptions {
    FigureOptions { language, dark, ..FigureOptions::default() }
}

/// Every language in both themes.
fn all_options() -> Vec<FigureOptions> {
    Language::ALL.iter().flat_map(|&language| [false, true].map(|dark| options(language, dark))).collect()
}

fn english() -> FigureOptions {
    FigureOptions::default()
}

/// The built-in examples, solved.
fn examples() -> Vec<(String, Problem, Trace)> {
    let all = attnlab::examples::all().iter();
    all.map(|example| (example.id.clone(), example.problem.clone(), solve(&example.problem).unwrap())).collect()
}

fn problem(text: &str) -> (Problem, Trace) {
    let problem = Problem::from_json(text).unwrap();
    let trace = solve(&problem).unwrap();
    (problem, trace)
}

/// n tokens and as many heads, with numbers that look random.
fn large(n: usize, heads: usize) -> (Problem, Trace) {
    let number = |row: usize, column: usize, salt: usize| {
        f64::from(((row * 7919 + column * 104_729 + salt * 1299) % 2003) as u32) / 500.0 - 2.0
    };
    let rows = |salt| (0..n).map(|row| (0..heads * 2).map(|c| number(row, c, salt)).collect()).collect();
    let [q, k, v]: [Vec<Vec<f64>>; 3] = [rows(1), rows(2), rows(3)];
    let text = serde_json::json!({
        "format": "attnlab/1", "heads": {"query": heads}, "inputs": {"q": q, "k": k, "v": v},
    });
    problem(&text.to_string())
}

/// All texts, in the order in which they are drawn; without the full names behind them.
fn texts_of(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    let shown = |node: roxmltree::Node| {
        let pieces = node.descendants().filter(|piece| piece.is_text());
        pieces
            .filter(|piece| !piece.parent().unwrap().has_tag_name("title"))
            .filter_map(|piece| piece.text().map(str::to_owned))
            .collect()
    };
    texts.map(shown).collect()
}

/// The matrix as it is drawn, and its numbers as the page writes them, row by row.
fn written(problem: &Problem, trace: &Trace, part: Part, head: usize, options: &FigureOptions) -> Option<Vec<String>> {
    let values = matrix(problem, trace, part, head)?;
    let values = if part == Part::K { values.transpose() } else { values };
    let format = options.format.just_enough(values.iter().copied().filter(|value| value.is_finite()));
    let write = |&value: &f64| match part {
        Part::Mask if problem.family.normalise != Normalise::Softmax => value.to_string(),
        Part::Mask => if value == 1.0 { "0" } else { "−∞" }.to_owned(),
        _ => format.fixed(value),
    };
    Some(values.row_iter().flat_map(|row| row.iter().map(write).collect::<Vec<_>>()).collect())
}

#[test]
fn every_step_of_every_example_has_its_numbers_names_and_words() {
    let mut drawn = 0;
    for (id, problem, trace) in examples() {
        for options in all_options() {
            let texts = Texts::new(options.language);
            for part in Part::ALL {
                for head in [0, problem.heads.query - 1] {
                    let subject = Subject::Step { part, head };
                    let Some(numbers) = written(&problem, &trace, part, head, &options) else {
                        let error = svg(&problem, &trace, &subject, &options).unwrap_err();
                        assert_eq!(error, FigureError::NoSuchStep { step: part.key() }, "{id}");
                        continue;
                    };
                    let found = texts_of(&svg(&problem, &trace, &subject, &options).unwrap());
                    let what = format!("{id}, {part:?} of head {head}, {options:?}: {found:?}");
                    drawn += 1;
                    assert!(found.windows(numbers.len()).any(|window| window == numbers), "numbers of {what}");
                    let has = |text: &str| found.iter().any(|found| found == text);
                    assert!(has(&symbol_of(&problem, part).replace(['^', '_', '{', '}', '"'], "")), "symbol of {what}");
                    let is_output = part == Part::Context && !problem.joins_heads();
                    let named = if is_output { Part::Output } else { part };
                    assert!(has(&texts.t(&format!("part-{}", named.key().replace('_', "-")))), "name of {what}");
                    if matches!(part, Part::Scores | Part::Scaled | Part::Mask | Part::Masked | Part::Weights) {
                        assert!(has(&texts.t("axis-query")) && has(&texts.t("axis-key")), "axes of {what}");
                        let (rows, columns) = labels(&problem, part);
                        for label in rows.iter().chain(&columns).filter(|label| label.chars().count() < 10) {
                            assert!(has(label), "token {label} of {what}");
                        }
                    }
                }
            }
        }
    }
    assert!(drawn > 1000, "only {drawn} steps were drawn");
}

#[test]
fn heads_and_pipeline_have_every_matrix_in_the_order_of_the_page() {
    let order = [Part::Q, Part::K, Part::Scores, Part::Scaled, Part::Mask, Part::Masked, Part::Weights, Part::V];
    for (id, problem, trace) in examples() {
        for options in all_options() {
            let found = texts_of(&svg(&problem, &trace, &Subject::Pipeline { head: 0 }, &options).unwrap());
            let mut from = 0;
            for (part, numbers) in order.map(|part| (part, written(&problem, &trace, part, 0, &options))) {
                let Some(numbers) = numbers else {
                    // Nothing is masked where the mask comes after the softmax, nor scaled in linear attention.
                    let may_lack = match part {
                        Part::Mask | Part::Masked => problem.mask_applied != MaskApplied::BeforeSoftmax,
                        Part::Scaled => problem.family.normalise == Normalise::Linear,
                        _ => false,
                    };
                    assert!(may_lack, "{id}: {part:?}");
                    continue;
                };
                let at = found[from..].windows(numbers.len()).position(|window| window == numbers);
                from += at.unwrap_or_else(|| panic!("{id}: {part:?} is missing or too early in {found:?}"));
            }
            for operator in ["×", "=", "→"] {
                assert!(found.iter().any(|text| text == operator), "{id}: {operator} is missing");
            }
            let found = texts_of(&svg(&problem, &trace, &Subject::Heads, &options).unwrap());
            for head in 0..problem.heads.query {
                let numbers = written(&problem, &trace, Part::Weights, head, &options).unwrap();
                assert!(found.windows(numbers.len()).any(|window| window == numbers), "{id}: head {head}: {found:?}");
            }
        }
    }
}

/// Texts outside the picture, texts over one another, and numbers over the edge of their cell.
fn misplaced(svg: &str) -> Vec<String> {
    let options = usvg::Options { fontdb: Arc::clone(fonts()), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).unwrap();
    let (mut texts, mut cells) = (Vec::new(), Vec::new());
    collect(tree.root(), &mut texts, &mut cells);
    let (width, height) = (tree.size().width(), tree.size().height());
    let mut wrong = Vec::new();
    for (index, (text, own)) in texts.iter().enumerate() {
        if own.left() < 0.0 || own.top() < 0.0 || own.right() > width || own.bottom() > height {
            wrong.push(format!("{text:?} is outside"));
        }
        let over = |(_, other): &&(String, usvg::Rect)| {
            // The boxes of a face are higher than its letters.
            let inset = 0.25 * own.height().min(other.height());
            let across = own.right().min(other.right()) - own.left().max(other.left());
            across > 0.2 && own.bottom().min(other.bottom()) - own.top().max(other.top()) > 2.0 * inset
        };
        if let Some((other, _)) = texts[index + 1..].iter().find(over) {
            wrong.push(format!("{text:?} lies on {other:?}"));
        }
        let middle = ((own.left() + own.right()) / 2.0, (own.top() + own.bottom()) / 2.0);
        let is_around = |cell: &&usvg::Rect| {
            (cell.left()..cell.right()).contains(&middle.0) && (cell.top()..cell.bottom()).contains(&middle.1)
        };
        let cell = cells.iter().filter(is_around).min_by(|a, b| a.width().total_cmp(&b.width()));
        if cell.is_some_and(|cell| own.left() < cell.left() || own.right() > cell.right()) {
            wrong.push(format!("{text:?} at {own:?} reaches over its cell {cell:?}"));
        }
    }
    assert!(!texts.is_empty());
    wrong
}

fn collect(group: &usvg::Group, texts: &mut Vec<(String, usvg::Rect)>, cells: &mut Vec<usvg::Rect>) {
    for node in group.children() {
        match node {
            Node::Group(group) => collect(group, texts, cells),
            Node::Text(text) => {
                let shown = text.chunks().iter().map(|chunk| chunk.text()).collect();
                texts.push((shown, text.abs_bounding_box()));
            }
            Node::Path(path) if path.stroke().is_none() => cells.push(path.abs_bounding_box()),
            _ => {}
        }
    }
}

/// The fonts of the machine, and the face in which the page writes.
fn fonts() -> &'static Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(include_bytes!("../assets/fonts/plex-regular.ttf").to_vec());
        fonts.load_system_fonts();
        fonts.set_serif_family("IBM Plex Sans");
        fonts.set_sans_serif_family("IBM Plex Sans");
        Arc::new(fonts)
    })
}

#[test]
fn every_text_lies_within_the_figure_clear_of_others_and_of_its_cell() {
    let subjects = [
        Subject::Step { part: Part::Masked, head: 0 },
        Subject::Step { part: Part::Weights, head: 0 },
        Subject::Heads,
        Subject::Pipeline { head: 0 },
    ];
    for (id, problem, trace) in examples() {
        for &language in Language::ALL {
            for subject in subjects {
                for width_mm in [60.0, 160.0, 400.0] {
                    let options = FigureOptions { width_mm, ..options(language, false) };
                    match svg(&problem, &trace, &subject, &options).map(|drawn| misplaced(&drawn)) {
                        Ok(wrong) => assert!(wrong.is_empty(), "{id}, {subject:?}, {options:?}: {wrong:#?}"),
                        Err(error) => assert_eq!(error, FigureError::NoSuchStep { step: "masked" }, "{id}"),
                    }
                }
            }
        }
    }
}

#[test]
fn large_matrices_and_many_heads_are_in_order_too() {
    for (n, heads) in [(16, 1), (16, 4), (49, 2), (130, 1), (40, 24)] {
        let (problem, trace) = large(n, heads);
        for subject in [
            Subject::Step { part: Part::Weights, head: 0 },
            Subject::Step { part: Part::Q, head: 0 },
            Subject::Step { part: Part::K, head: 0 },
            Subject::Heads,
            Subject::Pipeline { head: 0 },
        ] {
            let wrong = misplaced(&svg(&problem, &trace, &subject, &english()).unwrap());
            assert!(wrong.is_empty(), "{n} tokens, {heads} heads, {subject:?}: {wrong:#?}");
        }
    }
}

#[test]
fn a_text_that_was_moved_is_found() {
    let (_, problem, trace) = examples().swap_remove(0);
    let subject = Subject::Step { part: Part::Weights, head: 0 };
    let good = svg(&problem, &trace, &subject, &english()).unwrap();
    assert!(misplaced(&good).is_empty());
    let number = good.rfind(">0.8438</text>").unwrap();
    let start = good[..number].rfind("<text x=\"").unwrap() + "<text x=\"".len();
    let x: i32 = good[start..].split('"').next().unwrap().parse().unwrap();
    for shift in [-12_000, -2_000, -700, 700] {
        let moved = format!("{}{}{}", &good[..start], x + shift, &good[start + x.to_string().len()..]);
        assert!(!misplaced(&moved).is_empty(), "moved by {shift}");
    }
}

/// Texts that do not stand out from what they stand on, and how many stand on a cell.
fn unreadable(svg: &str) -> (Vec<String>, usize) {
    let document = roxmltree::Document::parse(svg).unwrap();
    let number = |node: roxmltree::Node, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let rects: Vec<_> = document.descendants().filter(|node| node.has_tag_name("rect")).collect();
    let (mut wrong, mut on_cells) = (Vec::new(), 0);
    for text in document.descendants().filter(|node| node.has_tag_name("text")) {
        let inwards = if text.attribute("text-anchor") == Some("end") { -1.0 } else { 1.0 };
        let (x, y) = (number(text, "x") + inwards, number(text, "y") - 0.3 * number(text, "font-size"));
        let is_below = |rect: &&roxmltree::Node| {
            let (left, top) = (number(**rect, "x"), number(**rect, "y"));
            (left..left + number(**rect, "width")).contains(&x) && (top..top + number(**rect, "height")).contains(&y)
        };
        let below: Vec<_> = rects.iter().filter(is_below).collect();
        let ground = below.last().unwrap().attribute("fill").unwrap();
        on_cells += usize::from(below.len() > 1);
        let found = contrast(text.attribute("fill").unwrap(), ground);
        if found < 4.5 {
            wrong.push(format!("{:?} on {ground}: {found}", text.text()));
        }
    }
    (wrong, on_cells)
}

/// WCAG 2.2.
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |hex: &str| {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn every_number_stands_out_from_its_cell_and_every_word_from_the_page() {
    for (id, problem, trace) in examples() {
        for options in all_options() {
            for part in Part::ALL.into_iter().filter(|part| matrix(&problem, &trace, *part, 0).is_some()) {
                let drawn = svg(&problem, &trace, &Subject::Step { part, head: 0 }, &options).unwrap();
                let (wrong, on_cells) = unreadable(&drawn);
                assert!(wrong.is_empty(), "{id}, {part:?}, {options:?}: {wrong:?}");
                assert_eq!(on_cells, matrix(&problem, &trace, part, 0).unwrap().len(), "{id}, {part:?}");
            }
        }
    }
    let (_, problem, trace) = examples().swap_remove(0);
    let drawn = svg(&problem, &trace, &Subject::Step { part: Part::Weights, head: 0 }, &english()).unwrap();
    let faint = drawn.replace("fill=\"#FFFFFF\" text-anchor", "fill=\"#8090A0\" text-anchor");
    assert!(!unreadable(&faint).0.is_empty(), "a number that is hard to read is not found");
}

#[test]
fn hidden_pairs_are_hatched_and_leaks_are_framed() {
    let (problem, trace) = problem(
        r#"{"format":"attnlab/1","mask":{"causal":"upper_left"},"inputs":{"q":[[1],[2]],"k":[[1],[2]],"v":[[1],[2]]}}"#,
    );
    let weights = Subject::Step { part: Part::Weights, head: 0 };
    let (hatch, leak) = ("stroke=\"#C4C1B8\"", "stroke=\"#D55E00\"");
    let hidden = svg(&problem, &trace, &weights, &english()).unwrap();
    assert!(hidden.contains(hatch) && !hidden.contains(leak));
    let leaking = Problem { mask_applied: attnlab::attention::MaskApplied::Never, ..problem };
    let trace = solve(&leaking).unwrap();
    let drawn = svg(&leaking, &trace, &weights, &english()).unwrap();
    assert!(!drawn.contains(hatch) && drawn.matches(leak).count() == 1);
    // Without numbers the leaking region has an outline: one cell has four edges.
    let plain = FigureOptions { numbers: false, ..english() };
    let drawn = svg(&leaking, &trace, &weights, &plain).unwrap();
    let outline = drawn.lines().find(|line| line.contains(leak)).unwrap();
    assert_eq!(outline.matches('M').count(), 4, "{outline}");
    assert!(!texts_of(&drawn).contains(&"0.1192".to_owned()));
}

#[test]
fn hostile_tokens_stay_text() {
    let long = "长".repeat(500);
    let tokens = [
        "<script>alert(1)</script>",
        "&amp;\"'",
        "a\nb\tc\r",
        "]]><!--",
        "👩‍👩‍👧",
        "\u{0}\u{1}\u{fffe}",
        long.as_str(),
        "",
        " ",
    ];
    let ones: Vec<Vec<f64>> = vec![vec![1.0]; tokens.len()];
    let text = serde_json::json!({
        "format": "attnlab/1", "tokens": tokens, "inputs": {"q": ones, "k": ones, "v": ones},
    });
    let (problem, trace) = problem(&text.to_string());
    for subject in [Subject::Step { part: Part::Weights, head: 0 }, Subject::Heads, Subject::Pipeline { head: 0 }] {
        let drawn = svg(&problem, &trace, &subject, &english()).unwrap();
        let document = roxmltree::Document::parse(&drawn).unwrap();
        let known = ["svg", "title", "rect", "line", "polyline", "path", "g", "text", "tspan"];
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            assert!(known.contains(&node.tag_name().name()), "{:?}", node.tag_name());
        }
        let found = texts_of(&drawn);
        for shown in ["<script>…", "&amp;\"'", "a␊b␉c␍", "]]><!--", "👩‍👩‍👧", "␀␁\u{fffd}", "长长长长长长长长…"]
        {
            assert!(found.iter().any(|text| text == shown), "{shown} is not among {found:?}");
        }
        let full = document.descendants().filter(|node| node.has_tag_name("title")).filter_map(|node| node.text());
        assert!(full.clone().any(|text| text == tokens[0]) && full.clone().any(|text| text == long));
        let without_emoji = drawn.replace("👩‍👩‍👧", "");
        assert!(misplaced(&without_emoji).is_empty(), "{:?}", misplaced(&without_emoji));
    }
    let broken = "<svg><text><script></text></svg>";
    assert!(roxmltree::Document::parse(broken).is_err());
}

#[test]
fn what_is_asked_wrongly_is_refused() {
    let (_, problem, trace) = examples().swap_remove(0);
    let refused = |subject: Subject, width_mm: f64| {
        svg(&problem, &trace, &subject, &FigureOptions { width_mm, ..english() }).unwrap_err()
    };
    assert_eq!(refused(Subject::Pipeline { head: 1 }, 160.0), FigureError::NoSuchHead { head: 1, heads: 1 });
    let far = Subject::Step { part: Part::Mask, head: usize::MAX };
    assert_eq!(refused(far, 160.0), FigureError::NoSuchHead { head: usize::MAX, heads: 1 });
    assert_eq!(refused(Subject::Step { part: Part::WO, head: 0 }, 160.0), FigureError::NoSuchStep { step: "w_o" });
    for width in [0.0, -1.0, 19.0, 2001.0, f64::INFINITY, f64::NAN] {
        assert!(matches!(refused(Subject::Heads, width), FigureError::Width { .. }), "{width}");
    }
}

#[test]
fn the_largest_matrices_stay_small_files() {
    const MEGABYTE: usize = 1 << 20;
    let (problem, trace) = large(512, 2);
    let size = |problem, trace, subject: Subject| svg(problem, trace, &subject, &english()).unwrap().len();
    for part in [Part::Scores, Part::Weights, Part::Q, Part::K] {
        let found = size(&problem, &trace, Subject::Step { part, head: 0 });
        assert!(found < 3 * MEGABYTE, "{part:?}: {found} bytes");
    }
    for subject in [Subject::Heads, Subject::Pipeline { head: 1 }] {
        let found = size(&problem, &trace, subject);
        assert!(found < 4 * MEGABYTE, "{subject:?}: {found} bytes");
    }
    let (problem, trace) = large(128, 64);
    let found = size(&problem, &trace, Subject::Heads);
    assert!(found < 4 * MEGABYTE, "64 heads: {found} bytes");
}

#[test]
fn a_size_in_millimetres_becomes_pixels() {
    let (problem, trace) = problem(r#"{"format":"attnlab/1","inputs":{"q":[[1,2]],"k":[[1,3]],"v":[[1]]}}"#);
    let options = FigureOptions { width_mm: 127.0, ..english() };
    let drawn = svg(&problem, &trace, &Subject::Pipeline { head: 0 }, &options).unwrap();
    let document = roxmltree::Document::parse(&drawn).unwrap();
    let height: f64 = document.root_element().attribute("height").unwrap().strip_suffix("mm").unwrap().parse().unwrap();
    assert_eq!(document.root_element().attribute("width"), Some("127mm"));
    for dpi in [72, 300] {
        let picture = Pixmap::decode_png(&png(&drawn, dpi).unwrap()).unwrap();
        let expected = |mm: f64| (mm / 25.4 * f64::from(dpi)).round();
        assert_eq!((f64::from(picture.width()), f64::from(picture.height())), (expected(127.0), expected(height)));
        assert!(colours(&picture) > 20, "the picture is blank");
    }
}

fn colours(picture: &Pixmap) -> usize {
    let found: std::collections::BTreeSet<[u8; 4]> =
        picture.pixels().iter().map(|p| [p.red(), p.green(), p.blue(), p.alpha()]).collect();
    found.len()
}

#[test]
fn chinese_tokens_are_drawn_or_named_as_missing() {
    let drawn = |token: &str| {
        let text =
            format!(r#"{{"format":"attnlab/1","tokens":["{token}"],"inputs":{{"q":[[1]],"k":[[1]],"v":[[1]]}}}}"#);
        let (problem, trace) = problem(&text);
        let subject = Subject::Step { part: Part::Weights, head: 0 };
        png(&svg(&problem, &trace, &subject, &english()).unwrap(), 100)
    };
    // The same width, so that nothing else moves.
    let blank = Pixmap::decode_png(&drawn("\u{3000}").unwrap()).unwrap();
    match (drawn("我"), drawn("爱")) {
        (Ok(first), Ok(second)) => {
            let [first, second] = [first, second].map(|png| Pixmap::decode_png(&png).unwrap());
            let differ = |a: &Pixmap, b: &Pixmap| {
                assert_eq!((a.width(), a.height()), (b.width(), b.height()));
                a.pixels().iter().zip(b.pixels()).filter(|(a, b)| a != b).count()
            };
            // Both tokens of the row and of the column, and two boxes would be the same.
            assert!(differ(&first, &blank) > 100 && differ(&first, &second) > 50);
        }
        // A machine without a Chinese font.
        (first, _) => assert_eq!(first, Err(FigureError::MissingCharacters { characters: "我".to_owned() })),
    }
    // No font has a character that is not assigned.
    let error = drawn("a\u{10fff0}").unwrap_err();
    assert_eq!(error, FigureError::MissingCharacters { characters: "\u{10fff0}".to_owned() });
}

#[test]
fn the_command_draws_and_refuses() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let run = |arguments: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_attnlab"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = br#"{"format":"attnlab/1","inputs":{"q":[[1]],"k":[[2]],"v":[[3]]}}"#;
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    };
    for (arguments, word) in [
        (&["figure", "-"][..], "weights"),
        (&["figure", "-", "--step", "scores", "--lang", "zh-CN", "--dark", "--digits", "2"], "分数"),
        (&["figure", "-", "--heads", "--width", "80"], "Head 0"),
        (&["figure", "--pipeline", "-", "--head", "0", "--no-numbers"], "mask"),
    ] {
        let output = run(arguments);
        let drawn = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(texts_of(&drawn).iter().any(|text| text.starts_with(word)), "{arguments:?}: {drawn}");
    }
    let file = std::env::temp_dir().join(format!("attnlab-figure-{}.png", std::process::id()));
    let output = run(&["figure", "-", "--png", "--dpi", "100", "-o", file.to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(Pixmap::decode_png(&std::fs::read(&file).unwrap()).unwrap().width(), 630);
    std::fs::remove_file(file).unwrap();
    for arguments in [
        &["figure"][..],
        &["figure", "no such file"],
        &["figure", "-", "--png"],
        &["figure", "-", "--dpi", "100"],
        &["figure", "-", "--step", "nothing"],
        &["figure", "-", "--step", "w_o"],
        &["figure", "-", "--head", "1"],
        &["figure", "-", "--heads", "--pipeline"],
        &["figure", "-", "--heads", "--head", "0"],
        &["figure", "-", "--lang", "fr"],
        &["figure", "-", "--digits", "9"],
        &["figure", "-", "--width", "5"],
        &["figure", "-", "more"],
        &["figure", "-", "--colour"],
        &["figure", "-", "-o", "/no/such/folder/figure.svg"],
    ] {
        let output = run(arguments);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}
