//! Head of a lane: the small part that every turn rewrites.

use crate::data::ask::{AnswerRecipient, Question};
use crate::data::fact::FactTombstone;
use crate::data::handover::OpenHandover;
use crate::data::id::message_position;
use crate::data::id::{CardId, EffectId, MessageId};
use crate::data::ids::Ids;
use crate::data::intent::Remembered;
use crate::data::language::{self, Language};
use crate::data::one_or_many;
use crate::data::pending::{AnsweredPending, PendingState};
use crate::data::summary::ConversationSummary;
use crate::data::time::Timestamp;
use crate::data::tracked::{IssueQuestion, Tracked};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Head of a lane, usually under 4 KB.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneState {
    /// Open questions: at most one conversational, any number of workflow ones
    /// (`docs/design/0014-pending-questions.md`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pendings: Vec<PendingState>,
    /// Conversational pendings that other messages cleared, oldest first, at most one asked of each person. An explicit reply to
    /// its anchor revives one. A single one is kept as earlier versions kept it, which knew no more.
    #[serde(default, with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub lapsed: Vec<PendingState>,
    /// Moment at which a question or a list that waited went away last. A text that was written before may have meant it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_at: Option<Timestamp>,
    /// Answer that was accepted last. It can be corrected while its task runs
    /// (`docs/design/0015-reading-answers.md`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<AnsweredPending>,
    /// Remembered intent of the thread (`docs/design/0016-intent-and-scope-gate.md`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remembered: Option<Remembered>,
    /// Time of the last message. It extends the remembered intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message_at: Option<Timestamp>,
    /// Open question to a model; a lane has at most one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<OpenAsk>,
    /// Turns that wait for the host's agent, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handovers: Vec<OpenHandover>,
    /// Issues that the thread tracks, oldest first, with those still being looked up
    /// (`docs/design/0019-decision-records.md`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tracked: Vec<Tracked>,
    /// Questions how an issue is, while its tracker is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issue_questions: Vec<IssueQuestion>,
    /// Erased facts of this lane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<FactTombstone>,
    /// Loaded messages, oldest first.
    #[serde(default, skip_serializing_if = "Ids::is_empty")]
    pub window: Ids<MessageId>,
    /// Messages that left the window and are not summarised yet, oldest first
    /// (`docs/design/0026-summaries.md`).
    #[serde(default, skip_serializing_if = "Ids::is_empty")]
    pub earlier: Ids<MessageId>,
    /// Summary of the messages before those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered: Option<Arc<ConversationSummary>>,
    /// Language that people write here, if it is not the installation's
    /// (`docs/design/0056-catalogues.md`).
    #[serde(default, skip_serializing_if = "Option::is_none", with = "language::known")]
    pub language: Option<Language>,
    /// Newest time of any message in this lane; it never goes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen_ts: Option<Timestamp>,
    /// Loaded cards, oldest first.
    #[serde(default, skip_serializing_if = "Ids::is_empty")]
    pub cards: Ids<CardId>,
}

/// Question to a model that waits for its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenAsk {
    /// Effect that asks. An answer to another effect is late and is ignored.
    pub effect: EffectId,
    /// Purpose of the answer.
    #[serde(default, skip_serializing_if = "AnswerRecipient::is_intent")]
    pub about: AnswerRecipient,
    /// Question. An answer is checked against it, and a second round asks it again. `None` asks for the
    /// intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<Question>>,
    /// Round, from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub round: u8,
    /// Message it is about. Routing continues with it after the answer.
    pub message: MessageId,
    /// Messages in the prompt. Facts in the answer may cite only these.
    #[serde(default, skip_serializing_if = "Ids::is_empty")]
    pub shown: Ids<MessageId>,
    /// Author of the message.
    pub by: String,
    /// Time the message came in; the time for collecting further messages counts from here.
    pub since: Timestamp,
    /// Anchor offered to the model. The answer may name no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<MessageId>,
    /// Language of what comes of the answer. English in lanes of versions before 0.2.
    #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
    pub language: Language,
    /// True if something was pressed since. Further messages are then not merged into the question.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub pressed: bool,
}

pub(crate) fn first() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn is_first(round: &u8) -> bool {
    *round == 1
}

impl LaneState {
    /// Returns the position up to which messages are summarised.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.covered.as_ref().map_or(0, |covered| covered.cursor)
    }

    /// Returns true if the message is neither in the summary nor in its tail.
    #[must_use]
    pub fn is_raw(&self, message: &MessageId) -> bool {
        let through = self.covered.as_ref().and_then(|covered| covered.through.as_ref());
        through.is_none_or(|through| message_position(message.as_str()) > message_position(through.as_str()))
    }

    /// Returns the messages that are not summarised, oldest first.
    #[must_use]
    pub fn raw(&self) -> Vec<MessageId> {
        let in_window = self.window.iter().filter(|id| self.is_raw(id) && !self.earlier.contains(id));
        let mut raw: Vec<MessageId> = self.earlier.iter().chain(in_window).collect();
        raw.sort_by_key(|id| message_position(id.as_str()));
        raw
    }

    /// Returns the summary for changing; makes an empty one if there is none.
    pub(crate) fn covered_mut(&mut self) -> &mut ConversationSummary {
        Arc::make_mut(self.covered.get_or_insert_default())
    }
}
