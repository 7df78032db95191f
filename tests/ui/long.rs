//! Long sequences: what a person reads there, in both languages, wide and narrow, with the threads of this machine.

use super::*;
use attnlab::session::{Long, Pooled, Shown, Topic};

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

fn all(bench: &Bench) -> String {
    let nodes = bench.harness.root().children_recursive();
    let words = nodes.filter_map(|node| node.accesskit_node().value().or_else(|| node.accesskit_node().label()));
    words.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_topic_is_drawn_in_every_way_and_language() {
    for (language, width) in [(Language::English, 1280.0), (Language::Chinese, 360.0)] {
        for &topic in Topic::ALL {
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
