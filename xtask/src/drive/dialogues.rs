//! Real dialogues, read from the development data: an agent's questions and a person's answers.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The files whose messages belong to dialogues, in their order.
const FILES: [&str; 5] = [
    "pending_sgd.jsonl",
    "pending_star.jsonl",
    "pending_woz2.jsonl",
    "closing_sgd.jsonl",
    "selection_sgd.jsonl",
];

/// One dialogue.
pub(super) struct Dialogue {
    /// Its source and its id there: `sgd:100_00091`.
    pub(super) name: String,
    /// Its turns, in order.
    pub(super) turns: Vec<Turn>,
}

/// One turn.
pub(super) struct Turn {
    /// The agent's message before it, with the type of the expected answer.
    pub(super) asked: Option<(String, Option<&'static str>)>,
    /// The person's message.
    pub(super) said: String,
}

/// Reads at least `least` and at most `most` dialogues, those with the most turns first.
pub(super) fn read(folder: &Path, least: usize, most: usize) -> Result<Vec<Dialogue>> {
    let mut all: BTreeMap<String, BTreeMap<i64, Turn>> = BTreeMap::new();
    for file in FILES {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("cannot read {}: name the folder of the dialogues with --data", path.display())
        })?;
        for (n, line) in text.lines().enumerate() {
            let row: Value = serde_json::from_str(line).with_context(|| format!("{file}:{}", n + 1))?;
            // The others pair a prompt with the message of another dialogue.
            if row["pairing"] != "natural" {
                continue;
            }
            let id = &row["meta"]["dialogue_id"];
            let (Some(source), Some(said), Some(turn)) =
                (row["source"].as_str(), row["user_text"].as_str(), row["meta"]["turn"].as_i64())
            else {
                continue;
            };
            let name = format!("{source}:{}", id.as_str().map_or_else(|| id.to_string(), str::to_owned));
            all.entry(name).or_default().insert(turn, Turn { asked: asked(&row), said: said.to_owned() });
        }
    }
    let mut dialogues: Vec<Dialogue> = all
        .into_iter()
        .map(|(name, turns)| Dialogue { name, turns: turns.into_values().collect() })
        .collect();
    // A stable sort, so that every run takes the same dialogues.
    dialogues.sort_by_key(|dialogue| std::cmp::Reverse(dialogue.turns.len()));
    dialogues.truncate(most);
    if dialogues.len() < least {
        bail!("{} has {} dialogues, {least} are needed", folder.display(), dialogues.len());
    }
    Ok(dialogues)
}

fn asked(row: &Value) -> Option<(String, Option<&'static str>)> {
    let text = row["system_text"].as_str().filter(|text| !text.trim().is_empty())?;
    let expected = match row["pending"]["expected_type"].as_str() {
        Some("boolean") => Some("boolean"),
        Some("number") => Some("number"),
        Some("location") => Some("location"),
        Some("text") => Some("text"),
        _ => None,
    };
    Some((text.to_owned(), expected))
}
