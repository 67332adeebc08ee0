//! Purposes of asking a model, and sets of them.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The purpose of asking a model. Settings, budgets and prompts are chosen by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The intent of a message.
    Classify,
    /// The option that a text means.
    Select,
    /// The text of tickets.
    Draft,
    /// A review, or the changes that feedback makes to one.
    Review,
    /// A summary.
    Summary,
    /// An answer in words.
    Answer,
}

impl Purpose {
    /// Every purpose.
    pub const ALL: [Self; 6] =
        [Self::Classify, Self::Select, Self::Draft, Self::Review, Self::Summary, Self::Answer];

    /// Returns its public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classify => "classify",
            Self::Select => "select",
            Self::Draft => "draft",
            Self::Review => "review",
            Self::Summary => "summary",
            Self::Answer => "answer",
        }
    }

    /// Returns the most tries for a question that gets no answer, within its time. The choice of an option
    /// has one, because somebody waits for it.
    #[must_use]
    pub fn max_tries(self) -> u32 {
        if self == Self::Select { 1 } else { 2 }
    }

    /// Returns the purpose with that name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == word)
    }
}

/// A set of purposes that a model may be asked for. Each is configured by itself, and a model is not asked
/// for one that nobody would answer.
///
/// Stored as `true` for all of them, else as their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purposes(u8);

impl Purposes {
    /// True if the set has this purpose.
    #[must_use]
    pub fn has(self, purpose: Purpose) -> bool {
        self.0 & 1 << purpose as u8 != 0
    }

    /// True if the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn all(self) -> impl Iterator<Item = Purpose> {
        Purpose::ALL.into_iter().filter(move |purpose| self.has(*purpose))
    }
}

impl FromIterator<Purpose> for Purposes {
    fn from_iter<I: IntoIterator<Item = Purpose>>(purposes: I) -> Self {
        Self(purposes.into_iter().fold(0, |all, purpose| all | 1 << purpose as u8))
    }
}

/// All purposes for `true`, none for `false`.
impl From<bool> for Purposes {
    fn from(all: bool) -> Self {
        Purpose::ALL.into_iter().filter(|_| all).collect()
    }
}

impl Serialize for Purposes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if *self == Self::from(true) {
            return to.serialize_bool(true);
        }
        to.collect_seq(self.all().map(Purpose::as_str))
    }
}

impl<'de> Deserialize<'de> for Purposes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            All(bool),
            Some(Vec<String>),
        }
        Ok(match Written::deserialize(from)? {
            Written::All(all) => all.into(),
            Written::Some(words) => words.iter().filter_map(|word| Purpose::parse(word)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_read_back_as_they_were_written() {
        let some = Purposes::from_iter([Purpose::Draft, Purpose::Classify]);
        for (purposes, written) in
            [(true.into(), "true"), (some, r#"["classify","draft"]"#), (Purposes::default(), "[]")]
        {
            assert_eq!(serde_json::to_string(&purposes).unwrap(), written);
            assert_eq!(serde_json::from_str::<Purposes>(written).unwrap(), purposes);
        }
        assert!(some.has(Purpose::Draft) && !some.has(Purpose::Answer) && !some.is_empty());
        assert_eq!(serde_json::from_str::<Purposes>("false").unwrap(), Purposes::default());
    }
}
