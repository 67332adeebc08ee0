//! The tools of the steps, installed where they are missing: components by rustup, programs from PyPI, where they are
//! compiled already, into the system's temporary folder.
//!
//! A tool that cannot be installed, because the machine reaches no registry, skips its step with a note. With
//! `THROUGHLINE_SKIP_NOTHING` set, as the hosted jobs have it, that is an error.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::output;
use crate::repo::Repo;

/// Set in the hosted jobs: there a missing tool fails its step. A machine that reaches no registry skips it with a note.
const HOSTED: &str = "THROUGHLINE_SKIP_NOTHING";

/// The spell checker and its version on PyPI, whose package is the compiled program.
const TYPOS: &str = "typos==1.52.0";

/// Installs a component of the toolchain; `subcommand` is how cargo names it. False if that failed and the step is skipped.
pub(super) fn component(repo: &Repo, name: &str, subcommand: &str) -> Result<bool> {
    if repo.has("cargo", &[subcommand, "--version"]) {
        return Ok(true);
    }
    output::step(&format!("rustup component add {name}"));
    let added =
        repo.command("rustup", &["component", "add", name]).status().is_ok_and(|status| status.success());
    installed(added, name, &format!("rustup component add {name}"))
}

/// Installs a toolchain beside the one in use. False if that failed and the step is skipped.
pub(super) fn toolchain(repo: &Repo, name: &str) -> Result<bool> {
    if repo.has("rustup", &["run", name, "rustc", "--version"]) {
        return Ok(true);
    }
    let install = ["toolchain", "install", name, "--profile", "minimal", "--no-self-update"];
    output::step(&format!("rustup {}", install.join(" ")));
    let added = repo.command("rustup", &install).status().is_ok_and(|status| status.success());
    installed(added, &format!("Rust {name}"), &format!("rustup toolchain install {name}"))
}

/// Installs a target of the toolchain in use. False if that failed and the step is skipped.
pub(super) fn target(repo: &Repo, name: &str) -> Result<bool> {
    let sysroot = repo.output("rustc", &["--print", "sysroot"])?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(name).is_dir() {
        return Ok(true);
    }
    output::step(&format!("rustup target add {name}"));
    let added =
        repo.command("rustup", &["target", "add", name]).status().is_ok_and(|status| status.success());
    installed(added, name, &format!("rustup target add {name}"))
}

/// The path of the spell checker. None if it cannot be installed and the step is skipped.
pub(super) fn typos(repo: &Repo) -> Result<Option<String>> {
    if repo.has("typos", &["--version"]) {
        return Ok(Some("typos".into()));
    }
    let folder = std::env::temp_dir().join("throughline-tools").join(TYPOS);
    let program = folder.join("bin/typos");
    if !program.is_file() {
        output::step(&format!("installing {TYPOS} from PyPI into {}", folder.display()));
        let python = folder.join("bin/python");
        let made = runs(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))
            && runs(Command::new(&python).args([
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                TYPOS,
            ]));
        if !installed(made, "typos", "pip install typos, or cargo install typos-cli")? {
            return Ok(None);
        }
    }
    let program = program.to_str().context("the temporary folder has a name that is text")?;
    Ok(Some(program.to_owned()))
}

/// Reads the lock file for licences, sources and published weaknesses. Its options change between versions.
const CARGO_DENY: &str = "cargo-deny@0.20.2";

/// Installs cargo-deny from crates.io, compiled without optimisation: it runs for a second. False if that
/// failed and the step is skipped.
pub(super) fn cargo_deny(repo: &Repo) -> Result<bool> {
    if repo.has("cargo", &["deny", "--version"]) {
        return Ok(true);
    }
    const INSTALL: [&str; 5] = ["install", "--locked", "--debug", "--no-default-features", CARGO_DENY];
    output::step(&format!("cargo {}", INSTALL.join(" ")));
    let made = repo.command("cargo", &INSTALL).env("CARGO_PROFILE_DEV_DEBUG", "0").status();
    let made = made.is_ok_and(|status| status.success());
    installed(made, "cargo-deny", "cargo install --locked cargo-deny@0.20.2")
}

fn runs(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

fn installed(made: bool, name: &str, by_hand: &str) -> Result<bool> {
    if made {
        return Ok(true);
    }
    if super::is_set(HOSTED) {
        bail!("{name} is missing and cannot be installed: `{by_hand}`");
    }
    super::skipped(name, &format!("it is not installed and cannot be now: `{by_hand}`"));
    Ok(false)
}
