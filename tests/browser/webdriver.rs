//! The W3C WebDriver protocol: a dozen JSON calls over HTTP.
//!
//! Nothing here knows of the page or of any one browser. <https://www.w3.org/TR/webdriver2/>

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use std::time::Duration;

/// Under this key the protocol passes an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A call that takes longer than this will never end.
const LIMIT: Duration = Duration::from_secs(90);

/// A browser that is driven.
pub struct Session {
    http: ureq::Agent,
    address: String,
    open: bool,
}

/// An element of the page, until the page changes.
#[derive(Clone, Debug)]
pub struct Element(String);

/// What touches the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerKind {
    /// A mouse, with its left button.
    Mouse,
    /// One finger.
    Touch,
}

/// A rectangle in CSS pixels of the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// The left side.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

impl Rect {
    /// The point in the middle.
    #[must_use]
    pub fn middle(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

impl Session {
    /// Opens a window through the driver at `port`.
    ///
    /// # Errors
    /// When the driver or the browser does not start.
    pub fn open(port: u16, capabilities: &Value) -> Result<Self> {
        let config = ureq::Agent::config_builder().timeout_global(Some(LIMIT)).http_status_as_error(false).build();
        let mut session = Self { http: config.into(), address: format!("http://127.0.0.1:{port}"), open: false };
        let wanted = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let answer = session.post("/session", &wanted)?;
        let id = answer["sessionId"].as_str().context("no session id")?;
        session.address = format!("{}/session/{id}", session.address);
        session.open = true;
        Ok(session)
    }

    /// Whether a driver answers at this port and takes sessions.
    #[must_use]
    pub fn is_ready(port: u16) -> bool {
        let config = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(2))).build();
        let http: ureq::Agent = config.into();
        let status = http.get(format!("http://127.0.0.1:{port}/status")).call();
        let Ok(mut status) = status else { return false };
        let answer = status.body_mut().read_json::<Value>();
        answer.is_ok_and(|answer| answer["value"]["ready"] == true)
    }

    /// Loads an address.
    ///
    /// # Errors
    /// When the browser cannot load it.
    pub fn go(&self, address: &str) -> Result<()> {
        self.post("/url", &json!({ "url": address })).map(drop)
    }

    /// Loads the same address again.
    ///
    /// # Errors
    /// When the browser cannot load it.
    pub fn reload(&self) -> Result<()> {
        self.post("/refresh", &json!({})).map(drop)
    }

    /// Runs JavaScript in the page: the body of a function.
    ///
    /// # Errors
    /// When the script throws.
    pub fn script(&self, body: &str, args: &[Value]) -> Result<Value> {
        self.post("/execute/sync", &json!({ "script": body, "args": args }))
    }

    /// Runs the body of a function that calls its last argument when it is done.
    ///
    /// # Errors
    /// When the script throws or never calls back.
    pub fn script_async(&self, body: &str, args: &[Value]) -> Result<Value> {
        self.post("/execute/async", &json!({ "script": body, "args": args }))
    }

    /// The elements that match a CSS selector.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn all(&self, selector: &str) -> Result<Vec<Element>> {
        let query = json!({ "using": "css selector", "value": selector });
        let found = self.post("/elements", &query)?;
        let found = found.as_array().context("not a list of elements")?;
        found.iter().map(Element::try_from).collect()
    }

    /// The role that the browser tells to assistive technology.
    ///
    /// # Errors
    /// When the element is gone.
    pub fn computed_role(&self, element: &Element) -> Result<String> {
        self.get_text(&format!("/element/{}/computedrole", element.0))
    }

    /// The name that the browser tells to assistive technology.
    ///
    /// # Errors
    /// When the element is gone.
    pub fn computed_label(&self, element: &Element) -> Result<String> {
        self.get_text(&format!("/element/{}/computedlabel", element.0))
    }

    /// The element that has the focus.
    ///
    /// # Errors
    /// When nothing has it.
    pub fn active(&self) -> Result<Element> {
        Element::try_from(&self.get("/element/active")?)
    }

    /// Moves the pointer to a point of the viewport, presses and lets go.
    ///
    /// # Errors
    /// When the point is outside the viewport.
    pub fn click_at(&self, x: f64, y: f64) -> Result<()> {
        self.drag(PointerKind::Mouse, &[(x, y)])
    }

    /// Presses the pointer at the first point, moves it over the others and lets go at the last.
    ///
    /// # Errors
    /// When a point is outside the viewport.
    pub fn drag(&self, kind: PointerKind, points: &[(f64, f64)]) -> Result<()> {
        let step = |x: f64, y: f64, ms: u32| json!({ "type": "pointerMove", "duration": ms, "x": x.round(), "y": y.round(), "origin": "viewport" });
        let (&(x, y), rest) = points.split_first().context("a drag needs a point")?;
        let pause = json!({ "type": "pause", "duration": 120 });
        // The pointer rests before and after: the app draws what it sees in between.
        let mut actions =
            vec![step(x, y, 0), pause.clone(), json!({ "type": "pointerDown", "button": 0 }), pause.clone()];
        for &(x, y) in rest {
            actions.push(step(x, y, 100));
            actions.push(pause.clone());
        }
        actions.push(json!({ "type": "pointerUp", "button": 0 }));
        let kind = match kind {
            PointerKind::Mouse => "mouse",
            PointerKind::Touch => "touch",
        };
        self.act(&json!({ "type": "pointer", "id": kind, "parameters": { "pointerType": kind }, "actions": actions }))
    }

    /// Only moves the pointer.
    ///
    /// # Errors
    /// When the point is outside the viewport.
    pub fn point_at(&self, x: f64, y: f64) -> Result<()> {
        let step =
            json!({ "type": "pointerMove", "duration": 0, "x": x.round(), "y": y.round(), "origin": "viewport" });
        let mouse =
            json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": [step] });
        self.act(&mouse)
    }

    /// Turns the wheel over a point: downwards by `pixels`.
    ///
    /// # Errors
    /// When the point is outside the viewport.
    pub fn wheel(&self, (x, y): (f64, f64), pixels: i32) -> Result<()> {
        let scroll = json!({ "type": "scroll", "x": x.round() as i64, "y": y.round() as i64, "deltaX": 0, "deltaY": pixels, "duration": 50, "origin": "viewport" });
        self.act(&json!({ "type": "wheel", "id": "wheel", "actions": [scroll] }))
    }

    /// Presses and releases keys one after another; a list within is a chord, held together.
    ///
    /// # Errors
    /// When the session is gone.
    pub fn keys(&self, chords: &[Vec<String>]) -> Result<()> {
        let mut actions = Vec::new();
        for chord in chords {
            for key in chord {
                actions.push(json!({ "type": "keyDown", "value": key }));
            }
            for key in chord.iter().rev() {
                actions.push(json!({ "type": "keyUp", "value": key }));
            }
            actions.push(json!({ "type": "pause", "duration": 40 }));
        }
        self.act(&json!({ "type": "key", "id": "keyboard", "actions": actions }))
    }

    /// Sets the outer size of the window.
    ///
    /// # Errors
    /// When the browser refuses.
    pub fn resize(&self, width: u32, height: u32) -> Result<()> {
        let size = json!({ "width": width, "height": height });
        self.post("/window/rect", &size).map(drop)
    }

    /// What the viewport shows, as a PNG.
    ///
    /// # Errors
    /// When the browser cannot take it.
    pub fn screenshot(&self) -> Result<Vec<u8>> {
        use base64::Engine;
        let text = self.get_text("/screenshot")?;
        Ok(base64::engine::general_purpose::STANDARD.decode(text)?)
    }

    /// A command of the Chrome DevTools Protocol; Chromium only.
    ///
    /// # Errors
    /// When the browser knows no such command.
    pub fn cdp(&self, command: &str, params: &Value) -> Result<Value> {
        let call = json!({ "cmd": command, "params": params });
        self.post("/goog/cdp/execute", &call)
    }

    /// What was written to the console since the last call; Chromium only.
    ///
    /// # Errors
    /// When the browser keeps no log.
    pub fn console(&self) -> Result<Vec<String>> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }))?;
        let entries = entries.as_array().context("not a list of messages")?;
        let texts = entries.iter().map(|entry| {
            let (level, text) = (&entry["level"], &entry["message"]);
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!("{}: {}", word(level), word(text))
        });
        Ok(texts.collect())
    }

    fn act(&self, source: &Value) -> Result<()> {
        self.post("/actions", &json!({ "actions": [source] }))?;
        Ok(())
    }

    fn get_text(&self, path: &str) -> Result<String> {
        let value = self.get(path)?;
        let text = value.as_str();
        Ok(text.with_context(|| format!("{path}: no text"))?.to_owned())
    }

    fn get(&self, path: &str) -> Result<Value> {
        let address = format!("{}{path}", self.address);
        value(path, self.http.get(address).call()?)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let address = format!("{}{path}", self.address);
        let answer = self.http.post(address).send_json(body);
        value(path, answer.with_context(|| path.to_owned())?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.open {
            self.http.delete(&self.address).call().ok();
        }
    }
}

/// An element as an argument of a script.
impl From<&Element> for Value {
    fn from(element: &Element) -> Self {
        json!({ ELEMENT: element.0 })
    }
}

/// An element as the result of a script.
impl TryFrom<&Value> for Element {
    type Error = anyhow::Error;

    fn try_from(value: &Value) -> Result<Self> {
        let id = value[ELEMENT].as_str().context("not an element")?;
        Ok(Self(id.to_owned()))
    }
}

fn value(path: &str, mut answer: ureq::http::Response<ureq::Body>) -> Result<Value> {
    let status = answer.status();
    let mut body: Value = answer
        .body_mut()
        .with_config()
        .limit(64 << 20) // a screenshot is large
        .read_json()
        .with_context(|| format!("{path}: HTTP {status} without JSON"))?;
    let value = body["value"].take();
    if status.is_success() {
        return Ok(value);
    }
    let error = value["error"].as_str().ok_or_else(|| anyhow!("{value}"))?;
    let message = value["message"].as_str().unwrap_or_default();
    bail!("{path}: {error}: {}", message.lines().next().unwrap_or_default())
}
