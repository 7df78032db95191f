//! Members of the attention family, set in the page.

use super::{CHROMIUM, in_each};
use attnlab_browser_tests::text::{text, text_with};

#[test]
fn a_variant_is_chosen_edited_and_set_aside_and_comes_back() {
    in_each(CHROMIUM, |page| {
        let output = text("part-output");
        page.find("button", &text("panel-variants"))?.press()?;
        page.find("button", &text("score-general"))?.activate()?;
        // With the identity it is the dot product.
        page.wait_for_cell(&output, "爱", "0", "0.9677")?;
        page.edit_cell(&text("part-score-w"), "0", "0", "4")?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.find("button", &text("normalise-linear"))?.activate()?;
        let parts = text("family-score");
        let variant = text("normalise-linear");
        page.wait_for_words(&text_with("set-aside", &[("variant", &variant), ("parts", &parts)]))?;
        page.find("button", &text("normalise-softmax"))?.activate()?;
        page.wait_for_words(&text_with("came-back", &[("parts", &parts)]))?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.find("button", &text("descent-dot"))?.activate()?;
        page.wait_for_cell(&output, "爱", "0", "0.9677")
    });
}

#[test]
fn what_does_not_go_is_said_and_changes_nothing() {
    in_each(CHROMIUM, |page| {
        page.find("button", &text("panel-variants"))?.press()?;
        page.wait_for_words(&text_with("variants-needs-even", &[("width", "1")]))?;
        page.find("button", &text("descent-multi-head"))?.activate()?;
        page.wait_for_words("1 cannot be divided by 2")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9677")
    });
}
