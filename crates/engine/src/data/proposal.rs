//! Decisions that people put on record, and their posts (`docs/design/0019-decision-records.md`).

use crate::data::actor::Presser;
use crate::data::authors::{Authored, Authors};
use crate::data::id::{MessageId, ProposalId, ReviewId, TaskId};
use crate::data::lane_key::LaneKey;
use crate::data::language::{self, Language};
use crate::data::progress::Progress;
use crate::data::ticket::Target;
use crate::data::time::Timestamp;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A decision that somebody wants on record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its id.
    pub id: ProposalId,
    /// The task it serves.
    pub task: TaskId,
    /// The message that asked for it; empty if a button did.
    pub source: MessageId,
    /// The person who asked.
    pub by: String,
    /// Language it is written in. English in records of versions before 0.2.
    #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
    pub language: Language,
    /// Topic, in a few words.
    pub topic: String,
    /// The decision, in one or two sentences.
    pub decision: String,
    /// The reason; empty if none was given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Keys of related issues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// The authors of each field that is not the asker's alone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub written: BTreeMap<ProposalField, Authors>,
    /// The review it was taken from. A message that points at the decision may mean that review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewId>,
    /// The lane it is posted to: the root of the conversation.
    pub to: LaneKey,
    /// Link to the thread it comes from, or the thread's name where there is no link.
    pub thread: String,
    /// The text as it was posted, with who decided and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posted: Option<PublishedPost>,
}

/// A post that is out, or on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedPost {
    /// Its text.
    pub text: String,
    /// Link to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A part of a decision that a person writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalField {
    /// The topic.
    Topic,
    /// The decision itself.
    Decision,
    /// The reason.
    Why,
    /// The keys of related issues.
    Issues,
}

impl ProposalField {
    /// All parts, in the order a card shows them.
    pub const ALL: [Self; 4] = [Self::Topic, Self::Decision, Self::Why, Self::Issues];

    /// Returns its name in forms.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::Decision => "decision",
            Self::Why => "why",
            Self::Issues => "issues",
        }
    }

    /// Returns its label on a card and in a post.
    #[must_use]
    pub fn label(self, language: Language) -> String {
        throughline_messages::decision_field(language, self.as_str())
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.as_str() == word)
    }
}

impl Proposal {
    /// Returns the text of a part; empty if nothing is written.
    #[must_use]
    pub fn entry(&self, entry: ProposalField) -> String {
        match entry {
            ProposalField::Topic => self.topic.clone(),
            ProposalField::Decision => self.decision.clone(),
            ProposalField::Why => self.why.clone(),
            ProposalField::Issues => self.issues.join(", "),
        }
    }

    /// Returns the authors of a field's text.
    #[must_use]
    pub fn authors(&self, entry: ProposalField) -> Authors {
        match self.written.get(&entry) {
            Some(authors) => authors.clone(),
            None if !self.entry(entry).is_empty() => Authors::of(&self.by),
            None => Authors::default(),
        }
    }

    /// Returns the authors of each field.
    #[must_use]
    pub fn authored(&self) -> Vec<Authored> {
        let one = |entry: ProposalField| Authored {
            item: String::new(),
            field: entry.as_str().into(),
            by: self.authors(entry),
        };
        let each = ProposalField::ALL.into_iter().filter(|entry| !self.entry(*entry).is_empty());
        each.map(one).collect()
    }

    /// Notes who wrote a field, after its text changed: they join those whose words were in it.
    pub(crate) fn wrote(&mut self, entry: ProposalField, before: &Authors, by: &Authors) {
        let authors = before.clone().and(by);
        self.written.remove(&entry);
        let asker_alone = authors.has(&self.by) && authors.only(&self.by);
        if !(asker_alone || authors.is_empty() || self.entry(entry).is_empty()) {
            self.written.insert(entry, authors);
        }
    }

    /// Returns the payload that an approval covers.
    #[must_use]
    pub fn payload(&self) -> serde_json::Value {
        serde_json::json!({ "kind": "post.channel", "to": self.target(), "text": self.text() })
    }

    /// Returns the target as approver rules name it: `web:main`.
    #[must_use]
    pub fn target(&self) -> String {
        format!("{}:{}", self.to.channel, self.to.conversation)
    }
}

/// A part of a decision that leaves the thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Publication {
    /// The post in the channel.
    Post,
    /// The comment on the issue with this key.
    Comment(String),
}

/// The comment on a related issue, which a button of the receipt offers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CommentOffer {
    /// Nothing is posted yet, or no related issue is tracked in this thread.
    #[default]
    None,
    /// Offered. With several issues, one has to be chosen first.
    Offered {
        /// Their keys.
        issues: Vec<String>,
        /// The reason that there is no comment yet, although somebody pressed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<String>,
        /// Hash of the comment as the card shows it, if exactly one issue is offered; else empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        hash: String,
    },
    /// Somebody pressed.
    Pressed {
        /// The issue's key.
        issue: String,
        /// The person who pressed.
        by: Presser,
        /// Moment of the press.
        at: Timestamp,
        /// Progress of the comment.
        result: Progress,
        /// The project it goes to, if the issue's key names another.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<Target>,
    },
}

impl CommentOffer {
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }
}
