//! The threads of a desktop machine as hands for long sequences.

use crate::long::{Build, Done, Hand, Hands, Work};
use eframe::egui::Context;
use std::sync::mpsc::{Receiver, Sender, channel};

/// One thread a hand; each ends when this is dropped, after the work it has.
pub struct Threads {
    works: Vec<Sender<(u64, Work)>>,
    done: Receiver<(usize, u64, Result<Done, String>)>,
}

impl Threads {
    /// As many as the machine runs at a time. `context` is asked for another pass whenever something is done.
    pub fn new(context: &Context) -> Self {
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let (sender, done) = channel();
        let works = (0..count).map(|hand| start(hand, sender.clone(), context.clone())).collect();
        Self { works, done }
    }
}

fn start(hand: usize, done: Sender<(usize, u64, Result<Done, String>)>, context: Context) -> Sender<(u64, Work)> {
    let (sender, works) = channel::<(u64, Work)>();
    std::thread::spawn(move || {
        let mut own = Hand::default();
        for (id, work) in works {
            if done.send((hand, id, Ok(own.work(work)))).is_err() {
                return;
            }
            context.request_repaint();
        }
    });
    sender
}

impl Hands for Threads {
    fn count(&self) -> usize {
        self.works.len()
    }

    fn give(&mut self, hand: usize, id: u64, work: Work) {
        // A thread that is gone takes nothing; what it had is missing then, and the window says that nothing moves.
        self.works[hand].send((id, work)).ok();
    }

    fn take(&mut self) -> Vec<(usize, u64, Result<Done, String>)> {
        self.done.try_iter().collect()
    }

    fn build(&self) -> Build {
        Build::Threads
    }
}
