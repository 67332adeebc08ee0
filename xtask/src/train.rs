//! Trains the learned judge of the language crate from labelled messages, or checks that its weights are what training makes.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::ci::cargo;
use crate::repo::Repo;

/// The folder of the data if none is named: its `dev` and `dev2/A` are read.
const DATA: &str = "../shared/data";
const FLAGS: [&str; 2] = ["--write", "--no-figures"];

/// `cargo xtask train [DIR] [--write] [--no-figures]`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let (flags, named): (Vec<&String>, Vec<&String>) =
        rest.iter().partition(|argument| FLAGS.contains(&argument.as_str()));
    let data = match named.as_slice() {
        [] => repo.path(DATA),
        [one] => PathBuf::from(one),
        other => bail!("unexpected arguments {other:?}: see `cargo xtask help`"),
    };
    let data = data.canonicalize().with_context(|| {
        format!("there is no data at {}: name it, `cargo xtask train DIR`", data.display())
    })?;
    let data = data.to_string_lossy();
    let mut arguments =
        vec!["run", "--quiet", "--profile", "ci-release", "--locked", "-p", "throughline-eval"];
    arguments.extend(["--example", "train_judge", "--", &data]);
    arguments.extend(flags.into_iter().map(String::as_str));
    cargo(repo, &arguments)?;
    Ok(ExitCode::SUCCESS)
}
