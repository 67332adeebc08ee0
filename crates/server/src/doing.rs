//! Work that a lane waits for, from the effects that are on their way.

use serde::Serialize;
use throughline_engine::data::call::Job;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::task::Task;

/// Work that a lane waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Doing {
    /// Performer: `model`, `tool`, `agent`, `tracker` or `host`.
    pub(crate) who: &'static str,
    /// Name of the tool or the agent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    /// User id of the person whose word calls it off.
    pub(crate) by: String,
}

/// Returns what goes on in a lane: a question to a model, then work elsewhere, then turns of the host's agent.
pub(crate) fn doing(lane: &Lane) -> Vec<Doing> {
    let head = &lane.head;
    let one = |who, name: &str, by: &str| Doing { who, name: name.into(), by: by.into() };
    let asked = head.ask.as_ref().map(|ask| one("model", "", &ask.by));
    let tasks = lane.records.all::<Task>().filter(|task| task.status.is_live());
    let works = tasks.filter_map(|task| {
        let work = task.work.as_ref().filter(|work| work.effect.is_some())?;
        Some(match &work.job {
            Job::Tool { name, .. } => one("tool", name, &task.requested_by),
            Job::Agent { name } => one("agent", name, &task.requested_by),
            Job::Change(_) => one("tracker", "", &task.requested_by),
            Job::Option(_) | Job::Act(_) => one("host", "", &task.requested_by),
        })
    });
    let handed = head.handovers.iter().map(|open| one("host", "", &open.by));
    asked.into_iter().chain(works).chain(handed).collect()
}
