//! What computes, and why nothing better does: a graphics processor where one is there, tested and faster, else the processor.

use crate::long::gpu::GpuError;
use crate::long::{Build, Desk, Hands, Setting};
use crate::platform::Host;
use crate::platform::graphics::Starting;
use crate::session::Computing;
use egui::Context;
use std::time::Duration;

/// Milliseconds after which a graphics processor that has not answered is not waited for any more.
const PATIENCE: f64 = 20_000.0;
/// The same for Workers, which may have to come through a slow network first.
const WORKERS_PATIENCE: f64 = 60_000.0;

/// Milliseconds between two passes while something is waited for.
const LONGEST_PASS: f64 = 1_000.0;

/// Who works, and what is known of the others.
#[derive(Default)]
pub struct Engine {
    pub hands: Option<Box<dyn Hands>>,
    /// Why nothing works.
    pub no_hands: Option<String>,
    /// Nothing works because hands were asked for, and never answered.
    pub is_silent: bool,
    /// When hands were asked for, in milliseconds.
    asked: f64,
    waiting: Waiting,
    graphics: Graphics,
    /// What was chosen, since the first pass.
    computing: Option<Computing>,
    /// Others work, or nobody does, than when that was last asked.
    is_other: bool,
}

/// How long nothing has come back from hands that have something to do.
#[derive(Default)]
struct Waiting {
    answers: u64,
    /// When the last pass was, in milliseconds.
    seen: f64,
    milliseconds: f64,
}

impl Waiting {
    /// Milliseconds that were waited for an answer, as far as passes saw them: a machine that slept has not waited.
    fn of(&mut self, desk: &Desk, now: f64) -> f64 {
        let passed = (now - std::mem::replace(&mut self.seen, now)).clamp(0.0, LONGEST_PASS);
        let has_come = std::mem::replace(&mut self.answers, desk.answers()) != desk.answers();
        self.milliseconds = if has_come || !desk.waits() { 0.0 } else { self.milliseconds + passed };
        self.milliseconds
    }
}

#[derive(Default)]
enum Graphics {
    /// Nobody asked yet.
    #[default]
    Unasked,
    /// Since so many milliseconds.
    Starting(Starting, f64),
    /// Its hands are the ones that work.
    Works,
    Refused(Refused),
}

/// Why no graphics processor works, though it was wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Refused {
    Gpu(GpuError),
    /// It holds sequences of at most so many tokens of width d.
    TooLong {
        most: usize,
        d: usize,
    },
    /// It has not answered.
    Silent,
}

impl Engine {
    /// Why no graphics processor works; `None` where one does, is being asked, or was not wanted.
    pub fn refused(&self) -> Option<&Refused> {
        match &self.graphics {
            Graphics::Refused(why) => Some(why),
            _ => None,
        }
    }

    /// Whether a graphics processor is being tested.
    pub fn starts(&self) -> bool {
        matches!(self.graphics, Graphics::Starting(..))
    }

    /// All from the beginning: after a trouble nobody is trusted.
    pub fn again(&mut self) {
        *self = Engine { computing: self.computing, ..Engine::default() };
    }

    /// Whether somebody else works than when this was last asked.
    pub fn has_changed(&mut self) -> bool {
        std::mem::take(&mut self.is_other)
    }

    /// Sees to it that somebody works for the desk who can.
    pub fn tend(&mut self, ctx: &Context, host: &dyn Host, desk: &mut Desk, setting: Setting, computing: Computing) {
        // Whoever chooses another one wants to see how that does.
        if self.computing.replace(computing).is_some_and(|before| before != computing) {
            self.dismiss(desk, Graphics::Unasked);
            desk.attend_again();
        }
        self.let_go(desk, setting);
        if let Some(hands) = &self.hands {
            // Who broke has said why.
            if desk.trouble().is_some() {
                return;
            }
            if hands.build() != Build::Starting {
                let is_graphics = hands.width().is_some();
                let patience = if is_graphics { PATIENCE } else { WORKERS_PATIENCE };
                if desk.waits() {
                    ctx.request_repaint_after(Duration::from_millis(LONGEST_PASS as u64));
                }
                if self.waiting.of(desk, host.milliseconds()) <= patience {
                    return;
                }
                self.waiting = Waiting::default();
                if is_graphics {
                    self.dismiss(desk, Graphics::Refused(Refused::Silent));
                } else {
                    (self.hands, self.is_silent) = (None, true);
                    desk.change_hands();
                }
                ctx.request_repaint();
                return;
            }
            let left = WORKERS_PATIENCE - (host.milliseconds() - self.asked);
            if left > 0.0 {
                ctx.request_repaint_after(Duration::from_millis(left as u64 + 1));
                return;
            }
            (self.hands, self.is_silent) = (None, true);
            desk.change_hands();
        }
        if self.is_silent {
            return;
        }
        if computing != Computing::Processor && !self.ask(ctx, host, setting) {
            return;
        }
        if self.hands.is_none() && self.no_hands.is_none() {
            (self.is_other, self.asked) = (true, host.milliseconds());
            match host.hands(ctx) {
                Ok(hands) => self.hands = Some(hands),
                Err(why) => self.no_hands = Some(why),
            }
        }
    }

    /// Lets go of hands that are lost, or that are not made for this sequence.
    fn let_go(&mut self, desk: &mut Desk, Setting { n, d, .. }: Setting) {
        match (&self.graphics, &self.hands) {
            (Graphics::Works, Some(hands)) => {
                let most = hands.most_tokens(d);
                if let Some(why) = hands.lost() {
                    self.dismiss(desk, Graphics::Refused(Refused::Gpu(GpuError::Lost { why })));
                } else if hands.width().is_some_and(|width| width != d) {
                    self.dismiss(desk, Graphics::Unasked);
                } else if n > most {
                    self.dismiss(desk, Graphics::Refused(Refused::TooLong { most, d }));
                }
            }
            // Of another length or width it may do.
            (Graphics::Refused(Refused::TooLong { most, d: of }), Some(_)) if n <= *most || d != *of => {
                self.dismiss(desk, Graphics::Unasked);
            }
            _ => {}
        }
    }

    fn dismiss(&mut self, desk: &mut Desk, graphics: Graphics) {
        (self.hands, self.no_hands, self.is_silent, self.graphics) = (None, None, false, graphics);
        self.is_other = true;
        desk.change_hands();
    }

    /// Asks for a graphics processor. Says whether it is known by now what comes of it.
    fn ask(&mut self, ctx: &Context, host: &dyn Host, Setting { n, d, .. }: Setting) -> bool {
        match &self.graphics {
            Graphics::Unasked => {
                let forced = self.computing == Some(Computing::Graphics);
                self.graphics = Graphics::Starting(host.graphics(ctx, d, forced), host.milliseconds());
                ctx.request_repaint();
                false
            }
            Graphics::Starting(starting, since) => {
                let left = PATIENCE - (host.milliseconds() - since);
                self.graphics = match starting.take() {
                    None if left > 0.0 => {
                        // Asked for in every pass: each one forgets what the one before asked for.
                        ctx.request_repaint_after(Duration::from_millis(left as u64 + 1));
                        return false;
                    }
                    None => Graphics::Refused(Refused::Silent),
                    Some(outcome) => self.judge(outcome, n, d),
                };
                if matches!(self.graphics, Graphics::Unasked) {
                    ctx.request_repaint();
                }
                !matches!(self.graphics, Graphics::Unasked)
            }
            Graphics::Works | Graphics::Refused(_) => true,
        }
    }

    /// What comes of a processor that answered.
    fn judge(&mut self, outcome: Result<Box<dyn Hands>, GpuError>, n: usize, d: usize) -> Graphics {
        match outcome {
            Err(error) => Graphics::Refused(Refused::Gpu(error)),
            // The width was changed while it was tested.
            Ok(hands) if hands.width().is_some_and(|width| width != d) => Graphics::Unasked,
            Ok(hands) if n > hands.most_tokens(d) => {
                Graphics::Refused(Refused::TooLong { most: hands.most_tokens(d), d })
            }
            Ok(hands) => {
                self.hands = Some(hands);
                self.is_other = true;
                Graphics::Works
            }
        }
    }
}
