//! The first minute: load, read 我 爱 你, step, switch the language.

use super::{CHROMIUM, EVERY, in_each};
use anyhow::{Result, ensure};
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::{beginning, page_text, text, text_in};

#[test]
fn the_page_loads_and_draws() {
    in_each(EVERY, |page| {
        let drawn_by = page.engine_in_use()?;
        let expected = match page.engine() {
            attnlab_browser_tests::browser::Engine::ChromiumWebGpu => "WebGpu",
            _ => "WebGl",
        };
        ensure!(drawn_by == expected, "drawn by {drawn_by}, expected {expected}");
        let heading = page.find("heading", &text("app-name"))?;
        ensure!(heading.attribute("aria-level")?.is_some(), "a heading has a level");
        Ok(())
    });
}

#[test]
fn the_article_is_reproduced() {
    in_each(EVERY, |page| {
        // softmax(0.5, 1, 0.25) · (0.5, 1, 1.5): the article's own figures.
        let (q, weights, output) = (text("part-q"), text("part-weights"), text("part-output"));
        page.wait_for_cell(&q, "爱", "0", "0.5")?;
        for (key, weight) in [("我", "0.2918"), ("爱", "0.4810"), ("你", "0.2272")] {
            page.wait_for_cell(&weights, "爱", key, weight)?;
        }
        page.wait_for_cell(&output, "爱", "0", "0.9677")?;
        page.wait_for_words(&text("checks-all-passed"))
    });
}

#[test]
fn the_steps_follow_the_buttons() {
    in_each(CHROMIUM, |page| {
        page.wait_for_words(&beginning("sentence-all"))?;
        page.find("button", &text("step-back"))?.press()?;
        page.wait_for_words(&beginning("sentence-weigh"))?;
        page.find("button", &text("step-back"))?.press()?;
        page.wait_for_words(&beginning("sentence-softmax"))?;
        page.find("button", &text("step-forward"))?.press()?;
        page.wait_for_words(&beginning("sentence-weigh"))
    });
}

#[test]
fn the_language_is_switched() {
    in_each(CHROMIUM, |page| {
        switch_to_chinese(page)?;
        page.find("heading", &text_in("zh-CN", "app-name"))?;
        page.find("grid", &text_in("zh-CN", "part-q"))?;
        page.until("the page in Chinese", || {
            let page_says = page.session().script("return [document.documentElement.lang, document.title]", &[])?;
            Ok((page_says == serde_json::json!(["zh-CN", page_text("zh-CN", "title")])).then_some(()))
        })
    });
}

fn switch_to_chinese(page: &Page) -> Result<()> {
    page.find("button", "中文")?.press()
}
