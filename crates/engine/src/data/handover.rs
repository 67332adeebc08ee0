//! Turns that are handed to a host's own agent, and its answers (`docs/design/0068-hosts.md`).

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use throughline_language::Expected;

use crate::data::attachment::Attachment;
use crate::data::event::AssistantPosted;
use crate::data::focus::AnchorHint;
use crate::data::id::{EffectId, MessageId, PendingId, SetId, TaskId};
use crate::data::language::{self, Language};
use crate::data::option_set::{OptionsShown, is_one, one};
use crate::data::prompt::BuiltPrompt;
use crate::data::selection_trace::Handoff;
use crate::data::time::Millis;

/// Message that no rung decided, with all that an agent needs to answer it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handover {
    /// Id of the message.
    pub message: MessageId,
    /// User id of its author.
    pub by: String,
    /// Its text.
    pub text: String,
    /// Its attachments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Attachment>,
    /// Task it belongs to.
    pub task: TaskId,
    /// Message it refers to, if its words cannot be understood without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<AnchorHint>,
    /// Conversation, facts and earlier tasks. Empty once the handover ended.
    pub prompt: BuiltPrompt,
    /// Questions that wait for an answer in a message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<WaitingQuestion>,
    /// Lists that its author sees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<ListInSight>,
    /// Kind of a text that is about a list and chooses nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
    /// Answer that the engine would have given in words, if nobody speaks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsaid: Option<String>,
    /// Time to answer, in milliseconds.
    pub budget_ms: Millis,
}

/// Question that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingQuestion {
    /// Its id.
    pub id: PendingId,
    /// Its words.
    pub text: String,
    /// Answers that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Person asked; everybody if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
}

/// List in sight of the author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListInSight {
    /// Its id.
    pub id: SetId,
    /// Options in the order in which they are numbered, by id.
    pub options: Vec<String>,
    /// Number of the first of them.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub numbers_from: u16,
    /// Options that the text may have meant, the most similar first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// Answer of a host's agent to a turn. Nothing in it means that nothing is to be said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HostAnswer {
    /// Words of the agent, which may ask something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posted: Option<AssistantPosted>,
    /// List that it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<OptionsShown>,
}

/// Handover that waits for its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenHandover {
    /// Effect that asks the host.
    pub effect: EffectId,
    /// Author of the message.
    pub by: String,
    /// Task it belongs to.
    pub task: TaskId,
    /// Language in which its author is told that no answer came.
    #[serde(default, skip_serializing_if = "language::is_english", with = "language")]
    pub language: Language,
}
