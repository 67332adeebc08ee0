//! The message that asked for several items was edited: what its words changed is changed in the drafts, and what was
//! written on the card since stays. Fewer items take none away: that is *Remove*.

use alloc::string::String;
use alloc::vec::Vec;

use super::plan::Planned;
use super::{Batch, edit, flow};
use crate::id::{BatchId, DraftId};
use crate::lane::{Message, Record};
use crate::policy::limits;
use crate::tickets::{Draft, ItemType, Part};
use crate::turn::Turn;

/// Takes in what the message says now. `false`: nothing of the batch is another.
pub(crate) fn reread(turn: &mut Turn<'_>, id: &BatchId, before: &Message, text: &str) -> bool {
    let title_chars = turn.policy.window.title_chars;
    let items = |text: &str| Some(flow::reading(turn, text)?.items(title_chars));
    let (Some(old), Some(new), Some(mut batch)) = (items(&before.text), items(text), turn.batch(id)) else {
        return false;
    };
    let drafts: Vec<Draft> = turn.drafts().filter(|draft| draft.task == batch.task).collect();
    let open = waiting(turn, &batch);
    let shown = |at: usize| drafts.iter().find(|draft| draft.place == Some(at));
    let pairs = paired(&old, &new, shown, |draft| open.contains(&draft.id));
    let mut changed = false;
    for mut draft in drafts.iter().filter(|draft| draft.place.is_some()).cloned() {
        let place = pairs.iter().position(|at| at.is_some() && *at == draft.place);
        if let (Some(now), Some(was)) = (place.map(|at| &new[at]), draft.place.map(|at| &old[at]))
            && !now.parts.is_empty()
            && open.contains(&draft.id)
        {
            changed |= draft.reword((was.kind, &was.parts), (now.kind, &now.parts));
        }
        turn.put(Record::Draft(Draft { place, ..draft }));
    }
    let mut ids: Vec<Option<DraftId>> =
        pairs.iter().map(|at| at.and_then(shown).map(|draft| draft.id.clone())).collect();
    for (place, Planned { kind, parts, under }) in new.into_iter().enumerate() {
        if pairs[place].is_some() || batch.items.len() >= limits::BATCH_ITEMS {
            continue;
        }
        let under = under.and_then(|at| ids[at].clone());
        let mut draft = Draft { parts, place: Some(place), ..edit::blank(turn, &batch, kind, under) };
        flow::note_source(turn, &mut draft, &[]);
        insert(turn, &mut batch, &draft);
        ids[place] = Some(draft.id.clone());
        turn.put(Record::Draft(draft));
        changed = true;
    }
    turn.put(Record::Batch(batch));
    changed
}

/// What can still be changed: the items of this batch, and of those that a split made to follow it.
fn waiting(turn: &Turn<'_>, batch: &Batch) -> Vec<DraftId> {
    let mut items = batch.items.clone();
    let mut next = batch.part.as_ref().and_then(|part| part.next.clone());
    while let Some(batch) = next.take().and_then(|id| turn.batch(&id)) {
        next = batch.part.and_then(|part| part.next);
        items.extend(batch.items);
    }
    items
}

/// Behind the last item of its epic, else at the end.
fn insert(turn: &Turn<'_>, batch: &mut Batch, draft: &Draft) {
    let beside = |id: &DraftId| {
        let under = turn.draft_ref(id).and_then(|draft| draft.under.as_ref());
        draft.under.is_some() && (under == draft.under.as_ref() || Some(id) == draft.under.as_ref())
    };
    let at = batch.items.iter().rposition(beside).map_or(batch.items.len(), |last| last + 1);
    batch.items.insert(at, draft.id.clone());
}

/// Which item of the old text each item of the new one is: the one of its title, else the next one that is left. What a
/// person wrote into an item the text left blank, the text never said; but an epic is the epic.
fn paired<'d>(
    old: &[Planned],
    new: &[Planned],
    shown: impl Fn(usize) -> Option<&'d Draft>,
    open: impl Fn(&Draft) -> bool,
) -> Vec<Option<usize>> {
    let epic = |item: &Planned| item.kind == ItemType::Epic;
    let called = |at: usize| shown(at).map(|draft| draft.part(Part::Title).to_lowercase());
    let same = |item: &Planned, at: usize| {
        let title = title_of(item);
        title.is_some() && (title == title_of(&old[at]) || title == called(at))
    };
    let next = |item: &Planned, at: usize| {
        let blank = || title_of(&old[at]).is_none() && called(at).is_some_and(|title| !title.is_empty());
        title_of(item).is_some() && shown(at).is_some_and(&open) && (epic(item) || !blank())
    };
    let mut pairs: Vec<Option<usize>> = new.iter().map(|_| None).collect();
    let mut left: Vec<usize> = (0..old.len()).collect();
    let mut pair = |fits: &dyn Fn(&Planned, usize) -> bool| {
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

fn title_of(item: &Planned) -> Option<String> {
    item.parts.get(&Part::Title).map(|title| title.to_lowercase())
}
