//! What JavaScript calls. A future comes as a promise, an error as what it rejects with.

use attnlab::long::gpu::{Gpu, Held, Texts, Trial, prepare};
use attnlab::long::{Asked, LongError, Pass, Rule, Sequence};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the page began.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// A processor that passed its test for rows of one width.
#[wasm_bindgen]
pub struct Opened {
    gpu: Gpu,
    trial: Trial,
    milliseconds: f64,
}

/// Asks for a processor, tests it and tries its speed.
#[wasm_bindgen]
pub async fn open(d: usize) -> Result<Opened, String> {
    let start = now();
    let gpu = Gpu::request(Texts::default()).await.map_err(|error| error.to_string())?;
    let trial = prepare(&gpu, d, &now).await.map_err(|error| error.to_string())?;
    Ok(Opened { gpu, trial, milliseconds: now() - start })
}

#[wasm_bindgen]
impl Opened {
    /// What was found, in words.
    pub fn about(&self) -> String {
        let Trial { family, difference, pairs: (attended, _), .. } = self.trial;
        let speed = attended * 4.0 * self.trial.d as f64 / 1e6;
        let took = self.milliseconds;
        format!("{family:?}, tried at {speed:.2} GFLOP/s, differs by {difference:.1e}, ready after {took:.0} ms")
    }

    /// Operations a second where the processor only multiplies and adds.
    pub fn peak(&self) -> f64 {
        self.trial.peak
    }

    /// O of n tokens, in the steps in which the page goes.
    pub async fn attend(&self, n: usize, q: &[f32], k: &[f32], v: &[f32]) -> Result<Vec<f32>, String> {
        self.in_steps(n, [q, k, v]).await.map_err(|error| error.to_string())
    }

    async fn in_steps(&self, n: usize, [q, k, v]: [&[f32]; 3]) -> Result<Vec<f32>, LongError> {
        let asked = Asked::new(Sequence::new(n, self.trial.d, q, k, v)?, Rule::default())?;
        let held = Held::new(&self.gpu, &asked, self.trial.family)?;
        let (rows, keys) = self.trial.sizes(n).step;
        for job in Pass::with_sizes(&asked, rows, keys)?.jobs() {
            held.step(&self.gpu, &job);
        }
        let mut all = held.read(&self.gpu, 0..n).await?;
        all.divide();
        Ok(all.output)
    }
}
