//! Sentences that cards of several kinds share: who asked, the state of the checks, the deadline, and what
//! a button does.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use throughline_messages::{self as say, Language};

use crate::data::action::Action;
use crate::data::authors::Authored;
use crate::data::call::Job;
use crate::data::card::{CardStatus, Checks};
use crate::data::policy::Policy;
use crate::data::ticket::{Draft, Part};
use crate::data::time::Timestamp;
use crate::messages::{batch, change, labels};

/// The person who asked, and everybody who wrote some of it if not they alone did.
pub(crate) fn asked_by(language: Language, by: &str, written: &[Authored]) -> String {
    let asked = say::card_asked_by(language, by);
    match written_by(language, by, written) {
        Some(all) => format!("{asked} · {all}"),
        None => asked,
    }
}

/// Everybody who wrote some of it; `None` if nobody but the person who asked did.
pub(crate) fn written_by(language: Language, by: &str, written: &[Authored]) -> Option<String> {
    let all = Authored::all(written);
    let names: Vec<String> = all.iter().map(|author| format!("@{author}")).collect();
    (!all.only(by)).then(|| say::card_written_by(language, names.join(", ")))
}

/// The state of the dry run.
pub(crate) fn checks(language: Language, checks: &Checks, now: Timestamp) -> String {
    match checks {
        Checks::Due | Checks::Running { .. } => say::card_checks_running(language),
        Checks::Passed { at } => say::card_checks_passed(language, at.display_at(now, language)),
        Checks::Failed { .. } => say::card_checks_failed(language),
    }
}

/// The time until which a press counts. It has no zone: the line is part of a stored message, and turns that an earlier
/// version recorded have to come out the same.
pub(crate) fn until(language: Language, end: Timestamp, now: Timestamp) -> String {
    say::card_until(language, end.display_at(now, language))
}

/// The text in the place of a card that the channel does not take.
pub(crate) fn unshown(language: Language, title: &str, waits: bool, policy: &Policy) -> String {
    if waits {
        say::card_unshown_waits(language, &policy.command.0, title)
    } else {
        say::card_unshown(language, title)
    }
}

/// The note of a gap.
pub(crate) fn gap(language: Language, forbids: bool) -> String {
    if forbids { say::card_gap_needed(language) } else { say::card_gap(language) }
}

/// The note of a part that somebody left open.
pub(crate) fn left_open(language: Language, by: &str, forbids: bool) -> String {
    if forbids { say::card_left_open_needed(language, by) } else { say::card_left_open(language, by) }
}

/// The parts that have to be written before this can be approved.
pub(crate) fn needs(language: Language, parts: &[Part]) -> String {
    say::card_needs(language, labels(language, parts))
}

/// The reason why a preview offers no Approve.
pub(crate) fn not_yet(language: Language, checks: &Checks, first: Option<Action>) -> Option<String> {
    Some(match (checks, first) {
        (Checks::Due | Checks::Running { .. }, _) => say::card_not_yet_running(language),
        (Checks::Failed { .. }, _) => say::card_not_yet_failed(language),
        (Checks::Passed { .. }, Some(Action::ConfirmQuantity)) => say::card_not_yet_number(language),
        (Checks::Passed { .. }, Some(_)) => say::card_not_yet_size(language),
        (Checks::Passed { .. }, None) => return None,
    })
}

/// The people who may approve this, or that nobody may.
pub(crate) fn may_approve(language: Language, policy: &Policy, class: &str, target: &str) -> String {
    let rules = policy.approvers.iter().filter(|rule| rule.covers(class, target));
    match super::named_by(language, rules) {
        nobody if nobody.is_empty() => say::card_nobody_may(language),
        who => say::card_may_approve(language, who),
    }
}

/// The title of the card beside an answer that used the remembered mode.
pub(crate) fn remembered(language: Language, status: &CardStatus) -> String {
    match status {
        CardStatus::Open => say::remembered_open(language),
        CardStatus::Decided { by, .. } => say::remembered_cleared_by(language, &by.name),
        _ => say::remembered_over(language),
    }
}

/// The accessible name of a button about one ticket: everything that pressing it does.
pub(crate) fn creates(language: Language, action: Action, draft: &Draft, version: u32) -> String {
    let label = action.label(language);
    say::card_button_creates(language, verb(&label), version, batch::one(language, draft))
}

/// The accessible name of a button about a call: its label, and what is called or changed.
pub(crate) fn calls(language: Language, action: Action, job: &Job) -> String {
    let act = action.label(language);
    match job {
        Job::Change(planned) => format!("{act}: {}", change::what(language, planned)),
        _ => format!("{act}: {}", job.name()),
    }
}

/// A label without its ellipsis, to begin a sentence with.
pub(crate) fn verb(label: &str) -> &str {
    label.trim_end_matches('…').trim_end()
}
