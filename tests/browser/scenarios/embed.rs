//! The page inside another page: out of the way until it is used, and answering its parent only.

use super::CHROMIUM;
use anyhow::{Context, Result, ensure};
use attnlab_browser_tests::browser::Look;
use attnlab_browser_tests::page::{Page, TAB, dist};
use attnlab_browser_tests::server::Server;
use serde_json::{Value, json};
use std::time::Duration;

/// A page of another site with two labs, whose element is loaded from `site`.
fn host_page(site: &str) -> String {
    format!(
        "<!doctype html><meta charset=utf-8><title>host</title><script src='{site}embed.js'></script>
         <input id=before><attention-lab id=a lang=en></attention-lab>
         <input id=between><attention-lab id=b lang=zh-CN theme=dark show=formula></attention-lab>
         <input id=after><div style='height:3000px'></div>"
    )
}

struct Host<'a> {
    page: &'a Page,
}

impl Host<'_> {
    fn script(&self, body: &str) -> Result<Value> {
        self.page.session().script(body, &[])
    }

    /// Waits for a script to give true.
    fn wait(&self, what: &str, body: &str) -> Result<()> {
        self.page.until(what, || Ok((self.script(body)? == true).then_some(())))
    }

    fn ask(&self, body: &str) -> Result<Value> {
        let script =
            format!("const done = arguments[arguments.length - 1]; {body}.then(done, (why) => done(String(why)));");
        self.page.session().script_async(&script, &[])
    }
}

#[test]
fn a_lab_in_another_page_keeps_out_of_the_way_and_answers_it() -> Result<()> {
    for engine in CHROMIUM {
        let page = Page::open(*engine, &Look::default(), "engine=none")?;
        let folder = std::env::temp_dir().join(format!("attnlab-host-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("index.html"), host_page(page.address()))?;
        let site = Server::start_stoppable(folder.clone())?;
        page.session().go(&site.address())?;
        let host = Host { page: &page };
        // Typed into the page around it while the labs load.
        host.script("document.querySelector('#before').focus()")?;
        for letter in ["a", "b", "c", "d", "e"] {
            page.press(&[letter])?;
            std::thread::sleep(Duration::from_millis(200));
        }
        let is_high =
            "return ['a', 'b'].every((id) => (document.querySelector(`#${id} iframe`)?.clientHeight ?? 480) !== 480)";
        host.wait("labs that tell their height", is_high)?;
        let (typed, focused) = (host.script("return before.value")?, host.script("return document.activeElement.id")?);
        ensure!(typed == "abcde" && focused == "before", "typed {typed}, focus on {focused}");
        // The wheel over a lab scrolls the page around it.
        let middle = host.script("const r = a.getBoundingClientRect(); return [r.x + r.width / 2, r.y + 200]")?;
        let at = |index: usize| middle[index].as_f64().context("a place");
        page.session().wheel((at(0)?, at(1)?), 200)?;
        host.wait("a page that is scrolled", "return scrollY > 100")?;
        host.script("scrollTo(0, 0)")?;
        // Tab goes through a lab and comes out again.
        let mut way = Vec::new();
        for _ in 0..120 {
            page.press(&[TAB])?;
            let now = host.script("return document.activeElement.id || document.activeElement.localName")?;
            if way.last() != Some(&now) {
                way.push(now.clone());
            }
            if now == "between" {
                break;
            }
        }
        ensure!(way == ["iframe", "between"], "Tab went by {way:?}");
        // Asked and told by the page around it.
        let problem = host.ask("a.get()")?;
        ensure!(
            problem["inputs"]["q"] == json!([[1.0], [0.5], [2.0]])
                || problem["inputs"]["q"] == json!([[1], [0.5], [2]]),
            "{problem}"
        );
        let set = "(async () => { const p = await a.get(); p.inputs.q[1][0] = 2; await a.set(p); return (await a.get()).inputs.q[1][0]; })()";
        let told = host.ask(set)?;
        ensure!(told.as_f64() == Some(2.0), "{told}");
        let refused = host.ask("a.set({ format: 'attnlab/1', inputs: {} })")?;
        ensure!(refused.as_str().is_some_and(|why| why.contains("inputs")), "{refused}");
        // A frame that was told another parent hears and says nothing.
        let strange = "new Promise((resolve) => {
            const frame = document.createElement('iframe');
            frame.src = document.querySelector('#a iframe').src.replace(/origin=[^&]*/, 'origin=http%3A%2F%2F127.0.0.1%3A1');
            let heard = 0;
            addEventListener('message', (event) => { if (event.source === frame.contentWindow) heard++; });
            document.body.prepend(frame);
            frame.onload = () => setTimeout(() => {
                frame.contentWindow.postMessage({ attnlab: 'get', id: 1 }, '*');
                setTimeout(() => { frame.remove(); resolve(heard); }, 1500);
            }, 3000);
        })";
        ensure!(host.ask(strange)? == 0, "a frame of another parent answered");
        // Far away it is ended; back again it is as it was left.
        host.script("document.querySelector('div').style.height = '30000px'; scrollTo(0, 20000)")?;
        host.wait("a lab that is ended", "return !document.querySelector('#a iframe')")?;
        host.script("scrollTo(0, 0)")?;
        let told = host.ask("a.get()")?;
        ensure!(told["inputs"]["q"][1][0].as_f64() == Some(2.0), "{told}");
        // Nothing was stored.
        page.load("engine=none")?;
        let stored = host.script("return Object.keys(localStorage).length")?;
        ensure!(stored == 0, "{stored} things were stored");
        site.stop();
        std::fs::remove_dir_all(folder)?;
    }
    Ok(())
}

#[test]
fn the_page_that_shows_how_works() -> Result<()> {
    ensure!(dist()?.join("embed.html").is_file(), "no embed.html");
    for engine in CHROMIUM {
        let page = Page::open(*engine, &Look::default(), "engine=none")?;
        page.session().go(&format!("{}embed.html", page.address()))?;
        let host = Host { page: &page };
        host.script("document.querySelector('#second').scrollIntoView()")?;
        host.wait("two frames", "return document.querySelectorAll('iframe').length === 2")?;
        host.script("document.querySelector('#double').click()")?;
        host.wait("the doubled query", "return document.querySelector('#read-out').textContent.includes('\"q\"')")?;
        let told = host.ask("second.get()")?;
        ensure!(told["inputs"]["q"][1][0].as_f64() == Some(1.0), "{told}");
        super::keep_screenshot(&page, &format!("embed-{engine:?}"))?;
        page.check_quiet(&[])?;
    }
    Ok(())
}
