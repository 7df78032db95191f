//! Long sequences on a graphics processor: the same results by WebGPU in a page, by Vulkan, Metal or DirectX 12 elsewhere.
//!
//! `device` asks for a processor and says what it is. `held` is a sequence in its memory, attended to step by step: some
//! rows × some keys a step, gone on from what lies there, so that no step is long and all of it can stop anywhere. `attend.wgsl`
//! and `tile.wgsl` are the arithmetic, `template` fills their sizes in, `pipeline` has them compiled. `read` brings numbers back.
//! `trial` finds the sizes that are fastest here and tests them against f64, `probe` how fast the processor could be; `whole` is the engine for everyone who waits, and
//! `hands` for the desk, which does not.
//!
//! No subgroups: on the web kernels with them were silently wrong. No `&&` and `||` in text that is repeated: a compiler took
//! 40 s over it where `&`, `|` and `select` take less than one.

mod device;
mod hands;
mod held;
mod pipeline;
mod probe;
mod read;
mod template;
mod trial;
mod whole;

pub use device::{Gpu, GpuError};
pub use hands::GpuHands;
pub use held::Held;
pub use pipeline::{Family, Texts};
pub use trial::{Clock, Trial, prepare};
pub use whole::Whole;
