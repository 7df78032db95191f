//! Drags by mouse and by finger, and a page that does not move by itself.

use super::{CHROMIUM, in_each};
use anyhow::{Result, ensure};
use attnlab_browser_tests::browser::Look;
use attnlab_browser_tests::page::{ENTER, Page};
use attnlab_browser_tests::text::text;
use attnlab_browser_tests::webdriver::PointerKind;
use serde_json::json;
use std::time::Duration;

#[test]
fn a_number_is_dragged_in_its_mode_and_given_back_by_one_undo() {
    in_each(CHROMIUM, |page| {
        choose_mode(page, "pointer-drag")?;
        let (x, y) = page.cell(&text("part-q"), "爱", "0")?.place()?.middle();
        // A hundred points are a unit: 0.5 + 0.5.
        page.session().drag(PointerKind::Mouse, &[(x, y), (x + 20.0, y), (x + 50.0, y)])?;
        page.wait_for_cell(&text("part-q"), "爱", "0", "1.0")?;
        page.find("button", &text("undo"))?.press()?;
        page.wait_for_cell(&text("part-q"), "爱", "0", "0.5")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9677")
    });
}

#[test]
fn the_mask_is_painted_by_a_drag_and_the_stroke_is_one_undo() {
    in_each(CHROMIUM, |page| {
        choose_mode(page, "pointer-paint")?;
        let mask = text("part-mask");
        let from = page.cell(&mask, "我", "爱")?.place()?.middle();
        let to = page.cell(&mask, "我", "你")?.place()?.middle();
        page.session().drag(PointerKind::Mouse, &[from, to])?;
        page.wait_for_cell(&mask, "我", "爱", "−∞")?;
        page.wait_for_cell(&mask, "我", "你", "−∞")?;
        page.wait_for_cell(&text("part-weights"), "我", "我", "1.0")?;
        page.find("button", &text("undo"))?.press()?;
        page.wait_for_cell(&mask, "我", "爱", "0")?;
        page.wait_for_cell(&mask, "我", "你", "0")
    });
}

#[test]
fn a_finger_scrolls_and_changes_numbers_only_in_the_mode_for_it() -> Result<()> {
    for engine in CHROMIUM {
        let page = Page::open(*engine, &Look { size: (360, 780), ..Look::default() }, "")?;
        page.wait_for_state("ready")?;
        page.settle()?;
        let q = text("part-q");
        let place = || page.cell(&q, "爱", "0")?.place();
        let before = place()?;
        let (x, y) = before.middle();
        page.session().drag(PointerKind::Touch, &[(x, y), (x, y - 40.0), (x, y - 80.0), (x, y - 120.0)])?;
        page.settle()?;
        let after = place()?;
        ensure!(after.y < before.y - 60.0, "{engine:?}: a finger scrolls: from {before:?} to {after:?}");
        page.wait_for_cell(&q, "爱", "0", "0.5")?;
        choose_mode(&page, "pointer-drag")?;
        let before = place()?;
        let (x, y) = before.middle();
        page.session().drag(PointerKind::Touch, &[(x, y), (x + 20.0, y), (x + 50.0, y)])?;
        page.wait_for_cell(&q, "爱", "0", "1.0")?;
        ensure!(place()?.y == before.y, "{engine:?}: in the mode nothing scrolls");
        // The mode is seen to be on, and one press ends it.
        page.find("button", &text("mode-drag"))?.press()?;
        page.until("an ended mode", || Ok((!page.has("button", &text("mode-drag"))?).then_some(())))?;
        page.check_quiet(&[])?;
    }
    Ok(())
}

#[test]
fn a_text_cursor_does_not_blink_and_reduced_motion_is_read() {
    in_each(CHROMIUM, |page| {
        // What changed glows for a second, in many passes; under reduced motion it does not.
        let passes_of_an_edit = |number: &str| -> Result<u64> {
            page.begin_edit(&text("part-q"), "爱", "0", number)?;
            page.settle()?;
            let before = page.passes()?;
            page.press(&[ENTER])?;
            page.wait_for_cell(&text("part-q"), "爱", "0", number)?;
            page.settle()?;
            Ok(page.passes()? - before)
        };
        let motion = |wanted: &str| {
            let features = json!({ "features": [{ "name": "prefers-reduced-motion", "value": wanted }] });
            page.session().cdp("Emulation.setEmulatedMedia", &features)
        };
        // On a busy machine a pass may take as long as the glow: then it is tried again.
        page.until("fewer passes under reduced motion", || {
            motion("no-preference")?;
            let moving = passes_of_an_edit("2.0")?;
            motion("reduce")?;
            let still = passes_of_an_edit("3.0")?;
            Ok((still + 1 < moving).then_some(()))
        })?;
        page.begin_edit(&text("part-q"), "爱", "0", "4")?;
        page.settle()?;
        let before = page.passes()?;
        std::thread::sleep(Duration::from_secs(2));
        let after = page.passes()?;
        ensure!(after == before, "{} passes while a text cursor waits", after - before);
        Ok(())
    });
}

/// What a drag does is chosen in the view settings.
fn choose_mode(page: &Page, mode: &str) -> Result<()> {
    page.find("button", &text("settings"))?.press()?;
    page.find("button", &text(mode))?.press()?;
    page.find("button", &text("settings"))?.press()?;
    page.settle()
}
