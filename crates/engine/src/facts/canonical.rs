//! The identity of a fact: its type, its place and its folded words, without leading articles and final
//! punctuation. Paraphrases are different facts; they meet in [`super::contradiction`]
//! (`docs/design/0027-facts.md`).

use alloc::string::String;

use crate::data::canonical_json::{hex, sha256, write_strings};
use crate::data::fact::{FactKey, FactType};
use crate::data::id::FactId;
use crate::facts::canonical;
use crate::facts::vocabulary;
use crate::facts::vocabulary::ARTICLE;
use throughline_language::normal::folded_whole;

/// Hexadecimal digits of the hash in an id.
const DIGITS: usize = 32;

/// The canonical form of a sentence.
pub(super) fn text(sentence: &str) -> String {
    let folded = folded_whole(sentence);
    let mut rest = folded.as_str();
    while let Some((first, more)) = rest.split_once(' ')
        && vocabulary::is(ARTICLE, first)
    {
        rest = more;
    }
    rest.into()
}

/// The id of a fact, made from its canonical form.
pub(super) fn id(key: &FactKey, kind: FactType, text: &str) -> FactId {
    let mut name = String::new();
    write_strings(&["f1", &key.tenant, key.scope.as_str(), &key.scope_id, kind.as_str(), text], &mut name);
    let mut digest = hex(&sha256(&[name.as_bytes()]));
    digest.truncate(DIGITS);
    FactId(alloc::format!("{}{digest}", FactId::PREFIX))
}

/// A canonical form without its negations, and their number: "we wont deploy" gives ("we will deploy", 1).
pub(super) fn affirmed(text: &str) -> (String, usize) {
    let mut rest = String::with_capacity(text.len());
    let mut negations = 0;
    for word in text.split(' ') {
        let left = vocabulary::affirmed(word);
        negations += usize::from(left.is_some());
        let left = left.unwrap_or(word);
        if !rest.is_empty() && !left.is_empty() {
            rest.push(' ');
        }
        rest.push_str(left);
    }
    (rest, negations)
}

impl FactKey {
    /// The id of the fact with this type and text in this place.
    ///
    /// ```
    /// use throughline_engine::data::fact::{FactKey, FactScope, FactType};
    /// let key = FactKey { tenant: "acme".into(), scope: FactScope::Thread, scope_id: "C1/171.5".into() };
    /// let id = key.fact(FactType::Decision, "We will use Postgres.");
    /// assert_eq!(id.as_str(), "f1-3017dd2e304478c2c9260243f9e3d849");
    /// assert_eq!(key.fact(FactType::Decision, "we  will use  POSTGRES"), id);
    /// ```
    #[must_use]
    pub fn fact(&self, kind: FactType, text: &str) -> FactId {
        canonical::id(self, kind, &canonical::text(text))
    }
}
