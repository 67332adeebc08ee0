//! The tests of the pure crates, run as WebAssembly: no operating system is behind what they decide.
//!
//! The target is `wasm32-wasip1`, so that the test harness can print and read its fixtures; the runner is Node, which
//! the documentation's steps need anyway, with the script `.ci/wasi.mjs`.

use anyhow::Result;

use super::{cargo_with, skipped, tools};
use crate::repo::Repo;

/// The crates that must run anywhere.
const CRATES: [&str; 2] = ["throughline-language", "throughline-engine"];

const TARGET: &str = "wasm32-wasip1";
const RUNNER: &str = "CARGO_TARGET_WASM32_WASIP1_RUNNER";

/// Node 20 may crash in a call that V8 makes straight into `node:wasi`, so such calls are turned off. It may also compute
/// something else where it replaces a function's first code by optimised code while it runs, so it begins with that.
const NODE: &str = "node --no-warnings --no-turbo-fast-api-calls --no-liftoff";

/// Unoptimised WebAssembly takes minutes for what takes seconds here, and the properties' many cases are tried natively.
const QUICK: [(&str, &str); 2] = [("CARGO_PROFILE_DEV_OPT_LEVEL", "1"), ("PROPTEST_CASES", "16")];

pub(super) fn run(repo: &Repo) -> Result<()> {
    if !repo.has("node", &["--version"]) {
        skipped("WebAssembly", "there is no Node to run it in (Debian: `apt install nodejs`)");
        return Ok(());
    }
    if !tools::target(repo, TARGET)? {
        return Ok(());
    }
    let packages = CRATES.iter().flat_map(|name| ["-p", name]);
    let arguments: Vec<&str> = ["test", "--locked", "--target", TARGET].into_iter().chain(packages).collect();
    let runner = format!("{NODE} {}", repo.path(".ci/wasi.mjs").display());
    cargo_with(repo, &arguments, &[&[(RUNNER, runner.as_str())], &QUICK[..]].concat())
}
