//! The benchmarks: builds the program that measures and the one that is measured, runs the first, and keeps its report.

mod count;
mod document;

use std::io::{BufRead as _, BufReader};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::ci::cargo;
use crate::output;
use crate::repo::Repo;

/// `cargo xtask bench [--quick] [--write] [B1 …]` and `cargo xtask bench count [--write]`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if let Some(("count", rest)) = rest.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return count::run(repo, crate::flag(rest, "--write")?);
    }
    if let ["flame"] = rest.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        return flame(repo);
    }
    let write = rest.iter().any(|argument| argument == "--write");
    let arguments: Vec<&str> =
        rest.iter().map(String::as_str).filter(|argument| *argument != "--write").collect();
    if let Some(unknown) =
        arguments.iter().find(|argument| argument.starts_with('-') && **argument != "--quick")
    {
        bail!("unexpected argument {unknown}: see `cargo xtask help`");
    }
    // Quoted figures come from the release profile; a check for plausibility does not wait for that to build.
    let quick = arguments.contains(&"--quick");
    let program = build(repo, if quick { "ci-release" } else { "release" })?;
    if !repo.has("sh", &["-c", "command -v wrk"]) {
        output::note("wrk is not installed, so B8 uses a client of our own (Debian: `apt-get install wrk`)");
    }
    output::step(&format!("throughline-bench {}", arguments.join(" ")));
    let (text, succeeded) = run_and_print(repo, &program, &arguments)?;
    if write {
        document::write(repo, &text, &format!("cargo xtask bench {}", arguments.join(" ")))?;
    }
    ensure!(succeeded, "the benchmark stopped; what it printed before is above");
    Ok(ExitCode::SUCCESS)
}

/// The flame graph that the page on costs shows.
const FLAME: &str = "docs/pictures/what-a-message-costs.svg";

fn flame(repo: &Repo) -> Result<ExitCode> {
    let program = build(repo, "ci-release")?;
    let (_, succeeded) = run_and_print(repo, &program, &["flame", FLAME])?;
    ensure!(succeeded, "no flame graph was made");
    Ok(ExitCode::SUCCESS)
}

/// Builds both programs and returns the path of the one that measures.
fn build(repo: &Repo, profile: &str) -> Result<String> {
    let programs = ["-p", "throughline-bench", "-p", "throughline-cli"];
    let mut arguments = vec!["build", "--profile", profile, "--locked"];
    arguments.extend(programs);
    cargo(repo, &arguments)?;
    let program = repo.target()?.join(profile).join("throughline-bench");
    Ok(program.to_str().context("the target directory has a name that is text")?.to_owned())
}

/// Runs the program and prints its report line by line. Returns the report and true if the program succeeded: sections
/// that were printed before a failure are complete.
fn run_and_print(repo: &Repo, program: &str, arguments: &[&str]) -> Result<(String, bool)> {
    let mut command = repo.command(program, arguments);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {program}"))?;
    let stdout = child.stdout.take().context("the program has an output")?;
    let mut text = String::new();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        output::out(&line);
        text.push_str(&line);
        text.push('\n');
    }
    Ok((text, child.wait()?.success()))
}
