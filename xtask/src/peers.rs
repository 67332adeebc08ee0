//! `cargo xtask peers`: clients that we did not write, run against the fakes of vendors' servers. They are installed from
//! their own registry, into the system's temporary folder and not into the repository.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::ci::cargo_with;
use crate::repo::Repo;
use crate::say;

/// What is installed, pinned to the last package.
const REQUIREMENTS: &str = "crates/fakes/tests/peers/requirements.txt";
/// Where the test looks for the Python that has it.
const PYTHON: &str = "THROUGHLINE_PYTHON";

/// Runs all of them.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if !rest.is_empty() {
        bail!("`cargo xtask peers` takes no arguments");
    }
    if !repo.has("python3", &["-m", "venv", "--help"]) {
        say::step("peers: skipped, there is no Python with venv (Debian: `apt install python3-venv`)");
        return Ok(ExitCode::SUCCESS);
    }
    let python = install(repo)?;
    let tests = ["test", "-p", "throughline-fakes", "--test", "peers", "--locked", "--", "--ignored"];
    cargo_with(repo, &tests, &[(PYTHON, &python.to_string_lossy())])?;
    Ok(ExitCode::SUCCESS)
}

/// The Python of a virtual environment with what is pinned, made unless an earlier run did.
fn install(repo: &Repo) -> Result<PathBuf> {
    let wanted = repo.read(REQUIREMENTS).with_context(|| format!("there is no {REQUIREMENTS}"))?;
    let folder = std::env::temp_dir().join("throughline-peers-telegram");
    let (python, made) = (folder.join("bin/python"), folder.join("made"));
    if std::fs::read_to_string(&made).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    say::step(&format!("installing {REQUIREMENTS} into {}", folder.display()));
    finish(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    finish(Command::new(&python).args(pip).arg(repo.path(REQUIREMENTS)))?;
    write(&made, &wanted)?;
    Ok(python)
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn finish(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
