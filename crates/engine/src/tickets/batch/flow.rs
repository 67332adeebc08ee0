//! The way of a batch to its preview, and of what is missing to a preview of its own. What is between is `release.rs`,
//! as for one ticket.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::latch::Latches;
use super::plan::{Planned, Wanted, lists_items, plan};
use super::{Batch, edit, list};
use crate::ask::{self, Drafted, Question, arbitrate};
use crate::decision::{Decision, Reason, Verdict};
use crate::effect::FieldError;
use crate::id::{BatchId, CardId, DraftId, EffectId, MessageId};
use crate::intent::Intent;
use crate::intent::rules;
use crate::intent::several::Several;
use crate::lane::{Message, MessageKind, Record, Role, TaskStatus};
use crate::memory::flow as memory;
use crate::policy::limits;
use crate::recognize::Words;
use crate::rungs::focus;
use crate::say;
use crate::tickets::{Draft, ItemType, Part, release};
use crate::trace::Rung;
use crate::turn::Turn;
use crate::workflow::press::end_of;
use crate::workflow::{About, Card, Checks, Progress};

/// Starts a batch, as a task of its own: drafts of what the text says, a preview of all of them, and a question for what
/// the first incomplete one lacks.
pub(crate) fn start(turn: &mut Turn<'_>, asked: &Asked, by: &str) -> Verdict {
    let wanted = &asked.wanted();
    if wanted.asked() > limits::BATCH_ITEMS {
        turn.say(MessageKind::Answer, None, &say::batch::too_many(wanted.asked()));
        return Verdict::Answered;
    }
    let items = asked.items(turn.policy.window.title_chars);
    if items.len() > limits::BATCH_ITEMS {
        turn.say(MessageKind::Answer, None, &say::batch::too_many(items.len()));
        return Verdict::Answered;
    }
    let intent = if wanted.topic.is_empty() { say::batch::SEVERAL.into() } else { wanted.topic.to_string() };
    let task = turn.start_task(&intent, by);
    let source = turn.said.as_ref().map_or_else(|| MessageId::from(""), |said| said.message.clone());
    let id = turn.new_batch_id();
    let mut batch = Batch {
        id: id.clone(),
        task,
        source,
        by: by.into(),
        target: turn.policy.project.clone(),
        items: Vec::new(),
        part: None,
    };
    for (place, Planned { kind, parts, under }) in items.into_iter().enumerate() {
        let under = under.and_then(|at: usize| batch.items.get(at).cloned());
        let mut draft = Draft { parts, place: Some(place), ..edit::blank(turn, &batch, kind, under) };
        note_source(turn, &mut draft, &asked.from);
        batch.items.push(draft.id.clone());
        turn.put(Record::Draft(draft));
    }
    turn.put(Record::Batch(batch));
    go_on(turn, &id, asked)
}

/// A model writes what the request leaves out; else what there is is shown.
pub(crate) fn go_on(turn: &mut Turn<'_>, id: &BatchId, asked: &Asked) -> Verdict {
    let question = turn.batch(id).and_then(|batch| question(turn, &asked.wanted(), &batch));
    if question.is_some_and(|question| arbitrate::open(turn, ask::Asked::Batch(id.clone()), question)) {
        return Verdict::Deferred;
    }
    show(turn, id, None);
    edit::ask_missing(turn, id);
    Verdict::Shown
}

/// Notes where an item was said. A story's links are its epic's, and what says nothing was said nowhere.
pub(super) fn note_source(turn: &Turn<'_>, draft: &mut Draft, from: &[MessageId]) {
    if draft.under.is_none() && !draft.parts.is_empty() {
        let source = draft.source.clone();
        [&source].into_iter().chain(from).for_each(|message| draft.said_at(turn, message));
    }
}

/// What a model is asked to write: an epic with its stories, when the text leaves something out.
fn question(turn: &Turn<'_>, wanted: &Wanted<'_>, batch: &Batch) -> Option<Question> {
    let drafts: Vec<&Draft> = batch.items.iter().filter_map(|draft| turn.draft_ref(draft)).collect();
    let lacking = drafts.iter().any(|draft| !draft.missing().is_empty());
    let stories = drafts.iter().filter(|draft| draft.under.is_some()).count().checked_div(wanted.epics)?;
    let stories = u8::try_from(stories).ok().filter(|stories| *stories > 0);
    let from = Some(wanted.text.trim()).filter(|text| !text.is_empty()).map(String::from);
    let question =
        Question::Draft { item_type: Some(ItemType::Epic), stories, from: from.into_iter().collect() };
    lacking.then_some(question)
}

/// A model wrote the items, or did not: then they are what the text says itself. What a person wrote is theirs.
pub(crate) fn drafted(turn: &mut Turn<'_>, id: &BatchId, written: Vec<Drafted>) -> Decision {
    let decision = |verdict| Decision {
        rung: Rung::Intent,
        ..Decision::new(verdict, Reason::Drafted).with_intent(Intent::Ticket)
    };
    let Some(batch) = turn.batch(id) else { return decision(Verdict::Recorded) };
    let mut drafts: Vec<Draft> = batch.items.iter().filter_map(|draft| turn.draft(draft)).collect();
    for one in written {
        let Some(draft) = answered(&drafts, &one).and_then(|at| drafts.get_mut(at)) else { continue };
        draft.take(one.fields, |draft, part| draft.parts.contains_key(&part));
    }
    drafts.into_iter().for_each(|draft| turn.put(Record::Draft(draft)));
    show(turn, id, None);
    edit::ask_missing(turn, id);
    decision(Verdict::Shown)
}

/// The draft a written item is the text of: the one of its title, else the first of its kind that has none.
fn answered(drafts: &[Draft], one: &Drafted) -> Option<usize> {
    let title = one.fields.get(&Part::Title).map_or("", String::as_str);
    let epic = one.item_type == ItemType::Epic;
    let alike = |draft: &&Draft| (draft.item_type == ItemType::Epic) == epic;
    let places = || drafts.iter().enumerate().filter(|(_, draft)| alike(draft));
    let called = |draft: &Draft| draft.part(Part::Title).to_lowercase() == title.to_lowercase();
    let only = places().count() == 1;
    let same = places().find(|(_, draft)| called(draft) || only);
    let blank = || places().find(|(_, draft)| draft.part(Part::Title).is_empty());
    same.or_else(blank).map(|(at, _)| at)
}

/// A request for several items, with what they are made from.
pub(crate) struct Asked {
    /// How many of what; [`Several::epic`] where nobody counts.
    pub(crate) several: Several,
    /// What it is about: "auth".
    pub(crate) topic: String,
    /// What the items are made from: the lines below the request, the thread, a review's artifact.
    pub(crate) text: String,
    /// What the text lists are stories; else all of it is said of the epic.
    pub(crate) lists: bool,
    /// The messages that say it, besides the one that asks.
    pub(crate) from: Vec<MessageId>,
}

impl Asked {
    fn wanted(&self) -> Wanted<'_> {
        Wanted { lists: self.lists, ..Wanted::of(&self.several, &self.topic, &self.text) }
    }

    /// What it comes to: what the text lists, else one item of what it is about.
    pub(super) fn items(&self, title_chars: usize) -> Vec<Planned> {
        let wanted = self.wanted();
        let items = plan(&wanted, title_chars);
        if items.is_empty() { plan(&Wanted { items: Some(1), ..wanted }, title_chars) } else { items }
    }
}

/// Reads a message as [`read`] does, from its words alone.
pub(crate) fn reading(turn: &Turn<'_>, text: &str) -> Option<Asked> {
    let ruling = rules::rule(&Words::of(text))?;
    read(turn, ruling.object.as_deref(), ruling.several.as_ref(), text)
}

/// Reads a request as one for several items: an epic, a number of them, or more than one that the text lists.
pub(crate) fn read(
    turn: &Turn<'_>,
    object: Option<&str>,
    several: Option<&Several>,
    said: &str,
) -> Option<Asked> {
    let several = several?;
    let below = below(object, said);
    let here = lists_items(below);
    // "create a ticket for each of these": what they are, the thread lists.
    let points = object.is_none() && several.list.is_none();
    let listing = (!here && (points || several.whole.item == "epic")).then(|| listing(turn)).flatten();
    let said = several.list.is_some() || object.is_some_and(|object| object.contains([',', ';']));
    let listed = here || said || points && listing.is_some();
    if !(several.certain() || several.possible() && listed) {
        return None;
    }
    let (text, from) = match (&several.list, listing) {
        (Some(list), _) => ([list::listed(list).as_str(), below].join("\n"), None),
        (None, Some(listing)) => ([below, &listing.text].join("\n"), Some(listing.id.clone())),
        (None, None) => (below.into(), None),
    };
    let topic = object.unwrap_or_default().into();
    Some(Asked { several: several.clone(), topic, text, lists: true, from: from.into_iter().collect() })
}

/// The lines below the one that asks.
pub(super) fn below<'t>(object: Option<&str>, text: &'t str) -> &'t str {
    let after = object.and_then(|object| Some(text.split_once(object)?.1)).unwrap_or(text);
    after.split_once('\n').map_or("", |(_, body)| body)
}

/// What a batch can be made from, when the message itself lists nothing: what it points at, else the newest list or
/// story somebody wrote in this lane (`spec 03 §6.1`). Only what people wrote: what we said is not theirs.
fn listing<'t>(turn: &'t Turn<'_>) -> Option<&'t Message> {
    let own = turn.said.as_ref().map(|said| said.message.clone());
    let theirs = |id: &str| turn.message_ref(id).filter(|message| message.role == Role::User);
    let anchor =
        focus(turn).anchor_id().and_then(|id| turn.message_ref(&id.0).or(turn.given.anchor.as_ref()));
    let anchored = anchor.filter(|message| message.role == Role::User && lists_items(&message.text));
    let newest = || {
        let ids = turn.head.window.texts().rev().filter(|id| own.as_ref().is_none_or(|own| own.0 != *id));
        ids.filter_map(theirs).find(|message| lists_items(&message.text))
    };
    anchored.or_else(newest)
}

/// Shows a batch that is kept already.
pub(crate) fn show(turn: &mut Turn<'_>, id: &BatchId, errors: Option<Vec<FieldError>>) -> CardId {
    let batch = turn.batch(id);
    let ids = batch.iter().flat_map(|batch| &batch.items);
    let drafts: Vec<Draft> = ids.filter_map(|draft| turn.draft(draft)).collect();
    let latches = Latches::of(turn, &drafts);
    let checks = Checks::Running { effect: EffectId::from("") };
    let by = batch.map(|batch| batch.by).unwrap_or_default();
    release::preview(turn, About::BatchPreview { batch: id.clone(), checks, latches }, &by, errors)
}

/// A new approval that holds exactly these items of a receipt.
pub(crate) fn again(turn: &mut Turn<'_>, receipt: &Card, items: &[DraftId], errors: Option<Vec<FieldError>>) {
    let Some(old) = receipt.batch().and_then(|batch| turn.batch(batch)) else { return };
    // What followed the old batch follows the new one.
    let part = old.part.clone();
    let id = turn.new_batch_id();
    turn.put(Record::Batch(Batch { id: id.clone(), items: items.to_vec(), part, ..old.clone() }));
    if let Some(part) = old.part.clone().filter(|part| part.next.is_some()) {
        turn.put(Record::Batch(Batch { part: Some(super::PartOf { next: None, ..part }), ..old }));
    }
    let card = show(turn, &id, errors);
    let Some(mut receipt) = turn.card(&receipt.id) else { return };
    let moved: Vec<(DraftId, Progress)> = receipt
        .released()
        .filter(|(draft, _)| items.contains(draft))
        .map(|(draft, progress)| (draft.clone(), progress.clone().tried_again(&card)))
        .collect();
    for (draft, now) in moved {
        receipt.put(&draft, now);
    }
    turn.update(receipt);
}

/// *Retry missing* on a receipt.
pub(crate) fn retry(turn: &mut Turn<'_>, receipt: &Card) -> Decision {
    let missing: Vec<DraftId> = receipt
        .released()
        .filter(|(_, progress)| progress.missing())
        .map(|(draft, _)| draft.clone())
        .collect();
    again(turn, receipt, &missing, None);
    Decision::new(Verdict::Shown, Reason::PressApplied)
}

/// A preview was cancelled, or nobody pressed in time: the next part of a split batch opens, else the task is over. What
/// it was to try again is missing once more.
pub(crate) fn dropped(turn: &mut Turn<'_>, card: &Card) {
    if !open_next(turn, card) {
        end_of(turn, card, TaskStatus::Cancelled);
    }
    let again = turn.receipts_waiting_for(&card.id);
    if again.is_empty() {
        memory::dropped(turn, card);
    }
    for mut receipt in again {
        let in_vain: Vec<(DraftId, Progress)> = receipt
            .released()
            .filter(|(_, progress)| progress.is_tried_on(&card.id))
            .map(|(draft, progress)| (draft.clone(), progress.clone().tried_in_vain()))
            .collect();
        for (draft, now) in in_vain {
            receipt.put(&draft, now);
        }
        turn.update(receipt);
    }
}

/// The part that follows a batch that is over. `false`: none does.
pub(crate) fn open_next(turn: &mut Turn<'_>, card: &Card) -> bool {
    let Some(mut batch) = card.batch().and_then(|batch| turn.batch(batch)) else { return false };
    let Some(next) = batch.part.as_mut().and_then(|part| part.next.take()) else { return false };
    turn.put(Record::Batch(batch));
    show(turn, &next, None);
    edit::ask_missing(turn, &next);
    true
}
