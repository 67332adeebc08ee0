//! What a scenario says of work that somebody else does: tools, sub-agents, tasks, and a host's reports on them.

use std::collections::BTreeMap;

use throughline_engine::lane::TaskStatus;
use throughline_engine::recognize::Expected;
use throughline_engine::work::Risk;

use super::When;

/// A tool or a sub-agent of the virtual world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenWorker {
    /// What it may do.
    pub risk: Risk,
    /// What a tool has to know before it is called.
    pub args: BTreeMap<String, Expected>,
    /// What it answers, call by call; the last answer stays.
    pub answer: Vec<String>,
    /// What a sub-agent says while it goes on, look by look, before it is done. Such a one can be told to stop.
    pub progress: Vec<String>,
    /// What a sub-agent asks back, one after the other, before it is done.
    pub asks: Vec<String>,
    /// How its calls go, in order, in the words of [`super::Fault`]; then they go well.
    pub fail: Vec<String>,
    /// Whether a call made twice under one effect id is made once. `false` promises nothing: an unknown outcome of what
    /// may change something is then never tried again.
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
    /// What it was handed goes on for a while, and can be stopped.
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
    /// What was asked for.
    pub intent: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// Who asked for it.
    pub by: Option<String>,
    /// The tool or the sub-agent that was at it: `tool`, `agent`, and the name.
    pub work: Option<(String, String)>,
}

/// A host reports where a task stands (`task.reported`).
#[derive(Clone, Debug, PartialEq)]
pub struct HostReports {
    /// Where.
    pub lane: String,
    /// Which task, by id.
    pub task: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// Since when.
    pub at: Option<When>,
    /// What was asked for.
    pub intent: Option<String>,
    /// Why it is blocked, or failed.
    pub reason: Option<String>,
    /// What came of it.
    pub result: Option<String>,
}

/// A task, as far as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskExpect {
    /// Its id.
    pub id: Option<String>,
    /// Part of its intent.
    pub intent: Option<String>,
    /// Where it stands.
    pub status: Option<TaskStatus>,
    /// Part of why it is blocked, or failed.
    pub reason: Option<String>,
    /// Part of what came of it.
    pub result: Option<String>,
    /// The tool or the sub-agent that is or was at it.
    pub with: Option<String>,
    /// How often it was begun.
    pub attempt: Option<u32>,
}
