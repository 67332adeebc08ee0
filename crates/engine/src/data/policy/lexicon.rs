//! Words of an installation: what its people say, and what that means in words that are read everywhere
//! (`docs/design/0087-learning.md`).

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::data::policy::Policy;

/// Entries that a lexicon may have: every message is compared with each of them.
pub const MOST_ENTRIES: usize = 200;
/// Words of an entry, on either side: it replaces a phrase, it is no program.
pub const MOST_WORDS: usize = 8;

/// A phrase that messages begin with here, and the words it is read as.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexiconEntry {
    /// The phrase: letters and digits, with blanks, hyphens and apostrophes between them. Its case does not matter.
    pub said: String,
    /// The words that it is read as, in any language that is read. With a colon at the end, the rest of the message is what it
    /// is about.
    pub means: String,
}

impl LexiconEntry {
    /// Returns true if it is about the same phrase as another entry.
    #[must_use]
    pub fn has_phrase_of(&self, other: &Self) -> bool {
        words(&self.said).map(str::to_lowercase).eq(words(&other.said).map(str::to_lowercase))
    }

    /// Returns the reason for which it cannot be an entry.
    fn invalid(&self) -> Option<String> {
        let said = words(&self.said).count();
        if !self.said.chars().all(|c| c.is_alphanumeric() || joins(c)) {
            return Some(format!("“{}” has signs other than letters, digits, blanks, - and '", self.said));
        }
        if !self.said.starts_with(char::is_alphabetic) {
            return Some(format!("“{}” does not begin with a letter", self.said));
        }
        if said > MOST_WORDS || words(&self.means).count() > MOST_WORDS {
            return Some(format!("“{}” or what it means has more than {MOST_WORDS} words", self.said));
        }
        if words(&self.means).next().is_none() || self.means.contains(char::is_control) {
            return Some(format!("“{}” means nothing that could be read", self.said));
        }
        None
    }

    /// Returns the message in known words, if it begins with the phrase as whole words.
    fn read(&self, text: &str) -> Option<String> {
        let rest = behind(text, &self.said)?;
        let Some(about) = self.means.strip_suffix(':') else { return Some(format!("{}{rest}", self.means)) };
        let rest = rest.trim_start_matches([':', ',', '-', '–', '—', ' ', '\u{a0}']);
        if rest.trim().is_empty() { Some(about.into()) } else { Some(format!("{about}: {rest}")) }
    }
}

/// Returns what stands behind a phrase that the text begins with.
fn behind<'t>(text: &'t str, said: &str) -> Option<&'t str> {
    let mut rest = text.trim_start();
    for (at, word) in words(said).enumerate() {
        if at > 0 {
            let next = rest.find(char::is_alphanumeric)?;
            let gap = &rest[..next];
            rest = Some(&rest[next..]).filter(|_| !gap.is_empty() && gap.chars().all(joins))?;
        }
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        rest = rest[..end]
            .chars()
            .flat_map(char::to_lowercase)
            .eq(word.chars().flat_map(char::to_lowercase))
            .then(|| &rest[end..])?;
    }
    // "jo" is no word of "jo-jo" or "jo's".
    let mut next = rest.chars();
    let goes_on =
        matches!(next.next(), Some('-' | '\'' | '’')) && next.next().is_some_and(char::is_alphanumeric);
    (!goes_on).then_some(rest)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Signs between the words of one phrase.
fn joins(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '-' | '\'' | '’')
}

impl Policy {
    /// Returns a message in words that are read everywhere: the longest entry of the lexicon that it begins with is replaced by
    /// what it means. Only the beginning, so that a title or a quotation stays as it was written.
    #[must_use]
    pub fn in_known_words<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let fits = self.lexicon.iter().filter(|entry| behind(text, &entry.said).is_some());
        let longest = fits.max_by_key(|entry| entry.said.len());
        longest.and_then(|entry| entry.read(text)).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Returns the first setting of the lexicon that is invalid, and the reason.
    pub(super) fn first_invalid_of_lexicon(&self) -> Option<(&'static str, String)> {
        if self.lexicon.len() > MOST_ENTRIES {
            return Some(("lexicon", format!("has more than {MOST_ENTRIES} entries")));
        }
        let twice = |(at, entry): (usize, &LexiconEntry)| {
            let same = self.lexicon[..at].iter().any(|other| other.has_phrase_of(entry));
            same.then(|| format!("has “{}” twice", entry.said))
        };
        let wrong = self.lexicon.iter().find_map(LexiconEntry::invalid);
        wrong.or_else(|| self.lexicon.iter().enumerate().find_map(twice)).map(|why| ("lexicon", why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;
    use alloc::vec::Vec;

    fn policy(entries: &[(&str, &str)]) -> Policy {
        let entry =
            |(said, means): &(&str, &str)| LexiconEntry { said: said.to_string(), means: means.to_string() };
        Policy { lexicon: entries.iter().map(entry).collect(), ..Policy::default() }
    }

    #[test]
    fn a_phrase_counts_at_the_beginning_and_as_whole_words() {
        let policy = policy(&[
            ("jo", "yes"),
            ("jo eh", "no"),
            ("prio-eins", "create a ticket:"),
            ("don't care", "any"),
        ]);
        for (text, read) in [
            ("jo", "yes"),
            ("  JO, gern", "yes, gern"),
            ("jo eh nicht", "no nicht"),
            ("Jo-Eh!", "no!"),
            ("jo-jo", "jo-jo"),
            ("jo's house", "jo's house"),
            ("jon", "jon"),
            ("na jo", "na jo"),
            ("Prio eins: the login is broken", "create a ticket: the login is broken"),
            ("prio eins the login is broken", "create a ticket: the login is broken"),
            ("prio eins", "create a ticket"),
            ("prio\neins", "prio\neins"),
            ("prio. eins", "prio. eins"),
            ("Don’t care", "any"),
            ("", ""),
        ] {
            assert_eq!(policy.in_known_words(text), read, "{text:?}");
        }
    }

    #[test]
    fn an_entry_that_could_not_be_read_is_refused() {
        let long = ["a"; MOST_WORDS + 1].join(" ");
        for (said, means) in [
            ("+1", "yes"),
            ("1", "yes"),
            ("", "yes"),
            ("jo!", "yes"),
            ("jo", " "),
            ("jo", "!"),
            (&long, "yes"),
            ("jo", &long),
        ] {
            let policy = policy(&[(said, means)]);
            assert_eq!(policy.first_invalid().map(|(key, _)| key), Some("lexicon"), "{said:?} {means:?}");
        }
        assert!(policy(&[("jo", "yes"), ("JO", "no")]).first_invalid().is_some(), "twice");
        assert_eq!(policy(&[("jo", "yes"), ("jo eh", "no")]).first_invalid(), None);
        let many: Vec<_> =
            (0..=MOST_ENTRIES).map(|n| LexiconEntry { said: format!("w{n}"), means: "yes".into() }).collect();
        assert!(Policy { lexicon: many, ..Policy::default() }.first_invalid().is_some());
        assert_eq!(Policy { lexicon: vec![], ..Policy::default() }.version(), Policy::default().version());
    }
}
