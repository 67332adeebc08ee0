//! Decisions people record: shown in the thread, edited, approved, posted at the root of the channel, and offered as a
//! comment on the issue they are about (`spec 03 §5`).
//!
//! The record is a [`Proposal`]; [`crate::Decision`] is what the engine decided about an event.

mod card;
mod comment;
pub(crate) mod flow;
mod read;
mod sent;
pub(crate) mod tracked;

pub(crate) use card::{asked_for, name, project};
pub(crate) use comment::{choices, chosen};
pub(crate) use sent::settled;
pub use tracked::Tracked;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::id::{MessageId, ProposalId, ReviewId, TaskId};
use crate::lane::LaneKey;
use crate::say::decision as words;
use crate::time::Timestamp;
use crate::workflow::{Presser, Progress};

/// A decision that somebody wants on record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its id.
    pub id: ProposalId,
    /// The task it serves.
    pub task: TaskId,
    /// The message it was asked for with; empty when a button did.
    pub source: MessageId,
    /// Who asked.
    pub by: String,
    /// What it is about, in a few words.
    pub topic: String,
    /// What was decided, in one or two sentences.
    pub decision: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The keys of related issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// The review it was taken from: what points at the decision may mean that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewId>,
    /// Where it is posted: the root of the conversation.
    pub to: LaneKey,
    /// Where the thread is seen that it comes from; without a link, the thread's name.
    pub thread: String,
    /// The words as they were posted, with who decided and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posted: Option<Posted>,
}

/// A post that is out, or on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    /// Its words.
    pub text: String,
    /// Where to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A part of a decision that a person writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// What it is about.
    Topic,
    /// What was decided.
    Decision,
    /// Why.
    Why,
    /// The keys of related issues.
    Issues,
}

impl Entry {
    /// Every one, in the order a card shows them.
    pub const ALL: [Self; 4] = [Self::Topic, Self::Decision, Self::Why, Self::Issues];

    /// Its name in forms.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::Decision => "decision",
            Self::Why => "why",
            Self::Issues => "issues",
        }
    }

    /// Its label on a card and in a post.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Topic => "Topic",
            Self::Decision => "Decision",
            Self::Why => "Why",
            Self::Issues => "Issues",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.word() == word)
    }
}

impl Proposal {
    /// What is written of an entry; empty when nothing is.
    #[must_use]
    pub fn entry(&self, entry: Entry) -> String {
        match entry {
            Entry::Topic => self.topic.clone(),
            Entry::Decision => self.decision.clone(),
            Entry::Why => self.why.clone(),
            Entry::Issues => self.issues.join(", "),
        }
    }

    fn write(&mut self, entry: Entry, text: &str) {
        let text = text.trim().to_string();
        match entry {
            Entry::Topic => self.topic = text,
            Entry::Decision => self.decision = text,
            Entry::Why => self.why = text,
            Entry::Issues => self.issues = read::keys(&text),
        }
    }

    /// The words that are shown, hashed and approved.
    #[must_use]
    pub fn text(&self) -> String {
        words::text(self)
    }

    /// The words that are posted: those that were approved, byte for byte, and behind them one line more.
    ///
    /// Who decides is known only when Approve is pressed, after the text was shown and hashed. So the approval covers
    /// the text, and the line is made by code alone, of the press's own record, always in this place: nobody writes
    /// into it, and what was approved is a prefix of what is posted.
    #[must_use]
    pub fn signed(&self, by: &Presser, at: Timestamp) -> String {
        format!("{}\n{}", self.text(), words::decided_by(&by.name, at))
    }

    /// What is approved (`spec 06 §5.1`).
    #[must_use]
    pub fn payload(&self) -> serde_json::Value {
        serde_json::json!({ "kind": "post.channel", "to": self.target(), "text": self.text() })
    }

    /// Where it goes, as approver rules name it: `web:main` (`spec 06 §5.2`).
    #[must_use]
    pub fn target(&self) -> String {
        format!("{}:{}", self.to.channel, self.to.conversation)
    }

    /// What a comment says: the post, and where it is.
    #[must_use]
    pub fn comment(&self) -> String {
        let text = self.posted.as_ref().map_or_else(|| self.text(), |posted| posted.text.clone());
        match self.posted.as_ref().and_then(|posted| posted.url.as_ref()) {
            Some(url) => format!("{text}\n{}", words::posted_at(url)),
            None => text,
        }
    }
}

/// What of a decision leaves the thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outgoing {
    /// The post in the channel.
    Post,
    /// The comment on this issue.
    Comment(String),
}

/// How the comment on a related issue stands: a button of the receipt (`spec 03 §5`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Comment {
    /// Nothing is posted yet, or no related issue is tracked in this thread.
    #[default]
    None,
    /// Offered. Of several issues one has to be chosen first.
    Offered {
        /// Their keys.
        issues: Vec<String>,
        /// Why there is none yet, though somebody pressed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<String>,
        /// The hash of what would be written on the one issue that is offered, as the card shows it; else none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        hash: String,
    },
    /// Somebody pressed.
    Pressed {
        /// On this issue.
        issue: String,
        /// Who.
        by: Presser,
        /// When.
        at: Timestamp,
        /// How it stands.
        result: Progress,
    },
}

impl Comment {
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_approved_is_a_prefix_of_what_is_posted() {
        let lane = LaneKey::new("t", "a", "web", "main", "");
        let proposal = Proposal {
            id: "dc_1".into(),
            task: "t_1".into(),
            source: "m_1".into(),
            by: "ana".into(),
            topic: "orders".into(),
            decision: "We use Postgres.".into(),
            why: "We know it.".into(),
            issues: alloc::vec!["AUTH-1".into()],
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
