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
pub(crate) fn program(repo: &Repo) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(PROGRAM) {
        return Ok(PathBuf::from(named));
    }
    Ok(ci::build(repo)?.join("throughline"))
}

fn python(repo: &Repo, program: &Path) -> Result<()> {
    let manifest =
        repo.read("clients/python/pyproject.toml").context("there is no clients/python/pyproject.toml")?;
    let package = format!("{}[dev]", repo.path(PYTHON).display());
    let python = environment(repo, "clients", &manifest, &["--editable", &package])?;
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

/// Returns the Python of an environment with these packages, as pip is told them, made unless an earlier run did that.
/// `pinned` is the text that says which they are.
pub(crate) fn environment(repo: &Repo, name: &str, pinned: &str, packages: &[&str]) -> Result<PathBuf> {
    if !repo.has("python3", &["-m", "venv", "--help"]) {
        bail!(
            "the {name} in Python cannot be tried: there is no Python with venv (Debian: `apt install python3-venv`)"
        );
    }
    let wanted = format!("{}\n{pinned}", packages.join(" "));
    let folder = std::env::temp_dir().join(format!("throughline-{name}-python"));
    let (python, made) = (folder.join("bin/python"), folder.join("made"));
    if std::fs::read_to_string(&made).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    output::step(&format!("installing what the {name} in Python need into {}", folder.display()));
    finish(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    finish(Command::new(&python).args(pip).args(packages))?;
    write(&made, &wanted)?;
    Ok(python)
}

fn typescript(repo: &Repo, program: &Path) -> Result<()> {
    packages(repo, TYPESCRIPT, program)?;
    for script in ["build", "check", "test"] {
        in_folder(repo, TYPESCRIPT, Path::new("npm"), &["run", "--silent", script], program)?;
    }
    Ok(())
}

/// Builds the client in TypeScript, for those who use it.
pub(crate) fn built_typescript(repo: &Repo, program: &Path) -> Result<()> {
    packages(repo, TYPESCRIPT, program)?;
    in_folder(repo, TYPESCRIPT, Path::new("npm"), &["run", "--silent", "build"], program)
}

/// Installs what the lock file of a folder names, unless an earlier run did that.
pub(crate) fn packages(repo: &Repo, folder: &str, program: &Path) -> Result<()> {
    if !repo.has("npm", &["--version"]) {
        bail!("{folder} cannot be tried in TypeScript: there is no npm (Debian: `apt install npm`)");
    }
    let lock = repo
        .read(&format!("{folder}/package-lock.json"))
        .with_context(|| format!("{folder} has no lock file"))?;
    let made = repo.path(folder).join("node_modules/.made");
    if std::fs::read_to_string(&made).ok().as_ref() != Some(&lock) {
        let install = ["ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"];
        in_folder(repo, folder, Path::new("npm"), &install, program)?;
        write(&made, &lock)?;
    }
    Ok(())
}

/// Runs a program in a folder and stops at a failure. The programs that it starts are told which one is tested.
pub(crate) fn in_folder(
    repo: &Repo,
    folder: &str,
    program: &Path,
    arguments: &[&str],
    tested: &Path,
) -> Result<()> {
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    output::step(&format!("{folder}: {name} {}", arguments.join(" ")));
    finish(Command::new(program).args(arguments).current_dir(repo.path(folder)).env(PROGRAM, tested))
}
