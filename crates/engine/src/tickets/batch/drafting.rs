//! A batch from its request to its preview, and missing items from a receipt to a preview of their own. From
//! a preview to a receipt, `release.rs` handles batches and single tickets alike.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::ask::ask_loop;
use crate::cards::decide::end_of;
use crate::data::ask::{DraftAnswer, Question};
use crate::data::authors::Authors;
use crate::data::batch::Batch;
use crate::data::batch::Latches;
use crate::data::card::{Card, CardSubject, Checks};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::field_error::FieldError;
use crate::data::id::{BatchId, CardId, DraftId, MessageId};
use crate::data::intent::Intent;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::policy::limits;
use crate::data::progress::Progress;
use crate::data::rung::Rung;
use crate::data::task_status::TaskStatus;
use crate::data::ticket::{Draft, ItemType, Part};
use crate::memory::fact_intake as memory;
use crate::messages::{self, batch::in_sentence};
use crate::tickets::batch::plan::{BatchSpec, PlannedItem, lists_items, plan};
use crate::tickets::batch::{edit, list_parser};
use crate::tickets::drafting::replied_to;
use crate::tickets::project::targeted;
use crate::tickets::qualifiers::{self, Request};
use crate::tickets::subject::with_body;
use crate::tickets::{authors_of, release};
use crate::turn::Turn;
use crate::turn::routed_message::focus;
use throughline_language::Words;
use throughline_language::intent::rules;
use throughline_language::intent::several::Several;
use throughline_messages as say;

/// Starts a batch as a task of its own: drafts filled from the text, a preview of all of them, and a question
/// about the first incomplete one. A batch over the limit of items is refused.
pub(crate) fn start(turn: &mut Turn<'_>, asked: &BatchRequest, by: &str) -> Verdict {
    let wanted = &asked.wanted();
    if wanted.asked() > limits::BATCH_ITEMS {
        turn.say(MessageKind::Answer, None, &messages::batch::too_many(turn.language(), wanted.asked()));
        return Verdict::Answered;
    }
    let own = turn.said.clone();
    let own = own.as_ref().map_or(asked.topic.as_str(), |said| said.text());
    let fields = qualifiers::fields(own, by);
    let (target, topic) = targeted(turn, own, &asked.topic);
    let asked = &BatchRequest { topic, ..asked.clone() };
    let wanted = &asked.wanted();
    let mut items = asked.items(turn.policy.window.title_chars);
    items.iter_mut().for_each(|item| item.qualify(&fields));
    if items.len() > limits::BATCH_ITEMS {
        turn.say(MessageKind::Answer, None, &messages::batch::too_many(turn.language(), items.len()));
        return Verdict::Answered;
    }
    let intent =
        if wanted.topic.is_empty() { say::batch_several(turn.language()) } else { wanted.topic.to_string() };
    let task = turn.start_task(&intent, by);
    let source = turn.source();
    let id = turn.new_batch_id();
    let mut batch = Batch {
        id: id.clone(),
        task,
        source,
        by: by.into(),
        target,
        items: Vec::new(),
        part: None,
        before: None,
    };
    let authors = if asked.authors.is_empty() { Authors::of(by) } else { asked.authors.clone() };
    let replied = replied_to(turn);
    for (place, PlannedItem { kind, parts, under }) in items.into_iter().enumerate() {
        let under = under.and_then(|at: usize| batch.items.get(at).cloned());
        let mut draft = edit::blank(turn, &batch, kind, under);
        draft.place = Some(place);
        draft.write_all(&parts, &authors);
        draft.material = authors.clone().and(&replied).without(by);
        note_source(turn, &mut draft, &asked.from);
        batch.items.push(draft.id.clone());
        turn.put(draft);
    }
    turn.put(batch);
    go_on(turn, &id, asked)
}

/// Asks a model to complete the items. If none can be asked, shows the preview and asks for missing parts.
pub(crate) fn go_on(turn: &mut Turn<'_>, id: &BatchId, asked: &BatchRequest) -> Verdict {
    let question = turn.get::<Batch>(id).cloned().and_then(|batch| question(turn, &asked.wanted(), &batch));
    if question.is_some_and(|question| {
        ask_loop::open(turn, crate::data::ask::AnswerRecipient::Batch(id.clone()), question)
    }) {
        return Verdict::Deferred;
    }
    propose_titles(turn, id);
    show(turn, id, None);
    edit::ask_missing(turn, id);
    Verdict::Shown
}

/// Gives each item without a title one to go by, marked as proposed: what the batch is about, and its label.
fn propose_titles(turn: &mut Turn<'_>, id: &BatchId) {
    let Some(batch) = turn.get::<Batch>(id).cloned() else { return };
    let drafts: Vec<Draft> =
        batch.items.iter().filter_map(|draft| turn.get::<Draft>(draft).cloned()).collect();
    let labels = crate::tickets::batch::card::labels(turn.language(), &drafts);
    for (draft, label) in drafts.iter().zip(labels).filter(|(draft, _)| draft.part(Part::Title).is_empty()) {
        let epic = draft.under.as_ref().and_then(|epic| drafts.iter().find(|draft| draft.id == *epic));
        let topic = epic.map_or("", |epic| epic.part(Part::Title));
        let title = if topic.is_empty() {
            label
        } else {
            format!("{topic}: {}", in_sentence(turn.language(), &label))
        };
        let mut draft = draft.clone();
        draft.propose(Part::Title, &title, &Authors::of(&batch.by));
        turn.put(draft);
    }
}

/// Adds links to the sources of an item to its evidence. Not for a story, which has those of its epic, nor
/// for an empty item.
pub(super) fn note_source(turn: &Turn<'_>, draft: &mut Draft, from: &[MessageId]) {
    if draft.under.is_none() && !draft.parts().is_empty() {
        let source = draft.source.clone();
        [&source].into_iter().chain(from).for_each(|message| draft.said_at(turn, message));
    }
}

/// Returns the question for a model: an epic with its stories. `None` if no part is missing or there are no
/// stories.
fn question(turn: &Turn<'_>, wanted: &BatchSpec<'_>, batch: &Batch) -> Option<Question> {
    let drafts: Vec<&Draft> = batch.items.iter().filter_map(|draft| turn.get::<Draft>(draft)).collect();
    let lacking = drafts.iter().any(|draft| !draft.missing().is_empty());
    let stories = drafts.iter().filter(|draft| draft.under.is_some()).count().checked_div(wanted.epics)?;
    let stories = u8::try_from(stories).ok().filter(|stories| *stories > 0);
    let from = Some(wanted.text.trim()).filter(|text| !text.is_empty()).map(String::from);
    let question =
        Question::Draft { item_type: Some(ItemType::Epic), stories, from: from.into_iter().collect() };
    lacking.then_some(question)
}

/// Takes in a model's drafts, empty if the model gave no usable ones. Parts that are already filled are kept.
pub(crate) fn drafted(turn: &mut Turn<'_>, id: &BatchId, written: Vec<DraftAnswer>) -> Decision {
    let decision = |verdict| Decision {
        rung: Rung::Intent,
        ..Decision::new(verdict, Reason::Drafted).with_intent(Intent::Ticket)
    };
    let Some(batch) = turn.get::<Batch>(id).cloned() else { return decision(Verdict::Recorded) };
    let mut drafts: Vec<Draft> =
        batch.items.iter().filter_map(|draft| turn.get::<Draft>(draft).cloned()).collect();
    for one in written {
        let Some(draft) = answered(&drafts, &one).and_then(|at| drafts.get_mut(at)) else { continue };
        draft.take(one.fields, |draft, part| draft.parts().contains_key(&part));
    }
    drafts.into_iter().for_each(|draft| turn.put(draft));
    propose_titles(turn, id);
    show(turn, id, None);
    edit::ask_missing(turn, id);
    decision(Verdict::Shown)
}

/// Returns the index of the draft that a model's item is for: the one with its title, or the only one of its
/// kind; else the first of its kind without a title.
fn answered(drafts: &[Draft], one: &DraftAnswer) -> Option<usize> {
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

/// A request for several items, with its source text.
#[derive(Clone)]
pub(crate) struct BatchRequest {
    /// Counts and item nouns of the request; [`Several::epic`] where none are given.
    pub(crate) several: Several,
    /// Subject of the request: "auth".
    pub(crate) topic: String,
    /// Source text: the lines below the request, the thread, a review's artifact.
    pub(crate) text: String,
    /// True if the lists in the text are items; else the whole text describes the epic.
    pub(crate) lists: bool,
    /// Source messages besides the one that asks.
    pub(crate) from: Vec<MessageId>,
    /// The people whose words the source text is; nobody if it is the asker's own.
    pub(crate) authors: Authors,
}

impl BatchRequest {
    fn wanted(&self) -> BatchSpec<'_> {
        BatchSpec { lists: self.lists, ..BatchSpec::of(&self.several, &self.topic, &self.text) }
    }

    /// Returns the planned items; if the text lists none, one item about the subject.
    pub(super) fn items(&self, title_chars: usize) -> Vec<PlannedItem> {
        let wanted = self.wanted();
        let items = plan(&wanted, title_chars);
        if items.is_empty() { plan(&BatchSpec { items: Some(1), ..wanted }, title_chars) } else { items }
    }
}

/// Reads a message as [`read`] does, from its text alone.
pub(crate) fn reading(turn: &Turn<'_>, text: &str) -> Option<BatchRequest> {
    let words = Words::of(text);
    let Request { ruling, text } = Request::of(&words, rules::rule(&words)?);
    read(turn, ruling.object.as_deref(), ruling.several.as_ref(), &text)
}

/// Reads a request as one for several items: an epic, a number of them, or more than one that the text lists.
pub(crate) fn read(
    turn: &Turn<'_>,
    object: Option<&str>,
    several: Option<&Several>,
    said: &str,
) -> Option<BatchRequest> {
    let several = several?;
    let below = &*rest(several.list.as_deref().or(object), said);
    let here = lists_items(below);
    // In "create a ticket for each of these", the items are listed in the thread.
    let points = object.is_none() && several.list.is_none();
    let listing = (!here && (points || several.whole.item == "epic")).then(|| listing(turn)).flatten();
    let said = several.list.is_some() || object.is_some_and(|object| object.contains([',', ';']));
    let listed = here || said || points && listing.is_some();
    if !(several.certain() || several.possible() && listed) {
        return None;
    }
    let (text, from) = match (&several.list, listing) {
        (Some(list), _) => ([below, list_parser::listed(list).as_str()].join("\n"), None),
        (None, Some(listing)) => ([below, listing.text.as_str()].join("\n"), Some(listing.id.clone())),
        (None, None) => (below.into(), None),
    };
    let topic = object.unwrap_or_default().into();
    let from: Vec<MessageId> = from.into_iter().collect();
    // The lines below the request go into the items too, so its author counts beside the list's.
    let own = Authors::of(turn.said.as_ref().map_or("", |said| &said.by));
    let authors = if from.is_empty() { Authors::default() } else { own.and(&authors_of(turn, &from)) };
    Some(BatchRequest { several: several.clone(), topic, text, lists: true, from, authors })
}

/// Returns what a message says besides its request: the sentences beside it, and the lines below. `named` is the last thing
/// the request names: its subject, or its list.
pub(super) fn rest(named: Option<&str>, text: &str) -> String {
    let below = |text: &str| text.split_once('\n').map_or("", |(_, body)| body).to_string();
    match named {
        Some(named) => below(&with_body(named, text)),
        None => below(text),
    }
}

/// Returns the message to make a batch from when the request lists nothing: the one it points at, else the
/// newest list or user story in the lane. Only messages of people count; our own are no source.
fn listing<'t>(turn: &'t Turn<'_>) -> Option<&'t Message> {
    let own = turn.said.as_ref().map(|said| said.message.clone());
    let theirs = |id: &str| turn.named::<Message>(id).filter(|message| message.role == Role::User);
    let anchor =
        focus(turn).anchor_id().and_then(|id| turn.get::<Message>(id).or(turn.given.anchor.as_ref()));
    let anchored = anchor.filter(|message| {
        message.role == Role::User
            && lists_items(&message.text)
            && (focus(turn).replies() || !asked_itself(message))
    });
    let newest = || {
        let ids = turn.head.window.texts().rev().filter(|id| own.as_ref().is_none_or(|own| own.0 != *id));
        ids.filter_map(theirs).find(|message| lists_items(&message.text) && !asked_itself(message))
    };
    anchored.or_else(newest)
}

/// True if a message is a request that was taken: its list is spent.
fn asked_itself(message: &Message) -> bool {
    message.task.is_some() && rules::rule(&Words::of(&message.text)).is_some()
}

/// Shows the preview of a stored batch.
pub(crate) fn show(turn: &mut Turn<'_>, id: &BatchId, errors: Option<Vec<FieldError>>) -> CardId {
    let batch = turn.get::<Batch>(id).cloned();
    let ids = batch.iter().flat_map(|batch| &batch.items);
    let drafts: Vec<Draft> = ids.filter_map(|draft| turn.get::<Draft>(draft).cloned()).collect();
    let latches = Latches::of(turn, &drafts);
    let checks = Checks::Due;
    let by = batch.map(|batch| batch.by).unwrap_or_default();
    release::preview(turn, CardSubject::BatchPreview { batch: id.clone(), checks, latches }, &by, errors)
}

/// Opens a new approval with exactly these items of a receipt. `errors` are findings of a dry run.
pub(crate) fn again(turn: &mut Turn<'_>, receipt: &Card, items: &[DraftId], errors: Option<Vec<FieldError>>) {
    let Some(old) = receipt.batch().and_then(|batch| turn.get::<Batch>(batch).cloned()) else { return };
    // The next part of a split now follows the new batch.
    let part = old.part.clone();
    let id = turn.new_batch_id();
    turn.put(Batch { id: id.clone(), items: items.to_vec(), part, before: None, ..old.clone() });
    if let Some(part) = old.part.clone().filter(|part| part.next.is_some()) {
        turn.put(Batch { part: Some(crate::data::batch::PartOf { next: None, ..part }), ..old });
    }
    let card = show(turn, &id, errors);
    let Some(mut receipt) = turn.get::<Card>(&receipt.id).cloned() else { return };
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

/// Applies *Retry missing* on a receipt: a new approval for the items that were not created.
pub(crate) fn retry(turn: &mut Turn<'_>, receipt: &Card) -> Decision {
    let missing: Vec<DraftId> = receipt
        .released()
        .filter(|(_, progress)| progress.is_missing())
        .map(|(draft, _)| draft.clone())
        .collect();
    again(turn, receipt, &missing, None);
    Decision::new(Verdict::Shown, Reason::PressApplied)
}

/// Handles a preview that was cancelled or expired: opens the next part of a split batch, else cancels the
/// task. Receipts whose items it was to retry show them as missing again.
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

/// Opens the next part of a split batch. Returns `false` if there is none.
pub(crate) fn open_next(turn: &mut Turn<'_>, card: &Card) -> bool {
    let Some(mut batch) = card.batch().and_then(|batch| turn.get::<Batch>(batch).cloned()) else {
        return false;
    };
    let Some(next) = batch.part.as_mut().and_then(|part| part.next.take()) else { return false };
    turn.put(batch);
    show(turn, &next, None);
    edit::ask_missing(turn, &next);
    true
}
