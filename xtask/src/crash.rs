//! Runs the crash tests and the faults of disk, clock and pipes with more seeds. They are tests of `crates/cli`, because
//! cargo builds the real binary with its fail points for those.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::output;
use crate::repo::Repo;

/// Bits of a database that are flipped for each seed.
const FLIPS: u64 = 200;

/// `cargo xtask crash [SEEDS]`.
pub(crate) fn crash(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let seeds = number(rest, 3)?;
    run(repo, 1, seeds)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs the crash test with `count` seeds from `first`.
pub(crate) fn run(repo: &Repo, first: u64, count: u64) -> Result<()> {
    let arguments = [
        "test",
        "-p",
        "throughline-cli",
        "--features",
        "failpoints",
        "--test",
        "crash",
        "--locked",
        "--",
        "--nocapture",
    ];
    output::step(&format!("cargo {} (seeds {first} to {})", arguments.join(" "), first + count.max(1) - 1));
    let status = repo
        .command("cargo", &arguments)
        .env("THROUGHLINE_CRASH_FIRST", first.to_string())
        .env("THROUGHLINE_CRASH_SEEDS", count.to_string())
        .env("THROUGHLINE_CRASH_PASSINGS", "all")
        .env("THROUGHLINE_FAULT_SEEDS", count.to_string())
        .env("THROUGHLINE_FLIPS", (count * FLIPS).to_string())
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!(
            "the crash test failed; `THROUGHLINE_CRASH_FIRST=<seed> THROUGHLINE_CRASH_SEEDS=1` runs one seed again"
        );
    }
    Ok(())
}

pub(crate) fn number(rest: &[String], default: u64) -> Result<u64> {
    match rest {
        [] => Ok(default),
        [one] => one.parse().with_context(|| format!("{one} is not a number")),
        other => bail!("unexpected arguments: {other:?}"),
    }
}
