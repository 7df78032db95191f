//! A graphics processor at the desk: it holds the sequence, is handed steps and pieces, and is never waited for.

use std::sync::{Arc, Mutex, PoisonError};

use super::held::pixels;
use super::read::begin;
use super::{Gpu, GpuError, Held, Trial};
use crate::long::{Asked, Build, Done, Hands, LongError, Sizes, Work};

type Outcomes = Arc<Mutex<Vec<(u64, Result<Done, GpuError>)>>>;

/// One hand, with everything that was found of it at its start.
pub struct GpuHands {
    gpu: Gpu,
    trial: Trial,
    held: Option<Arc<Held>>,
    outcomes: Outcomes,
    /// Called whenever something is done.
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl GpuHands {
    pub fn new(gpu: Gpu, trial: Trial, wake: impl Fn() + Send + Sync + 'static) -> Self {
        GpuHands { gpu, trial, held: None, outcomes: Outcomes::default(), wake: Arc::new(wake) }
    }

    /// Reads, makes of it what was asked for, and puts it to what is done.
    fn later(
        &self,
        id: u64,
        parts: &[(&wgpu::Buffer, u64, u64)],
        made: impl FnOnce(Vec<f32>) -> Done + Send + 'static,
    ) {
        let (outcomes, wake) = (self.outcomes.clone(), self.wake.clone());
        begin(&self.gpu, parts, move |numbers| {
            outcomes.lock().unwrap_or_else(PoisonError::into_inner).push((id, numbers.map(made)));
            wake();
        });
    }
}

impl Hands for GpuHands {
    fn count(&self) -> usize {
        1
    }

    fn holds(&self, n: usize, _d: usize) -> Option<Sizes> {
        Some(self.trial.sizes(n))
    }

    fn hold(&mut self, asked: &Asked) -> Result<(), LongError> {
        // Both at once might not fit.
        self.held = None;
        self.held = Some(Arc::new(Held::new(&self.gpu, asked, self.trial.family)?));
        Ok(())
    }

    fn give(&mut self, _hand: usize, id: u64, work: Work) {
        let held = self.held.clone().expect("a sequence is held before its work is given");
        match work {
            Work::Step(job) => {
                held.step(&self.gpu, &job);
                let parts = [held.sums_of(&job.rows)];
                let rows = held.clone();
                self.later(id, &parts, move |sums| Done::Rows(rows.rows(&[], &sums)));
            }
            Work::Output(rows) => {
                let parts = [held.outputs_of(&rows), held.sums_of(&rows)];
                let (of, outputs) = (held.clone(), parts[0].2 as usize / 4);
                self.later(id, &parts, move |mut numbers| {
                    let sums = numbers.split_off(outputs);
                    Done::Rows(of.rows(&numbers, &sums))
                });
            }
            Work::Piece(tile, piece) => {
                let made = held.tile(&self.gpu, &tile, &piece);
                let (parts, spent) = ([(&made, 0, made.size())], made.clone());
                self.later(id, &parts, move |numbers| {
                    spent.destroy();
                    Done::Pixels(pixels(&tile, &piece, numbers))
                });
            }
            Work::Attend { .. } | Work::Tile { .. } | Work::Naive { .. } => {
                unreachable!("this hand holds the sequence")
            }
        }
    }

    fn take(&mut self) -> Vec<(usize, u64, Result<Done, String>)> {
        // In a page this does nothing.
        self.gpu.device.poll(wgpu::PollType::Poll).ok();
        let done = std::mem::take(&mut *self.outcomes.lock().unwrap_or_else(PoisonError::into_inner));
        // What failed was lost with the processor; `lost` says so.
        done.into_iter().filter_map(|(id, outcome)| Some((0, id, Ok(outcome.ok()?)))).collect()
    }

    fn build(&self) -> Build {
        Build::Graphics { name: self.gpu.name().to_owned(), difference: self.trial.difference }
    }

    fn peak(&self) -> Option<f64> {
        Some(self.trial.peak)
    }

    fn most_tokens(&self, d: usize) -> usize {
        self.gpu.most_tokens(d)
    }

    fn bytes(&self) -> u64 {
        self.held.as_ref().map_or(0, |held| held.bytes())
    }

    fn width(&self) -> Option<usize> {
        Some(self.trial.d)
    }

    fn must_be_asked(&self) -> bool {
        // A native device tells what is done while it is polled; a page's tells by itself.
        cfg!(not(target_arch = "wasm32"))
    }

    fn lost(&self) -> Option<String> {
        self.gpu.lost()
    }
}
