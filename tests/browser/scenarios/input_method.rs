//! Chinese is typed through an input method: letters are composed, then chosen.

use super::{CHROMIUM, in_each};
use anyhow::ensure;
use attnlab_browser_tests::page::{CONTROL, ENTER};
use attnlab_browser_tests::text::{text, text_with};
use serde_json::json;

#[test]
fn a_token_is_typed_through_an_input_method() {
    in_each(CHROMIUM, |page| {
        page.find("button", &text("panel-shape"))?.press()?;
        let box_name = text_with("token-n", &[("index", "1")]);
        page.find("textbox", &box_name)?.press()?;
        page.wait_for_focus("the text input", |role, name| role == "textbox" && name == box_name)?;
        page.press(&[CONTROL, "a"])?;
        let session = page.session();
        for letters in ["n", "ni", "nin"] {
            let end = letters.len();
            let composition = json!({ "text": letters, "selectionStart": end, "selectionEnd": end });
            session.cdp("Input.imeSetComposition", &composition)?;
        }
        // While it is composed nothing is the token's name yet.
        ensure!(!page.has("rowheader", "nin")?, "the composition is not the name");
        session.cdp("Input.insertText", &json!({ "text": "您" }))?;
        page.press(&[ENTER])?;
        page.find("rowheader", "您")?;
        page.wait_for_cell(&text("part-output"), "您", "0", "0.9677")
    });
}
