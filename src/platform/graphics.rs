//! A graphics processor for long sequences while it is asked for, tested and tried: that takes a moment, and nobody waits.

use crate::long::Hands;
use crate::long::gpu::{Clock, Gpu, GpuError, GpuHands, Texts, prepare};
use eframe::egui::Context;
use std::sync::{Arc, Mutex, PoisonError};

type Outcome = Result<GpuHands, GpuError>;

/// What comes of it.
#[derive(Clone, Default)]
pub struct Starting(Arc<Mutex<Option<Outcome>>>);

impl Starting {
    /// It is known: another pass shows it.
    pub fn put(&self, context: &Context, outcome: Outcome) {
        *self.lock() = Some(outcome);
        context.request_repaint();
    }

    /// The hands, or why there are none, once that is known; and then no more.
    pub fn take(&self) -> Option<Result<Box<dyn Hands>, GpuError>> {
        let outcome = self.lock().take()?;
        Some(outcome.map(|hands| Box::new(hands) as Box<dyn Hands>))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Outcome>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks for the best one, for rows of width d; one in software only where it is `forced`.
///
/// # Errors
/// There is none, it is one in software, or it does not pass its test.
pub async fn start(context: &Context, d: usize, forced: bool, clock: &Clock) -> Outcome {
    let gpu = Gpu::request(Texts::default()).await?;
    if gpu.is_software() && !forced {
        return Err(GpuError::Software { name: gpu.name().to_owned() });
    }
    let trial = prepare(&gpu, d, clock).await?;
    let context = context.clone();
    Ok(GpuHands::new(gpu, trial, move || context.request_repaint()))
}
