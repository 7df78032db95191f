//! Drives the built page in real browsers.
//!
//! Reading order: [`server`] serves `dist/`; [`webdriver`] speaks the W3C protocol; [`browser`]
//! knows how each engine is started; [`page`] finds what a person would name, by role and name;
//! [`text`] reads the names from the app's own text files. The scenarios are beside them, in
//! `scenarios/`. Nothing here knows how the app works inside.

pub mod browser;
pub mod page;
pub mod server;
pub mod text;
pub mod webdriver;
