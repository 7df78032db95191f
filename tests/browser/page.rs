//! The page as a person meets it: things with a role and a name, pressed in the middle, typed
//! into, read. Every wait has a deadline, and when it passes the page tells what it shows.

use crate::browser::{Browser, Look};
use crate::webdriver::{Element, Rect, Session};
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Software drawing on a busy machine is slow; nothing waits this long when all is well.
const PATIENCE: Duration = Duration::from_secs(20);

/// Enter, as WebDriver names it.
pub const ENTER: &str = "\u{E007}";
/// Escape.
pub const ESCAPE: &str = "\u{E00C}";
/// Tab.
pub const TAB: &str = "\u{E004}";
/// Backspace.
pub const BACKSPACE: &str = "\u{E003}";
/// Shift, on the left.
pub const SHIFT: &str = "\u{E008}";
/// Ctrl, on the left.
pub const CONTROL: &str = "\u{E009}";
/// The arrow keys.
pub const LEFT: &str = "\u{E012}";
/// The arrow keys.
pub const UP: &str = "\u{E013}";
/// The arrow keys.
pub const RIGHT: &str = "\u{E014}";
/// The arrow keys.
pub const DOWN: &str = "\u{E015}";

/// Collects what the policy forbade, from the first script on.
/// They are kept in the document: a script of a test may run in a world of its own.
const WATCH: &str = "
    if (!document.watched) {
        document.watched = true;
        document.addEventListener('securitypolicyviolation', (event) => {
            document.documentElement.dataset.violations =
                `${document.documentElement.dataset.violations ?? ''}${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}\\n`;
        });
    }";

/// What a mirrored element says: `[role, name, element]` for all that are there.
const LIST: &str = "
    const list = [];
    for (const element of document.querySelectorAll('.mirror [data-node], #page *')) {
        if (element.closest('#page') && !element.checkVisibility()) continue;
        // Containers without a role of their own say nothing.
        if (!element.hasAttribute('role') && element.firstElementChild) continue;
        const role = element.getAttribute('role') ?? element.localName;
        const name = element.getAttribute('aria-label') ?? element.textContent;
        list.push([role, name, element]);
    }
    return list;";

/// A cell of a matrix, found by the headers of its row and its column.
const CELL: &str = "
    const [grid, row_name, column_name] = arguments;
    const name = (element) => element.getAttribute('aria-label') ?? element.textContent;
    const cells = (row) => [...row.children].filter((cell) => cell.hasAttribute('role'));
    const [headers, ...rows] = [...grid.querySelectorAll('[role=row]')].map(cells);
    const column = headers.findIndex((cell) => name(cell) === column_name);
    const row = rows.find((cells) => name(cells[0]) === row_name);
    return row?.[column] ?? null;";

/// The app in a browser.
pub struct Page {
    browser: Browser,
    address: String,
}

/// Something on the page, found by role and name.
pub struct Thing<'a> {
    page: &'a Page,
    element: Element,
    what: String,
}

impl Page {
    /// Starts a browser and loads the page; `query` is what follows the `?`, if anything.
    ///
    /// # Errors
    /// When the browser does not start.
    pub fn open(engine: crate::browser::Engine, look: &Look, query: &str) -> Result<Self> {
        let browser = Browser::start(engine, look)?;
        let address = site()?;
        let page = Self { browser, address };
        if engine.is_chromium() {
            // Before the page's own scripts; the others are watched from the end of loading on.
            page.session().cdp("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": WATCH }))?;
            let theme = if look.dark { "dark" } else { "light" };
            let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
            page.session().cdp("Emulation.setEmulatedMedia", &json!({ "features": features }))?;
        }
        page.load(query)?;
        Ok(page)
    }

    /// Loads the page again, with another query, or with a fragment that begins with `#`.
    ///
    /// # Errors
    /// When the browser cannot load it.
    pub fn load(&self, query: &str) -> Result<()> {
        let is_whole = query.is_empty() || query.starts_with('#');
        let query = if is_whole { query.to_owned() } else { format!("?{query}") };
        self.session().go(&format!("{}{query}", self.address))?;
        self.session().script(WATCH, &[])?;
        Ok(())
    }

    /// Where the page is served.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The browser's window.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.browser.session()
    }

    /// Which browser it is.
    #[must_use]
    pub fn engine(&self) -> crate::browser::Engine {
        self.browser.engine()
    }

    /// Waits until the app draws, or a page says why not: `ready`, `no-engine`, `panic` …
    ///
    /// # Errors
    /// When it is not in this state in time.
    pub fn wait_for_state(&self, state: &str) -> Result<()> {
        self.until(&format!("the state {state}"), || {
            let now = self.state()?;
            Ok((now == state).then_some(()))
        })
    }

    /// The state that the page is in.
    ///
    /// # Errors
    /// When the browser is gone.
    pub fn state(&self) -> Result<String> {
        let state = self.session().script("return document.documentElement.dataset.state", &[])?;
        Ok(state.as_str().unwrap_or_default().to_owned())
    }

    /// What draws, as the program tells it: `WebGpu`, `WebGl`, `none`.
    ///
    /// # Errors
    /// When the program does not run.
    pub fn engine_in_use(&self) -> Result<String> {
        let name = self.session().script("return attnlab.engine_in_use()", &[])?;
        Ok(name.as_str().unwrap_or_default().to_owned())
    }

    /// How many egui passes have run.
    ///
    /// # Errors
    /// When the program does not run.
    pub fn passes(&self) -> Result<u64> {
        let passes = self.session().script("return attnlab.passes()", &[])?;
        passes.as_u64().context("no number of passes")
    }

    /// Waits until the app has drawn all that it had to: no pass runs any more.
    ///
    /// # Errors
    /// When it never comes to rest.
    pub fn settle(&self) -> Result<()> {
        let mut before = None;
        self.until("a page at rest", || {
            std::thread::sleep(Duration::from_millis(150));
            let now = self.passes()?;
            Ok((before.replace(now) == Some(now)).then_some(()))
        })
    }

    /// Waits for the one thing of this role and name. Both are what the browser computes for
    /// assistive technology, not what the markup says.
    ///
    /// # Errors
    /// When there is none in time; lists what there is instead.
    pub fn find(&self, role: &str, name: &str) -> Result<Thing<'_>> {
        self.find_by(role, &format!("{name:?}"), |known| known == name)
    }

    /// Waits for a thing of this role whose name has these words in it.
    ///
    /// # Errors
    /// When there is none in time.
    pub fn find_with(&self, role: &str, words: &str) -> Result<Thing<'_>> {
        self.find_by(role, &format!("…{words}…"), |known| known.contains(words))
    }

    fn find_by(&self, role: &str, shown: &str, is_it: impl Fn(&str) -> bool) -> Result<Thing<'_>> {
        let what = format!("{role} {shown}");
        let element = self.until(&what, || {
            for (known_role, name, element) in self.list()? {
                if known_role == role && is_it(&name) {
                    return Ok(Some(element));
                }
            }
            Ok(None)
        })?;
        let thing = Thing { page: self, element, what };
        thing.check_computed(role, is_it)?;
        Ok(thing)
    }

    /// Waits for the cell of a matrix, by the name of the matrix and of the headers of the cell's
    /// row and column.
    ///
    /// # Errors
    /// When there is none in time.
    pub fn cell(&self, matrix: &str, row: &str, column: &str) -> Result<Thing<'_>> {
        let grid = self.find("grid", matrix)?;
        let what = format!("{matrix}[{row}, {column}]");
        let args = [Value::from(&grid.element), json!(row), json!(column)];
        let element = self.until(&what, || {
            let cell = self.session().script(CELL, &args)?;
            Ok(Element::try_from(&cell).ok())
        })?;
        let role = self.session().computed_role(&element)?;
        ensure!(role == "gridcell", "{what} is computed to be a {role}");
        Ok(Thing { page: self, element, what })
    }

    /// Edits a cell as a person does: presses it, types a number over it, and Enter.
    ///
    /// # Errors
    /// When the cell does not take the number.
    pub fn edit_cell(&self, matrix: &str, row: &str, column: &str, number: &str) -> Result<()> {
        self.begin_edit(matrix, row, column, number)?;
        self.press(&[ENTER])?;
        self.wait_for_cell(matrix, row, column, number)
    }

    /// Presses a cell and types a number over it, without ending the edit.
    ///
    /// # Errors
    /// When the cell cannot be edited.
    pub fn begin_edit(&self, matrix: &str, row: &str, column: &str, number: &str) -> Result<()> {
        self.cell(matrix, row, column)?.press()?;
        self.wait_for_focus("the cell", |role, _| role == "gridcell")?;
        let (first, rest) = number.split_at(1);
        // The first digit opens the edit; the others are typed into the text input.
        self.type_text(first)?;
        self.wait_for_focus("the edited cell", |role, _| role == "textbox")?;
        self.type_text(rest)?;
        self.settle()
    }

    /// Waits until a cell reads like this.
    ///
    /// # Errors
    /// When it does not in time; tells what it reads.
    pub fn wait_for_cell(&self, matrix: &str, row: &str, column: &str, expected: &str) -> Result<()> {
        let cell = self.cell(matrix, row, column)?;
        let mut found = String::new();
        let read = self.until(&format!("{} = {expected}", cell.what), || {
            found = cell.name()?;
            Ok(is_same_number(&found, expected).then_some(()))
        });
        read.with_context(|| format!("{} reads {found:?}", cell.what))
    }

    /// Whether a thing of this role and name is there now.
    ///
    /// # Errors
    /// When the browser is gone.
    pub fn has(&self, role: &str, name: &str) -> Result<bool> {
        let list = self.list()?;
        Ok(list.iter().any(|(r, n, _)| r == role && n == name))
    }

    /// Waits until these words stand somewhere on the page, as a name or as text.
    ///
    /// # Errors
    /// When they do not in time.
    pub fn wait_for_words(&self, words: &str) -> Result<()> {
        self.until(&format!("the words {words:?}"), || {
            let list = self.list()?;
            Ok(list.iter().any(|(_, name, _)| name.contains(words)).then_some(()))
        })
    }

    /// All roles and names on the page now.
    ///
    /// # Errors
    /// When the browser is gone.
    pub fn names(&self) -> Result<Vec<(String, String)>> {
        let list = self.list()?;
        Ok(list.into_iter().map(|(role, name, _)| (role, name)).collect())
    }

    /// The role and the name of what has the focus.
    ///
    /// # Errors
    /// When the browser is gone.
    pub fn focused(&self) -> Result<(String, String)> {
        let active = self.session().active()?;
        let role = self.session().computed_role(&active)?;
        let name = self.session().computed_label(&active)?;
        Ok((role, name))
    }

    /// Waits until what has the focus satisfies a condition.
    ///
    /// # Errors
    /// When it does not in time.
    pub fn wait_for_focus(&self, what: &str, is_it: impl Fn(&str, &str) -> bool) -> Result<()> {
        let found = self.until(&format!("the focus on {what}"), || {
            // An element may be replaced between two calls.
            let Ok((role, name)) = self.focused() else { return Ok(None) };
            Ok(is_it(&role, &name).then_some(()))
        });
        found.with_context(|| match self.focused() {
            Ok((role, name)) => format!("the focus is on {role} {name:?}"),
            Err(why) => format!("the focus is on nothing that can be named: {why:#}"),
        })
    }

    /// Types text, key by key.
    ///
    /// # Errors
    /// When the browser is gone.
    pub fn type_text(&self, text: &str) -> Result<()> {
        let keys: Vec<Vec<String>> = text.chars().map(|key| vec![key.to_string()]).collect();
        self.session().keys(&keys)
    }

    /// Types text in which `{Enter}`, `{Tab}`, `{Ctrl+z}` and the like stand for keys.
    ///
    /// # Errors
    /// When a key is unknown.
    pub fn type_keys(&self, text: &str) -> Result<()> {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            self.type_text(before)?;
            let (chord, after) = after.split_once('}').context("a { without its }")?;
            let keys = chord.split('+').map(key_by_name).collect::<Result<Vec<_>>>()?;
            self.press(&keys)?;
            rest = after;
        }
        self.type_text(rest)
    }

    /// Presses keys together, such as `[CONTROL, "z"]`.
    ///
    /// # Errors
    /// When the browser is gone.
    pub fn press(&self, chord: &[&str]) -> Result<()> {
        let chord = chord.iter().map(|key| (*key).to_owned()).collect();
        self.session().keys(&[chord])
    }

    /// Puts text on the browser's clipboard, by copying it from a text area. The focus is on
    /// nothing then.
    ///
    /// # Errors
    /// When the browser is gone.
    pub fn copy_text(&self, text: &str) -> Result<()> {
        let area = "
            const area = document.createElement('textarea');
            area.id = 'to-copy-from';
            area.value = arguments[0];
            document.body.append(area);
            area.focus();
            area.select();";
        self.session().script(area, &[json!(text)])?;
        self.press(&[CONTROL, "c"])?;
        self.session().script("document.querySelector('#to-copy-from').remove()", &[])?;
        Ok(())
    }

    /// Fails if the policy forbade anything, or, in Chromium, if an error was written to the
    /// console that none of `expected` is part of.
    ///
    /// # Errors
    /// Names what was forbidden or written.
    pub fn check_quiet(&self, expected: &[&str]) -> Result<()> {
        let violations = self.session().script("return document.documentElement.dataset.violations ?? ''", &[])?;
        ensure!(violations == "", "the policy was violated: {violations}");
        if self.engine().is_chromium() {
            for line in self.session().console()? {
                let known = expected.iter().any(|part| line.contains(part));
                ensure!(!line.starts_with("SEVERE") || known, "on the console: {line}");
            }
        }
        Ok(())
    }

    /// Asks again and again until there is an answer.
    ///
    /// # Errors
    /// When there is none in time; shows the page as it is then.
    pub fn until<T>(&self, what: &str, mut ask: impl FnMut() -> Result<Option<T>>) -> Result<T> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = ask();
            if let Ok(Some(answer)) = answer {
                return Ok(answer);
            }
            if Instant::now() > deadline {
                answer.with_context(|| format!("while waiting for {what}"))?;
                let state = self.state().unwrap_or_default();
                let names = self.names().unwrap_or_default();
                let names: Vec<String> = names.iter().map(|(r, n)| format!("{r} {n:?}")).collect();
                bail!("no {what} in {PATIENCE:?}; the page is {state} and has:\n{}", names.join("\n"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn list(&self) -> Result<Vec<(String, String, Element)>> {
        let list = self.session().script(LIST, &[])?;
        let list = list.as_array().ok_or_else(|| anyhow!("no list of elements"))?;
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        list.iter().map(|entry| Ok((word(&entry[0]), word(&entry[1]), Element::try_from(&entry[2])?))).collect()
    }
}

impl Thing<'_> {
    /// Presses the pointer in its middle, where a person would.
    ///
    /// # Errors
    /// When it is not on the screen.
    pub fn press(&self) -> Result<()> {
        let (x, y) = self.place_on_screen()?.middle();
        self.page.session().click_at(x, y)
    }

    /// Rests the pointer on its middle.
    ///
    /// # Errors
    /// When it is not on the screen.
    pub fn point(&self) -> Result<()> {
        let (x, y) = self.place_on_screen()?.middle();
        self.page.session().point_at(x, y)
    }

    /// Clicks it as assistive technology does, without a pointer.
    ///
    /// # Errors
    /// When it is gone.
    pub fn activate(&self) -> Result<()> {
        self.run("arguments[0].click()").map(drop)
    }

    /// Gives it the focus, as assistive technology does; the app scrolls to it.
    ///
    /// # Errors
    /// When it is gone.
    pub fn focus(&self) -> Result<()> {
        self.run("arguments[0].focus()").map(drop)
    }

    /// The name that the browser tells to assistive technology; of a cell, its number.
    ///
    /// # Errors
    /// When it is gone.
    pub fn name(&self) -> Result<String> {
        self.page.session().computed_label(&self.element)
    }

    /// Waits until an attribute has this value.
    ///
    /// # Errors
    /// When it has not in time.
    pub fn wait_for_attribute(&self, name: &str, value: &str) -> Result<()> {
        let what = format!("{} with {name} = {value}", self.what);
        self.page.until(&what, || Ok((self.attribute(name)?.as_deref() == Some(value)).then_some(())))
    }

    /// An attribute, such as `aria-pressed`.
    ///
    /// # Errors
    /// When it is gone.
    pub fn attribute(&self, name: &str) -> Result<Option<String>> {
        let script = format!("return arguments[0].getAttribute({name:?})");
        Ok(self.run(&script)?.as_str().map(str::to_owned))
    }

    /// What stands in a text box.
    ///
    /// # Errors
    /// When it is gone.
    pub fn value(&self) -> Result<String> {
        let value = self.run("return arguments[0].value ?? arguments[0].textContent")?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// The text within it.
    ///
    /// # Errors
    /// When it is gone.
    pub fn text(&self) -> Result<String> {
        let text = self.run("return arguments[0].textContent")?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Where it is.
    ///
    /// # Errors
    /// When it is gone.
    pub fn place(&self) -> Result<Rect> {
        let place = self.run("const r = arguments[0].getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")?;
        let side = |index: usize| place[index].as_f64().context("no place");
        Ok(Rect { x: side(0)?, y: side(1)?, width: side(2)?, height: side(3)? })
    }

    /// Where it is, once its middle is within the window; the app is asked to scroll to it.
    fn place_on_screen(&self) -> Result<Rect> {
        let window = self.run("return [innerWidth, innerHeight]")?;
        let is_inside = |place: Rect| {
            let (x, y) = place.middle();
            let within = |at: f64, index: usize| window[index].as_f64().is_some_and(|limit| at > 0.0 && at < limit);
            within(x, 0) && within(y, 1) && place.width > 0.0
        };
        if !is_inside(self.place()?) {
            self.focus()?;
        }
        // Seen twice at the same place: what still moves would be missed.
        let mut before = None;
        self.page.until(&format!("{} at rest within the window", self.what), || {
            let place = self.place()?;
            let rests = before.replace(place) == Some(place);
            Ok((rests && is_inside(place)).then_some(place))
        })
    }

    /// What the browser computes for assistive technology must be what the markup says.
    fn check_computed(&self, role: &str, is_it: impl Fn(&str) -> bool) -> Result<()> {
        let session = self.page.session();
        // Plain text is named by nothing; its text is what is read.
        if matches!(role, "div" | "p" | "pre" | "h1") {
            return Ok(());
        }
        let computed = session.computed_role(&self.element)?;
        ensure!(computed == role, "{} is computed to be a {computed}", self.what);
        let name = session.computed_label(&self.element)?;
        ensure!(is_it(&name), "{} is computed to be called {name:?}", self.what);
        Ok(())
    }

    fn run(&self, script: &str) -> Result<Value> {
        let run = self.page.session().script(script, &[Value::from(&self.element)]);
        run.with_context(|| self.what.clone())
    }
}

/// A matrix of whole numbers is shown without a point, so `2` is `2.0`; digits that are shown must
/// all be there.
fn is_same_number(found: &str, expected: &str) -> bool {
    match (found.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(found), Ok(expected)) => (found - expected).abs() < 1e-12,
        _ => found == expected,
    }
}

/// A key by the name that stands on it.
fn key_by_name(name: &str) -> Result<&str> {
    Ok(match name {
        "Enter" => ENTER,
        "Escape" => ESCAPE,
        "Tab" => TAB,
        "Backspace" => BACKSPACE,
        "Shift" => SHIFT,
        "Ctrl" => CONTROL,
        "Left" => LEFT,
        "Up" => UP,
        "Right" => RIGHT,
        "Down" => DOWN,
        letter if letter.chars().count() == 1 => letter,
        other => bail!("there is no key {other:?}"),
    })
}

/// The built page.
///
/// # Errors
/// When it is not built.
pub fn dist() -> Result<PathBuf> {
    let dist = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../dist");
    let built = dist.join("index.html").is_file();
    ensure!(built, "there is no dist/: `cargo xtask build` writes it");
    Ok(dist)
}

/// The address of `dist/`, served once for all tests of a program.
fn site() -> Result<String> {
    use std::sync::OnceLock;
    static SITE: OnceLock<String> = OnceLock::new();
    if let Some(address) = SITE.get() {
        return Ok(address.clone());
    }
    let address = crate::server::Server::start(dist()?)?;
    Ok(SITE.get_or_init(|| address).clone())
}
