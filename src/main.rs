//! The native program: the window, and the commands `solve`, `solution` and `worksheet`.
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

    use attnlab::attention::{MOST_BYTES, Part, Problem, ProblemError, solve};
    use attnlab::solution::{Blanks, Markup, SolutionOptions, WorksheetOptions, solution, worksheet};
    use attnlab::writing::Language;

    const HELP: &str = "\
Attention Lab: attention that can be typed into, stepped through and checked

Usage: attnlab                 open the window
       attnlab solve FILE      print the trace of a problem file as JSON (- reads standard input)
       attnlab solution FILE   write every step with its arithmetic, as Markdown
       attnlab worksheet FILE  write a sheet to be filled in
       attnlab --help

Options of solution and worksheet:
       --lang en|zh-CN         the language (en)
       --latex                 a LaTeX document in place of Markdown
       --digits N              digits after the point, 0 to 15 (4)
Options of worksheet:
       --seed N                other numbers of the same difficulty, drawn from this seed
       --key                   the answers, not the sheet
       --blank STEPS           which steps are blank (scores,scaled,masked,weights,output)
       --share S               how much of them is blank, more than 0 and at most 1 (1)

Errors are printed on standard error, one a line, and the exit status is then 1.
";

    enum Command {
        Window,
        Help,
        Solve(String),
        Solution(String, SolutionOptions),
        Worksheet { file: String, options: WorksheetOptions, is_key: bool },
    }

    pub(super) fn main() -> ExitCode {
        let done = match parse() {
            Ok(Command::Window) => open_window(),
            Ok(Command::Help) => print(HELP),
            Ok(Command::Solve(file)) => read(&file).and_then(|text| trace_of(&text)).and_then(|trace| print(&trace)),
            Ok(Command::Solution(file, options)) => {
                read(&file).and_then(|text| solution_of(&text, &options)).and_then(|text| print(&text))
            }
            Ok(Command::Worksheet { file, options, is_key }) => {
                read(&file).and_then(|text| worksheet_of(&text, &options, is_key)).and_then(|text| print(&text))
            }
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
            Some(Value(word)) if word == "solution" || word == "worksheet" => {
                return writing(&mut arguments, word == "worksheet");
            }
            Some(other) => return Err(other.unexpected()),
        };
        match arguments.next()? {
            None => Ok(command),
            Some(other) => Err(other.unexpected()),
        }
    }

    /// What follows `solution` or `worksheet`.
    fn writing(arguments: &mut lexopt::Parser, is_worksheet: bool) -> Result<Command, lexopt::Error> {
        use lexopt::prelude::*;
        const MOST_DIGITS: usize = 15;
        let mut file = None;
        let mut plain = SolutionOptions::default();
        let (mut seed, mut is_key) = (None, false);
        let (mut steps, mut how_much) = match Blanks::default() {
            Blanks::Parts { parts, share } => (parts, share),
            Blanks::Cells(_) => (Vec::new(), 1.0),
        };
        while let Some(argument) = arguments.next()? {
            match argument {
                Short('h') | Long("help") => return Ok(Command::Help),
                Long("latex") => plain.markup = Markup::Latex,
                Long("lang") => {
                    let tag = arguments.value()?.string()?;
                    let known = Language::ALL.iter().copied().find(|language| language.key() == tag);
                    plain.language = known.ok_or_else(|| format!("--lang {tag}: expected en or zh-CN"))?;
                }
                Long("digits") => {
                    let digits = arguments.value()?.parse()?;
                    if digits > MOST_DIGITS {
                        return Err(format!("--digits {digits}: expected 0 to {MOST_DIGITS}").into());
                    }
                    plain.format.digits = digits;
                }
                Long("seed") if is_worksheet => seed = Some(arguments.value()?.parse()?),
                Long("key") if is_worksheet => is_key = true,
                Long("share") if is_worksheet => how_much = arguments.value()?.parse()?,
                Long("blank") if is_worksheet => {
                    let names = arguments.value()?.string()?;
                    let step = |name: &str| Part::from_key(name).ok_or_else(|| format!("--blank {name}: no such step"));
                    steps = names.split(',').map(step).collect::<Result<_, _>>()?;
                }
                Value(name) if file.is_none() => file = Some(name.string()?),
                other => return Err(other.unexpected()),
            }
        }
        let file = file.ok_or(if is_worksheet { "worksheet needs a FILE" } else { "solution needs a FILE" })?;
        if !is_worksheet {
            return Ok(Command::Solution(file, plain));
        }
        let SolutionOptions { language, format, markup, .. } = plain;
        let blanks = Blanks::Parts { parts: steps, share: how_much };
        Ok(Command::Worksheet { file, options: WorksheetOptions { language, format, markup, blanks, seed }, is_key })
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
        trace.map(|trace| trace.to_json()).map_err(one_a_line)
    }

    fn solution_of(text: &str, options: &SolutionOptions) -> Result<String, String> {
        let problem = Problem::from_json(text).map_err(one_a_line)?;
        let trace = solve(&problem).map_err(one_a_line)?;
        Ok(solution(&problem, &trace, options))
    }

    fn worksheet_of(text: &str, options: &WorksheetOptions, is_key: bool) -> Result<String, String> {
        let problem = Problem::from_json(text).map_err(one_a_line)?;
        let made = worksheet(&problem, options).map_err(|error| error.to_string())?;
        Ok(if is_key { made.key } else { made.sheet })
    }

    fn one_a_line(errors: Vec<ProblemError>) -> String {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
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
