//! The naive way, tried on this very machine: all n×n weights at once, with n doubled until it stops.

use super::now;
use super::standing::bytes_of;
use crate::long::{Done, Hands, Work};
use crate::platform::Host;
use crate::ui::scene::Scene;
use crate::ui::theme::SMALL;
use crate::ui::widgets::{heading, live};
use egui::{Context, Label, RichText, Ui};
use std::time::Duration;

/// Tokens that it begins with.
const FIRST: usize = 512;
/// Tokens of a first try that is not told: it waits until the hands have started.
const WARM: usize = 64;
/// Tokens at most: a browser gives no more than this takes.
const LAST: usize = 32_768;
/// Milliseconds between two passes after which nobody was there.
const AWAY: f64 = 1_000.0;
/// Between two passes while it runs.
const LOOKED: Duration = Duration::from_millis(100);
/// Tokens that the panel speaks of.
const HEADLINE: usize = 65_536;
/// Milliseconds after which nobody waits for four times as long.
const PATIENCE: f64 = 3_000.0;

/// What was found.
#[derive(Default)]
pub struct Naive {
    is_asked: bool,
    /// The width of the rows, the same for all.
    d: usize,
    /// When the last pass was, in milliseconds.
    seen: f64,
    /// Of their own, so that what they take is given back when they go.
    hands: Option<Box<dyn Hands>>,
    /// What is being tried, and since when in milliseconds; `None` until the hands are there.
    tried: Option<(usize, f64)>,
    /// Tokens and milliseconds of what went well.
    went: Vec<(usize, f64)>,
    end: Option<End>,
}

/// Why it goes no further.
enum End {
    Memory {
        n: usize,
    },
    Time,
    Cancelled {
        n: usize,
    },
    Failed {
        n: usize,
        why: String,
    },
    /// There is nothing beyond.
    Last,
}

impl Naive {
    fn runs(&self) -> bool {
        self.hands.is_some()
    }

    /// Ends it, and gives back what its hands took.
    fn cancel(&mut self) {
        let n = self.tried.map_or(FIRST, |(n, _)| n.max(FIRST));
        (self.hands, self.end) = (None, Some(End::Cancelled { n }));
    }

    /// Takes what was done, and gives the next one out.
    pub fn tend(&mut self, ctx: &Context, host: &dyn Host, d: usize) {
        if std::mem::take(&mut self.is_asked) {
            match host.hands(ctx) {
                Ok(hands) => self.hands = Some(hands),
                Err(why) => self.end = Some(End::Failed { n: FIRST, why }),
            }
        }
        let Some(hands) = &mut self.hands else { return };
        // A page in which nothing moves has no passes, and would look as if nobody was there.
        ctx.request_repaint_after(LOOKED);
        let now = host.milliseconds();
        let was_away = now - std::mem::replace(&mut self.seen, now) > AWAY;
        let done = hands.take().pop();
        let next = match (self.tried, done) {
            (None, _) => {
                self.d = d;
                Some(WARM)
            }
            // Nobody saw when it was done: once more.
            (Some((n, _)), Some((_, _, Ok(Done::Naive(true))))) if was_away => Some(n),
            (Some((WARM, _)), Some((_, _, Ok(Done::Naive(true))))) => Some(FIRST),
            (Some(_), None) => None,
            (Some((n, since)), Some((_, _, outcome))) => {
                self.end = match outcome {
                    Ok(Done::Naive(true)) => {
                        self.went.push((n, now - since));
                        (now - since > PATIENCE).then_some(End::Time).or((n >= LAST).then_some(End::Last))
                    }
                    Ok(_) => Some(End::Memory { n }),
                    Err(why) => Some(End::Failed { n, why }),
                };
                self.end.is_none().then_some(2 * n)
            }
        };
        if self.end.is_some() {
            self.hands = None;
        } else if let Some(n) = next {
            self.tried = Some((n, now));
            hands.give(0, n as u64, Work::Naive { n, d: self.d });
        }
    }
}

pub fn show(ui: &mut Ui, scene: &mut Scene) {
    heading::heading(ui, 3, scene.t("long-naive"));
    let note = |ui: &mut Ui, text: String| ui.add(Label::new(RichText::new(text).size(SMALL).weak()).wrap());
    note(ui, scene.t("long-naive-help"));
    // One button with two names: whoever pressed it by key can press it again.
    let name = scene.t(if scene.long.naive.runs() { "long-naive-cancel" } else { "long-naive-try" });
    if ui.button(name).clicked() {
        if scene.long.naive.runs() {
            scene.long.naive.cancel();
        } else {
            scene.long.naive = Naive { is_asked: true, ..Naive::default() };
        }
        ui.ctx().request_repaint();
    }
    for (n, milliseconds) in &scene.long.naive.went {
        let bytes = bytes_of(4 * (*n as u64) * (*n as u64));
        let values = [("n", n.to_string()), ("bytes", bytes), ("seconds", format!("{:.2}", milliseconds / 1000.0))];
        note(ui, scene.tf("long-naive-went", &values));
    }
    let naive = &scene.long.naive;
    let text = match (&naive.end, naive.tried) {
        (None, Some((n, _))) if n >= FIRST => scene.tf("long-naive-runs", &[("n", n.to_string())]),
        (None, _) => return,
        (Some(End::Memory { n }), _) => {
            let values = [("n", n.to_string()), ("bytes", bytes_of(4 * (*n as u64) * (*n as u64)))];
            scene.tf("long-naive-memory", &values)
        }
        (Some(End::Failed { n, why }), _) => {
            scene.tf("long-naive-failed", &[("n", n.to_string()), ("why", why.clone())])
        }
        (Some(End::Time), _) => {
            let n = naive.went.last().map_or(FIRST, |(n, _)| *n);
            // Of this panel's own headline, or of what is looked at where that is longer.
            let all = now(scene).n.max(HEADLINE) as u64;
            let values = [("n", n.to_string()), ("all", all.to_string()), ("bytes", bytes_of(4 * all * all))];
            scene.tf("long-naive-time", &values)
        }
        (Some(End::Cancelled { n }), _) => scene.tf("long-naive-cancelled", &[("n", n.to_string())]),
        (Some(End::Last), _) => scene.tf("long-naive-last", &[("n", LAST.to_string())]),
    };
    live::live(ui, RichText::new(&text).size(SMALL), &text);
    if let Some(most) = naive_on_graphics(scene) {
        note(ui, scene.tf("long-naive-graphics", &[("n", most.to_string())]));
    }
}

/// The n whose n×n scores one buffer of the graphics processor still holds, where one works.
fn naive_on_graphics(scene: &Scene) -> Option<usize> {
    let hands = scene.long.engine.hands.as_ref().filter(|hands| hands.width().is_some())?;
    // Rows of up to four numbers take 16 bytes.
    Some((4.0 * hands.most_tokens(1) as f64).sqrt() as usize)
}
