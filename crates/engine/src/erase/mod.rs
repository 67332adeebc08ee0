//! Erasing what a lane holds of somebody, or all of it (`spec 05 §12`, `spec 06 §7.6`).
//!
//! It is a turn like any other, reason `erasure`: it takes the words out of the head and of every loaded record. Ids
//! stay, so that what points at something still says what happened to it, and so do other people's own messages. What
//! lies beside the loaded state (the log's contents, retired records, payloads) the runtime takes out of the store,
//! by the same [`Person`].
//!
//! `person.rs` says whose words a text holds, `records.rs` what becomes of each record, `facts.rs` of facts.

mod facts;
mod person;
mod records;

pub use person::Person;
pub use records::left;

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::approval::Closing;
use crate::decision::{Decision, Reason, Verdict};
use crate::lane::{LaneState, Message, MessageKind, Record, RecordKey, RecordKind, Role};
use crate::memory::summary::{self, Covered};
use crate::pending::PendingState;
use crate::say;
use crate::turn::{Turn, begun_by};
use crate::work::take_back;
use crate::workflow::{About, Card, CardStatus, Progress, press};

/// What stands where words were.
pub const ERASED: &str = "[erased]";

/// What a lane is to forget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Erase {
    /// One person: what they said, and what was made of it.
    Person {
        /// Their channel's user id.
        id: String,
    },
    /// Everything.
    Lane,
}

/// What records tell of somebody.
pub fn learn(person: &mut Person, records: &[&Record]) {
    for record in records {
        match record {
            Record::Message(message) if message.role == Role::User && person.is(&message.by) => {
                person.said(&message.text);
                person.made(&message.id.0);
                person.made(&begun_by(&message.id).0);
            }

            Record::Held(event) if person.is(&event.actor) => {
                if let crate::EventKind::MessagePosted(posted) = &event.kind {
                    person.said(&posted.text);
                }
            }
            Record::Task(task) if person.is(&task.requested_by) => person.made(&task.id.0),
            _ => {}
        }
    }
    for record in records {
        if let Record::Message(message) = record
            && message.role == Role::User
            && !person.is(&message.by)
        {
            person.heard(&message.text);
        }
    }
}

/// Takes it out.
pub(crate) fn erased(turn: &mut Turn<'_>, what: &Erase) -> Decision {
    match what {
        Erase::Person { id } => {
            let mut person = turn.given.person.as_deref().cloned().unwrap_or_else(|| Person::new(id));
            let loaded: Vec<&Record> = turn.lane.records.iter().collect();
            learn(&mut person, &loaded);
            of_person(turn, &person);
        }
        Erase::Lane => everything(turn),
    }
    Decision::new(Verdict::Done, Reason::Erasure)
}

fn of_person(turn: &mut Turn<'_>, person: &Person) {
    for record in others(turn) {
        records::without(turn, person, record);
    }
    facts::without(turn, person);
    let closed = of_cards(turn, person);
    of_messages(turn, person);
    of_head(turn, person);
    let somebody_else = turn.head.window.iter().any(|id| {
        turn.message_ref(&id.0).is_some_and(|message| message.role == Role::User && !person.is(&message.by))
    });
    if closed && somebody_else {
        turn.say(MessageKind::Notification, None, say::ERASED_OPEN);
    }
}

/// Every loaded record but messages and cards, which show what the others hold, and facts, which are a book.
fn others(turn: &Turn<'_>) -> Vec<Record> {
    let shows = |record: &&Record| matches!(record, Record::Message(_) | Record::Card(_) | Record::Fact(_));
    turn.lane.records.iter().filter(|record| !shows(record)).cloned().collect()
}

fn cards(turn: &Turn<'_>) -> Vec<Card> {
    let cards = turn.lane.records.of(RecordKind::Card);
    cards
        .filter_map(|record| if let Record::Card(card) = record { Some(card.clone()) } else { None })
        .collect()
}

/// Cards that show what was taken out: what could still be approved is closed, the rest is shown anew. Says whether one
/// was closed.
fn of_cards(turn: &mut Turn<'_>, person: &Person) -> bool {
    let mut closed = false;
    for card in cards(turn) {
        let shown = shows_changed(turn, &card);
        let theirs = records::card_is_theirs(person, &card);
        let Some((mut card, scrubbed)) = records::card(person, card, theirs) else { continue };
        if !(shown || scrubbed || theirs && card.open()) {
            continue;
        }
        if theirs {
            give_up(turn, &mut card);
        }
        let over = card.open() && (theirs || card.is_approval());
        if over {
            doubt_is_over(turn, &card);
            closed |= card.waits();
            press::close(turn, card, CardStatus::Withdrawn, Closing::Cancelled);
        } else {
            if card.open()
                && card.review().is_some_and(|review| !turn.review(review).is_some_and(|r| r.current()))
            {
                card.status = CardStatus::Withdrawn;
            }
            turn.update(card);
        }
    }
    closed
}

/// Whether this turn changed anything that a card shows.
fn shows_changed(turn: &Turn<'_>, card: &Card) -> bool {
    let batch = card.batch().map(|batch| RecordKey { kind: RecordKind::Batch, key: batch.0.clone() });
    let items = turn.drafts_of(card).into_iter();
    let items = items.map(|draft| RecordKey { kind: RecordKind::Draft, key: draft.id.0 });
    let set = match &card.about {
        About::Options { set, .. } => Some(RecordKey { kind: RecordKind::OptionSet, key: set.0.clone() }),
        _ => None,
    };
    let shown: Vec<RecordKey> = card.subject().into_iter().chain(batch).chain(items).chain(set).collect();
    shown.iter().any(|key| turn.changes_of(key.kind).any(|change| change.about().1 == key.key))
}

/// What a card released and is not there yet is taken back. What is on the wire may still arrive, and is then told.
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

/// Nobody can answer any more whether an effect was applied, so it counts as given up.
fn doubt_is_over(turn: &mut Turn<'_>, card: &Card) {
    let (Some(effect), Some(receipt)) = (card.doubts().cloned(), card.receipt().cloned()) else { return };
    turn.cancel(&effect);
    match card.draft() {
        Some(draft) => {
            if let Some(mut receipt) = turn.card(&receipt) {
                receipt.put(draft, Progress::Cancelled);
                turn.put(Record::Card(receipt));
            }
        }
        None => press::result_on(turn, &receipt, Progress::Cancelled),
    }
}

fn of_messages(turn: &mut Turn<'_>, person: &Person) {
    let ids: Vec<_> =
        turn.lane.records.of(RecordKind::Message).map(|record| String::from(record.id())).collect();
    for id in ids {
        let Some(message) = turn.message_ref(&id).cloned() else { continue };
        if let Some(message) = records::message(person, &message) {
            if message != *turn.message_ref(&id).unwrap_or(&message) {
                turn.put(Record::Message(message));
            }
            continue;
        }
        turn.head.window.remove(&message.id);
        turn.drop_record(RecordKind::Message, &id);
    }
}

/// Questions to them and their answers go, and so does what a model is being asked of their words. Whose choice a
/// remembered mode is nobody knows, so it goes too.
fn of_head(turn: &mut Turn<'_>, person: &Person) {
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
    turn.head.lapsed = turn.head.lapsed.take().filter(|pending| keep(turn, pending));
    let answered = turn.head.answered.take();
    turn.head.answered =
        answered.filter(|answered| !person.is(&answered.by) && keep(turn, &answered.pending));
    turn.head.remembered = None;
    if let Some(ask) = turn.head.ask.take_if(|ask| person.is(&ask.by) || person.has(&ask.message.0)) {
        turn.cancel(&ask.effect);
        turn.drop_record(RecordKind::Held, &ask.message.0);
    }
    without_summary(turn, person);
    let earlier = turn.head.earlier.iter().filter(|id| !person.has(&id.0)).collect();
    turn.head.earlier = earlier;
    turn.head = records::head(person, core::mem::take(&mut turn.head));
}

/// A summary that covers what was taken out is withheld, and made again from what is left (`spec 05 §7`).
fn without_summary(turn: &mut Turn<'_>, person: &Person) {
    let covers = |message: &Message| records::message(person, message).is_none();
    let told = |covered: &Covered| {
        covered.summary.iter().chain(&covered.tail).any(|text| person.without(text).is_some())
    };
    if turn.given.covered.iter().any(covers) || turn.head.covered.as_deref().is_some_and(told) {
        return summary::withhold(turn, &covers);
    }
    // What is just being made may hold what goes, and counts what is no longer there.
    summary::take_back(turn);
}

/// The whole lane: nothing is left but its number of turns, and every card says that it is over.
fn everything(turn: &mut Turn<'_>) {
    if let Some(ask) = turn.head.ask.take() {
        turn.cancel(&ask.effect);
    }
    for record in others(turn) {
        if let Record::Task(task) = &record {
            take_back(turn, &mut task.clone());
        }
        turn.drop_record(record.kind(), record.id());
    }
    facts::everything(turn);
    for card in cards(turn) {
        let card = records::bare(card);
        if card.open() {
            if let Some(effect) = card.doubts() {
                turn.cancel(effect);
            }
            press::close(turn, card, CardStatus::Withdrawn, Closing::Cancelled);
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
        turn.drop_record(key.kind, &key.key);
    }
    turn.head = LaneState::default();
}
