//! Events: everything that can wake a lane.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::action::Action;
use crate::data::attachment::Attachment;
use crate::data::card::TimerPurpose;
use crate::data::effect::outcome::Outcome;
use crate::data::erasure::ErasureScope;
use crate::data::fact::{FactKey, FactScope, FactType};
use crate::data::host_act::HostAct;
use crate::data::id::{CardId, EffectId, FactId, MessageId, SetId, TaskId, TimerId};
use crate::data::issue_report::IssueReport;
use crate::data::message::MessageKind;
use crate::data::notice::Notice;
use crate::data::option_set::OptionsShown;
use crate::data::scope::Scope;
use crate::data::task::TaskReported;
use crate::data::time::Timestamp;
use throughline_language::Expected;

/// Event, as intake normalised it (`docs/design/0029-durable-intake.md`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Delivery key that identifies it; never compared for order. Empty where it is stored next to the key.
    #[serde(default)]
    pub id: String,
    /// Time when intake received it.
    pub received_at: Timestamp,
    /// User id of the person who caused it. Empty for timers and settled effects.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// Kind, with its content.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// Kind of event. A button press is `card.pressed`, a slash command `command`, a submitted form
/// `form.submitted`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "what")]
pub enum EventKind {
    /// Message of a person.
    #[serde(rename = "message.posted")]
    MessagePosted(MessagePosted),
    /// Edit of a message by its author.
    #[serde(rename = "message.edited")]
    MessageEdited {
        /// Message id of the channel.
        message: String,
        /// New text.
        text: String,
        /// True if the text did not change, as with an unfurled link or a pin.
        #[serde(default)]
        metadata_only: bool,
    },
    /// Deletion of a message by its author.
    #[serde(rename = "message.deleted")]
    MessageDeleted {
        /// Message id of the channel.
        message: String,
    },
    /// Press of a button, or decision of an approval through the API or the command line.
    #[serde(rename = "card.pressed")]
    CardPressed {
        /// Button.
        press: Press,
        /// True if *Remember for this thread* was ticked.
        #[serde(default)]
        remember: bool,
    },
    /// Slash command.
    #[serde(rename = "command")]
    Command {
        /// Words after the command's name.
        text: String,
    },
    /// Submitted form.
    #[serde(rename = "form.submitted")]
    FormSubmitted {
        /// Button that opened the form.
        press: Press,
        /// Values by field.
        values: BTreeMap<String, String>,
    },
    /// Message of a host's own agent, which may ask something.
    #[serde(rename = "assistant.posted")]
    AssistantPosted(AssistantPosted),
    /// Request of a host that a person approves an act of the host's (`docs/design/0077-acts-of-hosts.md`).
    #[serde(rename = "approval.requested")]
    ApprovalRequested(HostAct),
    /// Report of a host or a sub-agent about the status of a task.
    #[serde(rename = "task.reported")]
    TaskReported(TaskReported),
    /// List of options that a host shows to a person (`docs/design/0021-option-lists.md`).
    #[serde(rename = "options.shown")]
    OptionsShown(OptionsShown),
    /// Removal of a list by its host: by id, or all lists of a place.
    #[serde(rename = "options.closed")]
    OptionsClosed {
        /// List.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        set: Option<SetId>,
        /// Instance of a scope, all of whose lists are removed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope_instance: Option<String>,
    },
    /// Fact that somebody states directly, not in a message (`docs/design/0027-facts.md`).
    #[serde(rename = "fact.stated")]
    FactStated(FactStated),
    /// Retraction of a fact.
    #[serde(rename = "fact.taken_back")]
    FactTakenBack {
        /// Place where the fact is kept.
        key: FactKey,
        /// Fact.
        fact: FactId,
    },
    /// Move of a person's focus to another panel, or to another option of it.
    #[serde(rename = "focus.changed")]
    FocusChanged(FocusChanged),
    /// Notice about something that intake did not accept.
    #[serde(rename = "intake.notice")]
    IntakeNotice(Notice),
    /// Outcome of an effect of an earlier turn.
    #[serde(rename = "effect.settled")]
    EffectSettled {
        /// Effect.
        effect: EffectId,
        /// Outcome.
        outcome: Outcome,
        /// Card that waits for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<CardId>,
        /// Task that waits for it, if a tool or a sub-agent did the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// Message that it did not show, if it was to show one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unshown: Option<Unshown>,
    },
    /// Progress report on an effect of an earlier turn.
    #[serde(rename = "effect.progressed")]
    EffectProgressed {
        /// Effect.
        effect: EffectId,
        /// Task of the effect.
        task: TaskId,
        /// Text of the report. It is data, never an instruction.
        text: String,
    },
    /// Report of a tracker about an issue that was created here (`docs/design/0062-reports-of-trackers.md`).
    #[serde(rename = "issue.reported")]
    IssueReported(IssueReport),
    /// Timer of an earlier turn that is due.
    #[serde(rename = "timer.due")]
    TimerDue {
        /// Timer.
        timer: TimerId,
        /// Purpose of the timer.
        about: TimerPurpose,
    },
    /// Erasure of a person or of the whole lane (`docs/design/0028-erasure.md`). Only the runtime sends it.
    #[serde(rename = "erasure")]
    Erasure(ErasureScope),
    /// Kind that this version does not know. It is accepted and recorded, and changes nothing.
    #[serde(rename = "unknown")]
    Unknown {
        /// Name of the kind.
        name: String,
    },
}

/// Message of a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessagePosted {
    /// Text.
    pub text: String,
    /// Message id of the channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// Message it replies to, by the channel's id or ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Text of that message, as the channel quotes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Task that it belongs to, as a host says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Attachments. Their content is not read, and the person is told so (`docs/design/0094-files-as-evidence.md`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Attachment>,
    /// Revision of the lane that its writer saw when writing, if the channel knows it: what was shown later is not what the words
    /// are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<u64>,
}

/// Focus of a person, as the host sees it (`docs/design/0021-option-lists.md`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FocusChanged {
    /// User id of the person.
    pub user: String,
    /// Scope that has the focus.
    pub scope: Scope,
    /// Instance of the scope.
    pub scope_instance: String,
    /// Id of the focused option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
}

/// Fact that somebody states directly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactStated {
    /// Kind of statement.
    #[serde(rename = "type")]
    pub kind: FactType,
    /// Scope of the fact, relative to this lane.
    pub scope: FactScope,
    /// Issue key of the epic, if the lane does not determine the epic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epic: Option<String>,
    /// Text, one sentence.
    pub text: String,
    /// Subject, if it is something that has one value at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// Message of a host's agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssistantPosted {
    /// Kind of message; it decides whether replies can refer to it.
    pub kind: MessageKind,
    /// Task that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Text.
    pub text: String,
    /// Type of the expected answer. If present, the message opens a conversational pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Person who is asked; `None` means everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// Time the question expires; `None` means the default of the pending's kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Host's own id of the message, if it has posted it. A reply to that id refers to the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}

/// Message that an effect was to show and did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unshown {
    /// Message.
    pub message: MessageId,
    /// True if a part or an earlier state of it was shown before.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub seen: bool,
}

/// Pressed button, by token or by content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Press {
    /// Opaque token as the channel sent it. The runtime resolves it into
    /// [`crate::data::step_input::StepInput::press`].
    Token(String),
    /// Decision by id and version, from the API or from `throughline approvals decide`.
    Decision {
        /// Approval.
        card: CardId,
        /// Version that the person saw.
        version: u32,
        /// Item of the card; empty for the card itself.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        item: String,
        /// Decision.
        action: Action,
    },
    /// Option of a list, pressed in the host's own display.
    Option {
        /// List.
        set: SetId,
        /// Version of the list that the person saw (`exec_rev`).
        version: u32,
        /// Option.
        option: String,
    },
}

impl MessagePosted {
    /// Returns true if the message has attachments and no text.
    #[must_use]
    pub fn only_files(&self) -> bool {
        !self.files.is_empty() && self.text.trim().is_empty()
    }
}

impl EventKind {
    /// Beginning of the id of an [`Self::AssistantPosted`] with which an approved post reaches its own conversation.
    pub const POSTED_BY_US: &'static str = "post:";

    /// Returns the public name of the kind.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::MessagePosted(_) => "message.posted",
            Self::MessageEdited { .. } => "message.edited",
            Self::MessageDeleted { .. } => "message.deleted",
            Self::CardPressed { .. } => "card.pressed",
            Self::Command { .. } => "command",
            Self::FormSubmitted { .. } => "form.submitted",
            Self::AssistantPosted(_) => "assistant.posted",
            Self::ApprovalRequested(_) => "approval.requested",
            Self::TaskReported(_) => "task.reported",
            Self::OptionsShown(_) => "options.shown",
            Self::OptionsClosed { .. } => "options.closed",
            Self::FactStated(_) => "fact.stated",
            Self::FactTakenBack { .. } => "fact.taken_back",
            Self::FocusChanged(_) => "focus.changed",
            Self::IntakeNotice(_) => "intake.notice",
            Self::EffectSettled { .. } => "effect.settled",
            Self::EffectProgressed { .. } => "effect.progressed",
            Self::IssueReported(_) => "issue.reported",
            Self::TimerDue { .. } => "timer.due",
            Self::Erasure(_) => "erasure",
            Self::Unknown { name } => name,
        }
    }
}
