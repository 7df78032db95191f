//! What is saved after every action, and found again.

use super::{CHROMIUM, EVERY, in_each, in_each_at};
use anyhow::ensure;
use attnlab_browser_tests::text::text;

#[test]
fn a_reload_finds_the_session_as_it_was() {
    in_each(EVERY, |page| {
        page.edit_cell(&text("part-q"), "爱", "0", "2")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")
    });
}

#[test]
fn a_saved_session_that_cannot_be_read_is_left_aside() {
    in_each_at(CHROMIUM, "engine=none", &[], |page| {
        page.session().script("localStorage.setItem('attnlab.session', '{ not a session')", &[])?;
        page.load("")?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9677")?;
        let kept = page.session().script("return localStorage.getItem('attnlab.unread')", &[])?;
        ensure!(kept == "{ not a session", "found {kept}");
        Ok(())
    });
}
