//! What we ask a model: typed and bounded. A model picks from what it was offered, or fills in what was asked for, or
//! says nothing. `arbitrate.rs` is the one loop every question goes through, `judge.rs` what an answer is worth.

pub(crate) mod arbitrate;
mod judge;
mod purpose;
mod shown;
pub mod wording;

pub use judge::{Verdict, judge};
pub use purpose::{Purpose, Purposes};
pub use shown::Shown;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::context::prompt::{Built, Sections, TooLarge, build};
use crate::context::text::tokens;
use crate::focus::Hint;
use crate::id::{BatchId, DraftId, MessageId, ReviewId};
use crate::intent::Intent;
use crate::memory::Proposal;
use crate::policy::{Policy, limits};
use crate::selection::{Metadata, Scope};
use crate::tickets::{ItemType, Part};
use crate::time::Millis;

/// A question to a model, with everything it is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// What is asked for.
    #[serde(flatten)]
    pub question: Question,
    /// The message it is about.
    pub text: String,
    /// That message's id, when it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Sections 1 to 7 of its prompt (`spec 05 §4`), as they were when it was asked.
    #[serde(default)]
    pub prompt: Built,
    /// What the message refers to, when it cannot be understood without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// What was wrong with the answer before this one: the second round of a question is its repair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<String>,
    /// All the time there is.
    pub budget_ms: Millis,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "snake_case")]
pub enum Question {
    /// Which of the five intents is this? (`spec 03 §1`)
    Classify {
        /// What may be answered.
        labels: Vec<Intent>,
    },
    /// The text of one item, or of several (`spec 03 §6`).
    Draft {
        /// The type that was asked for, when one was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item_type: Option<ItemType>,
        /// How many stories an epic should have, for each epic; `None` asks for one item.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stories: Option<u8>,
        /// What it is made from beside the message: a review's artifact, for one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        from: Vec<String>,
    },
    /// A review of the message and its context (`spec 03 §4`).
    Review {
        /// The kind, when it is known; else the model says which.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
    },
    /// What feedback changes of a review.
    Patch {
        /// The review as it stands.
        review: Reviewed,
        /// The version the changes are since.
        version: u32,
    },
    /// A review as a whole, from what it was and what was changed since.
    Synthesis {
        /// The review as it stands.
        review: Reviewed,
    },
    /// Which of these options the message means (`spec 04 §12.2`).
    Select(Box<Choice>),
    /// An answer to the message, in words.
    Answer,
    /// The conversation, condensed (`spec 05 §7`).
    Summary {
        /// How far the summary reaches that it goes on from.
        base_cursor: u64,
        /// How far it will reach.
        to: MessageId,
        /// The messages in between, one a line. They are part of the prompt, and kept no longer than it.
        #[serde(default)]
        messages: Vec<String>,
    },
}

/// The contract of [`Question::Select`]: an answer names it, or is none.
pub const SELECT_CONTRACT: &str = "tl-ask-1";

/// What is asked of a model that may say which option is meant: nothing of another place, no id of ours or a host's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Where the options are shown.
    pub scope: Scope,
    /// The options, in frozen order: an answer names one by its place, `c1` the first.
    pub candidates: Vec<Candidate>,
    /// Those the words resemble, by alias, the most alike first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// Those the person rejected, by alias.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// What was looked up since the first call, one line each; nothing in the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Whether more may be asked for.
    pub may_ask: bool,
}

/// One option, as a model is shown it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// `c1`.
    pub alias: String,
    /// What it is called.
    pub label: String,
    /// A second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sublabel: Option<String>,
    /// The sign beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// What else it is called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// What a model may ask to see before it says which option is meant (`spec 04 §12.2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The active list of the chat.
    ChatActiveOptions,
    /// One of the chat that can be called back.
    ChatRecoverableOptions,
    /// What the focused panel shows.
    ActiveWidgetItems,
    /// What the dashboard shows.
    ActiveDashboardItems,
    /// What the workspace shows.
    ActiveWorkspaceItems,
    /// Where the words point.
    ScopeDisambiguationHint,
}

impl Evidence {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::ChatActiveOptions,
        Self::ChatRecoverableOptions,
        Self::ActiveWidgetItems,
        Self::ActiveDashboardItems,
        Self::ActiveWorkspaceItems,
        Self::ScopeDisambiguationHint,
    ];

    /// Its public name.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ChatActiveOptions => "chat_active_options",
            Self::ChatRecoverableOptions => "chat_recoverable_options",
            Self::ActiveWidgetItems => "active_widget_items",
            Self::ActiveDashboardItems => "active_dashboard_items",
            Self::ActiveWorkspaceItems => "active_workspace_items",
            Self::ScopeDisambiguationHint => "scope_disambiguation_hint",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|evidence| evidence.word() == word)
    }
}

/// What a model says of the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// This one is meant.
    Select,
    /// None of them is.
    None,
    /// It cannot be told.
    NeedMoreInfo,
    /// It could be told with more to see.
    RequestContext,
}

/// What an answer is for: whom the loop hands it to. Ids only; what they name is in the lane's records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Routing goes on with the intent, or without one.
    #[default]
    Intent,
    /// The text of one ticket.
    Draft(DraftId),
    /// The text of several.
    Batch(BatchId),
    /// An answer in words.
    Discussion,
    /// A review that is being written.
    Review(ReviewId),
    /// What feedback changes of a review.
    Patch(ReviewId),
    /// A review as a whole.
    Synthesis(ReviewId),
    /// Which option this person means.
    Selection(String),
}

impl Asked {
    pub(crate) fn is_intent(&self) -> bool {
        *self == Self::Intent
    }

    /// The draft that is being written.
    pub(crate) fn draft(&self) -> Option<&DraftId> {
        if let Self::Draft(draft) = self { Some(draft) } else { None }
    }

    /// The batch that is being written.
    pub(crate) fn batch(&self) -> Option<&BatchId> {
        if let Self::Batch(batch) = self { Some(batch) } else { None }
    }
}

/// What came back, as the edge parsed it; the loop judges it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "purpose", rename_all = "snake_case")]
pub enum Answer {
    /// One label.
    Classify {
        /// The word the model chose. Not in the labels: no answer.
        label: String,
        /// 0 to 100.
        confidence: u8,
        /// The message the model took it to refer to. Not the one that was offered: removed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        anchor: Option<MessageId>,
    },
    /// Items, an epic before its stories.
    Draft {
        /// Each with its text.
        items: Vec<Drafted>,
    },
    /// A review.
    Review(Reviewed),
    /// What changes of a review.
    Patch(Patch),
    /// Which option, as it came: whether it can be one is judged here.
    Select {
        /// What it says it answers to.
        contract: String,
        /// What it says.
        says: Says,
        /// Which option, by alias.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        choice: Option<String>,
        /// 0 to 100.
        confidence: u8,
        /// What it would have to see.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        needs: Vec<String>,
    },
    /// Words.
    Text {
        /// The words. They are data: nothing acts on them.
        text: String,
        /// What it found stated in what it was shown; each is checked before it is believed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        facts: Vec<Proposal>,
    },
    /// A summary.
    Summary {
        /// The summary.
        text: String,
        /// What it found stated in the messages.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        facts: Vec<Proposal>,
    },
    /// Refused, cut, malformed, too late, over budget: no answer, and why.
    None {
        /// A stable word.
        why: String,
    },
}

/// One item as a model wrote it. It names no project, no approver and no issue: those are not its to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drafted {
    /// What kind of issue.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// Its text, by part.
    pub fields: BTreeMap<Part, String>,
}

/// A review as a model wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reviewed {
    /// `architecture`, `security` or `pm`.
    #[serde(default)]
    pub kind: String,
    /// What it is about, in a few words.
    pub topic: String,
    /// What it comes to.
    pub summary: String,
    /// What is decided.
    #[serde(default)]
    pub decisions: Vec<String>,
    /// What may go wrong.
    #[serde(default)]
    pub risks: Vec<String>,
    /// What nobody knows yet.
    #[serde(default)]
    pub questions: Vec<String>,
}

/// What feedback changes of a review, each section by importance (`spec 03 §4`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// New decisions.
    #[serde(default)]
    pub decisions: Vec<String>,
    /// New risks.
    #[serde(default)]
    pub risks: Vec<String>,
    /// New open questions.
    #[serde(default)]
    pub questions: Vec<String>,
    /// What changed of what was there.
    #[serde(default)]
    pub changes: Vec<String>,
}

impl Question {
    /// What it is for.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        match self {
            Self::Classify { .. } => Purpose::Classify,
            Self::Draft { .. } => Purpose::Draft,
            Self::Review { .. } | Self::Patch { .. } | Self::Synthesis { .. } => Purpose::Review,
            Self::Select(_) => Purpose::Select,
            Self::Answer => Purpose::Answer,
            Self::Summary { .. } => Purpose::Summary,
        }
    }

    /// What it is called in prompts and traces: purposes with more than one question have a name for each.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Patch { .. } => "patch",
            Self::Synthesis { .. } => "synthesis",
            other => other.purpose().word(),
        }
    }

    /// Whether whoever answers it does work, and so is shown what was done and what is blocked; the others choose or
    /// condense (`spec 05 §4.1`).
    #[must_use]
    pub fn works(&self) -> bool {
        matches!(self.purpose(), Purpose::Answer | Purpose::Draft | Purpose::Review)
    }

    /// How often it is asked at most: what a person is shown gets one repair (`spec 03 §6.1`), what only routes none.
    #[must_use]
    pub fn rounds(&self) -> u8 {
        match self {
            Self::Draft { .. } | Self::Review { .. } | Self::Patch { .. } => 2,
            Self::Classify { .. }
            | Self::Synthesis { .. }
            | Self::Select(_)
            | Self::Answer
            | Self::Summary { .. } => 1,
        }
    }
}

impl Ask {
    /// The question about a message, with nothing around it.
    #[must_use]
    pub fn about(question: Question, text: &str, policy: &Policy) -> Self {
        let (bare, budget_ms) = (question.clone(), policy.ask.budget(question.purpose()));
        Self::within(question, text, None, Shown::default(), policy).unwrap_or(Self {
            question: bare,
            text: text.into(),
            message: None,
            prompt: Built::default(),
            hint: None,
            complaints: Vec::new(),
            budget_ms,
        })
    }

    /// The question about a message, with what is around it.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] when what is never left out of a prompt does not fit into one: nobody is asked.
    pub fn within(
        question: Question,
        text: &str,
        hint: Option<Hint>,
        shown: Shown,
        policy: &Policy,
    ) -> Result<Self, TooLarge> {
        let material = wording::material(&question);
        let input = material.iter().fold(tokens(text), |sum, line| sum.saturating_add(tokens(line)));
        let prompt = build(Sections {
            rules: wording::rules(&question),
            contract: wording::contract(&question, names_anchor(hint.as_ref())),
            input_tokens: input.saturating_add(limits::INPUT_FRAME),
            ..shown.sections(policy)
        })?;
        let budget_ms = policy.ask.budget(question.purpose());
        let (text, complaints) = (text.into(), Vec::new());
        Ok(Self { question, text, message: None, prompt, hint, complaints, budget_ms })
    }

    /// The classify question.
    #[must_use]
    pub fn classify(text: &str, policy: &Policy) -> Self {
        Self::about(Question::Classify { labels: Intent::ALL.into() }, text, policy)
    }

    /// What it is for.
    #[must_use]
    pub fn purpose(&self) -> Purpose {
        self.question.purpose()
    }

    /// Whether there is a message whose id an answer may name: a quotation of one we do not know has none.
    #[must_use]
    pub fn names_anchor(&self) -> bool {
        names_anchor(self.hint.as_ref())
    }
}

fn names_anchor(hint: Option<&Hint>) -> bool {
    hint.is_some_and(|hint| hint.focus_anchor_internal_id.is_some())
}
