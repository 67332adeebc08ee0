//! Sentences that cards of several kinds share: who asked, the state of the checks, the deadline, and what
//! a button does.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::authors::Authored;
use crate::data::call::Job;
use crate::data::card::{CardStatus, Checks};
use crate::data::policy::Policy;
use crate::data::ticket::{Draft, Part};
use crate::data::time::Timestamp;
use crate::messages::batch::count;

/// The person who asked, and everybody who wrote some of it if not they alone did.
pub(crate) fn asked_by(by: &str, written: &[Authored]) -> String {
    match written_by(by, written) {
        Some(all) => format!("asked by @{by} · {all}"),
        None => format!("asked by @{by}"),
    }
}

/// Everybody who wrote some of it; `None` if nobody but the person who asked did.
pub(crate) fn written_by(by: &str, written: &[Authored]) -> Option<String> {
    let all = Authored::all(written);
    let names: Vec<String> = all.iter().map(|author| format!("@{author}")).collect();
    (!all.only(by)).then(|| format!("written by {}", names.join(", ")))
}

/// The state of the dry run.
pub(crate) fn checks(checks: &Checks, now: Timestamp) -> String {
    match checks {
        Checks::Due | Checks::Running { .. } => "checks running".into(),
        Checks::Passed { at } => format!("checks passed {}", at.display_at(now)),
        Checks::Failed { .. } => "checks failed: nothing has been created".into(),
    }
}

/// The time until which a press counts. It has no zone: the line is part of a stored message, and turns that an earlier
/// version recorded have to come out the same.
pub(crate) fn until(end: Timestamp, now: Timestamp) -> String {
    format!("until {}", end.display_at(now))
}

/// The text in the place of a card that the channel does not take.
pub(crate) fn unshown(title: &str, waits: bool, policy: &Policy) -> String {
    if !waits {
        return format!("I cannot show the card here: {title}");
    }
    let command = &policy.command.0;
    format!(
        "I cannot show the card here: {title}\nIt still waits: it can be decided in the console, and \"{command} pending\" lists all that waits."
    )
}

/// The note of a gap.
pub(crate) fn gap(forbids: bool) -> &'static str {
    if forbids { "needed before Approve" } else { "open" }
}

/// The note of a part that somebody left open.
pub(crate) fn left_open(by: &str, forbids: bool) -> String {
    format!("left open by @{by}{}", if forbids { ", but needed before Approve" } else { "" })
}

/// The note of a part that is not the asker's alone.
pub(crate) fn by(names: &[String]) -> String {
    format!("by {}", names.join(", "))
}

/// The parts that have to be written before this can be approved.
pub(crate) fn needs(parts: &[Part]) -> String {
    let labels: Vec<&str> = parts.iter().map(|part| part.label()).collect();
    format!("before Approve: {}", labels.join(", "))
}

/// The reason why a preview offers no Approve.
pub(crate) fn not_yet(checks: &Checks, first: Option<Action>) -> Option<&'static str> {
    Some(match (checks, first) {
        (Checks::Due | Checks::Running { .. }, _) => "its checks are running",
        (Checks::Failed { .. }, _) => "its checks failed",
        (Checks::Passed { .. }, Some(Action::ConfirmQuantity)) => "confirm the number of items first",
        (Checks::Passed { .. }, Some(_)) => "confirm its length or split it first",
        (Checks::Passed { .. }, None) => return None,
    })
}

/// The size of what is to be approved.
pub(crate) fn size(items: usize, chars: usize) -> String {
    format!("{}, {chars} characters", count(items))
}

/// The time of the next search for an issue that may or may not have been created.
pub(crate) fn next_look(at: Timestamp, now: Timestamp) -> String {
    format!("I am still looking for it (next look {})", at.display_at(now))
}

/// The choice made at a gate.
pub(crate) fn chosen(action: Action, by: &str) -> String {
    format!("{}, chosen by @{by}", action.label())
}

/// The people who may approve this, or that nobody may.
pub(crate) fn may_approve(policy: &Policy, class: &str, target: &str) -> String {
    let rules = policy.approvers.iter().filter(|rule| rule.covers(class, target));
    match super::named_by(rules) {
        nobody if nobody.is_empty() => super::NOBODY_MAY.trim_end_matches('.').into(),
        who => format!("may approve: {who}"),
    }
}

/// The title of the card beside an answer that used the remembered mode.
pub(crate) fn remembered(status: &CardStatus) -> String {
    match status {
        CardStatus::Open => "This thread remembers what to do with unclear messages".into(),
        CardStatus::Decided { by, .. } => {
            format!("This thread remembers no mode any more, cleared by @{}", by.name)
        }
        _ => "This thread remembers no mode any more".into(),
    }
}

/// The accessible name of a button about one ticket: everything that pressing it does.
pub(crate) fn creates(action: Action, draft: &Draft, version: u32) -> String {
    let what = format!("create 1 {} in {}", draft.item_type.as_str(), draft.target.project);
    format!("{}: {what}, version {version}", verb(action.label()))
}

/// The accessible name of a button about a call of a tool or a sub-agent.
pub(crate) fn calls(action: Action, job: &Job) -> String {
    format!("{}: {} {}", action.label(), job.class(), job.name())
}

/// A label without its ellipsis, to begin a sentence with.
pub(crate) fn verb(label: &str) -> &str {
    label.trim_end_matches('…')
}
