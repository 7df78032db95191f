//! `attnlab flash` and `attnlab decode`: the same numbers block by block, and token by token.

use super::{Command, one_a_line, problem_of};
use attnlab::attention::{decode, flash};

/// Query rows or keys in a block where nothing is said.
const BLOCK: usize = 2;

/// What `flash` was asked for.
pub struct Blocks {
    file: String,
    rows: usize,
    keys: usize,
}

pub fn parse_flash(arguments: &mut lexopt::Parser) -> Result<Command, lexopt::Error> {
    use lexopt::prelude::*;
    let (mut file, mut rows, mut keys) = (None, BLOCK, BLOCK);
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("rows") => rows = arguments.value()?.parse()?,
            Long("keys") => keys = arguments.value()?.parse()?,
            Value(name) if file.is_none() => file = Some(name.string()?),
            other => return Err(other.unexpected()),
        }
    }
    let file = file.ok_or("flash needs a FILE")?;
    Ok(Command::Flash(Blocks { file, rows, keys }))
}

pub fn flash_of(asked: &Blocks) -> Result<String, String> {
    let done = flash(&problem_of(&asked.file)?, asked.rows, asked.keys).map_err(one_a_line)?;
    Ok(done.to_json())
}

pub fn decode_of(file: &str) -> Result<String, String> {
    let done = decode(&problem_of(file)?).map_err(one_a_line)?;
    Ok(done.to_json())
}
