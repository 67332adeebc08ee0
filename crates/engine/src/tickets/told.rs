//! The words of a fault as its parts: how one gets there, what should happen, and what happens.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::data::ticket::Part;
use crate::tickets::subject::ends_sentence;
use crate::tickets::vocabulary::{self, Clause};
use throughline_language::Words;
use throughline_language::words::Gap;

/// Sorts the clauses of a text into steps, expected and actual behaviour: "When I press it, nothing happens, it should save".
/// The words stay the writer's; what joins two clauses is left out.
pub(super) fn sorted(text: &str) -> BTreeMap<Part, String> {
    let words = Words::of(text);
    let clauses = clauses(&words);
    let mut runs: Vec<(Part, Range<usize>)> = Vec::new();
    for (part, at) in parts_of(&words, &clauses).into_iter().zip(&clauses) {
        match runs.last_mut() {
            Some((last, run)) if *last == part => run.end = at.end,
            _ => runs.push((part, at.clone())),
        }
    }
    let mut sorted: BTreeMap<Part, String> = BTreeMap::new();
    for (part, run) in runs {
        let of_part = sorted.entry(part).or_default();
        of_part.push_str(if of_part.is_empty() { "" } else { "\n" });
        of_part.push_str(written(&words, run));
    }
    sorted
}

/// Returns a title without the clauses at its end that say what should happen.
pub(super) fn without_expected(title: &str) -> String {
    let words = Words::of(title);
    let clauses = clauses(&words);
    let parts = parts_of(&words, &clauses);
    let kept = parts.iter().rposition(|part| *part != Part::Expected).map_or(parts.len(), |last| last + 1);
    clauses.get(..kept).and_then(<[_]>::last).map_or(title, |last| written(&words, 0..last.end)).into()
}

/// Cuts a text into clauses, by their words: at the signs between them, and before "but" and "although".
fn clauses(words: &Words) -> Vec<Range<usize>> {
    let all = words.all();
    let within_quotes = |at: usize| all[at - 1].quoted && all[at].quoted;
    let begins = |at: &usize| {
        !within_quotes(*at)
            && (all[*at - 1].after == Gap::Soft
                || ends_sentence(words, *at - 1)
                || Clause::Joint.at(all, *at) > 0 && Clause::Also.at(all, *at) == 0
                || tells_of_nothing(words, *at))
    };
    let mut ends: Vec<usize> = (1..all.len()).filter(begins).collect();
    ends.extend((!all.is_empty()).then_some(all.len()));
    let mut from = 0;
    ends.into_iter().map(|end| core::mem::replace(&mut from, end)..end).collect()
}

/// True if a clause "nothing happens" or "it crashes" may begin here, without a comma before it.
fn tells_of_nothing(words: &Words, at: usize) -> bool {
    let all = words.all();
    Clause::Subject.at(all, at) > 0
        && (vocabulary::fails_at(all, at) || all.get(at + 1).is_some() && vocabulary::fails_at(all, at + 1))
}

fn parts_of(words: &Words, clauses: &[Range<usize>]) -> Vec<Part> {
    let all = words.all();
    let mut parts: Vec<Part> = Vec::with_capacity(clauses.len());
    for (n, clause) in clauses.iter().enumerate() {
        let before = parts.last().copied().filter(|_| all[clause.start.max(1) - 1].after < Gap::Hard);
        let said = &all[..clause.end];
        let from = clause.start + Clause::Joint.at(said, clause.start);
        let within = |test: &dyn Fn(usize) -> bool| (from..clause.end).any(|at| !all[at].quoted && test(at));
        let fails = within(&|at| vocabulary::fails_at(said, at));
        // "We should fix it" speaks of those who read it: who they are may stand before the verb.
        let to_do = |at: usize| (at.saturating_sub(1)..=at).any(|at| Clause::ToDo.at(said, at) > 0);
        let should = within(&|at| Clause::Should.at(said, at) > 0 && !to_do(at));
        let goes_on = all[clause.end - 1].after < Gap::Hard && n + 1 < clauses.len();
        let turns = from > clause.start && Clause::Also.at(said, clause.start) == 0
            || Clause::Instead.at(said, from) > 0;
        parts.push(match before {
            _ if should => Part::Expected,
            _ if fails => Part::Actual,
            _ if goes_on && Clause::Case.at(said, from) > 0 => Part::Steps,
            Some(Part::Steps) if goes_on => Part::Steps,
            Some(Part::Expected) if !turns => Part::Expected,
            _ => Part::Actual,
        });
    }
    parts
}

/// Returns the words of a run of clauses as they are written, without what joins it to the one before and the one behind.
fn written(words: &Words, run: Range<usize>) -> &str {
    let (all, text) = (words.all(), words.text());
    let joint = Clause::Joint.at(&all[..run.end], run.start);
    let first = (run.start + joint).min(run.end - 1);
    // Signs before the first word, such as a bullet or a quotation mark, belong to it.
    let begin = match first {
        0 => 0,
        first => all[first - 1].end + closing(&text[all[first - 1].end..all[first].at]),
    };
    let end = all
        .get(run.end)
        .map_or(text.len(), |next| all[run.end - 1].end + closing(&text[all[run.end - 1].end..next.at]));
    text[begin..end].trim().trim_end_matches([',', ';', ':']).trim_end()
}

/// Returns how many bytes of what stands between two words close the first one.
fn closing(between: &str) -> usize {
    let closes = |c: char| !c.is_whitespace() && !"-*•–#>\"“„`(".contains(c);
    between.len() - between.trim_start_matches(closes).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Part::{Actual, Expected, Steps};

    fn read(text: &str) -> Vec<(Part, String)> {
        sorted(text).into_iter().collect()
    }

    #[test]
    fn clauses_tell_what_to_do_what_happens_and_what_should() {
        for (text, expected) in [
            (
                "When I press export, nothing happens, it should download a file.",
                &[
                    (Steps, "When I press export"),
                    (Expected, "it should download a file."),
                    (Actual, "nothing happens"),
                ][..],
            ),
            (
                "when I press export on the settings page nothing happens",
                &[(Steps, "when I press export on the settings page"), (Actual, "nothing happens")],
            ),
            (
                "The export does nothing. It should download a file.",
                &[(Expected, "It should download a file."), (Actual, "The export does nothing.")],
            ),
            (
                "The list is empty although it should show my orders, invoices and drafts",
                &[(Expected, "it should show my orders, invoices and drafts"), (Actual, "The list is empty")],
            ),
            (
                "The list should show my orders, but it stays empty. Only in Firefox.",
                &[(Expected, "The list should show my orders"), (Actual, "it stays empty. Only in Firefox.")],
            ),
            (
                "I expected a file, instead I get a 500",
                &[(Expected, "I expected a file"), (Actual, "instead I get a 500")],
            ),
            (
                "After I log in, open the list and wait, the page crashes",
                &[(Steps, "After I log in, open the list and wait"), (Actual, "the page crashes")],
            ),
            (
                "Login fails on Safari, we should fix this",
                &[(Actual, "Login fails on Safari, we should fix this")],
            ),
            (
                "Login fails. I should add that it is new.",
                &[(Actual, "Login fails. I should add that it is new.")],
            ),
            ("The button should say Save", &[(Expected, "The button should say Save")]),
            ("The list should have a header", &[(Expected, "The list should have a header")]),
            ("It hangs, this should be fixed", &[(Actual, "It hangs, this should be fixed")]),
            ("It says \"you should log in\", twice", &[(Actual, "It says \"you should log in\", twice")]),
            (
                "Wenn ich auf Export drücke, passiert nichts. Es sollte eine Datei kommen.",
                &[
                    (Steps, "Wenn ich auf Export drücke"),
                    (Expected, "Es sollte eine Datei kommen."),
                    (Actual, "passiert nichts."),
                ],
            ),
            (
                "Die Liste ist leer, obwohl drei Einträge da sein müssten",
                &[(Expected, "drei Einträge da sein müssten"), (Actual, "Die Liste ist leer")],
            ),
            ("- it is slow\n- it hangs", &[(Actual, "- it is slow\n- it hangs")]),
            ("", &[]),
        ] {
            let read: Vec<(Part, String)> = read(text);
            let read: Vec<(Part, &str)> = read.iter().map(|(part, text)| (*part, text.as_str())).collect();
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn a_title_says_what_is_wrong() {
        for (text, expected) in [
            ("Export does nothing, it should download a file", "Export does nothing"),
            ("Export does nothing but should download a file", "Export does nothing"),
            ("The button should be blue", "The button should be blue"),
            ("Login fails", "Login fails"),
            ("", ""),
        ] {
            assert_eq!(without_expected(text), expected, "{text}");
        }
    }
}
