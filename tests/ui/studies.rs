//! The studies around a problem, and the panel of the variants: what a person reads and presses there.

use super::*;
use attnlab::session::{Explore, Study};

fn studying(session: Session, study: Study) -> Bench {
    let mut bench = bench(session, 1280.0, 4000.0);
    update(&mut bench.session.borrow_mut(), Action::OpenPanel(Panel::Explore));
    set(&mut bench, |explore| explore.study = study);
    bench
}

fn set(bench: &mut Bench, change: impl FnOnce(&mut Explore)) {
    let mut explore = bench.session.borrow().view().explore.clone();
    change(&mut explore);
    update(&mut bench.session.borrow_mut(), Action::SetExplore(Box::new(explore)));
    bench.settle();
}

/// Everything that is written on the screen or said by it.
fn all(bench: &Bench) -> String {
    let nodes = bench.harness.root().children_recursive();
    let words = nodes.filter_map(|node| {
        let node = node.accesskit_node();
        node.value().or_else(|| node.label())
    });
    words.collect::<Vec<_>>().join("\n")
}

fn of(id: &str) -> Session {
    Session::of_example(examples::all().iter().find(|example| example.id == id).expect(id))
}

#[test]
fn every_study_opens_in_both_languages_on_every_example_without_a_missing_text() {
    for language in [Language::English, Language::Chinese] {
        let mut bench = studying(Session::default(), Study::Laboratory);
        update(&mut bench.session.borrow_mut(), Action::SetLanguage(language));
        for example in examples::all() {
            update(&mut bench.session.borrow_mut(), Action::LoadExample(example.id.clone()));
            for study in Study::ALL {
                set(&mut bench, |explore| explore.study = study);
                let title = Texts::new(language).t(&format!("study-{}", study.key()));
                assert!(all(&bench).contains(&title), "{study:?} on {}", example.id);
            }
        }
    }
}

#[test]
fn the_laboratory_shows_the_spread_with_and_without_the_scale() {
    let mut bench = studying(Session::default(), Study::Laboratory);
    let text = all(&bench);
    assert!(text.contains("Histogram of dot products at d_k = 128: standard deviation 11."), "{text}");
    // Enough are drawn for the median to be near 0.033; of 256 queries it was 0.051.
    let median = text.split("Jacobian)\n").nth(1).and_then(|rest| rest.lines().next()).unwrap();
    assert!((median.parse::<f64>().unwrap() - 0.033).abs() <= 0.011, "{median}");
    set(&mut bench, |explore| explore.laboratory.d_k = 4);
    // √4, but for what chance does with so many draws.
    let text = all(&bench);
    let deviation =
        text.split("at d_k = 4: standard deviation ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!((deviation.parse::<f64>().unwrap() - 2.0).abs() <= 0.05, "{deviation}");
}

#[test]
fn gradients_are_cut_by_the_mask() {
    let mut bench = studying(of("three-tokens-causal-before-softmax"), Study::Gradient);
    set(&mut bench, |explore| explore.differentiating.row = 1);
    let keys = bench.cells("by keys");
    assert_eq!(keys.len(), 3);
    assert!(keys[2].parse::<f64>() == Ok(0.0) && keys[1].parse::<f64>() != Ok(0.0), "{keys:?}");
    set(&mut bench, |explore| explore.differentiating.cross_entropy = true);
    assert!(all(&bench).contains("The cross-entropy of the row"), "{}", all(&bench));
}

#[test]
fn a_diagnosis_names_what_is_uniform_and_follows_its_threshold() {
    let mut bench = studying(of("two-heads"), Study::Diagnosis);
    assert!(all(&bench).contains("uniform rows: 2"), "{}", all(&bench));
    set(&mut bench, |explore| explore.diagnosing.uniform = 0.99);
    assert!(all(&bench).contains("uniform rows: 0"), "{}", all(&bench));
    update(&mut bench.session.borrow_mut(), Action::LoadExample("your-journey-sum".into()));
    bench.settle();
    assert!(!all(&bench).contains("∞/"), "no figure without a meaning");
}

#[test]
fn a_window_reaches_back_layer_by_layer() {
    let mut bench = studying(of("your-journey-starts"), Study::Reach);
    bench.activate("window of two to the left");
    set(&mut bench, |explore| explore.reaching.layers = 2);
    assert!(all(&bench).contains("After 2 layers the furthest look back is 4."), "{}", all(&bench));
    bench.activate("blocks of two");
    assert!(all(&bench).contains("After 2 layers the furthest look back is 1."), "{}", all(&bench));
}

#[test]
fn three_layers_of_a_window_of_two_reach_six_back() {
    let bench = studying(of("window-ten-tokens"), Study::Reach);
    assert!(all(&bench).contains("After 3 layers the furthest look back is 6."), "{}", all(&bench));
}

/// Weights of K and V, all weights, numbers in the cache of three tokens.
#[test]
fn fewer_key_value_heads_take_fewer_weights_and_a_smaller_cache() {
    let bench = studying(of("heads-four-shared"), Study::Heads);
    for row in ["4 · MHA\n128\n256\n48", "2 · GQA\n64\n192\n24", "1 · MQA\n32\n160\n12"] {
        assert!(all(&bench).contains(row), "{row:?} in\n{}", all(&bench));
    }
}

#[test]
fn the_cost_of_published_models_is_shown() {
    let mut bench = studying(Session::default(), Study::Cost);
    bench.activate("Llama-3-8B");
    assert!(all(&bench).contains("131,072"), "{}", all(&bench));
}

#[test]
fn a_larger_budget_holds_what_a_smaller_one_does_not() {
    let mut bench = studying(Session::default(), Study::Cost);
    bench.activate("fp32");
    let verdicts = |bench: &Bench| {
        let count = |words: &str| all(bench).lines().filter(|line| *line == words).count();
        [count("fits"), count("does not fit")]
    };
    // GPT-2 small at fp32: 2.15 GB as it is, which 2 GB do not hold.
    assert_eq!(verdicts(&bench), [5, 1], "{}", all(&bench));
    for (budget, expected) in [(1, [0, 6]), (1_000_000, [6, 0])] {
        set(&mut bench, |explore| explore.costing.budget = budget);
        assert_eq!(verdicts(&bench), expected, "{}", all(&bench));
    }
}

#[test]
fn the_way_of_a_signal_is_counted() {
    let bench = studying(Session::default(), Study::Path);
    assert!(all(&bench).contains("recurrent network takes 499 steps, attention 1"), "{}", all(&bench));
}

#[test]
fn variants_are_chosen_and_what_does_not_go_says_why() {
    let mut bench = bench(of("two-heads"), 1280.0, 4000.0);
    update(&mut bench.session.borrow_mut(), Action::OpenPanel(Panel::Variants));
    bench.settle();
    bench.activate("additive");
    bench.activate("RoPE");
    bench.harness.get_by_role_and_label(Role::CheckBox, "Attention sink").click_accesskit();
    bench.settle();
    assert_eq!(bench.session.borrow().problem().family.keys(), ["score", "position", "sink"]);
    assert_eq!(bench.cells("query weights of the score").len(), 4);
    bench.activate("linear attention");
    assert!(all(&bench).contains("has no place for: another score, sink"), "{}", all(&bench));
    bench.activate("softmax");
    assert!(all(&bench).contains("There again: another score, sink."), "{}", all(&bench));
}
