//! The kernel of long sequences for the page's Workers: numbers in, numbers out.
//!
//! `cargo xtask build` compiles it twice, with plain and with relaxed SIMD; `web/long-worker.js` takes the one that the
//! browser can run, and says what goes to and fro. Nothing here but the border: the arithmetic is the kernel's. Natively
//! there is nothing in it.

#[cfg(target_arch = "wasm32")]
mod border;
