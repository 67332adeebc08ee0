//! Checks that every code a person can meet is explained and covered: reasons of decisions, codes of errors.

use std::collections::BTreeSet;

use super::Tree;
use crate::repo::Finding;

const REASONS: &str = "crates/engine/src/data/decision.rs";
const TABLE: &str = "crates/server/src/codes/table.rs";
const PAGE: &str = "docs/errors.md";
/// Reports a defect of the program, so no test can cause it.
const DEFECT: &str = "TL-2008";

/// A finding for each reason code that no scenario and no test has.
pub(super) fn reasons(tree: &Tree<'_>) -> Vec<Finding> {
    let Some(decision) = tree.rust.iter().find(|file| file.path == REASONS) else {
        return vec![Finding::file(REASONS, "is gone: xtask/src/tidy/codes.rs reads the reason codes there")];
    };
    let reasons: Vec<Reason<'_>> =
        decision.text.lines().enumerate().filter_map(|(n, line)| reason(n + 1, line)).collect();
    if reasons.len() < 10 {
        return vec![Finding::file(
            REASONS,
            "no reason codes found: its form changed, and this check with it",
        )];
    }
    let uncovered = reasons.iter().filter(|reason| !covered(tree, reason));
    let what = |reason: &Reason<'_>| format!("no scenario and no test has {} ({})", reason.code, reason.name);
    uncovered.map(|reason| Finding::line(REASONS, reason.line, what(reason))).collect()
}

/// One line of the `reasons!` table.
struct Reason<'t> {
    line: usize,
    name: &'t str,
    code: &'t str,
}

fn reason(line: usize, text: &str) -> Option<Reason<'_>> {
    let (name, rest) = text.trim().split_once(" = \"")?;
    let (code, says) = rest.split_once('"')?;
    let fits =
        says.starts_with(", say::reason_") && says.ends_with(';') && name.chars().all(char::is_alphanumeric);
    fits.then_some(Reason { line, name, code })
}

fn covered(tree: &Tree<'_>, reason: &Reason<'_>) -> bool {
    let in_scenario = tree.scenarios.iter().any(|file| has_word(&file.text, reason.code));
    let named = format!("Reason::{}", reason.name);
    let quoted = format!("\"{}\"", reason.code);
    in_scenario || tree.tests().any(|text| has_word(text, &named) || text.contains(&quoted))
}

/// True if `word` occurs as a whole: `press.applied` does not occur in `press.applied_twice`.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + word.len()..].chars();
        let full_stop = |mut rest: std::str::Chars<'_>| !rest.next().is_some_and(char::is_alphanumeric);
        let ends = match after.next() {
            Some('.') => full_stop(after),
            Some(c) => !part(c),
            None => true,
        };
        !before.is_some_and(part) && ends
    })
}

/// A finding for each error code without a section on the page of errors, or without a scenario or test.
pub(super) fn errors(tree: &Tree<'_>) -> Vec<Finding> {
    let page = tree.repo.read(PAGE).unwrap_or_default();
    let explained: BTreeSet<&str> =
        page.lines().filter(|line| line.starts_with('#')).flat_map(codes).collect();
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for file in tree.rust.iter().filter(|file| file.path.starts_with("crates/")) {
        for (n, line) in file.text.lines().enumerate() {
            for code in codes(line) {
                if !explained.contains(code) && seen.insert(code) && !invented(code) {
                    found.push(Finding::line(&file.path, n + 1, format!("{code} has no section in {PAGE}")));
                }
            }
        }
    }
    let table = tree.rust.iter().find(|file| file.path == TABLE);
    for error in
        table.iter().flat_map(|file| file.text.lines().enumerate()).filter_map(|(n, line)| error(n + 1, line))
    {
        if !explained.contains(error.code.as_str()) {
            found.push(Finding::line(TABLE, error.line, format!("{} has no section in {PAGE}", error.code)));
        }
        if !met(tree, &error) && error.code != DEFECT {
            found.push(Finding::line(
                TABLE,
                error.line,
                format!("no test meets {} ({})", error.code, error.name),
            ));
        }
    }
    found
}

/// One line of the table of error codes: `KEY_REUSED = 2203, "idempotency.key_reused", …`.
struct ErrorCode<'t> {
    line: usize,
    constant: &'t str,
    code: String,
    name: &'t str,
}

fn error(line: usize, text: &str) -> Option<ErrorCode<'_>> {
    let (constant, rest) = text.trim().split_once(" = ")?;
    let (number, rest) = rest.split_once(", \"")?;
    let (name, _) = rest.split_once('"')?;
    let number: u16 = number.parse().ok()?;
    let shouted = |c: char| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit();
    constant.chars().all(shouted).then(|| ErrorCode { line, constant, code: format!("TL-{number:04}"), name })
}

/// True if a test names the code, its constant or its name. A scenario's reason is the name of the code of its answer.
fn met(tree: &Tree<'_>, error: &ErrorCode<'_>) -> bool {
    let constant = format!("codes::{}", error.constant);
    let number = error.code.trim_start_matches("TL-");
    let status = format!("{number})");
    tree.scenarios.iter().any(|file| has_word(&file.text, error.name))
        || tree.tests().any(|text| {
            has_word(text, &error.code)
                || has_word(text, &constant)
                || text.contains(&format!("\"{}\"", error.name))
                || text.contains(&status)
        })
}

/// True for codes that tests invent.
fn invented(code: &str) -> bool {
    code == "TL-9999" || code == "TL-0000"
}

/// Returns each `TL-NNNN` in a line.
fn codes(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("TL-").filter_map(|(at, _)| {
        let code = line.get(at..at + "TL-0000".len())?;
        let digits = code.bytes().skip(3).all(|b| b.is_ascii_digit());
        let longer = line[at + code.len()..].starts_with(|c: char| c.is_ascii_digit());
        (digits && !longer).then_some(code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_found_as_a_whole_word_only() {
        assert!(has_word("reason: press.applied", "press.applied"));
        assert!(has_word("it was press.applied.", "press.applied"));
        assert!(!has_word("reason: press.applied_twice", "press.applied"));
        assert!(!has_word("reason: press.applied.again", "press.applied"));
        assert!(!has_word("reason: xpress.applied", "press.applied"));
    }

    #[test]
    fn error_codes_have_four_digits() {
        let line = "TL-2201, TL-22011, TL-22, TL-NNNN, (`TL-6102`)";
        assert_eq!(codes(line).collect::<Vec<_>>(), ["TL-2201", "TL-6102"]);
    }

    #[test]
    fn an_error_code_is_read_from_its_line() {
        let read = error(3, r#"    KEY_REUSED = 2203, "idempotency.key_reused", Some(422), "It was used","#)
            .unwrap();
        assert_eq!(
            (read.constant, read.code.as_str(), read.name),
            ("KEY_REUSED", "TL-2203", "idempotency.key_reused")
        );
        assert!(error(1, "        let x = 5, \"y\"").is_none());
    }

    #[test]
    fn a_reason_is_read_from_its_line() {
        let read = reason(7, r#"    PressApplied = "press.applied", say::reason_press_applied;"#).unwrap();
        assert_eq!((read.line, read.name, read.code), (7, "PressApplied", "press.applied"));
        assert!(reason(1, "            $(Self::$name => $code,)*").is_none());
    }
}
