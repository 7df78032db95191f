//! The native program: the window, `attnlab solve` and `attnlab figure`.
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

    use attnlab::attention::{MOST_BYTES, Problem, Trace, solve};

    const HELP: &str = "\
Attention Lab: attention that can be typed into, stepped through and checked

Usage: attnlab                 open the window
       attnlab solve FILE      print the trace of a problem file as JSON (- reads standard input)
       attnlab figure FILE     draw it as SVG on standard output
       attnlab --help

Options of figure:
       --step STEP      this matrix, by its key in the trace; without: weights
       --head N         of this head, counted from 0
       --heads          the weights of all heads instead
       --pipeline       every matrix from the input to the output instead
       --lang LANG      en or zh-CN
       --dark           on the dark page
       --digits N       at most so many digits after the point, 0 to 8; without: 4
       --no-numbers     colours only
       --width MM       so wide in print; without: 160
       -o, --output OUT into this file
       --png            as PNG, which needs -o
       --dpi N          dots per inch of the PNG; without: 300

Errors are printed on standard error, one a line, and the exit status is then 1.
";

    enum Command {
        Window,
        Help,
        Solve(String),
        Figure(Figure),
    }

    /// What `figure` was asked for. Without the feature `figure` it is read all the same, and refused.
    #[cfg_attr(not(feature = "figure"), allow(dead_code))]
    #[derive(Default)]
    struct Figure {
        file: String,
        step: Option<String>,
        head: Option<usize>,
        heads: bool,
        pipeline: bool,
        language: Option<String>,
        dark: bool,
        digits: Option<usize>,
        no_numbers: bool,
        width: Option<f64>,
        output: Option<std::path::PathBuf>,
        png: bool,
        dpi: Option<u32>,
    }

    pub(super) fn main() -> ExitCode {
        let done = match parse() {
            Ok(Command::Window) => open_window(),
            Ok(Command::Help) => print(HELP),
            Ok(Command::Solve(file)) => solved(&file).and_then(|(_, trace)| print(&trace.to_json())),
            Ok(Command::Figure(figure)) => draw(&figure),
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
            Some(Value(word)) if word == "figure" => return parse_figure(arguments),
            Some(other) => return Err(other.unexpected()),
        };
        match arguments.next()? {
            None => Ok(command),
            Some(other) => Err(other.unexpected()),
        }
    }

    fn parse_figure(mut arguments: lexopt::Parser) -> Result<Command, lexopt::Error> {
        use lexopt::prelude::*;
        let mut figure = Figure::default();
        let mut file = None;
        while let Some(argument) = arguments.next()? {
            match argument {
                Short('h') | Long("help") => return Ok(Command::Help),
                Long("step") => figure.step = Some(arguments.value()?.string()?),
                Long("head") => figure.head = Some(arguments.value()?.parse()?),
                Long("heads") => figure.heads = true,
                Long("pipeline") => figure.pipeline = true,
                Long("lang") => figure.language = Some(arguments.value()?.string()?),
                Long("dark") => figure.dark = true,
                Long("digits") => figure.digits = Some(arguments.value()?.parse()?),
                Long("no-numbers") => figure.no_numbers = true,
                Long("width") => figure.width = Some(arguments.value()?.parse()?),
                Short('o') | Long("output") => figure.output = Some(arguments.value()?.into()),
                Long("png") => figure.png = true,
                Long("dpi") => figure.dpi = Some(arguments.value()?.parse()?),
                Value(word) if file.is_none() => file = Some(word.string()?),
                other => return Err(other.unexpected()),
            }
        }
        figure.file = file.ok_or("figure needs a FILE")?;
        Ok(Command::Figure(figure))
    }

    #[cfg(feature = "figure")]
    fn draw(asked: &Figure) -> Result<(), String> {
        use attnlab::attention::Part;
        use attnlab::figure::{FigureOptions, Subject, png, svg};
        use attnlab::writing::Language;

        let head = asked.head.unwrap_or(0);
        let subject = match (&asked.step, asked.heads, asked.pipeline) {
            (None, true, false) if asked.head.is_none() => Subject::Heads,
            (None, true, false) => return Err("--heads draws all heads, --head one of them".to_owned()),
            (None, false, true) => Subject::Pipeline { head },
            (step, false, false) => {
                let step = step.as_deref().unwrap_or("weights");
                let part = Part::from_key(step).ok_or_else(|| {
                    let keys = Part::ALL.map(Part::key).join(", ");
                    format!("there is no step {step}; there are {keys}")
                })?;
                Subject::Step { part, head }
            }
            _ => return Err("--step, --heads and --pipeline: one of them".to_owned()),
        };
        let mut options = FigureOptions { dark: asked.dark, numbers: !asked.no_numbers, ..FigureOptions::default() };
        if let Some(tag) = &asked.language {
            let known = Language::ALL.iter().find(|language| language.key().eq_ignore_ascii_case(tag));
            options.language = *known.ok_or_else(|| format!("there is no language {tag}; there are en and zh-CN"))?;
        }
        if let Some(digits) = asked.digits {
            options.format.digits = Some(digits).filter(|digits| *digits <= 8).ok_or("--digits goes from 0 to 8")?;
        }
        options.width_mm = asked.width.unwrap_or(options.width_mm);
        if asked.png && asked.output.is_none() {
            return Err("--png needs -o OUT: a picture is no text for standard output".to_owned());
        }
        if asked.dpi.is_some() && !asked.png {
            return Err("--dpi is for --png: an SVG has no dots".to_owned());
        }

        let (problem, trace) = solved(&asked.file)?;
        let drawn = svg(&problem, &trace, &subject, &options).map_err(|error| error.to_string())?;
        let Some(output) = &asked.output else { return print(&drawn) };
        let bytes = if asked.png {
            png(&drawn, asked.dpi.unwrap_or(300)).map_err(|error| error.to_string())?
        } else {
            drawn.into_bytes()
        };
        std::fs::write(output, bytes).map_err(|error| format!("{}: {error}", output.display()))
    }

    #[cfg(not(feature = "figure"))]
    fn draw(_: &Figure) -> Result<(), String> {
        Err(format!("this program was built without figures\n\n{HELP}"))
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

    fn solved(file: &str) -> Result<(Problem, Trace), String> {
        let problem = Problem::from_json(&read(file)?);
        problem
            .and_then(|problem| solve(&problem).map(|trace| (problem, trace)))
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
