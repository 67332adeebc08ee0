//! Reads the lists in a text: bullets, numbers, user-story sentences, or several things on one line. The text
//! of an entry is kept unchanged.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::ticket::{ItemType, Part};
use crate::tickets::extract::title_line;
use crate::tickets::vocabulary::{heading, joined, labelled, story, without_each, without_for};

/// A text split into its list and the rest.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outline {
    /// Text that belongs to no entry.
    pub(super) head: String,
    /// The entries, in order.
    pub(super) entries: Vec<ListEntry>,
}

/// One entry of a list.
#[derive(Debug, Default, PartialEq)]
pub(super) struct ListEntry {
    /// Nested below another entry.
    pub(super) inner: bool,
    /// Its first line, and the lines below it.
    pub(super) text: String,
}

/// Blanks of further indentation that nest an entry under the one above it.
const INDENT: usize = 2;
/// Bullets that begin an entry; a number does so too.
const MARKS: [&str; 6] = ["- ", "* ", "• ", "– ", "— ", "· "];
/// Splits a text into its list entries and the rest.
pub(super) fn outline(text: &str) -> Outline {
    let mut read = Outline::default();
    let mut base = None;
    // Bullets below a label with no text of its own ("Acceptance criteria:") are the text of that label, not
    // entries.
    let mut labelled_list = false;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let plain = line.trim();
        if plain.is_empty() {
            labelled_list = labelled_list && !read.entries.is_empty();
            continue;
        }
        let (mark, rest) = marked(plain).map_or((false, plain), |rest| (true, rest));
        let inner = mark && base.is_some_and(|base| indent >= base + INDENT);
        let own = labelled(rest).is_none() && (mark || story(rest).is_some());
        let starts = own && !(labelled_list && (read.entries.is_empty() || inner));
        if starts {
            base = base.or_else(|| mark.then_some(indent));
            read.entries.push(ListEntry { inner, text: rest.into() });
            labelled_list = false;
            continue;
        }
        if !mark {
            labelled_list = labelled(plain).is_some_and(|(_, words)| words.is_empty());
        }
        let into = match read.entries.last_mut() {
            Some(entry) => &mut entry.text,
            None if heading(plain) => continue,
            None => &mut read.head,
        };
        if !into.is_empty() {
            into.push('\n');
        }
        into.push_str(plain);
    }
    read
}

/// Returns the line without its bullet or number; `None` if it has neither.
fn marked(line: &str) -> Option<&str> {
    let bullet = MARKS.iter().find_map(|mark| line.strip_prefix(mark));
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered = || {
        let rest = line.get(digits..).filter(|_| (1..=3).contains(&digits))?;
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    };
    bullet.or_else(numbered).map(str::trim).filter(|rest| !rest.is_empty())
}

/// Splits a line that names several things: "log in, log out and reset" gives three.
pub(super) fn pieces(line: &str) -> Vec<String> {
    let line = without_for(line);
    let by = |text: &str, cut: &[char]| -> Vec<String> {
        text.split(cut).map(str::trim).filter(|piece| !piece.is_empty()).map(String::from).collect()
    };
    let parted = by(line, &[';']);
    if parted.len() > 1 {
        return parted;
    }
    let mut parted = by(line, &[',']);
    let last = parted.pop().unwrap_or_default();
    let (one, other) = joined(&last);
    parted.push(one.into());
    parted.extend(other.map(String::from));
    without_each(parted)
}

/// Writes the things a line names as a bulleted list.
pub(super) fn listed(line: &str) -> String {
    pieces(line).iter().map(|piece| alloc::format!("- {piece}")).collect::<Vec<_>>().join("\n")
}

/// Reads an entry into the parts of an item: the first line is the title. The title of a user story is its
/// wish, and its whole sentence is the problem.
pub(super) fn parts(
    entry: &str,
    kind: ItemType,
    title_chars: usize,
) -> alloc::collections::BTreeMap<Part, String> {
    let head = entry.lines().next().unwrap_or_default();
    let (_, mut parts) = crate::tickets::extract(entry, Some(kind), title_chars);
    if let Some(wanted) = story(head) {
        parts.insert(Part::Title, title_line(wanted, title_chars));
        let more = parts.remove(&Part::Problem);
        let problem = more.map_or_else(|| head.to_string(), |more| alloc::format!("{head}\n{more}"));
        parts.insert(Part::Problem, problem);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<(bool, String)> {
        outline(text).entries.into_iter().map(|entry| (entry.inner, entry.text)).collect()
    }

    #[test]
    fn reads_lists_as_they_are_written() {
        let plain =
            |texts: &[&str]| texts.iter().map(|text| (false, (*text).to_string())).collect::<Vec<_>>();
        assert_eq!(entries("- Log in\n- Log out"), plain(&["Log in", "Log out"]));
        assert_eq!(entries("1. Log in\n2) Log out"), plain(&["Log in", "Log out"]));
        assert_eq!(
            entries("Stories:\n* Log in\n  Acceptance: a right password\n* Log out"),
            plain(&["Log in\nAcceptance: a right password", "Log out"])
        );
        assert_eq!(
            entries("As a user I want to log in.\nAs a user I want to log out."),
            plain(&["As a user I want to log in.", "As a user I want to log out."])
        );
        assert_eq!(entries("We met 3. It was fine.\nv1.2 is out"), []);
    }

    #[test]
    fn an_entry_may_stand_under_another() {
        let read = entries("- Auth\n  - Log in\n  - Log out\n- Billing\n  - Pay");
        let inner: Vec<bool> = read.iter().map(|(inner, _)| *inner).collect();
        assert_eq!(inner, [false, true, true, false, true]);
    }

    #[test]
    fn bullets_behind_a_label_are_what_it_says() {
        let read = outline(
            "Problem: nobody gets in\nAcceptance criteria:\n- all are done\n\n- Log in\n  Acceptance:\n  - it opens",
        );
        assert_eq!(read.head, "Problem: nobody gets in\nAcceptance criteria:\n- all are done");
        assert_eq!(read.entries.len(), 1, "{read:?}");
        assert_eq!(read.entries[0].text, "Log in\nAcceptance:\n- it opens");
    }

    #[test]
    fn a_story_says_what_it_wants() {
        for (sentence, wanted) in [
            ("As a user I want to log in so that I see my orders", Some("log in")),
            ("As an admin, I want audit logs.", Some("audit logs")),
            ("Als Nutzer möchte ich mich anmelden, damit ich bestellen kann", Some("mich anmelden")),
            ("As a rule we want to be quick", None),
            ("Log in", None),
        ] {
            assert_eq!(story(sentence), wanted, "{sentence}");
        }
    }

    #[test]
    fn one_line_may_hold_several() {
        assert_eq!(pieces("log in, log out and reset"), ["log in", "log out", "reset"]);
        assert_eq!(pieces("login fails; search, which is slow"), ["login fails", "search, which is slow"]);
        assert_eq!(pieces("auth"), ["auth"]);
        assert_eq!(pieces("for login, invoices and profile"), ["login", "invoices", "profile"]);
        assert_eq!(pieces("one for the login and another one for the search"), ["the login", "the search"]);
        assert_eq!(pieces("eins für den Login und eins für die Suche"), ["den Login", "die Suche"]);
        assert_eq!(pieces("one for the login and the search"), ["one for the login", "the search"]);
        assert_eq!(pieces("a, b, and c"), ["a", "b", "c"]);
    }
}
