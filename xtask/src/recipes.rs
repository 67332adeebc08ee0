//! `cargo xtask recipes`: agents of other people's frameworks with the program as their turn engine, killed at every step.
//! The frameworks are installed from PyPI and npm.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::clients;
use crate::repo::Repo;

const FOLDER: &str = "clients/recipes";
const REQUIREMENTS: &str = "clients/recipes/requirements.txt";

/// `cargo xtask recipes`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if !rest.is_empty() {
        bail!("`cargo xtask recipes` takes nothing");
    }
    check(repo)?;
    Ok(ExitCode::SUCCESS)
}

/// Checks all of them, with the client libraries that they use.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let program = clients::program(repo)?;
    clients::built_typescript(repo, &program)?;
    clients::packages(repo, FOLDER, &program)?;
    let pinned = repo.read(REQUIREMENTS).with_context(|| format!("there is no {REQUIREMENTS}"))?;
    let requirements = repo.path(REQUIREMENTS).display().to_string();
    let client = repo.path("clients/python").display().to_string();
    let packages = ["--requirement", &requirements, "--editable", &client];
    let python = clients::environment(repo, "recipes", &pinned, &packages)?;
    for check in [&["-m", "ruff", "check"][..], &["-m", "ruff", "format", "--check"], &["-m", "pytest"]] {
        clients::in_folder(repo, FOLDER, &python, check, &program)?;
    }
    Ok(())
}
