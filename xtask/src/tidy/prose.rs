//! Sentences in code and documents: citations that lead somewhere, and doc comments that state a meaning.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use anyhow::Result;
use regex::Regex;

use super::{Tree, words};
use crate::repo::Finding;

/// A design note named by its path from the root.
static NOTE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"docs/design/(\d{4}[a-z0-9-]*)(\.md)?").expect("a pattern of this file"));

/// Documents that no reader of the repository has.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b[Ss]pec \d{2}\b|\b[Ss]eed \d{3}\b|\bPhase [A-D]\b|`spec \d")
        .expect("a pattern of this file")
});

/// Words that begin a question and not a statement, at the start of a sentence.
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[.!?:] )(?:What|How|Whether|Which|Who|Whose|When|Where|Why|The same)\b")
        .expect("a pattern of this file")
});

/// The counts of such sentences: a ratchet, in which a crate's number may only fall.
const COUNTS: &str = "xtask/question-docs.txt";

/// Every design note that a comment, a test or a page names is there.
pub(super) fn design_notes(tree: &Tree<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in words::everything(tree).filter(|file| !file.path.starts_with("xtask/src/tidy/")) {
        for (n, line) in file.text.lines().enumerate() {
            for note in NOTE.captures_iter(line) {
                let path = format!("docs/design/{}.md", &note[1]);
                if !tree.repo.path(&path).is_file() {
                    found.push(Finding::line(&file.path, n + 1, format!("there is no design note {path}")));
                }
            }
        }
    }
    found
}

/// No sentence leans on a document that is not in the repository.
pub(super) fn citations(tree: &Tree<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in words::everything(tree).filter(|file| !file.path.starts_with("xtask/src/tidy/")) {
        for (n, line) in file.text.lines().enumerate().filter(|(_, line)| ELSEWHERE.is_match(line)) {
            let cited = ELSEWHERE.find(line).map_or("", |cited| cited.as_str());
            let what = format!("`{cited}` is not in the repository: name a design note, or say the reason");
            found.push(Finding::line(&file.path, n + 1, what));
        }
    }
    found
}

/// No crate has more doc sentences that begin as questions than are kept, and a lower number is kept at once.
pub(super) fn questions(tree: &Tree<'_>) -> Vec<Finding> {
    let Some(text) = tree.repo.read(COUNTS) else { return Vec::new() };
    let mut kept: BTreeMap<&str, usize> = text.lines().filter_map(entry).collect();
    let mut found = Vec::new();
    for (name, count) in counted(tree) {
        let most = kept.remove(name.as_str()).unwrap_or(0);
        if count > most {
            let what = format!(
                "{name} has {count} doc sentences that begin with What, How, Whether, Which …, kept are {most}: begin \
                 with a noun or a verb"
            );
            found.push(Finding::file(COUNTS, what));
        } else if count < most {
            let what =
                format!("{name} has {count} such sentences, {most} are kept: `cargo xtask tidy --write`");
            found.push(Finding::file(COUNTS, what));
        }
    }
    for name in kept.keys() {
        found.push(Finding::file(COUNTS, format!("{name} has none: `cargo xtask tidy --write`")));
    }
    found
}

/// Writes the counts anew; none of them rises.
pub(super) fn write_questions(tree: &Tree<'_>) -> Result<()> {
    let Some(text) = tree.repo.read(COUNTS) else { return Ok(()) };
    let kept: BTreeMap<&str, usize> = text.lines().filter_map(entry).collect();
    let mut out = String::new();
    for comment in text.lines().take_while(|line| line.starts_with('#')) {
        let _ = writeln!(out, "{comment}");
    }
    for (name, count) in counted(tree) {
        if let Some(most) = kept.get(name.as_str()) {
            let _ = writeln!(out, "{} {name}", count.min(*most));
        }
    }
    tree.repo.write(COUNTS, &out)
}

fn entry(line: &str) -> Option<(&str, usize)> {
    let (count, name) = line.split_once(' ')?;
    Some((name, count.parse().ok()?))
}

/// The sentences of each crate, without the crates that have none.
fn counted(tree: &Tree<'_>) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for file in &tree.rust {
        let mut parts = file.path.split('/');
        let name = match (parts.next(), parts.next()) {
            (Some("crates"), Some(name)) => format!("crates/{name}"),
            (Some(name), _) => name.to_owned(),
            (None, _) => continue,
        };
        let count =
            doc_comments(&file.text).iter().map(|comment| QUESTION.find_iter(comment).count()).sum::<usize>();
        if count > 0 {
            *all.entry(name).or_default() += count;
        }
    }
    all
}

/// The paragraphs of doc comments, each as one line.
fn doc_comments(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut paragraph = String::new();
    for line in text.lines().chain([""]) {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim);
        match comment.filter(|comment| !comment.is_empty()) {
            Some(comment) => {
                let between = if paragraph.is_empty() { "" } else { " " };
                let _ = write!(paragraph, "{between}{comment}");
            }
            None if !paragraph.is_empty() => all.push(std::mem::take(&mut paragraph)),
            None => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_begin_as_questions_are_counted() {
        let text = "//! A file.\n\n/// Whether it is. What it\n/// holds when it is not.\n///\n/// How: so.\nfn f() {} // What?\n";
        let paragraphs = doc_comments(text);
        assert_eq!(paragraphs, ["A file.", "Whether it is. What it holds when it is not.", "How: so."]);
        let counts: Vec<usize> = paragraphs.iter().map(|text| QUESTION.find_iter(text).count()).collect();
        assert_eq!(counts, [0, 2, 1]);
    }

    #[test]
    fn citations_of_documents_elsewhere_are_known() {
        for cited in ["(`spec 04 §7`)", "of Spec 01", "Seed 001", "(Phase C)"] {
            assert!(ELSEWHERE.is_match(cited), "{cited}");
        }
        for other in ["a spec of 04 lines", "seed 7", "in two phases", "every seed 12"] {
            assert!(!ELSEWHERE.is_match(other), "{other}");
        }
    }
}
