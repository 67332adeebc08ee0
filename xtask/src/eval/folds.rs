//! The gap between two folds of the data: a figure that only the first reaches was fitted to it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::output;
use crate::repo::Repo;

/// The gaps of the last run that was kept, in ten-thousandths.
const RECORD: &str = "docs/measurements/folds.json";
/// The folds, beside the folder of the development data.
const FOLDS: [&str; 2] = ["dev2/A", "dev2/B"];
/// The gap that every figure may have, in ten-thousandths: 3 points.
const ALLOWED: i64 = 300;

/// The folds of the data, if both are there.
pub(super) fn beside(data: &Path) -> Option<[PathBuf; 2]> {
    let folds = FOLDS.map(|fold| data.parent().unwrap_or(data).join(fold));
    folds.iter().all(|fold| fold.is_dir()).then_some(folds)
}

/// Compares the gaps of a report of two folds with those recorded, and records them. An error names the figures whose gap
/// grew beyond what is allowed.
pub(super) fn hold(repo: &Repo, report: &Value, write: bool) -> Result<()> {
    let gaps = gaps(report);
    let recorded = match std::fs::read_to_string(repo.path(RECORD)) {
        Ok(text) => serde_json::from_str(&text).with_context(|| format!("{RECORD} is no record of gaps"))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            output::note("no gaps are recorded yet, so these are the ones to hold");
            gaps.clone()
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read {RECORD}")),
    };
    let grown = grown(&gaps, &recorded);
    if !grown.is_empty() {
        bail!("the gap between the folds grew beyond 3 points:\n{}", grown.join("\n"));
    }
    if write {
        repo.write(RECORD, &format!("{}\n", serde_json::to_string_pretty(&gaps)?))?;
    }
    output::note(&format!(
        "the gaps of {} figures between the folds are within what is recorded",
        gaps.len()
    ));
    Ok(())
}

/// The figures of both folds as Markdown, that of the second first: it is what others may expect.
pub(super) fn table(report: &Value) -> String {
    let mut out = String::from(
        "| kind | figure | fold B | of | fold A | gap | left open | goal | verdict |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let figures = report["second"]["figures"].as_array().into_iter().flatten();
    let gaps = report["gaps"].as_array().map(Vec::as_slice).unwrap_or_default();
    for figure in figures {
        let Some(gap) = gaps.iter().find(|gap| gap["key"] == figure["key"]) else { continue };
        let _ = writeln!(out, "| {} |", row(figure, gap).join(" | "));
    }
    out
}

fn row(figure: &Value, gap: &Value) -> [String; 9] {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let share = |rate: &Value| rate["rate"].as_f64().map_or_else(String::new, |share| format!("{share:.4}"));
    let points = |worse: f64| format!("{:+.1}", worse * 100.0);
    let verdict = match figure["met"].as_bool() {
        Some(true) => "met",
        Some(false) => "not met",
        None => "",
    };
    [
        text(&figure["kind"]),
        text(&figure["figure"]),
        share(&gap["second"]),
        gap["second"]["of"].to_string(),
        share(&gap["first"]),
        gap["worse"].as_f64().map_or_else(|| "too few".into(), points),
        share(&figure["rest"]),
        text(&figure["goal"]),
        verdict.into(),
    ]
}

/// The gap of each figure with enough cases.
fn gaps(report: &Value) -> BTreeMap<String, i64> {
    let all = report["gaps"].as_array().into_iter().flatten();
    let gap = |gap: &Value| {
        let worse = gap["worse"].as_f64()?;
        Some((gap["key"].as_str()?.to_owned(), (worse * 10_000.0).round() as i64))
    };
    all.filter_map(gap).collect()
}

/// A line for each figure whose gap is above 3 points and above the recorded one.
fn grown(gaps: &BTreeMap<String, i64>, recorded: &BTreeMap<String, i64>) -> Vec<String> {
    let allowed = |key: &String| recorded.get(key).copied().unwrap_or(0).max(ALLOWED);
    let grown = gaps.iter().filter(|(key, gap)| **gap > allowed(key));
    let points = |gap: i64| gap as f64 / 100.0;
    grown
        .map(|(key, gap)| format!("{key}: {:.1} points, {:.1} allowed", points(*gap), points(allowed(key))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_second_fold_leads() {
        let rate = |share: f64| json!({ "of": 1000, "rate": share });
        let figure = json!({ "key": "k", "kind": "time", "figure": "recall", "goal": "≥ 0.97", "met": false, "rest": rate(0.1) });
        let gap = json!({ "key": "k", "first": rate(0.98), "second": rate(0.95), "worse": 0.03 });
        let table = table(&json!({ "second": { "figures": [figure] }, "gaps": [gap] }));
        let row = "| time | recall | 0.9500 | 1000 | 0.9800 | +3.0 | 0.1000 | ≥ 0.97 | not met |\n";
        assert!(table.ends_with(row), "{table}");
    }

    #[test]
    fn a_gap_may_not_grow_beyond_three_points() {
        let of = |worse: f64| {
            gaps(&json!({ "gaps": [{ "key": "k", "worse": worse }, { "key": "few", "worse": null }] }))
        };
        for (now, before, fails) in [
            (0.03, 0.0, false),
            (0.031, 0.0, true),
            (0.05, 0.05, false),
            (0.051, 0.05, true),
            (-0.2, 0.0, false),
        ] {
            assert_eq!(grown(&of(now), &of(before)).len(), usize::from(fails), "{now} after {before}");
        }
        assert_eq!(grown(&of(0.04), &BTreeMap::new()), ["k: 4.0 points, 3.0 allowed"]);
    }
}
