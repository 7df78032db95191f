//! The project's own commands, run as `cargo xtask <command>`.
//!
//! Every step is a file of its own: [`wasm_std`] finds the standard library for the browser,
//! [`bundle`] writes `dist/` ([`workers`] the part of it that computes long sequences), [`serve`] serves it, [`mod@test`] runs every check, [`shot`] takes a
//! screenshot. None of them knows anything about attention, but [`mod@bench`], which measures how fast it is.

mod apt;
mod bench;
mod budget;
mod bundle;
mod compress;
mod rust_src;
mod serve;
mod shot;
mod split;
mod test;
mod tool;
mod wasm_std;
mod workers;

use anyhow::{Result, bail};
use lexopt::prelude::*;

const HELP: &str = "\
cargo xtask <command>

  serve [--port N] [--dev]   build, then serve dist/ on 127.0.0.1
  build [--dev]              write dist/: static files that work below any address
  test [part …] [--list]     every check, or only the parts that are named
  shot --help                a screenshot of the page
  bench --help               long sequences, ours beside others, in one browser

  --dev                      a quick build that is not optimised
";

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut args = lexopt::Parser::from_env();
    let command = match args.next()? {
        Some(Value(name)) => name.string()?,
        None | Some(Short('h') | Long("help")) => {
            print!("{HELP}");
            return Ok(());
        }
        Some(other) => return Err(other.unexpected().into()),
    };
    match command.as_str() {
        "serve" => serve::run(args),
        "build" => bundle::run(args),
        "test" => test::run(args),
        "shot" => shot::run(args),
        "bench" => bench::run(args),
        other => bail!("there is no command {other:?}\n\n{HELP}"),
    }
}
