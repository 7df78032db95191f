//! What is seen: panels read the session and emit actions, widgets know no session at all.
//!
//! It computes no number of the pipeline and changes no state. Reading order: [`app`], then `panels` (one a
//! file, in the order of the screen), then `widgets`. Texts come from `assets/i18n` through [`text`],
//! colours and sizes from [`theme`].

pub mod app;
mod keys;
mod number;
mod panels;
mod parts;
mod scene;
pub mod text;
pub mod theme;
mod widgets;

pub use app::App;
