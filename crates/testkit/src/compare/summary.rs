//! Compares an expected summary with the lane's.

use super::{Mismatch, Observation};
use crate::model::SummaryExpect;

/// Returns the keys that differ.
pub(super) fn summary(wanted: &SummaryExpect, observation: &Observation<'_>) -> Vec<Mismatch> {
    let head = &observation.after.head;
    let covered = head.covered.as_deref().cloned().unwrap_or_default();
    let mut wrong = Vec::new();
    let mut differs = |key: &str, expected: String, seen: String| {
        wrong.push(Mismatch { key: format!("summary.{key}"), expected, seen });
    };
    if let Some(text) = &wanted.text {
        let same = match (text, &covered.summary) {
            (None, None) => true,
            (Some(text), Some(seen)) => seen.contains(text),
            _ => false,
        };
        if !same {
            let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".into());
            differs("text", shown(text), shown(&covered.summary));
        }
    }
    let numbers = [
        ("version", wanted.version.map(u64::from), u64::from(covered.version)),
        ("cursor", wanted.cursor, covered.cursor),
        ("raw", wanted.raw.map(|raw| raw as u64), head.raw().len() as u64),
    ];
    for (key, expected, seen) in numbers {
        if let Some(expected) = expected.filter(|expected| *expected != seen) {
            differs(key, expected.to_string(), seen.to_string());
        }
    }
    if let Some(lines) = &wanted.tail {
        let fit = lines.len() == covered.tail.len()
            && lines.iter().zip(&covered.tail).all(|(text, line)| line.contains(text));
        if !fit {
            differs("tail", lines.join(" | "), covered.tail.join(" | "));
        }
    }
    if let Some(asked) = wanted.asked.filter(|asked| *asked != covered.asked.is_some()) {
        differs("asked", asked.to_string(), (!asked).to_string());
    }
    wrong
}
