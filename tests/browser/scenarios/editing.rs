//! Changing numbers and taking the change back.

use super::{CHROMIUM, EVERY, in_each};
use attnlab_browser_tests::page::{CONTROL, ENTER, ESCAPE, SHIFT, TAB};
use attnlab_browser_tests::text::text;

#[test]
fn a_cell_is_edited_and_everything_follows() {
    in_each(EVERY, |page| {
        let (q, output) = (text("part-q"), text("part-output"));
        page.edit_cell(&q, "爱", "0", "2")?;
        // The query of 爱 is now that of 你, and so is its output.
        page.wait_for_cell(&q, "爱", "0", "2.0")?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.wait_for_words(&text("checks-all-passed"))
    });
}

#[test]
fn an_edit_is_undone_and_redone() {
    in_each(CHROMIUM, |page| {
        let output = text("part-output");
        page.edit_cell(&text("part-q"), "爱", "0", "2")?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.find("button", &text("undo"))?.press()?;
        page.wait_for_cell(&output, "爱", "0", "0.9677")?;
        page.find("button", &text("redo"))?.press()?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.press(&[CONTROL, "z"])?;
        page.wait_for_cell(&output, "爱", "0", "0.9677")?;
        page.press(&[CONTROL, SHIFT, "z"])?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")
    });
}

#[test]
fn escape_gives_an_edit_up() {
    in_each(CHROMIUM, |page| {
        let q = text("part-q");
        page.begin_edit(&q, "爱", "0", "9")?;
        page.press(&[ESCAPE])?;
        page.wait_for_focus("the cell", |role, _| role == "gridcell")?;
        page.wait_for_cell(&q, "爱", "0", "0.5")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9677")
    });
}

#[test]
fn while_a_cell_is_edited_tab_moves_on_in_the_matrix() {
    in_each(CHROMIUM, |page| {
        let k = text("part-k");
        page.begin_edit(&k, "0", "我", "3")?;
        page.press(&[TAB])?;
        page.wait_for_cell(&k, "0", "我", "3")?;
        page.type_text("4")?;
        page.wait_for_focus("the edited cell", |role, name| role == "textbox" && name.contains("爱"))?;
        page.settle()?;
        page.press(&[ENTER])?;
        page.wait_for_cell(&k, "0", "我", "3.0")?;
        page.wait_for_cell(&k, "0", "爱", "4.0")
    });
}
