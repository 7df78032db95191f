//! A long sequence on the desk: made, attended to and looked at piece by piece, by as many hands as there are.
//!
//! The desk decides what is done next (what is looked at before what is not) and puts together what comes back. It knows
//! neither Workers nor threads nor the clock, and is never waited for: `prepare` and `hand_out` return at once. `next` is what a
//! hand does next; `held` the same for hands that hold the sequence themselves. `look` is what can be seen without any hand,
//! `exact`
//! what weights in 64 bits are made with, `cut` a small part with all its numbers.

mod cut;
mod exact;
mod held;
mod look;
mod next;

pub use cut::{Cut, Cutting};
pub use look::Pair;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use exact::Exact;

use super::generate::{Generated, Generator, Kind};
use super::work::{Done, Hands, Sizes};
use super::{Attended, Given, Job, LongError, Pass, Piece, Rule, Tile};

/// Pieces of work that a hand has at a time: while one is done the next one lies ready.
const IN_HAND: usize = 2;
/// Rows and keys of a piece of a tile: some hundredths of a second for one hand at d = 64, and no more than 1.5 MB to hand over.
const PIECE: (usize, usize) = (2_048, 4_096);
/// Wider than this, a piece has fewer keys, so that none takes long to be handed over.
const USUAL_WIDTH: usize = 64;
/// Tiles that are kept though nobody looks at them.
const KEPT: usize = 256;

/// What lies on the desk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    pub kind: Kind,
    pub n: usize,
    pub d: usize,
    pub seed: u64,
    pub rule: Rule,
    /// What scores are multiplied by; `None` for 1/√d.
    pub scale: Option<f64>,
}

impl Setting {
    /// What scores are multiplied by.
    pub fn scale(&self) -> f64 {
        self.scale.unwrap_or(1.0 / (self.d as f64).sqrt())
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Standing {
    Nothing,
    /// Rows of four rounds.
    Making {
        done: usize,
        all: usize,
    },
    /// Visible pairs.
    Attending {
        done: u64,
        all: u64,
    },
    Ready,
}

/// See the module.
#[derive(Default)]
pub struct Desk {
    setting: Option<Setting>,
    stage: Stage,
    tiles: HashMap<Tile, Entry>,
    wanted: Vec<Tile>,
    sent: HashMap<u64, Sent>,
    next_id: u64,
    hands: Vec<InHand>,
    /// How much the hands do at a time, if they hold the sequence themselves, and whether they hold it by now.
    sizes: Option<Sizes>,
    is_held: bool,
    trouble: Option<LongError>,
    exact: Exact,
    /// What has come back from the hands, since the beginning.
    answers: u64,
    /// Nothing new is handed out while it rests.
    pub rests: bool,
}

#[derive(Default)]
enum Stage {
    #[default]
    Nothing,
    Making(Generator),
    Attending {
        data: Generated,
        pass: Pass,
        /// What was not given out yet, by the first key of its slice.
        open: BTreeMap<usize, VecDeque<Job>>,
        outputs: Outputs,
    },
    Ready {
        data: Generated,
        attended: Attended,
    },
}

/// Rows whose output must be fetched from hands that hold it: not asked for yet, and not here yet. None for other hands.
#[derive(Default)]
struct Outputs {
    open: VecDeque<Range<usize>>,
    missing: usize,
}

#[derive(Clone)]
enum Sent {
    Job(Job),
    Step(Job),
    Output(Range<usize>),
    Pixels(Tile, Piece),
}

#[derive(Clone, Default)]
struct InHand {
    works: usize,
    /// The first key of its slice, of the sequence on the desk.
    slice: Option<usize>,
}

struct Entry {
    pixels: Vec<f32>,
    /// What was not given out yet, the first last; and how many pixels did not come back yet.
    open: Vec<Piece>,
    missing: usize,
}

impl Desk {
    /// Begins with this sequence, unless it lies there already.
    pub fn put(&mut self, setting: Setting) {
        self.put_made(setting, || Generator::new(setting.kind, setting.n, setting.d, setting.seed));
    }

    /// The same with rows that are given: the kind must say so, with a stamp that no other rows have.
    pub fn put_given(&mut self, setting: Setting, given: &Rc<Given>) {
        self.put_made(setting, || Generator::of_given(given.clone(), setting.n));
    }

    fn put_made(&mut self, setting: Setting, make: impl FnOnce() -> Result<Generator, LongError>) {
        if self.setting == Some(setting) {
            return;
        }
        let same_numbers =
            self.setting.is_some_and(|old| Setting { rule: setting.rule, scale: setting.scale, ..old } == setting);
        let stage = std::mem::take(&mut self.stage);
        let Desk { next_id, rests, ref hands, sizes, .. } = *self;
        let hands = hands.iter().map(|hand| InHand { slice: None, ..*hand }).collect();
        *self = Desk { setting: Some(setting), next_id, rests, hands, sizes, ..Desk::default() };
        self.stage = match stage {
            // Only the rule or the scale is another one: the numbers stay, and nothing else, for memory may be scarce.
            Stage::Making(generator) if same_numbers => Stage::Making(generator),
            Stage::Attending { data, pass, .. } if same_numbers => {
                drop(pass);
                self.begin(data)
            }
            Stage::Ready { data, attended } if same_numbers => {
                drop(attended);
                self.begin(data)
            }
            other => {
                drop(other);
                match make() {
                    Ok(generator) => Stage::Making(generator),
                    Err(error) => self.fail(error),
                }
            }
        };
    }

    pub fn setting(&self) -> Option<Setting> {
        self.setting
    }

    pub fn trouble(&self) -> Option<&LongError> {
        self.trouble.as_ref()
    }

    pub fn standing(&self) -> Standing {
        match &self.stage {
            Stage::Nothing => Standing::Nothing,
            Stage::Making(generator) => {
                let (done, all) = generator.progress();
                Standing::Making { done, all }
            }
            Stage::Attending { pass, .. } => {
                let progress = pass.progress();
                Standing::Attending { done: progress.done, all: progress.all }
            }
            Stage::Ready { .. } => Standing::Ready,
        }
    }

    /// Makes at most so many rows of the sequence. Says whether there are more to make.
    pub fn prepare(&mut self, rows: usize) -> bool {
        let Stage::Making(generator) = &mut self.stage else { return false };
        if !generator.advance(rows) {
            return true;
        }
        let Stage::Making(generator) = std::mem::take(&mut self.stage) else { unreachable!("it was matched above") };
        self.stage = self.begin(generator.finish());
        false
    }

    fn begin(&mut self, data: Generated) -> Stage {
        let Some(setting) = self.setting else { return Stage::Nothing };
        // The numbers are a generator's: finite, and far from the ends of 32 bits.
        let pass = match self.sizes {
            None => Pass::of(data.n, data.d, setting.rule),
            Some(Sizes { step: (rows, keys), .. }) => Pass::cut((data.n, data.d), setting.rule, rows, keys),
        };
        let outputs = if self.sizes.is_some() { Outputs::of(data.n, data.d) } else { Outputs::default() };
        // Where no pair is visible there is nothing to wait for.
        if pass.progress().all == 0 {
            return match pass.finish() {
                Ok(attended) => Stage::Ready { data, attended },
                Err(error) => self.fail(error),
            };
        }
        let mut open: BTreeMap<usize, VecDeque<Job>> = BTreeMap::new();
        for job in pass.jobs() {
            open.entry(job.keys.start).or_default().push_back(job);
        }
        Stage::Attending { data, pass, open, outputs }
    }

    fn fail(&mut self, error: LongError) -> Stage {
        self.trouble = Some(error);
        self.sent.clear();
        Stage::Nothing
    }

    /// What is looked at, most wanted first: it is made before anything else.
    pub fn want(&mut self, tiles: Vec<Tile>) {
        if self.tiles.len() > KEPT + tiles.len() {
            // What comes back must find its tile.
            let of_sent = |sent: &Sent| match sent {
                Sent::Pixels(tile, _) => Some(tile.clone()),
                Sent::Job(_) | Sent::Step(_) | Sent::Output(_) => None,
            };
            let out: HashSet<Tile> = self.sent.values().filter_map(of_sent).collect();
            self.tiles.retain(|tile, _| tiles.contains(tile) || out.contains(tile));
        }
        self.wanted = tiles;
    }

    /// The pixels of a tile as far as they are made (NaN where they are not), and whether they all are.
    pub fn tile(&self, tile: &Tile) -> Option<(&[f32], bool)> {
        self.tiles.get(tile).map(|entry| (entry.pixels.as_slice(), entry.missing == 0))
    }

    /// Nothing lies here any more. The hands stay.
    pub fn clear(&mut self) {
        let Desk { next_id, rests, sizes, .. } = *self;
        let hands = std::mem::take(&mut self.hands);
        *self = Desk { next_id, rests, sizes, hands, ..Desk::default() };
    }

    /// Whether something that was given out has still to come back.
    pub fn waits(&self) -> bool {
        !self.sent.is_empty()
    }

    /// How often something has come back.
    pub fn answers(&self) -> u64 {
        self.answers
    }

    /// The hands are others now: what the old ones had in hand comes back no more. What is whole stays; the rest is done again,
    /// and after a trouble everything.
    pub fn change_hands(&mut self) {
        self.sent.clear();
        self.hands.clear();
        (self.sizes, self.is_held, self.trouble) = (None, false, None);
        self.tiles.retain(|_, entry| entry.missing == 0);
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Attending { data, .. } => self.begin(data),
            Stage::Nothing => {
                self.setting = None;
                Stage::Nothing
            }
            stage => stage,
        };
    }

    /// Attention and tiles are computed anew from the numbers that lie here.
    pub fn attend_again(&mut self) {
        self.sent.clear();
        self.tiles.clear();
        self.is_held = false;
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Attending { data, .. } | Stage::Ready { data, .. } => self.begin(data),
            stage => stage,
        };
    }

    /// Whether nothing that was given out has still to come back, and nothing that is looked at has to be given out.
    pub fn hands_are_empty(&self) -> bool {
        let is_made = |tile: &Tile| self.tiles.get(tile).is_some_and(|entry| entry.missing == 0);
        self.sent.is_empty() && self.wanted.iter().all(is_made)
    }

    /// Brings in what the hands have done, and gives them what is next.
    pub fn hand_out(&mut self, hands: &mut dyn Hands) {
        self.meet(hands);
        self.hands.resize(hands.count(), InHand::default());
        for (hand, id, outcome) in hands.take() {
            if let Some(hand) = self.hands.get_mut(hand) {
                hand.works = hand.works.saturating_sub(1);
            }
            // What belongs to a sequence that lies here no more is dropped.
            self.answers += 1;
            let Some(sent) = self.sent.remove(&id) else { continue };
            if let Err(error) = self.bring_in(sent, outcome) {
                self.stage = self.fail(error);
            }
        }
        for round in 0..IN_HAND {
            for hand in 0..self.hands.len() {
                if self.hands[hand].works > round {
                    continue;
                }
                let Some((sent, work)) = self.next(hand) else { continue };
                self.hands[hand].works += 1;
                self.next_id += 1;
                self.sent.insert(self.next_id, sent);
                hands.give(hand, self.next_id, work);
            }
        }
    }

    fn bring_in(&mut self, sent: Sent, outcome: Result<Done, String>) -> Result<(), LongError> {
        let done = outcome.map_err(|why| LongError::Failed { why })?;
        match (sent, done) {
            (Sent::Job(job), Done::Rows(partial)) => {
                let Stage::Attending { pass, .. } = &mut self.stage else { return Ok(()) };
                pass.merge(&job, &partial)?;
                self.finish_if_whole()?;
            }
            (Sent::Step(job), Done::Rows(now)) => {
                let Stage::Attending { pass, .. } = &mut self.stage else { return Ok(()) };
                pass.follow(&job, &now)?;
            }
            (Sent::Output(rows), Done::Rows(whole)) => {
                let Stage::Attending { pass, outputs, .. } = &mut self.stage else { return Ok(()) };
                pass.put_rows(rows, &whole)?;
                outputs.missing -= 1;
                self.finish_if_whole()?;
            }
            (Sent::Pixels(tile, piece), Done::Pixels(pixels)) => {
                let Some(entry) = self.tiles.get_mut(&tile) else { return Ok(()) };
                tile.place(&piece, &pixels, &mut entry.pixels)?;
                entry.missing -= pixels.len();
            }
            _ => return Err(LongError::Failed { why: "the answer is of another kind than what was asked".to_owned() }),
        }
        Ok(())
    }

    fn finish_if_whole(&mut self) -> Result<(), LongError> {
        let is_whole =
            |pass: &Pass, outputs: &Outputs| pass.progress().done == pass.progress().all && outputs.missing == 0;
        match std::mem::take(&mut self.stage) {
            Stage::Attending { data, pass, outputs, .. } if is_whole(&pass, &outputs) => {
                self.stage = Stage::Ready { data, attended: pass.finish()? };
            }
            stage => self.stage = stage,
        }
        Ok(())
    }

    /// Bytes held here: the sequence, the state of the pass, the tiles.
    pub fn bytes(&self) -> u64 {
        let tiles: usize = self.tiles.values().map(|entry| entry.pixels.len()).sum();
        let numbers = match (&self.stage, self.setting) {
            (Stage::Nothing, _) | (_, None) => 0,
            (Stage::Making(_), Some(setting)) => 3 * setting.n * setting.d,
            (_, Some(setting)) => 4 * setting.n * setting.d + 2 * setting.n,
        };
        4 * (tiles + numbers) as u64
    }
}

impl Entry {
    fn new(tile: &Tile, d: usize, sizes: Option<Sizes>) -> Self {
        let (rows, keys) = sizes.map_or((PIECE.0, PIECE.1 * USUAL_WIDTH / d.max(USUAL_WIDTH)), |sizes| sizes.piece);
        let mut open: Vec<Piece> = tile.pieces(rows, keys).collect();
        open.reverse();
        let pixels = vec![f32::NAN; tile.height * tile.width];
        Entry { open, missing: pixels.len(), pixels }
    }
}
