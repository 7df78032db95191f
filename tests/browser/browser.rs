//! How each browser is started on a machine without a screen and without a GPU.

use crate::webdriver::Session;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The browsers that the page is tested in, and how they draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Chromium with a window, drawing through WebGPU.
    ChromiumWebGpu,
    /// Chromium without a window, drawing through WebGL 2.
    ChromiumWebGl,
    /// Firefox with a window, drawing through WebGL 2.
    Firefox,
    /// Firefox without a window: it has neither WebGPU nor WebGL.
    FirefoxHeadless,
    /// WebKit, Safari's engine, with a window, drawing through WebGL 2.
    WebKit,
}

/// How the page is looked at.
#[derive(Clone, Debug)]
pub struct Look {
    /// The inner size of the window, in CSS pixels.
    pub size: (u32, u32),
    /// The preferred language.
    pub language: String,
    /// Whether the system is dark.
    pub dark: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { size: (1280, 800), language: "en".to_owned(), dark: false }
    }
}

/// A browser that runs, with everything that runs for it. It ends when it is dropped.
pub struct Browser {
    // In this order they end: the window, its driver, the screen.
    session: Session,
    _driver: Ending,
    _screen: Option<Ending>,
    _profile: Option<Folder>,
    engine: Engine,
}

impl Browser {
    /// Starts a browser with an empty profile.
    ///
    /// # Errors
    /// Names what is missing or did not start.
    pub fn start(engine: Engine, look: &Look) -> Result<Self> {
        // Now and then a browser does not come up on a busy machine; a second try tells whether
        // it is the machine or the browser.
        Self::start_once(engine, look)
            .or_else(|_| Self::start_once(engine, look))
            .with_context(|| format!("cannot start {engine:?}"))
    }

    fn start_once(engine: Engine, look: &Look) -> Result<Self> {
        let screen = engine.needs_screen().then(start_screen).transpose()?;
        let port = free_port()?;
        let mut driver = engine.driver(port)?;
        if let Some((_, display)) = &screen {
            driver.env("DISPLAY", display);
        }
        let language = format!("{}.UTF-8", look.language.replace('-', "_"));
        driver.env("LANGUAGE", &look.language).env("LANG", language);
        driver.env("LIBGL_ALWAYS_SOFTWARE", "1");
        // Chromium brings a Vulkan in software; without this it looks for the system's.
        driver.env("VK_ICD_FILENAMES", "/usr/lib/chromium/vk_swiftshader_icd.json");
        driver.env("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1");
        if look.dark {
            driver.env("GTK_THEME", "Adwaita:dark");
        }
        let quiet = driver.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let name = quiet.get_program().to_string_lossy().into_owned();
        let driver = Ending(quiet.spawn().with_context(|| format!("cannot start {name}"))?);
        let deadline = Instant::now() + Duration::from_secs(30);
        while !Session::is_ready(port) {
            if Instant::now() > deadline {
                bail!("{name} does not answer");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let profile = engine.is_chromium().then(Folder::new).transpose()?;
        let mut capabilities = engine.capabilities(look, profile.as_ref());
        // A page that does not load ends with an error, not with a driver that cannot be closed.
        capabilities["timeouts"] = json!({ "pageLoad": 45_000, "script": 30_000 });
        let session = Session::open(port, &capabilities)?;
        let browser =
            Self { session, _driver: driver, _screen: screen.map(|(screen, _)| screen), _profile: profile, engine };
        browser.fit_window(look.size)?;
        Ok(browser)
    }

    /// Its window.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Which browser it is.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Gives the page this much room: the window's frame comes on top of it.
    fn fit_window(&self, (width, height): (u32, u32)) -> Result<()> {
        if self.engine.is_chromium() {
            // Windows cannot be as narrow as a phone; this can.
            let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
            self.session.cdp("Emulation.setDeviceMetricsOverride", &metrics)?;
            return Ok(());
        }
        self.session.resize(width, height)?;
        let inner = self.session.script("return [innerWidth, innerHeight]", &[])?;
        let frame = |full: u32, index: usize| {
            let inner = inner[index].as_u64().and_then(|px| u32::try_from(px).ok());
            full.saturating_sub(inner.unwrap_or(full))
        };
        self.session.resize(width + frame(width, 0), height + frame(height, 1))
    }
}

impl Engine {
    /// Whether it is Chromium, which alone can do some of the things that are tested.
    #[must_use]
    pub fn is_chromium(self) -> bool {
        matches!(self, Self::ChromiumWebGpu | Self::ChromiumWebGl)
    }

    /// A screen is needed where the browser draws with less, or not at all, when it is headless.
    fn needs_screen(self) -> bool {
        matches!(self, Self::ChromiumWebGpu | Self::Firefox | Self::WebKit)
    }

    fn driver(self, port: u16) -> Result<Command> {
        let port = format!("--port={port}");
        let mut command;
        match self {
            Self::ChromiumWebGpu | Self::ChromiumWebGl => {
                command = Command::new("chromedriver");
                command.arg(port);
            }
            Self::Firefox | Self::FirefoxHeadless => {
                command = Command::new(geckodriver());
                command.arg(port);
                // Its second port is one number for all, unless it is told to look.
                command.arg("--websocket-port=0");
            }
            Self::WebKit => {
                command = Command::new("WebKitWebDriver");
                command.arg(port);
            }
        }
        Ok(command)
    }

    fn capabilities(self, look: &Look, profile: Option<&Folder>) -> Value {
        match self {
            Self::ChromiumWebGpu | Self::ChromiumWebGl => {
                let mut args = [
                    "--no-sandbox",
                    "--disable-quic",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync",
                    "--disable-dev-shm-usage",
                    "--hide-scrollbars",
                ]
                .map(String::from)
                .to_vec();
                let drawing: &[&str] = match self {
                    Self::ChromiumWebGl => &["--headless", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
                    _ => &[
                        "--enable-unsafe-webgpu",
                        "--enable-features=Vulkan",
                        "--use-vulkan=swiftshader",
                        "--use-angle=vulkan",
                        "--use-webgpu-adapter=swiftshader",
                        "--disable-vulkan-surface",
                    ],
                };
                args.extend(drawing.iter().map(|arg| (*arg).to_owned()));
                args.push(format!("--lang={}", look.language));
                args.push(format!("--accept-lang={}", look.language));
                args.push("--window-size=1400,1000".to_owned());
                if look.dark {
                    args.push("--force-dark-mode".to_owned());
                }
                if let Some(Folder(path)) = profile {
                    args.push(format!("--user-data-dir={}", path.display()));
                }
                json!({
                    "goog:chromeOptions": { "args": args, "prefs": { "intl.accept_languages": look.language } },
                    "goog:loggingPrefs": { "browser": "ALL" },
                })
            }
            Self::Firefox | Self::FirefoxHeadless => {
                let args: &[&str] = match self {
                    Self::FirefoxHeadless => &["-headless"],
                    _ => &[],
                };
                json!({ "moz:firefoxOptions": { "args": args, "prefs": {
                    "intl.accept_languages": look.language,
                    "layout.css.prefers-color-scheme.content-override": if look.dark { 0 } else { 1 },
                } } })
            }
            Self::WebKit => json!({ "webkitgtk:browserOptions": {
                "binary": mini_browser(),
                "args": ["--automation"],
            } }),
        }
    }
}

/// cargo installs it for this project alone; a machine may also have one.
fn geckodriver() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let own = target.join("tools/bin/geckodriver");
    if own.is_file() { own } else { "geckodriver".into() }
}

/// WebKit's small browser lies beside its library, in a folder named after the machine.
fn mini_browser() -> PathBuf {
    let folder = format!("/usr/lib/{}-linux-gnu/webkit2gtk-4.1", std::env::consts::ARCH);
    let found = [folder.clone(), folder.replace("4.1", "4.0"), folder.replace("webkit2gtk-4.1", "webkitgtk-6.0")]
        .into_iter()
        .map(|folder| PathBuf::from(folder).join("MiniBrowser"))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| "MiniBrowser".into())
}

/// A screen in memory; gives its name.
fn start_screen() -> Result<(Ending, String)> {
    let child = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1600x1200x24"])
        .args(["-nolisten", "tcp"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start Xvfb")?;
    let mut screen = Ending(child);
    let out = screen.0.stdout.as_mut().context("Xvfb has no output")?;
    let mut number = String::new();
    BufReader::new(out).read_line(&mut number)?;
    let number = number.trim();
    if number.is_empty() {
        bail!("Xvfb found no free display");
    }
    let display = format!(":{number}");
    Ok((screen, display))
}

/// Nobody has it now, and the driver takes it at once.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// A program that ends when this is dropped.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// An empty folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self> {
        let name = format!("attnlab-browser-{}-{}", std::process::id(), free_port()?);
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
