//! Editing a batch before its approval: missing parts, and items changed, added or removed. Each change is a
//! new version of the card, with a new dry run and latches to confirm again.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::cards::decide::refuse_step;
use crate::data::batch::Batch;
use crate::data::batch::Latches;
use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::field_error::FieldError;
use crate::data::id::{BatchId, DraftId, MessageId};
use crate::data::pending::{PendingKind, PendingState, Slot};
use crate::data::policy::limits;
use crate::data::ticket::{Draft, ItemType, Part};
use crate::messages;
use crate::tickets::{drafting, release, undo};
use crate::turn::Turn;
use throughline_messages as say;

/// Returns the errors that keep a batch from being created, found without asking the tracker: missing
/// required parts, and stories whose epic belongs to an earlier part of a split and was not created. Empty
/// for any other card.
pub(crate) fn lacks(turn: &Turn<'_>, about: &CardSubject) -> Vec<FieldError> {
    let batch = match about {
        CardSubject::BatchPreview { batch, .. } => batch,
        CardSubject::DraftPreview { draft, .. } => return alone(turn, draft),
        _ => return Vec::new(),
    };
    let Some(batch) = turn.get::<Batch>(batch).cloned() else { return Vec::new() };
    let drafts: Vec<Draft> =
        batch.items.iter().filter_map(|draft| turn.get::<Draft>(draft).cloned()).collect();
    let mut lacks = Vec::new();
    for draft in &drafts {
        let mut error = |code: &str, field: &str, text: String| {
            lacks.push(FieldError { item: draft.id.0.clone(), ..ours(turn, code, field, text) });
        };
        for part in turn.policy.drafts.forbidding(draft) {
            error(code_of(part), part.as_str(), messages::batch::is_missing(turn.language(), part));
        }
        let Some(epic) = &draft.under else { continue };
        let there = turn.get::<Draft>(epic).is_some_and(|epic| epic.created.is_some());
        if !batch.items.contains(epic) && !there {
            error("check.parent", "parent", say::link_no_epic(turn.language()));
        }
    }
    lacks
}

/// Returns the errors of a single ticket.
fn alone(turn: &Turn<'_>, draft: &DraftId) -> Vec<FieldError> {
    let forbidding = turn.get::<Draft>(draft).map(|draft| turn.policy.drafts.forbidding(draft));
    let error = |part: Part| {
        let text = messages::batch::is_missing(turn.language(), part);
        ours(turn, code_of(part), part.as_str(), text)
    };
    forbidding.into_iter().flatten().map(error).collect()
}

/// An error in a sentence of the catalogue. Turns of versions before 0.2 are decided again as they were, without `whole`.
pub(crate) fn ours(turn: &Turn<'_>, code: &str, field: &str, text: String) -> FieldError {
    FieldError { whole: turn.given.multilingual, ..FieldError::new(code, field, text) }
}

fn code_of(part: Part) -> &'static str {
    if part == Part::Title { "check.shape" } else { "check.required" }
}

/// Clears the questions about the items of a preview, when its card closes.
pub(crate) fn clear_questions(turn: &mut Turn<'_>, card: &Card) {
    let items: Vec<DraftId> = turn.drafts_of(card).into_iter().map(|draft| draft.id).collect();
    let about = |pending: &PendingState| {
        matches!(&pending.kind, PendingKind::SlotRequest(_))
            && pending.kind.draft().is_some_and(|draft| items.contains(draft))
    };
    turn.head.pendings.retain(|pending| !about(pending));
    turn.head.lapsed.retain(|pending| !about(pending));
}

/// Asks for the missing parts of the first incomplete item.
pub(crate) fn ask_missing(turn: &mut Turn<'_>, batch: &BatchId) {
    let Some(batch) = turn.get::<Batch>(batch).cloned() else { return };
    let drafts: Vec<Draft> =
        batch.items.iter().filter_map(|draft| turn.get::<Draft>(draft).cloned()).collect();
    let labels = crate::tickets::batch::card::labels(turn.language(), &drafts);
    let lacking = drafts.iter().zip(&labels).find(|(draft, _)| !draft.missing().is_empty());
    let Some((draft, label)) = lacking else { return };
    let missing = draft.missing();
    let question = messages::batch::ask(turn.language(), label, draft.part(Part::Title), &missing);
    drafting::ask_part(turn, &draft.id, missing[0], &question);
}

/// Stores a changed draft, adds it to the batch if it is new, and shows the next version of the card.
pub(crate) fn revise(turn: &mut Turn<'_>, card: Card, draft: Draft) {
    let id = draft.id.clone();
    turn.put(draft);
    if let Some(mut batch) = card.batch().and_then(|batch| turn.get::<Batch>(batch).cloned())
        && !batch.items.contains(&id)
    {
        batch.items.push(id);
        turn.put(batch);
    }
    changed(turn, card);
}

/// Shows the next version of a card whose items changed.
pub(crate) fn changed(turn: &mut Turn<'_>, card: Card) {
    undo::keep(turn, &card);
    let mut about = card.about.clone();
    if let CardSubject::BatchPreview { latches, .. } = &mut about {
        *latches = Latches::of(turn, &turn.drafts_of(&card));
    }
    let batch = card.batch().cloned();
    release::revise(turn, card, about);
    asked_elsewhere(turn, batch.as_ref());
}

/// Moves an open question about a preview to the next gap if its own was filled meanwhile, for example by form.
fn asked_elsewhere(turn: &mut Turn<'_>, batch: Option<&BatchId>) {
    let Some(PendingKind::SlotRequest(Slot::Draft { draft, part })) =
        turn.conversational().map(|p| p.kind.clone())
    else {
        return;
    };
    let open =
        batch.is_none_or(|batch| turn.get::<Batch>(batch).is_some_and(|batch| batch.items.contains(&draft)));
    let lacks = turn.get::<Draft>(&draft).is_some_and(|draft| draft.missing().contains(&part));
    if !(open && lacks) {
        turn.take_conversational();
        match batch {
            Some(batch) => ask_missing(turn, batch),
            None => drafting::ask_gap(turn, &draft),
        }
    }
}

/// Returns the draft that an item's button belongs to.
pub(crate) fn item(turn: &Turn<'_>, card: &Card, item: &str) -> Option<Draft> {
    turn.drafts_of(card).into_iter().find(|draft| draft.id.0 == item)
}

/// Applies *Remove*: takes an item out of the batch. Refused for an epic that has stories and for the last
/// item, for which there is *Cancel*.
pub(crate) fn remove(turn: &mut Turn<'_>, card: Card, item: &str) -> Decision {
    let id = DraftId::from(item);
    let holds = |batch: &Batch| batch.items.contains(&id);
    let Some(mut batch) = card.batch().and_then(|batch| turn.get::<Batch>(batch).cloned()).filter(holds)
    else {
        return refuse_step(turn);
    };
    let has_stories = batch
        .items
        .iter()
        .any(|draft| turn.get::<Draft>(draft).is_some_and(|d| d.under.as_ref() == Some(&id)));
    if has_stories || batch.items.len() < 2 {
        let why = if has_stories { say::batch_has_stories } else { say::batch_last_item };
        turn.tell(&why(turn.language()));
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    }
    batch.items.retain(|draft| *draft != id);
    turn.put(batch);
    changed(turn, card);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// Answers *Add a story…* on channels without forms: asks for the story, which joins the batch once it has a
/// title.
pub(crate) fn ask_story(turn: &mut Turn<'_>, card: &Card) -> Decision {
    match new_story(turn, card) {
        Ok(draft) => {
            turn.put(draft.clone());
            drafting::ask_words(turn, card, draft, &say::batch_which_story(turn.language()))
        }
        Err(refused) => refused,
    }
}

/// Takes in the form of *Add a story…*.
pub(crate) fn add_story(turn: &mut Turn<'_>, card: Card, values: &BTreeMap<String, String>) -> Decision {
    match new_story(turn, &card) {
        Ok(draft) => drafting::edit_by_form(turn, card, Some(draft), values),
        Err(refused) => refused,
    }
}

pub(crate) fn new_story(turn: &mut Turn<'_>, card: &Card) -> Result<Draft, Decision> {
    let drafts = turn.drafts_of(card);
    let Some(batch) = card.batch().and_then(|batch| turn.get::<Batch>(batch).cloned()) else {
        return Err(refuse_step(turn));
    };
    if drafts.len() >= limits::BATCH_ITEMS {
        turn.tell(&messages::batch::too_many(turn.language(), drafts.len() + 1));
        return Err(Decision::new(Verdict::Refused, Reason::StaleStep));
    }
    let epic = drafts.iter().rev().find_map(|draft| match draft.item_type {
        ItemType::Epic => Some(draft.id.clone()),
        _ => draft.under.clone(),
    });
    let alike = drafts.last().map_or(ItemType::Story, |draft| draft.item_type);
    let item_type = if epic.is_some() { ItemType::Story } else { alike };
    Ok(blank(turn, &batch, item_type, epic))
}

/// Returns an empty draft for this batch.
pub(super) fn blank(
    turn: &mut Turn<'_>,
    batch: &Batch,
    item_type: ItemType,
    under: Option<DraftId>,
) -> Draft {
    let of = (batch.task.clone(), MessageId(batch.source.0.clone()));
    let mut draft = Draft::blank(turn.new_draft_id(), of, &batch.by, item_type, batch.target.clone());
    draft.under = under;
    draft
}
