//! Everything that can wake a lane.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::effect::Outcome;
use crate::id::{CardId, EffectId, SetId, TaskId, TimerId};
use crate::lane::{MessageKind, TaskStatus};
use crate::recognize::Expected;
use crate::selection::{Scope, Shown};
use crate::time::Timestamp;
use crate::workflow::{Action, TimerAbout};

/// One thing that happened, as intake normalised it (`spec 02 §1`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The delivery key that identifies it. Never compared for order. Empty where it is stored next to the key.
    #[serde(default)]
    pub id: String,
    /// When intake received it.
    pub received_at: Timestamp,
    /// Who did it: a channel's user id. Empty for what nobody did (timers, settled effects).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened. Seed 001's `BUTTON_CLICK`, `SLASH_COMMAND` and `MODAL_SUBMIT` are `card.pressed`,
/// `command` and `form.submitted`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "what")]
pub enum EventKind {
    /// A person wrote.
    #[serde(rename = "message.posted")]
    MessagePosted(Posted),
    /// A person changed what they wrote.
    #[serde(rename = "message.edited")]
    MessageEdited {
        /// The channel's id of the message.
        message: String,
        /// The new text.
        text: String,
        /// The text is what it was: an unfurl, a pin.
        #[serde(default)]
        metadata_only: bool,
    },
    /// A person took back what they wrote.
    #[serde(rename = "message.deleted")]
    MessageDeleted {
        /// The channel's id of the message.
        message: String,
    },
    /// A button was pressed, or an approval decided through the API or the command line.
    #[serde(rename = "card.pressed")]
    CardPressed {
        /// Which button.
        press: Press,
        /// *Remember for this thread* was ticked.
        #[serde(default)]
        remember: bool,
    },
    /// A slash command; `text` is what follows the command's name.
    #[serde(rename = "command")]
    Command {
        /// The words after the name.
        text: String,
    },
    /// A form came back.
    #[serde(rename = "form.submitted")]
    FormSubmitted {
        /// The button that opened it.
        press: Press,
        /// What was filled in, by field.
        values: BTreeMap<String, String>,
    },
    /// A host's own agent said something, maybe asked something.
    #[serde(rename = "assistant.posted")]
    AssistantPosted(AssistantPosted),
    /// A host or a sub-agent reports where a task stands.
    #[serde(rename = "task.reported")]
    TaskReported(TaskReported),
    /// A host shows somebody a list of options (`spec 04 §2.3`).
    #[serde(rename = "options.shown")]
    OptionsShown(Shown),
    /// A host took a list away, by its id or by the place it was in.
    #[serde(rename = "options.closed")]
    OptionsClosed {
        /// Which list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        set: Option<SetId>,
        /// All lists of this place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope_instance: Option<String>,
    },
    /// Somebody looks at another panel, or at another option of it.
    #[serde(rename = "focus.changed")]
    FocusChanged(FocusChanged),
    /// The user has to be told what intake did not take.
    #[serde(rename = "intake.notice")]
    IntakeNotice {
        /// The stable word: `queue_full`, `dead`, `paused`, `rate`, `still_open`, `still_open_here` (another lane of the
        /// chat says it), `linked`.
        why: String,
        /// The sentence.
        message: String,
    },
    /// An effect of an earlier turn has its outcome.
    #[serde(rename = "effect.settled")]
    EffectSettled {
        /// Which one.
        effect: EffectId,
        /// How it ended.
        outcome: Outcome,
        /// The card it was for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<CardId>,
        /// The task it was for, when a tool or a sub-agent did it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
    /// An effect of an earlier turn goes on, and its far side says how.
    #[serde(rename = "effect.progressed")]
    EffectProgressed {
        /// Which one.
        effect: EffectId,
        /// The task it is for.
        task: TaskId,
        /// Its words: data, never an instruction.
        text: String,
    },
    /// A deadline an earlier turn set has come.
    #[serde(rename = "timer.due")]
    TimerDue {
        /// Which one.
        timer: TimerId,
        /// What it was set for.
        about: TimerAbout,
    },
    /// A kind this version does not handle: accepted, recorded, ignored (`spec 06 §2`, I6).
    #[serde(rename = "unknown")]
    Unknown {
        /// The name it came under.
        name: String,
    },
}

/// A person's message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Posted {
    /// What they wrote.
    pub text: String,
    /// The channel's id of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The message they replied to: the channel's id or ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The replied-to text, as the channel's payload quotes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The task a host says it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// What came with it. Nothing of it is read, and its person is told so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Attached>,
}

/// Where a person looks, as the host sees it (`spec 04 §2.3`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FocusChanged {
    /// Who.
    pub user: String,
    /// What kind of place.
    pub scope: Scope,
    /// Which one.
    pub scope_instance: String,
    /// Which option in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
}

/// Something that came with a message: what is known of it without looking inside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// What it is, as people call it: `photo`, `file`, `voice message`, …
    pub kind: String,
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its media type, as its sender states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime: Option<String>,
    /// Its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What a host's agent said (`spec 02 §1`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssistantPosted {
    /// Whether it anchors, and as what.
    pub kind: MessageKind,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The words.
    pub text: String,
    /// Opens a conversational pending for an answer of this type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Who is asked; nobody named is everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    /// Until when; otherwise the default of the pending's kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// Where a task stands, as a host sees it (`spec 05 §2`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskReported {
    /// Which task: the host's id or ours.
    pub task: TaskId,
    /// Where it stands.
    pub status: TaskStatus,
    /// Since when; when intake received it, if nobody says. Older than what is known: no change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// What was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// Why it is blocked, or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

impl Default for TaskReported {
    fn default() -> Self {
        let status = TaskStatus::Running;
        Self { task: TaskId::from(""), status, at: None, intent: None, reason: None, result: None }
    }
}

/// Which button.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Press {
    /// The opaque token on the wire; the runtime resolved it into [`crate::given::Given::press`].
    Token(String),
    /// A decision by id and version: the API's `decide`, `throughline approvals decide`.
    Decision {
        /// The approval.
        card: CardId,
        /// The version that was seen.
        version: u32,
        /// Which item of the card; empty for the card itself.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        item: String,
        /// What was decided.
        action: Action,
    },
    /// An option of a list, pressed where its host shows it.
    Option {
        /// Which list.
        set: SetId,
        /// What of it was seen: its `exec_rev`.
        version: u32,
        /// Which option.
        option: String,
    },
}

impl Attached {
    /// What a person is told it is: `photo`, `file plan.pdf`.
    #[must_use]
    pub fn told(&self) -> String {
        match &self.name {
            Some(name) => alloc::format!("{} {name}", self.kind),
            None => self.kind.clone(),
        }
    }
}

impl Posted {
    /// It says nothing: all there is came with it.
    #[must_use]
    pub fn only_files(&self) -> bool {
        !self.files.is_empty() && self.text.trim().is_empty()
    }
}

impl EventKind {
    /// The kind's public name.
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
            Self::TaskReported(_) => "task.reported",
            Self::OptionsShown(_) => "options.shown",
            Self::OptionsClosed { .. } => "options.closed",
            Self::FocusChanged(_) => "focus.changed",
            Self::IntakeNotice { .. } => "intake.notice",
            Self::EffectSettled { .. } => "effect.settled",
            Self::EffectProgressed { .. } => "effect.progressed",
            Self::TimerDue { .. } => "timer.due",
            Self::Unknown { name } => name,
        }
    }
}
