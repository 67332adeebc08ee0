//! Lessons that an installation learned of its own log: phrases and thresholds that a person approved, per tenant
//! (`docs/design/0087-learning.md`).
//!
//! [`suggest`] reads recorded lanes and says what could be learned, with the decisions that would have been others. A proposal is an act
//! of a host like any other, whose host is this process: [`worker`] performs it once it is approved, [`versions`] keeps what
//! was approved, and a turn is decided under it as soon as this process knows it.

pub(crate) mod suggest;
pub(crate) mod versions;
pub(crate) mod worker;

use serde::{Deserialize, Serialize};
use throughline_engine::Policy;
use throughline_engine::data::policy::judge::JudgePolicy;
use throughline_engine::data::policy::lexicon::LexiconEntry;

/// Channel of the lanes that proposals are approved in. Cards are pressed there, and nothing else is written.
pub(crate) const CHANNEL: &str = "policy";
/// Conversation of that channel: a tenant has one.
pub(crate) const CONVERSATION: &str = "lexicon";
/// Thing that a proposal acts on, as approver rules name it behind `act:`.
pub(crate) const TARGET: &str = "policy";

/// Lessons of a tenant, beside the configured policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Learned {
    /// Phrases, beside those of the configuration; of the same phrase this one counts.
    pub(crate) lexicon: Vec<LexiconEntry>,
    /// Margins of the judge, instead of the configured ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) judge: Option<Margins>,
    /// Percent of a model's confidence, instead of the configured one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_confidence: Option<u8>,
}

/// Margins of the learned judge, as in `policy.judge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Margins {
    pub(crate) yes: i32,
    pub(crate) no: i32,
    pub(crate) end: i32,
}

impl Margins {
    pub(crate) fn of(judge: &JudgePolicy) -> Self {
        Self { yes: judge.yes, no: judge.no, end: judge.end }
    }
}

impl Learned {
    /// Returns the policy with this in it.
    pub(crate) fn onto(&self, configured: &Policy) -> Policy {
        let mut policy = configured.clone();
        let again = |entry: &LexiconEntry| self.lexicon.iter().any(|own| own.has_phrase_of(entry));
        policy.lexicon.retain(|entry| !again(entry));
        policy.lexicon.extend(self.lexicon.iter().cloned());
        if let Some(Margins { yes, no, end }) = self.judge {
            policy.judge = JudgePolicy { yes, no, end, ..policy.judge };
        }
        if let Some(percent) = self.min_confidence {
            policy.ask.min_confidence = percent;
        }
        policy
    }

    /// Returns the reason for which it cannot be in force.
    pub(crate) fn invalid(&self, configured: &Policy) -> Option<String> {
        if self.min_confidence.is_some_and(|percent| !(1..100).contains(&percent)) {
            return Some("policy.ask.min_confidence is a percentage from 1 to 99".into());
        }
        self.onto(configured).first_invalid().map(|(key, why)| format!("policy.{key} {why}"))
    }

    /// Returns what differs from `before`, a line for each difference: `+ jo = yes`, `- jo = yes`, `judge.yes 23 → 19`.
    pub(crate) fn differences(&self, before: &Self, configured: &Policy) -> Vec<String> {
        let line = |sign: char, entry: &LexiconEntry| format!("{sign} {} = {}", entry.said, entry.means);
        let added = self.lexicon.iter().filter(|entry| !before.lexicon.contains(entry));
        let removed = before.lexicon.iter().filter(|entry| !self.lexicon.contains(entry));
        let mut lines: Vec<String> =
            removed.map(|entry| line('-', entry)).chain(added.map(|entry| line('+', entry))).collect();
        let (old, new) = (before.onto(configured), self.onto(configured));
        let numbers = [
            ("judge.yes", old.judge.yes, new.judge.yes),
            ("judge.no", old.judge.no, new.judge.no),
            ("judge.end", old.judge.end, new.judge.end),
            ("ask.min_confidence", old.ask.min_confidence.into(), new.ask.min_confidence.into()),
        ];
        lines.extend(
            numbers
                .iter()
                .filter(|(_, old, new)| old != new)
                .map(|(name, old, new)| format!("{name} {old} → {new}")),
        );
        lines
    }
}
