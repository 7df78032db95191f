//! What is seen: panels read the session and emit actions, widgets know no session at all.
//!
//! It computes no number of the pipeline and changes no state. Reading order: [`app`], the `scene` that it gives to
//! every panel, `layout`, then `panels` and the `widgets` that they are made of; `parts` (what a matrix is called and
//! how it is coloured) and `keys`. Texts and numbers are written by `crate::writing`, colours and sizes come from
//! [`theme`].

pub mod app;
mod keys;
mod layout;
mod panels;
mod parts;
mod scene;
pub mod theme;
mod widgets;

pub use app::App;
