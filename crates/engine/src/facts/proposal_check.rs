//! Checks the facts that a model proposes. A model only suggests; code decides what is kept
//! (`docs/design/0027-facts.md`).

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::decision::Reason;
use crate::data::fact::{Confidence, FactScope, FactType, Trust};
use crate::data::fact_proposal::{ClaimedConfidence, FactProposal};
use crate::data::policy::context::FactsPolicy;
use crate::data::policy::limits;
use crate::facts::canonical;
use crate::facts::vocabulary::named;
use crate::text::clean::clean;
use crate::text::redact::redacted;
use crate::text::urging::urges;
use throughline_language::Words;
use throughline_language::lexicon::{MEMORY, SectionId};
use throughline_language::normal::folded_whole;

const MACHINE: SectionId = named("fact.machine");

/// Marks of a text that tries to address a model, by giving it a role in the conversation.
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

/// The message that a proposal cites.
#[derive(Clone, Copy, Debug)]
pub struct CitedMessage<'m> {
    /// Its text.
    pub text: &'m str,
    /// The trust in its author. Passages it quotes are untrusted whoever wrote the message.
    pub trust: Trust,
}

/// An accepted proposal, with the values that code has limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedFact {
    /// The type; always an assumption if the statement is untrusted.
    pub kind: FactType,
    /// The scope; always the thread if the statement is untrusted.
    pub scope: FactScope,
    /// The cleaned sentence.
    pub text: String,
    /// The confidence, at most the limit for its source.
    pub confidence: Confidence,
    /// The trust in the statement.
    pub trust: Trust,
    /// The subject in the form that [`subject`] gives it.
    pub subject: Option<String>,
}

/// Checks one proposal of a model. Each proposal is judged alone, so a bad one does not spoil the others.
///
/// # Errors
/// The reason for which the proposal is rejected.
pub fn check_proposal(
    proposal: &FactProposal,
    cited: Option<CitedMessage<'_>>,
    policy: &FactsPolicy,
) -> Result<AcceptedFact, Reason> {
    let kind = FactType::parse(&proposal.kind).ok_or(Reason::FactBadValue)?;
    let scope = FactScope::parse(&proposal.scope).ok_or(Reason::FactBadValue)?;
    let text = sentence(&proposal.text).ok_or(Reason::FactBadValue)?;
    if text.ends_with('…') && !proposal.text.trim_end().ends_with('…') {
        return Err(Reason::FactBadValue);
    }
    let given = match proposal.confidence {
        ClaimedConfidence::Missing => Confidence::from_percent(limits::FACT_UNSAID),
        ClaimedConfidence::Stated(confidence) => confidence,
        ClaimedConfidence::NotANumber => return Err(Reason::FactBadValue),
    };
    let cited = cited.ok_or(Reason::FactSourceUnknown)?;
    if scope == FactScope::Channel {
        return Err(Reason::FactScopeRefused);
    }
    if redacted(&proposal.text) != proposal.text {
        return Err(Reason::FactSecret);
    }
    if for_a_machine(&text) || urges(&text) {
        return Err(Reason::FactInstructionLike);
    }
    // A passage that a member only quotes counts as untrusted.
    let trust = if cited.trust == Trust::Member && says(cited.text, Trust::Member, &text) {
        Trust::Member
    } else if says(cited.text, Trust::Untrusted, &text) {
        Trust::Untrusted
    } else {
        return Err(Reason::FactUngrounded);
    };
    let subject = proposal.subject.as_deref().and_then(subject);
    let taken = AcceptedFact { kind, scope, text, confidence: given, trust, subject };
    Ok(match trust {
        Trust::Member => {
            AcceptedFact { confidence: given.min(Confidence::from_percent(policy.model_max)), ..taken }
        }
        Trust::Untrusted => AcceptedFact {
            kind: FactType::Assumption,
            scope: FactScope::Thread,
            confidence: given.min(Confidence::from_percent(policy.untrusted_max)),
            ..taken
        },
    })
}

/// Cleans the text of a fact to one line without secrets, of at most 300 graphemes. `None` if nothing is
/// left.
#[must_use]
pub fn sentence(text: &str) -> Option<String> {
    let text = clean(text, limits::FACT_TEXT);
    Some(text.into_owned()).filter(|text| !text.is_empty())
}

/// Normalizes the subject of a fact, so that two subjects can be compared: folded, without a leading
/// article, at most 64 bytes. `None` if nothing is left.
#[must_use]
pub fn subject(text: &str) -> Option<String> {
    let mut folded = canonical::text(&clean(text, limits::FACT_TEXT));
    folded.truncate(folded.floor_char_boundary(limits::FACT_SUBJECT));
    Some(folded.trim_end().to_owned()).filter(|folded| !folded.is_empty())
}

/// True if a text is addressed to a model: role markers, "ignore previous", "you must now", tools,
/// approvals.
fn for_a_machine(text: &str) -> bool {
    let lower = text.to_lowercase();
    let marked = MARKERS.iter().any(|marker| lower.contains(marker));
    let words = Words::of(text);
    marked || MEMORY.iter().any(|lexicon| lexicon.section(MACHINE).within(words.all()))
}

/// True if a message supports a text. For a member's trust only the unquoted words of the message count,
/// else all of them.
pub(crate) fn says(message: &str, trust: Trust, text: &str) -> bool {
    match trust {
        Trust::Member => grounded(text, &own(message)),
        Trust::Untrusted => grounded(text, message),
    }
}

/// The message without its quoted words.
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

/// True if enough of the longer words of a text occur in the message it cites. A text without longer words
/// is checked by all its words.
fn grounded(text: &str, message: &str) -> bool {
    let (text, message) = (folded_whole(text), folded_whole(message));
    let known: BTreeSet<&str> = message.split(' ').collect();
    let long: Vec<&str> = text.split(' ').filter(|word| word.chars().count() >= limits::FACT_WORD).collect();
    let words = if long.is_empty() { text.split(' ').collect() } else { long };
    let found = words.iter().filter(|word| known.contains(*word)).count();
    found * 100 >= words.len() * limits::FACT_GROUNDED
}
