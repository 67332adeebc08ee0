//! Sentences in code and documents: citations that lead somewhere, and doc comments that state a meaning.

use std::sync::LazyLock;

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

/// Words that begin a question and not a statement, at the start of a comment.
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^ (?:What|How|Whether|Which|Who|Whose|When|Where|Why|The same)\b")
        .expect("a pattern of this file")
});

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

/// No doc comment begins as a question: it begins with a noun or a verb, and what follows is free.
pub(super) fn questions(tree: &Tree<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &tree.rust {
        let mut inside = false;
        for (n, line) in file.text.lines().enumerate() {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if let Some(word) = comment.filter(|_| !inside).and_then(|text| QUESTION.find(text)) {
                let what = format!(
                    "a doc comment begins with a noun or a verb, not with {:?}",
                    word.as_str().trim()
                );
                found.push(Finding::line(&file.path, n + 1, what));
            }
            inside = comment.is_some();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_known_by_its_first_word() {
        for (comment, question) in [
            (" Whether it is.", true),
            (" The same as before.", true),
            (" Whichever comes.", false),
            (" A file. What it holds is text.", false),
        ] {
            assert_eq!(QUESTION.is_match(comment), question, "{comment}");
        }
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
