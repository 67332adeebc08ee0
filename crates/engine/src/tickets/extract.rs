//! A drafter without a model: sorts a message's own words into the parts of a ticket, adds none and loses none.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::ticket::{ItemType, Part};
use crate::tickets::labels::segments;
use crate::tickets::told;
use crate::tickets::vocabulary::{tells_what_fails, told_kind};
use throughline_language::Words;

/// Reads a ticket from a message. The first line is the title, cut to `title_chars` characters; labels fill their
/// parts, at the beginning of a line or of a clause; the remaining text is the problem, and that of a bug is sorted by what its
/// clauses tell. The item type is `named` if given, else it is guessed from the first line.
///
/// ```
/// use throughline_engine::data::ticket::{ItemType, Part};
/// use throughline_engine::tickets::extract;
/// let text = "login bug\nSteps: open the page\nExpected: a form\nActual: a 500";
/// let (kind, parts) = extract(text, None, 255);
/// assert_eq!(kind, ItemType::Bug);
/// assert_eq!(parts[&Part::Title], "login bug");
/// assert_eq!(parts[&Part::Actual], "a 500");
/// ```
#[must_use]
pub fn extract(
    text: &str,
    named: Option<ItemType>,
    title_chars: usize,
) -> (ItemType, BTreeMap<Part, String>) {
    let (head, body) = text.split_once('\n').unwrap_or((text, ""));
    let mut parts = BTreeMap::new();
    let head = fill(&mut parts, head);
    let kind = named.unwrap_or_else(|| told_kind(&head));
    let title = title_line(&head, title_chars);
    let mut free = fill(&mut parts, body);
    let is_head = !title.is_empty() && !parts.contains_key(&Part::Title);
    if is_head {
        // What does not fit into the title stands in the text.
        let cut = title.chars().count() == title_chars && head.chars().count() > title_chars;
        if cut && !free.contains(head.as_str()) {
            free = joined(&head, &free);
        }
        parts.insert(Part::Title, title);
    } else if !title.is_empty() {
        free = joined(&head, &free);
    }
    match kind {
        ItemType::Bug if !parts.contains_key(&Part::Actual) => tell_fault(&mut parts, free, is_head),
        _ => tell(&mut parts, Part::Problem, &free),
    }
    (kind, parts)
}

/// Sorts the text without a label of a bug into its parts, with the title if that is the message's first line and tells
/// what happens or what should.
fn tell_fault(parts: &mut BTreeMap<Part, String>, mut text: String, is_head: bool) {
    let title = parts.get(&Part::Title).cloned().filter(|_| is_head).unwrap_or_default();
    if !text.contains(&title)
        && (tells_what_fails(&Words::of(&title)) || told::sorted(&title).contains_key(&Part::Expected))
    {
        text = joined(&title, &text);
    }
    if is_head && text.contains(&title) {
        parts.insert(Part::Title, told::without_expected(&title));
    }
    let told = told::sorted(&text);
    if told.keys().any(|part| parts.contains_key(part)) {
        return tell(parts, Part::Actual, &text);
    }
    parts.extend(told);
}

/// Writes text without a label into a part, before what its label filled.
fn tell(parts: &mut BTreeMap<Part, String>, part: Part, free: &str) {
    if free.is_empty() {
        return;
    }
    let labelled = parts.remove(&part).unwrap_or_default();
    parts.insert(part, joined(free, &labelled));
}

fn joined(one: &str, other: &str) -> String {
    let both = [one, other].into_iter().filter(|text| !text.is_empty());
    both.collect::<Vec<_>>().join("\n")
}

/// Writes the labelled texts of `text` into `parts` and returns the rest. An unlabelled line below a labelled one
/// continues that part. A label with no text clears its part.
pub fn fill(parts: &mut BTreeMap<Part, String>, text: &str) -> String {
    let mut current: Option<Part> = None;
    let mut free: Vec<String> = Vec::new();
    let mut found: BTreeMap<Part, Vec<&str>> = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut rest: Vec<&str> = Vec::new();
        for (label, words) in segments(line, !found.is_empty()) {
            match label.or(current) {
                Some(part) => {
                    found.entry(part).or_default().extend((!words.is_empty()).then_some(words));
                    // What follows a value is no part of it.
                    current = Some(part).filter(|part| !part.is_value());
                }
                None if !words.is_empty() => rest.push(words),
                None => {}
            }
        }
        free.extend((!rest.is_empty()).then(|| rest.join(" ")));
    }
    for (part, lines) in found {
        if lines.is_empty() {
            parts.remove(&part);
        } else {
            parts.insert(part, lines.join("\n"));
        }
    }
    free.join("\n")
}

/// Formats a title: trimmed, without leading colons and dashes or a final full stop, at most `chars` characters. Its
/// casing is the writer's.
pub(super) fn title_line(head: &str, chars: usize) -> String {
    let head = head.trim().trim_start_matches([':', '-', '–', '—']).trim();
    head.trim_end_matches(['.', '!', ',', ';']).trim().chars().take(chars).collect::<String>().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_do_what_it_should_is_a_bug() {
        for title in [
            "login bug",
            "Fix the crash in the exporter",
            "The export button on the invoices page does nothing in Firefox",
            "Login fails on Safari",
            "Search doesn't work since Monday",
            "Users cannot upload PDFs",
            "The app freezes after login",
            "Password reset mails are not sent",
            "Saving an invoice returns a 500",
            "Checkout is not working",
            "The page no longer loads",
            "Blank page after sign-in",
            "Add to cart does nothing",
            "Search returns no results for umlauts",
            "Wrong total on the invoice",
            "Der Export geht nicht",
            "Login funktioniert seit gestern nicht mehr",
            "Die Suche hängt",
            "Speichern schlägt fehl",
            "Der Knopf tut nichts",
            "Falsche Summe auf der Rechnung",
        ] {
            assert_eq!(extract(title, None, 255).0, ItemType::Bug, "{title}");
        }
    }

    #[test]
    fn what_is_to_be_made_is_none_though_it_speaks_of_faults() {
        for title in [
            "Export to CSV",
            "Add an error page",
            "Add bug report template",
            "Handle errors of the payment provider",
            "Implement a retry when an upload fails",
            "Notify the team if the build is broken",
            "Update the onboarding guide",
            "Do not load images eagerly",
            "Fehlermeldung beim Upload anzeigen",
            "Fehler des Zahlungsanbieters behandeln",
            "Wiederholung einbauen, wenn der Upload fehlschlägt",
        ] {
            assert_eq!(extract(title, None, 255).0, ItemType::Task, "{title}");
        }
    }

    #[test]
    fn takes_labelled_lines_and_keeps_the_rest() {
        let (kind, parts) = extract(
            "Export to CSV\nAccountants ask for it.\nAcceptance criteria:\n- a button\n- a file",
            None,
            255,
        );
        assert_eq!(kind, ItemType::Task);
        assert_eq!(parts[&Part::Title], "Export to CSV");
        assert_eq!(parts[&Part::Problem], "Accountants ask for it.");
        assert_eq!(parts[&Part::Acceptance], "- a button\n- a file");
    }

    #[test]
    fn labels_stand_anywhere_and_nothing_is_lost() {
        use Part::{Acceptance, Actual, Assignee, Expected, Priority, Problem, Steps, Title};
        for (text, expected) in [
            (
                "login fails\nSteps: open /login. Expected: a form. Actual: blank.",
                &[(Title, "login fails"), (Steps, "open /login."), (Expected, "a form."), (Actual, "blank.")]
                    [..],
            ),
            (
                "login fails\nSteps: open /login. Expected a form. Actual blank page. \"Actual size\" is fine.",
                &[
                    (Title, "login fails"),
                    (Steps, "open /login."),
                    (Expected, "a form."),
                    (Actual, "blank page. \"Actual size\" is fine."),
                ],
            ),
            (
                "login fails\nSchritte: öffnen. Ist die Seite leer, speichern.",
                &[
                    (Title, "login fails"),
                    (Steps, "öffnen. Ist die Seite leer, speichern."),
                    (Actual, "login fails"),
                ],
            ),
            (
                "login fails\nIt opens. Expected a form.",
                &[(Title, "login fails"), (Expected, "Expected a form."), (Actual, "login fails\nIt opens.")],
            ),
            (
                "the export, priority: high\nAcceptance criteria: 5 seconds; Assignee: bob",
                &[(Title, "the export"), (Acceptance, "5 seconds"), (Priority, "high"), (Assignee, "bob")],
            ),
            (
                "login\n**Steps to reproduce**\n1. open\n2. press\n**Expected**: form\n## Actual\nblank",
                &[(Title, "login"), (Steps, "1. open\n2. press"), (Expected, "form"), (Actual, "blank")],
            ),
            (
                "login bug\nIt is slow.\nActual: a 500",
                &[(Title, "login bug"), (Problem, "It is slow."), (Actual, "a 500")],
            ),
            ("the export\nTitle: Export is slow", &[(Title, "Export is slow"), (Problem, "the export")]),
            (
                "the export\nSee `config: steps: 5` and https://x.test/a?b=c: it is \"title: x\"",
                &[
                    (Title, "the export"),
                    (Problem, "See `config: steps: 5` and https://x.test/a?b=c: it is \"title: x\""),
                ],
            ),
            (
                "Export hängt\nPriorität: hoch, zuständig: bob\nErwartet: eine Datei",
                &[
                    (Title, "Export hängt"),
                    (Expected, "eine Datei"),
                    (Actual, "Export hängt"),
                    (Priority, "hoch"),
                    (Assignee, "bob"),
                ],
            ),
        ] {
            let (_, parts) = extract(text, None, 255);
            let read: Vec<(Part, &str)> = parts.iter().map(|(part, text)| (*part, text.as_str())).collect();
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_into_a_title_stays() {
        let (_, parts) = extract("one two three four", None, 7);
        assert_eq!((&*parts[&Part::Title], &*parts[&Part::Problem]), ("one two", "one two three four"));
    }

    #[test]
    fn invents_nothing() {
        let (kind, parts) = extract("login bug", None, 255);
        assert_eq!((kind, parts.len()), (ItemType::Bug, 1));
        assert!(extract("", None, 255).1.is_empty());
    }

    #[test]
    fn an_empty_label_clears_its_part() {
        let mut parts = BTreeMap::from([(Part::Risks, "none".to_string())]);
        assert_eq!(fill(&mut parts, "Risks:"), "");
        assert!(parts.is_empty());
    }
}
