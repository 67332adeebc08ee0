//! What a model proposes as facts, and which of it is taken (`spec 05 §11`): extraction is advisory, code decides.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::canonical;
use super::fact::{Confidence, FactScope, FactType, Trust};
use super::words::named;
use crate::context::text::clean;
use crate::decision::Reason;
use crate::policy::context::FactsPolicy;
use crate::policy::limits;
use crate::recognize::Words;
use crate::recognize::lexicon::{MEMORY, SectionId};
use crate::recognize::selection::normal::folded_whole;
use crate::redact::redacted;

/// One fact as a model proposes it: nothing of it is believed before it was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposal {
    /// `decision`, `constraint` or `assumption`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `thread` or `epic`.
    pub scope: String,
    /// The sentence.
    pub text: String,
    /// How sure the model says it is.
    #[serde(skip_serializing_if = "Claim::is_missing")]
    pub confidence: Claim,
    /// The message it was read from.
    pub message_id: String,
    /// What it is about, when that can have one value at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A confidence as a model gives it. Stored as text, so that what is hashed holds no floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Claim {
    /// It does not say.
    #[default]
    Missing,
    /// It says so much, clamped to what can be.
    Is(Confidence),
    /// It says something that is no number.
    Bad,
}

impl Claim {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_missing(&self) -> bool {
        *self == Self::Missing
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Missing => serializer.serialize_none(),
            Self::Is(confidence) => serializer.serialize_str(&confidence.to_string()),
            Self::Bad => serializer.serialize_str("?"),
        }
    }
}

impl<'de> Deserialize<'de> for Claim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = match Value::deserialize(deserializer)? {
            Value::Null => return Ok(Self::Missing),
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        Ok(number.filter(|number: &f64| !number.is_nan()).map_or(Self::Bad, |number| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is between 0 and 100"
            )]
            Self::Is(Confidence::of((number.clamp(0.0, 1.0) * 100.0 + 0.5) as u8))
        }))
    }
}

const MACHINE: SectionId = named("fact.machine");

/// How a text says that a machine should take another part in the conversation.
const MARKERS: [&str; 10] = [
    "system:",
    "assistant:",
    "user:",
    "developer:",
    "tool:",
    "<|",
    "|>",
    "[inst]",
    "<system",
    "### instruction",
];

/// The message a proposal cites, as far as it was in the prompt.
#[derive(Clone, Copy, Debug)]
pub struct Cited<'m> {
    /// Its words.
    pub text: &'m str,
    /// Whose word it is, but for what it quotes.
    pub trust: Trust,
}

/// A proposal that is taken, with what code made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// A stranger's word is an assumption, whatever it says it is.
    pub kind: FactType,
    /// A stranger's word stays in its lane.
    pub scope: FactScope,
    /// The sentence, clean.
    pub text: String,
    /// How sure, at most as the source may be.
    pub confidence: Confidence,
    /// Whose word.
    pub trust: Trust,
    /// See [`subject`].
    pub subject: Option<String>,
}

/// Checks one proposal of a model. Each check has its reason; one bad proposal spoils no other (`spec 05 §11`).
///
/// # Errors
/// Why it is not taken.
pub fn judge(proposal: &Proposal, cited: Option<Cited<'_>>, policy: &FactsPolicy) -> Result<Taken, Reason> {
    let kind = FactType::from_word(&proposal.kind).ok_or(Reason::FactBadValue)?;
    let scope = FactScope::from_word(&proposal.scope).ok_or(Reason::FactBadValue)?;
    let text = sentence(&proposal.text).ok_or(Reason::FactBadValue)?;
    if text.ends_with('…') && !proposal.text.trim_end().ends_with('…') {
        return Err(Reason::FactBadValue);
    }
    let given = match proposal.confidence {
        Claim::Missing => Confidence::of(limits::FACT_UNSAID),
        Claim::Is(confidence) => confidence,
        Claim::Bad => return Err(Reason::FactBadValue),
    };
    let cited = cited.ok_or(Reason::FactSourceUnknown)?;
    if scope == FactScope::Channel {
        return Err(Reason::FactScopeRefused);
    }
    if redacted(&proposal.text) != proposal.text {
        return Err(Reason::FactSecret);
    }
    if for_a_machine(&text) {
        return Err(Reason::FactInstructionLike);
    }
    // What a member only quotes is a stranger's word.
    let trust = if cited.trust == Trust::Member && says(cited.text, Trust::Member, &text) {
        Trust::Member
    } else if says(cited.text, Trust::Untrusted, &text) {
        Trust::Untrusted
    } else {
        return Err(Reason::FactUngrounded);
    };
    let subject = proposal.subject.as_deref().and_then(subject);
    let taken = Taken { kind, scope, text, confidence: given, trust, subject };
    Ok(match trust {
        Trust::Member => Taken { confidence: given.min(Confidence::of(policy.model_max)), ..taken },
        Trust::Untrusted => Taken {
            kind: FactType::Assumption,
            scope: FactScope::Thread,
            confidence: given.min(Confidence::of(policy.untrusted_max)),
            ..taken
        },
    })
}

/// A fact's text: one line without secrets, of at most 300 graphemes. `None`: nothing is left.
#[must_use]
pub fn sentence(text: &str) -> Option<String> {
    let text = clean(text, limits::FACT_TEXT);
    Some(text.into_owned()).filter(|text| !text.is_empty())
}

/// What a fact is about, so that two of them can be compared: folded, without an article, at most 64 bytes.
#[must_use]
pub fn subject(text: &str) -> Option<String> {
    let mut folded = canonical::text(&clean(text, limits::FACT_TEXT));
    folded.truncate(folded.floor_char_boundary(limits::FACT_SUBJECT));
    Some(folded.trim_end().to_owned()).filter(|folded| !folded.is_empty())
}

/// Whether a text is addressed to a machine: role markers, "ignore previous", "you must now", tools, approvals.
fn for_a_machine(text: &str) -> bool {
    let lower = text.to_lowercase();
    let marked = MARKERS.iter().any(|marker| lower.contains(marker));
    let words = Words::of(text);
    marked || MEMORY.iter().any(|lexicon| lexicon.section(MACHINE).within(words.all()))
}

/// Whether a message bears a text out: as a member's word in what is not quoted there, as anybody's in all of it.
pub(super) fn says(message: &str, trust: Trust, text: &str) -> bool {
    match trust {
        Trust::Member => grounded(text, &own(message)),
        Trust::Untrusted => grounded(text, message),
    }
}

/// A message without the words that it quotes.
fn own(message: &str) -> String {
    let words = Words::of(message);
    let (mut own, mut from) = (String::with_capacity(message.len()), 0);
    for word in words.all().iter().filter(|word| word.quoted) {
        own.push_str(&message[from..word.at]);
        from = word.end;
    }
    own.push_str(&message[from..]);
    own
}

/// Whether most of the longer words of a text occur in the message it cites. A text without longer words is held to all
/// that it has.
fn grounded(text: &str, message: &str) -> bool {
    let (text, message) = (folded_whole(text), folded_whole(message));
    let known: BTreeSet<&str> = message.split(' ').collect();
    let long: Vec<&str> = text.split(' ').filter(|word| word.chars().count() >= limits::FACT_WORD).collect();
    let words = if long.is_empty() { text.split(' ').collect() } else { long };
    let found = words.iter().filter(|word| known.contains(*word)).count();
    found * 100 >= words.len() * limits::FACT_GROUNDED
}
