//! Labels of parts within a line: "Steps: open it. Expected: a form", `**Expected**: a form`, `## Actual`.

use alloc::vec::Vec;

use crate::data::ticket::Part;
use crate::tickets::vocabulary;
use throughline_language::Words;
use throughline_language::words::Gap;

/// Signs that Markdown puts around a label.
const SIGNS: [char; 4] = ['*', '_', '#', ' '];

/// A label within a line: its part, where it begins, and where its text does.
struct Label {
    part: Part,
    at: usize,
    from: usize,
}

/// Splits a line at its labels. A segment without one is the text before the first label, or behind a value such as a
/// priority. Quoted words and code are no labels.
pub(super) fn segments(line: &str, is_labelled: bool) -> Vec<(Option<Part>, &str)> {
    if let Some(part) = heading(line) {
        return alloc::vec![(Some(part), "")];
    }
    let words = Words::of(line);
    let labels = labels(line, &words, is_labelled);
    let first = labels.first().map_or(line.len(), |label| label.at);
    let before = if labels.is_empty() { line } else { bare(&line[..first]) };
    let mut read = Vec::new();
    if labels.is_empty() || !before.is_empty() {
        read.push((None, before));
    }
    for (n, label) in labels.iter().enumerate() {
        let last = labels.get(n + 1);
        let end = last.map_or(line.len(), |next| next.at);
        let text = line[label.from..end].trim();
        let text = if last.is_some() { bare(text) } else { text };
        let (value, rest) = if label.part.is_value() { value(text) } else { (text, "") };
        read.push((Some(label.part), value));
        if !rest.is_empty() {
            read.push((None, rest));
        }
    }
    read
}

/// Cuts what joins a segment to the next one.
fn bare(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || ",;*_#".contains(c)).trim()
}

/// Splits a text behind a value: the rest begins with the next clause.
fn value(text: &str) -> (&str, &str) {
    let words = Words::of(text);
    match words.all().iter().find(|word| word.after > Gap::Space) {
        Some(word) => {
            let rest = text[word.end..].trim_start_matches(|c: char| c.is_whitespace() || ".,;!".contains(c));
            (text[..word.end].trim(), rest.trim())
        }
        None => (text.trim(), ""),
    }
}

/// Returns the part of a Markdown line that is nothing but a label: `## Actual`, `**Steps to reproduce**`.
fn heading(line: &str) -> Option<Part> {
    let line = line.trim();
    let signed =
        line.starts_with('#') || line.starts_with("**") && line.ends_with("**") || line.starts_with("__");
    let name = line.trim_matches(SIGNS).trim_end_matches(':').trim_matches(SIGNS);
    vocabulary::label_part(name).filter(|_| signed)
}

/// Finds the labels of a line: words with a colon behind them, and beside one of those a sentence that begins with "Expected"
/// or "Actual": "Steps: press it. Expected a file. Actual nothing."
fn labels(line: &str, words: &Words, is_labelled: bool) -> Vec<Label> {
    let mut found = with_colons(line, words);
    if found.is_empty() && !is_labelled {
        return found;
    }
    let all = words.all();
    let begins = |at: &usize| *at == 0 || all[at - 1].after >= Gap::Hard;
    for at in (0..all.len()).filter(|at| begins(at) && !all[*at].quoted) {
        let Some((part, n)) = vocabulary::label_at(all, at) else { continue };
        let goes_on = all[at + n - 1].after == Gap::Space && all.get(at + n).is_some();
        let begins = all[at].at;
        let known = found.iter().any(|label| label.part == part || (label.at..label.from).contains(&begins));
        if vocabulary::needs_no_colon(all, at) && n == 1 && goes_on && !known {
            found.push(Label { part, at: begins, from: all[at].end });
        }
    }
    found.sort_by_key(|label| label.at);
    found
}

fn with_colons(line: &str, words: &Words) -> Vec<Label> {
    let all = words.all();
    let begins =
        |at: usize| at == 0 || all[at - 1].after > Gap::Space || marked(line, all[at - 1].end, all[at].at);
    let label = |at: usize| {
        let (part, n) = vocabulary::label_at(all, at)?;
        let end = all[at + n - 1].end;
        let behind = line[end..].trim_start_matches(['*', '_']);
        let from = line.len() - behind.strip_prefix(':')?.trim_start_matches(['*', '_']).len();
        // "https://" is no label, and no clock time either.
        let spaced = line[from..].is_empty() || line[from..].starts_with(char::is_whitespace) || at == 0;
        let clean =
            !line[from..].starts_with("//") && spaced && all[at..at + n].iter().all(|word| !word.quoted);
        let at = signs_before(line, all[at].at);
        clean.then_some(Label { part, at, from })
    };
    let mut found: Vec<Label> = Vec::new();
    for at in (0..all.len()).filter(|&at| begins(at)) {
        if let Some(label) = label(at).filter(|label| found.last().is_none_or(|last| last.from <= label.at)) {
            found.push(label);
        }
    }
    found
}

/// True if Markdown's signs stand between two words.
fn marked(line: &str, end: usize, at: usize) -> bool {
    line[end..at].contains("**") || line[end..at].contains("__")
}

/// Returns where the signs in front of a label begin.
fn signs_before(line: &str, at: usize) -> usize {
    line[..at].trim_end_matches(['*', '_', '#']).len()
}
