//! What the checks need from the operating system: installed by apt where that is allowed, else
//! named in one message.

use crate::tool::{self, progress};
use anyhow::{Result, bail};
use std::process::Command;
use std::time::Duration;

/// A program and the package of Debian that has it. Packages without a program are libraries.
pub struct Need {
    /// The package's name in Debian.
    pub package: &'static str,
    /// The program that shows that it is there; libraries are asked for by their package.
    pub program: Option<&'static str>,
}

impl Need {
    /// A package that brings a program.
    #[must_use]
    pub const fn program(package: &'static str, program: &'static str) -> Self {
        Self { package, program: Some(program) }
    }

    /// A package that brings a library or a font.
    #[must_use]
    pub const fn library(package: &'static str) -> Self {
        Self { package, program: None }
    }

    fn is_met(&self) -> bool {
        match self.program {
            Some(program) => tool::exists(program),
            None => is_installed(self.package),
        }
    }
}

/// Sees to it that everything is there.
///
/// # Errors
/// Names all that is missing and the command that would install it.
pub fn ensure(needs: &[Need]) -> Result<()> {
    let missing = || -> Vec<&'static str> {
        let unmet = needs.iter().filter(|need| !need.is_met());
        unmet.map(|need| need.package).collect()
    };
    let packages = missing();
    if packages.is_empty() {
        return Ok(());
    }
    let list = packages.join(" ");
    let Some(apt) = apt_get() else {
        bail!("missing: {list}. As root: apt-get install --no-install-recommends {list}");
    };
    progress(format!("apt-get install {list}"));
    let apt = || {
        let mut command = Command::new(&apt[0]);
        command.args(&apt[1..]);
        command
    };
    // An update that fails is told by the install after it.
    tool::run(apt().args(["update", "-qq"])).ok();
    tool::run(apt().args(["install", "-y", "-qq", "--no-install-recommends"]).args(&packages))?;
    let still = missing();
    if !still.is_empty() {
        bail!("apt installed these, and yet they are not there: {still:?}");
    }
    Ok(())
}

/// How apt-get can be run without asking for a password, if it can.
fn apt_get() -> Option<Vec<String>> {
    if !tool::exists("apt-get") {
        return None;
    }
    let quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"].map(String::from);
    let is_root = tool::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if is_root {
        return Some(quiet.to_vec());
    }
    let mut sudo = Command::new("sudo");
    tool::succeeds_within(sudo.args(["-n", "true"]), Duration::from_secs(5)).then(|| {
        let sudo = ["sudo", "-n"].map(String::from);
        sudo.into_iter().chain(quiet).collect()
    })
}

fn is_installed(package: &str) -> bool {
    let mut dpkg = Command::new("dpkg-query");
    tool::output(dpkg.args(["-W", "-f=${db:Status-Status}\n", package]))
        .is_ok_and(|status| status.lines().any(|line| line == "installed"))
}
