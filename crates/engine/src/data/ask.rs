//! Questions to a model, and the answers it may give.

use crate::data::fact_proposal::FactProposal;
use crate::data::field::Fields;
use crate::data::focus::AnchorHint;
use crate::data::id::{BatchId, CardId, DraftId, MessageId, ReviewId};
use crate::data::intent::Intent;
use crate::data::prompt::BuiltPrompt;
use crate::data::purpose::Purpose;
use crate::data::scope::Scope;
use crate::data::set_option::Metadata;
use crate::data::ticket::{ItemType, Part};
use crate::data::time::Millis;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Question to a model, with its prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Kind of question.
    #[serde(flatten)]
    pub question: Question,
    /// Text of the message it is about.
    pub text: String,
    /// Id of that message, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Prompt, sections 1 to 7, as it was built when the question was asked
    /// (`docs/design/0025-prompt-context.md`).
    #[serde(default)]
    pub prompt: BuiltPrompt,
    /// Message referred to, if the text cannot be understood without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<AnchorHint>,
    /// Faults of the previous answer. Not empty only in a second round, which asks for a repair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<String>,
    /// Time limit for the answer, in milliseconds.
    pub budget_ms: Millis,
}

/// Kind of question, with its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "snake_case")]
pub enum Question {
    /// Asks for the intent of the message (`docs/design/0016-intent-and-scope-gate.md`).
    Classify {
        /// Answers that are allowed.
        labels: Vec<Intent>,
    },
    /// Asks for the text of one item or of several (`docs/design/0020-ticket-drafts-and-batches.md`).
    Draft {
        /// Type of item, if one was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item_type: Option<ItemType>,
        /// Number of stories for each epic; `None` asks for one item.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stories: Option<u8>,
        /// Further input beside the message, such as the artifact of a review.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        from: Vec<String>,
    },
    /// Asks for the fields of a preview that the message changes (`docs/design/0059-a-models-patch-of-a-draft.md`).
    Revise {
        /// Texts of the preview's items.
        items: Vec<DraftText>,
    },
    /// Asks for a review of the message and its context (`docs/design/0018-reviews.md`).
    Review {
        /// Kind of review; `None` lets the model choose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
    },
    /// Asks for the changes that feedback makes to a review.
    Patch {
        /// Current content of the review.
        review: ReviewAnswer,
        /// Version that the changes start from.
        version: u32,
    },
    /// Asks for a whole review, from its content and the changes since.
    Synthesis {
        /// Current content of the review.
        review: ReviewAnswer,
    },
    /// Asks for the option that the message means (`docs/design/0023-model-picks.md`).
    Select(Box<SelectInput>),
    /// Asks for an answer in words.
    Answer,
    /// Asks for a summary of the conversation (`docs/design/0026-summaries.md`).
    Summary {
        /// Cursor of the summary that this one continues.
        base_cursor: u64,
        /// Last message that the new summary covers.
        to: MessageId,
        /// Messages to summarise, one per line. They are part of the prompt and are kept no longer than it
        /// is.
        #[serde(default)]
        messages: Vec<String>,
    },
}

/// Contract name of [`Question::Select`]. An answer with another name does not count.
pub const SELECT_CONTRACT: &str = "tl-ask-1";

/// Input of [`Question::Select`]. It holds no ids of ours or of a host, and nothing from other places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectInput {
    /// Scope in which the options are shown.
    pub scope: Scope,
    /// Options in frozen order. Answers name them by alias, the first is `c1`.
    pub candidates: Vec<Candidate>,
    /// Aliases of the options that the words resemble, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// Aliases of the options that the person rejected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// Evidence that was fetched after the first call, one line each; empty in the first call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// True if the model may ask for more evidence.
    pub may_ask: bool,
}

/// Option as a model sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Alias: `c1`.
    pub alias: String,
    /// Label.
    pub label: String,
    /// Second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sublabel: Option<String>,
    /// Badge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Metadata of the option.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Properties as the host gave them.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub fields: Fields,
}

/// Evidence that a model may ask for before it picks an option (`docs/design/0023-model-picks.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Active list of the chat.
    ChatActiveOptions,
    /// List of the chat that can be shown again.
    ChatRecoverableOptions,
    /// Items of the focused panel.
    ActiveWidgetItems,
    /// Items of the dashboard.
    ActiveDashboardItems,
    /// Items of the workspace.
    ActiveWorkspaceItems,
    /// Place that the words point at.
    ScopeDisambiguationHint,
}

impl EvidenceKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::ChatActiveOptions,
        Self::ChatRecoverableOptions,
        Self::ActiveWidgetItems,
        Self::ActiveDashboardItems,
        Self::ActiveWorkspaceItems,
        Self::ScopeDisambiguationHint,
    ];

    /// Returns the name used in requests.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChatActiveOptions => "chat_active_options",
            Self::ChatRecoverableOptions => "chat_recoverable_options",
            Self::ActiveWidgetItems => "active_widget_items",
            Self::ActiveDashboardItems => "active_dashboard_items",
            Self::ActiveWorkspaceItems => "active_workspace_items",
            Self::ScopeDisambiguationHint => "scope_disambiguation_hint",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|evidence| evidence.as_str() == word)
    }
}

/// Verdict of a model about the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectVerdict {
    /// One option is meant.
    Select,
    /// No option is meant.
    None,
    /// It cannot be decided.
    NeedMoreInfo,
    /// It might be decided with more evidence.
    RequestContext,
}

/// Purpose of an open question: it selects the code that receives the answer. Holds ids only; the records are
/// in the lane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerRecipient {
    /// Routing continues with the intent, or without one.
    #[default]
    Intent,
    /// Text of one ticket.
    Draft(DraftId),
    /// Texts of a batch of tickets.
    Batch(BatchId),
    /// Changes to the texts of a preview.
    Revision {
        /// Card of the preview.
        card: CardId,
        /// Version of the card that the changes start from.
        version: u32,
    },
    /// Answer in words.
    Discussion,
    /// New review.
    Review(ReviewId),
    /// Changes to a review after feedback.
    Patch(ReviewId),
    /// Review as a whole.
    Synthesis(ReviewId),
    /// Option that this person means.
    Selection(String),
}

impl AnswerRecipient {
    pub(crate) fn is_intent(&self) -> bool {
        *self == Self::Intent
    }

    /// Returns the draft that is being written.
    pub(crate) fn draft(&self) -> Option<&DraftId> {
        if let Self::Draft(draft) = self { Some(draft) } else { None }
    }

    /// Returns the batch that is being written.
    pub(crate) fn batch(&self) -> Option<&BatchId> {
        if let Self::Batch(batch) = self { Some(batch) } else { None }
    }
}

/// Answer of a model as the adapter parsed it. The engine checks it before use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "purpose", rename_all = "snake_case")]
pub enum Answer {
    /// Intent.
    Classify {
        /// Label that the model chose. One that was not offered counts as no answer.
        label: String,
        /// Confidence, 0 to 100.
        confidence: u8,
        /// Message that the model took as the anchor. One that was not offered is removed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        anchor: Option<MessageId>,
    },
    /// Items, each epic before its stories.
    Draft {
        /// Texts of the items.
        items: Vec<DraftAnswer>,
    },
    /// Changes to the texts of a preview.
    Revision {
        /// New texts.
        changes: Vec<FieldChange>,
    },
    /// Review.
    Review(ReviewAnswer),
    /// Changes to a review.
    Patch(PatchAnswer),
    /// Option, not checked yet.
    Select {
        /// Contract that the answer claims to follow.
        contract: String,
        /// Verdict.
        says: SelectVerdict,
        /// Alias of the option.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        choice: Option<String>,
        /// Confidence, 0 to 100.
        confidence: u8,
        /// Evidence that the model asks for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        needs: Vec<String>,
    },
    /// Words.
    Text {
        /// Text. It is data: nothing acts on it.
        text: String,
        /// Facts that the model found in its prompt. Each is checked before it is stored.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        facts: Vec<FactProposal>,
    },
    /// Summary.
    Summary {
        /// Text of the summary.
        text: String,
        /// Facts that the model found in the messages.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        facts: Vec<FactProposal>,
    },
    /// No usable answer: refused, cut short, malformed, late or over budget.
    None {
        /// Stable word for the reason.
        why: String,
    },
}

/// Item as a model wrote it. A model cannot set the project, an approver or the issue key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftAnswer {
    /// Type of issue.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// Text by part.
    pub fields: BTreeMap<Part, String>,
}

/// Texts of one item of a preview, as a model sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DraftText {
    /// Name of the item in the question: `i1`.
    pub item: String,
    /// Type of issue.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// Text by part.
    pub fields: BTreeMap<Part, String>,
}

/// One field of a preview that becomes another text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldChange {
    /// Name of the item in the question.
    pub item: String,
    /// Field.
    pub field: Part,
    /// Its whole new text.
    pub text: String,
}

/// Review as a model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewAnswer {
    /// Kind: `architecture`, `security` or `pm`.
    #[serde(default)]
    pub kind: String,
    /// Topic, in a few words.
    pub topic: String,
    /// Conclusion.
    pub summary: String,
    /// Decisions.
    #[serde(default)]
    pub decisions: Vec<String>,
    /// Risks.
    #[serde(default)]
    pub risks: Vec<String>,
    /// Open questions.
    #[serde(default)]
    pub questions: Vec<String>,
}

/// Changes that feedback makes to a review, the most important first in each section
/// (`docs/design/0018-reviews.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchAnswer {
    /// New decisions.
    #[serde(default)]
    pub decisions: Vec<String>,
    /// New risks.
    #[serde(default)]
    pub risks: Vec<String>,
    /// New open questions.
    #[serde(default)]
    pub questions: Vec<String>,
    /// Changes of existing entries.
    #[serde(default)]
    pub changes: Vec<String>,
}

impl Question {
    /// Returns the purpose, by which a model is configured.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        match self {
            Self::Classify { .. } => Purpose::Classify,
            Self::Draft { .. } | Self::Revise { .. } => Purpose::Draft,
            Self::Review { .. } | Self::Patch { .. } | Self::Synthesis { .. } => Purpose::Review,
            Self::Select(_) => Purpose::Select,
            Self::Answer => Purpose::Answer,
            Self::Summary { .. } => Purpose::Summary,
        }
    }

    /// Returns the name used in prompts and traces. A purpose with several questions has one name for each.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Revise { .. } => "revise",
            Self::Patch { .. } => "patch",
            Self::Synthesis { .. } => "synthesis",
            other => other.purpose().as_str(),
        }
    }

    /// Returns true if the answer is work, so that the prompt shows finished and blocked tasks. Other
    /// questions choose or condense.
    #[must_use]
    pub fn is_work(&self) -> bool {
        matches!(self.purpose(), Purpose::Answer | Purpose::Draft | Purpose::Review)
    }

    /// Returns the number of rounds at most: drafts, reviews and patches may be repaired once, the others
    /// never.
    #[must_use]
    pub fn max_rounds(&self) -> u8 {
        match self {
            Self::Draft { .. } | Self::Revise { .. } | Self::Review { .. } | Self::Patch { .. } => 2,
            Self::Classify { .. }
            | Self::Synthesis { .. }
            | Self::Select(_)
            | Self::Answer
            | Self::Summary { .. } => 1,
        }
    }
}

impl Ask {
    /// Returns the purpose, by which a model is configured.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.question.purpose()
    }

    /// Returns true if an answer may name the anchor. A quotation of a message that is not stored has no id
    /// to name.
    #[must_use]
    pub fn names_anchor(&self) -> bool {
        names_anchor(self.hint.as_ref())
    }
}

pub(crate) fn names_anchor(hint: Option<&AnchorHint>) -> bool {
    hint.is_some_and(|hint| hint.focus_anchor_internal_id.is_some())
}
