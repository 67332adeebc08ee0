//! `cargo xtask soak`: tests that are too heavy for every change, in rounds until the time is over: crashes with seed
//! after seed, every scenario under faults, and every property with far more cases than a test run has.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::ci::{cargo, cargo_with};
use crate::crash;
use crate::output;
use crate::repo::Repo;

/// Cases of each property in one round: a hundred times those of a test run.
const CASES: &str = "25600";

/// Random answers of a model about a list in one round; none may execute an option that was not offered.
const ANSWERS: &str = "1000000";

/// Generated conversations in one round; none may do what its words do not say.
const CONVERSATIONS: &str = "1000000";

/// Random courses of a batch in one round.
const BATCHES: &str = "2560";

/// Deliveries of Slack that are changed on the way, in one round, over each of its two ways.
const DELIVERIES: &str = "20000";

/// Cards, forms, Homes and replies that are rendered for Slack in one round, of each so many.
const RENDERED: &str = "5000";

/// `cargo xtask soak [MINUTES]`.
pub(crate) fn soak(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let time = Duration::from_secs(60 * crash::number(rest, 30)?);
    let started = Instant::now();
    let mut seed = 1;
    while started.elapsed() < time {
        output::step(&format!(
            "soak: {} of {} minutes",
            started.elapsed().as_secs() / 60,
            time.as_secs() / 60
        ));
        crash::run(repo, seed, 5)?;
        let faults = format!("--faults={seed}");
        let scenarios = "crates/engine/tests/scenarios";
        cargo(
            repo,
            &["run", "--profile", "ci-release", "-p", "throughline-cli", "--", "test", scenarios, &faults],
        )?;
        properties(repo, seed)?;
        batches(repo, seed)?;
        conversations(repo, seed)?;
        slack(repo, seed)?;
        seed += 5;
    }
    output::note(&format!("soak: seeds 1 to {} held", seed - 1));
    Ok(ExitCode::SUCCESS)
}

/// Tests batches and other outward effects, killed at every point and failed in any order.
fn batches(repo: &Repo, round: u64) -> Result<()> {
    let arguments =
        ["test", "--profile", "ci-release", "-p", "throughline-sim", "--test", "batch", "--locked"];
    let seed = round.to_string();
    cargo_with(
        repo,
        &arguments,
        &[
            ("THROUGHLINE_CRASH_PASSINGS", "all"),
            ("PROPTEST_CASES", BATCHES),
            ("PROPTEST_RNG_SEED", seed.as_str()),
        ],
    )
}

/// Tests whole conversations against what a careful reader of them would allow. Each round plays others.
fn conversations(repo: &Repo, round: u64) -> Result<()> {
    let arguments =
        ["test", "--profile", "ci-release", "-p", "throughline-sim", "--test", "conversations", "--locked"];
    // Rounds are far enough apart to share no conversation.
    let seed = (round * 1_000_000).to_string();
    cargo_with(
        repo,
        &arguments,
        &[("THROUGHLINE_CONVERSATIONS", CONVERSATIONS), ("THROUGHLINE_SEED", seed.as_str())],
    )
}

/// Tests that Slack takes whatever is rendered for it, and that the server takes or refuses whatever is delivered.
fn slack(repo: &Repo, round: u64) -> Result<()> {
    let seed = round.to_string();
    let of = |package, test| ["test", "--profile", "ci-release", "-p", package, "--test", test, "--locked"];
    let settings = [("PROPTEST_CASES", RENDERED), ("PROPTEST_RNG_SEED", seed.as_str())];
    cargo_with(repo, &of("throughline-sim", "slack_rendering"), &settings)?;
    let hostile = [&of("throughline-server", "slack")[..], &["hostile"]].concat();
    let settings = [("THROUGHLINE_DELIVERIES", DELIVERIES), ("THROUGHLINE_SEED", seed.as_str())];
    cargo_with(repo, &hostile, &settings)
}

/// Tests the engine's properties with many random cases, which follow from the seed. A case that fails is kept beside its
/// test.
pub(crate) fn properties(repo: &Repo, seed: u64) -> Result<()> {
    let arguments = ["test", "--profile", "ci-release", "-p", "throughline-engine", "--locked"];
    let seed = seed.to_string();
    let settings =
        [("PROPTEST_CASES", CASES), ("PROPTEST_RNG_SEED", seed.as_str()), ("THROUGHLINE_ANSWERS", ANSWERS)];
    cargo_with(repo, &arguments, &settings)
        .context("a property does not hold; the failing case is in the output and in *.proptest-regressions")
}
