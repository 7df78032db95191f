//! What is taken away for paper: figures as drawings and as pixels.

use super::{CHROMIUM, in_each};
use anyhow::ensure;
use attnlab_browser_tests::text::{text, text_with};

/// Keeps what the page hands to the browser to be saved.
const WATCH_DOWNLOADS: &str = "
    document.saved = null;
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => { document.blob = blob; return make(blob); };
    HTMLAnchorElement.prototype.click = function () { document.saved = this.download; };";

/// Size and colours of the picture that was saved.
const READ_PICTURE: &str = "
    const done = arguments[arguments.length - 1];
    createImageBitmap(document.blob).then((picture) => {
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        const context = canvas.getContext('2d');
        context.drawImage(picture, 0, 0);
        const pixels = new Uint32Array(context.getImageData(0, 0, picture.width, picture.height).data.buffer);
        done([picture.width, picture.height, new Set(pixels).size]);
    }, (why) => done(String(why)));";

#[test]
fn a_figure_is_saved_as_pixels_at_the_size_of_its_print() {
    in_each(CHROMIUM, |page| {
        page.session().script(WATCH_DOWNLOADS, &[])?;
        page.find("button", &text("panel-paper"))?.press()?;
        page.find("button", &text_with("figure-save", &[("kind", "PNG")]))?.press()?;
        page.until("a saved picture", || {
            Ok((page.session().script("return document.saved", &[])? == "attention.png").then_some(()))
        })?;
        let picture = page.session().script_async(READ_PICTURE, &[])?;
        let side = |index: usize| picture[index].as_u64().unwrap_or(0);
        // 160 mm at 300 dots an inch.
        ensure!((1885..=1895).contains(&side(0)) && side(1) > 500, "{picture}");
        ensure!(side(2) > 50, "only {} colours: it is blank", side(2));
        Ok(())
    });
}
