//! Decision records: a decision that people ask to record is shown in the thread, edited, approved, posted
//! at the root of the channel, and offered as a comment on its issues
//! (`docs/design/0019-decision-records.md`).
//!
//! The record is a [`Proposal`]. [`crate::data::decision::Decision`] is something else: the engine's
//! verdict on an event.

mod capability;
mod card;
mod comment;
pub(crate) mod drafting;
pub(crate) mod edit_words;
mod erase;
pub(crate) mod extract;
mod publish;
pub(crate) mod tracked_issues;

pub(crate) use crate::decision_records::capability::DecisionRecords;

use alloc::string::ToString;

use crate::data::actor::Presser;
use crate::data::authors::Authors;
use crate::data::card::Card;
use crate::data::effect::EffectBody;
use crate::data::language::Language;
pub(crate) use crate::data::proposal::Proposal;
use crate::data::proposal::ProposalField;
use crate::data::time::Timestamp;
use crate::messages::proposal as words;
use crate::turn::Turn;
use alloc::format;
use alloc::string::String;
use throughline_messages as say;

/// Returns the decision that a card shows.
fn proposal_of(turn: &Turn<'_>, card: &Card) -> Option<Proposal> {
    turn.get::<Proposal>(card.decision()?).cloned()
}

impl Proposal {
    /// Writes a field. An equal text stays whose it was.
    pub(crate) fn write(&mut self, entry: ProposalField, text: &str, by: &Authors) {
        let (before, authors) = (self.entry(entry), self.authors(entry));
        let text = text.trim().to_string();
        match entry {
            ProposalField::Topic => self.topic = text,
            ProposalField::Decision => self.decision = text,
            ProposalField::Why => self.why = text,
            ProposalField::Issues => self.issues = extract::keys(&text),
        }
        if self.entry(entry) != before {
            self.wrote(entry, &authors, by);
        }
    }

    /// The text that is shown, hashed and approved.
    #[must_use]
    pub fn text(&self) -> String {
        words::text(self.language, self)
    }

    /// The text that is posted: the approved text, byte for byte, and one more line with who decided and
    /// when.
    ///
    /// The decider is known only when Approve is pressed, after the text was shown and hashed. The approval
    /// therefore covers the text alone. The last line is built by code from the press's own record and
    /// always comes last, so nobody can write into it, and the approved text is a prefix of the posted one.
    #[must_use]
    pub fn signed(&self, by: &Presser, at: Timestamp) -> String {
        signed(self.language, &self.text(), by, at)
    }

    /// The text of a comment on an issue: the posted text, and the post's address if it is known.
    #[must_use]
    pub fn comment(&self) -> String {
        let text = self.posted.as_ref().map_or_else(|| self.text(), |posted| posted.text.clone());
        match self.posted.as_ref().and_then(|posted| posted.url.as_ref()) {
            Some(url) => format!("{text}\n{}", say::decision_posted_at(self.language, url)),
            None => text,
        }
    }
}

impl EffectBody {
    /// Returns a post as it is sent: with its last line, if it is to have one. Anything else is returned as it is.
    #[must_use]
    pub fn signed_by(self, by: &Presser, at: Timestamp) -> Self {
        match self {
            Self::PostChannel { to, text, signed: true, language, card } => {
                let text = signed(language, &text, by, at);
                Self::PostChannel { to, text, signed: false, language, card }
            }
            body => body,
        }
    }
}

fn signed(language: Language, text: &str, by: &Presser, at: Timestamp) -> String {
    format!("{text}\n{}", words::decided_by(language, &by.name, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::lane_key::LaneKey;

    #[test]
    fn what_was_approved_is_a_prefix_of_what_is_posted() {
        let lane = LaneKey::new("t", "a", "web", "main", "");
        let proposal = Proposal {
            id: "dc_1".into(),
            task: "t_1".into(),
            source: "m_1".into(),
            by: "ana".into(),
            language: Language::En,
            topic: "orders".into(),
            decision: "We use Postgres.".into(),
            why: "We know it.".into(),
            issues: alloc::vec!["AUTH-1".into()],
            written: alloc::collections::BTreeMap::new(),
            review: None,
            to: lane,
            thread: "https://chat.test/c/1".into(),
            posted: None,
        };
        let text = "Decision on orders\nWe use Postgres.\nWhy: We know it.\nIssues: AUTH-1\n\
                    Discussed in https://chat.test/c/1";
        assert_eq!(proposal.text(), text);
        let at = Timestamp::parse("2026-01-15T10:02:30Z").unwrap();
        let signed = proposal.signed(&Presser { id: "u1".into(), name: "bob".into() }, at);
        assert_eq!(signed, format!("{text}\nDecided by @bob on 2026-01-15 at 10:02 UTC"));
        assert_eq!(proposal.target(), "web:main");
    }
}
