//! `cargo xtask deploy`: the files that put the program somewhere, held against one another, against the program's own
//! command line and settings, and against the tools that read them.
//!
//! `compose` and `image` are pure checks of what names what; `starts` collects every way in which a file starts the
//! program, and `program` tries each with the program itself; `tools` asks Helm, dist, systemd and the others.

mod chart;
mod compose;
mod image;
mod program;
mod starts;
mod tools;
mod unit;
mod workflow;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::repo::{Finding, Repo};
use crate::{ci, output};

/// The folder of the files.
const FOLDER: &str = "deploy";
/// The settings of the processes of compose.yaml.
const SETTINGS: &str = "deploy/throughline.toml";

/// Builds the program and checks everything.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if !rest.is_empty() {
        bail!("`cargo xtask deploy` takes no arguments");
    }
    let programs = ci::build(repo)?;
    check(repo, &programs.join("throughline"))?;
    Ok(ExitCode::SUCCESS)
}

/// Checks everything, with a program that is built already.
pub(crate) fn check(repo: &Repo, program: &Path) -> Result<()> {
    let mut found = files(repo)?;
    let mut starts = starts::of_files(repo)?;
    let chart = tools::chart(repo)?;
    starts.extend(chart.iter().map(|objects| starts::of_chart(objects)).collect::<Result<Vec<_>>>()?);
    found.extend(program::check(program, &starts)?);
    for finding in &found {
        output::error(&finding.to_string());
    }
    if !found.is_empty() {
        bail!("deploy: {} to mend", found.len());
    }
    tools::others(repo)?;
    output::note(&format!("deploy: {} ways to start it, each as the program takes it", starts.len()));
    Ok(())
}

/// Checks of files that need neither a tool nor the program.
fn files(repo: &Repo) -> Result<Vec<Finding>> {
    let mut found = compose::check(repo)?;
    found.extend(image::check(repo)?);
    found.extend(chart::check(repo)?);
    found.extend(unit::check(repo)?);
    found.extend(workflow::check(repo)?);
    Ok(found)
}

/// Reads a file as YAML.
fn yaml(repo: &Repo, path: &str) -> Result<Value> {
    parsed(path, &text(repo, path)?)
}

fn parsed(place: &str, text: &str) -> Result<Value> {
    serde_yaml_ng::from_str(text).with_context(|| format!("{place} is no YAML"))
}

fn text(repo: &Repo, path: &str) -> Result<String> {
    repo.read(path).with_context(|| format!("cannot read {path}"))
}

/// Returns the words of a list.
fn words(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the value of a key that is written on a line of its own in TOML.
fn setting<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
    line.map(|value| value.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_this_repository_fit_together() {
        let found: Vec<String> =
            files(&Repo::find().unwrap()).unwrap().iter().map(ToString::to_string).collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}
