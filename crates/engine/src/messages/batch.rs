//! Sentences about batches of tickets.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use throughline_messages::{self as say, Language};

use crate::data::action::Action;
use crate::data::card::CardStatus;
use crate::data::progress::{EpicLink, Phase, Progress, ReleasedItem};
use crate::data::ticket::{Draft, ItemType, Part};
use crate::data::time::Timestamp;
use crate::messages::{Counted, decided, labels};

pub(crate) fn too_many(language: Language, n: usize) -> String {
    say::batch_too_many(language, crate::data::policy::limits::BATCH_ITEMS, n)
}

/// The content of a batch: `1 epic and 5 stories in AUTH`.
pub(crate) fn what(language: Language, drafts: &[Draft], project: &str) -> String {
    let mut kinds: Vec<(ItemType, usize)> = Vec::new();
    for draft in drafts {
        match kinds.iter_mut().find(|(kind, _)| *kind == draft.item_type) {
            Some((_, n)) => *n += 1,
            None => kinds.push((draft.item_type, 1)),
        }
    }
    let all: Vec<String> =
        kinds.iter().map(|(kind, n)| say::item_count(language, kind.as_str(), *n)).collect();
    let listed = match all.as_slice() {
        [first @ .., last] if !first.is_empty() => say::list_and(language, first.join(", "), last),
        all => all.join(""),
    };
    say::batch_what(language, listed, project)
}

/// The content of one draft: `1 bug in AUTH`.
pub(crate) fn one(language: Language, draft: &Draft) -> String {
    say::batch_what(language, say::item_count(language, draft.item_type.as_str(), 1), &draft.target.project)
}

pub(crate) fn title(language: Language, what: &str, by: &str, status: &CardStatus, now: Timestamp) -> String {
    match status {
        CardStatus::Open => say::ticket_create(language, what),
        CardStatus::Expired => say::card_expired(language, what),
        CardStatus::Superseded { .. } => say::ticket_superseded(language, what),
        CardStatus::Withdrawn => say::card_cancelled(language, what),
        CardStatus::Decided { action, by: who, at, result } => {
            let who = decided(language, *action, who, *at, now);
            match result {
                Progress::Several { items } => {
                    say::batch_receipt(language, by, came_of(language, items), who)
                }
                _ => say::ticket_refused(language, who, what),
            }
        }
    }
}

/// The progress of a batch: "Created 5 of 6".
fn came_of(language: Language, items: &[ReleasedItem]) -> String {
    let made = items.iter().filter(|item| item.progress.key().is_some()).count();
    let count = |of: fn(&Phase<'_>) -> bool| items.iter().filter(|item| of(&item.progress.phase())).count();
    let on_the_way = count(|phase| matches!(phase, Phase::Running(_)));
    let beside: [(usize, Counted); 5] = [
        (on_the_way, say::batch_some_on_the_way),
        (count(|phase| matches!(phase, Phase::Unknown(_))), say::batch_some_uncertain),
        (count(|phase| matches!(phase, Phase::Refused(_))), say::batch_some_failed),
        (count(|phase| matches!(phase, Phase::NotTried(_))), say::batch_some_not_tried),
        (count(|phase| matches!(phase, Phase::Dropped | Phase::Stopped)), say::batch_some_cancelled),
    ];
    let more: Vec<String> =
        beside.iter().filter(|(n, _)| *n > 0).map(|(n, says)| says(language, *n)).collect();
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join(", ")) };
    if on_the_way > 0 && made == 0 {
        say::batch_working(language) + &more
    } else {
        say::batch_created(language, items.len(), made) + &more
    }
}

/// The state of an item before its approval.
pub(crate) fn waits(language: Language, draft: &Draft, epic: Option<&str>) -> String {
    let (missing, open) = (draft.missing(), draft.left_open());
    let detail = (!missing.is_empty()).then(|| say::batch_needs_detail(language, labels(language, &missing)));
    let open = (!open.is_empty()).then(|| say::batch_left_open(language, labels(language, open.keys())));
    let under = epic.map(|epic| say::batch_goes_under(language, epic));
    let proposed = draft.is_proposed(Part::Title).then(|| say::card_proposed(language));
    under.into_iter().chain(proposed).chain(detail).chain(open).collect::<Vec<_>>().join(" · ")
}

/// The state of an item on the receipt.
pub(crate) fn stands(language: Language, progress: &Progress, epic: Option<&str>) -> String {
    let again = |stands: String| {
        let again = progress.is_tried_anew().then(|| say::batch_tried_again(language));
        [stands].into_iter().chain(again).collect::<Vec<_>>().join(" · ")
    };
    match progress.phase() {
        Phase::Nothing | Phase::Several(_) => String::new(),
        Phase::Running(_) => say::batch_on_the_way(language),
        Phase::Happened(None) | Phase::Posted => say::batch_done(language),
        Phase::Happened(Some(what)) => {
            let created = say::batch_item_created(language, what);
            let linked = linked(language, progress.link(), epic);
            [created].into_iter().chain(linked).collect::<Vec<_>>().join(", ")
        }
        // A text that is also among the errors below is not repeated here.
        Phase::Refused(text) if progress.errors().iter().any(|error| error.text == text) => {
            again(say::batch_item_failed(language))
        }
        Phase::Refused(text) => again(say::batch_item_failed_why(language, text)),
        Phase::NotTried(why) => again(say::batch_item_not_tried(language, why)),
        Phase::Unknown(_) => say::batch_item_uncertain(language),
        Phase::Dropped => say::batch_item_cancelled(language),
        Phase::Stopped => say::batch_item_stopped(language),
    }
}

/// The end of a created item's state: how far its link to its epic is.
fn linked(language: Language, link: Option<&EpicLink>, epic: Option<&str>) -> Option<String> {
    Some(match link? {
        EpicLink::There { epic } => say::batch_under(language, epic),
        EpicLink::Failed { why } => say::batch_link_failed(language, why),
        _ => {
            let epic = epic.map_or_else(|| say::batch_the_epic(language), Into::into);
            say::batch_link_checked(language, epic)
        }
    })
}

/// The label of an item within a sentence: `story 3`. German writes nouns with a capital letter anywhere.
pub(crate) fn in_sentence(language: Language, label: &str) -> String {
    if language == Language::De { label.into() } else { label.to_lowercase() }
}

pub(crate) fn is_missing(language: Language, part: Part) -> String {
    match part {
        Part::Title => say::batch_title_missing(language),
        part => say::batch_part_missing(language, part.label(language)),
    }
}

/// Names the confirmation that a batch needs before its approval.
pub(crate) fn confirm_first(language: Language, first: Action, items: usize, chars: usize) -> String {
    match first {
        Action::ConfirmQuantity => say::batch_confirm_number(language, items),
        _ => say::batch_confirm_size(language, chars),
    }
}

/// Refuses an approval that came before that confirmation.
pub(crate) fn not_confirmed(language: Language, first: Action) -> String {
    match first {
        Action::ConfirmQuantity => say::batch_number_not_confirmed(language),
        _ => say::batch_size_not_confirmed(language),
    }
}

/// Asks for the missing parts of the first incomplete item.
pub(crate) fn ask(language: Language, label: &str, title: &str, missing: &[Part]) -> String {
    let item = if title.is_empty() { label.into() } else { say::batch_item_called(language, label, title) };
    let first = missing.first().map(|part| part.label(language)).unwrap_or_default();
    if missing.len() == 1 {
        return say::batch_ask_one(language, first, item);
    }
    say::batch_ask_more(language, first, item, labels(language, missing))
}
