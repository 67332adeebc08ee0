//! Sentences about calls of tools and sub-agents.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::call::Job;
use crate::data::card::CardStatus;
use crate::data::policy::limits;
use crate::data::progress::{Phase, Progress};
use crate::data::time::Timestamp;
use crate::messages::{change, option, past};
use crate::text::redact::snippet;

/// Asks which sub-agent a task goes to.
pub(crate) fn which_agent(agents: &[String]) -> String {
    format!("Which sub-agent should do it: {}?", agents.join(", "))
}

/// Says that work cannot go to somebody whom policy does not configure, and to whom it can.
pub(crate) fn no_such_agent(name: &str, known: &[&str]) -> String {
    let name = snippet(name, limits::NAME);
    match known {
        [] => format!("I cannot hand that to “{name}”: no sub-agents are set up here."),
        known => format!("I cannot hand that to “{name}”: the sub-agents here are {}.", known.join(", ")),
    }
}

/// Asks for an argument that a tool needs.
pub(crate) fn ask_argument(name: &str, tool: &str) -> String {
    format!("What is the {} for {tool}?", name.replace('_', " "))
}

pub(crate) fn started(job: &Job, intent: &str) -> String {
    match job {
        Job::Agent { name } => format!("Handing “{intent}” to {name}."),
        Job::Tool { name, .. } => format!("Calling {name}."),
        Job::Option(chosen) => option::chosen(chosen.label()),
        Job::Change(planned) => format!("{}.", change::what(planned)),
    }
}

/// The words of a tool or a sub-agent, quoted under its name: they are data, never the engine's own.
pub(crate) fn answered(job: &Job, text: &str) -> String {
    if text.lines().next().is_none() {
        return format!("{} is done.", job.name());
    }
    format!("{}:\n{}", job.name(), quoted(text))
}

/// Words of somebody else, quoted line by line.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// A sub-agent's progress.
pub(crate) fn progress(job: &Job, text: &str) -> String {
    format!("{} goes on:\n{}", job.name(), quoted(text))
}

/// A question of a tool or a sub-agent: its own words first, then the field that is missing.
pub(crate) fn asks_back(job: &Job, words: &str, field: &str) -> String {
    let asks = (!words.is_empty()).then(|| format!("{} asks:\n{}", job.name(), quoted(words)));
    let names = (!field.is_empty()).then(|| ask_argument(field, job.name()));
    let parts: Vec<String> = asks.into_iter().chain(names).collect();
    if parts.is_empty() { format!("{} asks back.", job.name()) } else { parts.join("\n") }
}

pub(crate) fn passed_on(job: &Job) -> String {
    format!("Passing that on to {}.", job.name())
}

pub(crate) fn was_stopped(job: &Job, why: &str) -> String {
    if why.is_empty() {
        return format!("{} stopped.", job.name());
    }
    format!("{} stopped:\n{}", job.name(), quoted(why))
}

pub(crate) fn could_not(job: &Job, why: &str) -> String {
    if let Job::Option(chosen) = job {
        return option::failed(chosen.label(), why);
    }
    if let Job::Change(planned) = job {
        return change::failed(planned, why);
    }
    format!("{} did not do it: {why}", job.name())
}

pub(crate) fn no_answer(job: &Job) -> String {
    if let Job::Option(chosen) = job {
        return option::not_run(chosen.label());
    }
    format!("{} did not answer. Nothing was changed.", far_side(job))
}

pub(crate) fn again(job: &Job) -> String {
    match job {
        Job::Tool { name, .. } => format!("{name} did not answer. Shall I try it again?"),
        Job::Agent { name } => format!("{name} did not answer. Shall I hand it over again?"),
        Job::Option(chosen) => option::again_run(chosen.label()),
        Job::Change(_) => no_answer(job),
    }
}

/// Whoever does the work.
fn far_side(job: &Job) -> &str {
    if let Job::Change(_) = job { change::TRACKER } else { job.name() }
}

pub(crate) fn maybe_done(job: &Job) -> String {
    format!("{} did not answer, so it may or may not be done. It is not sent again by itself.", far_side(job))
}

pub(crate) fn not_set_up(name: &str) -> String {
    format!("{name} is not set up here. Nothing was sent.")
}

/// Refuses a task that does not fit into a prompt with the record of tasks and blockers, which is never
/// left out.
pub(crate) fn too_long(name: &str) -> String {
    format!(
        "That is too long to be handed to {name} with what it has to know. Nothing was sent; say it in fewer words."
    )
}

/// The title of a call's card: the question, or what became of it.
pub(crate) fn call_title(job: &Job, status: &CardStatus, now: Timestamp) -> String {
    let what = match job {
        Job::Agent { name } => format!("Hand this to {name}"),
        Job::Tool { name, .. } => format!("Call {name}"),
        Job::Option(chosen) => option::run(chosen.label()),
        Job::Change(planned) => change::what(planned),
    };
    match status {
        CardStatus::Open => format!("{what}?"),
        CardStatus::Expired => format!("Expired without a decision: {what}"),
        CardStatus::Superseded { .. } => format!("A newer card took the place of this one: {what}"),
        CardStatus::Withdrawn => format!("Cancelled: {what}"),
        CardStatus::Decided { action, by, at, result } => {
            format!("{what} · {} by @{} {}{}", past(*action), by.name, at.display_at(now), came_of(result))
        }
    }
}

/// The outcome of a released call.
fn came_of(result: &Progress) -> String {
    match result.phase() {
        Phase::Happened(_) => " → done".into(),
        Phase::Refused(why) => format!(" → not done: {why}"),
        Phase::Unknown(_) => " → no answer, so it may or may not be done".into(),
        Phase::Dropped => " → dropped".into(),
        Phase::Stopped => " → stopped".into(),
        Phase::Nothing | Phase::Running(_) | Phase::NotTried(_) | Phase::Several(_) => String::new(),
    }
}

/// The title of the card for a call without an answer: the question, or what became of it.
pub(crate) fn uncertain_call_title(job: &Job, status: &CardStatus) -> String {
    let name = far_side(job);
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            format!("No answer from {name}: {} by @{}{}", past(*action), by.name, came_of(result))
        }
        CardStatus::Withdrawn => format!("{name} did answer after all"),
        _ => maybe_done(job),
    }
}
