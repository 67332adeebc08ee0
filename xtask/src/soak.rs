//! `cargo xtask soak`: tests that are too heavy for every change, in rounds until the time is over: crashes with seed
//! after seed, every scenario under faults, and every property with far more cases than a test run has. A first round is
//! ended whatever the time; after that the step that goes on when the time is over is the last.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::ci::{cargo, cargo_with};
use crate::crash;
use crate::output;
use crate::repo::Repo;

/// Cases of each property in one round: eight times those of a test run.
const CASES: &str = "2048";

/// Random answers of a model about a list in one round; none may execute an option that was not offered.
const ANSWERS: &str = "200000";

/// Generated conversations in one round; none may do what its words do not say.
const CONVERSATIONS: &str = "200000";

/// Random courses of a batch in one round.
const BATCHES: &str = "512";

/// Deliveries of Slack that are changed on the way, in one round, over each of its two ways.
const DELIVERIES: &str = "5000";

/// Cards, forms, Homes and replies that are rendered for Slack in one round, of each so many.
const RENDERED: &str = "5000";

/// Seeds of a round. Rounds share none.
const SEEDS: u64 = 3;

/// A step of a round, which takes the round's first seed.
type Step = fn(&Repo, u64) -> Result<()>;

/// The steps of a round with what they are called in the log.
const STEPS: [(&str, Step); 7] = [
    ("crashes and faults", |repo, seed| crash::run(repo, seed, SEEDS)),
    ("scenarios under faults", scenarios),
    ("properties of the engine", |repo, seed| properties(repo, seed, CASES)),
    ("batches", batches),
    ("conversations", conversations),
    ("Slack", slack),
    ("models", models),
];

/// `cargo xtask soak [MINUTES]`.
pub(crate) fn soak(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let time = Duration::from_secs(60 * crash::number(rest, 30)?);
    let started = Instant::now();
    let minutes = || started.elapsed().as_secs() / 60;
    let mut seed = 1;
    loop {
        for (name, step) in STEPS {
            if seed > 1 && started.elapsed() >= time {
                output::note(&format!("soak: everything held for {} minutes", minutes()));
                return Ok(ExitCode::SUCCESS);
            }
            output::step(&format!("soak, minute {}: {name}, from seed {seed}", minutes()));
            step(repo, seed).with_context(|| format!("{name} did not hold, from seed {seed}"))?;
            output::note(&format!("soak, minute {}: {name} held, from seed {seed}", minutes()));
        }
        seed += SEEDS;
    }
}

/// Plays every scenario with faults between and within its steps.
fn scenarios(repo: &Repo, seed: u64) -> Result<()> {
    let faults = format!("--faults={seed}");
    let scenarios = "crates/engine/tests/scenarios";
    cargo(
        repo,
        &["run", "--profile", "ci-release", "-p", "throughline-cli", "--", "test", scenarios, &faults],
    )
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

/// Checks the models with the bounds that take minutes. They have no seeds, so the first round is enough.
fn models(repo: &Repo, seed: u64) -> Result<()> {
    if seed > 1 {
        return Ok(());
    }
    let tests =
        ["test", "--profile", "ci-release", "-p", "throughline-protocols", "--test", "models", "--locked"];
    cargo(repo, &[&tests[..], &["--", "--ignored", "--nocapture"]].concat())
}

/// Tests the engine's properties with many random cases, which follow from the seed. A case that fails is kept beside its
/// test.
pub(crate) fn properties(repo: &Repo, seed: u64, cases: &str) -> Result<()> {
    let arguments = ["test", "--profile", "ci-release", "-p", "throughline-engine", "--locked"];
    let seed = seed.to_string();
    let settings =
        [("PROPTEST_CASES", cases), ("PROPTEST_RNG_SEED", seed.as_str()), ("THROUGHLINE_ANSWERS", ANSWERS)];
    cargo_with(repo, &arguments, &settings)
        .context("a property does not hold; the failing case is in the output and in *.proptest-regressions")
}
