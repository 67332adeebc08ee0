//! The engine's decisions on the development data: runs `throughline eval`, has an independent script score the
//! predictions a second time where there is one, holds the gap between two folds, and writes the tables into `docs/measurements/eval.md`.

mod folds;
mod page;
mod referee;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ci::cargo;
use crate::output;
use crate::provenance;
use crate::repo::Repo;

/// The folder of the data if none is named.
const DATA: &str = "../shared/data/dev";
/// The variable that names another folder.
const VARIABLE: &str = "THROUGHLINE_EVAL_DATA";

/// `cargo xtask eval [DIR] [--no-write]`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let write = !rest.iter().any(|argument| argument == "--no-write");
    let named: Vec<&String> = rest.iter().filter(|argument| *argument != "--no-write").collect();
    let data = match named.as_slice() {
        [] => development(repo),
        [one] => PathBuf::from(one),
        other => bail!("unexpected arguments {other:?}: see `cargo xtask help`"),
    };
    let data = data.canonicalize().with_context(|| {
        format!(
            "there is no folder of cases at {}: name it, `cargo xtask eval DIR`, or set {VARIABLE}",
            data.display()
        )
    })?;
    // Before anything is written, which would count as a change.
    let commit = provenance::commit(repo);
    cargo(repo, &["build", "--profile", "ci-release", "--locked", "-p", "throughline-cli"])?;
    let predictions = std::env::temp_dir().join(format!("throughline-eval-{}.jsonl", std::process::id()));
    let report = throughline(repo, &data, &["--json", "--predictions", &predictions.to_string_lossy()])?;
    let report: Value = serde_json::from_str(&report).context("the report is no JSON")?;
    let agreed = referee::agree(repo, &data, &predictions, &report);
    std::fs::remove_file(&predictions).context("cannot remove the predictions")?;
    let agreed = agreed?;
    let folds = match folds::beside(&data) {
        Some(both) => {
            let both = both.map(|fold| fold.to_string_lossy().into_owned()).join(",");
            let report = program(repo, &["eval", "--folds", &both, "--json", "--quiet"])?;
            let report = serde_json::from_str(&report).context("the report is no JSON")?;
            folds::hold(repo, &report, write)?;
            folds::table(&report)
        }
        None => String::new(),
    };
    let tables = throughline(repo, &data, &["--markdown"])?;
    output::out(&tables);
    output::note(&agreed);
    if write {
        let origin = page::Origin {
            day: provenance::today(repo),
            commit,
            machine: provenance::machine(),
            data: provenance::data_name(&data),
            cases: report["cases"].to_string(),
        };
        page::write(repo, &origin, &agreed, &folds, &tables)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the folder of the development data.
fn development(repo: &Repo) -> PathBuf {
    std::env::var_os(VARIABLE).map_or_else(|| repo.path(DATA), PathBuf::from)
}

/// Returns the program's report on the data.
fn throughline(repo: &Repo, data: &Path, arguments: &[&str]) -> Result<String> {
    program(repo, &[&["eval", &data.to_string_lossy(), "--quiet"], arguments].concat())
}

fn program(repo: &Repo, arguments: &[&str]) -> Result<String> {
    let program = repo.target()?.join("ci-release/throughline");
    repo.output(&program.to_string_lossy(), arguments)
}
