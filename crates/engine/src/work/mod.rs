//! Work that somebody else does: tools and sub-agents, as effects behind the gates of `spec 06`.
//!
//! What there is and how risky it is comes from our own configuration (`spec 07 §8`). What may only read runs when it
//! is asked for; anything else waits for an approval, and no text releases it.

mod back;
mod flow;
mod report;

pub(crate) use back::{answered_back, progressed, stop, take_back};
pub(crate) use flow::{
    again, argument_given, begin, call_corrected, delegate_to, hand_over, happened, offer_answered, release,
    settled,
};
pub use report::{Asked, Errand, Field, Phase, Report, Underway, Waits};

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::context::prompt::Built;
use crate::effect::EffectBody;
use crate::id::{CardId, EffectId, SetId, TaskId};
use crate::recognize::Expected;
use crate::selection::Scope;

/// What a tool or an agent may do (`spec 07 §8`). Ours to say: a vendor's own hints are not believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Looks things up.
    Read,
    /// Changes something.
    Write,
    /// Changes something that cannot be put back. What nobody classified counts as this.
    #[default]
    Destructive,
}

impl Risk {
    /// Leaves the thread, and so needs a consumed approval (`spec 06 §4.2`).
    #[must_use]
    pub fn outward(self) -> bool {
        self != Self::Read
    }
}

/// A tool that may be called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tool {
    /// What it may do.
    pub risk: Risk,
    /// What has to be known before it is called: each is asked for, and taken strictly.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, Expected>,
}

/// A sub-agent that may be handed a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// What it may do.
    pub risk: Risk,
    /// It can be told to stop what it was handed.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub stops: bool,
}

/// A piece of work as it goes out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum Job {
    /// A tool, with its arguments.
    Tool {
        /// Which.
        name: String,
        /// By the argument's name.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        args: BTreeMap<String, String>,
    },
    /// A sub-agent, with the task's intent.
    Agent {
        /// Which.
        name: String,
    },
    /// An option of a list, which the list's host runs (`spec 04`).
    Option(Chosen),
}

/// An option that was chosen, as its host runs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// Whose choice.
    pub user: String,
    /// From which list.
    pub set: SetId,
    /// Where that list is.
    pub scope: Scope,
    /// The concrete place.
    pub scope_instance: String,
    /// Which option.
    pub option: String,
    /// What it was called then.
    pub label: String,
    /// What the host runs: opaque, as it was registered.
    pub exec_ref: String,
    /// As of which version of the list.
    pub exec_rev: u32,
}

impl Job {
    /// The tool's or the agent's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Tool { name, .. } | Self::Agent { name } => name,
            Self::Option(chosen) => &chosen.label,
        }
    }

    /// The effect class: what approver rules name.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Tool { .. } => "tool.call",
            Self::Agent { .. } => "agent.delegate",
            Self::Option(_) => "option.execute",
        }
    }

    /// The target, as approver rules name it: `tool:crm.update`, `agent:writer`, `option:open:3` (`spec 06 §5.2`).
    #[must_use]
    pub fn target(&self) -> String {
        match self {
            Self::Tool { name, .. } => alloc::format!("tool:{name}"),
            Self::Agent { name } => alloc::format!("agent:{name}"),
            Self::Option(chosen) => alloc::format!("option:{}", chosen.exec_ref),
        }
    }
}

/// A piece of work on its way: all that a client of a tool or an agent needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What.
    #[serde(flatten)]
    pub job: Job,
    /// Which step of the work this is.
    #[serde(default, skip_serializing_if = "Phase::begins")]
    pub phase: Phase,
    /// For which task.
    pub task: TaskId,
    /// What was asked for, in the person's own words.
    pub text: String,
    /// What our configuration says it may do.
    pub risk: Risk,
    /// What a sub-agent is told of the lane beside the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Box<Built>>,
}

impl Call {
    /// The effect that makes it.
    #[must_use]
    pub fn effect(self) -> EffectBody {
        match self.job {
            Job::Tool { .. } => EffectBody::ToolCall(self),
            Job::Agent { .. } => EffectBody::AgentDelegate(self),
            Job::Option(_) => EffectBody::OptionExecute(self),
        }
    }
}

/// What is being done for a task elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// What.
    pub job: Job,
    /// The effect that carries it, while one is on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectId>,
    /// The card that asks for its approval, that released what is on its way, or that asks whether it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<CardId>,
    /// What was asked back, until that is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Waits>,
}
