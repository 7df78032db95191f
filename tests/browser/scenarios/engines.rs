//! What happens when an engine is missing, refused or lost.

use super::{CHROMIUM, in_each, in_each_at};
use anyhow::{Result, ensure};
use attnlab_browser_tests::browser::Engine::{ChromiumWebGl, ChromiumWebGpu, Firefox, FirefoxHeadless, WebKit};
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::{page_text, text};
use serde_json::json;

#[test]
fn each_engine_is_forced_by_the_address() {
    in_each_at(&[ChromiumWebGpu], "engine=webgpu", &[], |page| draws_with(page, "WebGpu"));
    in_each_at(&[ChromiumWebGpu, ChromiumWebGl], "engine=webgl", &[], |page| draws_with(page, "WebGl"));
}

#[test]
fn without_webgpu_the_page_is_drawn_with_webgl() {
    in_each(&[ChromiumWebGl, Firefox, WebKit], |page| draws_with(page, "WebGl"));
}

#[test]
fn a_refused_device_leads_to_webgl() {
    in_each_at(&[ChromiumWebGpu], "engine=refused", &[], |page| draws_with(page, "WebGl"));
}

/// What is done to a page before its own scripts run.
fn beforehand(page: &Page, script: &str) -> Result<()> {
    page.session().cdp("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }))?;
    page.load("")
}

#[test]
fn webgpu_that_throws_or_never_answers_leads_to_webgl() {
    for ask in ["() => { throw new Error('broken') }", "() => new Promise(() => {})", "undefined"] {
        in_each_at(&[ChromiumWebGl], "engine=none", &[], |page| {
            let gpu = format!("Object.defineProperty(navigator, 'gpu', {{ value: {{ requestAdapter: {ask} }} }})");
            beforehand(page, &gpu)?;
            draws_with(page, "WebGl")
        });
    }
}

#[test]
fn without_any_engine_a_page_says_what_is_missing() {
    in_each_at(&[ChromiumWebGl, Firefox, WebKit], "engine=none", &[], says_what_is_missing);
    in_each_at(&[ChromiumWebGl], "engine=webgpu", &[], says_what_is_missing);
}

#[test]
fn a_browser_that_has_neither_engine_gets_that_page() {
    in_each_at(&[FirefoxHeadless], "", &[], says_what_is_missing);
}

#[test]
fn a_lost_device_leads_to_webgl_and_the_session_stays() {
    in_each_at(&[ChromiumWebGpu], "", LOST, |page| {
        draws_with(page, "WebGpu")?;
        edit(page)?;
        let lost = page.session().script("return attnlab.lose_device()", &[])?;
        ensure!(lost == true, "there was no device to lose");
        draws_with(page, "WebGl")?;
        still_edited(page)
    });
}

#[test]
fn a_lost_context_starts_again_and_the_session_stays() {
    in_each_at(&[ChromiumWebGl, Firefox, WebKit], "engine=webgl", LOST, |page| {
        draws_with(page, "WebGl")?;
        edit(page)?;
        let script = "
            const canvas = document.querySelector('canvas');
            const context = canvas.getContext('webgl2') ?? canvas.getContext('webgl');
            canvas.dataset.lost = 'yes';
            context.getExtension('WEBGL_lose_context').loseContext();";
        page.session().script(script, &[])?;
        page.until("a fresh canvas", || {
            let fresh = page.session().script(
                "const canvas = document.querySelector('canvas'); return !!canvas && !canvas.dataset.lost",
                &[],
            )?;
            Ok((fresh == true).then_some(()))
        })?;
        draws_with(page, "WebGl")?;
        still_edited(page)
    });
}

#[test]
fn a_context_that_is_lost_again_and_again_is_given_up() {
    in_each_at(&[ChromiumWebGl], "engine=webgl", LOST, |page| {
        let lose = "
            const canvas = document.querySelector('canvas');
            const context = canvas?.getContext('webgl2');
            if (document.documentElement.dataset.state === 'ready') context?.getExtension('WEBGL_lose_context')?.loseContext();
            return document.documentElement.dataset.state";
        page.until("the page that gives up", || {
            let state = page.session().script(lose, &[])?;
            Ok((state == "no-engine").then_some(()))
        })?;
        page.find("button", &page_text("en", "try-again"))?;
        Ok(())
    });
}

#[test]
fn an_idle_page_draws_nothing() {
    in_each(CHROMIUM, |page| {
        // It settles first: what glides and glows comes to rest.
        let mut before = page.passes()?;
        page.until("a page at rest", || {
            std::thread::sleep(std::time::Duration::from_millis(1500));
            let now = page.passes()?;
            let rests = now == before;
            before = now;
            Ok(rests.then_some(()))
        })?;
        std::thread::sleep(std::time::Duration::from_secs(3));
        let passes = page.passes()? - before;
        ensure!(passes == 0, "{passes} passes in three idle seconds");
        Ok(())
    });
}

/// What browsers and the graphics library write when a device or a context is lost.
const LOST: &[&str] = &["lost", "Lost", "destroyed", "Destroyed", "WebGL", "wgpu"];

fn draws_with(page: &Page, engine: &str) -> Result<()> {
    page.until(&format!("drawing by {engine}"), || {
        Ok((page.state()? == "ready" && page.engine_in_use()? == engine).then_some(()))
    })?;
    // Drawn, and alive: the numbers are there.
    page.wait_for_cell(&text("part-q"), "你", "0", "2.0")
}

fn says_what_is_missing(page: &Page) -> Result<()> {
    page.wait_for_state("no-engine")?;
    page.find("button", &page_text("en", "try-again"))?;
    page.wait_for_words(&page_text("en", "no-engine"))?;
    let reasons = page.find_with("log", "webg")?.text()?;
    ensure!(reasons.contains("webgpu") && reasons.contains("webgl"), "both are accounted for: {reasons}");
    Ok(())
}

fn edit(page: &Page) -> Result<()> {
    page.edit_cell(&text("part-q"), "爱", "0", "2")?;
    still_edited(page)
}

fn still_edited(page: &Page) -> Result<()> {
    page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")
}
