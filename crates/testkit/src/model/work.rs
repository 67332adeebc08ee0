//! Tools, sub-agents, tasks and a host's reports on them, in a scenario.

use std::collections::BTreeMap;

use throughline_engine::data::call::Risk;
use throughline_engine::data::host_act::HostAct;
use throughline_engine::data::task_status::TaskStatus;
use throughline_language::Expected;

use super::When;

/// A tool or a sub-agent of the virtual world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenWorker {
    /// Its risk.
    pub risk: Risk,
    /// The arguments a tool needs, with their types.
    pub args: BTreeMap<String, Expected>,
    /// Its answers, call by call; the last one is repeated.
    pub answer: Vec<String>,
    /// The progress a sub-agent reports, poll by poll, before it is done. A sub-agent with progress can be stopped.
    pub progress: Vec<String>,
    /// The questions a sub-agent asks back, one after the other, before it is done.
    pub asks: Vec<String>,
    /// The outcomes of its calls, in order, in the words of [`super::Fault`]; later calls succeed.
    pub fail: Vec<String>,
    /// True if a call made twice under one effect id runs once. If false, an unknown outcome of a write is never
    /// retried.
    pub idempotent: bool,
}

impl Default for GivenWorker {
    fn default() -> Self {
        Self {
            risk: Risk::Read,
            args: BTreeMap::new(),
            answer: Vec::new(),
            progress: Vec::new(),
            asks: Vec::new(),
            fail: Vec::new(),
            idempotent: true,
        }
    }
}

impl GivenWorker {
    /// Returns true if its work goes on for a while and can be stopped.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        !(self.progress.is_empty() && self.asks.is_empty())
    }
}

/// A task that exists before the first turn.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenTask {
    /// Its id.
    pub id: String,
    /// The lane's name.
    pub lane: String,
    /// The request.
    pub intent: String,
    /// Its status.
    pub status: TaskStatus,
    /// The person who asked for it.
    pub by: Option<String>,
    /// The worker: `tool` or `agent`, and the name.
    pub work: Option<(String, String)>,
}

/// A host's report on a task (`task.reported`).
#[derive(Clone, Debug, PartialEq)]
pub struct TaskReportAct {
    /// The lane's name.
    pub lane: String,
    /// The task's id.
    pub task: String,
    /// The new status.
    pub status: TaskStatus,
    /// The time of the change.
    pub at: Option<When>,
    /// The request.
    pub intent: Option<String>,
    /// The reason it is blocked or failed.
    pub reason: Option<String>,
    /// Its result.
    pub result: Option<String>,
}

/// A task; fields that are `None` are not compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskExpect {
    /// Its id.
    pub id: Option<String>,
    /// Part of its intent.
    pub intent: Option<String>,
    /// Its status.
    pub status: Option<TaskStatus>,
    /// Part of the reason it is blocked or failed.
    pub reason: Option<String>,
    /// Part of its result.
    pub result: Option<String>,
    /// The tool or sub-agent that works or worked on it.
    pub with: Option<String>,
    /// The number of attempts so far.
    pub attempt: Option<u32>,
}

/// A request of a host that a person approves an act of its own (`approval.requested`).
#[derive(Clone, Debug, PartialEq)]
pub struct RequestApproval {
    /// The person on whose behalf it is asked.
    pub user: String,
    /// The lane's name.
    pub lane: String,
    /// The act, without its end.
    pub act: HostAct,
    /// The time until which it may be approved.
    pub expires: Option<When>,
}
