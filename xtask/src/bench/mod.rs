//! The figures of `spec 09 §1`: builds the program that measures and the one that is measured, runs the first, and keeps
//! what it prints.

mod count;
mod document;

use std::io::{BufRead as _, BufReader};
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::ci::cargo;
use crate::repo::Repo;
use crate::say;

/// `cargo xtask bench [--quick] [--write] [B1 …]` and `cargo xtask bench count [--write]`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    if let Some(("count", rest)) = rest.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return count::run(repo, crate::flag(rest, "--write")?);
    }
    let write = rest.iter().any(|argument| argument == "--write");
    let arguments: Vec<&str> =
        rest.iter().map(String::as_str).filter(|argument| *argument != "--write").collect();
    if let Some(unknown) =
        arguments.iter().find(|argument| argument.starts_with('-') && **argument != "--quick")
    {
        bail!("unexpected argument {unknown}: see `cargo xtask help`");
    }
    // What is quoted is measured on what is released; plausibility does not wait for that to build.
    let quick = arguments.contains(&"--quick");
    let program = build(repo, if quick { "ci-release" } else { "release" })?;
    if !repo.has("sh", &["-c", "command -v wrk"]) {
        say::note("wrk is not installed, so B8 uses a client of our own (Debian: `apt-get install wrk`)");
    }
    say::step(&format!("throughline-bench {}", arguments.join(" ")));
    let (text, succeeded) = told(repo, &program, &arguments)?;
    if write {
        document::write(repo, &text, &format!("cargo xtask bench {}", arguments.join(" ")))?;
    }
    ensure!(succeeded, "the benchmark stopped; what it printed before is above");
    Ok(ExitCode::SUCCESS)
}

/// Builds both programs; gives the path of the one that measures.
fn build(repo: &Repo, profile: &str) -> Result<String> {
    let programs = ["-p", "throughline-bench", "-p", "throughline-cli"];
    let mut arguments = vec!["build", "--profile", profile, "--locked"];
    arguments.extend(programs);
    cargo(repo, &arguments)?;
    let program = repo.target()?.join(profile).join("throughline-bench");
    Ok(program.to_str().context("the target directory has a name that is text")?.to_owned())
}

/// Runs it, passing on what it prints line by line. It also says whether the program succeeded: sections that were
/// printed before something failed are whole.
fn told(repo: &Repo, program: &str, arguments: &[&str]) -> Result<(String, bool)> {
    let mut command = repo.command(program, arguments);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {program}"))?;
    let stdout = child.stdout.take().context("the program has an output")?;
    let mut text = String::new();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        say::out(&line);
        text.push_str(&line);
        text.push('\n');
    }
    Ok((text, child.wait()?.success()))
}
