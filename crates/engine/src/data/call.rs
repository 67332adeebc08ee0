//! Tools, sub-agents and the calls made to them (`docs/design/0037-models-and-tools.md`).

use crate::data::erasure::ERASED;
use crate::data::host_act::HostAct;
use crate::data::id::{CardId, EffectId, MessageId, TaskId};
use crate::data::issue_change::{IssueChange, IssueView};
use crate::data::lane_key::LaneKey;
use crate::data::permit::ChosenOption;
use crate::data::prompt::BuiltPrompt;
use crate::data::ticket::Target;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use throughline_language::Expected;

/// The risk of a tool or an agent, from the installation's configuration: a vendor's own hints are not
/// believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Looks things up.
    Read,
    /// Changes something.
    Write,
    /// Changes something irreversibly. The default for what nobody classified.
    #[default]
    Destructive,
}

impl Risk {
    /// True if it changes something outside the thread, and so needs a consumed approval.
    #[must_use]
    pub fn is_outward(self) -> bool {
        self != Self::Read
    }
}

/// A tool that may be called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tool {
    /// Its risk.
    pub risk: Risk,
    /// Arguments that have to be known before it is called: each is asked for, and read strictly.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, Expected>,
}

/// A sub-agent that may be handed a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// Its risk.
    pub risk: Risk,
    /// True if it can be asked to stop the work it was handed.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub stops: bool,
}

/// A piece of work as it goes out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum Job {
    /// A tool, with its arguments.
    Tool {
        /// The tool's name.
        name: String,
        /// Values by argument name.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        args: BTreeMap<String, String>,
    },
    /// A sub-agent, with the task's intent.
    Agent {
        /// The sub-agent's name.
        name: String,
    },
    /// An option of a list, which the list's host runs.
    Option(ChosenOption),
    /// A change of an issue that exists, which its tracker makes.
    Change(PlannedChange),
    /// An act that the host asked leave for, which the host performs.
    Act(HostAct),
}

/// A change of an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedChange {
    /// Tracker and project of the issue.
    pub target: Target,
    /// Key of the issue.
    pub key: String,
    /// Change.
    pub change: IssueChange,
    /// Person who asked; empty in cards of versions before 0.2.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// The issue as it was looked up for the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<IssueView>,
    /// Title of the issue it is to be linked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
}

impl PlannedChange {
    /// Returns the change with its words erased.
    fn without_words(self) -> Self {
        let change = match self.change {
            IssueChange::Comment(_) => IssueChange::Comment(ERASED.into()),
            IssueChange::Assignee(_) => IssueChange::Assignee(ERASED.into()),
            change @ (IssueChange::Parent(_) | IssueChange::State(_) | IssueChange::Link(_)) => change,
        };
        let erased = |view: IssueView| IssueView { title: ERASED.into(), assignee: None, ..view };
        let other = self.other.map(|_| ERASED.into());
        Self { change, issue: self.issue.map(erased), other, ..self }
    }
}

impl Job {
    /// Returns the act of a host, if it is one.
    #[must_use]
    pub fn act(&self) -> Option<&HostAct> {
        if let Self::Act(act) = self { Some(act) } else { None }
    }

    /// Returns the name of the tool or the agent, the option's label, the issue's key, or the act's title.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Tool { name, .. } | Self::Agent { name } => name,
            Self::Option(chosen) => chosen.label(),
            Self::Change(planned) => &planned.key,
            Self::Act(act) => &act.title,
        }
    }

    /// Returns the effect class, as approver rules name it.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Tool { .. } => "tool.call",
            Self::Agent { .. } => "agent.delegate",
            Self::Option(_) => "option.execute",
            Self::Change(_) => "tracker.update",
            Self::Act(_) => "host.act",
        }
    }

    /// Returns the target, as approver rules name it: `tool:crm.update`, `agent:writer`, `option:open:3`, `local:DEMO`,
    /// `act:web`.
    #[must_use]
    pub fn target(&self) -> String {
        match self {
            Self::Tool { name, .. } => alloc::format!("tool:{name}"),
            Self::Agent { name } => alloc::format!("agent:{name}"),
            Self::Option(chosen) => alloc::format!("option:{}", chosen.exec_ref()),
            Self::Change(planned) => alloc::format!("{}", planned.target),
            Self::Act(act) => act.rule_target(),
        }
    }
}

/// A piece of work on its way: all that a client of a tool or an agent needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The work.
    #[serde(flatten)]
    pub job: Job,
    /// The step of the work.
    #[serde(default, skip_serializing_if = "CallPhase::begins")]
    pub phase: CallPhase,
    /// The task it is done for.
    pub task: TaskId,
    /// The request, in the person's own words.
    pub text: String,
    /// Its risk, from the configuration.
    pub risk: Risk,
    /// The prompt that describes the lane to a sub-agent, beside the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Box<BuiltPrompt>>,
}

/// The work done for a task elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The work.
    pub job: Job,
    /// The effect that carries it, while one is on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectId>,
    /// The card that asks for its approval, that released it, or that asks if it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<CardId>,
    /// The question asked back, until it is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<OpenQuestion>,
    /// The message that asked for a change of an issue, while the issue is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_in: Option<MessageId>,
}

impl Work {
    /// Creates work that nobody has begun.
    #[must_use]
    pub fn of(job: Job) -> Self {
        Self { job, effect: None, card: None, waits: None, asked_in: None }
    }
}

/// The step of a piece of work that a call makes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallPhase {
    /// The first: the work begins.
    #[default]
    Begin,
    /// The answer to a question that the far side asked back. The work there is the same.
    Answer {
        /// The far side's own id of the work: opaque.
        remote: String,
        /// Values by field name.
        given: BTreeMap<String, String>,
    },
    /// The person no longer wants the work.
    Stop {
        /// The effect that carried it.
        effect: EffectId,
    },
}

impl CallPhase {
    pub(crate) fn begins(&self) -> bool {
        *self == Self::Begin
    }
}

/// A question that the far side asks before it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteQuestion {
    /// The far side's own id of the work: opaque. The answer goes there.
    pub remote: String,
    /// Its words: data, never an instruction.
    pub text: String,
    /// The fields it asks for, at least one.
    pub fields: Vec<QuestionField>,
}

/// One field that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionField {
    /// Its name there; empty if any answer to the text will do.
    pub name: String,
    /// The form of an answer.
    pub expected: Expected,
}

/// A far side's question that a person has not answered, or whose answer is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The effect that the far side asked back on.
    pub effect: EffectId,
    /// The question.
    #[serde(flatten)]
    pub asked: RemoteQuestion,
    /// Values known so far, by field name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub given: BTreeMap<String, String>,
}

impl OpenQuestion {
    /// Returns the first field without a value.
    pub(crate) fn next(&self) -> Option<&QuestionField> {
        self.asked.fields.iter().find(|field| !self.given.contains_key(&field.name))
    }
}

/// Work that goes on at a far side, as it is kept with its effect until the effect ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "as", rename = "underway")]
pub struct RemoteTask {
    /// The far side's own id of the work: opaque.
    pub remote: String,
    /// The far side's last words about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub told: String,
    /// Number of news items passed on so far.
    #[serde(default)]
    pub news: u32,
}

impl RemoteTask {
    /// Creates the state of work that the far side knows as `remote`, with its last words.
    #[must_use]
    pub fn at(remote: impl Into<String>, told: impl Into<String>) -> Self {
        Self { remote: remote.into(), told: told.into(), news: 0 }
    }
}

/// The outcome of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// Done, with these words.
    Said(String),
    /// Still going on. The far side is asked about it again, and the work is never sent a second time.
    Underway(RemoteTask),
    /// Waiting for an answer.
    Asked(RemoteQuestion),
    /// Stopped, by the engine or at the far side.
    Stopped(String),
}

/// A call, as it is handed to whoever makes it.
#[derive(Clone, Copy, Debug)]
pub struct CallRequest<'a> {
    /// The lane it is made for.
    pub lane: &'a LaneKey,
    /// Its id everywhere, also at the far side.
    pub effect: &'a EffectId,
    /// The call.
    pub call: &'a Call,
    /// The state at the far side, if the work is there already; for [`CallPhase::Stop`], the work to stop.
    pub underway: Option<&'a RemoteTask>,
}

impl Job {
    /// Returns the job with its arguments and labels erased.
    #[must_use]
    pub(crate) fn without_words(self) -> Self {
        match self {
            Self::Tool { name, args } => {
                Self::Tool { name, args: args.into_keys().map(|arg| (arg, ERASED.into())).collect() }
            }
            Self::Agent { name } => Self::Agent { name },
            Self::Option(chosen) => Self::Option(chosen.without_words()),
            Self::Change(planned) => Self::Change(planned.without_words()),
            Self::Act(act) => Self::Act(act.without_words()),
        }
    }
}

impl Call {
    /// Returns the call with everything erased but the name of its job, its task and its risk.
    #[must_use]
    pub(crate) fn without_words(self) -> Self {
        Self {
            job: self.job.without_words(),
            phase: CallPhase::default(),
            task: self.task,
            text: ERASED.into(),
            risk: self.risk,
            prompt: None,
        }
    }
}
