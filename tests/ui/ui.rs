//! The window, driven through its accessibility tree as a person would name things: no pixels, no browser.

use attnlab::attention::Part;
use attnlab::examples;
use attnlab::long::Build;
use attnlab::long::gpu::GpuError;
use attnlab::platform::graphics::Starting;
use attnlab::platform::{Engine, EngineName, File, Host, Slot, Surroundings};
use attnlab::session::{Action, Panel, Session, ThemeChoice, update};
use attnlab::ui::App;
use attnlab::writing::{Language, Texts};
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// A place to run that remembers what was saved.
#[derive(Default)]
struct Desk {
    saved: RefCell<HashMap<&'static str, String>>,
    handed_over: RefCell<Vec<File>>,
    files: RefCell<Vec<File>>,
    /// Of its graphics processor: it never answers.
    is_silent: Cell<bool>,
    /// Which hands never answer, instead of its threads.
    silent_hands: RefCell<Option<Build>>,
    /// Milliseconds by which its clock was put forward.
    ahead: Cell<f64>,
}

fn slot_name(slot: Slot) -> &'static str {
    match slot {
        Slot::Session => "session",
        Slot::Linked => "linked",
        Slot::States => "states",
        Slot::Unread => "unread",
    }
}

impl Host for Desk {
    fn save(&self, slot: Slot, text: &str) {
        self.saved.borrow_mut().insert(slot_name(slot), text.to_owned());
    }
    fn saved(&self, slot: Slot) -> Option<String> {
        self.saved.borrow().get(slot_name(slot)).cloned()
    }
    fn hand_over(&self, file: &File) -> Result<Option<String>, String> {
        self.handed_over.borrow_mut().push(file.clone());
        Ok(None)
    }
    fn hand_over_picture(&self, name: &str, svg: &str) -> Result<Option<String>, String> {
        self.hand_over(&File::new(name.to_owned(), "image/svg+xml", svg.into()))
    }
    fn choose_files(&self) {}
    fn take_files(&self, _context: &egui::Context) -> Vec<File> {
        self.files.take()
    }
    fn surroundings(&self) -> Surroundings {
        Surroundings::ALL
    }
    fn set_height(&self, _height: f32) {}
    fn address(&self) -> String {
        "http://localhost/".to_owned()
    }
    fn forget_link(&self) {}
    fn languages(&self) -> Vec<String> {
        vec!["en".to_owned()]
    }
    fn reduced_motion(&self) -> bool {
        true
    }
    fn engine(&self) -> Engine {
        Engine { name: EngineName::Native, tried: Vec::new() }
    }
    fn set_language(&self, _tag: &str) {}
    fn hands(&self, context: &egui::Context) -> Result<Box<dyn attnlab::long::Hands>, String> {
        if let Some(build) = self.silent_hands.borrow().clone() {
            return Ok(Box::new(long::Silent(build)));
        }
        Ok(Box::new(attnlab::platform::threads::Threads::new(context)))
    }
    fn graphics(&self, context: &egui::Context, _d: usize, _forced: bool) -> Starting {
        let starting = Starting::default();
        if self.is_silent.get() {
            return starting;
        }
        starting.put(context, Err(GpuError::Absent));
        starting
    }
    fn milliseconds(&self) -> f64 {
        static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
        START.elapsed().as_secs_f64() * 1e3 + self.ahead.get()
    }
}

mod hostile;
mod long;
mod positions;
mod stepped;
mod studies;

struct Bench {
    harness: Harness<'static>,
    session: Rc<RefCell<Session>>,
    desk: Rc<Desk>,
    texts: Texts,
}

fn bench(session: Session, width: f32, height: f32) -> Bench {
    let session = Rc::new(RefCell::new(session));
    let desk = Rc::new(Desk::default());
    let (shared, host) = (Rc::clone(&session), Rc::clone(&desk) as Rc<dyn Host>);
    let mut app = None;
    let harness = Harness::builder().with_size(vec2(width, height)).build_ui(move |ui| {
        let app = app.get_or_insert_with(|| {
            // Chinese glyphs come from the system, and this bench has none.
            ui.ctx().set_missing_glyph_policy(egui::epaint::text::MissingGlyphPolicy::Tofu);
            App::new(ui.ctx(), Rc::clone(&shared), Rc::clone(&host))
        });
        app.show(ui);
    });
    let mut bench = Bench { harness, session, desk, texts: Texts::new(Language::English) };
    bench.settle();
    bench
}

impl Bench {
    fn settle(&mut self) {
        self.harness.run_steps(3);
    }

    fn press(&mut self, role: Role, name: &str) {
        self.harness.get_by_role_and_label(role, name).click();
        self.settle();
    }

    /// Presses a button as assistive technology does: it need not be on the screen.
    fn activate(&mut self, name: &str) {
        self.harness.get_by_role_and_label(Role::Button, name).click_accesskit();
        self.settle();
    }

    /// The labels of the cells of a grid, in reading order.
    fn cells(&self, grid: &str) -> Vec<String> {
        let grid = self.harness.get_by_role_and_label(Role::Grid, grid);
        grid.get_all_by_role(Role::GridCell).map(|cell| cell.accesskit_node().label().unwrap_or_default()).collect()
    }

    fn focus(&mut self, grid: &str) {
        self.harness.get_by_role_and_label(Role::Grid, grid).get_all_by_role(Role::GridCell).next().unwrap().focus();
        self.settle();
    }

    fn key(&mut self, key: Key) {
        self.harness.key_press(key);
        self.settle();
    }

    fn type_text(&mut self, text: &str) {
        self.harness.event(egui::Event::Text(text.to_owned()));
        self.settle();
    }
}

#[test]
fn the_article_s_output_is_there_and_an_edit_is_followed_and_taken_back() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    assert_eq!(bench.cells("output")[1], "0.9677");
    assert_eq!(bench.cells("weights")[3..6], ["0.2918", "0.4810", "0.2272"]);
    bench.focus("values");
    bench.key(Key::ArrowDown);
    bench.type_text("4");
    bench.key(Key::Enter);
    // 0.291757 · 0.5 + 0.481022 · 4 + 0.227221 · 1.5
    assert_eq!(bench.cells("output")[1], "2.4108");
    assert!(bench.desk.saved(Slot::Session).unwrap().contains("attnlab-session/1"), "an edit is saved");
    bench.harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    bench.settle();
    assert_eq!(bench.cells("output")[1], "0.9677");
}

#[test]
fn the_arithmetic_of_the_pinned_output_stands_written_out() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    let said = |bench: &Bench| {
        let all =
            bench.harness.get_all_by_role(Role::Status).map(|node| node.accesskit_node().label().unwrap_or_default());
        all.collect::<Vec<_>>().join("\n")
    };
    assert!(said(&bench).contains("0.1459 + 0.4810 + 0.3408 = 0.9677"), "{}", said(&bench));
    bench.focus("weights");
    bench.key(Key::ArrowDown);
    let text = said(&bench);
    for figure in ["exp(0.5)", "1.6487", "5.6510", "0.2918"] {
        assert!(text.contains(figure), "{figure} in {text}");
    }
}

#[test]
fn steps_go_by_keys_and_later_ones_are_veiled() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    for _ in 0..6 {
        bench.key(Key::B);
    }
    assert!(bench.cells("scores").iter().all(|cell| cell == "not yet"), "{:?}", bench.cells("scores"));
    bench.key(Key::N);
    assert_eq!(bench.cells("scores")[3], "0.50");
    assert!(bench.cells("weights").iter().all(|cell| cell == "not yet"));
}

#[test]
fn the_mask_switched_off_leaks_what_the_article_s_numbers_give() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    bench.press(Role::Button, "causal");
    assert_eq!(bench.cells("output")[1], "0.8112");
    let off = bench.texts.t("mask-off");
    bench.press(Role::CheckBox, &off);
    assert_eq!(bench.cells("output")[1], "0.9677");
    bench.harness.get_by_role_and_label(Role::Meter, "Leak of 爱: 0.2272");
    bench.harness.get_by_label_contains("2 of 3 rows fail");
    let zeroed = bench.texts.t("applied-after-softmax");
    bench.press(Role::Button, &zeroed);
    assert_eq!(bench.cells("output")[1], "0.6269");
    bench.harness.get_by_role_and_label(Role::Meter, "Leak of 爱: 0");
    bench.harness.get_by_label_contains("2 of 3 rows fail");
}

#[test]
fn a_stray_paste_goes_to_the_active_matrix() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    bench.focus("keys");
    bench.harness.event(egui::Event::Paste("1\n0\n0".to_owned()));
    bench.settle();
    bench.harness.get_by_label_contains("3×1, for keys");
    assert_eq!(bench.cells("keys")[0], "1.0");
    // Escape leaves it, Enter takes it.
    bench.key(Key::Escape);
    bench.key(Key::Enter);
    bench.key(Key::Escape);
    assert_eq!(bench.cells("keys"), ["1.0", "2.0", "0.5"]);
    bench.harness.event(egui::Event::Paste("1\n0\n0".to_owned()));
    bench.settle();
    bench.key(Key::Enter);
    assert_eq!(bench.cells("keys"), ["1", "0", "0"]);
}

#[test]
fn escape_ends_editing_and_changes_nothing() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    bench.focus("queries");
    bench.type_text("7");
    bench.key(Key::Escape);
    assert_eq!(bench.cells("queries")[0], "1.0");
    bench.type_text("7");
    bench.key(Key::Tab);
    assert_eq!(bench.cells("queries")[0], "7.0");
}

#[test]
fn a_bad_number_is_named_and_nothing_is_lost() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    bench.focus("queries");
    bench.type_text("1");
    bench.type_text("/0");
    bench.key(Key::Enter);
    bench.harness.get_by_label_contains("divides by zero");
    assert_eq!(bench.cells("queries")[0], "1.0");
}

/// On a slow machine one pass holds the key that opens the editor and all that is typed into it.
#[test]
fn what_is_typed_in_the_pass_that_opens_the_editor_is_not_lost() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    bench.focus("queries");
    let typed = |bench: &mut Bench, text: &str| {
        let key =
            |key, modifiers| egui::Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
        bench.harness.input_mut().events.push(key(Key::Enter, Modifiers::NONE));
        bench.harness.input_mut().events.push(key(Key::A, Modifiers::COMMAND));
        for letter in text.chars() {
            // A browser tells of the key and of its text. Pushed, not queued: a queued event has a pass of its own.
            if let Some(name) = Key::from_name(&letter.to_uppercase().to_string()) {
                bench.harness.input_mut().events.push(key(name, Modifiers::NONE));
            }
            bench.harness.input_mut().events.push(egui::Event::Text(letter.to_string()));
        }
        bench.harness.input_mut().events.push(key(Key::Enter, Modifiers::NONE));
        bench.settle();
    };
    typed(&mut bench, "1e1");
    assert_eq!(bench.cells("queries")[0], "10.0");
    typed(&mut bench, "1e999");
    bench.harness.get_by_label_contains("expected a finite number");
    typed(&mut bench, "abc");
    bench.harness.get_by_label_contains("found abc");
    assert_eq!(bench.session.borrow().view().stage, None, "letters that are typed are no shortcuts");
}

/// Presses the pointer on one cell of a grid, moves it over others, and lets go.
fn drag(bench: &mut Bench, grid: &str, cells: &[usize]) {
    let middle = |bench: &Bench, cell: usize| {
        let grid = bench.harness.get_by_role_and_label(Role::Grid, grid);
        grid.get_all_by_role(Role::GridCell).nth(cell).unwrap().rect().center()
    };
    let at: Vec<_> = cells.iter().map(|cell| middle(bench, *cell)).collect();
    bench.harness.hover_at(at[0]);
    bench.harness.step();
    bench.harness.drag_at(at[0]);
    bench.harness.step();
    for place in &at[1..] {
        // Two moves: the first makes it a drag.
        bench.harness.hover_at(*place - vec2(1.0, 0.0));
        bench.harness.step();
        bench.harness.hover_at(*place);
        bench.harness.step();
    }
    bench.harness.drop_at(at[at.len() - 1]);
    bench.settle();
}

#[test]
fn a_mask_is_painted_by_dragging_and_one_undo_takes_the_stroke_back() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    drag(&mut bench, "mask", &[1, 2]);
    assert!(bench.cells("mask").iter().all(|cell| cell == "0"), "outside of the paint mode a drag paints nothing");
    let paint = bench.texts.t("mask-paint");
    bench.press(Role::CheckBox, &paint);
    drag(&mut bench, "mask", &[1, 2, 5]);
    assert_eq!(bench.cells("mask"), ["0", "−∞", "−∞", "0", "0", "−∞", "0", "0", "0"]);
    bench.harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    bench.settle();
    assert!(bench.cells("mask").iter().all(|cell| cell == "0"), "{:?}", bench.cells("mask"));
}

#[test]
fn a_number_is_changed_by_dragging_in_the_mode_for_it() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    update(&mut bench.session.borrow_mut(), Action::SetPointerMode(attnlab::session::PointerMode::Drag));
    bench.settle();
    // Upwards by the distance of two cells: it grows.
    drag(&mut bench, "values", &[2, 0]);
    let value: f64 = bench.cells("values")[2].parse().unwrap();
    assert!(value > 1.6, "{value}");
    bench.harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    bench.settle();
    assert_eq!(bench.cells("values")[2], "1.5");
}

#[test]
fn a_hidden_cell_of_the_mask_is_minus_infinity_in_words_too() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    bench.press(Role::Button, "causal");
    bench.focus("mask");
    bench.key(Key::ArrowRight);
    bench.harness.get_by_label_contains("mask[我, 爱] = −∞");
}

/// Every example on every panel, both languages, both themes, wide and narrow: it draws, every control has a
/// name, and no text is missing.
#[test]
fn every_screen_draws_and_every_control_has_a_name() {
    let looks = [
        (1280.0, Language::English, ThemeChoice::Light),
        (1280.0, Language::Chinese, ThemeChoice::Dark),
        (360.0, Language::Chinese, ThemeChoice::Light),
    ];
    for (width, language, theme) in looks {
        let mut bench = bench(Session::default(), width, 1200.0);
        for (index, example) in examples::all().iter().enumerate() {
            let panel = Panel::ALL[index % Panel::ALL.len()];
            let actions = [
                Action::SetLanguage(language),
                Action::SetTheme(theme),
                Action::OpenPanel(panel),
                Action::LoadExample(example.id.clone()),
            ];
            for action in actions {
                update(&mut bench.session.borrow_mut(), action);
            }
            bench.settle();
            check_names(&bench, &format!("{} at {width}", example.id));
        }
    }
}

fn check_names(bench: &Bench, where_: &str) {
    let mut seen = 0;
    for node in bench.harness.root().children_recursive() {
        let node = node.accesskit_node();
        let label = node.label().or_else(|| node.value()).unwrap_or_default();
        assert!(!label.starts_with("[") && !label.contains("{$"), "{where_}: a text is missing: {label}");
        if egui::accessibility::is_input(node.role()) {
            seen += 1;
            assert!(!label.is_empty(), "{where_}: a {:?} has no name", node.role());
        }
    }
    assert!(seen > 10, "{where_}: only {seen} controls found");
}

/// Chinese comes from the system; every other character of the texts and the drawing code is in the built-in faces.
#[test]
fn every_symbol_is_in_the_built_in_fonts() {
    let bench = bench(Session::default(), 1280.0, 800.0);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut files = vec![std::path::PathBuf::from(format!("{root}/assets/i18n/en.ftl"))];
    let mut folders = vec![std::path::PathBuf::from(format!("{root}/src/ui"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() { folders.push(entry) } else { files.push(entry) }
        }
    }
    let mut missing = std::collections::BTreeSet::new();
    for file in files {
        let is_cjk = |c: char| ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ff00}'..='\u{ffef}').contains(&c);
        let lines = std::fs::read_to_string(file).unwrap();
        let code = lines.lines().filter(|line| !line.trim_start().starts_with("//"));
        let symbols = code.flat_map(str::chars).filter(|c| !c.is_ascii() && !is_cjk(*c)).collect::<Vec<_>>();
        let font = egui::FontId::proportional(15.0);
        missing
            .extend(symbols.into_iter().filter(|c| !bench.harness.ctx.fonts_mut(|fonts| fonts.has_glyph(&font, *c))));
    }
    assert!(missing.is_empty(), "no built-in glyph for {missing:?}");
    let absent = bench.harness.ctx.fonts_mut(|fonts| fonts.has_glyph(&egui::FontId::proportional(15.0), '我'));
    assert!(!absent, "the check finds glyphs that are not there");
}

#[test]
fn an_idle_window_asks_for_no_pass() {
    let bench = bench(Session::default(), 1280.0, 800.0);
    assert!(!bench.harness.ctx.has_requested_repaint());
}

#[test]
fn a_token_is_renamed_where_it_stands() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    let header = |bench: &Bench| {
        let grid = bench.harness.get_by_role_and_label(Role::Grid, "values");
        let headers = grid.get_all_by_role(Role::RowHeader);
        headers.map(|header| header.accesskit_node().label().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(header(&bench), ["我", "爱", "你"]);
    let grid = bench.harness.get_by_role_and_label(Role::Grid, "values");
    grid.get_all_by_role(Role::RowHeader).nth(2).unwrap().click_accesskit();
    bench.settle();
    bench.type_text("她");
    bench.key(Key::Enter);
    assert_eq!(header(&bench), ["我", "爱", "她"]);
    assert_eq!(bench.session.borrow().problem().tokens.as_deref().unwrap()[2], "她");
    bench.harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    bench.settle();
    assert_eq!(header(&bench), ["我", "爱", "你"]);
    // By pointer, on the name of a key above the weights.
    let grid = bench.harness.get_by_role_and_label(Role::Grid, "weights");
    let at = grid.get_all_by_role(Role::ColumnHeader).nth(1).unwrap().rect();
    bench.harness.hover_at(at.center_bottom() - vec2(0.0, 8.0));
    bench.settle();
    bench.harness.drag_at(at.center_bottom() - vec2(0.0, 8.0));
    bench.harness.drop_at(at.center_bottom() - vec2(0.0, 8.0));
    bench.settle();
    bench.type_text("I");
    bench.key(Key::Enter);
    assert_eq!(header(&bench), ["I", "爱", "你"]);
}

#[test]
fn two_states_are_compared_and_only_one_can_be_changed() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    update(&mut bench.session.borrow_mut(), Action::OpenPanel(Panel::Compare));
    bench.settle();
    bench.press(Role::Button, "Hold this state as A");
    bench.focus("values");
    bench.type_text("3.5");
    bench.key(Key::Enter);
    assert_eq!(bench.cells("values"), ["3.5", "1.0", "1.5"]);
    bench.press(Role::Button, "A");
    assert_eq!(bench.cells("values"), ["0.5", "1.0", "1.5"]);
    bench.focus("values");
    bench.type_text("9");
    bench.key(Key::Enter);
    assert_eq!(bench.cells("values"), ["0.5", "1.0", "1.5"], "A is only looked at");
    bench.press(Role::Button, "B − A");
    assert_eq!(bench.cells("values"), ["3.0", "0.0", "0.0"].map(|n| n.trim_end_matches(".0")));
    // 0.291757 · 3
    assert_eq!(bench.cells("output")[1], "0.8753");
    let said =
        bench.harness.get_all_by_role(Role::Status).map(|node| node.accesskit_node().label().unwrap_or_default());
    let said = said.collect::<Vec<_>>().join("\n");
    assert!(said.contains("values[我, 0]: 0.5 → 3.5"), "{said}");
    bench.press(Role::Button, "B, now");
    assert_eq!(bench.cells("values"), ["3.5", "1.0", "1.5"]);
}

#[test]
fn a_state_is_kept_as_link_file_and_name() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    update(&mut bench.session.borrow_mut(), Action::OpenPanel(Panel::Share));
    bench.settle();
    bench.press(Role::Button, "Save as a file");
    let file = bench.desk.handed_over.borrow()[0].clone();
    assert_eq!(file.name, "three-tokens-by-hand.json");
    bench.press(Role::Button, "Keep this state");
    assert!(bench.desk.saved(Slot::States).unwrap().contains("State 1"));
    // Another file by drop, and back by the kept state.
    let other = r#"{"format":"attnlab/1","inputs":{"q":[[7]],"k":[[1]],"v":[[1]]}}"#;
    bench.desk.files.borrow_mut().push(File::new("other.json".into(), "", other.into()));
    bench.harness.run_steps(2);
    bench.settle();
    assert_eq!(bench.cells("queries"), ["7"]);
    bench.press(Role::Button, "Open State 1");
    assert_eq!(bench.cells("output")[1], "0.9677");
    // The saved file is the same problem.
    bench.desk.files.borrow_mut().push(file);
    bench.settle();
    assert_eq!(bench.session.borrow().problem(), Session::default().problem());
    // A state that came by a link is kept apart.
    let link = bench.session.borrow().to_link().unwrap();
    let own = bench.desk.saved(Slot::Session);
    update(&mut bench.session.borrow_mut(), Action::OpenLink(link));
    bench.settle();
    bench.focus("values");
    bench.type_text("8");
    bench.key(Key::Enter);
    assert_eq!(bench.desk.saved(Slot::Session), own, "the user's own is not overwritten");
    assert!(bench.desk.saved(Slot::Linked).is_some());
}

#[test]
fn matrices_and_programs_are_taken_away() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    update(&mut bench.session.borrow_mut(), Action::OpenPanel(Panel::Export));
    bench.settle();
    for name in ["Save as CSV", "NumPy (.npy)", "Save as NumPy (.npy)", "All steps as .npz", "Save the program"] {
        bench.activate(name);
    }
    let files = bench.desk.handed_over.borrow();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["output.csv", "output.npy", "trace.npz", "attention.py"]);
    assert!(String::from_utf8_lossy(&files[0].bytes).lines().nth(1).unwrap().starts_with("0.967"));
    assert!(String::from_utf8_lossy(&files[3].bytes).contains("import numpy as np"));
}

#[test]
fn a_claim_is_explained_and_applied_with_one_press() {
    let mut bench = bench(Session::of_example(by_id("i-like-cats")), 1280.0, 1600.0);
    update(&mut bench.session.borrow_mut(), Action::OpenPanel(Panel::Claim));
    let unscaled = attnlab::attention::Problem {
        scale: attnlab::attention::Scale::None,
        ..bench.session.borrow().problem().clone()
    };
    let trace = attnlab::attention::solve(&unscaled).unwrap();
    let output = &trace.get(Part::Output, 0).unwrap().value;
    let line = |row: usize| output.row(row).iter().map(|value| format!("{value:.4}")).collect::<Vec<_>>().join(" ");
    let claimed = (0..output.nrows()).map(line).collect::<Vec<_>>().join("\n");
    bench.settle();
    bench.harness.get_by_role_and_label(Role::MultilineTextInput, "Claimed numbers").focus();
    bench.settle();
    bench.type_text(&claimed);
    bench.activate("Compare the numbers");
    bench.activate("Apply it here Matches when the scores are not scaled.");
    assert_eq!(bench.session.borrow().problem().scale, attnlab::attention::Scale::None);
    let said =
        bench.harness.get_all_by_role(Role::Status).map(|node| node.accesskit_node().label().unwrap_or_default());
    let said = said.collect::<Vec<_>>().join("\n");
    assert!(said.contains("numbers match."), "{said}");
}

fn by_id(id: &str) -> &'static examples::Example {
    examples::all().iter().find(|example| example.id == id).unwrap()
}

#[test]
fn a_file_of_tensors_is_picked_from() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    let text = r#"{"q": [[1, 2], [3, 4]], "k": [[1, 0], [0, 1]], "v": [[5], [6]], "other": [1, 2, 3]}"#;
    bench.desk.files.borrow_mut().push(File::new("layer.json".into(), "", text.into()));
    bench.settle();
    bench.settle();
    bench.activate("Take these as the problem");
    assert_eq!(bench.cells("queries"), ["1", "2", "3", "4"]);
    assert_eq!(bench.cells("values"), ["5", "6"]);
}

#[test]
fn solutions_worksheets_and_figures_are_handed_over() {
    let mut bench = bench(Session::default(), 1280.0, 1600.0);
    update(&mut bench.session.borrow_mut(), Action::OpenPanel(Panel::Paper));
    bench.settle();
    for name in ["Save the text", "Answer key", "LaTeX", "Save the text", "Save the figure as SVG", "One matrix"] {
        bench.activate(name);
    }
    bench.activate("Save the figure as PNG");
    let files = bench.desk.handed_over.borrow();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["solution.md", "worksheet-key.tex", "attention.svg", "context.png"]);
    let text = |index: usize| String::from_utf8_lossy(&files[index].bytes).into_owned();
    assert!(text(0).contains(r"\frac{1.6487}{5.6510} = 0.2918"));
    assert!(text(1).contains(r"\begin{document}") && text(1).contains("0.9677"));
    assert!(text(2).starts_with("<svg") && text(2).contains("0.4810"));
    assert!(text(3).contains("0.9677") && !text(3).contains("0.4810"), "one matrix only");
}

#[test]
fn on_a_phone_everything_that_is_pressed_has_room_for_a_finger() {
    let mut small = Vec::new();
    for panel in Panel::ALL {
        let mut bench = bench(Session::of_example(by_id("two-heads")), 360.0, 6000.0);
        update(&mut bench.session.borrow_mut(), Action::OpenPanel(*panel));
        bench.settle();
        for role in [Role::Button, Role::CheckBox, Role::ComboBox, Role::TextInput, Role::SpinButton] {
            for node in bench.harness.query_all_by_role(role) {
                let (rect, name) = (node.rect(), node.accesskit_node().label().unwrap_or_default());
                if rect.height() < 43.0 {
                    small.push(format!("{panel:?}: {role:?} {name:?} is {} high", rect.height()));
                }
            }
        }
    }
    small.sort();
    small.dedup();
    assert!(small.is_empty(), "{}", small.join("\n"));
}

#[test]
fn without_an_exponential_the_mask_multiplies() {
    let mut problem = by_id("linear-elu").problem.clone();
    problem.mask.causal = attnlab::attention::Causal::UpperLeft;
    let bench = bench(Session::of_problem(problem).unwrap(), 1280.0, 1600.0);
    assert_eq!(bench.cells("mask"), ["1", "0", "0", "1", "1", "0", "1", "1", "1"]);
    assert_eq!(bench.cells("masked"), ["6", "0", "0", "6", "5", "0", "8", "6", "10"]);
}
