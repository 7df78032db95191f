//! What a screen reader meets: tables with headers, states, places, announcements.

use super::{CHROMIUM, EVERY, in_each, in_each_at};
use anyhow::{Result, ensure};
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::text;
use serde_json::json;

#[test]
fn assistive_technology_presses_a_button() {
    in_each(EVERY, |page| {
        page.find("button", &text("mask-preset-causal"))?.activate()?;
        page.wait_for_cell(&text("part-weights"), "我", "爱", "0.0000")
    });
}

#[test]
fn a_matrix_is_a_table_with_headers_and_counts() {
    in_each(CHROMIUM, |page| {
        let weights = page.find("grid", &text("part-weights"))?;
        ensure!(weights.attribute("aria-rowcount")?.as_deref() == Some("4"), "3 rows and the headers");
        ensure!(weights.attribute("aria-colcount")?.as_deref() == Some("4"), "3 columns and the headers");
        let cell = page.cell(&text("part-weights"), "爱", "你")?;
        ensure!(cell.attribute("aria-colindex")?.as_deref() == Some("4"), "你 is the last column");
        for role in ["columnheader", "rowheader"] {
            page.find(role, "爱")?;
        }
        Ok(())
    });
}

#[test]
fn every_control_has_a_name() {
    in_each(CHROMIUM, |page| {
        for (role, name) in page.names()? {
            let is_control = matches!(
                role.as_str(),
                "button" | "checkbox" | "radio" | "slider" | "spinbutton" | "textbox" | "combobox" | "grid" | "link"
            );
            ensure!(!is_control || !name.trim().is_empty(), "a {role} without a name");
        }
        Ok(())
    });
}

#[test]
fn what_happens_is_announced() {
    in_each(CHROMIUM, |page| {
        let polite = "return [...document.querySelectorAll('.mirror [aria-live]')].map((e) => e.textContent + (e.ariaLabel ?? '')).join('\\n')";
        let said = page.session().script(polite, &[])?;
        let said = said.as_str().unwrap_or_default().to_owned();
        ensure!(said.contains(&text("checks-all-passed")), "the checks are announced: {said}");
        page.find("button", &text("leakage-ask"))?.press()?;
        page.until("another announcement", || {
            Ok((page.session().script(polite, &[])?.as_str() != Some(said.as_str())).then_some(()))
        })
    });
}

#[test]
fn only_what_changes_touches_the_page() {
    in_each(CHROMIUM, |page| {
        page.cell(&text("part-q"), "爱", "0")?.press()?;
        page.until("a page at rest", || at_rest(page))?;
        let watch = "
            globalThis.touched = 0;
            new MutationObserver((list) => (touched += list.length))
                .observe(document.querySelector('.mirror'), { subtree: true, childList: true, attributes: true, characterData: true });";
        page.session().script(watch, &[])?;
        // A pass that changes nothing: the pointer moves over nothing.
        let before = page.passes()?;
        page.session().point_at(830.0, 590.0)?;
        page.session().point_at(820.0, 592.0)?;
        page.until("a pass", || Ok((page.passes()? > before).then_some(())))?;
        page.until("a page at rest", || at_rest(page))?;
        let touched = page.session().script("return touched", &[])?;
        ensure!(touched == json!(0), "{touched} changes to the page in passes that change nothing");
        Ok(())
    });
}

fn at_rest(page: &Page) -> Result<Option<()>> {
    let before = page.passes()?;
    std::thread::sleep(std::time::Duration::from_millis(700));
    Ok((page.passes()? == before).then_some(()))
}

#[test]
fn elements_lie_where_the_widgets_are_also_when_all_is_larger() {
    in_each(CHROMIUM, |page| {
        let undo = page.find("button", &text("undo"))?.place()?;
        page.find("button", &text("settings"))?.press()?;
        page.find("checkbox", &text("projector"))?.press()?;
        page.until("larger buttons", || {
            let larger = page.find("button", &text("undo"))?.place()?;
            Ok((larger.height > 1.3 * undo.height).then_some(()))
        })?;
        // And the pointer still meets them.
        page.find("button", &text("mask-preset-causal"))?.press()?;
        page.wait_for_cell(&text("part-weights"), "我", "爱", "0.0000")
    });
}

#[test]
fn a_violation_of_the_policy_would_be_seen() {
    in_each_at(EVERY, "", MEANT, |page| {
        page.wait_for_state("ready")?;
        page.check_quiet(&[])?;
        page.session().script("document.body.setAttribute('style', 'color: red')", &[])?;
        page.until("a violation that is reported", || Ok(page.check_quiet(MEANT).is_err().then_some(())))?;
        // It was meant: the page is quiet again.
        page.session().script("delete document.documentElement.dataset.violations", &[])?;
        Ok(())
    });
}

/// What Chromium writes of the violation that is meant.
const MEANT: &[&str] = &["Content Security Policy"];
