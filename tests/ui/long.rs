//! Long sequences: what a person reads there, in both languages, wide and narrow, with the threads of this machine.

use super::*;
use attnlab::long::{Done, Hands, Work};
use attnlab::session::{Computing, Long, Pooled, Shown, Topic};

fn exploring(long: Long, width: f32) -> Bench {
    let mut session = Session::default();
    update(&mut session, Action::SetLong(Box::new(long)));
    update(&mut session, Action::OpenPanel(Panel::Long));
    bench(session, width, 3000.0)
}

/// Until the threads have done it all.
fn wait_for(bench: &mut Bench, words: &str) {
    for _ in 0..400 {
        bench.settle();
        if all(bench).contains(words) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("no {words:?} in\n{}", all(bench));
}

/// Types the query and the key. Below the screen, they are reached by the keyboard.
fn point_at(bench: &mut Bench, pair: [&str; 2]) {
    for (name, number) in ["query", "key"].into_iter().zip(pair) {
        bench.harness.get_by_role_and_label(Role::SpinButton, name).focus();
        bench.settle();
        bench.type_text(number);
        bench.key(Key::Enter);
    }
}

fn all(bench: &Bench) -> String {
    let nodes = bench.harness.root().children_recursive();
    let words = nodes.filter_map(|node| node.accesskit_node().value().or_else(|| node.accesskit_node().label()));
    words.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_topic_is_drawn_in_every_way_and_language() {
    for (language, width) in [(Language::English, 1280.0), (Language::Chinese, 360.0)] {
        for &topic in Topic::ALL.iter().filter(|topic| **topic != Topic::Given) {
            let mut bench = exploring(Long { topic, n: 300, d: 8, size: 40, ..Long::default() }, width);
            update(&mut bench.session.borrow_mut(), Action::SetLanguage(language));
            let texts = Texts::new(language);
            wait_for(&mut bench, &texts.t("long-ready"));
            for (&shown, &pooled) in
                Shown::ALL.iter().flat_map(|shown| Pooled::ALL.iter().map(move |pool| (shown, pool)))
            {
                let long = Long { shown, pooled, ..bench.session.borrow().view().long };
                update(&mut bench.session.borrow_mut(), Action::SetLong(Box::new(long)));
                wait_for(&mut bench, &texts.t("long-exact"));
            }
            assert!(!all(&bench).contains("[long"), "{}", all(&bench));
        }
    }
}

#[test]
fn what_is_looked_at_is_told() {
    let mut bench = exploring(Long { n: 1_000, d: 8, side: 100.0, row: 900.0, key: 800.0, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "Queries 900–999, keys 800–899.");
    bench.activate("nearer");
    wait_for(&mut bench, "Queries 925–974, keys 825–874.");
    bench.activate("the whole");
    wait_for(&mut bench, "Queries 0–999, keys 0–999.");
    // 4 · 1,000 · 1,000 bytes.
    wait_for(&mut bench, "n×n would take 4 MB");
}

#[test]
fn the_rows_of_the_workbench_are_taken_and_said_to_be_gone_after_a_reload() {
    let mut bench = exploring(Long { n: 64, d: 4, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "done:");
    bench.activate("Take q, k, v of the workbench, repeated");
    wait_for(&mut bench, "scores times 1");
    wait_for(&mut bench, "Queries 0–23, keys 0–23.");
    wait_for(&mut bench, "Every pair is counted.");
    let saved = bench.session.borrow().to_saved();
    let mut bench = super::bench(Session::from_saved(&saved).unwrap(), 1280.0, 3000.0);
    wait_for(&mut bench, "The rows that this was made of are not here any more.");
    bench.activate("random");
    wait_for(&mut bench, "Every pair is counted.");
    // Settings of rows that are gone, while another sequence lies there: nothing of that is shown.
    let gone = Session::from_saved(&saved).unwrap().view().long;
    update(&mut bench.session.borrow_mut(), Action::SetLong(Box::new(gone)));
    wait_for(&mut bench, "The rows that this was made of are not here any more.");
    assert!(!all(&bench).contains("Every pair is counted."), "{}", all(&bench));
    assert!(!all(&bench).contains("done:"), "{}", all(&bench));
}

#[test]
fn a_head_is_chosen_and_has_its_own_numbers() {
    let mut bench = exploring(Long { topic: Topic::Random, n: 64, d: 4, heads: 3, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "Every pair is counted.");
    // Three heads of 64·64 numbers of 4 bytes.
    wait_for(&mut bench, "n×n would take 49.2 kB");
    let seeds: Vec<u64> =
        (0..3).map(|head| Long { head, ..bench.session.borrow().view().long }.setting().seed).collect();
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2]);
    assert!(all(&bench).contains("the head that is looked at"));
}

#[test]
fn what_computes_is_said_and_chosen() {
    let mut bench = exploring(Long { n: 64, d: 4, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "threads of the processor");
    // In this test no machine has one.
    wait_for(&mut bench, "Not by a graphics processor: this browser or machine offers none.");
    bench.activate("processor");
    wait_for(&mut bench, "done:");
    assert!(!all(&bench).contains("Not by a graphics processor"), "nobody asked for one");
    bench.activate("graphics processor");
    wait_for(&mut bench, "Not by a graphics processor: this browser or machine offers none.");
    wait_for(&mut bench, "done:");
}

#[test]
fn the_naive_way_is_tried_until_it_stops_or_is_stopped() {
    let mut bench = exploring(Long { n: 64, d: 1, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "done:");
    bench.activate("Try how far it gets");
    // 4·512² and 4·1,024² bytes.
    wait_for(&mut bench, "n = 512: 1.049 MB for n×n");
    wait_for(&mut bench, "n = 1024: 4.194 MB for n×n");
    bench.activate("Stop trying");
    wait_for(&mut bench, "You stopped it at n = ");
    bench.activate("Try how far it gets");
    wait_for(&mut bench, "n = 512: 1.049 MB for n×n");
    assert!(!all(&bench).contains("You stopped it"), "{}", all(&bench));
}

/// What the wheel, two fingers and a double click do, with the pair under the pointer kept where it is.
#[test]
fn the_wheel_a_pinch_and_a_double_click_come_nearer() {
    let side = |bench: &Bench| bench.session.borrow().view().long.within_limits().side;
    let mut bench = exploring(Long { n: 1_000, d: 4, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "done:");
    let map = bench.harness.get_by(|node| node.role() == Role::Application).rect();
    let point = map.center();
    bench.harness.event(egui::Event::PointerMoved(point));
    bench.settle();
    let wheel = |bench: &mut Bench, y: f32| {
        bench.harness.event(egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: vec2(0.0, y),
            phase: egui::TouchPhase::Move,
            modifiers: Modifiers::NONE,
            source: egui::MouseWheelSource::Wheel,
        });
        bench.harness.run_steps(20);
    };
    wheel(&mut bench, 100.0);
    let near = side(&bench);
    assert!(near < 900.0, "{near} tokens after the wheel was turned towards them");
    wheel(&mut bench, -40.0);
    let farther = side(&bench);
    assert!(farther > near && farther < 1_000.0, "{farther} tokens after it was turned back a little");
    bench.harness.event(egui::Event::Zoom(2.0));
    bench.settle();
    assert!((side(&bench) - farther / 2.0).abs() <= 1e-3 * farther, "{} tokens after a pinch", side(&bench));
    let long = bench.session.borrow().view().long.within_limits();
    // All of it around the middle of the map, which was pointed at.
    assert!((long.row + long.side / 2.0 - 500.0).abs() <= 2.0, "the middle is at {}", long.row + long.side / 2.0);
    for pressed in [true, false, true, false] {
        let button = egui::PointerButton::Primary;
        let press = egui::Event::PointerButton { pos: point, button, pressed, modifiers: Modifiers::NONE };
        // All in one pass: a pass here is a quarter of a second.
        bench.harness.input_mut().events.push(press);
    }
    bench.settle();
    assert!((side(&bench) - farther / 4.0).abs() <= 1e-3 * farther, "{} tokens after a double click", side(&bench));
}

/// Whoever asks for a graphics processor and hears nothing must not wait for ever.
#[test]
fn a_graphics_processor_that_never_answers_is_not_waited_for() {
    let mut bench = exploring(Long { n: 64, d: 4, computing: Computing::Processor, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "done:");
    bench.desk.is_silent.set(true);
    bench.activate("graphics processor");
    wait_for(&mut bench, "A graphics processor is being tested.");
    bench.settle();
    assert!(!all(&bench).contains("done:"), "nobody has computed anything yet");
    bench.desk.ahead.set(21_000.0);
    wait_for(&mut bench, "the one here has not answered for 20 seconds");
    wait_for(&mut bench, "done:");
}

/// Workers that never say anything, except which they are.
pub struct Silent(pub Build);

impl Hands for Silent {
    fn count(&self) -> usize {
        1
    }
    fn give(&mut self, _hand: usize, _id: u64, _work: Work) {}
    fn take(&mut self) -> Vec<(usize, u64, Result<Done, String>)> {
        Vec::new()
    }
    fn build(&self) -> Build {
        self.0.clone()
    }
}

/// A Worker may be ended by the browser, and nobody is told.
#[test]
fn hands_that_stop_in_the_middle_are_not_waited_for() {
    let mut bench = exploring(Long { n: 64, d: 4, computing: Computing::Processor, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "done:");
    bench.desk.silent_hands.replace(Some(Build::Relaxed));
    bench.activate("whichever is faster");
    wait_for(&mut bench, "0 % of the visible pairs");
    // A machine that has slept has not waited.
    bench.desk.ahead.set(7_200_000.0);
    bench.settle();
    for second in 1..58 {
        bench.desk.ahead.set(7_200_000.0 + 1_000.0 * f64::from(second));
        bench.settle();
        assert!(!all(&bench).contains("have not answered"), "after {second} s");
    }
    for second in 58..70 {
        bench.desk.ahead.set(7_200_000.0 + 1_000.0 * f64::from(second));
        bench.settle();
    }
    wait_for(&mut bench, "The Workers have not answered for 60 seconds.");
    bench.desk.silent_hands.replace(None);
    bench.activate("Try again");
    wait_for(&mut bench, "done:");
}

#[test]
fn hands_that_never_answer_are_not_waited_for() {
    let mut bench = exploring(Long { n: 64, d: 4, computing: Computing::Processor, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "done:");
    bench.desk.silent_hands.replace(Some(Build::Starting));
    bench.activate("whichever is faster");
    wait_for(&mut bench, "1 Workers of the processor start.");
    bench.desk.ahead.set(61_000.0);
    wait_for(&mut bench, "The Workers have not answered for 60 seconds.");
    assert!(!all(&bench).contains("The picture follows."), "{}", all(&bench));
    bench.desk.silent_hands.replace(None);
    bench.activate("Try again");
    wait_for(&mut bench, "done:");
}

/// 600 tokens are too many for the workbench; long sequences take them all.
#[test]
fn a_file_with_q_k_and_v_is_explored_as_a_long_sequence() {
    let mut bench = bench(Session::default(), 1280.0, 3000.0);
    let row = |at: usize| format!("[{},{}]", at % 7, at % 5);
    let rows = format!("[{}]", (0..600).map(row).collect::<Vec<_>>().join(","));
    let text = format!(r#"{{"q":{rows},"k":{rows},"v":{rows}}}"#);
    bench.desk.files.borrow_mut().push(File::new("rows.json".to_owned(), "", text.into_bytes()));
    bench.settle();
    bench.activate("Explore q, k, v as a long sequence");
    wait_for(&mut bench, "Queries 0–599, keys 0–599.");
    wait_for(&mut bench, "given rows");
    wait_for(&mut bench, "Every pair is counted.");
}

#[test]
fn a_pair_is_typed_and_its_pixel_told() {
    let mut bench = exploring(Long { topic: Topic::Needle, n: 3_000, d: 8, size: 700, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "Every pair is counted.");
    point_at(&mut bench, ["2999", "700"]);
    // The needle is where its place says, and its pixel's largest weight is its own.
    wait_for(&mut bench, "Query 2999, key 700: score");
    wait_for(&mut bench, "weight 0.99");
    wait_for(&mut bench, "Under its pixel");
    wait_for(&mut bench, "pairs: largest 0.99");
}

/// A length on its way from 6 to 65,536 must not cut what depends on it.
#[test]
fn a_number_that_is_being_typed_changes_nothing_yet() {
    let mut bench = exploring(Long { topic: Topic::Needle, n: 3_000, d: 8, size: 700, ..Long::default() }, 1280.0);
    bench.press(Role::SpinButton, "Length n");
    for digit in ["4", "0", "0", "0"] {
        bench.type_text(digit);
        assert_eq!(bench.session.borrow().view().long.n, 3_000);
    }
    bench.key(Key::Enter);
    let long = bench.session.borrow().view().long;
    assert_eq!((long.n, long.size), (4_000, 700));
}

#[test]
fn the_needle_is_gone_to_and_said_to_be_hidden() {
    let long = Long { topic: Topic::Needle, n: 3_000, d: 8, size: 700, ..Long::default() };
    let mut bench = exploring(long, 1280.0);
    wait_for(&mut bench, "Every pair is counted.");
    bench.activate("Go to the needle");
    wait_for(&mut bench, "Queries 2968–2999, keys 684–715.");
    wait_for(&mut bench, "Query 2999, key 700: score");
    assert!(!all(&bench).contains("hides the needle"), "{}", all(&bench));
    // 2,299 keys to the left is where it lies.
    for (window, is_hidden) in [(2_299, false), (2_298, true)] {
        update(&mut bench.session.borrow_mut(), Action::SetLong(Box::new(Long { window, ..long })));
        bench.settle();
        assert_eq!(all(&bench).contains("hides the needle"), is_hidden, "{window}");
    }
}

/// A sequence of `n`, in which the part around the last query and key 5 was just asked for.
fn asking_for_a_part(n: usize) -> Bench {
    let mut bench = exploring(Long { topic: Topic::Random, n, d: 64, ..Long::default() }, 1280.0);
    let last = n - 1;
    wait_for(&mut bench, &format!("Queries 0–{last}"));
    point_at(&mut bench, [&last.to_string(), "5"]);
    wait_for(&mut bench, &format!("Query {last}, key 5: score"));
    bench.activate("Show these 16×16 in the workbench");
    bench
}

/// Longer than what is summed up in one pass; the pair that it was taken for is explained.
#[test]
fn a_part_of_any_length_goes_to_the_workbench() {
    let mut bench = asking_for_a_part(20_000);
    for _ in 0..400 {
        bench.settle();
        std::thread::sleep(std::time::Duration::from_millis(10));
        let pinned = bench.session.borrow().view().pinned;
        if let Some(place) = pinned.filter(|place| place.part == Part::Weights) {
            assert_eq!((place.row, place.column), (15, 5));
            assert_eq!(bench.session.borrow().problem().shapes().m, 17);
            wait_for(&mut bench, "Queries 19984–19999 and keys 0–15 of the long sequence");
            bench.activate("Back to the map");
            wait_for(&mut bench, "Query 19999, key 5: score");
            return;
        }
    }
    panic!("the part did not come:\n{}", all(&bench));
}

/// Whoever comes back to the map later has not asked to be taken away from it.
#[test]
fn a_part_that_is_left_behind_does_not_come_later() {
    let mut bench = asking_for_a_part(200_000);
    assert!(all(&bench).contains("All other keys are summed up"), "{}", all(&bench));
    let later = bench.harness.ctx.input(|input| input.time) + 10.0;
    bench.harness.input_mut().time = Some(later);
    bench.settle();
    assert!(!all(&bench).contains("All other keys are summed up"), "{}", all(&bench));
    assert!(all(&bench).contains("Query 199999, key 5: score"), "{}", all(&bench));
}

/// Between the map and the button there are other pairs.
#[test]
fn a_click_holds_a_pair_and_another_one_lets_it_go() {
    let mut bench = exploring(Long { n: 1_000, d: 4, ..Long::default() }, 1280.0);
    wait_for(&mut bench, "done:");
    let map = bench.harness.get_by(|node| node.role() == Role::Application).rect();
    let point = |bench: &mut Bench, x: f32, y: f32| {
        // On its way: what does not move points at nothing new.
        for way in [0.5, 0.0] {
            bench.harness.event(egui::Event::PointerMoved(map.lerp_inside(vec2(x, y)) + vec2(way, 0.0)));
            bench.settle();
        }
    };
    let click = |bench: &mut Bench, x: f32, y: f32| {
        let pos = map.lerp_inside(vec2(x, y));
        point(bench, x, y);
        for pressed in [true, false] {
            let button = egui::PointerButton::Primary;
            bench.harness.event(egui::Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE });
        }
        bench.settle();
        // Two clicks in a row are no double click.
        bench.harness.run_steps(60);
    };
    point(&mut bench, 0.1015, 0.5015);
    wait_for(&mut bench, "Query 501, key 101: score");
    click(&mut bench, 0.2005, 0.6005);
    wait_for(&mut bench, "It is held");
    for (x, y) in [(0.9, 0.9), (1.02, 0.5)] {
        point(&mut bench, x, y);
        assert!(all(&bench).contains("Query 600, key 200: score"), "{}", all(&bench));
    }
    click(&mut bench, 0.2005, 0.6005);
    assert!(!all(&bench).contains("It is held"), "{}", all(&bench));
    point(&mut bench, 0.1505, 0.7005);
    wait_for(&mut bench, "Query 700, key 150: score");
    // Beside the map nothing is pointed at, though egui still counts it in.
    point(&mut bench, 1.01, 0.5);
    assert!(all(&bench).contains("Query 700, key 150: score"), "{}", all(&bench));
}

/// What is said below the map while it is only a sample is longer than the map is wide.
#[test]
fn a_long_sentence_pushes_no_column_away() {
    let mut bench = exploring(Long { topic: Topic::Local, n: 1_000, d: 8, ..Long::default() }, 1280.0);
    let left = |bench: &Bench| bench.harness.get_by_role_and_label(Role::Heading, "The work").rect().left();
    bench.desk.silent_hands.replace(Some(Build::Relaxed));
    bench.activate("processor");
    wait_for(&mut bench, "by row sums that still grow");
    let sampled = left(&bench);
    bench.desk.silent_hands.replace(None);
    bench.activate("whichever is faster");
    wait_for(&mut bench, "Every pair is counted.");
    assert_eq!(left(&bench), sampled);
}

/// On a narrow screen the reading is far below the map: the sheet at the edge tells the pair too.
#[test]
fn a_narrow_screen_tells_the_pair_in_its_sheet() {
    for (width, times) in [(1280.0, 1), (360.0, 2)] {
        let mut bench = exploring(Long { n: 1_000, d: 4, ..Long::default() }, width);
        wait_for(&mut bench, "done:");
        point_at(&mut bench, ["600", "200"]);
        wait_for(&mut bench, "Query 600, key 200: score");
        let said = all(&bench).lines().filter(|line| line.starts_with("Query 600, key 200: score")).count();
        assert_eq!(said, times, "{width}");
    }
}
