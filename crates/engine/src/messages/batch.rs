//! Sentences about batches of tickets.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::card::CardStatus;
use crate::data::progress::{EpicLink, Phase, Progress, ReleasedItem};
use crate::data::ticket::{Draft, ItemType, Part};
use crate::data::time::Timestamp;
use crate::messages::past;

pub(crate) const SEVERAL: &str = "several tickets";
pub(crate) const NO_TITLE: &str = "(no title yet)";
pub(crate) const PROPOSED: &str = "proposed";
pub(crate) const ONE_ITEM: &str =
    "This is one item, so there is nothing to split. Confirm its length instead.";
pub(crate) const HAS_STORIES: &str =
    "This epic has stories. Remove those first, or press Cancel for all of it. Nothing was changed.";
pub(crate) const LAST_ITEM: &str = "This is the last item. Press Cancel instead. Nothing was changed.";
pub(crate) const WHICH_STORY: &str = "What is the story? Its title on the first line, then lines like \"Problem: …\" and \"Acceptance criteria: …\".";

/// The name of an item's type on a card.
pub(crate) fn name(kind: ItemType) -> &'static str {
    match kind {
        ItemType::Bug => "Bug",
        ItemType::Story => "Story",
        ItemType::Task => "Task",
        ItemType::Epic => "Epic",
    }
}

pub(crate) fn count(n: usize) -> String {
    if n == 1 { "1 item".into() } else { format!("{n} items") }
}

pub(crate) fn confirm_label(n: usize) -> String {
    format!("Confirm create {}", count(n))
}

pub(crate) fn too_many(n: usize) -> String {
    format!(
        "{n} items are more than one card holds ({}). Nothing was started; ask for fewer at a time.",
        crate::data::policy::limits::BATCH_ITEMS
    )
}

/// The content of a batch: `1 epic and 5 stories in AUTH`.
pub(crate) fn what(drafts: &[Draft], project: &str) -> String {
    let mut kinds: Vec<(ItemType, usize)> = Vec::new();
    for draft in drafts {
        match kinds.iter_mut().find(|(kind, _)| *kind == draft.item_type) {
            Some((_, n)) => *n += 1,
            None => kinds.push((draft.item_type, 1)),
        }
    }
    let counted = |(kind, n): &(ItemType, usize)| match (kind, n) {
        (kind, 1) => format!("1 {}", kind.as_str()),
        (ItemType::Story, n) => format!("{n} stories"),
        (kind, n) => format!("{n} {}s", kind.as_str()),
    };
    let all: Vec<String> = kinds.iter().map(counted).collect();
    let listed = match all.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        all => all.join(""),
    };
    format!("{listed} in {project}")
}

pub(crate) fn title(what: &str, by: &str, status: &CardStatus, now: Timestamp) -> String {
    match status {
        CardStatus::Open => format!("Create {what}?"),
        CardStatus::Expired => format!("Expired without a decision: {what}"),
        CardStatus::Superseded { .. } => format!("A newer preview took the place of this one: {what}"),
        CardStatus::Withdrawn => format!("Cancelled: {what}"),
        CardStatus::Decided { action, by: who, at, result } => {
            let who = format!("{} by @{} {}", past(*action), who.name, at.display_at(now));
            match result {
                Progress::Several { items } => format!("{} · asked by @{by} · {who}", came_of(items)),
                _ => format!("Not created: {what} · {who}"),
            }
        }
    }
}

/// The progress of a batch: "Created 5 of 6".
fn came_of(items: &[ReleasedItem]) -> String {
    let made = items.iter().filter(|item| item.progress.key().is_some()).count();
    let all = items.len();
    let count = |of: fn(&Phase<'_>) -> bool| items.iter().filter(|item| of(&item.progress.phase())).count();
    let on_the_way = count(|phase| matches!(phase, Phase::Running(_)));
    let beside = [
        (on_the_way, "on the way"),
        (count(|phase| matches!(phase, Phase::Unknown(_))), "uncertain"),
        (count(|phase| matches!(phase, Phase::Refused(_))), "failed"),
        (count(|phase| matches!(phase, Phase::NotTried(_))), "not tried"),
        (count(|phase| matches!(phase, Phase::Dropped | Phase::Stopped)), "cancelled"),
    ];
    let more: Vec<String> =
        beside.iter().filter(|(n, _)| *n > 0).map(|(n, says)| format!("{n} {says}")).collect();
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
    if on_the_way > 0 && made == 0 {
        format!("Working…{more}")
    } else {
        format!("Created {made} of {all}{more}")
    }
}

/// The state of an item before its approval.
pub(crate) fn waits(draft: &Draft, epic: Option<&str>) -> String {
    let missing = draft.missing();
    let labels: Vec<&str> = missing.iter().map(|part| part.label()).collect();
    let detail = (!labels.is_empty()).then(|| format!("needs detail: {}", labels.join(", ")));
    let open: Vec<&str> = draft.left_open().keys().map(|part| part.label()).collect();
    let open = (!open.is_empty()).then(|| format!("left open: {}", open.join(", ")));
    let under = epic.map(|epic| format!("goes under {epic}"));
    let proposed = draft.is_proposed(Part::Title).then(|| String::from(PROPOSED));
    under.into_iter().chain(proposed).chain(detail).chain(open).collect::<Vec<_>>().join(" · ")
}

/// The state of an item on the receipt.
pub(crate) fn stands(progress: &Progress, epic: Option<&str>) -> String {
    let again = if progress.is_tried_anew() { " · tried again on a newer card" } else { "" };
    match progress.phase() {
        Phase::Nothing | Phase::Several(_) => String::new(),
        Phase::Running(_) => "on the way".into(),
        Phase::Happened(None) => "done".into(),
        Phase::Happened(Some(what)) => format!("created {what}{}", linked(progress.link(), epic)),
        // A text that is also among the errors below is not repeated here.
        Phase::Refused(text) if progress.errors().iter().any(|error| error.text == text) => {
            format!("failed{again}")
        }
        Phase::Refused(text) => format!("failed: {text}{again}"),
        Phase::NotTried(why) => format!("not tried: {why}{again}"),
        Phase::Unknown(_) => "uncertain: the tracker did not answer".into(),
        Phase::Dropped => "cancelled".into(),
        Phase::Stopped => "stopped".into(),
    }
}

/// The end of a created item's state: how far its link to its epic is.
fn linked(link: Option<&EpicLink>, epic: Option<&str>) -> String {
    match link {
        None => String::new(),
        Some(EpicLink::There { epic }) => format!(", under {epic}"),
        Some(EpicLink::Failed { why }) => format!(", link failed: {why}"),
        Some(_) => format!(", checking its link to {}", epic.unwrap_or("the epic")),
    }
}

/// Confirms that an item was struck out.
pub(crate) fn dropped(label: &str, title: &str) -> String {
    format!("Struck out: {label} (“{title}”)")
}

/// Confirms that an item has another place.
pub(crate) fn moved(title: &str, label: &str) -> String {
    format!("“{title}” is {label} now")
}

/// Confirms that an item was added.
pub(crate) fn added(label: &str, title: &str) -> String {
    format!("Added: {label} (“{title}”)")
}

pub(crate) fn is_missing(part: Part) -> String {
    match part {
        Part::Title => "It has no title yet".into(),
        part => format!("{} is missing", part.label()),
    }
}

/// Names the confirmation that a batch needs before its approval.
pub(crate) fn confirm_first(first: Action, items: usize, chars: usize) -> String {
    match first {
        Action::ConfirmQuantity => format!("before Approve: confirm creating {}", count(items)),
        _ => format!(
            "before Approve: {chars} characters are a lot; split it into batches, or confirm to create all"
        ),
    }
}

/// Refuses an approval that came before that confirmation.
pub(crate) fn not_confirmed(first: Action) -> String {
    let what = match first {
        Action::ConfirmQuantity => "the number of items has to be confirmed",
        _ => "its length has to be confirmed, or it has to be split into batches",
    };
    format!("Nothing was approved: first {what}, on the card.")
}

/// Asks for the missing parts of the first incomplete item.
pub(crate) fn ask(label: &str, title: &str, missing: &[Part]) -> String {
    let labels: Vec<&str> = missing.iter().map(|part| part.label()).collect();
    let called = if title.is_empty() { String::new() } else { format!(" (\"{title}\")") };
    let first = labels.first().copied().unwrap_or_default().to_string();
    if labels.len() == 1 {
        return format!("{label}{called} is open on one point: {first}? \"Skip\" leaves it open.");
    }
    format!(
        "{label}{called} is still open on: {}. Write lines like \"{first}: …\", or \"skip\" (\"skip the rest\") to leave them open. First: {first}?",
        labels.join(", ")
    )
}
