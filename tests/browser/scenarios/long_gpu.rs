//! Long sequences on a graphics processor: the one in software that Chromium has, which must be there.

use super::in_each;
use super::long::{number_after, open, plain};
use anyhow::{Result, ensure};
use attnlab::long::generate::{Kind, generate};
use attnlab_browser_tests::browser::Engine;
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::{beginning, text};
use serde_json::json;

/// Every device that is asked for from now on, to be lost when the test wants.
const KEEP_DEVICES: &str = "
    globalThis.devices = [];
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...wanted) {
        const device = await request.apply(this, wanted);
        devices.push(device);
        return device;
    };";

/// The graphics processor in software is only used where it is chosen.
fn choose_graphics(page: &Page) -> Result<()> {
    page.find("button", &text("long-computing-graphics"))?.activate()?;
    page.wait_for_words(&beginning("long-engine-graphics"))
}

#[test]
fn the_graphics_processor_computes_the_same() {
    in_each(&[Engine::ChromiumWebGpu], |page| {
        open(page, &json!({ "topic": "induction", "n": 400, "d": 8, "size": 100, "seed": 3 }))?;
        // Left to itself the page takes the processor, and says why.
        page.wait_for_words(&text("long-refused-software"))?;
        page.wait_for_words(&text("long-ready"))?;
        choose_graphics(page)?;
        page.wait_for_words(&text("long-ready"))?;
        page.wait_for_words(&text("long-exact"))?;
        page.find_with("application", &text("long-map"))?.focus()?;
        page.press(&["+"])?;
        let sentence = page.until("the pair under the cursor", || {
            let names = page.names()?.into_iter().map(|(_, name)| name);
            Ok(names.filter(|name| name.starts_with("Query ")).find(|name| name.contains("weight")))
        })?;
        let data = generate(Kind::Induction { period: 100 }, 400, 8, 3);
        let (scaled, weight) = plain(&data, 200, 200);
        ensure!(sentence.starts_with("Query 200, key 200:"), "{sentence}");
        ensure!((number_after(&sentence, "scaled")? - scaled).abs() <= 6e-5, "{sentence}, expected {scaled}");
        let found = number_after(&sentence, "weight")?;
        ensure!((found - weight).abs() <= 6e-3 * weight, "{sentence}, expected {weight}");
        Ok(())
    });
}

#[test]
fn a_lost_graphics_processor_is_followed_by_the_processor() {
    in_each(&[Engine::ChromiumWebGpu], |page| {
        open(page, &json!({ "topic": "random", "n": 2_000, "d": 8 }))?;
        page.wait_for_words(&text("long-ready"))?;
        page.session().script(KEEP_DEVICES, &[])?;
        choose_graphics(page)?;
        // In the middle of its work.
        page.wait_for_words("visible pairs")?;
        let devices =
            page.session().script("for (const device of devices) device.destroy(); return devices.length;", &[])?;
        ensure!(devices == 1, "{devices} devices");
        page.wait_for_words(&beginning("long-refused-lost"))?;
        page.wait_for_words(&text("long-ready"))?;
        page.wait_for_words(&text("long-exact"))?;
        // It may be asked for again.
        page.find("button", &text("long-computing-faster"))?.activate()?;
        page.wait_for_words(&text("long-refused-software"))?;
        page.wait_for_words(&text("long-ready"))?;
        // What draws was another device, and still draws.
        let engine = page.session().script("return attnlab.engine_in_use();", &[])?;
        ensure!(engine == "WebGpu", "{engine}");
        Ok(())
    });
}

/// The shader's text as the browser is given it, with something more in every sum: a device that computes wrongly.
const SPOIL_SHADERS: &str = "
    globalThis.spoiled = 0;
    const create = GPUDevice.prototype.createShaderModule;
    GPUDevice.prototype.createShaderModule = function (what) {
        const code = what.code.replace('var in_block = 0.0;', 'var in_block = 0.5;');
        if (code !== what.code) spoiled += 1;
        return create.call(this, { ...what, code });
    };";

#[test]
fn a_graphics_processor_that_computes_wrongly_is_not_used() {
    in_each(&[Engine::ChromiumWebGpu], |page| {
        open(page, &json!({ "topic": "random", "n": 300, "d": 8 }))?;
        page.wait_for_words(&text("long-ready"))?;
        page.session().script(SPOIL_SHADERS, &[])?;
        page.find("button", &text("long-computing-graphics"))?.activate()?;
        page.wait_for_words(&beginning("long-refused-wrong"))?;
        let spoiled = page.session().script("return spoiled;", &[])?;
        ensure!(spoiled.as_u64().is_some_and(|count| count > 0), "{spoiled} shaders were spoiled");
        page.wait_for_words(&text("long-ready"))?;
        page.wait_for_words(&text("long-exact"))
    });
}
