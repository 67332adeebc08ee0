//! `cargo xtask clients`: the client libraries in Python and TypeScript. They are what the description of the API makes of
//! them, their types hold, and their tests run against the program. What they need is installed from PyPI and npm.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::ci;
use crate::output;
use crate::peers::{finish, write};
use crate::repo::Repo;

const PYTHON: &str = "clients/python";
const TYPESCRIPT: &str = "clients/typescript";
/// The variable that names the program, for the tests.
const PROGRAM: &str = "THROUGHLINE_BIN";

/// `cargo xtask clients [python|typescript]`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    match rest {
        [] => check(repo)?,
        [only] if only == "python" => python(repo, &program(repo)?)?,
        [only] if only == "typescript" => typescript(repo, &program(repo)?)?,
        _ => {
            bail!("`cargo xtask clients` takes `python` or `typescript`, which is that one alone, or nothing")
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks both.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let program = program(repo)?;
    python(repo, &program)?;
    typescript(repo, &program)
}

/// Returns the program that the variable names, else the one that is built here.
fn program(repo: &Repo) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(PROGRAM) {
        return Ok(PathBuf::from(named));
    }
    ci::cargo(repo, &["build", "--package", "throughline-cli", "--locked"])?;
    Ok(repo.target()?.join("debug/throughline"))
}

fn python(repo: &Repo, program: &Path) -> Result<()> {
    if !repo.has("python3", &["-m", "venv", "--help"]) {
        bail!(
            "the client in Python cannot be tried: there is no Python with venv (Debian: `apt install python3-venv`)"
        );
    }
    let python = environment(repo)?;
    // Pyright looks for packages in the environment that it is told, not in the one it runs in.
    let environment = python.to_str().context("the temporary folder has a name that is text")?;
    for check in [
        &["scripts/generate.py", "--check"][..],
        &["-m", "ruff", "check"],
        &["-m", "ruff", "format", "--check"],
        &["-m", "mypy"],
        &["-m", "pyright", "--pythonpath", environment],
        &["-m", "pytest"],
    ] {
        in_folder(repo, PYTHON, &python, check, program)?;
    }
    Ok(())
}

/// Returns the Python of an environment with the package and what its checks need, made unless an earlier run did that.
fn environment(repo: &Repo) -> Result<PathBuf> {
    let package = repo.path(PYTHON);
    let manifest =
        repo.read("clients/python/pyproject.toml").context("there is no clients/python/pyproject.toml")?;
    let wanted = format!("{}\n{manifest}", package.display());
    let folder = std::env::temp_dir().join("throughline-clients-python");
    let (python, made) = (folder.join("bin/python"), folder.join("made"));
    if std::fs::read_to_string(&made).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    output::step(&format!("installing {PYTHON} and its tools into {}", folder.display()));
    finish(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable"];
    finish(Command::new(&python).args(pip).arg(format!("{}[dev]", package.display())))?;
    write(&made, &wanted)?;
    Ok(python)
}

fn typescript(repo: &Repo, program: &Path) -> Result<()> {
    if !repo.has("npm", &["--version"]) {
        bail!("the client in TypeScript cannot be tried: there is no npm (Debian: `apt install npm`)");
    }
    let npm = Path::new("npm");
    let lock =
        repo.read("clients/typescript/package-lock.json").context("clients/typescript has no lock file")?;
    let made = repo.path(TYPESCRIPT).join("node_modules/.made");
    if std::fs::read_to_string(&made).ok().as_ref() != Some(&lock) {
        let install = ["ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
        in_folder(repo, TYPESCRIPT, npm, &install, program)?;
        write(&made, &lock)?;
    }
    for script in ["build", "check", "test"] {
        in_folder(repo, TYPESCRIPT, npm, &["run", "--silent", script], program)?;
    }
    Ok(())
}

/// Runs a program in a folder and stops at a failure.
fn in_folder(repo: &Repo, folder: &str, program: &Path, arguments: &[&str], tested: &Path) -> Result<()> {
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    output::step(&format!("{folder}: {name} {}", arguments.join(" ")));
    finish(Command::new(program).args(arguments).current_dir(repo.path(folder)).env(PROGRAM, tested))
}
