//! Long sequences in the page: 65,536 tokens from the whole down to one pair, held to f64.

use super::{CHROMIUM, EVERY, in_each};
use anyhow::{Context, Result, ensure};
use attnlab::long::Rule;
use attnlab::long::generate::{Generated, Kind, generate};
use attnlab_browser_tests::browser::Engine;
use attnlab_browser_tests::page::{DOWN, LEFT, Page};
use attnlab_browser_tests::text::{beginning, text, text_with};
use attnlab_browser_tests::webdriver::PointerKind;
use serde_json::{Value, json};

/// The page with these settings of long sequences, and their panel open.
pub fn open(page: &Page, long: &Value) -> Result<()> {
    // What the app saved itself, with other settings.
    page.find("button", &text("panel-long"))?.press()?;
    page.settle()?;
    let change = "
        const saved = JSON.parse(localStorage.getItem('attnlab.session'));
        Object.assign(saved.view.long, arguments[0]);
        localStorage.setItem('attnlab.session', JSON.stringify(saved));";
    page.session().script(change, std::slice::from_ref(long))?;
    page.session().reload()?;
    page.wait_for_state("ready")
}

/// The words that come when all is computed: on a busy machine that takes several times as long as anything else.
fn in_the_end(page: &Page, words: &str) -> Result<()> {
    (0..4).find_map(|_| page.wait_for_words(words).ok()).map_or_else(|| page.wait_for_words(words), Ok)
}

/// Scaled score and weight of a pair under the causal rule, the plain way.
pub fn plain(data: &Generated, row: usize, key: usize) -> (f64, f64) {
    let row_of = |numbers: &[f32], at: usize| -> Vec<f64> {
        numbers[at * data.d..(at + 1) * data.d].iter().map(|&x| f64::from(x)).collect()
    };
    let q = row_of(&data.q, row);
    let scaled = |key: usize| {
        let product: f64 = q.iter().zip(row_of(&data.k, key)).map(|(q, k)| q * k).sum();
        product / (data.d as f64).sqrt()
    };
    let rule = Rule { causal: true, ..Rule::default() };
    let all: Vec<f64> = rule.visible(row, data.n).map(scaled).collect();
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = all.iter().map(|scaled| (scaled - most).exp()).sum();
    (scaled(key), (scaled(key) - most).exp() / sum)
}

/// The number after a word of the sentence about the pair under the cursor.
pub fn number_after(sentence: &str, word: &str) -> Result<f64> {
    let rest = sentence.split(word).nth(1).with_context(|| format!("no {word} in {sentence}"))?;
    let number = rest.trim_start().split([',', ' ']).next().unwrap_or_default().replace('−', "-");
    number.parse().with_context(|| format!("{number:?} in {sentence}"))
}

#[test]
fn sixty_five_thousand_tokens_are_explored_down_to_one_pair() {
    in_each(&[Engine::ChromiumWebGl], |page| {
        open(page, &json!({ "topic": "random", "n": 65_536, "d": 16, "seed": 7 }))?;
        // The first picture is a sample by sums that still grow, and says so; then every pair is counted.
        page.wait_for_words(&text("long-sampled-growing"))?;
        page.wait_for_words("n×n would take 17.2 GB")?;
        in_the_end(page, &text("long-ready"))?;
        in_the_end(page, &text("long-exact"))?;
        let map = page.find_with("application", &text("long-map"))?;
        map.focus()?;
        // From 65,536 tokens a side to 4, around the pair in the middle.
        for _ in 0..14 {
            page.press(&["+"])?;
        }
        page.wait_for_words("Queries 32766–32770, keys 32766–32770.")?;
        page.press(&[LEFT])?;
        page.press(&[DOWN])?;
        let pair = text_with("long-pair-is", &[("row", "32769"), ("key", "32767"), ("score", "")]);
        let pair = pair.split(", ").next().unwrap_or_default().split(':').next().unwrap_or_default().to_owned();
        let sentence = page.until("the pair under the cursor", || {
            Ok(page
                .names()?
                .into_iter()
                .map(|(_, name)| name)
                .find(|name| name.starts_with(&pair) && !name.contains('…')))
        })?;
        let data = generate(Kind::Random, 65_536, 16, 7);
        let (scaled, weight) = plain(&data, 32_769, 32_767);
        let (found_scaled, found_weight) = (number_after(&sentence, "scaled")?, number_after(&sentence, "weight")?);
        // As far as the figures that are shown go.
        ensure!((found_scaled - scaled).abs() <= 6e-5, "{sentence}, expected {scaled}");
        ensure!((found_weight - weight).abs() <= 6e-3 * weight, "{sentence}, expected {weight}");
        Ok(())
    });
}

#[test]
fn a_part_goes_to_the_workbench_with_its_very_weights() {
    in_each(CHROMIUM, |page| {
        open(page, &json!({ "topic": "induction", "n": 1_000, "d": 8, "size": 100, "seed": 3 }))?;
        page.wait_for_words(&text("long-ready"))?;
        page.find_with("application", &text("long-map"))?.focus()?;
        // The pair in the middle.
        page.press(&["+"])?;
        page.wait_for_words(&beginning("long-pair-is"))?;
        page.find("button", &text("long-take"))?.activate()?;
        let data = generate(Kind::Induction { period: 100 }, 1_000, 8, 3);
        let (_, weight) = plain(&data, 505, 500);
        page.wait_for_cell(&text("part-weights"), "505", "500", &format!("{weight:.4}"))
    });
}

#[test]
fn the_map_is_dragged_and_turned_nearer() {
    in_each(CHROMIUM, |page| {
        open(page, &json!({ "topic": "local", "n": 2_000, "d": 16, "size": 60, "side": 500.0 }))?;
        page.wait_for_words("Queries 0–499, keys 0–499.")?;
        let (x, y) = page.find_with("application", &text("long-map"))?.place()?.middle();
        page.session().drag(PointerKind::Mouse, &[(x, y), (x - 40.0, y - 20.0), (x - 68.0, y - 34.0)])?;
        // 340 points for 500 tokens: 34 points are 50.
        page.wait_for_words("Queries 50–549, keys 100–599.")?;
        // The pointer rests on the map, and the keys move the cursor all the same: by a hundredth of 500 tokens.
        let key = || -> Result<Option<f64>> {
            let names = page.names()?;
            let sentence =
                names.iter().map(|(_, name)| name).find(|name| name.starts_with("Query ") && name.contains("score"));
            sentence.map(|sentence| number_after(&sentence.replace(':', ","), "key")).transpose()
        };
        let before = page.until("the pair under the pointer", key)?;
        page.press(&[LEFT])?;
        page.until("the pair five keys further left", || Ok(key()?.filter(|now| *now == before - 5.0)))?;
        page.find("button", &text("long-farther"))?.press()?;
        page.wait_for_words("Queries 0–999, keys 0–999.")?;
        page.find("button", &text("long-whole"))?.press()?;
        page.wait_for_words("Queries 0–1999, keys 0–1999.")
    });
}

#[test]
fn every_browser_has_hands_for_it() {
    in_each(EVERY, |page| {
        page.find("button", &text("panel-long"))?.press()?;
        page.wait_for_words(&text("long-ready"))?;
        page.wait_for_words(&text("long-exact"))
    });
}

/// Tries that take seconds, in a page in which nothing else moves.
#[test]
fn the_naive_way_ends_by_itself() {
    in_each(&[Engine::ChromiumWebGl], |page| {
        open(page, &json!({ "topic": "random", "n": 64, "d": 64 }))?;
        page.wait_for_words(&text("long-ready"))?;
        page.find("button", &text("long-naive-try"))?.activate()?;
        let ends = ["long-naive-time", "long-naive-memory", "long-naive-last"].map(beginning);
        let has_ended = || -> Result<Option<()>> {
            let names = page.names()?;
            Ok(names.iter().any(|(_, name)| ends.iter().any(|end| name.starts_with(end))).then_some(()))
        };
        page.until("the end of the naive way", has_ended).or_else(|_| page.until("its end", has_ended))
    });
}
