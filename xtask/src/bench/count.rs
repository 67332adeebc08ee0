//! Instructions of one step: a measure of speed that other work on the machine does not disturb.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use super::build;
use crate::output;
use crate::repo::Repo;

/// The counts that are kept: a number and a name in each line.
const FILE: &str = "crates/bench/instructions.txt";
const HEAD: &str = "\
# Instructions of one step, counted by `cargo xtask bench count` in the profile ci-release, and renewed with --write.
# More than 2 % above a number here fails; fewer are written down, so that they stay won.
";

/// Instructions that no step may exceed, whatever the message: 20 ms of a processor that does five in a nanosecond.
const MOST: u64 = 100_000_000;

/// Percent that a count may differ, because another processor takes other branches in the C library.
const TOLERANCE: u64 = 2;

/// The function whose instructions count, with everything it calls.
const COUNTED: &str = "--toggle-collect=*counted_steps*";

pub(super) fn run(repo: &Repo, write: bool) -> Result<ExitCode> {
    ensure!(
        repo.has("valgrind", &["--version"]),
        "valgrind is not installed (Debian: `apt-get install valgrind`)"
    );
    let program = build(repo, "ci-release")?;
    let mut counts = Vec::new();
    for line in repo.output(&program, &["count"])?.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(number), Some(steps), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            bail!("`throughline-bench count` printed {line:?}");
        };
        counts.push((name.to_owned(), count(repo, &program, number)? / steps.parse::<u64>()?));
    }
    let known = read(&repo.read(FILE).unwrap_or_default());
    let mut more = 0;
    for (name, now) in &counts {
        let (change_text, worse) = compare(*now, known.get(name).copied());
        output::out(&format!("{now:>9}  {change_text:<28} {name}"));
        more += usize::from(worse);
    }
    let slow: Vec<&str> =
        counts.iter().filter(|(_, now)| *now > MOST).map(|(name, _)| name.as_str()).collect();
    ensure!(slow.is_empty(), "a step may cost {MOST} instructions, and these cost more: {}", slow.join(", "));
    if write {
        let lines = counts.iter().fold(HEAD.to_owned(), |mut out, (name, count)| {
            let _ = writeln!(out, "{count} {name}");
            out
        });
        repo.write(FILE, &lines)?;
        output::note(&format!("written to {FILE}"));
        return Ok(ExitCode::SUCCESS);
    }
    if more > 0 {
        bail!(
            "{more} of {} cost more than {FILE} says: mend it, or say why in the commit that renews it with --write",
            counts.len()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the instructions of one case, numbered as the benchmark's list has it.
fn count(repo: &Repo, program: &str, number: &str) -> Result<u64> {
    let arguments = ["--tool=callgrind", "--callgrind-out-file=/dev/null", COUNTED, program, "count", number];
    let output = repo.command("valgrind", &arguments).output().context("cannot run valgrind")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "valgrind failed: {said}");
    collected(&said).with_context(|| format!("valgrind counted nothing: {said}"))
}

/// Reads `==123== Collected : 456`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok().filter(|count| *count > 0)
}

fn read(text: &str) -> BTreeMap<String, u64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(count, name)| Some((name.into(), count.parse().ok()?)))
        .collect()
}

/// Describes a count beside the kept one. The flag is true if it grew too much or is new.
fn compare(now: u64, before: Option<u64>) -> (String, bool) {
    let Some(before) = before else { return ("is new: --write".into(), true) };
    let worse = now * 100 > before * (100 + TOLERANCE);
    let better = now * 100 < before * (100 - TOLERANCE);
    let change = (now as f64 / before as f64 - 1.0) * 100.0;
    let change_text = match (worse, better) {
        (true, _) => format!("{change:+.1} %: too much"),
        (_, true) => format!("{change:+.1} %: keep it, --write"),
        _ => format!("{change:+.1} %"),
    };
    (change_text, worse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_valgrind_says() {
        let said = "==1== Events    : Ir\n==1== Collected : 123456\n==1== \n==1== I   refs:      123,456\n";
        assert_eq!(collected(said), Some(123_456));
        assert_eq!(collected("==1== Collected : 0\n"), None);
    }

    #[test]
    fn more_than_the_tolerance_is_too_much() {
        let known = read("# head\n1000 a step, with words\n");
        let before = known.get("a step, with words").copied();
        assert_eq!(before, Some(1_000));
        assert!(!compare(1_020, before).1 && compare(1_021, before).1);
        assert_eq!(compare(900, before), ("-10.0 %: keep it, --write".into(), false));
        assert!(compare(1, None).1);
    }
}
