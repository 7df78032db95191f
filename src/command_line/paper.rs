//! `attnlab solution` and `attnlab worksheet`.

use super::{Command, problem_of, solved};
use attnlab::attention::Part;
use attnlab::solution::{Blanks, Markup, SolutionOptions, WorksheetOptions, solution, worksheet};
use attnlab::writing::Language;

/// What follows `solution` or `worksheet`.
pub fn parse(arguments: &mut lexopt::Parser, is_worksheet: bool) -> Result<Command, lexopt::Error> {
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

pub fn solution_of(file: &str, options: &SolutionOptions) -> Result<String, String> {
    let (problem, trace) = solved(file)?;
    Ok(solution(&problem, &trace, options))
}

pub fn worksheet_of(file: &str, options: &WorksheetOptions, is_key: bool) -> Result<String, String> {
    let made = worksheet(&problem_of(file)?, options).map_err(|error| error.to_string())?;
    Ok(if is_key { made.key } else { made.sheet })
}
