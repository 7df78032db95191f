//! What the panel works with between passes: the desk, the hands that work for it, and the pictures made so far.

use super::engine::Engine;
use super::naive::Naive;
use crate::long::desk::{Cut, Cutting};
use crate::long::{Desk, Given, LongError, Of, Pool, Standing, Tile, cells};
use crate::platform::Host;
use crate::session::{ColourScale, GivenHeads, Long, Topic};
use crate::ui::theme::Theme;
use egui::{ColorImage, Context, TextureHandle, TextureOptions};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

/// Milliseconds of a pass that are given to making a sequence: the rest draws.
const MAKING: f64 = 8.0;
/// And to weights that are read: a pointer on its way over the map reads many.
const REFINING: f64 = 4.0;
/// Rows that are made between two looks at the clock.
const ROWS: usize = 64;
/// Pairs of a part's other keys between two looks at the clock.
const PAIRS: usize = 4_096;
/// Seconds without a pass after which nobody was there.
const AWAY: f64 = 3.0;
/// Between two looks at hands that do not tell by themselves.
const ASKED: Duration = Duration::from_millis(4);
/// Pictures of tiles that are drawn anew in a pass; one whose pairs are sampled counts twice.
const FRESH: usize = 2;
/// Steps in which a picture follows sums that still grow.
const STEPS: u64 = 16;

/// A part on its way to the workbench.
pub struct Taking {
    /// The pair that it is taken for.
    pub pair: (usize, usize),
    pub cutting: Cutting,
    pub cut: Option<Cut>,
}

/// See the module.
#[derive(Default)]
pub struct State {
    pub desk: Desk,
    pub engine: Engine,
    pub naive: Naive,
    /// The rows that the sequence was made of are not here any more.
    pub no_rows: bool,
    /// The pair that is looked at: pointed at, or moved to by keys.
    pub cursor: Option<(usize, usize)>,
    /// Whether it stays where it is while the pointer moves.
    pub is_held: bool,
    pub taking: Option<Taking>,
    /// The rows whose weights are written out.
    pub written: Range<usize>,
    /// The tiles that are looked at, and whether all of their pixels are what they stand for.
    pub tiles: Vec<Tile>,
    pub is_drawn: bool,
    /// When the pass began, in seconds, and how many pairs were done then.
    pub began: Option<(f64, u64)>,
    /// The largest |score| met so far, for the colours, and of what.
    pub most: f32,
    of: Option<(Of, Pool)>,
    /// When the last pass was, in seconds.
    seen: f64,
    painted: HashMap<Tile, Painted>,
    fresh: usize,
}

struct Painted {
    texture: TextureHandle,
    of: Look,
    /// Single pairs, for what is not made yet, and the step in which they were computed.
    sample: Option<(u64, Vec<f32>)>,
}

/// What a picture was made from: where this changes it is drawn anew.
#[derive(Clone, Copy, PartialEq)]
struct Look {
    pixels: usize,
    step: u64,
    most: f32,
    logarithmic: bool,
    page: egui::Color32,
}

impl State {
    /// A share of the work that is to be done, before a pass is drawn.
    pub fn work(&mut self, ctx: &Context, host: &dyn Host, long: &Long, given: Option<&GivenHeads>) {
        if self.of != Some((long.of(), long.pool())) {
            self.of = Some((long.of(), long.pool()));
            self.most = 0.0;
        }
        self.naive.tend(ctx, host, long.within_limits().d);
        let setting = long.setting();
        let Some(rows) = rows_of(given, long) else {
            // What lies there is another sequence: nothing of it may be shown under these settings.
            self.no_rows = true;
            self.desk.clear();
            self.painted.clear();
            (self.cursor, self.is_held) = (None, false);
            return;
        };
        self.no_rows = false;
        if self.desk.setting() != Some(setting) {
            if matches!(self.desk.trouble(), Some(LongError::Failed { .. })) {
                self.again();
            }
            match rows {
                Some(rows) => self.desk.put_given(setting, &rows),
                None => self.desk.put(setting),
            }
            self.painted.clear();
            self.most = 0.0;
            self.began = None;
            self.cursor = self.cursor.filter(|&(row, key)| row < setting.n && key < setting.n);
            self.is_held &= self.cursor.is_some();
        }
        self.engine.tend(ctx, host, &mut self.desk, setting, long.computing);
        if self.engine.has_changed() {
            self.began = None;
        }
        let start = host.milliseconds();
        while self.desk.prepare(ROWS) {
            if host.milliseconds() - start > MAKING {
                // Asked for in every pass until all is made.
                ctx.request_repaint();
                break;
            }
        }
        if let Some(hands) = &mut self.engine.hands {
            self.desk.hand_out(&mut **hands);
            if hands.must_be_asked() && self.desk.waits() {
                ctx.request_repaint_after(ASKED);
            }
            if hands.lost().is_some() {
                // Others go on with the next pass.
                ctx.request_repaint();
            }
        }
        // Speed is what was done while it was seen: not while it rested, nor while another panel was open.
        let now = ctx.input(|input| input.time);
        if self.desk.rests || now - self.seen > AWAY {
            self.began = None;
        }
        if now - self.seen > AWAY {
            // Whoever comes back to the map has not asked to be taken away from it.
            self.taking = None;
        }
        self.seen = now;
        self.take(ctx, host);
        self.refine(ctx, host);
        if let Standing::Attending { done, .. } = self.desk.standing()
            && !self.desk.rests
        {
            self.began.get_or_insert((now, done));
        }
        self.fresh = FRESH;
    }

    /// Looks at this pair until it is let go.
    pub fn hold(&mut self, pair: (usize, usize)) {
        (self.cursor, self.is_held) = (Some(pair), true);
    }

    /// A share of a part's other keys.
    fn take(&mut self, ctx: &Context, host: &dyn Host) {
        let Some(Taking { cutting, cut, .. }) = &mut self.taking else { return };
        let start = host.milliseconds();
        while cut.is_none() {
            match self.desk.go_on(cutting, PAIRS) {
                Ok(found) => *cut = found,
                // Another sequence lies there by now.
                Err(_) => return self.taking = None,
            }
            if host.milliseconds() - start > MAKING {
                break;
            }
        }
        ctx.request_repaint();
    }

    /// A share of the weights that are read.
    fn refine(&mut self, ctx: &Context, host: &dyn Host) {
        let read: Vec<usize> = self.cursor.map(|(row, _)| row).into_iter().chain(self.written.clone()).collect();
        let start = host.milliseconds();
        while self.desk.refine(&read, PAIRS) {
            if host.milliseconds() - start > REFINING {
                ctx.request_repaint();
                break;
            }
        }
    }

    /// Other hands, and the sequence from its beginning: after a Worker has failed none of them is trusted.
    pub fn again(&mut self) {
        self.engine.again();
        self.desk.change_hands();
    }

    /// Single pairs may have been far larger than the means that took their place: then the colours would show nothing.
    pub fn narrow_colours(&mut self, ctx: &Context) {
        let of_tile = |tile: &Tile| self.desk.tile(tile).map_or(0.0, |(pixels, _)| largest(pixels));
        let found = 1.25 * self.tiles.iter().map(of_tile).fold(0.0, f32::max);
        if found > 0.0 && found < 0.5 * self.most {
            self.most = found;
            ctx.request_repaint();
        }
    }

    /// Of the pixel that the cursor is in, its queries, its keys and its number, once it has been made of all of them.
    pub fn pixel(&self) -> Option<(Range<usize>, Range<usize>, f32)> {
        let (row, key) = self.cursor?;
        let tile = self.tiles.iter().find(|tile| tile.rows.contains(&row) && tile.keys.contains(&key))?;
        let (pixels, _) = self.desk.tile(tile).filter(|(_, is_whole)| *is_whole)?;
        let within = |range: &Range<usize>, at: usize, of: usize| {
            (0..of).find(|&pixel| cells(range, pixel, of).contains(&at)).map(|pixel| (pixel, cells(range, pixel, of)))
        };
        let (down, rows) = within(&tile.rows, row, tile.height)?;
        let (across, keys) = within(&tile.keys, key, tile.width)?;
        Some((rows, keys, pixels[down * tile.width + across]))
    }

    pub fn trouble(&self) -> Option<&LongError> {
        self.desk.trouble()
    }

    /// The picture of a tile, and whether every pixel is what it stands for and none a sample.
    pub fn picture(&mut self, ctx: &Context, tile: &Tile, paint: &Paint) -> Option<(TextureHandle, bool)> {
        let (pixels, is_whole) = self.desk.tile(tile).unzip();
        let made = pixels.map_or(0, |pixels: &[f32]| pixels.iter().filter(|pixel| !pixel.is_nan()).count());
        let is_whole = is_whole.unwrap_or(false);
        let step = match self.desk.standing() {
            Standing::Making { .. } | Standing::Nothing => return None,
            // Scores know no sums.
            _ if tile.of != Of::Weights => 1,
            Standing::Attending { done, all } => 1 + done * STEPS / all.max(1),
            Standing::Ready => 2 + STEPS,
        };
        let of = Look { pixels: made, step, most: self.most, logarithmic: paint.logarithmic, page: paint.theme.page() };
        if let Some(painted) = self.painted.get(tile)
            && (painted.of == of || self.fresh == 0)
        {
            if painted.of != of {
                ctx.request_repaint();
            }
            return Some((painted.texture.clone(), is_whole));
        }
        if self.fresh == 0 {
            ctx.request_repaint();
            return None;
        }
        let before = self.painted.remove(tile).and_then(|painted| painted.sample).filter(|(of, _)| *of == step);
        let sample = match (is_whole, before) {
            (true, _) => None,
            (false, Some(sample)) => Some(sample),
            (false, None) => {
                self.fresh -= 1;
                Some((step, self.desk.sampled(tile)?))
            }
        };
        self.fresh = self.fresh.saturating_sub(1);
        let made = pixels.unwrap_or_default();
        let numbers: Vec<f32> = match &sample {
            None => made.to_vec(),
            Some((_, sample)) => {
                let made = made.iter().copied().chain(std::iter::repeat(f32::NAN));
                sample.iter().zip(made).map(|(&sample, made)| if made.is_nan() { sample } else { made }).collect()
            }
        };
        let found = largest(&numbers);
        if found > self.most && tile.of != Of::Weights {
            // A little more than needed, so that the colours of all do not change with every tile.
            self.most = found * 1.25;
            ctx.request_repaint();
        }
        let colours = paint.colours(tile, &numbers, self.most);
        let image = ColorImage::new([tile.width, tile.height], colours);
        let texture = ctx.load_texture("long", image, TextureOptions::NEAREST);
        if self.painted.len() > 400 {
            self.painted.clear();
        }
        let of = Look { most: self.most, ..of };
        self.painted.insert(tile.clone(), Painted { texture: texture.clone(), of, sample });
        Some((texture, is_whole))
    }
}

fn largest(numbers: &[f32]) -> f32 {
    numbers.iter().filter(|x| x.is_finite()).fold(0.0, |most, x| most.max(x.abs()))
}

/// The rows that a sequence is made of; `None` in it for one that is generated, `None` where they are not here.
fn rows_of(given: Option<&GivenHeads>, long: &Long) -> Option<Option<Rc<Given>>> {
    if long.topic != Topic::Given {
        return Some(None);
    }
    let given = given.filter(|given| given.stamp == long.stamp && given.heads.len() == long.heads)?;
    let rows = given.heads.get(long.head)?;
    // Settings may come from anywhere, and name another width, or a scale that these rows were not checked with.
    let (found, expected) = (long.setting().scale() as f32, rows.scale());
    let fits = rows.d() == long.d && (found - expected).abs() <= 1e-6 * expected.abs();
    fits.then(|| Some(rows.clone()))
}

/// How numbers become colours.
pub struct Paint {
    pub theme: Theme,
    pub logarithmic: bool,
    pub rule: crate::long::Rule,
    pub n: usize,
}

impl Paint {
    /// Whether no pair of this rectangle is visible: both ends of what a row sees never fall from row to row.
    pub fn is_hidden(&self, rows: &std::ops::Range<usize>, keys: &std::ops::Range<usize>) -> bool {
        let (first, last) = (self.rule.visible(rows.start, self.n), self.rule.visible(rows.end - 1, self.n));
        keys.end <= first.start || last.end <= keys.start
    }

    fn colours(&self, tile: &Tile, numbers: &[f32], most: f32) -> Vec<egui::Color32> {
        let scale = if self.logarithmic { ColourScale::Log } else { ColourScale::Linear };
        let mut colours = Vec::with_capacity(numbers.len());
        let columns: Vec<_> = (0..tile.width).map(|column| cells(&tile.keys, column, tile.width)).collect();
        for (row, line) in numbers.chunks_exact(tile.width).enumerate() {
            let rows = cells(&tile.rows, row, tile.height);
            for (keys, &number) in columns.iter().zip(line) {
                let is_weight = tile.of == Of::Weights;
                colours.push(if is_weight && self.is_hidden(&rows, keys) {
                    self.theme.hidden()
                } else if number.is_nan() {
                    self.theme.page()
                } else if is_weight {
                    self.theme.weight(f64::from(number), scale)
                } else {
                    self.theme.signed(f64::from(number), f64::from(most))
                });
            }
        }
        colours
    }
}
