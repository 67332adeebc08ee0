//! Taking back the last change of an open preview: each change keeps the texts and the items that it replaced, and a
//! change back is a change like any other, so that it can itself be taken back.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::batch::Batch;
use crate::data::card::Card;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::DraftId;
use crate::data::message::MessageKind;
use crate::data::ticket::{Draft, Part};
use crate::messages;
use crate::tickets::{batch, preview_words};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{AboutCard, about_card};
use throughline_messages as say;

/// Keeps, in a preview's drafts and batch, what they were before this turn, and forgets what older changes kept.
pub(super) fn keep(turn: &mut Turn<'_>, card: &Card) {
    let mut drafts = turn.drafts_of(card);
    if let Some(mut batch) = card.batch().and_then(|batch| turn.get::<Batch>(batch).cloned()) {
        let old = turn.before::<Batch>(&batch.id).map(|old| &old.items);
        let before = old.filter(|old| **old != batch.items).cloned();
        // What is struck out keeps no change of its own: it would be taken back with it.
        let gone = before.iter().flatten().filter(|id| !batch.items.contains(id));
        drafts.extend(gone.filter_map(|id| turn.get::<Draft>(id).cloned()));
        if batch.before != before {
            batch.before = before;
            turn.put(batch);
        }
    }
    for mut draft in drafts {
        let before = turn.before::<Draft>(&draft.id).map(Draft::wording);
        let before = before.filter(|before| *before != draft.wording());
        if draft.before != before {
            draft.before = before;
            turn.put(draft);
        }
    }
}

/// The open preview whose last change a message takes back.
fn meant(turn: &Turn<'_>, said: &RoutedMessage) -> Option<Card> {
    let asks = about_card(&said.words) == Some(AboutCard::Undo);
    asks.then(|| preview_words::preview(turn, said)).flatten()
}

/// True if a message takes back the last change of a preview, and there is one.
pub(crate) fn takes_back(turn: &Turn<'_>, said: &RoutedMessage) -> bool {
    let changed = |card: Card| {
        let items = card.batch().and_then(|batch| turn.get::<Batch>(batch)?.before.as_ref());
        items.is_some() || turn.drafts_of(&card).iter().any(|draft| draft.before.is_some())
    };
    meant(turn, said).is_some_and(changed)
}

/// Takes back the last change of the preview that a message is about, and shows the differences.
pub(crate) fn heard(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let card = meant(turn, said)?;
    let task = turn.task_of(&card);
    let told: Vec<String> = items_back(turn, &card).into_iter().chain(texts_back(turn, &card)).collect();
    let text = match told.as_slice() {
        [] => say::edit_nothing_to_undo(turn.language()),
        lines => [&[say::edit_undone(turn.language())], lines].concat().join("\n"),
    };
    if !told.is_empty() {
        batch::edit::changed(turn, card);
    }
    if let Some(task) = &task {
        turn.belongs_to(task);
    }
    turn.say(MessageKind::Notification, task.as_ref(), &text);
    Some(Decision::new(Verdict::Done, Reason::DraftEdited))
}

/// Puts the items of a batch back as they were, and tells which came and went.
fn items_back(turn: &mut Turn<'_>, card: &Card) -> Vec<String> {
    let Some(mut batch) = card.batch().and_then(|batch| turn.get::<Batch>(batch)).cloned() else {
        return Vec::new();
    };
    let known = |before: &Vec<DraftId>| before.iter().all(|id| turn.get::<Draft>(id).is_some());
    let Some(before) = batch.before.take().filter(known) else { return Vec::new() };
    let language = turn.language();
    let labelled =
        |turn: &Turn<'_>, ids: &[DraftId], other: &[DraftId], tell: fn(_, String, String) -> String| {
            let drafts: Vec<Draft> = ids.iter().filter_map(|id| turn.get::<Draft>(id).cloned()).collect();
            let only_here = drafts.iter().filter(|draft| !other.contains(&draft.id));
            let line = |draft: &Draft| {
                let label = batch::card::label(language, &drafts, &draft.id).unwrap_or_default();
                tell(language, label, draft.part(Part::Title).into())
            };
            only_here.map(line).collect::<Vec<String>>()
        };
    let gone = labelled(turn, &batch.items, &before, |language, label, title| {
        say::batch_dropped(language, label, title)
    });
    let back = labelled(turn, &before, &batch.items, |language, label, title| {
        say::batch_added(language, label, title)
    });
    batch.items = before;
    turn.put(batch);
    let moved =
        if gone.is_empty() && back.is_empty() { Some(say::edit_order_undone(language)) } else { None };
    gone.into_iter().chain(back).chain(moved).collect()
}

/// Puts the texts of a preview back as they were, and tells the differences.
fn texts_back(turn: &mut Turn<'_>, card: &Card) -> Vec<String> {
    let drafts = turn.drafts_of(card);
    let language = turn.language();
    let mut told = Vec::new();
    for mut draft in drafts.clone() {
        let Some(before) = draft.before.take() else { continue };
        let now = draft.clone();
        draft.put_back(before);
        let label = batch::card::label(language, &drafts, &draft.id);
        let differs = Part::ALL.into_iter().filter(|part| now.part(*part) != draft.part(*part));
        let line = |part: Part| {
            messages::difference(language, label.as_deref(), part, now.part(part), draft.part(part))
        };
        let lines: Vec<String> = differs.map(line).collect();
        let retyped = (now.item_type != draft.item_type)
            .then(|| messages::type_changed(language, now.item_type, draft.item_type));
        let lines: Vec<String> = retyped.into_iter().chain(lines).collect();
        // A part that was left open, or no longer is, has no text to compare.
        let left_open = if lines.is_empty() { Some(say::edit_left_open_undone(language)) } else { None };
        told.extend(lines.into_iter().chain(left_open));
        turn.put(draft);
    }
    told
}
