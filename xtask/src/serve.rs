//! `cargo xtask serve`: builds, then serves `dist/` on this machine only.

use crate::bundle::{self, Profile};
use crate::tool::progress;
use anyhow::{Context, Result};
use attnlab_browser_tests::server::Server;
use lexopt::prelude::*;

/// Where to look first when no port is asked for, and how many to try after it.
const DEFAULT_PORT: u16 = 8080;
const PORTS_TRIED: u16 = 50;

/// Serves until it is stopped.
pub fn run(mut args: lexopt::Parser) -> Result<()> {
    let mut profile = Profile::Release;
    let mut port = None;
    while let Some(arg) = args.next()? {
        match arg {
            Long("dev") => profile = Profile::Dev,
            Long("port") => port = Some(args.value()?.parse::<u16>()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let mut servers = match port {
        Some(port) => vec![port],
        None => (DEFAULT_PORT..DEFAULT_PORT + PORTS_TRIED).collect(),
    }
    .into_iter()
    .map(|port| Server::bind(port).with_context(|| format!("port {port} cannot be used")));
    // The port is taken before anything is built: a taken one should be told at once.
    let first = servers.next().expect("there is one port at least");
    let server = match (first, port) {
        (Ok(server), _) => server,
        (Err(why), Some(_)) => return Err(why),
        (Err(why), None) => servers.find_map(Result::ok).ok_or(why)?,
    };
    let dist = bundle::write(profile)?;
    progress(format!("Attention Lab is at {}", server.address()));
    progress("Ctrl+C ends it");
    server.serve(&dist)
}
