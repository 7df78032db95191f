//! The page: what `web/*.js` may call, and how eframe is started on a canvas.
//!
//! The page decides which engine is tried and when (`web/engines.js`); this module starts it. The
//! session belongs to the program, not to the app: when an engine is lost the next one starts on
//! a fresh canvas and finds it unchanged. After a panic the page never calls in here again.

mod host;
mod passes;
mod workers;

use super::{EngineName, File, Host, Slot, accessibility};
use crate::session::{Action, Session, Shelf, ThemeChoice, update};
use crate::ui::app::App;
use eframe::egui_wgpu::WgpuSetup;
use eframe::{WebOptions, WebRunner, egui, wgpu};
use host::WebHost;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

thread_local! {
    static PROGRAM: Program = Program::new();
}

/// What lives as long as the page.
struct Program {
    session: Rc<RefCell<Session>>,
    runner: RefCell<Option<WebRunner>>,
    /// What the page wants to hear: a function of (kind, detail).
    tell: RefCell<Option<js_sys::Function>>,
    /// What draws now.
    drawing: RefCell<Option<Drawing>>,
    /// Where the Worker of long sequences lies.
    worker_address: RefCell<Option<String>>,
}

struct Drawing {
    engine: EngineName,
    context: egui::Context,
    device: Option<wgpu::Device>,
}

impl Program {
    fn new() -> Self {
        let mut session = first_session();
        if let Some(states) = host::saved(Slot::States) {
            session.set_shelf(Shelf::from_saved(&states));
        }
        Self {
            session: Rc::new(RefCell::new(session)),
            runner: RefCell::default(),
            tell: RefCell::default(),
            drawing: RefCell::default(),
            worker_address: RefCell::default(),
        }
    }
}

/// What the page begins with: the state of the link in its address, else the user's own. A saved session that cannot
/// be read is no reason not to start.
fn first_session() -> Session {
    let mut session = own_or_linked_session();
    match host::parameter("theme").as_deref() {
        Some("light") => update(&mut session, Action::SetTheme(ThemeChoice::Light)),
        Some("dark") => update(&mut session, Action::SetTheme(ThemeChoice::Dark)),
        _ => {}
    }
    session
}

fn own_or_linked_session() -> Session {
    let own = || super::own_session(host::saved(Slot::Session), |text| host::save(Slot::Unread, text));
    let fragment = host::fragment();
    if fragment.is_empty() {
        return own();
    }
    // Opened before, and changed since: a reload must not lose that.
    let seen = host::saved(Slot::Linked).and_then(|text| Session::from_saved(&text).ok());
    match seen.filter(|session| session.link() == Some(fragment.as_str())) {
        Some(session) => session,
        None => Session::opened(&fragment, own().view()),
    }
}

/// Tells the page that something happened, with what belongs to it.
fn tell_page_of(kind: &str, detail: &JsValue) {
    PROGRAM.with(|program| {
        if let Some(tell) = &*program.tell.borrow() {
            tell.call2(&JsValue::NULL, &kind.into(), detail).ok();
        }
    });
}

/// Tells the page that something happened; the kinds are in `web/boot.js`.
fn tell_page(kind: &str, detail: &str) {
    tell_page_of(kind, &detail.into());
}

/// Called once, before everything else: what the program has to say goes to `tell(kind, detail)`.
#[wasm_bindgen]
pub fn listen(tell: js_sys::Function) {
    eframe::WebLogger::init(log::LevelFilter::Warn).ok();
    PROGRAM.with(|program| program.tell.replace(Some(tell)));
    // In the hook, so that it is told whether the panic is in a frame or in an event. eframe's
    // own hook, installed after it, keeps eframe from being called again.
    std::panic::set_hook(Box::new(|panic| {
        accessibility::stop();
        tell_page("panic", &panic.to_string());
    }));
    PROGRAM.with(|program| program.runner.replace(Some(WebRunner::new())));
}

/// The Worker of long sequences is this script. Nothing is loaded yet.
#[wasm_bindgen]
pub fn set_worker_address(address: String) {
    PROGRAM.with(|program| program.worker_address.replace(Some(address)));
}

fn worker_address() -> Option<String> {
    PROGRAM.with(|program| program.worker_address.borrow().clone())
}

/// Starts the app on a fresh canvas.
///
/// `engine` is `webgpu`, `webgl`, or `refused`: WebGPU with a device that no machine has, for the
/// tests. `tried` says why earlier ones failed. `lost` is called when the device is lost later.
///
/// # Errors
/// Says why the engine does not work, in the browser's words.
#[wasm_bindgen]
pub async fn start(
    canvas: web_sys::HtmlCanvasElement,
    engine: String,
    tried: Vec<String>,
    lost: js_sys::Function,
) -> Result<(), JsValue> {
    let (runner, session) = PROGRAM.with(|program| {
        let runner = program.runner.borrow().clone();
        (runner, program.session.clone())
    });
    let runner = runner.ok_or("listen() comes first")?;
    let name = match engine.as_str() {
        "webgpu" | "refused" => EngineName::WebGpu,
        _ => EngineName::WebGl,
    };
    let options = options(name, engine == "refused");
    let host: Rc<dyn Host> = Rc::new(WebHost::new(name, tried));
    let page = canvas.clone();
    runner
        .start(
            canvas,
            options,
            Box::new(move |creation| {
                let context = creation.egui_ctx.clone();
                context.add_plugin(passes::Passes);
                context.add_plugin(accessibility::Mirror::new(&page, &context)?);
                let device = creation.wgpu_render_state.as_ref().map(|state| state.device.clone());
                if let Some(device) = &device {
                    call_when_lost(device, lost);
                }
                PROGRAM.with(|program| {
                    program.drawing.replace(Some(Drawing { engine: name, context: context.clone(), device }))
                });
                Ok(Box::new(App::new(&context, session, host)))
            }),
        )
        .await
}

/// Ends the app on its canvas; the session stays.
#[wasm_bindgen]
pub fn destroy() {
    PROGRAM.with(|program| {
        program.drawing.take();
        // Not held while it ends: the app may save on its way out.
        let runner = program.runner.borrow().clone();
        if let Some(runner) = runner {
            runner.destroy();
        }
    });
}

/// The fragment of the page's address has changed: the state in it is opened.
#[wasm_bindgen]
pub fn open_link(fragment: &str) {
    let fragment = fragment.trim_start_matches('#');
    if fragment.is_empty() {
        return;
    }
    PROGRAM.with(|program| {
        update(&mut program.session.borrow_mut(), Action::OpenLink(fragment.to_owned()));
    });
    repaint();
}

/// Another tab has changed the states that are kept: they are read anew, before this one writes over them.
#[wasm_bindgen]
pub fn states_changed() {
    if let Some(states) = host::saved(Slot::States) {
        PROGRAM.with(|program| program.session.borrow_mut().set_shelf(Shelf::from_saved(&states)));
        repaint();
    }
}

/// The problem file of what is shown.
#[wasm_bindgen]
pub fn problem_text() -> String {
    PROGRAM.with(|program| program.session.borrow().problem().to_json())
}

/// Replaces what is shown by a problem file; says what is wrong with it, one error an entry.
#[wasm_bindgen]
pub fn set_problem(text: &str) -> Vec<String> {
    let errors = PROGRAM.with(|program| program.session.borrow_mut().load_text(text));
    if errors.is_empty() {
        tell_page("changed", "");
        repaint();
    }
    errors
}

/// The fragment of a link to what is shown; empty where it would be too long.
#[wasm_bindgen]
pub fn state_link() -> String {
    PROGRAM.with(|program| program.session.borrow().to_link().unwrap_or_default())
}

/// A file that the user chose. Of one that is far too large only the size comes.
#[wasm_bindgen]
pub fn take_file(name: String, bytes: Vec<u8>, size: f64) {
    host::put_file(File { name, mime: String::new(), bytes, size: size as u64 });
    repaint();
}

fn repaint() {
    PROGRAM.with(|program| {
        if let Some(drawing) = &*program.drawing.borrow() {
            drawing.context.request_repaint();
        }
    });
}

/// How many egui passes have run since the page was loaded.
#[wasm_bindgen]
pub fn passes() -> u32 {
    passes::count()
}

/// What draws now. For the tests.
#[wasm_bindgen]
pub fn engine_in_use() -> String {
    PROGRAM.with(|program| match &*program.drawing.borrow() {
        Some(drawing) => format!("{:?}", drawing.engine),
        None => "none".to_owned(),
    })
}

/// Panics at once, or within the next frame. For the tests of the page that follows.
#[wasm_bindgen]
pub fn panic_now(in_frame: bool) {
    assert!(in_frame, "a panic that was asked for, outside a frame");
    passes::panic_in_next();
    repaint();
}

/// Loses the WebGPU device; says whether there was one. For the tests of what follows.
#[wasm_bindgen]
pub fn lose_device() -> bool {
    let device = PROGRAM.with(|program| {
        let drawing = program.drawing.borrow();
        drawing.as_ref().and_then(|drawing| drawing.device.clone())
    });
    if let Some(device) = &device {
        device.destroy();
    }
    device.is_some()
}

fn options(engine: EngineName, refused: bool) -> WebOptions {
    let mut options = WebOptions::default();
    match engine {
        EngineName::WebGpu => {
            options.renderer = eframe::Renderer::Wgpu;
            if let WgpuSetup::CreateNew(setup) = &mut options.wgpu_options.wgpu_setup {
                setup.instance_descriptor.backends = wgpu::Backends::BROWSER_WEBGPU;
                if refused {
                    setup.device_descriptor = Arc::new(|_| impossible_device());
                }
            }
        }
        EngineName::WebGl | EngineName::Native => options.renderer = eframe::Renderer::Glow,
    }
    // The wheel is left to the browser: with Ctrl it zooms the page, and a page around ours
    // scrolls on when the app has nothing to scroll. Pointer moves have no default worth stopping.
    // Inside another page a finger may scroll that page.
    let embedded = host::is_embedded();
    options.should_prevent_default = Box::new(move |event| match event {
        egui::Event::MouseWheel { .. } | egui::Event::PointerMoved(_) => false,
        egui::Event::Touch { .. } => !embedded,
        _ => true,
    });
    // The page listens too: for Tab, for a paste, for the end of a drag.
    options.should_stop_propagation = Box::new(|_| false);
    options
}

/// A device that every browser refuses.
fn impossible_device() -> wgpu::DeviceDescriptor<'static> {
    let required_limits = wgpu::Limits { max_buffer_size: u64::MAX / 2, ..Default::default() };
    wgpu::DeviceDescriptor { required_limits, ..Default::default() }
}

fn call_when_lost(device: &wgpu::Device, lost: js_sys::Function) {
    // The callback must be Send, which a function of the page is not; on the one thread of a page
    // it may wait in a thread-local place.
    thread_local! {
        static LOST: RefCell<Option<js_sys::Function>> = RefCell::default();
    }
    LOST.replace(Some(lost));
    device.set_device_lost_callback(|reason, message| {
        let why = format!("device lost ({reason:?}): {message}");
        if let Some(lost) = LOST.take() {
            lost.call1(&JsValue::NULL, &why.into()).ok();
        }
    });
}
