//! The studies of the panel "Explore".

use super::{CHROMIUM, in_each};
use anyhow::Result;
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::{beginning, text, text_with};

fn study(page: &Page, key: &str) -> Result<()> {
    page.find("button", &text(&format!("study-{key}")))?.activate()
}

#[test]
fn every_study_opens_and_shows_its_figures() {
    in_each(CHROMIUM, |page| {
        page.find("button", &text("panel-explore"))?.press()?;
        study(page, "laboratory")?;
        page.wait_for_words("Histogram of dot products at d_k = 128: standard deviation 11.")?;
        study(page, "gradient")?;
        let by_values = text_with("gradient-by", &[("matrix", &text("part-v"))]);
        // The output moves with a value as the weight says.
        page.wait_for_cell(&by_values, "我", "0", "0.2312")?;
        study(page, "diagnosis")?;
        page.wait_for_words(&text("diagnosis-heads"))?;
        study(page, "path")?;
        page.wait_for_words(&text_with("path-spoken", &[("n", "500"), ("steps", "499")]))?;
        study(page, "order")?;
        page.find("button", &text("order-reverse"))?.activate()?;
        page.wait_for_words(&beginning("order-moves-along"))?;
        study(page, "encoding")?;
        page.find("button", &text("position-rope"))?.activate()?;
        page.wait_for_words(&text_with("encoding-some-of", &[("new", "16"), ("all", "32")]))?;
        study(page, "heads")?;
        page.wait_for_words(&text("heads-counts"))?;
        study(page, "linear")?;
        page.wait_for_words(&beginning("linear-same"))?;
        study(page, "reach")?;
        page.find("button", &text("reach-window"))?.activate()?;
        page.wait_for_words(&text_with("reach-furthest", &[("layers", "3"), ("back", "2")]))?;
        study(page, "flash")?;
        page.wait_for_words("m = max(−∞,")?;
        study(page, "cache")?;
        page.wait_for_words("1 keys in the cache")?;
        study(page, "cost")?;
        page.find("button", "Llama-2-7B")?.activate()?;
        page.wait_for_words("524,288")?;
        study(page, "forgetting")?;
        page.wait_for_words("n = 1000: 0.1293")
    });
}

/// A problem with its study is found again after a reload.
#[test]
fn the_settings_of_a_study_outlive_a_reload() {
    in_each(CHROMIUM, |page| {
        page.find("button", &text("panel-explore"))?.press()?;
        study(page, "cost")?;
        page.find("button", "Llama-3-8B")?.activate()?;
        page.wait_for_words("131,072")?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.wait_for_words("131,072")
    });
}
