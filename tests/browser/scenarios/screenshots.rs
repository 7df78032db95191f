//! Pictures for the eye, in `target/screenshots`: light and dark, English and Chinese, wide and
//! narrow. Nothing about them is asserted but that the page was there.

use super::keep_screenshot;
use anyhow::Result;
use attnlab_browser_tests::browser::{Engine, Look};
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::{text, text_in};

#[test]
fn the_page_in_every_look() -> Result<()> {
    for (language, tag) in [("en", "en"), ("zh-CN", "zh-CN")] {
        for dark in [false, true] {
            for size in [(1280, 800), (360, 780)] {
                let look = Look { size, language: language.to_owned(), dark };
                let page = Page::open(Engine::ChromiumWebGl, &look, "")?;
                page.wait_for_state("ready")?;
                page.find("heading", &text_in(tag, "app-name"))?;
                let theme = if dark { "dark" } else { "light" };
                keep_screenshot(&page, &format!("{language}-{theme}-{}", size.0))?;
                page.check_quiet(&[])?;
            }
        }
    }
    Ok(())
}

#[test]
fn the_leak_in_both_themes() -> Result<()> {
    for dark in [false, true] {
        let look = Look { dark, ..Default::default() };
        let page = Page::open(Engine::ChromiumWebGl, &look, "")?;
        page.wait_for_state("ready")?;
        page.find("button", &text("leakage-ask"))?.press()?;
        page.wait_for_cell(&text("part-weights"), "我", "爱", "0.6285")?;
        keep_screenshot(&page, if dark { "leak-dark" } else { "leak-light" })?;
    }
    Ok(())
}

#[test]
fn the_pages_without_the_canvas() -> Result<()> {
    let page = Page::open(Engine::ChromiumWebGl, &Look::default(), "engine=none")?;
    page.wait_for_state("no-engine")?;
    keep_screenshot(&page, "no-engine")?;
    page.load("panic=now")?;
    page.wait_for_state("panic")?;
    keep_screenshot(&page, "panic")?;
    Ok(())
}
