//! The native program: the window, and the commands in `command_line`.
//!
//! In the browser the page starts the library itself; there `main` is empty.

#[cfg(not(target_arch = "wasm32"))]
mod command_line;

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    command_line::main()
}
