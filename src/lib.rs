//! Attention Lab: attention that can be typed into, stepped through and checked.
//!
//! The flow goes one way: a `Problem` (everything that was asked) is solved into a `Trace` (every step); panels
//! draw the trace and emit actions; `update` alone changes the session, and with it the problem.
//!
//! The modules in reading order, and what each must not know:
//!
//! | module | what it is | must not know |
//! |---|---|---|
//! | [`attention`] | the mathematics, in f64: problem → trace, explanation, checks | any other module, the clock, files, the window |
//! | [`writing`] | numbers, arithmetic and sentences as people read them, in two languages | the session, the window |
//! | [`exchange`] | numbers, matrices and tensors from pasted text and from files, and back | the session, the window |
//! | [`examples`] | published worked examples, and whether a trace reproduces them | the session, the window |
//! | [`code`] | the problem as a NumPy, PyTorch or Rust program | the session, the window |
//! | [`claim`] | whether printed numbers are those of a trace, and the usual reasons why not | the session, the window |
//! | [`solution`] | the worked solution, and worksheets with their keys | the session, the window |
//! | `figure` | figures for print, as SVG and natively as PNG; with the feature `figure` | the session, the window |
//! | [`study`] | what is studied around a problem: figures that move with a length, a width, a decay | the session, the window |
//! | [`long`] | attention over long sequences in f32, never n×n: engines, tiles of weights, generated sequences | files, the session, the window |
//! | [`session`] | the whole state of the app, and the one function that changes it | the window |
//! | `ui` | the window: it reads the session and emits actions | where it runs |
//! | `platform` | native or browser: the only place that knows where it runs | the mathematics |
//!
//! Without default features the crate is what stands above `ui`, but for `figure`: no egui, no wgpu, no web-sys; it builds in
//! seconds, and its tests run in seconds. `tests/` holds what crosses modules: the published examples
//! (`golden`), the laws of the mathematics (`laws`), the window and the page in workspace members of their own.

pub mod attention;
pub mod claim;
pub mod code;
pub mod examples;
pub mod exchange;
#[cfg(feature = "figure")]
pub mod figure;
pub mod long;
#[cfg(feature = "app")]
pub mod platform;
pub mod session;
pub mod solution;
pub mod study;
#[cfg(feature = "app")]
pub mod ui;
pub mod writing;
