//! Blocks of numbers from a spreadsheet, and numbers into one.

use super::{CHROMIUM, EVERY, in_each};
use anyhow::{Result, ensure};
use attnlab_browser_tests::page::{CONTROL, ENTER, Page};
use attnlab_browser_tests::text::text;

/// A column as a spreadsheet copies it.
const COLUMN: &str = "2\n2\n2";

#[test]
fn a_block_is_pasted_over_the_cells() {
    in_each(EVERY, |page| {
        page.copy_text(COLUMN)?;
        page.cell(&text("part-q"), "我", "0")?.press()?;
        page.wait_for_focus("the cell", |role, _| role == "gridcell")?;
        page.press(&[CONTROL, "v"])?;
        take_it(page)?;
        has_the_column(page)
    });
}

#[test]
fn a_paste_with_nothing_in_focus_goes_to_the_active_matrix() {
    in_each(CHROMIUM, |page| {
        page.copy_text(COLUMN)?;
        let nothing = page.session().script("return document.activeElement === document.body", &[])?;
        ensure!(nothing == true, "something has the focus");
        page.press(&[CONTROL, "v"])?;
        take_it(page)?;
        has_the_column(page)
    });
}

#[test]
fn a_matrix_is_copied_and_pasted_into_another() {
    in_each(CHROMIUM, |page| {
        let (q, v) = (text("part-q"), text("part-v"));
        page.cell(&q, "我", "0")?.press()?;
        page.wait_for_focus("the cell", |role, name| role == "gridcell" && name == "1.0")?;
        page.press(&[CONTROL, "c"])?;
        // The clipboard is filled in the app's next pass.
        page.settle()?;
        page.cell(&v, "我", "0")?.press()?;
        page.wait_for_focus("the cell", |role, name| role == "gridcell" && name == "0.5")?;
        page.press(&[CONTROL, "v"])?;
        take_it(page)?;
        for (token, value) in [("我", "1.0"), ("爱", "0.5"), ("你", "2.0")] {
            page.wait_for_cell(&v, token, "0", value)?;
        }
        Ok(())
    });
}

/// How the block was read is shown, with its shape, before it is taken.
fn take_it(page: &Page) -> Result<()> {
    page.find("button", &text("paste-take"))?;
    page.wait_for_words("3×1")?;
    page.press(&[ENTER])
}

fn has_the_column(page: &Page) -> Result<()> {
    let (q, output) = (text("part-q"), text("part-output"));
    for token in ["我", "爱", "你"] {
        page.wait_for_cell(&q, token, "0", "2.0")?;
        page.wait_for_cell(&output, token, "0", "0.9639")?;
    }
    Ok(())
}
