//! The commands: `solve`, `flash`, `decode`, `solution`, `worksheet`, `figure`; without one the window opens.

mod figure;
mod paper;
mod stepped;

use std::io::{Read, Write};
use std::process::ExitCode;

use attnlab::attention::{MOST_BYTES, Problem, ProblemError, Trace, solve};
use attnlab::solution::{SolutionOptions, WorksheetOptions};

const HELP: &str = "\
Attention Lab: attention that can be typed into, stepped through and checked

Usage: attnlab                 open the window
       attnlab solve FILE      print the trace of a problem file as JSON (- reads standard input)
       attnlab flash FILE      print every block of FlashAttention as JSON
       attnlab decode FILE     print every step of decoding with a KV cache as JSON
       attnlab solution FILE   write every step with its arithmetic, as Markdown
       attnlab worksheet FILE  write a sheet to be filled in
       attnlab figure FILE     draw it as SVG on standard output
       attnlab --help

Options of flash:
       --rows R                query rows in a block, 1 or more (2)
       --keys C                keys in a block, 1 or more (2)

It prints {\"format\":\"attnlab-flash/1\",\"rows\":R,\"keys\":C,\"heads\":[…],\"output\":[[…]],
\"numbers_moved\":{\"plain\":…,\"blocks\":…}}: of each query head its \"blocks\" and its \"output\", and with a
sink the \"sink\" that joins after the last block. A block has its \"rows\" and \"keys\" (first, and one past the
last), the \"scores\" that go into the softmax, and per row the running maximum \"m\", the \"rescale\" factor
exp(m_old - m_new), the running sum \"l\" and the running output \"o\" after it. Minus infinity is \"-inf\".

decode prints {\"format\":\"attnlab-decode/1\",\"steps\":[…],\"work\":{…},\"bytes_per_token\":{…},\"notes\":[…]}. A step
has its \"token\", the new rows \"q\" (a list of query heads), \"k\" and \"v\" (lists of key/value heads; with RoPE q and k
are rotated, as cached), the \"weights\" of each query head over the cache, the \"output\" row, and its \"difference\" from
the full computation.

Options of solution and worksheet:
       --lang en|zh-CN         the language (en)
       --latex                 a LaTeX document in place of Markdown
       --digits N              digits after the point, 0 to 15 (4)
Options of worksheet:
       --seed N                other numbers of the same difficulty, drawn from this seed
       --key                   the answers, not the sheet
       --blank STEPS           which steps are blank (scores,scaled,capped,biased,masked,weights,output)
       --share S               how much of them is blank, more than 0 and at most 1 (1)

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
    Flash(stepped::Blocks),
    Decode(String),
    Solution(String, SolutionOptions),
    Worksheet { file: String, options: WorksheetOptions, is_key: bool },
    Figure(figure::Figure),
}

pub fn main() -> ExitCode {
    let done = match parse() {
        Ok(Command::Window) => open_window(),
        Ok(Command::Help) => print(HELP),
        Ok(Command::Solve(file)) => solved(&file).and_then(|(_, trace)| print(&trace.to_json())),
        Ok(Command::Flash(asked)) => stepped::flash_of(&asked).and_then(|text| print(&text)),
        Ok(Command::Decode(file)) => stepped::decode_of(&file).and_then(|text| print(&text)),
        Ok(Command::Solution(file, options)) => paper::solution_of(&file, &options).and_then(|text| print(&text)),
        Ok(Command::Worksheet { file, options, is_key }) => {
            paper::worksheet_of(&file, &options, is_key).and_then(|text| print(&text))
        }
        Ok(Command::Figure(figure)) => figure::draw(&figure),
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
        Some(Value(word)) if word == "solve" || word == "decode" => match arguments.next()? {
            Some(Value(file)) if word == "solve" => Command::Solve(file.string()?),
            Some(Value(file)) => Command::Decode(file.string()?),
            Some(Short('h') | Long("help")) => return Ok(Command::Help),
            Some(other) => return Err(other.unexpected()),
            None => return Err(format!("{} needs a FILE", word.string()?).into()),
        },
        Some(Value(word)) if word == "flash" => return stepped::parse_flash(&mut arguments),
        Some(Value(word)) if word == "solution" || word == "worksheet" => {
            return paper::parse(&mut arguments, word == "worksheet");
        }
        Some(Value(word)) if word == "figure" => return figure::parse(arguments),
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

fn problem_of(file: &str) -> Result<Problem, String> {
    Problem::from_json(&read(file)?).map_err(one_a_line)
}

fn solved(file: &str) -> Result<(Problem, Trace), String> {
    let problem = problem_of(file)?;
    let trace = solve(&problem).map_err(one_a_line)?;
    Ok((problem, trace))
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
