//! Language that people are answered in, as records keep it: by its BCP 47 code.

use alloc::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
pub use throughline_messages::Language;

/// Returns true for the language of records that name none.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn is_english(language: &Language) -> bool {
    *language == Language::En
}

/// Writes the code: for `#[serde(with = "language")]`.
pub(crate) fn serialize<S: Serializer>(language: &Language, serializer: S) -> Result<S::Ok, S::Error> {
    language.code().serialize(serializer)
}

/// Reads a code. One that this version has no catalogue for is English.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Language, D::Error> {
    let code = Cow::<'de, str>::deserialize(from)?;
    Ok(Language::of(&code).unwrap_or_default())
}

/// Stores a language that may be unknown: for `#[serde(with = "language::known")]`.
pub(crate) mod known {
    use super::{Cow, Deserialize, Deserializer, Language, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        language: &Option<Language>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        language.map(Language::code).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Language>, D::Error> {
        let code = Option::<Cow<'de, str>>::deserialize(from)?;
        Ok(code.and_then(|code| Language::of(&code)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::lane_state::LaneState;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Kept {
        #[serde(default, skip_serializing_if = "super::is_english", with = "super")]
        language: Language,
    }

    #[test]
    fn english_is_not_written_and_an_unknown_code_is_english() {
        for (language, stored) in [(Language::En, "{}"), (Language::De, r#"{"language":"de"}"#)] {
            assert_eq!(serde_json::to_string(&Kept { language }).unwrap(), stored);
            assert_eq!(serde_json::from_str::<Kept>(stored).unwrap(), Kept { language });
        }
        let later: Kept = serde_json::from_str(r#"{"language":"nl"}"#).unwrap();
        assert_eq!(later.language, Language::En);
    }

    #[test]
    fn a_lane_without_a_language_reads_back() {
        let lane: LaneState = serde_json::from_str("{}").unwrap();
        assert_eq!((lane.language, serde_json::to_string(&lane).unwrap()), (None, "{}".into()));
        let german = LaneState { language: Some(Language::De), ..lane };
        let stored = serde_json::to_string(&german).unwrap();
        assert_eq!(stored, r#"{"language":"de"}"#);
        assert_eq!(serde_json::from_str::<LaneState>(&stored).unwrap(), german);
    }
}
