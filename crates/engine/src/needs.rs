//! Which records an event needs beyond those a lane keeps loaded.

use alloc::vec::Vec;

use crate::decisions::Comment;
use crate::event::{Event, EventKind, Press};
use crate::given::Given;
use crate::id::{CardId, ReviewId, TaskId};
use crate::lane::{Lane, Record, RecordKey, RecordKind};
use crate::memory::{draft_of, summary};
use crate::policy::Policy;
use crate::workflow::{About, Known, Progress, shows};

/// Which records an event needs that the lane has not loaded: the runtime reads them and hands them over in
/// [`Given::revived`], and asks again until nothing is missing.
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
        // What is replied to may have left the window, and its task with it.
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
    // What is said of an epic's draft lands at its issue.
    wanted.extend(draft.map(|draft| key(RecordKind::Draft, &draft.0)));
    // A review's card changes with it, whatever changes it.
    wanted.extend(lane.records.of(RecordKind::Review).filter_map(|record| match record {
        Record::Review(review) if review.current() => Some(key(RecordKind::Card, &review.card.0)),
        _ => None,
    }));
    if let (EventKind::EffectSettled { .. }, Some(task)) = (&event.kind, task)
        && let Some(Record::Task(task)) = have(&key(RecordKind::Task, &task.0))
    {
        // What released the call becomes its receipt.
        let card = task.work.as_ref().and_then(|work| work.card.as_ref());
        wanted.extend(card.map(|card| key(RecordKind::Card, &card.0)));
    }
    if let EventKind::MessagePosted(_) = &event.kind {
        // The review that is replied to, when the message has left the window.
        wanted.extend(task.map(|task| key(RecordKind::Review, &ReviewId::of(task).0)));
        // What a waiting question is about, should it be answered.
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
            // What comes of it is put down on its receipt.
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

/// What is loaded and what was read already.
pub(crate) struct Both<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) given: &'a Given,
}

impl Known for Both<'_> {
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        let revived = || self.given.revived.iter().find(|record| record.kind() == kind && record.id() == id);
        self.lane.records.find(kind, id).or_else(revived)
    }
}

/// The batches that may open when one of these is over, with their drafts.
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
