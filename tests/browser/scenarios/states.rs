//! States that are kept under a name, and two states side by side.

use super::{CHROMIUM, in_each};
use attnlab_browser_tests::text::{text, text_with};

#[test]
fn a_state_is_kept_under_a_name_found_after_a_reload_thrown_away_and_taken_back() {
    in_each(CHROMIUM, |page| {
        let (q, output) = (text("part-q"), text("part-output"));
        page.edit_cell(&q, "爱", "0", "2")?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.find("button", &text("panel-share"))?.press()?;
        page.find("textbox", &text("state-name"))?.press()?;
        page.type_text("two")?;
        page.find("button", &text("state-keep"))?.press()?;
        let open = text_with("state-open", &[("name", "two")]);
        page.find("button", &open)?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.edit_cell(&q, "爱", "0", "0")?;
        page.wait_for_cell(&output, "爱", "0", "1.0000")?;
        page.find("button", &open)?.activate()?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.find("button", &text_with("state-throw", &[("name", "two")]))?.activate()?;
        page.until("no state of that name", || Ok((!page.has("button", &open)?).then_some(())))?;
        page.find("button", &text_with("states-take-back", &[("thrown", "1")]))?.activate()?;
        page.find("button", &open)?;
        Ok(())
    });
}

/// What another tab keeps is there in this one, and is not written over by it.
#[test]
fn two_tabs_keep_the_same_states() {
    in_each(CHROMIUM, |page| {
        page.find("button", &text("panel-share"))?.press()?;
        page.find("button", &text("state-keep"))?.activate()?;
        let first = text_with("state-n", &[("number", "1")]);
        page.find("button", &text_with("state-open", &[("name", &first)]))?;
        // As another tab does it: the same storage, and the event that only other tabs are sent.
        let script = "const key = 'attnlab.states';\
            const saved = JSON.parse(localStorage.getItem(key));\
            saved.states.push({ ...saved.states[0], name: 'elsewhere' });\
            localStorage.setItem(key, JSON.stringify(saved));\
            dispatchEvent(new StorageEvent('storage', { key }));";
        page.session().script(script, &[])?;
        page.find("button", &text_with("state-open", &[("name", "elsewhere")]))?;
        page.find("button", &text("state-keep"))?.activate()?;
        let third = text_with("state-n", &[("number", "3")]);
        page.find("button", &text_with("state-open", &[("name", &third)]))?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        for name in [first.as_str(), "elsewhere", third.as_str()] {
            page.find("button", &text_with("state-open", &[("name", name)]))?;
        }
        Ok(())
    });
}

#[test]
fn a_held_state_is_shown_beside_the_present_one_and_as_the_difference() {
    in_each(CHROMIUM, |page| {
        let output = text("part-output");
        page.find("button", &text("panel-compare"))?.press()?;
        page.find("button", &text("compare-hold"))?.activate()?;
        page.edit_cell(&text("part-q"), "爱", "0", "2")?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.find("button", &text("compare-held"))?.activate()?;
        page.wait_for_cell(&output, "爱", "0", "0.9677")?;
        page.find("button", &text("compare-difference"))?.activate()?;
        page.wait_for_cell(&output, "爱", "0", "−0.0038")
    });
}
