//! The studies that go through a problem block by block and token by token.

use super::*;
use attnlab::session::{Explore, Study};

/// The panel "Explore" at a study, in a window as wide as that.
pub fn studying(session: Session, width: f32, study: Study) -> Bench {
    let mut bench = bench(session, width, 4000.0);
    update(&mut bench.session.borrow_mut(), Action::OpenPanel(Panel::Explore));
    set(&mut bench, |explore| explore.study = study);
    bench
}

pub fn set(bench: &mut Bench, change: impl FnOnce(&mut Explore)) {
    let mut explore = bench.session.borrow().view().explore.clone();
    change(&mut explore);
    update(&mut bench.session.borrow_mut(), Action::SetExplore(Box::new(explore)));
    bench.settle();
}

/// Everything that is announced when it changes, a line each.
pub fn said(bench: &Bench) -> String {
    let all = bench.harness.get_all_by_role(Role::Status).map(|node| node.accesskit_node().label().unwrap_or_default());
    all.collect::<Vec<_>>().join("\n")
}

/// All labels on the screen.
pub fn labels(bench: &Bench) -> Vec<String> {
    let nodes = bench.harness.root().children_recursive();
    nodes.filter_map(|node| node.accesskit_node().value().or_else(|| node.accesskit_node().label())).collect()
}

#[test]
fn flash_attention_goes_block_by_block_with_its_arithmetic() {
    let mut bench = studying(Session::default(), 1280.0, Study::Flash);
    set(&mut bench, |explore| {
        (explore.blocks.rows, explore.blocks.keys) = (3, 1);
        explore.blocks.row = 1;
    });
    assert!(said(&bench).contains("Block 1 of 3: queries 我 … 你, keys 我"), "{}", said(&bench));
    assert!(said(&bench).contains("m = max(−∞, 0.5) = 0.5"), "{}", said(&bench));
    assert_eq!(bench.cells("scores of the block"), ["1.00", "0.50", "2.00"]);
    bench.activate("Block forward");
    let text = said(&bench);
    // 爱: 0.5, then 1: what was summed shrinks by exp(0.5 − 1).
    for worked in [
        "m = max(0.5, 1) = 1",
        "rescale = exp(0.5 − 1) = exp(−0.5) = 0.6065",
        "l = 0.6065 × 1 + exp(1 − 1)",
        "= 1.6065",
    ] {
        assert!(text.contains(worked), "{worked} in {text}");
    }
    bench.activate("Block forward");
    let text = said(&bench);
    assert!(text.contains("o / l = ") && text.contains("= 0.9677"), "{text}");
    assert!(text.contains("give the same output"), "{text}");
    bench.activate("Block back");
    assert!(said(&bench).contains("Block 2 of 3"));
    // A press on a cell of all scores goes to its block and row.
    let grid = bench.harness.get_by_role_and_label(Role::Grid, "all scores, never whole in memory");
    grid.get_all_by_role(Role::GridCell).nth(8).unwrap().click_accesskit();
    bench.settle();
    assert!(said(&bench).contains("Block 3 of 3"), "{}", said(&bench));
    bench.harness.get_by_label_contains("The row of 你");
}

#[test]
fn numbers_moved_are_those_of_the_paper_and_small_examples_lose() {
    let bench = studying(Session::default(), 1280.0, Study::Flash);
    let labels = labels(&bench);
    for figure in ["4,456,448", "2,228,224", "0.50"] {
        assert!(labels.iter().any(|label| label == figure), "{figure}");
    }
    bench.harness.get_by_label_contains("Here blocks move less");
    // One number a token and one row a block: 4 · 4 + 8 against 4 + 8 … with wide heads the reading again costs more.
    let problem = attnlab::attention::Problem::from_json(
        r#"{"format":"attnlab/1","inputs":{"q":[[1,2,3,4],[1,2,3,4]],"k":[[1,2,3,4],[1,2,3,4]],"v":[[1,2,3,4],[1,2,3,4]]}}"#,
    );
    let mut bench = studying(Session::of_problem(problem.unwrap()).unwrap(), 1280.0, Study::Flash);
    set(&mut bench, |explore| explore.blocks.rows = 1);
    bench.harness.get_by_label_contains("small examples lose");
}

#[test]
fn what_cannot_be_stepped_says_why() {
    let bench = studying(Session::of_example(by_id("linear-elu")), 1280.0, Study::Flash);
    assert!(said(&bench).contains("a running maximum rescales exponentials"), "{}", said(&bench));
    let cross = attnlab::attention::Problem::from_json(
        r#"{"format":"attnlab/1","memory":["a","b"],"inputs":{"q":[[1]],"k":[[1],[2]],"v":[[1],[2]]}}"#,
    );
    let bench = studying(Session::of_problem(cross.unwrap()).unwrap(), 1280.0, Study::Cache);
    assert!(said(&bench).contains("in cross attention"), "{}", said(&bench));
}

#[test]
fn the_cache_grows_and_every_step_is_the_full_computation() {
    let mut bench = studying(Session::of_example(by_id("i-like-cats-causal")), 1280.0, Study::Cache);
    let width = bench.cells("cached K").len();
    for step in 1..=3 {
        assert!(said(&bench).contains(&format!("Step {step} of 3")), "{}", said(&bench));
        assert!(said(&bench).contains("the last row of the full computation"), "{}", said(&bench));
        assert_eq!(bench.cells("cached K").len(), step * width);
        assert_eq!(bench.cells("weights over the cache").len(), step);
        let full = bench.cells("weights")[3 * (step - 1)..][..step].to_vec();
        let number = |text: &String| text.parse::<f64>().unwrap();
        for (found, expected) in bench.cells("weights over the cache").iter().zip(&full) {
            assert!((number(found) - number(expected)).abs() <= 1e-3, "{found} {expected}");
        }
        if step < 3 {
            bench.activate("Token forward");
        }
    }
    let labels = labels(&bench);
    for figure in ["77", "15", "3"] {
        assert!(labels.iter().any(|label| label == figure), "{figure}");
    }
}

#[test]
fn pages_are_shared_copied_and_counted() {
    let mut bench = studying(Session::of_example(by_id("i-like-cats-causal")), 1280.0, Study::Cache);
    bench.harness.get_by_label_contains("B is still the same as A");
    bench.activate("Token forward");
    assert!(said(&bench).contains("B shared block 0: it was copied into block 1"), "{}", said(&bench));
    bench.harness.get_by_role_and_label(Role::Image, "1 · B: I, like'");
    set(&mut bench, |explore| explore.caching.shared = 2);
    bench.harness.get_by_role_and_label(Role::Image, "0 · A: I, like");
    bench.activate("Token forward");
    bench.harness.get_by_role_and_label(Role::Image, "0 · A + B: I, like");
    // Two blocks each, one shared: six slots, four tokens; in one piece of 16 each, 32 slots for twice three tokens.
    bench.harness.get_by_label_contains("In pages: 2 of 6 slots");
    bench.harness.get_by_label_contains("26 of 32 would be empty");
}

#[test]
fn both_studies_draw_everywhere_with_names_and_room_for_fingers() {
    let examples =
        ["three-tokens-by-hand", "two-heads", "i-like-cats-cached-step", "linear-elu", "shapes-two-heads-of-four"];
    for study in [Study::Flash, Study::Cache] {
        for (width, language, theme) in
            [(1280.0, Language::English, ThemeChoice::Light), (360.0, Language::Chinese, ThemeChoice::Dark)]
        {
            for id in examples {
                let mut bench = studying(Session::of_example(by_id(id)), width, study);
                update(&mut bench.session.borrow_mut(), Action::SetLanguage(language));
                update(&mut bench.session.borrow_mut(), Action::SetTheme(theme));
                bench.settle();
                check_names(&bench, &format!("{study:?} of {id} at {width}"));
                if width < 700.0 {
                    fits(&bench, width, &format!("{study:?} of {id}"));
                }
            }
        }
    }
}

/// What stands below the names of the studies has room for a finger, and none of it lies beyond the edge. (The formula
/// of the workbench scrolls sideways.)
pub fn fits(bench: &Bench, width: f32, where_: &str) {
    let chinese = Texts::new(Language::Chinese);
    let names = chinese.t("study-cache");
    let top = bench.harness.get_by_role_and_label(Role::Button, &names).rect().bottom();
    let mut seen = 0;
    for role in [Role::Button, Role::SpinButton, Role::Slider, Role::Grid] {
        for node in bench.harness.query_all_by_role(role).filter(|node| node.rect().top() >= top) {
            let (rect, name) = (node.rect(), node.accesskit_node().label().unwrap_or_default());
            seen += 1;
            let is_pressed = matches!(role, Role::Button | Role::SpinButton);
            assert!(!is_pressed || rect.height() >= 43.0, "{where_}: {name} is {} high", rect.height());
            // A matrix that is wider than its room scrolls in it.
            let scrolls = role == Role::Grid && rect.width() > 300.0;
            assert!(scrolls || rect.right() <= width + 0.5, "{where_}: {name} ends at {}", rect.right());
        }
    }
    assert!(seen >= 4, "{where_}: only {seen} controls found");
}
