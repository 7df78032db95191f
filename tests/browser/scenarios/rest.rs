//! What a page that only begins does not need comes after the first picture, and whatever needs it before gets it.

use super::copy::Copy;
use super::{CHROMIUM, EVERY, in_each};
use anyhow::{Result, ensure};
use attnlab_browser_tests::browser::Look;
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::server::Server;
use attnlab_browser_tests::text::{page_text, text};
use serde_json::{Value, json};

/// How the rest was asked for, each time, and whether that was after the first picture.
const ASKED: &str = "
    const first_picture = performance.getEntriesByName('attnlab-ready')[0]?.startTime ?? Infinity;
    return performance.getEntriesByType('resource')
        .filter((entry) => entry.name.endsWith('/attnlab_rest.wasm') && entry.responseEnd > 0)
        .map((entry) => [entry.initiatorType, entry.startTime >= first_picture]);";

/// Without them a page has only the network.
const FORGET_WORKERS: &str = "
    const done = arguments[arguments.length - 1];
    navigator.serviceWorker.getRegistrations()
        .then((all) => Promise.all(all.map((one) => one.unregister()))).then(() => done(true));";

fn asked(page: &Page) -> Result<Value> {
    page.until("the rest", || {
        let asked = page.session().script(ASKED, &[])?;
        Ok((asked != json!([])).then_some(asked))
    })
}

#[test]
fn the_rest_comes_after_the_first_picture() {
    in_each(EVERY, |page| {
        let asked = asked(page)?;
        ensure!(asked == json!([["fetch", true]]), "the rest was asked for as {asked}");
        page.find("button", &text("panel-paper"))?.press()?;
        page.find("button", &text("paper-copy")).map(drop)
    });
}

/// A saved session may begin with a panel of the rest. What a service worker has kept is there before the picture; without one
/// the program asks itself.
#[test]
fn a_page_that_begins_with_the_rest_has_it() {
    in_each(EVERY, |page| {
        page.find("button", &text("panel-explore"))?.press()?;
        page.find("button", &text("study-laboratory"))?;
        page.session().script_async(FORGET_WORKERS, &[])?;
        page.session().reload()?;
        page.wait_for_state("ready")?;
        page.find("button", &text("study-laboratory"))?;
        let asked = asked(page)?;
        ensure!(asked[0] == json!(["xmlhttprequest", false]), "the rest was asked for as {asked}");
        page.until("a service worker", || {
            Ok((page.session().script("return Boolean(navigator.serviceWorker.controller)", &[])? == true)
                .then_some(()))
        })?;
        page.load("")?;
        page.wait_for_state("ready")?;
        page.find("button", &text("study-laboratory"))?;
        let asked = self::asked(page)?;
        ensure!(asked == json!([["fetch", false]]), "the rest was asked for as {asked}");
        Ok(())
    });
}

#[test]
fn without_the_rest_the_page_says_so_and_keeps_the_matrices() -> Result<()> {
    for engine in CHROMIUM {
        let copy = Copy::of_dist("rest")?;
        let address = Server::start(copy.0.clone())?;
        let page = Page::open(*engine, &Look::default(), "engine=none")?;
        copy.hide("attnlab_rest.wasm", true)?;
        page.session().go(&address)?;
        page.wait_for_state("ready")?;
        page.edit_cell(&text("part-q"), "爱", "0", "2")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")?;
        page.find("button", &text("panel-explore"))?.press()?;
        page.wait_for_state("load-failed")?;
        page.wait_for_words(&page_text("en", "load-failed-kept"))?;
        page.find_with("log", "attnlab_rest.wasm: HTTP 404")?;
        copy.hide("attnlab_rest.wasm", false)?;
        page.find("button", &page_text("en", "try-again"))?.press()?;
        page.wait_for_state("ready")?;
        page.wait_for_cell(&text("part-output"), "爱", "0", "0.9639")?;
    }
    Ok(())
}
