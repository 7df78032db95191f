//! The app: gives the panels what they show, carries out what they ask for, plays, and saves.

use super::scene::{Request, Scene, Spoken};
use super::theme::{self, Theme};
use super::{keys, layout};
use crate::attention::{Inputs, Part, Place, Problem, Trace};
use crate::platform::{File, Host, Slot, own_session};
use crate::session::{Action, Notice, Session, ThemeChoice, update};
use crate::writing::Language;
use crate::writing::Texts;
use egui::{Context, Event, Ui};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Seconds that a step stays while playing.
const STEP_SECONDS: f64 = 2.0;

/// Seconds that a changed cell glows.
const GLOW_SECONDS: f64 = 1.2;

/// The app. The session outlives it: a lost graphics device makes a new app on the same session.
pub struct App {
    session: Rc<RefCell<Session>>,
    host: Rc<dyn Host>,
    texts: Texts,
    spoken: Spoken,
    /// Pointed at and tabbed to in the last pass.
    pointed: Option<Place>,
    focused: Option<Place>,
    /// Where a paste goes while nothing is being edited.
    active: Option<Place>,
    /// When the next step is due.
    playing: Option<f64>,
    glow: Option<Glow>,
    /// As it was last told to the host.
    height: f32,
    long: super::panels::long::State,
}

/// How the numbers stood before a change.
struct Glow {
    problem: Problem,
    trace: Trace,
    since: f64,
}

impl App {
    /// Installs fonts and style, and shows the session.
    pub fn new(ctx: &Context, session: Rc<RefCell<Session>>, host: Rc<dyn Host>) -> Self {
        theme::install(ctx);
        let texts = Texts::new(language(&session.borrow(), &*host));
        host.set_language(texts.language().key());
        let spoken = Spoken::new(&texts);
        Self {
            session,
            host,
            texts,
            spoken,
            pointed: None,
            focused: None,
            active: None,
            playing: None,
            glow: None,
            height: 0.0,
            long: super::panels::long::State::default(),
        }
    }

    fn follow_view(&mut self, ctx: &Context) {
        let session = self.session.borrow();
        let view = session.view();
        ctx.set_theme(match view.theme {
            ThemeChoice::System => egui::ThemePreference::System,
            ThemeChoice::Light => egui::ThemePreference::Light,
            ThemeChoice::Dark => egui::ThemePreference::Dark,
        });
        let zoom = if view.projector { 1.5 } else { 1.0 };
        if ctx.zoom_factor() != zoom {
            ctx.set_zoom_factor(zoom);
        }
        if self.host.reduced_motion() {
            ctx.global_style_mut(|style| style.animation_time = 0.0);
        }
        let wanted = language(&session, &*self.host);
        drop(session);
        if wanted != self.texts.language() {
            self.texts = Texts::new(wanted);
            self.spoken = Spoken::new(&self.texts);
            self.host.set_language(wanted.key());
        }
    }

    /// How strongly what changed still glows; keeps the passes coming while it does.
    fn glow_strength(&mut self, ctx: &Context, now: f64) -> f32 {
        let Some(glow) = &self.glow else { return 0.0 };
        let age = now - glow.since;
        if self.host.reduced_motion() || age >= GLOW_SECONDS {
            self.glow = None;
            return 0.0;
        }
        ctx.request_repaint_after(Duration::from_millis(33));
        (1.0 - age / GLOW_SECONDS) as f32
    }

    fn carry_out(&mut self, ctx: &Context, actions: Vec<Action>, now: f64) {
        if actions.is_empty() {
            return;
        }
        let mut session = self.session.borrow_mut();
        let (problem, trace) = (session.problem().clone(), session.trace().clone());
        let shelf = session.shelf().to_saved();
        for action in actions {
            if action == Action::KeepLinked {
                self.host.forget_link();
            }
            update(&mut session, action);
        }
        if *session.problem() != problem {
            self.glow = Some(Glow { problem, trace, since: now });
        }
        // What came by a link does not overwrite the user's own.
        let slot = if session.link().is_some() { Slot::Linked } else { Slot::Session };
        self.host.save(slot, &session.to_saved());
        if session.shelf().to_saved() != shelf {
            self.host.save(Slot::States, &session.shelf().to_saved());
        }
        drop(session);
        self.follow_view(ctx);
        ctx.request_repaint();
    }

    /// What panels asked of the place where this runs.
    fn carry_out_requests(&self, ctx: &Context, requests: Vec<Request>) -> Vec<Action> {
        let mut actions = Vec::new();
        for request in requests {
            match request {
                Request::Copy(text) => ctx.copy_text(text),
                Request::ChooseFiles => self.host.choose_files(),
                Request::HandOver(file) => actions.extend(said_of(self.host.hand_over(&file))),
                Request::HandOverPicture { name, svg } => {
                    actions.extend(said_of(self.host.hand_over_picture(&name, &svg)));
                }
                Request::LeaveLink => {
                    let keep = |text: &str| self.host.save(Slot::Unread, text);
                    let mut own = own_session(self.host.saved(Slot::Session), keep);
                    own.set_shelf(self.session.borrow().shelf().clone());
                    self.host.forget_link();
                    self.session.replace(own);
                    ctx.request_repaint();
                }
            }
        }
        actions
    }

    /// A paste that no matrix and no text box took.
    fn stray_paste(&self, ctx: &Context) -> Option<Action> {
        if ctx.text_edit_focused() {
            return None;
        }
        let mut pasted = None;
        ctx.input_mut(|input| {
            input.events.retain(|event| match event {
                Event::Paste(text) => {
                    pasted = Some(text.clone());
                    false
                }
                _ => true,
            });
        });
        let text = pasted?;
        if text.trim_start().starts_with('{') && text.contains("\"format\"") {
            // A whole problem file.
            return Some(match Problem::from_json(&text) {
                Ok(problem) => Action::LoadProblem(Box::new(problem)),
                Err(errors) => Action::Refuse(Notice::Refused(errors)),
            });
        }
        if text.trim_start().starts_with('{') && text.contains("\":") {
            // Named matrices, as a JSON file holds them.
            let (bytes, name) = (text.into_bytes(), "clipboard.json".to_owned());
            return Some(Action::OpenFile { name, size: bytes.len() as u64, bytes });
        }
        let first = match self.session.borrow().problem().inputs {
            Inputs::Direct { .. } => Part::Q,
            Inputs::Projected(_) => Part::X,
        };
        let place = self.active.unwrap_or(Place { part: first, head: 0, row: 0, column: 0 });
        Some(Action::Paste { place, text })
    }

    /// Advances a play that is due.
    fn play(&mut self, ctx: &Context, now: f64, toggled: bool) -> Option<Action> {
        if toggled {
            self.playing = if self.playing.is_some() { None } else { Some(now + STEP_SECONDS) };
            let first = self.session.borrow().stages().first().copied();
            if self.playing.is_some() {
                ctx.request_repaint_after(Duration::from_secs_f64(STEP_SECONDS));
                return Some(Action::SelectStage(first));
            }
        }
        let due = self.playing?;
        if self.session.borrow().view().stage.is_none() && !toggled {
            self.playing = None;
            return None;
        }
        if now < due {
            ctx.request_repaint_after(Duration::from_secs_f64(due - now));
            return None;
        }
        self.playing = Some(now + STEP_SECONDS);
        ctx.request_repaint_after(Duration::from_secs_f64(STEP_SECONDS));
        Some(Action::StepBy(1))
    }
}

/// What is to be said of a file that was handed over.
fn said_of(outcome: Result<Option<String>, String>) -> Option<Action> {
    match outcome {
        Ok(path) => path.map(|path| Action::Refuse(Notice::HandedOver(path))),
        Err(why) => Some(Action::Refuse(Notice::NotHandedOver(why))),
    }
}

fn open_file(file: File) -> Action {
    Action::OpenFile { name: file.name, bytes: file.bytes, size: file.size }
}

/// The language that was chosen, else the best of those that the browser prefers.
fn language(session: &Session, host: &dyn Host) -> Language {
    session.view().language.unwrap_or_else(|| Texts::language_for(&host.languages()))
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.show(ui);
    }
}

impl App {
    /// One pass. Tests call it without a window.
    pub fn show(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        let now = ctx.input(|input| input.time);
        self.follow_view(&ctx);
        let mut toggled = false;
        let mut actions = keys::actions(&ctx, &mut toggled);
        let strength = self.glow_strength(&ctx, now);
        let session = Rc::clone(&self.session);
        let session = session.borrow();
        if session.view().panel == crate::session::Panel::Long {
            self.long.work(&ctx, &*self.host, &session.view().long, session.given());
        }
        let engine = self.host.engine();
        let address = self.host.address();
        let looked = self.pointed.or(self.focused).or(session.view().pinned);
        let mut scene = Scene {
            session: &session,
            texts: &self.texts,
            theme: Theme::of(&ctx),
            engine: &engine,
            narrow: ctx.content_rect().width() < theme::NARROW,
            playing: self.playing.is_some(),
            looked,
            before: self.glow.as_ref().map(|glow| (&glow.problem, &glow.trace, strength)),
            spoken: &self.spoken,
            actions: Vec::new(),
            requests: Vec::new(),
            surroundings: self.host.surroundings(),
            height: 0.0,
            address: &address,
            pointed: None,
            focused: None,
            toggle_play: false,
            long: &mut self.long,
        };
        layout::show(ui, &mut scene);
        actions.append(&mut scene.actions);
        let requests = std::mem::take(&mut scene.requests);
        if (scene.height - self.height).abs() > 0.5 {
            self.height = scene.height;
            self.host.set_height(scene.height);
        }
        toggled |= scene.toggle_play;
        let (pointed, focused) = (scene.pointed, scene.focused);
        if pointed != self.pointed || focused != self.focused {
            // What is lit belongs to what was pointed at in this pass.
            ctx.request_repaint();
        }
        (self.pointed, self.focused) = (pointed, focused);
        self.active = focused.or(self.active);
        drop(session);
        actions.extend(self.stray_paste(&ctx));
        actions.extend(self.host.take_files(&ctx).into_iter().map(open_file));
        actions.extend(self.carry_out_requests(&ctx, requests));
        actions.extend(self.play(&ctx, now, toggled));
        self.carry_out(&ctx, actions, now);
    }
}
