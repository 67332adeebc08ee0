//! Sentences about calls of tools and sub-agents.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use throughline_messages::{self as say, Language};

use crate::data::call::Job;
use crate::data::card::CardStatus;
use crate::data::policy::limits;
use crate::data::progress::{Phase, Progress};
use crate::data::time::Timestamp;
use crate::messages::{arrow, change, decided, option, past};
use crate::text::redact::snippet;

/// Says that work cannot go to somebody whom policy does not configure, and to whom it can.
pub(crate) fn no_such_agent(language: Language, name: &str, known: &[&str]) -> String {
    let name = snippet(name, limits::NAME);
    match known {
        [] => say::call_no_agents(language, name),
        known => say::call_no_such_agent(language, known.join(", "), name),
    }
}

/// Asks for an argument that a tool needs.
pub(crate) fn ask_argument(language: Language, name: &str, tool: &str) -> String {
    say::call_ask_argument(language, name.replace('_', " "), tool)
}

pub(crate) fn started(language: Language, job: &Job, intent: &str) -> String {
    match job {
        Job::Agent { name } => say::call_handing(language, intent, name),
        Job::Tool { name, .. } => say::call_calling(language, name),
        Job::Option(chosen) => say::option_chosen(language, chosen.label()),
        Job::Act(act) => format!("{}.", act.title),
        Job::Change(planned) => format!("{}.", change::what(language, planned)),
    }
}

/// The words of a tool or a sub-agent, quoted under its name: they are data, never the engine's own.
pub(crate) fn answered(language: Language, job: &Job, text: &str) -> String {
    if text.lines().next().is_none() {
        return match job {
            Job::Act(act) => say::act_done(language, &act.title),
            _ => say::call_is_done(language, job.name()),
        };
    }
    format!("{}:\n{}", job.name(), quoted(text))
}

/// Words of somebody else, quoted line by line.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// A sub-agent's progress.
pub(crate) fn progress(language: Language, job: &Job, text: &str) -> String {
    format!("{}\n{}", say::call_goes_on(language, job.name()), quoted(text))
}

/// A question of a tool or a sub-agent: its own words first, then the field that is missing.
pub(crate) fn asks_back(language: Language, job: &Job, words: &str, field: &str) -> String {
    let asks = || format!("{}\n{}", say::call_asks(language, job.name()), quoted(words));
    let asks = (!words.is_empty()).then(asks);
    let names = (!field.is_empty()).then(|| ask_argument(language, field, job.name()));
    let parts: Vec<String> = asks.into_iter().chain(names).collect();
    if parts.is_empty() { say::call_asks_back(language, job.name()) } else { parts.join("\n") }
}

pub(crate) fn was_stopped(language: Language, job: &Job, why: &str) -> String {
    if why.is_empty() {
        return say::call_stopped(language, job.name());
    }
    format!("{}\n{}", say::call_stopped_why(language, job.name()), quoted(why))
}

pub(crate) fn could_not(language: Language, job: &Job, why: &str) -> String {
    match job {
        Job::Option(chosen) => option::failed(language, chosen.label(), why),
        Job::Change(planned) => say::change_failed(language, &planned.key, why),
        Job::Act(act) => say::act_failed(language, &act.title, why),
        _ => say::call_could_not(language, job.name(), why),
    }
}

/// Sentence on a call that nothing came of.
pub(crate) fn no_answer(language: Language, job: &Job) -> String {
    match job {
        Job::Option(_) | Job::Act(_) => maybe_done(language, job),
        _ => say::call_no_answer(language, far_side(job)),
    }
}

/// Sentence on a call that may have happened, and that no card asks about.
pub(crate) fn maybe_done(language: Language, job: &Job) -> String {
    match job {
        Job::Option(chosen) => say::option_unreported(language, chosen.label()),
        Job::Act(act) => say::act_maybe_done(language, &act.title),
        _ => say::call_maybe_done(language, far_side(job)),
    }
}

pub(crate) fn again(language: Language, job: &Job) -> String {
    match job {
        Job::Tool { name, .. } => say::call_again(language, name),
        Job::Agent { name } => say::call_hand_over_again(language, name),
        Job::Option(_) | Job::Change(_) | Job::Act(_) => no_answer(language, job),
    }
}

/// Returns whoever does the work, as it is called at the beginning of a sentence and within one.
fn far_side(job: &Job) -> String {
    match job {
        Job::Change(planned) => planned.target.to_string(),
        _ => job.name().into(),
    }
}

/// The title of a call's card: the question, or what became of it.
pub(crate) fn call_title(language: Language, job: &Job, status: &CardStatus, now: Timestamp) -> String {
    let what = match job {
        Job::Agent { name } => say::call_hand_to(language, name),
        Job::Tool { name, .. } => say::call_call(language, name),
        Job::Option(chosen) => say::option_run(language, chosen.label()),
        Job::Change(planned) => change::what(language, planned),
        Job::Act(act) => act.title.clone(),
    };
    match status {
        CardStatus::Open => say::call_title(language, what),
        CardStatus::Expired => say::card_expired(language, what),
        CardStatus::Superseded { .. } => say::card_superseded(language, what),
        CardStatus::Withdrawn => say::card_cancelled(language, what),
        CardStatus::Decided { action, by, at, result } => {
            let who = decided(language, *action, by, *at, now);
            say::call_decided(language, who, what) + &arrow(came_of(language, result))
        }
    }
}

/// The outcome of a released call.
fn came_of(language: Language, result: &Progress) -> Option<String> {
    Some(match result.phase() {
        Phase::Happened(_) | Phase::Posted => say::call_came_of_done(language),
        Phase::Refused(why) => say::call_came_of_refused(language, why),
        Phase::Unknown(_) => say::call_came_of_unknown(language),
        Phase::Dropped => say::call_came_of_dropped(language),
        Phase::Stopped => say::call_came_of_stopped(language),
        Phase::Nothing | Phase::Running(_) | Phase::NotTried(_) | Phase::Several(_) => return None,
    })
}

/// The title of the card for a call without an answer: the question, or what became of it.
pub(crate) fn uncertain_call_title(language: Language, job: &Job, status: &CardStatus) -> String {
    if let Job::Act(act) = job {
        return uncertain_act_title(language, &act.title, status);
    }
    let name = far_side(job);
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            say::call_unanswered_decided(language, past(language, *action), name, &by.name)
                + &arrow(came_of(language, result))
        }
        CardStatus::Withdrawn => say::call_answered_after_all(language, name),
        _ => match job {
            Job::Option(chosen) => say::option_maybe_done(language, chosen.label()),
            _ => say::call_maybe_done(language, name),
        },
    }
}

/// Title of the card for an act that its host did not report on: nobody was asked anything, so nobody failed to answer.
fn uncertain_act_title(language: Language, title: &str, status: &CardStatus) -> String {
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            say::act_unreported_decided(language, past(language, *action), title, &by.name)
                + &arrow(came_of(language, result))
        }
        CardStatus::Withdrawn => say::act_reported_after_all(language, title),
        _ => say::act_maybe_done(language, title),
    }
}
