//! The crash tests, by hand and for hours. The tests themselves are in `crates/cli/tests/crash`: the harness needs
//! the real binary with its fail points, and `cargo test` builds exactly that.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::ci::cargo;
use crate::repo::Repo;
use crate::say;

/// `cargo xtask crash [SEEDS]`.
pub(crate) fn crash(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let seeds = number(rest, 3)?;
    run(repo, 1, seeds)?;
    Ok(ExitCode::SUCCESS)
}

/// `cargo xtask soak [MINUTES]`.
pub(crate) fn soak(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let time = Duration::from_secs(60 * number(rest, 30)?);
    let started = Instant::now();
    let mut seed = 1;
    while started.elapsed() < time {
        say::step(&format!("soak: {} of {} minutes", started.elapsed().as_secs() / 60, time.as_secs() / 60));
        run(repo, seed, 5)?;
        let faults = format!("--faults={seed}");
        let scenarios = "crates/engine/tests/scenarios";
        cargo(
            repo,
            &["run", "--profile", "ci-release", "-p", "throughline-cli", "--", "test", scenarios, &faults],
        )?;
        seed += 5;
    }
    say::note(&format!("soak: seeds 1 to {} held", seed - 1));
    Ok(ExitCode::SUCCESS)
}

/// The crash test with `count` seeds from `first`.
fn run(repo: &Repo, first: u64, count: u64) -> Result<()> {
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
    say::step(&format!("cargo {} (seeds {first} to {})", arguments.join(" "), first + count.max(1) - 1));
    let status = repo
        .command("cargo", &arguments)
        .env("THROUGHLINE_CRASH_FIRST", first.to_string())
        .env("THROUGHLINE_CRASH_SEEDS", count.to_string())
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!(
            "the crash test failed; `THROUGHLINE_CRASH_FIRST=<seed> THROUGHLINE_CRASH_SEEDS=1` runs one seed again"
        );
    }
    Ok(())
}

fn number(rest: &[String], default: u64) -> Result<u64> {
    match rest {
        [] => Ok(default),
        [one] => one.parse().with_context(|| format!("{one} is not a number")),
        other => bail!("unexpected arguments: {other:?}"),
    }
}
