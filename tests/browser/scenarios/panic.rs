//! A mistake of ours stops the program; what was done is not lost.

use super::{CHROMIUM, in_each_at};
use anyhow::{Result, ensure};
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::{page_text, text};

/// What a panic writes to the console.
const PANIC: &[&str] = &["panic", "unreachable", "RuntimeError"];

#[test]
fn a_panic_in_a_frame_shows_its_message() {
    in_each_at(CHROMIUM, "", PANIC, |page| {
        edit(page)?;
        page.session().script("attnlab.panic_now(true)", &[])?;
        shows_the_message(page, "within a frame")?;
        page.find("button", &page_text("en", "reload-mine"))?.press()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")
    });
}

#[test]
fn a_panic_outside_a_frame_shows_its_message() {
    in_each_at(CHROMIUM, "", PANIC, |page| {
        edit(page)?;
        page.session().script("try { attnlab.panic_now(false) } catch {}", &[])?;
        shows_the_message(page, "outside a frame")?;
        page.find("button", &page_text("en", "reload-example"))?.press()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9677")
    });
}

#[test]
fn a_panic_is_forced_by_the_address() {
    in_each_at(CHROMIUM, "panic=now", PANIC, |page| {
        shows_the_message(page, "asked for")?;
        // The reload leaves the panic out, or it would never end.
        page.find("button", &page_text("en", "reload-mine"))?.press()?;
        page.wait_for_state("ready")
    });
}

fn shows_the_message(page: &Page, words: &str) -> Result<()> {
    page.wait_for_state("panic")?;
    page.wait_for_words(&page_text("en", "panic"))?;
    let message = page.find_with("log", "panicked")?.text()?;
    ensure!(message.contains(words), "the message is {message:?}");
    page.find("button", &page_text("en", "copy"))?.press()?;
    page.find("button", &page_text("en", "copied"))?;
    Ok(())
}

fn edit(page: &Page) -> Result<()> {
    page.wait_for_state("ready")?;
    page.edit_cell(&text("part-q"), "爱", "0", "2")?;
    page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")
}
