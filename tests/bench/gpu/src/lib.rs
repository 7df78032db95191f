//! Long sequences on a graphics processor, for the page of the benchmark: the engine as it is, tested and tried as at every
//! start, without the app around it. Natively there is nothing in it.

#[cfg(target_arch = "wasm32")]
mod border;
