//! Edits of the message that asked for a batch. Drafts follow the changes of its text and keep what was
//! changed on the card since. An item that left the text stays in the batch; only *Remove* takes one out.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::authors::Authors;
use crate::data::batch::Batch;
use crate::data::id::{BatchId, DraftId};
use crate::data::message::Message;
use crate::data::policy::limits;
use crate::data::ticket::{Draft, ItemType, Part};
use crate::tickets::batch::plan::PlannedItem;
use crate::tickets::batch::{drafting, edit};
use crate::tickets::qualifiers;
use crate::turn::Turn;

/// Applies the edited text to the batch. Returns `true` if a draft changed or an item was added.
pub(crate) fn apply_source_edit(turn: &mut Turn<'_>, id: &BatchId, before: &Message, text: &str) -> bool {
    let title_chars = turn.policy.window.title_chars;
    let items = |text: &str| {
        let mut items = drafting::reading(turn, text)?.items(title_chars);
        let fields = qualifiers::fields(text, &before.by);
        items.iter_mut().for_each(|item| item.qualify(&fields));
        Some(items)
    };
    let (Some(old), Some(new), Some(mut batch)) =
        (items(&before.text), items(text), turn.get::<Batch>(id).cloned())
    else {
        return false;
    };
    let drafts: Vec<Draft> =
        turn.loaded::<Draft>().filter(|draft| draft.task == batch.task).cloned().collect();
    let open = waiting(turn, &batch);
    let shown = |at: usize| drafts.iter().find(|draft| draft.place == Some(at));
    let pairs = paired(&old, &new, shown, |draft| open.contains(&draft.id));
    let by = Authors::of(&before.by);
    let mut changed = false;
    for mut draft in drafts.iter().filter(|draft| draft.place.is_some()).cloned() {
        let place = pairs.iter().position(|at| at.is_some() && *at == draft.place);
        if let (Some(now), Some(was)) = (place.map(|at| &new[at]), draft.place.map(|at| &old[at]))
            && !now.parts.is_empty()
            && open.contains(&draft.id)
        {
            changed |= draft.reword((was.kind, &was.parts), (now.kind, &now.parts), &by);
        }
        draft.place = place;
        turn.put(draft);
    }
    let mut ids: Vec<Option<DraftId>> =
        pairs.iter().map(|at| at.and_then(shown).map(|draft| draft.id.clone())).collect();
    for (place, PlannedItem { kind, parts, under }) in new.into_iter().enumerate() {
        if pairs[place].is_some() || batch.items.len() >= limits::BATCH_ITEMS {
            continue;
        }
        let under = under.and_then(|at| ids[at].clone());
        let mut draft = edit::blank(turn, &batch, kind, under);
        draft.place = Some(place);
        draft.write_all(&parts, &by);
        drafting::note_source(turn, &mut draft, &[]);
        insert(turn, &mut batch, &draft);
        ids[place] = Some(draft.id.clone());
        turn.put(draft);
        changed = true;
    }
    turn.put(batch);
    changed
}

/// Returns the items that can still be changed: those of this batch and of the parts of its split that
/// follow.
fn waiting(turn: &Turn<'_>, batch: &Batch) -> Vec<DraftId> {
    let mut items = batch.items.clone();
    let mut next = batch.part.as_ref().and_then(|part| part.next.clone());
    while let Some(batch) = next.take().and_then(|id| turn.get::<Batch>(&id).cloned()) {
        next = batch.part.and_then(|part| part.next);
        items.extend(batch.items);
    }
    items
}

/// Adds a draft to the batch: after the last item of its epic, else at the end.
fn insert(turn: &Turn<'_>, batch: &mut Batch, draft: &Draft) {
    let beside = |id: &DraftId| {
        let under = turn.get::<Draft>(id).and_then(|draft| draft.under.as_ref());
        draft.under.is_some() && (under == draft.under.as_ref() || Some(id) == draft.under.as_ref())
    };
    let at = batch.items.iter().rposition(beside).map_or(batch.items.len(), |last| last + 1);
    batch.items.insert(at, draft.id.clone());
}

/// Pairs each item of the new text with an item of the old one: the one with the same title, else the next
/// one that is left. An item without a title in the old text that a person named since pairs only with
/// another without a title; an epic pairs with any epic.
fn paired<'d>(
    old: &[PlannedItem],
    new: &[PlannedItem],
    shown: impl Fn(usize) -> Option<&'d Draft>,
    open: impl Fn(&Draft) -> bool,
) -> Vec<Option<usize>> {
    let epic = |item: &PlannedItem| item.kind == ItemType::Epic;
    let called = |at: usize| {
        let title = |draft: &Draft| {
            if draft.is_proposed(Part::Title) { "" } else { draft.part(Part::Title) }.to_lowercase()
        };
        shown(at).map(title)
    };
    let same = |item: &PlannedItem, at: usize| {
        let title = title_of(item);
        title.is_some() && (title == title_of(&old[at]) || title == called(at))
    };
    let next = |item: &PlannedItem, at: usize| {
        let blank = || title_of(&old[at]).is_none() && called(at).is_some_and(|title| !title.is_empty());
        title_of(item).is_some() && shown(at).is_some_and(&open) && (epic(item) || !blank())
    };
    let mut pairs: Vec<Option<usize>> = new.iter().map(|_| None).collect();
    let mut left: Vec<usize> = (0..old.len()).collect();
    let mut pair = |fits: &dyn Fn(&PlannedItem, usize) -> bool| {
        for (item, pair) in new.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
            let found = left.iter().position(|at| epic(&old[*at]) == epic(item) && fits(item, *at));
            *pair = found.map(|at| left.remove(at));
        }
    };
    pair(&same);
    pair(&next);
    pair(&|item, _| title_of(item).is_none());
    pairs
}

fn title_of(item: &PlannedItem) -> Option<String> {
    item.parts.get(&Part::Title).map(|title| title.to_lowercase())
}
