//! `cargo xtask fuzz [SECONDS]`: the engine's properties with many random cases, then libFuzzer on each target.
//!
//! libFuzzer needs only coverage, which a stable compiler gives by its LLVM options; the sanitizers of nightly would look
//! for misused memory, and the engine has no unsafe code. Inputs that reach new code are kept in `target/fuzz/corpus`.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::crash;
use crate::output;
use crate::repo::Repo;
use crate::soak;

/// The fuzzed programs of `fuzz/src/bin`.
const TARGETS: [&str; 3] = ["recognize", "step", "work"];
/// Compiler flags that count every edge of the code and trace every comparison.
const COVERED: &str = "-Cpasses=sancov-module -Ccodegen-units=1 --cfg=fuzzing \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Cases of each property: a hundred times those of a test run.
const CASES: &str = "25600";

pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let seconds = crash::number(rest, 60)?;
    soak::properties(repo, 1, CASES)?;
    // The target is named so that the flags do not reach build scripts, which could not link with them.
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    for target in TARGETS {
        let corpus = format!("target/fuzz/corpus/{target}");
        std::fs::create_dir_all(repo.path(&corpus)).context("cannot make the folder of the corpus")?;
        output::step(&format!("fuzz {target} for {seconds} seconds"));
        let time = format!("-max_total_time={seconds}");
        let build =
            ["run", "--manifest-path", "fuzz/Cargo.toml", "--release", "--locked", "--target", &triple];
        let run =
            ["--target-dir", "target/fuzz", "--bin", target, "--", "-artifact_prefix=target/fuzz/", &time];
        let status = repo
            .command("cargo", &[&build[..], &run[..]].concat())
            .arg(&corpus)
            .env("RUSTFLAGS", COVERED)
            .status()
            .context("cannot run cargo")?;
        if !status.success() {
            bail!(
                "{target} failed; the input is in target/fuzz, and the same command with its path runs it again"
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}
