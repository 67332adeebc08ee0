//! Erases a person from each kind of record, and from the head. Every text of a record is checked in its
//! stored form, so that no field, present or future, is missed; the kinds named below lose more than the
//! person's words (`docs/design/0028-erasure.md`).

use alloc::string::String;
use alloc::vec::Vec;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::data::card::{About, Card, CardStatus};
use crate::data::erasure::ERASED;
use crate::data::event::{Event, EventKind};
use crate::data::lane_state::LaneState;
use crate::data::message::{Message, Role};
use crate::data::person::Person;
use crate::data::proposal::Proposal;
use crate::data::record::Record;
use crate::data::review::{Points, Review, Status};
use crate::data::task::{Moved, Task};
use crate::data::task_status::{TaskSource, TaskStatus};
use crate::data::ticket::{Draft, Part};
use crate::data::time::Timestamp;
use crate::data::work::Phase;
use crate::data::work::{Call, Job, Work};
use crate::turn::Turn;
use crate::work::back::take_back;

/// Removes what is the person's from a record that is neither a message nor a card.
pub(super) fn without(turn: &mut Turn<'_>, person: &Person, record: Record) {
    let (kind, key) = (record.kind(), String::from(record.id()));
    if let Record::Task(task) = &record
        && theirs(person, &record)
    {
        take_back(turn, &mut task.clone());
    }
    match left(person, record.clone(), turn.now()) {
        None => turn.drop_record(kind, &key),
        Some(left) if left != record => turn.put(left),
        Some(_) => {}
    }
}

/// A record without what is the person's: `None` if nothing is left, the record unchanged if nothing is
/// theirs. Needs no other record, so it also serves for records that a lane no longer loads.
#[must_use]
pub fn left(person: &Person, record: Record, now: Timestamp) -> Option<Record> {
    match record.clone() {
        Record::Message(message) => self::message(person, &message).map(Record::Message),
        Record::Card(card) => {
            let theirs = card_is_theirs(person, &card);
            let (mut card, changed) = self::card(person, card, theirs)?;
            if card.open() && (theirs || changed && card.is_approval()) {
                card.status = CardStatus::Withdrawn;
            }
            Some(Record::Card(card))
        }
        Record::Held(event) => held(person, event).map(Record::Held),
        Record::View(view) if person.is(&view.user) => None,
        Record::OptionSet(set) if set.user.as_deref().is_some_and(|user| person.is(user)) => None,
        Record::OptionSet(mut set) => {
            set.showings.retain(|showing| !showing.to.as_deref().is_some_and(|to| person.is(to)));
            scrubbed(person, Record::OptionSet(set))
        }
        Record::Task(task) if theirs(person, &record) => {
            let at = now.max(task.last_at);
            Some(Record::Task(over(task, at)))
        }
        Record::Draft(draft) if theirs(person, &record) => Some(Record::Draft(blank(draft))),
        Record::Draft(mut draft) => {
            // A part that was filled by their answer goes, even if it was reworded since.
            for part in
                draft.filled.iter().filter(|filled| person.has(&filled.message.0)).map(|filled| filled.part)
            {
                draft.parts.remove(&part);
            }
            draft.filled.retain(|filled| !person.has(&filled.message.0));
            scrubbed(person, Record::Draft(draft))
        }
        // Nobody but the model has seen a review that is still being drafted.
        Record::Review(review) if theirs(person, &record) && review.status == Status::Drafting => None,
        Record::Review(review) if theirs(person, &record) => Some(Record::Review(forgotten(review))),
        Record::Review(mut review) => {
            for patch in review.patches.iter_mut().filter(|patch| person.is(&patch.by)) {
                patch.points = Points::default();
            }
            scrubbed(person, Record::Review(review))
        }
        Record::Proposal(proposal) if theirs(person, &record) => Some(Record::Proposal(unsaid(proposal))),
        other => scrubbed(person, other),
    }
}

/// True if the person caused the card, or it is about something they said.
pub(super) fn card_is_theirs(person: &Person, card: &Card) -> bool {
    let source = match &card.about {
        About::ScopeGate { source, .. } => Some(source),
        _ => card.call().map(|(_, source)| source),
    };
    person.is(&card.by)
        || source.is_some_and(|source| person.has(&source.0))
        || card.task().is_some_and(|task| person.has(&task.0))
}

/// True if the person asked for the record, or it was made from something they said.
fn theirs(person: &Person, record: &Record) -> bool {
    match record {
        Record::Task(task) => person.is(&task.requested_by) || person.has(&task.id.0),
        Record::Draft(draft) => {
            person.is(&draft.by) || person.has(&draft.source.0) || person.has(&draft.task.0)
        }
        Record::Review(review) => person.is(&review.by) || person.has(&review.source.0),
        Record::Proposal(proposal) => person.is(&proposal.by) || person.has(&proposal.source.0),
        _ => false,
    }
}

/// Blanks a task of theirs, and cancels it if the engine runs it. A host reports the status of its own
/// tasks itself.
fn over(mut task: Task, now: Timestamp) -> Task {
    if task.status.live()
        && task.source == TaskSource::Engine
        && task.go(TaskStatus::Cancelled, now) == Moved::Changed
    {
        task.work = None;
    }
    task.work = task.work.map(|work| Work { job: unnamed(work.job), ..work });
    task.intent = ERASED.into();
    task.requested_by = ERASED.into();
    task.reason = task.reason.map(|_| ERASED.into());
    task.result = task.result.map(|_| ERASED.into());
    task
}

fn unnamed(job: Job) -> Job {
    match job {
        Job::Tool { name, args } => {
            Job::Tool { name, args: args.into_keys().map(|arg| (arg, ERASED.into())).collect() }
        }
        Job::Agent { name } => Job::Agent { name },
        Job::Option(mut chosen) => {
            chosen.label = ERASED.into();
            chosen.user = ERASED.into();
            Job::Option(chosen)
        }
    }
}

/// Blanks a draft. The key of an issue created from it stays.
fn blank(mut draft: Draft) -> Draft {
    draft.parts = [(Part::Title, ERASED.into())].into();
    draft.by = ERASED.into();
    draft.filled = Vec::new();
    draft
}

fn forgotten(mut review: Review) -> Review {
    review.topic = String::new();
    review.summary = String::new();
    review.points = Points::default();
    review.checks = Vec::new();
    review.patches = Vec::new();
    review.by = ERASED.into();
    review.status = Status::Forgotten;
    review
}

/// Blanks a proposal. The address of its post stays.
fn unsaid(mut proposal: Proposal) -> Proposal {
    proposal.topic = ERASED.into();
    proposal.decision = ERASED.into();
    proposal.why = String::new();
    proposal.by = ERASED.into();
    if let Some(posted) = &mut proposal.posted {
        posted.text = ERASED.into();
    }
    proposal
}

/// A message that waits for a model: `None` if it is the person's, else the message without its quotes of
/// them.
fn held(person: &Person, mut event: Event) -> Option<Event> {
    if person.is(&event.actor) {
        return None;
    }
    if let EventKind::MessagePosted(posted) = &mut event.kind {
        let answers = posted.reply_to.as_deref().is_some_and(|to| person.has(to));
        posted.quote.take_if(|quote| answers || person.without(quote).is_some());
    }
    Some(event)
}

/// A message without what is the person's. `None` for their own messages, for those to them alone, and for
/// answers that belong to what they began or hold their words. Other people's messages stay as they are.
pub(super) fn message(person: &Person, message: &Message) -> Option<Message> {
    if message.role == Role::User {
        return (!person.is(&message.by)).then(|| message.clone());
    }
    let theirs = message.to.as_deref().is_some_and(|to| person.is(to))
        || message.task.as_ref().is_some_and(|task| person.has(&task.0)) && message.card.is_none();
    if theirs || message.card.is_none() && person.holds(&message.text) {
        return None;
    }
    rewritten(person, message)
}

/// A card without what is the person's, and whether something was removed; `None` if the rest cannot be
/// read back.
pub(super) fn card(person: &Person, card: Card, theirs: bool) -> Option<(Card, bool)> {
    let left = rewritten(person, &if theirs { bare(card.clone()) } else { card.clone() })?;
    let changed = left != card;
    Some((left, changed))
}

/// A card without its words; only its ids and its outcome are left.
pub(super) fn bare(mut card: Card) -> Card {
    match &mut card.about {
        About::ScopeGate { excerpt, .. } => *excerpt = ERASED.into(),
        About::CallPreview { call, .. } | About::UncertainCall { call, .. } => {
            let Call { job, task, risk, .. } = call.clone();
            *call = Call {
                job: unnamed(job),
                phase: Phase::default(),
                task,
                text: ERASED.into(),
                risk,
                prompt: None,
            };
        }
        About::Options { asks, .. } => *asks = ERASED.into(),
        _ => {}
    }
    card.by = ERASED.into();
    card
}

/// The head without the person's words. If the rest cannot be read back, only the window and the cards are
/// kept.
pub(super) fn head(person: &Person, head: LaneState) -> LaneState {
    rewritten(person, &head).unwrap_or_else(|| LaneState {
        window: head.window,
        cards: head.cards,
        ..LaneState::default()
    })
}

fn scrubbed(person: &Person, record: Record) -> Option<Record> {
    rewritten(person, &record)
}

/// A stored value without what is the person's. `None` if the rest cannot be read back, because a word of
/// the storage format itself equals one of theirs.
fn rewritten<T: Serialize + DeserializeOwned + Clone>(person: &Person, value: &T) -> Option<T> {
    let stored = serde_json::to_value(value).ok()?;
    let mut all = stored.clone();
    if !person.scrub(&mut all) {
        return Some(value.clone());
    }
    let prose = || {
        let mut prose = stored;
        person.scrub_prose(&mut prose);
        serde_json::from_value(prose).ok()
    };
    serde_json::from_value(all).ok().or_else(prose)
}
