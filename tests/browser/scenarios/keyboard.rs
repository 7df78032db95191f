//! The page by keyboard alone, and never a trap.

use super::{CHROMIUM, EVERY, in_each};
use anyhow::{Result, bail, ensure};
use attnlab_browser_tests::page::{DOWN, ENTER, ESCAPE, Page, SHIFT, TAB, UP};
use attnlab_browser_tests::text::{beginning, text};

/// More tab stops than the page has.
const MANY: usize = 200;

#[test]
fn the_steps_are_gone_through_by_keyboard_alone() {
    in_each(CHROMIUM, |page| {
        tab_to(page, "button", &text("step-back"))?;
        page.press(&[ENTER])?;
        page.wait_for_words(&beginning("sentence-weigh"))?;
        page.press(&[" "])?;
        page.wait_for_words(&beginning("sentence-softmax"))?;
        tab_to(page, "button", &text("step-forward"))?;
        page.press(&[ENTER])?;
        page.wait_for_words(&beginning("sentence-weigh"))
    });
}

#[test]
fn the_steps_have_keys_of_their_own() {
    in_each(CHROMIUM, |page| {
        page.press(&["b"])?;
        page.wait_for_words(&beginning("sentence-weigh"))?;
        page.press(&["b"])?;
        page.wait_for_words(&beginning("sentence-softmax"))?;
        page.press(&["n"])?;
        page.wait_for_words(&beginning("sentence-weigh"))
    });
}

#[test]
fn a_matrix_is_one_tab_stop_in_which_arrows_move() {
    in_each(CHROMIUM, |page| {
        tab_to(page, "gridcell", "1.0")?;
        let first = place_of_focus(page)?;
        page.press(&[DOWN])?;
        page.wait_for_focus("the cell below", |role, name| role == "gridcell" && name == "0.5")?;
        page.type_text("2")?;
        page.wait_for_focus("the edited cell", |role, _| role == "textbox")?;
        page.settle()?;
        page.press(&[ENTER])?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")?;
        page.wait_for_focus("a cell", |role, _| role == "gridcell")?;
        page.press(&[UP])?;
        page.settle()?;
        page.press(&[TAB])?;
        page.until("another matrix", || Ok((grid_of_focus(page)? != first.0).then_some(())))
    });
}

#[test]
fn tab_goes_through_the_page_and_leaves_it() {
    in_each(EVERY, |page| {
        goes_round(page, &[TAB])?;
        goes_round(page, &[SHIFT, TAB])
    });
}

#[test]
fn tab_leaves_a_text_box_and_the_canvas() {
    in_each(CHROMIUM, |page| {
        page.find("button", &text("panel-shape"))?.press()?;
        let first = page.find_with("textbox", &beginning("token-n"))?;
        first.press()?;
        page.wait_for_focus("the text input", |role, _| role == "textbox")?;
        let (_, name) = page.focused()?;
        page.press(&[TAB])?;
        page.wait_for_focus("what comes next", |role, other| !role.is_empty() && other != name)?;
        // A text box that was left by Escape is still where Tab goes on from.
        first.press()?;
        page.wait_for_focus("the text input", |role, other| role == "textbox" && other == name)?;
        page.press(&[ESCAPE])?;
        page.press(&[TAB])?;
        page.wait_for_focus("what comes next", |role, other| !role.is_empty() && other != name)?;
        // A click on nothing puts the focus on the canvas; Tab leaves that too.
        page.session().click_at(700.0, 580.0)?;
        page.press(&[TAB])?;
        page.wait_for_focus("something of the app", |role, name| {
            let is_control = matches!(role, "button" | "textbox" | "gridcell" | "spinbutton" | "checkbox" | "combobox");
            is_control && !name.is_empty()
        })
    });
}

/// Presses Tab until the focus is there.
fn tab_to(page: &Page, role: &str, name: &str) -> Result<()> {
    for _ in 0..MANY {
        page.press(&[TAB])?;
        if let Ok(focused) = page.focused()
            && focused == (role.to_owned(), name.to_owned())
        {
            // The app hears of it in its next pass.
            return page.settle();
        }
    }
    bail!("{MANY} times Tab never came to {role} {name:?}")
}

/// Goes on until the focus is outside the app, having seen more than a few stops on the way. A
/// browser without a frame around the page has nothing outside: there it begins anew.
fn goes_round(page: &Page, chord: &[&str]) -> Result<()> {
    let inside = "return document.activeElement?.closest('.mirror [data-node]')?.dataset.node ?? ''";
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..MANY {
        page.press(chord)?;
        let node = page.session().script(inside, &[])?;
        let node = node.as_str().unwrap_or_default().to_owned();
        let is_in_text_input = node.is_empty() && page.focused()?.0 == "textbox";
        if is_in_text_input {
            continue;
        }
        if node.is_empty() && seen.is_empty() {
            continue; // the first press may only come from the frame to the page
        }
        if node.is_empty() || seen.first() == Some(&node) {
            ensure!(seen.len() > 10, "only {} tab stops", seen.len());
            return Ok(());
        }
        seen.push(node);
    }
    bail!("{MANY} times {chord:?} never left the page: a trap")
}

fn place_of_focus(page: &Page) -> Result<(String, String)> {
    Ok((grid_of_focus(page)?, page.focused()?.1))
}

/// The name of the matrix that the focus is in.
fn grid_of_focus(page: &Page) -> Result<String> {
    let script = "return document.activeElement.closest('[role=grid]')?.getAttribute('aria-label') ?? ''";
    let name = page.session().script(script, &[])?;
    Ok(name.as_str().unwrap_or_default().to_owned())
}
