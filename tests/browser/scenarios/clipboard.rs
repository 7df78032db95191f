//! Blocks of numbers from a spreadsheet, and numbers into one.

use super::{CHROMIUM, EVERY, in_each};
use anyhow::Result;
use attnlab_browser_tests::page::{CONTROL, Page};
use attnlab_browser_tests::text::text;
use serde_json::json;

/// A column as a spreadsheet copies it.
const COLUMN: &str = "2\n2\n2";

#[test]
fn a_block_is_pasted_over_the_cells() {
    in_each(EVERY, |page| {
        page.cell(&text("part-q"), "我", "0")?.press()?;
        page.wait_for_focus("the cell", |role, _| role == "gridcell")?;
        page.paste(COLUMN)?;
        has_the_column(page)
    });
}

#[test]
fn a_paste_with_nothing_in_focus_goes_to_the_active_matrix() {
    in_each(CHROMIUM, |page| {
        page.session().script("document.activeElement?.blur()", &[])?;
        page.paste(COLUMN)?;
        has_the_column(page)
    });
}

#[test]
fn keys_copy_and_paste() {
    in_each(CHROMIUM, |page| {
        // The browser's own clipboard, and the keys that a person presses.
        let script = "const done = arguments[1]; navigator.clipboard.writeText(arguments[0]).then(() => done('ok'), (why) => done(String(why)))";
        page.cell(&text("part-q"), "我", "0")?.press()?;
        page.wait_for_focus("the cell", |role, _| role == "gridcell")?;
        page.until("the clipboard", || {
            let answer = page.session().script_async(script, &[json!(COLUMN)])?;
            Ok((answer == "ok").then_some(()))
        })?;
        page.press(&[CONTROL, "v"])?;
        has_the_column(page)?;
        // And back: what is copied from the cell of 爱 is pasted over the value of 我.
        page.cell(&text("part-q"), "爱", "0")?.press()?;
        page.wait_for_focus("the cell", |role, _| role == "gridcell")?;
        page.press(&[CONTROL, "c"])?;
        page.cell(&text("part-v"), "我", "0")?.press()?;
        page.wait_for_focus("the cell", |role, _| role == "gridcell")?;
        page.press(&[CONTROL, "v"])?;
        page.wait_for_cell(&text("part-v"), "我", "0", "2.0")
    });
}

fn has_the_column(page: &Page) -> Result<()> {
    let (q, output) = (text("part-q"), text("part-output"));
    for token in ["我", "爱", "你"] {
        page.wait_for_cell(&q, token, "0", "2.0")?;
        page.wait_for_cell(&output, token, "0", "0.9639")?;
    }
    Ok(())
}
