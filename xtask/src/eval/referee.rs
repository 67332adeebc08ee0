//! A second scoring of the predictions by an independent script, which must print the figures of our report.
//!
//! The script belongs to the data, not to this repository. Its lines are made again from the report and compared as text,
//! so that a figure which is counted in another way shows.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value;

use crate::repo::Repo;

/// The script, beside the folder of the cases or of the development data.
const SCRIPT: &str = "score.py";
/// The most differing lines that an error lists.
const LISTED: usize = 8;

/// Returns a sentence on the agreement; an error if the script disagrees.
pub(super) fn agree(repo: &Repo, data: &Path, predictions: &Path, report: &Value) -> Result<String> {
    let folders = [data.to_owned(), super::development(repo)];
    let scripts = folders.iter().filter_map(|folder| Some(folder.parent()?.join(SCRIPT)));
    let script = scripts.into_iter().find(|script| script.is_file());
    let Some(script) = script else {
        return Ok(format!("not scored a second time: there is no {SCRIPT} beside the cases"));
    };
    if !repo.has("python3", &["--version"]) {
        return Ok("not scored a second time: there is no python3".into());
    }
    let paths = [script.as_path(), data, predictions].map(|path| path.to_string_lossy());
    let printed = repo.output("python3", &paths.each_ref().map(AsRef::as_ref))?;
    let theirs: Vec<&str> = printed.lines().filter(|line| !is_heading(line)).collect();
    let ours = lines(report);
    let differ: Vec<String> = (0..ours.len().max(theirs.len()))
        .map(|n| (ours.get(n).map_or("(none)", String::as_str), theirs.get(n).copied().unwrap_or("(none)")))
        .filter(|(ours, theirs)| ours != theirs)
        .map(|(ours, theirs)| format!("ours:   {ours}\ntheirs: {theirs}"))
        .collect();
    if !differ.is_empty() {
        let first: Vec<&str> = differ.iter().take(LISTED).map(String::as_str).collect();
        bail!("{SCRIPT} disagrees in {} of {} lines:\n{}", differ.len(), ours.len(), first.join("\n"));
    }
    Ok(format!("{SCRIPT} agrees in all {} lines", ours.len()))
}

fn is_heading(line: &str) -> bool {
    line.starts_with("source type ") || (line.starts_with("## ") && !line.starts_with("## closing"))
}

/// Makes the script's lines from the report.
fn lines(report: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let others = rows(report, "pending", "others");
    for (row, other) in rows(report, "pending", "answers").iter().zip(&others) {
        let hijacks = [rate(&other["hijack"]), rate(&other["hijack_hard"])];
        // The script prints 0 for the precision where nothing was consumed.
        let precision =
            if other["precision"]["of"] == 0 { "0.000".into() } else { rate(&other["precision"]) };
        out.push(format!(
            "{} {} | {}: {}, {} | {} | {} | {}: {} ({}) | {precision}",
            word(&row["source"]),
            word(&row["type"]),
            row["cases"],
            rate(&row["recall"]),
            rate(&row["fill"]),
            rate(&row["over_informative"]),
            rate(&row["dontcare"]),
            other["cases"],
            hijacks[0],
            hijacks[1],
        ));
    }
    const APPROVED: [&str; 5] = [
        "gold False",
        "gold no answer",
        "gold correction/cancel",
        "gold True (wanted)",
        "applies_plus True (either is fine)",
    ];
    for (name, row) in APPROVED.iter().zip(rows(report, "pending", "approvals")) {
        out.push(format!("approved | {name} {} (n={})", share(&row["rate"], 4), row["cases"]));
    }
    for row in rows(report, "value", "by_source_and_type") {
        out.push(format!(
            "{} {} accepted {} (full n={})  right value {} (n={})  reject accepted {}",
            word(&row["source"]),
            word(&row["type"]),
            rate(&row["accepted"]),
            row["whole_messages"],
            rate(&row["right"]),
            row["values"],
            rate(&row["none_accepted"]),
        ));
    }
    for row in rows(report, "selection", "by_source_and_label") {
        out.push(format!(
            "{} {} | unique {}: right {} wrong {} | none/ambiguous {}: picked {}",
            word(&row["source"]),
            word(&row["label"]),
            row["one_meant"],
            rate(&row["right"]),
            rate(&row["wrong_option"]),
            row["none_or_open"],
            rate(&row["picked"]),
        ));
    }
    if tasks(report).any(|task| task["task"] == "closing") {
        let closed =
            |gold: &str| format!("'{gold}': '{}'", rate(&figure(report, &format!("closing.{gold}"))["seen"]));
        let all = ["complete", "complete_plus_new", "not_complete"].map(closed);
        out.push(format!("## closing {{{}}}", all.join(", ")));
    }
    for row in rows(report, "utterance", "by_class") {
        out.push(format!(
            "{} n={} | {} | {} | {}",
            word(&row["class"]),
            row["cases"],
            rate(&row["verdict_right"]),
            rate(&row["interrupt_right"]),
            rate(&row["wrongly_taken"]),
        ));
    }
    for row in rows(report, "anaphora", "by_source") {
        out.push(format!(
            "{} {{'anaphor': '{}', 'ellipsis': '{}', 'self_contained': '{}'}} antecedent right {} (n={})",
            word(&row["source"]),
            rate(&row["anaphor"]),
            rate(&row["ellipsis"]),
            rate(&row["self_contained"]),
            rate(&row["right"]),
            row["antecedents"],
        ));
    }
    for row in rows(report, "intent", "by_source_and_label") {
        out.push(format!(
            "{} {} n={} accept {} rejected-label {} TICKET misfire {}",
            word(&row["source"]),
            word(&row["label"]),
            row["cases"],
            rate(&row["accepted"]),
            rate(&row["rejected_label"]),
            rate(&row["TICKET_misfire"]),
        ));
    }
    for row in rows(report, "reply_to", "by_channel") {
        for (name, of) in [("linked", "linked_right"), ("new", "new_found")] {
            out.push(format!("{} {name} {} (n={})", word(&row["channel"]), rate(&row[of]), row[name]));
        }
    }
    out
}

fn tasks(report: &Value) -> impl Iterator<Item = &Value> {
    report["tasks"].as_array().into_iter().flatten()
}

fn rows<'r>(report: &'r Value, task: &str, table: &str) -> Vec<&'r Value> {
    let tables = tasks(report).filter(|one| one["task"] == task).filter_map(|one| one["tables"].as_array());
    let named = tables.flatten().filter(|one| one["name"] == table);
    named.filter_map(|one| one["rows"].as_array()).flatten().collect()
}

fn figure<'r>(report: &'r Value, key: &str) -> &'r Value {
    let figures = report["figures"].as_array().into_iter().flatten();
    figures.into_iter().find(|figure| figure["key"] == key).unwrap_or(&Value::Null)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn rate(value: &Value) -> String {
    share(value, 3)
}

/// Formats a share as Python prints it.
fn share(value: &Value, digits: usize) -> String {
    value["rate"].as_f64().map_or_else(|| "nan".into(), |share| format!("{share:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_scripts_lines_are_made_of_the_report() {
        let rate =
            |hits: u32, of: u32| json!({ "hits": hits, "of": of, "rate": f64::from(hits) / f64::from(of) });
        let none = json!({ "hits": 0, "of": 0, "rate": null });
        let report = json!({
            "figures": [{ "key": "closing.complete", "seen": rate(1, 2) }],
            "tasks": [
                { "task": "pending", "tables": [
                    { "name": "answers", "rows": [{ "source": "own", "type": "number", "cases": 3, "recall": rate(2, 3),
                      "fill": rate(1, 3), "over_informative": none, "dontcare": none }] },
                    { "name": "others", "rows": [{ "source": "own", "type": "number", "cases": 2, "hijack": rate(1, 2),
                      "hijack_hard": none, "precision": rate(2, 3) }] },
                    { "name": "approvals", "rows": [{ "cases": 4, "rate": rate(1, 4) }] } ] },
                { "task": "closing", "tables": [] },
            ],
        });
        let expected = [
            "own number | 3: 0.667, 0.333 | nan | nan | 2: 0.500 (nan) | 0.667",
            "approved | gold False 0.2500 (n=4)",
            "## closing {'complete': '0.500', 'complete_plus_new': 'nan', 'not_complete': 'nan'}",
        ];
        assert_eq!(lines(&report), expected);
        assert!(is_heading("## values (full-utterance only for acceptance)") && !is_heading(expected[2]));
    }
}
