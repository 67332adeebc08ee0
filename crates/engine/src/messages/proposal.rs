//! Sentences about decision records, and about the issues a thread tracks.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use throughline_messages::{self as say, Language};

use crate::data::card::CardStatus;
use crate::data::policy::Policy;
use crate::data::progress::Phase;
use crate::data::proposal::{CommentOffer, Proposal, ProposalField, Publication};
use crate::data::time::Timestamp;
use crate::data::tracked::Tracked;
use crate::messages::{arrow, decided, past};

/// The text of a decision record, as shown, hashed and approved.
pub(crate) fn text(language: Language, proposal: &Proposal) -> String {
    let entries = ProposalField::ALL.into_iter().filter(|entry| *entry != ProposalField::Topic);
    let mut lines = alloc::vec![say::decision_on(language, &proposal.topic)];
    lines.extend(entries.filter_map(|entry| match proposal.entry(entry) {
        nothing if nothing.is_empty() => None,
        text if entry == ProposalField::Decision => Some(text),
        text => Some(format!("{}: {text}", entry.label(language))),
    }));
    lines.push(say::decision_discussed_in(language, &proposal.thread));
    lines.join("\n")
}

/// The line after that text: who decided, and when, with date, time and zone for readers at any later time.
pub(crate) fn decided_by(language: Language, name: &str, at: Timestamp) -> String {
    let text = at.rfc3339();
    let (date, clock) = text.split_once('T').unwrap_or((&text, ""));
    let mut date = date.rsplitn(3, '-');
    let [day, month, year] = core::array::from_fn(|_| date.next().unwrap_or_default());
    say::decision_decided_by(language, clock.get(..5).unwrap_or(clock), day, month, name, year)
}

pub(crate) fn title(language: Language, proposal: &Proposal, status: &CardStatus, now: Timestamp) -> String {
    let topic = &proposal.topic;
    match status {
        CardStatus::Open => say::decision_post(language, topic),
        CardStatus::Expired => say::decision_expired(language, topic),
        CardStatus::Superseded { .. } => say::ticket_superseded(language, topic),
        CardStatus::Withdrawn => say::decision_cancelled(language, topic),
        CardStatus::Decided { action, by, at, result } => {
            let who = decided(language, *action, by, *at, now);
            match result.phase() {
                Phase::Running(_) => say::card_working(language, &by.name),
                Phase::Happened(_) | Phase::Posted => say::decision_posted(language, who, topic),
                Phase::Refused(why) => say::decision_refused(language, who, why),
                Phase::Unknown(_) => say::decision_unknown(language, who),
                _ => say::decision_not_posted(language, who, topic),
            }
        }
    }
}

/// The last line of the post: who decided, and when. `None` before it is posted.
pub(crate) fn signed(proposal: &Proposal) -> Option<String> {
    Some(proposal.posted.as_ref()?.text.lines().last()?.into())
}

/// The state of the comment, for the receipt.
pub(crate) fn comment(language: Language, comment: &CommentOffer, now: Timestamp) -> Option<String> {
    Some(match comment {
        CommentOffer::None => return None,
        CommentOffer::Offered { failed, issues, hash } => {
            let issues = issues.join(", ");
            let hash = hash.get(..8).map(|hash| say::decision_hash(language, hash));
            let offer = match failed {
                Some(why) => say::decision_comment_failed(language, issues, why),
                None => say::decision_comment_offered(language, issues),
            };
            [offer].into_iter().chain(hash).collect::<Vec<_>>().join(" · ")
        }
        CommentOffer::Pressed { issue, by, at, result, .. } => match result.phase() {
            Phase::Happened(_) | Phase::Posted => {
                say::decision_commented(language, at.display_at(now, language), issue, &by.name)
            }
            Phase::Unknown(_) => say::decision_comment_unknown(language, issue),
            _ => say::decision_commenting(language, issue, &by.name),
        },
    })
}

pub(crate) fn uncertain_title(
    language: Language,
    topic: &str,
    what: &Publication,
    status: &CardStatus,
) -> String {
    let what = match what {
        Publication::Post => say::decision_the_decision(language, topic),
        Publication::Comment(key) => say::decision_the_comment(language, key),
    };
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            let result = match result.phase() {
                Phase::Happened(_) | Phase::Posted => Some(say::decision_uncertain_there(language)),
                Phase::Refused(_) => Some(say::decision_uncertain_refused(language)),
                Phase::Unknown(_) => Some(say::decision_uncertain_no_answer(language)),
                Phase::Running(_) => Some(say::decision_uncertain_running(language)),
                _ => None,
            };
            say::decision_uncertain_decided(language, past(language, *action), what, &by.name)
                + &arrow(result)
        }
        CardStatus::Withdrawn => say::decision_sent_after_all(language, what),
        _ => say::decision_uncertain_open(language, what),
    }
}

pub(crate) fn form_bounds(language: Language, entry: ProposalField, needed: bool, most: usize) -> String {
    let label = entry.label(language);
    if needed {
        say::decision_field_needs(language, label, most)
    } else {
        say::decision_field_takes(language, label, most)
    }
}

// ---- tracked issues ----

pub(crate) fn untracked(language: Language, key: &str, was: bool) -> String {
    if was { say::tracked_no_longer(language, key) } else { say::tracked_was_not(language, key) }
}

pub(crate) fn tracked(language: Language, issues: &[&Tracked], policy: &Policy) -> String {
    if issues.is_empty() {
        return say::tracked_none(language, &policy.command.0);
    }
    let line = |issue: &&Tracked| {
        let url = issue.url.as_ref().map(|url| format!(" {url}")).unwrap_or_default();
        format!("· {} {}{url}", issue.key, issue.title)
    };
    let lines: Vec<String> = issues.iter().map(line).collect();
    format!("{}\n{}", say::tracked_list(language), lines.join("\n"))
}
