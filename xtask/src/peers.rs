//! `cargo xtask peers`: clients that we did not write, run against the fakes of vendors' servers, and a server that we did
//! not write, for our clients. They are installed from their own registries, into the system's temporary folder and not
//! into the repository.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::ci::cargo_with;
use crate::repo::Repo;
use crate::say;

/// The clients, pinned to the last package.
const REQUIREMENTS: &str = "crates/fakes/tests/peers/requirements.txt";
/// Where the tests look for the Python that has them.
const PYTHON: &str = "THROUGHLINE_PYTHON";
/// The server of models; it has no dependencies.
const AIMOCK: &str = "@copilotkit/aimock@1.43.0";
/// Where the tests look for its program.
const LLMOCK: &str = "THROUGHLINE_AIMOCK";

/// Runs all of them.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if !rest.is_empty() {
        bail!("`cargo xtask peers` takes no arguments");
    }
    if repo.has("python3", &["-m", "venv", "--help"]) {
        let python = clients(repo)?;
        test(repo, "throughline-fakes", PYTHON, &python)?;
    } else {
        say::step("clients: skipped, there is no Python with venv (Debian: `apt install python3-venv`)");
    }
    if repo.has("npm", &["--version"]) {
        let llmock = aimock()?;
        test(repo, "throughline-models", LLMOCK, &llmock)?;
    } else {
        say::step("aimock: skipped, there is no npm (Debian: `apt install npm`)");
    }
    Ok(ExitCode::SUCCESS)
}

fn test(repo: &Repo, package: &str, variable: &str, program: &Path) -> Result<()> {
    let tests = ["test", "-p", package, "--test", "peers", "--locked", "--", "--ignored"];
    cargo_with(repo, &tests, &[(variable, &program.to_string_lossy())])
}

/// The program of the server of models, installed unless an earlier run did.
fn aimock() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join("throughline-peers-aimock");
    let (program, made) = (folder.join("node_modules/.bin/llmock"), folder.join("made"));
    if std::fs::read_to_string(&made).is_ok_and(|installed| installed == AIMOCK) {
        return Ok(program);
    }
    say::step(&format!("installing {AIMOCK} into {}", folder.display()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    finish(Command::new("npm").args(npm).arg(&folder).arg(AIMOCK))?;
    write(&made, AIMOCK)?;
    Ok(program)
}

/// The Python of a virtual environment with what is pinned, made unless an earlier run did.
fn clients(repo: &Repo) -> Result<PathBuf> {
    let wanted = repo.read(REQUIREMENTS).with_context(|| format!("there is no {REQUIREMENTS}"))?;
    let folder = std::env::temp_dir().join("throughline-peers-python");
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
