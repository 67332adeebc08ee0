//! What a model can be asked for, and which of that one may be asked for now.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a model can be asked for (`spec 07 §7`): settings, budgets and prompts go by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Which intent.
    Classify,
    /// Which option.
    Select,
    /// The text of tickets.
    Draft,
    /// A review, or what feedback changes of one.
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

    /// Its public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Classify => "classify",
            Self::Select => "select",
            Self::Draft => "draft",
            Self::Review => "review",
            Self::Summary => "summary",
            Self::Answer => "answer",
        }
    }

    /// How often a question that got no answer is put at most, inside of its time: who chooses an option is waited for,
    /// so that is asked once (`spec 07 §7`).
    #[must_use]
    pub fn tries(self) -> u32 {
        if self == Self::Select { 1 } else { 2 }
    }

    /// The purpose of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|purpose| purpose.word() == word)
    }
}

/// The purposes a model may be asked for: each is configured by itself, and what nobody would answer is not asked.
///
/// Stored as `true` for all of them, else as their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purposes(u8);

impl Purposes {
    /// Whether this is one of them.
    #[must_use]
    pub fn has(self, purpose: Purpose) -> bool {
        self.0 & 1 << purpose as u8 != 0
    }

    /// Whether there is none.
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

/// All of them, or none.
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
        to.collect_seq(self.all().map(Purpose::word))
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
            Written::Some(words) => words.iter().filter_map(|word| Purpose::from_word(word)).collect(),
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
