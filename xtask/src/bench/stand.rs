//! The browser in which all is measured: a page for each measurement, in one browser as long as that lives.

use anyhow::Result;
use attnlab_browser_tests::browser::{Browser, Engine, Look};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A measurement that takes longer than this is given up.
const LIMIT: Duration = Duration::from_secs(300);

/// The page is rarely asked, so that asking costs it nothing.
const PAUSE: Duration = Duration::from_millis(300);

pub struct Stand {
    browser: Option<Browser>,
    address: String,
}

impl Stand {
    /// For pages at this address. The browser starts when it is needed.
    pub fn new(address: String) -> Self {
        Self { browser: None, address }
    }

    /// What the browser calls itself.
    pub fn browser_name(&mut self) -> Result<String> {
        let version = self.browser()?.session().cdp("Browser.getVersion", &json!({}))?;
        Ok(version["product"].as_str().unwrap_or("an unknown browser").replace('/', " "))
    }

    /// Does a job in a new page; `page.js` says what a job and an answer are.
    ///
    /// # Errors
    /// The browser does not start. What fails in the page is a result: the reason, in a line.
    pub fn measure(&mut self, job: &Value) -> Result<Result<Value, String>> {
        self.browser()?;
        let answer = self.ask(job).unwrap_or_else(|why| {
            // It may hang, or be gone: the next page gets another browser.
            self.browser = None;
            Err(format!("{why:#}"))
        });
        if let Some(browser) = &self.browser {
            // Threads of a library may go on as long as the page is there.
            browser.session().go("about:blank").ok();
        }
        // The port is another one each time.
        Ok(answer.map_err(|why| in_a_line(&why.replace(&self.address, ""))))
    }

    fn browser(&mut self) -> Result<&Browser> {
        if self.browser.is_none() {
            self.browser = Some(Browser::start(Engine::ChromiumWebGpu, &Look::default())?);
        }
        Ok(self.browser.as_ref().expect("it was just started"))
    }

    fn ask(&mut self, job: &Value) -> Result<Result<Value, String>> {
        let address = format!("{}page.html", self.address);
        let session = self.browser()?.session();
        session.go(&address)?;
        let begin = Instant::now();
        // The module of the page may be a moment late.
        while session.script("return !!globalThis.bench", &[])? != true {
            anyhow::ensure!(begin.elapsed() < LIMIT, "the page does not load");
        }
        session.script("bench.start(arguments[0])", std::slice::from_ref(job))?;
        while begin.elapsed() < LIMIT {
            std::thread::sleep(PAUSE);
            match session.script("return bench.result", &[]) {
                Ok(Value::Null) => {}
                Ok(answer) => {
                    return Ok(match answer["failed"].as_str() {
                        Some(why) => Err(why.to_owned()),
                        None => Ok(answer),
                    });
                }
                // A page that computes on its main thread hears nothing meanwhile.
                Err(why) if is_late(&format!("{why:#}")) => {}
                Err(why) => return Err(why),
            }
        }
        anyhow::bail!("no result within {} s", LIMIT.as_secs())
    }
}

/// Whether the driver only says that an answer takes long.
fn is_late(why: &str) -> bool {
    let why = why.to_ascii_lowercase();
    why.contains("timeout") || why.contains("timed out")
}

/// Libraries tell much: the first line, without the places on the machine that built them, and not all of a long one.
fn in_a_line(why: &str) -> String {
    const MOST: usize = 200;
    let line = why.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("for no reason that it told");
    let is_place = |word: &&str| word.starts_with('/') && word.matches('/').count() > 2;
    let line = line.split(' ').filter(|word| !is_place(word)).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_short_line() {
        assert_eq!(in_a_line("\n  out of memory\n at a place"), "out of memory");
        assert_eq!(in_a_line("failed: /one/of/many/places.h:17 overflow of 1 / 0"), "failed: overflow of 1 / 0");
        assert_eq!(in_a_line(""), "for no reason that it told");
        assert_eq!(in_a_line(&"é".repeat(500)).chars().count(), 201);
    }

    #[test]
    fn a_busy_page_is_not_a_lost_one() {
        assert!(is_late("/execute/sync: script timeout: script timeout"));
        assert!(is_late("/execute/sync: timeout: Timed out receiving message from renderer: 30.000"));
        assert!(!is_late("/execute/sync: unknown error: tab crashed"));
    }
}
