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
        let q = text("part-q");
        tab_until(page, "the queries", || Ok(grid_of_focus(page)? == q))?;
        // To 爱, wherever the active cell was.
        page.until("the cell of 爱", || {
            let (_, number) = page.focused()?;
            match number.as_str() {
                "0.5" => return Ok(Some(())),
                "1.0" => page.press(&[DOWN])?,
                _ => page.press(&[UP])?,
            }
            page.settle()?;
            Ok(None)
        })?;
        page.type_text("2")?;
        page.wait_for_focus("the edited cell", |role, _| role == "textbox")?;
        page.settle()?;
        page.press(&[ENTER])?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")?;
        page.wait_for_focus("a cell", |role, _| role == "gridcell")?;
        page.press(&[UP])?;
        page.settle()?;
        page.press(&[TAB])?;
        page.until("another matrix", || Ok((grid_of_focus(page)? != q).then_some(())))
    });
}

#[test]
fn tab_goes_through_the_page_and_leaves_it() {
    in_each(EVERY, |page| {
        goes_round(page, &[TAB])?;
        // Backwards from somewhere in the middle.
        page.find("button", &text("panel-shape"))?.focus()?;
        page.settle()?;
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
        // A click on nothing puts the focus on the canvas; Tab leaves that too. Nobody clicks before the app has heard
        // of the Tab, nor presses Tab before it has heard of the click.
        page.settle()?;
        page.session().click_at(700.0, 580.0)?;
        page.settle()?;
        page.press(&[TAB])?;
        page.wait_for_focus("something of the app", |role, name| {
            let is_control = matches!(role, "button" | "textbox" | "gridcell" | "spinbutton" | "checkbox" | "combobox");
            is_control && !name.is_empty()
        })
    });
}

/// Presses Tab until the focus is there.
fn tab_to(page: &Page, role: &str, name: &str) -> Result<()> {
    tab_until(page, &format!("{role} {name:?}"), || Ok(page.focused()? == (role.to_owned(), name.to_owned())))
}

fn tab_until(page: &Page, what: &str, is_there: impl Fn() -> Result<bool>) -> Result<()> {
    for _ in 0..MANY {
        move_on(page, &[TAB])?;
        if is_there()? {
            // The app hears of it in its next pass.
            return page.settle();
        }
    }
    bail!("{MANY} times Tab never came to {what}")
}

/// Goes on until the focus is outside the app, having seen more than a few stops on the way. A
/// browser without a frame around the page has nothing outside: there it begins anew.
fn goes_round(page: &Page, chord: &[&str]) -> Result<()> {
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..MANY {
        let stop = move_on(page, chord)?;
        if stop == OUTSIDE && seen.is_empty() {
            continue; // the first press may only come from the frame to the page
        }
        if stop == OUTSIDE || seen.first() == Some(&stop) {
            ensure!(seen.len() > 4, "only {} tab stops: {seen:?}", seen.len());
            return Ok(());
        }
        seen.push(stop);
    }
    bail!("{MANY} times {chord:?} never left the page: a trap")
}

/// No element of the app has the focus.
const OUTSIDE: &str = "outside";

/// Presses a chord and waits until the focus is elsewhere; says what has it.
fn move_on(page: &Page, chord: &[&str]) -> Result<String> {
    // A text box is known by its name: the focus is in the one input that all share.
    let script = "
        const active = document.activeElement;
        if (!active || active === document.body || active === document.documentElement) return 'outside';
        return `${active.localName} ${active.dataset.node ?? ''} ${active.getAttribute('aria-label') ?? ''}`;";
    let place = || -> Result<String> {
        let place = page.session().script(script, &[])?;
        Ok(place.as_str().unwrap_or_default().to_owned())
    };
    let before = place()?;
    page.press(chord)?;
    page.until(&format!("another focus than {before}"), || {
        let now = place()?;
        // Nothing changes when there is nothing outside and nothing was in focus.
        Ok((now != before || now == OUTSIDE).then_some(now))
    })
}

/// The name of the matrix that the focus is in.
fn grid_of_focus(page: &Page) -> Result<String> {
    let script = "return document.activeElement.closest('[role=grid]')?.getAttribute('aria-label') ?? ''";
    let name = page.session().script(script, &[])?;
    Ok(name.as_str().unwrap_or_default().to_owned())
}
