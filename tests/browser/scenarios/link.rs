//! A state that travels as a link.

use super::{CHROMIUM, EVERY, in_each};
use anyhow::{Context, Result, ensure};
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::{beginning, text};

/// The link as the page shows it, without what stands before the fragment.
fn link_of(page: &Page) -> Result<String> {
    page.find("button", &text("panel-share"))?.press()?;
    let value = page.find("textbox", &text("link"))?.value()?;
    let (_, fragment) = value.split_once('#').context("a link with a fragment")?;
    Ok(format!("#{fragment}"))
}

#[test]
fn a_link_restores_the_state_and_leaves_the_user_s_own_alone() {
    in_each(EVERY, |page| {
        let (q, output) = (text("part-q"), text("part-output"));
        page.edit_cell(&q, "爱", "0", "2")?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        let link = link_of(page)?;
        ensure!(link.len() < 300, "{} characters: {link}", link.len());
        // One's own session is another one by now.
        page.edit_cell(&q, "爱", "0", "0")?;
        page.wait_for_cell(&output, "爱", "0", "1.0000")?;
        // A changed fragment in an open page is loaded.
        page.session().script("location.hash = arguments[0]", &[link.as_str().into()])?;
        page.wait_for_words(&text("linked"))?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.find("button", &text("dismiss"))?.press()?;
        // The matrices move up when the strip goes.
        page.until("no strip", || Ok((!page.has("button", &text("dismiss"))?).then_some(())))?;
        // What is changed in it is found after a reload, and still overwrites nothing.
        page.edit_cell(&text("part-v"), "你", "0", "9")?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&text("part-v"), "你", "0", "9.0")?;
        page.load("")?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&output, "爱", "0", "1.0000")
    });
}

#[test]
fn from_a_link_one_goes_back_to_one_s_own_or_keeps_it() {
    in_each(CHROMIUM, |page| {
        let output = text("part-output");
        let link = link_of(page)?;
        page.edit_cell(&text("part-q"), "爱", "0", "2")?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.load(&link)?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&output, "爱", "0", "0.9677")?;
        page.find("button", &text("link-leave"))?.press()?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.until("an address without fragment", || {
            Ok((page.session().script("return location.hash", &[])? == "").then_some(()))
        })?;
        page.load(&link)?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.find("button", &text("link-keep"))?.press()?;
        page.settle()?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&output, "爱", "0", "0.9677")
    });
}

#[test]
fn a_damaged_link_says_so_and_shows_the_example() {
    in_each(CHROMIUM, |page| {
        page.load("#1.this-is-no-link")?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.wait_for_words(beginning("not-linked").trim_end())?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9677")
    });
}
