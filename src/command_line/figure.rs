//! `attnlab figure`.

use super::Command;

/// What `figure` was asked for. Without the feature `figure` it is read all the same, and refused.
#[cfg_attr(not(feature = "figure"), allow(dead_code))]
#[derive(Default)]
pub struct Figure {
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

pub fn parse(mut arguments: lexopt::Parser) -> Result<Command, lexopt::Error> {
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
pub fn draw(asked: &Figure) -> Result<(), String> {
    use super::{print, solved};
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
pub fn draw(_: &Figure) -> Result<(), String> {
    Err(format!("this program was built without figures\n\n{}", super::HELP))
}
