//! Authors of a text that may be released: everybody whose words are in it.
//!
//! A person may not approve their own words where policy says so, and *own* is decided here: not by who asked, but by
//! who wrote any of what would run (`docs/design/0032-approvals.md`).

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::texts::{Strings, Text, Texts, Visit};

/// People whose words are in a text: each once, in the order in which they came to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Authors(Vec<String>);

impl Authors {
    /// Returns one author; nobody if the id is empty.
    #[must_use]
    pub fn of(by: &str) -> Self {
        let mut one = Self::default();
        one.add(by);
        one
    }

    /// Adds a person, unless they are one of the authors already or the id is empty.
    pub fn add(&mut self, by: &str) {
        if !by.is_empty() && !self.has(by) {
            self.0.push(by.into());
        }
    }

    /// Adds every author of another text.
    pub fn add_all(&mut self, others: &Self) {
        others.iter().for_each(|by| self.add(by));
    }

    /// Returns these authors and those of another text.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.add_all(others);
        self
    }

    /// Returns these authors without one person.
    #[must_use]
    pub fn without(mut self, by: &str) -> Self {
        self.0.retain(|author| author != by);
        self
    }

    /// True if this person is one of them.
    #[must_use]
    pub fn has(&self, by: &str) -> bool {
        self.0.iter().any(|author| author == by)
    }

    /// True if nobody else wrote any of it.
    #[must_use]
    pub fn only(&self, by: &str) -> bool {
        self.0.iter().all(|author| author == by)
    }

    /// True if it has no author.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns them in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Authors of one field of what an approval releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authored {
    /// Item of a batch; empty for a single one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// Field.
    pub field: String,
    /// Authors of its text.
    pub by: Authors,
}

impl Authored {
    /// Returns the fields' authors together.
    #[must_use]
    pub fn all(fields: &[Self]) -> Authors {
        fields.iter().fold(Authors::default(), |all, field| all.and(&field.by))
    }
}

impl Texts for Authors {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        self.0.strings(&mut |by| visit(Text::Person(by)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_author_counts_once_and_nobody_is_no_author() {
        let both = Authors::of("ana").and(&Authors::of("bob")).and(&Authors::of("ana")).and(&Authors::of(""));
        assert_eq!(both.iter().collect::<Vec<_>>(), ["ana", "bob"]);
        assert!(both.has("bob") && !both.has("") && !both.only("ana"));
        assert!(both.without("bob").only("ana") && Authors::of("").is_empty());
    }
}
