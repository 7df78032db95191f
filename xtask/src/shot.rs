//! `cargo xtask shot`: opens `dist/` in Chromium, does a few things by role and name, and leaves
//! a screenshot for the eye.

use anyhow::{Context, Result, bail};
use attnlab_browser_tests::browser::{Engine, Look};
use attnlab_browser_tests::page::{CONTROL, Page};
use lexopt::prelude::*;
use serde_json::json;
use std::path::PathBuf;

const HELP: &str = "\
cargo xtask shot [options] OUT.png

  --engine webgl|webgpu|firefox|webkit   what draws (webgl)
  --width N  --height N                  the size of the page (1280 × 800)
  --lang TAG                             the preferred language (en)
  --theme light|dark                     what the system prefers (light)
  --session FILE                         a saved session to begin with
  --query TEXT                           what follows the ? in the address

and, in the order in which they are given, as often as wanted:

  --click \"role:name\"                    presses the pointer in the middle of it
  --focus \"role:name\"                    gives it the focus; the app scrolls to it
  --point \"role:name\"                    rests the pointer on it
  --keys TEXT                            types; {Enter} {Tab} {Ctrl+z} … are keys
  --paste TEXT                           pastes with the focus on nothing
  --wait MS                              waits
  --list                                 prints all roles and names
  --focused                              prints what has the focus

It uses dist/ as it is: `cargo xtask build` brings it up to date.
";

enum Step {
    Click(String),
    Cell(String),
    Focus(String),
    Focused,
    Point(String),
    Keys(String),
    Paste(String),
    Wait(u64),
    List,
}

/// Takes the screenshot.
pub fn run(mut args: lexopt::Parser) -> Result<()> {
    let mut engine = Engine::ChromiumWebGl;
    let mut look = Look::default();
    let mut session = None;
    let mut query = String::new();
    let mut steps = Vec::new();
    let mut out = None;
    while let Some(arg) = args.next()? {
        match arg {
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            Long("engine") => {
                engine = match args.value()?.string()?.as_str() {
                    "webgl" => Engine::ChromiumWebGl,
                    "webgpu" => Engine::ChromiumWebGpu,
                    "firefox" => Engine::Firefox,
                    "webkit" => Engine::WebKit,
                    other => bail!("there is no engine {other:?}"),
                }
            }
            Long("width") => look.size.0 = args.value()?.parse()?,
            Long("height") => look.size.1 = args.value()?.parse()?,
            Long("lang") => look.language = args.value()?.string()?,
            Long("theme") => look.dark = args.value()?.string()? == "dark",
            Long("session") => session = Some(PathBuf::from(args.value()?)),
            Long("query") => query = args.value()?.string()?,
            Long("click") => steps.push(Step::Click(args.value()?.string()?)),
            Long("cell") => steps.push(Step::Cell(args.value()?.string()?)),
            Long("focused") => steps.push(Step::Focused),
            Long("focus") => steps.push(Step::Focus(args.value()?.string()?)),
            Long("point") => steps.push(Step::Point(args.value()?.string()?)),
            Long("keys") => steps.push(Step::Keys(args.value()?.string()?)),
            Long("paste") => steps.push(Step::Paste(args.value()?.string()?)),
            Long("wait") => steps.push(Step::Wait(args.value()?.parse()?)),
            Long("list") => steps.push(Step::List),
            Value(path) if out.is_none() => out = Some(PathBuf::from(path)),
            other => return Err(other.unexpected().into()),
        }
    }
    let out = out.context("where to? Name a file: OUT.png")?;
    let page = Page::open(engine, &look, &query)?;
    if let Some(file) = session {
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let script = "localStorage.setItem('attnlab.session', arguments[0])";
        page.session().script(script, &[json!(text)])?;
        page.load(&query)?;
    }
    page.until("a page that has settled", || {
        Ok((!matches!(page.state()?.as_str(), "" | "loading" | "starting")).then_some(()))
    })?;
    let ready = page.session().script("return performance.getEntriesByName('attnlab-ready')[0]?.startTime", &[])?;
    if let Some(ms) = ready.as_f64() {
        println!("first usable frame after {:.2} s", ms / 1000.0);
    }
    for step in &steps {
        take(&page, step)?;
    }
    // What was just done is drawn a frame later, and things glide to their places.
    std::thread::sleep(std::time::Duration::from_millis(700));
    std::fs::write(&out, page.session().screenshot()?).with_context(|| format!("cannot write {}", out.display()))?;
    for line in page.session().console().unwrap_or_default() {
        eprintln!("console {line}");
    }
    page.check_quiet(&[])
}

fn take(page: &Page, step: &Step) -> Result<()> {
    let thing = |what: &str| {
        let (role, name) = what.split_once(':').context("as role:name")?;
        page.find(role, name)
    };
    match step {
        Step::Click(what) => thing(what)?.press(),
        Step::Cell(what) => match what.split(':').collect::<Vec<_>>()[..] {
            [matrix, row, column] => page.cell(matrix, row, column)?.press(),
            _ => bail!("as matrix:row:column"),
        },
        Step::Focused => {
            let (role, name) = page.focused()?;
            println!("focus on {role}:{name}");
            Ok(())
        }
        Step::Focus(what) => thing(what)?.focus(),
        Step::Point(what) => thing(what)?.point(),
        Step::Keys(text) => page.type_keys(text),
        Step::Paste(text) => {
            page.copy_text(text)?;
            page.press(&[CONTROL, "v"])
        }
        Step::Wait(ms) => {
            std::thread::sleep(std::time::Duration::from_millis(*ms));
            Ok(())
        }
        Step::List => {
            for (role, name) in page.names()? {
                println!("{role}:{name}");
            }
            Ok(())
        }
    }
}
