//! The build behind a fresh clone's first command: its crates, counted in every run, and its time, measured in a job
//! of its own.
//!
//! The count is exact, so it fails when it grows. The time is not: it is printed beside the limit as a ratio, for two
//! cores and from the processor's time, which other work on the machine changes little.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::cargo;
use crate::repo::{Finding, Repo};
use crate::{output, provenance};

/// The build of the README's first command.
const BUILD: [&str; 3] = ["build", "--locked", "--package=throughline-cli"];
/// The most that may take on two cores.
const LIMIT: Duration = Duration::from_secs(240);
const CORES: f64 = 2.0;

/// The most crates it may compile, in its first line that is no comment.
const FILE: &str = "xtask/first-build.txt";
/// The page that `--write` renews.
const PAGE: &str = "docs/measurements/first-build.md";

/// A finding if the first command compiles more crates than are kept in [`FILE`].
pub(super) fn crates(repo: &Repo) -> Result<Vec<Finding>> {
    let kept = repo.read(FILE).with_context(|| format!("cannot read {FILE}"))?;
    let most = kept
        .lines()
        .find_map(|line| line.trim().parse().ok())
        .with_context(|| format!("{FILE} has no number"))?;
    Ok(compare(count(repo)?, most))
}

fn compare(count: usize, most: usize) -> Vec<Finding> {
    if count == most {
        return Vec::new();
    }
    let what = if count > most {
        format!(
            "the first command compiles {count} crates, kept are {most}: do without, or keep {count} with a reason in the commit"
        )
    } else {
        format!(
            "the first command compiles {count} crates: keep {count} in place of {most}, so that it stays won"
        )
    };
    vec![Finding::file(FILE, what)]
}

/// The crates that are compiled for the program, build scripts and macros included.
fn count(repo: &Repo) -> Result<usize> {
    let tree = repo.output(
        "cargo",
        &[
            "tree",
            "--package=throughline-cli",
            "--edges=normal,build",
            "--prefix=none",
            "--format={p}",
            "--locked",
        ],
    )?;
    let crates: BTreeSet<String> =
        tree.lines().map(|line| line.split(" (").next().unwrap_or(line).to_owned()).collect();
    Ok(crates.len())
}

/// Builds into an empty folder and prints the time; the folder is removed.
pub(super) fn run(repo: &Repo) -> Result<()> {
    measure(repo, false)
}

/// `cargo xtask first-build [--write]`.
pub(crate) fn measure(repo: &Repo, write: bool) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let target = format!("--target-dir={}", folder.path().display());
    cargo(repo, &["fetch", "--locked"])?;
    let (before, started) = (processor_time()?, Instant::now());
    cargo(repo, &[&BUILD[..], &[&target]].concat())?;
    let took = Took { wall: started.elapsed(), processor: processor_time()? - before };
    output::out(&took.line());
    if write {
        let text = format!(
            "# The first build\n\n`cargo xtask first-build --write`, {} · {} · commit {}\n\n{}\n",
            provenance::today(repo),
            provenance::machine(),
            provenance::commit(repo),
            took.line()
        );
        repo.write(PAGE, &text)?;
        output::note(&format!("written to {PAGE}"));
    }
    Ok(())
}

struct Took {
    wall: Duration,
    processor: Duration,
}

impl Took {
    fn line(&self) -> String {
        let on_two = self.processor.as_secs_f64() / CORES;
        format!(
            "cargo {}: {:.0} s of the processor, at least {on_two:.0} s on two cores, {:.2} of the limit of {} s; \
             {:.0} s on this machine.",
            BUILD.join(" "),
            self.processor.as_secs_f64(),
            on_two / LIMIT.as_secs_f64(),
            LIMIT.as_secs(),
            self.wall.as_secs_f64(),
        )
    }
}

/// The processor's time of all programs this one has started and waited for.
fn processor_time() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").context("the time is read from /proc, on Linux")?;
    children_ticks(&stat)
        .map(|ticks| Duration::from_millis(ticks * 10))
        .context("/proc/self/stat has another form")
}

/// `cutime` and `cstime`, the 16th and 17th field, in hundredths of a second. The second field may contain blanks.
fn children_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split_whitespace().skip(13);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_read() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 200 50 20 0 1 0 99";
        assert_eq!(children_ticks(stat), Some(250));
        assert_eq!(children_ticks("7"), None);
    }

    #[test]
    fn a_count_is_kept() {
        assert!(compare(10, 10).is_empty());
        assert!(compare(11, 10)[0].to_string().contains("do without"));
        assert!(compare(9, 10)[0].to_string().contains("keep 9"));
    }

    #[test]
    fn the_time_stands_beside_its_limit() {
        let took = Took { wall: Duration::from_secs(500), processor: Duration::from_secs(240) };
        let line = took.line();
        assert!(line.contains("at least 120 s on two cores, 0.50 of the limit of 240 s; 500 s on"), "{line}");
    }
}
