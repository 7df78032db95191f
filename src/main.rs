//! The native program: the window, and `attnlab solve`.
//!
//! In the browser the page starts the library itself; there `main` is empty.

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    command_line::main()
}

#[cfg(not(target_arch = "wasm32"))]
mod command_line {
    use std::io::{Read, Write};
    use std::process::ExitCode;

    use attnlab::attention::{MOST_BYTES, Problem, solve};

    const HELP: &str = "\
Attention Lab: attention that can be typed into, stepped through and checked

Usage: attnlab                 open the window
       attnlab solve FILE      print the trace of a problem file as JSON (- reads standard input)
       attnlab --help

Errors are printed on standard error, one a line, and the exit status is then 1.
";

    enum Command {
        Window,
        Help,
        Solve(String),
    }

    pub(super) fn main() -> ExitCode {
        let done = match parse() {
            Ok(Command::Window) => open_window(),
            Ok(Command::Help) => print(HELP),
            Ok(Command::Solve(file)) => read(&file).and_then(|text| trace_of(&text)).and_then(|trace| print(&trace)),
            Err(error) => Err(format!("{error}\n\n{HELP}")),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("{}", message.trim_end());
                ExitCode::FAILURE
            }
        }
    }

    fn parse() -> Result<Command, lexopt::Error> {
        use lexopt::prelude::*;
        let mut arguments = lexopt::Parser::from_env();
        let command = match arguments.next()? {
            None => return Ok(Command::Window),
            Some(Short('h') | Long("help")) => return Ok(Command::Help),
            Some(Value(word)) if word == "solve" => match arguments.next()? {
                Some(Value(file)) => Command::Solve(file.string()?),
                Some(Short('h') | Long("help")) => return Ok(Command::Help),
                Some(other) => return Err(other.unexpected()),
                None => return Err("solve needs a FILE".into()),
            },
            Some(other) => return Err(other.unexpected()),
        };
        match arguments.next()? {
            None => Ok(command),
            Some(other) => Err(other.unexpected()),
        }
    }

    fn read(file: &str) -> Result<String, String> {
        // One byte more than is allowed is enough to be refused for its length, however long the file is.
        let most = MOST_BYTES as u64 + 1;
        let mut text = String::new();
        let read = match file {
            "-" => std::io::stdin().lock().take(most).read_to_string(&mut text),
            path => std::fs::File::open(path).and_then(|file| file.take(most).read_to_string(&mut text)),
        };
        read.map(|_| text).map_err(|error| format!("{file}: {error}"))
    }

    fn trace_of(text: &str) -> Result<String, String> {
        let trace = Problem::from_json(text).and_then(|problem| solve(&problem));
        trace
            .map(|trace| trace.to_json())
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }

    fn print(text: &str) -> Result<(), String> {
        match std::io::stdout().lock().write_all(text.as_bytes()) {
            // The reader has seen enough: `attnlab solve … | head`.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(|error| error.to_string()),
        }
    }

    #[cfg(feature = "app")]
    fn open_window() -> Result<(), String> {
        attnlab::platform::native::run().map_err(|error| error.to_string())
    }

    #[cfg(not(feature = "app"))]
    fn open_window() -> Result<(), String> {
        Err(format!("this program was built without its window\n\n{HELP}"))
    }
}
