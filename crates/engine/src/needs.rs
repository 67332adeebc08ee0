//! Records that an event needs beyond those a lane keeps loaded.

use alloc::vec::Vec;

use crate::cards::shows;
use crate::data::card::About;
use crate::data::event::{Event, EventKind, Press};
use crate::data::fact::draft_of;
use crate::data::given::Given;
use crate::data::id::{CardId, ReviewId, TaskId};
use crate::data::known::Both;
use crate::data::known::Known;
use crate::data::lane::Lane;
use crate::data::policy::Policy;
use crate::data::progress::Progress;
use crate::data::proposal::Comment;
use crate::data::record::Record;
use crate::data::record_key::{RecordKey, RecordKind};
use crate::summary;

/// Returns the records that an event needs and the lane has not loaded. The runtime reads them into
/// [`Given::revived`] and calls again, until nothing is missing.
#[must_use]
pub fn needs(lane: &Lane, event: &Event, given: &Given, policy: &Policy) -> Vec<RecordKey> {
    let card: Option<&CardId> = match &event.kind {
        EventKind::CardPressed { press, .. } | EventKind::FormSubmitted { press, .. } => match press {
            Press::Decision { card, .. } => Some(card),
            Press::Option { .. } => None,
            Press::Token(_) => given.press.as_ref().map(|target| &target.card),
        },
        EventKind::EffectSettled { card, .. } => card.as_ref(),
        EventKind::TimerDue { about, .. } => Some(about.card()),
        _ => None,
    };
    let key = |kind, key: &str| RecordKey { kind, key: key.into() };
    let have = |key: &RecordKey| {
        lane.records.get(key).or_else(|| given.revived.iter().find(|record| record.key() == *key))
    };
    let known = Both { lane, given };
    let task: Option<&TaskId> = match &event.kind {
        EventKind::EffectSettled { task, .. } => task.as_ref(),
        EventKind::EffectProgressed { task, .. } => Some(task),
        EventKind::TaskReported(report) => Some(&report.task),
        // The replied-to message may have left the window together with its task.
        EventKind::MessagePosted(_) => given
            .anchor
            .as_ref()
            .filter(|anchor| lane.records.message(&anchor.id).is_none())
            .and_then(|anchor| anchor.task.as_ref()),
        _ => None,
    };
    let draft = match &event.kind {
        EventKind::FactStated(fact) => fact.epic.as_deref().and_then(draft_of),
        _ => None,
    };
    let mut wanted: Vec<RecordKey> = card.iter().map(|card| key(RecordKind::Card, &card.0)).collect();
    // A fact about an epic's draft is stored with the issue, if the draft has become one.
    wanted.extend(draft.map(|draft| key(RecordKind::Draft, &draft.0)));
    // Any event may change the active review, and its card with it.
    wanted.extend(lane.records.of(RecordKind::Review).filter_map(|record| match record {
        Record::Review(review) if review.current() => Some(key(RecordKind::Card, &review.card.0)),
        _ => None,
    }));
    if let (EventKind::EffectSettled { .. }, Some(task)) = (&event.kind, task)
        && let Some(Record::Task(task)) = have(&key(RecordKind::Task, &task.0))
    {
        // The card that released the call becomes its receipt.
        let card = task.work.as_ref().and_then(|work| work.card.as_ref());
        wanted.extend(card.map(|card| key(RecordKind::Card, &card.0)));
    }
    if let EventKind::MessagePosted(_) = &event.kind {
        // The reply may be to a review whose message has left the window.
        wanted.extend(task.map(|task| key(RecordKind::Review, &ReviewId::of(task).0)));
        // The message may answer a waiting question, whose subject is then needed.
        for pending in lane.head.pendings.iter().chain(&lane.head.lapsed).filter(|p| p.expected.is_some()) {
            wanted.extend(pending.kind.card().map(|card| key(RecordKind::Card, &card.0)));
            wanted.extend(pending.kind.draft().map(|draft| key(RecordKind::Draft, &draft.0)));
            wanted.extend(pending.kind.proposal().map(|one| key(RecordKind::Proposal, &one.0)));
        }
    }
    let cards: Vec<RecordKey> = wanted.iter().filter(|key| key.kind == RecordKind::Card).cloned().collect();
    for card in &cards {
        let Some(Record::Card(card)) = have(card) else { continue };
        wanted.extend(shows(card, &known));
        if let Some(parent) = card.receipt() {
            wanted.push(key(RecordKind::Card, &parent.0));
            // The outcome is written on the receipt, which shows records of its own.
            if let Some(Record::Card(receipt)) = have(&key(RecordKind::Card, &parent.0)) {
                wanted.extend(shows(receipt, &known));
            }
        }
        let comment = match &card.about {
            About::DecisionPreview { comment: Comment::Pressed { result, .. }, .. } => Some(result),
            _ => None,
        };
        let decided = card.released().map(|(_, progress)| progress).chain(card.result());
        for progress in decided.chain(comment) {
            if let Progress::Uncertain { card } = progress {
                wanted.push(key(RecordKind::Card, &card.0));
            }
        }
    }
    wanted.extend(following(&wanted, &known));
    let tasks: Vec<RecordKey> = wanted
        .iter()
        .filter_map(|key| match have(key) {
            Some(Record::Draft(draft)) => Some(draft.task.0.clone()),
            Some(Record::Review(review)) => Some(review.task.0.clone()),
            Some(Record::Proposal(proposal)) => Some(proposal.task.0.clone()),
            Some(Record::Card(card)) => card.task().map(|task| task.0.clone()),
            Some(Record::Batch(batch)) => Some(batch.task.0.clone()),
            _ => None,
        })
        .chain(task.map(|task| task.0.clone()))
        .map(|task| key(RecordKind::Task, &task))
        .collect();
    wanted.extend(tasks);
    wanted.extend(summary::needs(lane, event, policy));
    wanted.retain(|key| have(key).is_none());
    wanted
}

/// Returns the batches that may open when one of the wanted batches ends, with their drafts.
fn following(wanted: &[RecordKey], known: &Both<'_>) -> Vec<RecordKey> {
    let batches = wanted.iter().filter(|key| key.kind == RecordKind::Batch);
    let next = batches.filter_map(|key| known.batch(&key.key.as_str().into())?.part.as_ref()?.next.clone());
    let mut keys = Vec::new();
    for id in next {
        let drafts = known.batch(&id).into_iter().flat_map(|batch| &batch.items);
        keys.extend(drafts.map(|draft| RecordKey { kind: RecordKind::Draft, key: draft.0.clone() }));
        keys.push(RecordKey { kind: RecordKind::Batch, key: id.0 });
    }
    keys
}
