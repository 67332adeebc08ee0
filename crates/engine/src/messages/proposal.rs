//! Sentences about decision records, and about the issues a thread tracks.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::card::CardStatus;
use crate::data::id::LaneId;
use crate::data::policy::Policy;
use crate::data::progress::Phase;
use crate::data::proposal::{CommentOffer, Proposal, ProposalField, Publication};
use crate::data::ticket::Tracked;
use crate::data::time::Timestamp;
use crate::messages::past;

pub(crate) const A_DECISION: &str = "record a decision";
pub(crate) const WHAT_WAS_DECIDED: &str =
    "What was decided? One or two sentences; say why with \"because\", if there is a reason.";
pub(crate) const EDIT_HOW: &str = "What should change? Write the decision anew, or lines like \"Topic: …\", \
    \"Decision: …\", \"Why: …\", \"Issues: …\".";
pub(crate) const POSTS_AT: &str = "posts at the root of this channel";
pub(crate) const NO_SUCH_ISSUE: &str = "the tracker does not know it";

/// The name of a thread that has no link.
pub(crate) fn thread(lane: &LaneId) -> String {
    format!("thread {lane}")
}

/// The text of a decision record, as shown, hashed and approved.
pub(crate) fn text(proposal: &Proposal) -> String {
    let entries = ProposalField::ALL.into_iter().filter(|entry| *entry != ProposalField::Topic);
    let mut lines = alloc::vec![format!("Decision on {}", proposal.topic)];
    lines.extend(entries.filter_map(|entry| match proposal.entry(entry) {
        nothing if nothing.is_empty() => None,
        text if entry == ProposalField::Decision => Some(text),
        text => Some(format!("{}: {text}", entry.label())),
    }));
    lines.push(format!("Discussed in {}", proposal.thread));
    lines.join("\n")
}

/// The line after that text: who decided, and when, with date, time and zone for readers at any later time.
pub(crate) fn decided_by(name: &str, at: Timestamp) -> String {
    let text = at.rfc3339();
    let (date, clock) = text.split_once('T').unwrap_or((&text, ""));
    format!("Decided by @{name} on {date} at {} UTC", clock.get(..5).unwrap_or(clock))
}

pub(crate) fn posted_at(url: &str) -> String {
    format!("Posted at {url}")
}

pub(crate) fn discussed(thread: &str) -> String {
    format!("discussed in {thread}")
}

pub(crate) fn title(proposal: &Proposal, status: &CardStatus, now: Timestamp) -> String {
    let topic = &proposal.topic;
    match status {
        CardStatus::Open => format!("Post this decision on {topic}?"),
        CardStatus::Expired => format!("Expired without an approval: the decision on {topic}"),
        CardStatus::Superseded { .. } => format!("A newer preview took the place of this one: {topic}"),
        CardStatus::Withdrawn => format!("Cancelled: the decision on {topic}"),
        CardStatus::Decided { action, by, at, result } => {
            let who = format!("{} by @{} {}", past(*action), by.name, at.display_at(now));
            match result.phase() {
                Phase::Running(_) => format!("Working… (pressed by @{})", by.name),
                Phase::Happened(_) => format!("Posted: the decision on {topic} · {who}"),
                Phase::Refused(why) => format!("Not posted: {why} · {who}"),
                Phase::Unknown(_) => {
                    format!("No answer yet, so it may or may not be posted · {who}")
                }
                _ => format!("Not posted: the decision on {topic} · {who}"),
            }
        }
    }
}

/// The last line of the post: who decided, and when. `None` before it is posted.
pub(crate) fn signed(proposal: &Proposal) -> Option<String> {
    Some(proposal.posted.as_ref()?.text.lines().last()?.into())
}

/// The state of the comment, for the receipt.
pub(crate) fn comment(comment: &CommentOffer, now: Timestamp) -> Option<String> {
    Some(match comment {
        CommentOffer::None => return None,
        CommentOffer::Offered { failed, issues, hash } => {
            let issues = issues.join(", ");
            let hash = hash.get(..8).map(|hash| format!(" · hash {hash}")).unwrap_or_default();
            match failed {
                Some(why) => format!("not commented on {issues}: {why}{hash}"),
                None => format!("may be commented on {issues}{hash}"),
            }
        }
        CommentOffer::Pressed { issue, by, at, result, .. } => match result.phase() {
            Phase::Happened(_) => format!("commented on {issue} by @{} {}", by.name, at.display_at(now)),
            Phase::Unknown(_) => {
                format!("no answer yet, so {issue} may or may not have the comment")
            }
            _ => format!("commenting on {issue}… (pressed by @{})", by.name),
        },
    })
}

pub(crate) fn uncertain_title(topic: &str, what: &Publication, status: &CardStatus) -> String {
    let what = match what {
        Publication::Post => format!("the decision on {topic}"),
        Publication::Comment(key) => format!("the comment on {key}"),
    };
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            let result = match result.phase() {
                Phase::Happened(_) => " → it is there",
                Phase::Refused(_) => " → refused",
                Phase::Unknown(_) => " → no answer again",
                Phase::Running(_) => " → in progress",
                _ => "",
            };
            format!("{what}: {} by @{}{result}", past(*action), by.name)
        }
        CardStatus::Withdrawn => format!("{what}: it was sent after all"),
        _ => format!(
            "There was no answer, so {what} may or may not be there. Look, then say. It is not sent again by itself."
        ),
    }
}

pub(crate) fn which_issue(keys: &[String]) -> String {
    format!("Which issue should have the comment: {}?", keys.join(", "))
}

pub(crate) fn press_comment(key: &str) -> String {
    format!("{key} it is. Please press \"{}\" on the card.", Action::Comment.label())
}

pub(crate) fn form_bounds(entry: ProposalField, needed: bool, most: usize) -> String {
    let label = entry.label();
    if needed {
        format!("{label} needs 1 to {most} characters. Nothing was changed.")
    } else {
        format!("{label} takes at most {most} characters. Nothing was changed.")
    }
}

// ---- tracked issues ----

pub(crate) fn which_key(word: &str, policy: &Policy) -> String {
    format!("Which issue? Write its key: {} {word} AUTH-1.", policy.command.0)
}

pub(crate) fn looking_for(key: &str) -> String {
    format!("Looking for {key}…")
}

pub(crate) fn now_tracked(key: &str, title: &str) -> String {
    format!("This thread tracks {key} now: {title}")
}

pub(crate) fn tracked_already(key: &str) -> String {
    format!("This thread tracks {key} already.")
}

pub(crate) fn not_tracked(key: &str, why: &str) -> String {
    format!("{key} is not tracked: {why}")
}

pub(crate) fn untracked(key: &str, was: bool) -> String {
    if was { format!("{key} is no longer tracked.") } else { format!("{key} was not tracked here.") }
}

pub(crate) fn tracked(issues: &[&Tracked], policy: &Policy) -> String {
    if issues.is_empty() {
        return format!("This thread tracks no issue. {} track KEY adds one.", policy.command.0);
    }
    let line = |issue: &&Tracked| {
        let url = issue.url.as_ref().map(|url| format!(" {url}")).unwrap_or_default();
        format!("· {} {}{url}", issue.key, issue.title)
    };
    let lines: Vec<String> = issues.iter().map(line).collect();
    format!("This thread tracks:\n{}", lines.join("\n")).to_string()
}
