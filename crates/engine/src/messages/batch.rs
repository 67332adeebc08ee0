//! Sentences about batches of tickets.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::card::CardStatus;
use crate::data::progress::{EpicLink, Progress, ReleasedItem};
use crate::data::ticket::{Draft, ItemType, Part};
use crate::data::time::Timestamp;
use crate::messages::past;

pub(crate) const SEVERAL: &str = "several tickets";
pub(crate) const NO_TITLE: &str = "(no title yet)";
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
    let state = |word: &str| items.iter().filter(|item| item.progress.as_str() == word).count();
    let mut more = Vec::new();
    for (word, says) in [
        ("working", "on the way"),
        ("uncertain", "uncertain"),
        ("failed", "failed"),
        ("not_tried", "not tried"),
        ("cancelled", "cancelled"),
    ] {
        let n = state(word);
        if n > 0 {
            more.push(format!("{n} {says}"));
        }
    }
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
    if state("working") > 0 && made == 0 {
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
    let under = epic.map(|epic| format!("goes under {epic}"));
    under.into_iter().chain(detail).collect::<Vec<_>>().join(" · ")
}

/// The state of an item on the receipt.
pub(crate) fn stands(progress: &Progress, epic: Option<&str>) -> String {
    let again = |again: bool| if again { " · tried again on a newer card" } else { "" };
    match progress {
        Progress::Working { .. } => "waiting".into(),
        Progress::Created { key, link: None, .. } => format!("created {key}"),
        Progress::Created { key, link: Some(EpicLink::There { epic }), .. } => {
            format!("created {key}, under {epic}")
        }
        Progress::Created { key, link: Some(EpicLink::Failed { why }), .. } => {
            format!("created {key}, link failed: {why}")
        }
        Progress::Created { key, link: Some(_), .. } => {
            format!("created {key}, checking its link to {}", epic.unwrap_or("the epic"))
        }
        Progress::Done => "done".into(),
        // A text that is also among the errors below is not repeated here.
        Progress::Failed { text, errors, again: on } if errors.iter().any(|error| error.text == *text) => {
            format!("failed{}", again(on.is_some()))
        }
        Progress::Failed { text, again: on, .. } => format!("failed: {text}{}", again(on.is_some())),
        Progress::NotTried { why, again: on } => format!("not tried: {why}{}", again(on.is_some())),
        Progress::Uncertain { .. } => "uncertain: the tracker did not answer".into(),
        Progress::Cancelled => "cancelled".into(),
        _ => String::new(),
    }
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
        return format!("{label}{called} needs detail before it can be approved: {first}?");
    }
    format!(
        "{label}{called} needs detail before it can be approved: {}. Write them as lines like \"{first}: …\", all at once or one at a time. First: {first}?",
        labels.join(", ")
    )
}
