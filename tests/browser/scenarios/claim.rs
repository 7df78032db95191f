//! "Does it match?": what an article claims, compared and explained.

use super::{CHROMIUM, in_each};
use attnlab_browser_tests::page::{CONTROL, Page};
use attnlab_browser_tests::text::{text, text_with};

fn claim(page: &Page, numbers: &str) -> anyhow::Result<()> {
    page.find("textbox", &text("claim-numbers"))?.press()?;
    page.press(&[CONTROL, "a"])?;
    page.type_text(numbers)?;
    page.settle()?;
    page.find("button", &text("claim-compare"))?.press()
}

#[test]
fn the_article_s_numbers_match_and_others_depart() {
    in_each(CHROMIUM, |page| {
        page.find("button", &text("panel-claim"))?.press()?;
        claim(page, "0.9545 0.9677 0.9639")?;
        page.wait_for_words(&text_with("claim-agrees", &[("all", "3")]))?;
        claim(page, "0.9545 0.9678 0.9639")?;
        page.wait_for_words(&text_with("claim-departs", &[("departing", "1"), ("all", "3")]))?;
        page.wait_for_words(&text("claim-no-reason"))?;
        // The causal mask would have given these: one press takes it over.
        claim(page, "0.5 0.8112 0.9639")?;
        page.find_with("button", &text("claim-apply"))?.press()?;
        page.wait_for_words(&text_with("claim-agrees", &[("all", "3")]))?;
        page.wait_for_cell(&text("part-weights"), "我", "爱", "0.0000")
    });
}
