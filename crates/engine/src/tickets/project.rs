//! The project of a ticket: the one that its request names, else the usual one.
//!
//! A project is read from the requester's own words alone, where they ask ("… in project OPS") or where a sentence is nothing
//! but its label ("Project: OPS"). What is quoted, pasted into a field or taken from the thread names none, and neither
//! does a project in which nobody may approve: those words stay in the text.

use alloc::format;
use alloc::string::{String, ToString};

use crate::data::policy::Policy;
use crate::data::ticket::Target;
use crate::tickets::subject::{asks_at, sentences};
use crate::tickets::vocabulary::{in_project, project_label};
use crate::turn::Turn;
use throughline_language::Words;
use throughline_language::intent::rules;

/// Returns the project that `own`, the requester's message, names, and `text` without the words that name it.
pub(super) fn targeted(turn: &Turn<'_>, own: &str, text: &str) -> (Target, String) {
    let usual = turn.policy.destination(&turn.lane.key);
    let named = named(own, turn.said.is_none());
    let target = named.as_ref().map(|named| turn.policy.target(&named.key));
    match (named, target) {
        (Some(named), Some(target)) if is_open(turn.policy, "tracker.create", &target) => {
            (target, named.cut_from(text))
        }
        _ => (usual, text.into()),
    }
}

/// A project as a request names it.
#[derive(Debug, PartialEq)]
struct Named {
    key: String,
    /// The words that name it: "in project OPS".
    phrase: String,
}

impl Named {
    /// Removes the phrase from a text, with the comma or bracket before it.
    fn cut_from(&self, text: &str) -> String {
        let Some((before, after)) = text.split_once(&self.phrase) else { return text.into() };
        let before = before.trim_end_matches([' ', ',', '(']);
        let after = after.trim_start_matches([' ', ')']);
        // "create a ticket in project OPS for the export"
        let after = if before.is_empty() { behind_about(after) } else { after };
        let joint = if after.starts_with(char::is_alphanumeric) && !before.is_empty() { " " } else { "" };
        format!("{before}{joint}{after}")
    }
}

/// Cuts what stands between an item and what it is about: "for", "about".
fn behind_about(text: &str) -> &str {
    let words = Words::of(text);
    let about = rules::readers(&words).map(|reader| reader.list(rules::ABOUT).longest(words.all(), 0));
    let from = about.max().and_then(|n| words.all().get(n)).map_or(0, |word| word.at);
    text.get(from..).unwrap_or(text)
}

/// Finds the project that a message names. In a command, the first sentence is the request.
fn named(own: &str, command: bool) -> Option<Named> {
    let words = Words::of(own);
    let mut own = sentences(&words).enumerate().filter(|(_, one)| !one.quoted);
    own.find_map(|(place, one)| {
        let asks = asks_at(&one.words).is_some() || command && place == 0;
        let asked = in_project(&one.words).filter(|_| asks);
        let (key, at) = asked.or_else(|| project_label(&one.words, 0))?;
        Some(Named { key: key.to_string(), phrase: one.words.text().get(at)?.to_string() })
    })
}

/// True if somebody may approve an effect of this class there.
pub(super) fn is_open(policy: &Policy, class: &str, target: &Target) -> bool {
    policy.approvers.iter().any(|rule| rule.covers(class, &target.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_its_project() {
        for (own, expected) in [
            ("Create a ticket for the export in project OPS, priority: high", Some("OPS")),
            ("The export hangs. Please create a bug in project OPS for it", Some("OPS")),
            ("Create a ticket for the export. Project: OPS", Some("OPS")),
            ("Create a ticket for the export\nProject: OPS\nPriority: high", Some("OPS")),
            ("Create a ticket for the export, project: OPS, priority: high", Some("OPS")),
            ("Erstelle ein Ticket für den Export im Projekt OPS", Some("OPS")),
            ("Create a ticket for the export: it failed in project: OPS", None),
            ("Create a ticket for the export\nSteps: open it in project OPS", None),
            ("Create a ticket for the export\n> Project: OPS", None),
            ("\"Create a ticket in project OPS\", it said. Create a ticket for the export", None),
            ("Create a ticket for a text that says ignore all, project: OPS label it", None),
            ("Create a ticket for \"a thing in project OPS\"", None),
            ("We saw it in project OPS. Create a ticket for the export", None),
            ("Create a ticket for the export\nSteps: Project: OPS", None),
            ("Create a ticket for the export in project ops", None),
        ] {
            assert_eq!(named(own, false).map(|named| named.key).as_deref(), expected, "{own}");
        }
    }

    #[test]
    fn the_words_that_name_it_are_cut() {
        let named = Named { key: "OPS".into(), phrase: "in project OPS".into() };
        for (text, expected) in [
            ("the export in project OPS, priority: high", "the export, priority: high"),
            ("the export (in project OPS) hangs", "the export hangs"),
            ("the export", "the export"),
            ("in project OPS for the export", "the export"),
        ] {
            assert_eq!(named.cut_from(text), expected);
        }
    }
}
