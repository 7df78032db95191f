//! The mask, and what leaks when it is not applied.

use super::{CHROMIUM, EVERY, in_each};
use anyhow::ensure;
use attnlab_browser_tests::text::{text, text_with};

/// The weights on the three pairs that the causal rule hides: 0.62853 + 0.14024 + 0.22721.
const TOTAL: &str = "0.9960";

#[test]
fn the_mask_is_switched_off_and_the_leak_is_read() {
    in_each(EVERY, |page| {
        let weights = text("part-weights");
        page.find("button", &text("mask-preset-causal"))?.press()?;
        page.wait_for_cell(&weights, "我", "爱", "0.0000")?;
        page.wait_for_cell(&weights, "我", "我", "1.0000")?;
        page.find("button", &text("applied-never"))?.press()?;
        page.wait_for_cell(&weights, "我", "爱", "0.6285")?;
        page.wait_for_words(&text_with("leakage-total", &[("total", TOTAL)]))?;
        let never = page.find("button", &text("applied-never"))?;
        never.wait_for_attribute("aria-pressed", "true")
    });
}

#[test]
fn one_click_asks_for_the_rule_and_leaves_the_mask_off() {
    in_each(CHROMIUM, |page| {
        page.find("button", &text("leakage-ask"))?.press()?;
        page.wait_for_words(&text_with("leakage-total", &[("total", TOTAL)]))?;
        ensure!(!page.has("status", &text("checks-all-passed"))?, "a leak fails a check");
        // The right mask: nothing leaks.
        page.find("button", &text("applied-before-softmax"))?.press()?;
        page.wait_for_cell(&text("part-weights"), "我", "爱", "0.0000")?;
        page.wait_for_words(&text("checks-all-passed"))
    });
}
