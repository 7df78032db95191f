//! Files out of the page and into it.

use super::{CHROMIUM, in_each};
use anyhow::{Context, Result, ensure};
use attnlab_browser_tests::page::Page;
use attnlab_browser_tests::text::{text, text_with};

/// Keeps what the page hands to the browser to be saved.
const WATCH_DOWNLOADS: &str = "
    document.saved = null;
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => { document.blob = blob; return make(blob); };
    HTMLAnchorElement.prototype.click = function () { document.saved = this.download; };";

const READ_DOWNLOAD: &str = "
    const done = arguments[arguments.length - 1];
    document.blob.text().then((text) => done([document.saved, text]));";

const DROP: &str = "
    const files = new DataTransfer();
    files.items.add(new File([arguments[1]], arguments[0]));
    const event = new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true });
    document.querySelector('canvas').dispatchEvent(event);";

/// What the browser's own dialogue would do.
const CHOOSE: &str = "
    const [name, content] = arguments;
    HTMLInputElement.prototype.click = function () {
        const files = new DataTransfer();
        files.items.add(new File([content], name));
        this.files = files.files;
        this.dispatchEvent(new Event('change'));
    };";

fn saved(page: &Page) -> Result<(String, String)> {
    let saved = page.session().script_async(READ_DOWNLOAD, &[])?;
    let word = |index: usize| saved[index].as_str().map(str::to_owned).context("nothing was saved");
    Ok((word(0)?, word(1)?))
}

#[test]
fn a_problem_file_goes_out_and_comes_back() {
    in_each(CHROMIUM, |page| {
        let (q, output) = (text("part-q"), text("part-output"));
        page.edit_cell(&q, "爱", "0", "2")?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        page.session().script(WATCH_DOWNLOADS, &[])?;
        page.find("button", &text("panel-share"))?.press()?;
        page.find("button", &text("file-save"))?.press()?;
        page.until("a saved file", || {
            Ok((page.session().script("return document.saved", &[])?.is_string()).then_some(()))
        })?;
        let (name, content) = saved(page)?;
        ensure!(name == "three-tokens-by-hand.json", "it is called {name}");
        ensure!(content.contains("attnlab/1"), "{content}");
        page.edit_cell(&q, "爱", "0", "0")?;
        page.wait_for_cell(&output, "爱", "0", "1.0000")?;
        page.session().script(DROP, &["mine.json".into(), content.as_str().into()])?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")?;
        // By the button, what is no problem: named, and nothing is lost.
        page.session().script(CHOOSE, &["bad.json".into(), r#"{"format":"attnlab/1","inputs":{}}"#.into()])?;
        page.find("button", &text("file-open"))?.press()?;
        page.wait_for_words(&text("refused"))?;
        page.wait_for_cell(&output, "爱", "0", "0.9639")
    });
}

/// A file of bytes, dropped.
const DROP_BYTES: &str = "
    const bytes = Uint8Array.from(atob(arguments[1]), (letter) => letter.charCodeAt(0));
    const files = new DataTransfer();
    files.items.add(new File([bytes], arguments[0]));
    const event = new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true });
    document.querySelector('canvas').dispatchEvent(event);";

#[test]
fn a_matrix_goes_out_as_npy_and_comes_back_through_the_picker() {
    in_each(CHROMIUM, |page| {
        page.session().script(WATCH_DOWNLOADS, &[])?;
        page.find("button", &text("panel-export"))?.press()?;
        page.find("button", &text("format-npy"))?.press()?;
        let save = text_with("save-as", &[("kind", &text("format-npy"))]);
        page.find("button", &save)?.press()?;
        page.until("a saved file", || {
            Ok((page.session().script("return document.saved", &[])?.is_string()).then_some(()))
        })?;
        let read = "
            const done = arguments[arguments.length - 1];
            document.blob.arrayBuffer().then((bytes) => done(btoa(String.fromCharCode(...new Uint8Array(bytes)))));";
        let bytes = page.session().script_async(read, &[])?;
        // The output of the example, 3×1; the name of the file says what it may be.
        page.session().script(DROP_BYTES, &["values.npy".into(), bytes])?;
        let role = text_with("import-role", &[("name", "values")]);
        // Its role is chosen: another one, and the right one again.
        for chosen in ["part-k", "part-v"] {
            page.find("combobox", &role)?.press()?;
            // A list that opens takes its place in more than one pass.
            page.settle()?;
            page.find("button", &text(chosen))?.press()?;
            page.until("the chosen role", || {
                Ok((page.find("combobox", &role)?.value()? == text(chosen)).then_some(()))
            })?;
        }
        page.find("button", &text("import-put"))?.press()?;
        page.wait_for_cell(&text("part-v"), "爱", "0", "0.9677")
    });
}
