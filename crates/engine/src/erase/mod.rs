//! Erases what a lane holds of a person, or everything it holds (`docs/design/0028-erasure.md`).
//!
//! An erasure is a turn like any other, with the reason `erasure`: it removes the words from the head and
//! from every loaded record. Ids stay, so that a reference to something still shows what happened to it,
//! and so do other people's own messages, but for what they quote. The runtime erases what lies outside the loaded state (the
//! contents of the log, retired records, payloads) in the store, by the same [`DataSubject`].
//!
//! [`DataSubject`] finds whose words a text holds; each type of record says what is left of it
//! ([`Personal`]), and `facts.rs` treats the facts.

mod facts;
mod message;

use crate::cards::decide;
use crate::cards::erase::{bare, scrubbed};
use crate::data::data_subject::{DataSubject, Personal};
use crate::data::event::Event;
use crate::data::id::message_position;
use crate::data::review::Review;

use alloc::vec::Vec;

use crate::data::approval::CloseReason;
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::erasure::ErasureScope;
use crate::data::lane_state::LaneState;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::pending::PendingState;
use crate::data::progress::Progress;
use crate::data::record::Record;
use crate::data::record::{RecordKey, RecordKind};
use crate::data::summary::ConversationSummary;
use crate::data::time::Timestamp;
use crate::summary;
use crate::turn::Turn;
use crate::turn::tasks::begun_by;
use throughline_messages as say;

/// Collects from records what belongs to a person: the texts they wrote and the ids of what they began.
pub fn learn(person: &mut DataSubject, records: &[&Record]) {
    for record in records {
        match record {
            Record::Message(message) if message.role == Role::User && person.is(&message.by) => {
                person.add_own_text(said_at(message), &message.text);
                let names = message.files.iter().filter_map(|file| file.name.as_deref());
                names.for_each(|name| person.add_own_text(said_at(message), name));
                person.add_id(&message.id.0);
                person.add_id(&begun_by(&message.id).0);
            }

            Record::Held(event) if person.is(&event.actor) => {
                if let crate::data::event::EventKind::MessagePosted(posted) = &event.kind {
                    person.add_own_text((event.received_at, u64::MAX), &posted.text);
                }
            }
            Record::Task(task) if person.is(&task.requested_by) => person.add_id(&task.id.0),
            _ => {}
        }
    }
}

/// Collects what others said, and what we said, if it shares words with what the person said: who said something first
/// decides whose words it is.
pub fn learn_others(person: &mut DataSubject, records: &[&Record]) {
    for record in records {
        match record {
            // A card is drawn anew in its first message, so the time of that message says nothing about its words.
            Record::Message(message) if message.role == Role::Assistant && message.card.is_some() => {}
            Record::Message(message) if message.role == Role::Assistant => {
                person.add_our_text(said_at(message), &message.text);
            }
            Record::Message(message) if !person.is(&message.by) => {
                person.add_other_text(said_at(message), &message.text);
            }
            _ => {}
        }
    }
}

fn said_at(message: &Message) -> (Timestamp, u64) {
    (message.at, message_position(message.id.as_str()).map_or(0, |(revision, _)| revision))
}

/// Erases a person from the lane, or the whole lane.
pub(crate) fn erased(turn: &mut Turn<'_>, what: &ErasureScope) -> Decision {
    match what {
        ErasureScope::Person { id } => {
            let loaded: Vec<&Record> = turn.lane.records.iter().collect();
            let mut person = turn.given.person.as_deref().cloned().unwrap_or_else(|| DataSubject::new(id));
            learn(&mut person, &loaded);
            if turn.given.person.is_none() {
                learn_others(&mut person, &loaded);
            }
            person.settle();
            of_person(turn, &person);
        }
        ErasureScope::Lane => everything(turn),
    }
    Decision::new(Verdict::Done, Reason::Erasure)
}

fn of_person(turn: &mut Turn<'_>, person: &DataSubject) {
    for record in others(turn) {
        of_record(turn, person, record);
    }
    facts::without(turn, person);
    let closed = of_cards(turn, person);
    of_messages(turn, person);
    of_head(turn, person);
    let somebody_else = turn.head.window.iter().any(|id| {
        turn.get::<Message>(&id).is_some_and(|message| message.role == Role::User && !person.is(&message.by))
    });
    if closed && somebody_else {
        turn.say(MessageKind::Notification, None, &say::forget_me_open(turn.language()));
    }
}

/// Removes what is the person's from a record that is neither a message nor a card.
fn of_record(turn: &mut Turn<'_>, person: &DataSubject, record: Record) {
    if record.is_of(person) {
        turn.capabilities.iter().for_each(|owner| owner.call_off(turn, &record));
    }
    match record.clone().without(person, turn.now()) {
        None => turn.delete_record(record.key()),
        Some(left) if left != record => turn.put(left),
        Some(_) => {}
    }
}

/// Every loaded record but messages and cards, which are treated after the records they show, and facts.
fn others(turn: &Turn<'_>) -> Vec<Record> {
    let shows = |record: &&Record| matches!(record, Record::Message(_) | Record::Card(_) | Record::Fact(_));
    turn.lane.records.iter().filter(|record| !shows(record)).cloned().collect()
}

fn cards(turn: &Turn<'_>) -> Vec<Card> {
    turn.lane.records.all::<Card>().cloned().collect()
}

/// Renews the cards that show erased words: an open approval is closed, another card is shown anew. Returns
/// true if a card that waited for an answer was closed.
fn of_cards(turn: &mut Turn<'_>, person: &DataSubject) -> bool {
    let mut closed = false;
    for card in cards(turn) {
        let shown = shows_changed(turn, &card);
        let theirs = card.is_of(person);
        let (mut card, scrubbed) = scrubbed(person, card, theirs);
        if !(shown || scrubbed || theirs && card.is_open()) {
            continue;
        }
        if theirs {
            give_up(turn, &mut card);
        }
        let over = card.is_open() && (theirs || card.is_approval());
        if over {
            doubt_is_over(turn, &card);
            closed |= card.awaits_press();
            decide::close(turn, card, CardStatus::Withdrawn, CloseReason::Cancelled);
        } else {
            if card.is_open()
                && card
                    .review()
                    .is_some_and(|review| !turn.get::<Review>(review).is_some_and(|r| r.is_current()))
            {
                card.status = CardStatus::Withdrawn;
            }
            turn.update(card);
        }
    }
    closed
}

/// True if this turn changed a record that the card shows.
fn shows_changed(turn: &Turn<'_>, card: &Card) -> bool {
    let batch = card.batch().map(|batch| RecordKey { kind: RecordKind::Batch, key: batch.0.clone() });
    let items = turn.drafts_of(card).into_iter();
    let items = items.map(|draft| RecordKey { kind: RecordKind::Draft, key: draft.id.0 });
    let set = match &card.about {
        CardSubject::Options { set, .. } => {
            Some(RecordKey { kind: RecordKind::OptionSet, key: set.0.clone() })
        }
        _ => None,
    };
    let shown: Vec<RecordKey> = card.subject().into_iter().chain(batch).chain(items).chain(set).collect();
    shown.iter().any(|key| turn.changes_of(key.kind).any(|change| change.about().1 == key.key))
}

/// Cancels the effects that a card released and that have not settled. One that is already on its way may
/// still succeed, and is then reported.
fn give_up(turn: &mut Turn<'_>, card: &mut Card) {
    let CardStatus::Decided { result, .. } = &mut card.status else { return };
    let results: Vec<&mut Progress> = match result {
        Progress::Several { items } => items.iter_mut().map(|item| &mut item.progress).collect(),
        one => alloc::vec![one],
    };
    for result in results {
        match &*result {
            Progress::Working { check, effect } => {
                turn.cancel(check);
                turn.cancel(effect);
            }
            Progress::Sending { effect } => turn.cancel(effect),
            _ => continue,
        }
        *result = Progress::Cancelled;
    }
}

/// Counts an uncertain effect as given up, because nobody is left to ask whether it was applied.
fn doubt_is_over(turn: &mut Turn<'_>, card: &Card) {
    let (Some(effect), Some(receipt)) = (card.uncertain_effect().cloned(), card.receipt().cloned()) else {
        return;
    };
    turn.cancel(&effect);
    match card.draft() {
        Some(draft) => {
            if let Some(mut receipt) = turn.get::<Card>(&receipt).cloned() {
                receipt.put(draft, Progress::Cancelled);
                turn.put(receipt);
            }
        }
        None => decide::result_on(turn, &receipt, Progress::Cancelled),
    }
}

fn of_messages(turn: &mut Turn<'_>, person: &DataSubject) {
    let messages: Vec<Message> = turn.loaded::<Message>().cloned().collect();
    for message in messages {
        match message.clone().without(person, turn.now()) {
            Some(left) if left != message => turn.put(left),
            Some(_) => {}
            None => {
                turn.head.window.remove(&message.id);
                turn.delete::<Message>(&message.id);
            }
        }
    }
}

/// Removes the person's questions and answers from the head, and the request to a model that shows their
/// words. Nobody knows who chose a remembered mode, so it is removed too.
fn of_head(turn: &mut Turn<'_>, person: &DataSubject) {
    let gone = |turn: &Turn<'_>, id: &str| {
        turn.changes_of(RecordKind::Message)
            .any(|change| change.written().is_none() && change.about().1 == id)
    };
    let theirs = |turn: &Turn<'_>, pending: &PendingState| {
        pending.asked_of.as_deref().is_some_and(|asked| person.is(asked))
            || pending.kind.card().is_none() && gone(turn, &pending.anchor.0)
    };
    let keep = |turn: &Turn<'_>, pending: &PendingState| !theirs(turn, pending);
    let pendings = core::mem::take(&mut turn.head.pendings);
    turn.head.pendings = pendings.into_iter().filter(|pending| keep(turn, pending)).collect();
    let lapsed = core::mem::take(&mut turn.head.lapsed);
    turn.head.lapsed = lapsed.into_iter().filter(|pending| keep(turn, pending)).collect();
    let answered = turn.head.answered.take();
    turn.head.answered =
        answered.filter(|answered| !person.is(&answered.by) && keep(turn, &answered.pending));
    // In a lane in which they never were, nothing of that is theirs.
    let here = person.acted_in(&turn.lane.key.id())
        || turn.lane.records.all::<Message>().any(|message| person.is(&message.by));
    if here {
        turn.head.remembered = None;
    }
    if let Some(ask) = turn.head.ask.take_if(|ask| person.is(&ask.by) || person.has(&ask.message.0)) {
        turn.cancel(&ask.effect);
        turn.delete::<Event>(&ask.message.0);
    }
    without_summary(turn, person, here);
    let earlier = turn.head.earlier.iter().filter(|id| !person.has(&id.0)).collect();
    turn.head.earlier = earlier;
    person.rewrite(&mut turn.head);
}

/// Withholds a summary that covers erased messages; it is made again from the others.
fn without_summary(turn: &mut Turn<'_>, person: &DataSubject, here: bool) {
    let now = turn.now();
    let covers = |message: &Message| message.clone().without(person, now).is_none();
    let told = |covered: &ConversationSummary| {
        covered.summary.iter().chain(&covered.tail).any(|text| person.without(text).is_some())
    };
    if turn.given.covered.iter().any(covers) || turn.head.covered.as_deref().is_some_and(told) {
        return summary::withhold(turn, &covers);
    }
    // A summary that is being made may hold erased words, and counts messages that no longer exist.
    if here || turn.changes_of(RecordKind::Message).next().is_some() {
        summary::take_back(turn);
    }
}

/// Erases the whole lane: only its number of turns is left, and every card is shown as closed.
fn everything(turn: &mut Turn<'_>) {
    if let Some(ask) = turn.head.ask.take() {
        turn.cancel(&ask.effect);
    }
    for record in others(turn) {
        turn.capabilities.iter().for_each(|owner| owner.call_off(turn, &record));
        turn.delete_record(record.key());
    }
    facts::everything(turn);
    for card in cards(turn) {
        let card = bare(card);
        if card.is_open() {
            if let Some(effect) = card.uncertain_effect() {
                turn.cancel(effect);
            }
            decide::close(turn, card, CardStatus::Withdrawn, CloseReason::Cancelled);
        } else {
            turn.update(card);
        }
    }
    let shown: Vec<RecordKey> = turn
        .lane
        .records
        .iter()
        .filter(|record| matches!(record, Record::Message(_) | Record::Card(_)))
        .map(Record::key)
        .collect();
    for key in shown {
        turn.delete_record(key);
    }
    turn.head = LaneState::default();
}
