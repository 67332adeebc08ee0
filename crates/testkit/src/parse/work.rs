//! Parses tools, sub-agents and tasks.

use throughline_engine::data::call::Risk;
use throughline_engine::data::host_act::HostAct;
use throughline_engine::data::task_status::TaskStatus;

use super::ParseError;
use super::given::{FAULTS, expected, texts, when};
use super::node::{Fields, Node};
use crate::model::{GivenTask, GivenWorker, MAIN, RequestApproval, TaskExpect, TaskReportAct};

type Read<T> = Result<T, ParseError>;

/// Parses `{ risk, args, answer, progress, asks, fail }`: `args` is for tools only, `progress` and `asks` for
/// sub-agents.
pub(super) fn worker(node: &Node<'_>, tool: bool) -> Read<GivenWorker> {
    let mut worker = GivenWorker::default();
    if node.is_empty() {
        return Ok(worker);
    }
    let mut fields = node.map()?;
    if let Some(node) = fields.opt("risk") {
        let read = |word: &str| serde_json::from_value::<Risk>(serde_json::Value::String(word.into())).ok();
        worker.risk = node.one_of("a risk", read, &["read", "write", "destructive"])?;
    }
    let args = if tool { fields.opt("args").filter(|node| !node.is_empty()) } else { None };
    for (name, node) in args.map(|node| node.map()).transpose()?.map(Fields::rest).unwrap_or_default() {
        worker.args.insert(name, expected(&node)?);
    }
    for node in fields.opt("answer").map(|node| node.one_or_more()).transpose()?.unwrap_or_default() {
        worker.answer.push(node.text()?);
    }
    for (key, list) in [("progress", &mut worker.progress), ("asks", &mut worker.asks)] {
        let nodes = if tool { None } else { fields.opt(key) };
        for node in nodes.map(|node| node.one_or_more()).transpose()?.unwrap_or_default() {
            list.push(node.text()?);
        }
    }
    for node in fields.opt("fail").map(|node| node.one_or_more()).transpose()?.unwrap_or_default() {
        let read = |word: &str| FAULTS.contains(&word).then(|| word.to_string());
        worker.fail.push(node.one_of("a way for a call to fail", read, &FAULTS)?);
    }
    if let Some(node) = fields.opt("idempotent") {
        worker.idempotent = node.flag()?;
    }
    fields.finish()?;
    Ok(worker)
}

pub(super) fn task(node: &Node<'_>) -> Read<GivenTask> {
    let mut fields = node.map()?;
    let id = match fields.opt_text("id")? {
        Some(id) => Some(id),
        None => fields.opt_text("task_id")?,
    };
    let intent = match fields.opt_text("intent")? {
        Some(intent) => Some(intent),
        None => fields.opt_text("title")?,
    };
    let lane = fields.opt_text("lane")?.unwrap_or_else(|| MAIN.into());
    let status = fields.opt("status").map(|node| status(&node)).transpose()?.unwrap_or(TaskStatus::Running);
    let by = fields.opt_text("by")?;
    let mut work = None;
    for kind in ["tool", "agent"] {
        let named = fields.opt_text(kind)?.map(|name| (kind.to_string(), name));
        if named.is_some() && work.is_some() {
            return Err(node.fail("a task is with a tool or with an agent, not with both"));
        }
        work = work.or(named);
    }
    fields.finish()?;
    let id = id.ok_or_else(|| node.fail("a task needs an `id`"))?;
    Ok(GivenTask { intent: intent.unwrap_or_else(|| id.clone()), id, lane, status, by, work })
}

pub(super) fn status(node: &Node<'_>) -> Read<TaskStatus> {
    node.one_of("the status of a task", TaskStatus::parse, &TaskStatus::ALL.map(TaskStatus::as_str))
}

/// Parses the body of `host: { task.reported: … }`, without its lane.
pub(super) fn reported(
    node: &Node<'_>,
    lane: impl Fn(&mut Fields<'_>) -> Read<String>,
) -> Read<TaskReportAct> {
    let mut fields = node.map()?;
    let task = match fields.opt_text("task_id")? {
        Some(task) => Some(task),
        None => fields.opt_text("task")?,
    };
    let report = TaskReportAct {
        lane: lane(&mut fields)?,
        task: task.ok_or_else(|| node.fail("a report needs a `task_id`"))?,
        status: status(&fields.need("status")?)?,
        at: fields.opt("at").map(|node| when(&node)).transpose()?,
        intent: fields.opt_text("intent")?,
        reason: fields.opt_text("reason")?,
        result: fields.opt_text("result")?,
    };
    fields.finish()?;
    Ok(report)
}

/// Parses `{ request_id, by, title, target, payload, lines, expires }`.
pub(super) fn requested(
    node: &Node<'_>,
    lane: impl Fn(&mut Fields<'_>) -> Read<String>,
) -> Read<RequestApproval> {
    let mut fields = node.map()?;
    let request = RequestApproval {
        user: fields.need("by")?.text()?,
        lane: lane(&mut fields)?,
        act: HostAct {
            request_id: fields.need("request_id")?.text()?,
            title: fields.need("title")?.text()?,
            target: fields.need("target")?.text()?,
            payload: fields.need("payload")?.text()?,
            lines: texts(fields.opt("lines"))?,
            expires: None,
        },
        expires: fields.opt("expires").map(|node| when(&node)).transpose()?,
    };
    fields.finish()?;
    Ok(request)
}

/// Parses `{ id, intent, status, reason, result, with, attempt }`, or the status alone.
pub(super) fn task_expected(node: &Node<'_>) -> Read<TaskExpect> {
    if !node.is_map() {
        return Ok(TaskExpect { status: Some(status(node)?), ..TaskExpect::default() });
    }
    let mut fields = node.map()?;
    let intent = match fields.opt_text("intent")? {
        Some(intent) => Some(intent),
        None => fields.opt_text("title")?,
    };
    let task = TaskExpect {
        id: fields.opt_text("id")?,
        intent,
        status: fields.opt("status").map(|node| status(&node)).transpose()?,
        reason: fields.opt_text("reason")?,
        result: fields.opt_text("result")?,
        with: fields.opt_text("with")?,
        attempt: fields.opt("attempt").map(|node| node.count()).transpose()?,
    };
    fields.finish()?;
    Ok(task)
}
