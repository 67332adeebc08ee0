//! Messages that are worth a question, because they could be material for a ticket or a review. Small talk and everyday
//! matters are not.

use super::rules::{Reader, readers, section};
use crate::Words;
use crate::lexicon::SectionId;
use crate::request;

const OPINION: SectionId = section("material.opinion");
/// Proposes anything: that is an opinion about work, unless it names something everyday.
const PROPOSES: SectionId = section("material.proposes");
const ANYWHERE: [SectionId; 4] = [
    section("material.compares"),
    section("material.trouble"),
    section("material.wish"),
    section("material.work"),
];

/// A message of so many words was written to be read, whatever it is about.
const LONG: usize = 40;
/// The most words that are looked at.
const MOST: usize = 256;

/// True if a message reports trouble, wishes a change, asks for an opinion, or is about what teams work on.
///
/// ```
/// use throughline_language::Words;
/// use throughline_language::intent::is_material;
/// assert!(is_material(&Words::of("What do you think about microservices?")));
/// assert!(is_material(&Words::of("The export is broken again")));
/// assert!(!is_material(&Words::of("I had pasta for lunch")));
/// ```
#[must_use]
pub fn is_material(message: &Words) -> bool {
    message.all().len() >= LONG || readers(message).any(|reader| speaks(&reader))
}

fn speaks(reader: &Reader<'_>) -> bool {
    let words = &reader.words[..reader.words.len().min(MOST)];
    let starts = |at: usize| reader.begins_clause(at) && !words[at].quoted;
    (0..words.len()).any(|at| {
        let begins = |id: SectionId| {
            let list = reader.list(id);
            [at, reader.behind_before(at)].into_iter().any(|at| list.at(words, at))
        };
        let opinion = || begins(OPINION) || (begins(PROPOSES) && !request::is_everyday(reader.message));
        ANYWHERE.iter().any(|id| reader.list(*id).at(words, at)) || (starts(at) && opinion())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_become_work() {
        for text in [
            "What do you think about microservices?",
            "And what about event sourcing?",
            "Is a queue better than a log?",
            "What would you do about caching?",
            "the login page shows an error",
            "we should rename the field",
            "/etc/hosts is broken",
            "Was hältst du von Microservices?",
            "Der Export funktioniert nicht",
            "Wir sollten das umbenennen",
        ] {
            assert!(is_material(&Words::of(text)), "{text}");
        }
        for text in [
            "I had pasta for lunch",
            "I'd like a table for two at seven",
            "the second one sounds nice",
            "How about Italian food?",
            "I need two tickets for the show",
            "what is the address?",
            "see you tomorrow",
            "banana",
            "Ich möchte einen Tisch für zwei",
            "Wie ist das Wetter morgen?",
            "",
        ] {
            assert!(!is_material(&Words::of(text)), "{text}");
        }
    }
}
